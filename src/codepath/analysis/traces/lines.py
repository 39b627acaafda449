"""A log as lines: bounded, without terminal codes, the prefix that a logger or a launcher put there apart from the rest.

Approximates: a prefix of a form that is not known stays in the text; the reader then looks for frames inside it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_BYTES = 32_000_000
MOST_COLUMNS = 4_000
MOST_LINES = 1_000_000
_MOST_PARTS = 1_000

_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]?|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)?|[@-Z\\-_]?)|\x9b[0-?]*[ -/]*[@-~]?"
)
_PREFIX = re.compile(
    r"""(?:
        \[[^\[\]\n]{1,160}\]:?\ ?                                  # [rank0]:  [2026-01-01 10:00:00 TP0]
      | \([^()\n]{1,160}\)\ ?                                      # (Worker pid=12)
      | \d{4}-\d\d-\d\d[T\ ]\d\d:\d\d:\d\d[0-9.,:+-]*Z?\ ?         # 2026-01-01T10:00:00.123Z
      | \d\d-\d\d\ \d\d:\d\d:\d\d[0-9.,]*\ ?                       # 11-30 05:25:24
      | \d\d:\d\d:\d\d[0-9.,]*\ ?                                  # 05:25:24
      | (?:DEBUG|INFO|WARNING|ERROR|CRITICAL|FATAL)\b:?\ ?
      | <?[A-Za-z0-9_./@-]{1,80}>?\ {0,20}\|(?=\ )\ ?              # worker-0  | text
    ){1,8}""",
    re.VERBOSE,
)
_TIMES = re.compile(
    r"\d{4}-\d\d-\d\d|\d\d-\d\d(?=\ )|\d\d:\d\d:\d\d[0-9.,:+-]*Z?|(?<=\d)T(?=\d)|\bDEBUG\b|\bINFO\b|\bWARNING\b|\bERROR\b"
)
_LINES = re.compile(r"\[[\w./-]{1,80}\.py:\d{1,6}\]")
_HEAD = "Traceback (most recent call"
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_BOX = frozenset("╭│╰")
_BOXED_FRAME = re.compile(r"(\S[^│]{0,900}):(\d{1,9}) in (\S{1,300})")
_BOXED_CODE = re.compile(r"❱ {0,6}\d{1,9} [│ ]*(.*)")


class Line(NamedTuple):
    """One line: its number in the log from 1, the stream that its prefix names, and the rest."""

    number: int
    stream: str
    rest: str


def read_text(data: bytes) -> tuple[str, int]:
    """Return the text of a log, at most its last `MOST_BYTES`, and how many bytes were passed over."""
    left_out = max(0, len(data) - MOST_BYTES)
    return data[left_out:].decode("utf-8", errors="replace"), left_out


def parts_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a log with their numbers; a progress bar that redraws itself is several, and so is a traceback in a
    JSON string."""
    raws = text.split("\n")
    given = 0
    for number in range(max(0, len(raws) - MOST_LINES), len(raws)):
        for part in _parts(raws[number]):
            yield number + 1, part[:MOST_COLUMNS]
            given += 1
        if given > MOST_LINES:
            return


def line_of(number: int, part: str) -> Line:
    """Return a line without its prefix."""
    return Line(number, *_split(part))


def _parts(raw: str) -> list[str]:
    """Return the lines that one line of a log holds, without terminal codes, boxes, and what HTML or JSON make of quotes."""
    plain = raw[: 40 * MOST_COLUMNS]
    if "\x1b" in plain or "\x9b" in plain:
        plain = _ESCAPES.sub("", plain)
    if "&quot;" in plain or "&#" in plain:
        plain = html.unescape(plain)
    if "\\n" in plain and (_HEAD in plain or 'File \\"' in plain):
        plain = _unquoted(plain)
    if "\t" in plain:
        plain = plain.expandtabs(4)
    if plain[:1] in _BOX:
        plain = _unboxed(plain)
    if "\r" not in plain and "\n" not in plain:
        return [plain]
    parts = [part for part in plain.replace("\r", "\n").split("\n") if part]
    return parts[-_MOST_PARTS:] or [""]


def _unquoted(line: str) -> str:
    """Return the text of the JSON string of a line that holds a traceback; the line itself where the string does not end."""
    quoted = next((m for m in _QUOTED.finditer(line) if _HEAD in m[0] or 'File \\"' in m[0]), None)
    text = quoted[1] if quoted is not None else line
    return text.replace("\\n", "\n").replace("\\t", "    ").replace('\\"', '"').replace("\\\\", "\\")


def _unboxed(line: str) -> str:
    """Return a line of a traceback in a box as Python itself writes it, "" for what has no place there."""
    inner = line.strip("╭╮╰╯│─ \r")
    if inner.startswith(_HEAD):
        return f"{_HEAD} last):"
    frame = _BOXED_FRAME.fullmatch(inner)
    if frame is not None:
        return f'  File "{frame[1]}", line {frame[2]}, in {frame[3]}'
    code = _BOXED_CODE.fullmatch(inner)
    return f"    {code[1]}" if code is not None else ""


def _split(line: str) -> tuple[str, str]:
    """Return the stream that the prefix of a line names, and the rest."""
    found = _PREFIX.match(line)
    if found is None:
        return "", line
    return stream_of(found[0]), line[found.end() :]


def stream_of(prefix: str) -> str:
    """Return what tells one stream from another in a prefix: no times, levels or places of log calls."""
    kept = _LINES.sub("", _TIMES.sub("", prefix))
    words = " ".join(kept.replace("|", " ").split())
    return words.replace("[ ", "[").replace(" ]", "]").replace("[]", "").strip(": ")[:80]
