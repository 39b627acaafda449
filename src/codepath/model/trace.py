"""Logs and tracebacks: what was read, where it stands in the tree, and what caused it."""

from __future__ import annotations

from dataclasses import dataclass

from codepath.model.answers import Guard, Place, Truncation

MATCHES = ("exact", "moved", "text", "function", "line", "cut", "outside", "unknown")
KINDS = ("none-flow", "missing-hook", "arch-table", "unset", "order", "guard")


@dataclass(frozen=True, slots=True)
class LogFrame:
    """A frame as a log has it.

    `line` is 0 where it is not in the log, `function` and `text` (the source line) are "". `marked` is the part of `text` that
    carets mark, as columns from 0, end exclusive. `is_cut` tells that the log ends inside the frame's path; `path` is "" where
    only the source line is left.
    """

    path: str
    line: int
    function: str
    text: str = ""
    marked: tuple[int, int] | None = None
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Traceback:
    """One traceback of a log, outermost frame first.

    `exception` is "" where the log does not show it. `link` says how it follows the one before: `cause`, `context` or "".
    `streams` are the prefixes under which it was met (ranks), `count` how often. `starts` tells whether its head is there.
    """

    frames: tuple[LogFrame, ...]
    exception: str
    message: str
    line: int
    link: str = ""
    starts: bool = True
    streams: tuple[str, ...] = ()
    count: int = 1


@dataclass(frozen=True, slots=True)
class Log:
    """What was read of a log; `lines` of it, `left_out` bytes of a longer one were passed over."""

    tracebacks: tuple[Traceback, ...]
    lines: int
    left_out: int = 0
    words: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame and where it stands in the tree.

    `match` is one of `MATCHES`: path, line and text agree; the text stands on another line; only the text was there, or only
    function or line agree; the log ends inside the path; the file is of another project; or the tree has no such place.
    `candidates` is the number of places that fit, `note` says how one was chosen.
    """

    frame: LogFrame
    place: Place | None
    match: str
    candidates: int = 1
    note: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place that a claim rests on, and what it shows."""

    place: Place
    reason: str


@dataclass(frozen=True, slots=True)
class Cause:
    """What may have caused a failure. `certain` tells whether the log and the tree leave nothing open."""

    kind: str
    claim: str
    evidence: tuple[Evidence, ...]
    fix_places: tuple[Evidence, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    guards: tuple[Guard, ...] = ()
    certain: bool = True
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Assumed:
    """Something that the log, or the user, says of the run: a name, its value as written, and where it is from."""

    name: str
    value: str
    source: str


@dataclass(frozen=True, slots=True)
class TraceAnswer:
    """The answer to `trace`.

    `status` is `matched`, `no-traceback` or `other-project`. `exception`, `message` and `frames` are of the traceback that
    tells most; `tracebacks` counts all, `different` those that differ. `below` are what can raise below a cut-off frame.
    """

    status: str
    lines: int
    tracebacks: int
    different: int
    streams: tuple[str, ...]
    frames: tuple[Frame, ...]
    exception: str
    message: str
    failing_expression: str
    failing_place: Place | None
    causes: tuple[Cause, ...]
    assumed: tuple[Assumed, ...]
    notes: tuple[str, ...]
    starts: bool = True
    truncated: Truncation | None = None


@dataclass(frozen=True, slots=True)
class AbsentLine:
    """A place that would print a log line: under these guards, in this function, at this level."""

    place: Place
    text: str
    level: str
    guards: tuple[Guard, ...]
    defaults: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class AbsentAnswer:
    """The answer to `trace --absent`: the places that print a text."""

    text: str
    lines: tuple[AbsentLine, ...]
    truncated: Truncation | None = None
