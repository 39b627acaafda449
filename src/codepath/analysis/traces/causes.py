"""From a log to an answer: the traceback that tells most, its frames in the tree, what is assumed, and ranked causes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from codepath.analysis.traces.architectures import arch_cause, arch_causes
from codepath.analysis.traces.attributes import attribute_cause, attribute_causes
from codepath.analysis.traces.below import below_causes, steps_on
from codepath.analysis.traces.matching import Matcher
from codepath.analysis.traces.nones import is_about_none, none_causes
from codepath.analysis.traces.raised import import_cause, raised_cause, unbound_cause
from codepath.analysis.traces.relocate import relocated
from codepath.analysis.traces.signatures import signature_cause
from codepath.analysis.traces.site import Ground, Site, sites_of
from codepath.analysis.traces.tables import key_cause
from codepath.model.trace import Assumed, Cause, Frame, Log, TraceAnswer, Traceback

_CONSEQUENCES = frozenset(
    """
    SystemExit KeyboardInterrupt EOFError BrokenPipeError ConnectionResetError ConnectionRefusedError CancelledError
    TimeoutError ChildProcessError ProcessExitedException ChildFailedError
    """.split()
)
_MOST_LOOKED_AT = 60
_MOST_MATCHED = 150  # frames of one traceback, innermost ones
_MOST_FRAMES = 60
_UNPROVED = ("line", "function")  # matches of frames whose source line the log does not confirm
_MOST_PLACES = 4  # places of a source line whose path is not in the log


def matched(log: Log, matcher: Matcher) -> list[tuple[Traceback, tuple[Frame, ...]]]:
    """Return the tracebacks of a log with their frames in the tree, that which tells most first."""
    found = []
    for number, one in enumerate(log.tracebacks[:_MOST_LOOKED_AT]):
        frames = tuple(matcher.frame(f) for f in one.frames[-_MOST_MATCHED:])
        found.append((_worth(one, frames, number), one, frames))
    found.sort(key=lambda item: item[0])
    return [(one, frames) for _, one, frames in found]


def _worth(one: Traceback, frames: Sequence[Frame], number: int) -> tuple[object, ...]:
    """Return what sorts tracebacks: in the tree at all, no mere consequence, the root of a chain, whole, early."""
    inside = any(f.place is not None for f in frames) or any(f.match == "cut" for f in frames)
    is_consequence = one.exception.rpartition(".")[2] in _CONSEQUENCES
    return (not inside, is_consequence, bool(one.link), not one.exception, number)


def narrowed(frames: Sequence[Frame], ground: Ground, matcher: Matcher) -> tuple[Frame, ...]:
    """Return frames with those placed of which only the source line is left, where what follows tells places apart."""
    result = list(frames)
    for number, frame in enumerate(frames):
        if frame.place is not None or frame.frame.path or not frame.frame.text:
            continue
        places = matcher.places_of(frame.frame.text)
        following = _following_files(frames[number + 1 :], matcher)
        fitting = [p for p in places if _leads_into(Site(ground, p.function, p.file, p.line), following)]
        if len(fitting) == 1:
            note = "the frame's own line is missing from the log"
            if len(places) > 1:
                note += f"; of {len(places)} places with this text only this one calls into what follows"
            result[number] = Frame(frame.frame, fitting[0], "text", len(places), note)
        else:
            result[number] = replace(frame, candidates=len(fitting) or len(places))
    return tuple(result)


def _following_files(frames: Iterable[Frame], matcher: Matcher) -> frozenset[str]:
    """Return the files of the tree in which the next frame of the tree can stand."""
    for frame in frames:
        if frame.place is not None:
            return frozenset([frame.place.file])
        if frame.match == "cut":
            return frozenset(matcher.begin_like(frame.frame.path))
    return frozenset()


def _leads_into(site: Site, files: frozenset[str]) -> bool:
    if not files:
        return True
    rows = (site.ground.graph.function(s.callee) for s in steps_on(site))
    return any(row is not None and row.file in files for row in rows)


def causes_of(
    one: Traceback, frames: Sequence[Frame], ground: Ground, matcher: Matcher
) -> tuple[list[Cause], Site | None]:
    """Return the causes of a traceback, the likeliest first, and the place that they are about."""
    sites = list(sites_of(ground, frames))
    exception = one.exception.rpartition(".")[2]
    if not sites:
        return _ranked(_without_frames(exception, one.message, frames, ground, matcher)), None
    site = sites[0]
    if not exception:
        cut = next((f.frame.path for f in frames if f.match == "cut"), "")
        begins = matcher.begin_like(cut) if cut else []
        return _ranked(below_causes(site, begins)), site
    if next(f for f in reversed(frames) if f.place is not None).match in _UNPROVED:
        site = relocated(site, exception, one.message)
    modules = tuple(dict.fromkeys(matcher.module(s.file) for s in sites))
    found = list(_direct(site, exception, one.message, modules))
    if not found and not _ends_inside(frames) and exception == "AttributeError":
        found = [c for c in (attribute_cause(s, one.message) for s in sites[1:4]) if c is not None]
    if not found and not any(f.frame.path for f in frames):
        found = list(_without_frames(exception, one.message, frames, ground, matcher))
    return _ranked(found), site


def _without_frames(
    exception: str, message: str, frames: Sequence[Frame], ground: Ground, matcher: Matcher
) -> Iterator[Cause]:
    """Yield the causes of an exception whose frames are not in the log: at each place of its source line, else of any."""
    text = frames[-1].frame.text if frames and not frames[-1].frame.path else ""
    places = matcher.places_of(text)[:_MOST_PLACES] if text else []
    sites = [Site(ground, p.function, p.file, p.line) for p in places]
    found = [replace(c, certain=False) for s in sites for c in _direct(s, exception, message, [matcher.module(s.file)])]
    if not found and exception == "KeyError":
        found = list(arch_causes(ground, message))
    elif not found and exception == "AttributeError":
        found = list(attribute_causes(ground, message))
    yield from found


def _ends_inside(frames: Sequence[Frame]) -> bool:
    return bool(frames) and frames[-1].place is not None


def _direct(site: Site, exception: str, message: str, modules: Sequence[str]) -> Iterator[Cause]:
    """Yield the causes that an exception and its line tell."""
    found: list[Cause] = []
    if exception == "KeyError":
        found += _one(key_cause(site, message))
    if exception == "AttributeError":
        found += _one(attribute_cause(site, message))
    if exception == "AssertionError" or is_about_none(exception, message):
        found += none_causes(site, message, exception == "AssertionError")
    found += _one(signature_cause(site, exception, message))
    found += _one(unbound_cause(site, exception, message))
    found += _one(import_cause(site, exception, message))
    if not found:
        found += _one(arch_cause(site, exception, message, modules))
    found += _one(raised_cause(site, exception, message))
    yield from found


def _one(cause: Cause | None) -> list[Cause]:
    return [cause] if cause is not None else []


def _ranked(causes: Iterable[Cause]) -> list[Cause]:
    known: dict[tuple[str, str], Cause] = {}
    for cause in sorted(causes, key=lambda c: -c.score):
        known.setdefault((cause.kind, cause.claim), cause)
    return list(known.values())


def answer_of(
    log: Log,
    found: Sequence[tuple[Traceback, tuple[Frame, ...]]],
    causes: Sequence[Cause],
    site: Site | None,
    assumed: Sequence[Assumed],
    notes: Sequence[str],
) -> TraceAnswer:
    """Return the answer about the first of some tracebacks."""
    total = sum(t.count for t in log.tracebacks)
    streams = tuple(dict.fromkeys(s for t in log.tracebacks for s in t.streams))
    if not found:
        return _nothing("no-traceback", log, assumed, notes)
    one, frames = found[0]
    if not causes and not any(f.frame.path for f in frames):
        return _nothing("no-traceback", log, assumed, notes)
    inside = any(f.place is not None or f.match in ("cut", "unknown") for f in frames)
    return TraceAnswer(
        status="matched" if inside or causes else "other-project",
        lines=log.lines,
        tracebacks=total,
        different=len(log.tracebacks),
        streams=streams,
        frames=frames[-_MOST_FRAMES:],
        exception=one.exception,
        message=one.message,
        failing_expression=_failing(one, site),
        failing_place=site.place if site is not None else None,
        causes=tuple(causes),
        assumed=tuple(assumed),
        notes=tuple(notes),
        starts=one.starts,
    )


def _nothing(status: str, log: Log, assumed: Sequence[Assumed], notes: Sequence[str]) -> TraceAnswer:
    return TraceAnswer(status, log.lines, 0, 0, (), (), "", "", "", None, (), tuple(assumed), tuple(notes))


def _failing(one: Traceback, site: Site | None) -> str:
    """Return the text of what failed: what carets mark, else the source line."""
    if site is None:
        return ""
    lines = site.ground.lines(site.file)
    line = lines[site.line - 1] if 0 < site.line <= len(lines) else ""
    if site.marked is not None and one.exception:
        return line[site.marked[0] : site.marked[1]].strip() or line.strip()
    return line.strip()
