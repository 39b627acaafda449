"""Writes and reads of a variable under one call string: those in what the steps of the string lead to.

Approximates: over (what a step may lead to counts); a value that is stored is told for each way from the last step to the write
where these are few, else for all calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from codepath.analysis.cone import Cone
from codepath.analysis.reach import Through
from codepath.model.answers import Step
from codepath.model.values import Reader, ValuesAnswer, Writer
from codepath.program.graph import CallGraph

MAX_WAYS = 8
_MAX_STEPS = 8

Way = tuple[Step, ...]
InContext = Callable[[Writer, "Sequence[Way]"], Writer]
"""Describes a writer again, for the ways by which its function is entered."""


@dataclass(frozen=True, slots=True)
class Reached:
    """What a call string leads to: functions, and the steps that are its last part."""

    functions: frozenset[str]
    last: tuple[Step, ...]


def within(graph: CallGraph, answer: ValuesAnswer, parts: Sequence[Through], again: InContext) -> ValuesAnswer | None:
    """Return what of an answer happens under a call string; None where its steps lead to no write and no read."""
    places = (*(w.place for w in answer.writers), *(r.place for r in answer.readers))
    functions = sorted({p.function for p in places if graph.function(p.function) is not None})
    cone = Cone(graph, functions, by_name=False)
    outgoing: dict[str, list[Step]] = {}
    for steps in cone.steps_in.values():
        for step in steps:
            outgoing.setdefault(step.caller, []).append(step)
    reached = _reached(outgoing, parts)
    if reached is None:
        return None
    writers = tuple(_writers(answer.writers, reached, outgoing, again))
    readers = tuple(reader for reader in answer.readers if _is_in(reader, reached))
    unset = tuple(way for way in answer.unset_reads if way.reader.function in reached.functions)
    return replace(answer, writers=writers, readers=readers, unset_reads=unset) if writers or readers else None


def _reached(outgoing: dict[str, list[Step]], parts: Sequence[Through]) -> Reached | None:
    """Return what the parts of a call string lead to, each inside what the one before leads to."""
    inside: frozenset[str] | None = None
    last: tuple[Step, ...] = ()
    for part in parts:
        callers = sorted(outgoing) if inside is None else sorted(inside & outgoing.keys())
        steps = [s for caller in callers for s in outgoing[caller] if part.meets(s)]
        own = [f for f in part.functions if inside is None or f in inside]
        if not steps and not own:
            return None
        last = tuple(s for s in steps if part.path)
        inside = _closure(outgoing, own or [s.callee for s in steps])
    return Reached(inside or frozenset(), last)


def _closure(outgoing: dict[str, list[Step]], starts: Iterable[str]) -> frozenset[str]:
    found = dict.fromkeys(starts)
    todo = list(found)
    while todo:
        for step in outgoing.get(todo.pop(), ()):
            if step.callee not in found:
                found[step.callee] = None
                todo.append(step.callee)
    return frozenset(found)


def _is_in(access: Writer | Reader, reached: Reached) -> bool:
    """Tell whether an access is in what is reached, or is the last step itself."""
    place = access.place
    return place.function in reached.functions or any(
        (s.file, s.line) == (place.file, place.line) for s in reached.last
    )


def _writers(
    writers: Iterable[Writer], reached: Reached, outgoing: dict[str, list[Step]], again: InContext
) -> Iterator[Writer]:
    for writer in writers:
        if _is_in(writer, reached):
            ways = _ways(outgoing, reached, writer.place.function)
            yield again(writer, ways) if ways else writer


def _ways(outgoing: dict[str, list[Step]], reached: Reached, function: str) -> list[Way]:
    """Return the ways from the last steps of a call string to a function; none where they are many, long, or go in rings."""
    found: list[Way] = []
    todo: list[Way] = [(step,) for step in reached.last]
    while todo:
        way = todo.pop()
        if way[-1].callee == function:
            found.append(way)
            continue
        if len(way) >= _MAX_STEPS or len(found) + len(todo) > MAX_WAYS * _MAX_STEPS:
            return []
        seen = {step.caller for step in way}
        todo.extend((*way, step) for step in outgoing.get(way[-1].callee, ()) if step.callee not in seen)
    return sorted(found, key=str) if len(found) <= MAX_WAYS else []
