"""What is left of a traceback whose frames are not in a log: the exception's line, and the source line before it.

Approximates: under (a line counts only where nothing but a prefix stands before the exception's name).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator

from codepath.analysis.traces.lines import line_of, parts_of
from codepath.model.trace import LogFrame, Traceback

_MARKS = ("Error", "Exception")
_RAISED = re.compile(r"((?:[A-Za-z_]\w{0,80}\.){0,12}[A-Za-z_]\w{0,80}(?:Error|Exception))(?:: ?(.*))?$")
_CODE_INDENT = 4
_BEFORE = 4  # lines before an exception that are looked at
_MOST = 50
_LONGEST = 2_000
_CARETS = frozenset("~^ ")


def tails_of(text: str) -> list[Traceback]:
    """Return the exceptions of a text that has no traceback, each with the source line before it, if one is left."""
    found: dict[tuple[str, str, str], Traceback] = {}
    for one in _tails(parts_of(text)):
        key = (one.exception, one.message, one.frames[-1].text if one.frames else "")
        found.setdefault(key, one)
        if len(found) >= _MOST:
            break
    return sorted(found.values(), key=lambda t: (not t.frames, t.line))


def _tails(parts: Iterable[tuple[int, str]]) -> Iterator[Traceback]:
    before: deque[tuple[int, str]] = deque(maxlen=_BEFORE)
    for number, part in parts:
        if any(mark in part for mark in _MARKS):
            line = line_of(number, part)
            raised = _RAISED.match(line.rest)
            if raised is not None:
                frames = tuple(_code(before, line.stream))
                message = (raised[2] or "").strip()[:_LONGEST]
                yield Traceback(frames, raised[1], message, number, starts=False, streams=_named(line.stream))
        before.append((number, part))


def _code(before: Iterable[tuple[int, str]], stream: str) -> Iterator[LogFrame]:
    """Yield the last source line of a stream, as a frame without a path."""
    for number, part in reversed(tuple(before)):
        line = line_of(number, part)
        text = line.rest.strip()
        if line.stream != stream or not text or _CARETS.issuperset(text):
            continue
        if line.rest.startswith(" " * _CODE_INDENT):
            yield LogFrame("", 0, "", text)
        return


def _named(stream: str) -> tuple[str, ...]:
    return (stream,) if stream else ()
