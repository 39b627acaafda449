"""Tracebacks in the lines of a log, of several interleaved streams, whole or cut off at either end."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from codepath.analysis.traces.lines import Line, line_of, parts_of, read_text, stream_of
from codepath.analysis.traces.tails import tails_of
from codepath.model.trace import Log, LogFrame, Traceback

MOST_FRAMES = 400
MOST_TRACEBACKS = 2_000
_MESSAGE_LINES = 8
_MESSAGE_LENGTH = 2_000
_WORDS = 20_000

_HEAD = re.compile(r"Traceback \(most recent call (last|first)\):")
_GROUP = "Exception Group Traceback (most recent call last):"
_FRAME = re.compile(r'File "([^"\n]{1,1000})", line (\d{1,9})(?:,? in ([^\n]{1,300}))?')
_CUT = re.compile(r'File "([^"\n]{1,1000})"?(?:, ?l?i?n?e?)?$')
_RAISED = re.compile(r"((?:[A-Za-z_]\w{0,80}\.){0,12}[A-Za-z_]\w{0,80})(?:: ?(.*))?$")
_BAR = re.compile(r" *(?:\| ?|\+ (?=Exception Group))")
_RULE = frozenset("+- 0123456789")
_CARETS = frozenset("~^ ")
_FILE = 'File "'
_TRIES = 4  # of a frame in one line
_BEFORE = 3  # lines before a frame that are looked at
_CAUSE = "The above exception was the direct cause of the following exception:"
_CONTEXT = "During handling of the above exception, another exception occurred:"
_MARKS = (_FILE, "most recent call", _CAUSE, _CONTEXT)
_THREAD = re.compile(r"(?:Current thread|Thread) 0x[0-9a-f]+ .{0,80}\(most recent call first\):")
_CODE_INDENT = 4
_FRAME_INDENT = 2
_DIGITS = re.compile(r"[0-9]+")
_MOST_PREFIXES = 32
_MOST_NOISE = 6  # lines of something else in a row that a traceback goes on behind


@dataclass
class _Open:
    """A traceback that is being read."""

    line: int
    starts: bool
    link: str = ""
    is_backwards: bool = False
    frames: list[LogFrame] = field(default_factory=list)
    exception: str = ""
    message: list[str] = field(default_factory=list)
    indent: int = 0
    left_out: int = 0
    last: str = ""
    noise: int = 0

    def closed(self, stream: str) -> Traceback:
        """Return it as it was read."""
        frames = tuple(reversed(self.frames)) if self.is_backwards else tuple(self.frames)
        message = "\n".join(self.message)[:_MESSAGE_LENGTH]
        streams = (stream,) if stream else ()
        return Traceback(frames, self.exception, message, self.line, self.link, self.starts, streams)


class _Stream:
    """One stream of lines."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.open: _Open | None = None
        self.link = ""
        self.orphan = ""
        self.is_group = False
        self.last: _Open | None = None


class Reader:
    """Reads lines and keeps the tracebacks among them."""

    def __init__(self) -> None:
        self._streams: dict[str, _Stream] = {}
        self._found: list[tuple[_Open, str]] = []
        self._waiting: _Open | None = None
        self._reading: set[str] = set()
        self._passed: deque[tuple[int, str]] = deque(maxlen=_BEFORE)
        self._prefixes: dict[str, re.Pattern[str]] = {}
        self._part = ""

    def read(self, parts: Iterable[tuple[int, str]]) -> list[Traceback]:
        """Return the tracebacks in some numbered lines, in the order of their first lines."""
        for number, part in parts:
            if not self._reading and not any(mark in part for mark in _MARKS):
                self._passed.append((number, part))
                continue
            while self._passed:  # the source line of a frame whose own line is missing
                self._line(*self._passed.popleft())
            self._line(number, part)
            if len(self._found) > MOST_TRACEBACKS:
                break
        return [found.closed(stream) for found, stream in self._found if found.frames or found.exception]

    def _line(self, number: int, part: str) -> None:
        self._part = part
        line = self._split(number, part)
        stream = self._stream(line.stream)
        rest = line.rest
        if stream.is_group:
            if rest.lstrip().startswith("+-") and _RULE.issuperset(rest):
                self._open(stream, None)
                return
            bar = _BAR.match(rest)
            rest = rest[bar.end() :] if bar is not None else rest
        head = _HEAD.search(rest)
        if head is not None or _THREAD.search(rest):
            self._start(stream, line, rest, head)
            return
        frame = _frame_in(rest)
        if frame is not None:
            self._frame(stream, line, rest, frame)
            return
        if rest.strip() in (_CAUSE, _CONTEXT):
            stream.link = "cause" if rest.strip() == _CAUSE else "context"
            self._open(stream, None)
            return
        cut = _CUT.match(rest, rest.rfind(_FILE)) if _FILE in rest else None
        if cut is not None:
            self._cut(stream, line, cut[1])
        elif stream.open is not None:
            self._inside(stream, rest)
        else:
            stream.orphan = rest if _indent(rest) >= _CODE_INDENT and not _is_carets(rest) else stream.orphan

    def _split(self, number: int, part: str) -> Line:
        """Return a line without its prefix: one of a form that frames had before, or of a known form."""
        for pattern in self._prefixes.values():
            found = pattern.match(part)
            if found is not None:
                return Line(number, stream_of(found[0]), part[found.end() :])
        return line_of(number, part)

    def _learn(self, before: str) -> None:
        """Note the form of what stands before a frame: digits may be others on other lines."""
        prefix = before[: len(before) - min(_FRAME_INDENT, len(before) - len(before.rstrip(" ")))]
        form = _DIGITS.sub("0", prefix)
        if form not in self._prefixes and len(self._prefixes) < _MOST_PREFIXES:
            self._prefixes[form] = re.compile("[0-9]+".join(re.escape(text) for text in _DIGITS.split(prefix)))

    def _stream(self, name: str) -> _Stream:
        found = self._streams.get(name)
        if found is None:
            found = self._streams[name] = _Stream(name)
        return found

    def _open(self, stream: _Stream, found: _Open | None) -> None:
        """Let a traceback, or none, be the one that the lines of a stream go on with."""
        stream.open = found
        if found is None:
            self._reading.discard(stream.name)
        else:
            self._reading.add(stream.name)

    def _start(self, stream: _Stream, line: Line, rest: str, head: re.Match[str] | None) -> None:
        is_backwards = head is None or head[1] == "first"
        found = _Open(line.number, True, stream.link, is_backwards, indent=_indent(rest))
        stream.is_group = stream.is_group or _GROUP in rest
        stream.link = stream.orphan = ""
        self._open(stream, found)
        before = rest[: head.start()] if head is not None else ""
        self._waiting = found if line.stream or before.strip() else None
        self._found.append((found, stream.name))

    def _frame(self, stream: _Stream, line: Line, rest: str, match: re.Match[str]) -> None:
        before = rest[: match.start()]
        if before.strip():  # a prefix of a form that is not known
            self._learn(self._part[: self._part.index(_FILE, max(0, len(self._part) - len(rest)))])
            stream = self._stream(self._split(line.number, self._part).stream)
        number = min(int(match[2]), 9_999_999)
        frame = LogFrame(match[1], number, (match[3] or "").strip())
        found = stream.open
        if found is None or found.exception:
            found = self._adopted(stream, line)
        found.indent = max(0, len(before) - _FRAME_INDENT) if not before.strip() else 0
        found.noise = 0
        if found.frames and _same(found.frames[-1], frame):
            return
        if len(found.frames) < MOST_FRAMES:
            found.frames.append(frame)
        else:
            found.frames[-1] = frame
            found.left_out += 1

    def _adopted(self, stream: _Stream, line: Line) -> _Open:
        """Return the traceback that a frame without one of its own is part of: one whose head had a prefix, or a new one."""
        waiting = self._waiting
        if waiting is not None and not waiting.frames and not waiting.exception:
            for other in self._streams.values():
                if other.open is waiting:
                    self._open(other, None)
            self._open(stream, waiting)
            self._waiting = None
            return waiting
        found = _Open(line.number, False, stream.link)
        if stream.orphan:
            found.frames.append(LogFrame("", 0, "", stream.orphan.strip()))
        stream.link = stream.orphan = ""
        self._open(stream, found)
        self._found.append((found, stream.name))
        return found

    def _cut(self, stream: _Stream, line: Line, path: str) -> None:
        found = stream.open
        if found is None or found.exception:
            found = self._adopted(stream, line)
        found.frames.append(LogFrame(path, 0, "", is_cut=True))
        self._open(stream, None)

    def _inside(self, stream: _Stream, rest: str) -> None:
        """Take a line that follows a frame or an exception."""
        found = stream.open
        assert found is not None
        if found.exception:
            if found.frames and rest.strip() == found.last:  # two processes write the same lines
                return
            if found.message and rest.strip() and len(found.message) < _MESSAGE_LINES and _indent(rest) <= _CODE_INDENT:
                found.message.append(rest.strip())
            else:
                self._open(stream, None)
            return
        indent = _indent(rest)
        if not rest.strip() or rest.lstrip().startswith("[Previous line repeated"):
            return
        if found.frames and indent >= found.indent + _CODE_INDENT:
            found.frames[-1] = _with_text(found.frames[-1], rest)
            return
        raised = _RAISED.match(rest.strip()) if indent <= found.indent else None
        if raised is not None and _is_exception(raised[1], bool(found.frames)):
            found.exception, found.last = raised[1], rest.strip()
            found.message = [raised[2].strip()] if raised[2] else []
        elif indent <= found.indent:
            found.noise += 1
            if found.noise > _MOST_NOISE:
                self._open(stream, None)


def _frame_in(rest: str) -> re.Match[str] | None:
    """Return the first frame that a line shows."""
    start = rest.find(_FILE)
    for _ in range(_TRIES):
        found = _FRAME.match(rest, start) if start >= 0 else None
        if found is not None or start < 0:
            return found
        start = rest.find(_FILE, start + 1)
    return None


def _is_carets(text: str) -> bool:
    return bool(text.strip()) and _CARETS.issuperset(text.rstrip())


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def _same(one: LogFrame, other: LogFrame) -> bool:
    """Tell whether a frame repeats the one before: recursion, or two processes that write the same lines."""
    return (one.path, one.line, one.function) == (other.path, other.line, other.function)


def _with_text(frame: LogFrame, text: str) -> LogFrame:
    """Return a frame with its source line, or with the carets under it."""
    if not frame.text:
        return replace(frame, text=text.rstrip()) if not _is_carets(text) else frame
    if frame.marked is None and _is_carets(text):
        carets = text.rstrip()
        indent = _indent(frame.text)
        start, stop = _indent(carets), len(carets)
        return replace(frame, marked=(max(0, start - indent), max(0, stop - indent)))
    return frame


def _is_exception(name: str, has_frames: bool) -> bool:
    last = name.rpartition(".")[2]
    if last.endswith(("Error", "Exception", "Exit", "Interrupt", "Warning", "Group", "Timeout", "Iteration", "Abort")):
        return True
    return has_frames and last[:1].isupper() and not last.isupper()


def tracebacks_of(text: str) -> list[Traceback]:
    """Return the tracebacks of a text."""
    return [_tidy(t) for t in Reader().read(parts_of(text))]


def _tidy(found: Traceback) -> Traceback:
    """Return a traceback with source lines that start where their code does."""
    frames = tuple(replace(f, text=f.text.strip()) for f in found.frames)
    return replace(found, frames=frames)


def read_log(data: bytes) -> Log:
    """Read a log."""
    text, left_out = read_text(data)
    found = tracebacks_of(text) or tails_of(text)
    return Log(tuple(_distinct(found)), text.count("\n") + (not text.endswith("\n")), left_out)


def _distinct(found: Iterable[Traceback]) -> Iterator[Traceback]:
    """Return tracebacks that differ, with how often and where each was met."""
    known: dict[object, Traceback] = {}
    for one in found:
        key = (tuple((f.path, f.line, f.function, f.text) for f in one.frames), one.exception, one.message, one.link)
        seen = known.get(key)
        if seen is None:
            known[key] = one
        else:
            streams = tuple(dict.fromkeys((*seen.streams, *one.streams)))[:64]
            known[key] = replace(seen, streams=streams, count=seen.count + 1)
    yield from known.values()
