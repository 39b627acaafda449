"""Which of the globals that a picture sees set its steps read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from codepath.analysis.pictures.frames import always, globals_read
from codepath.model.pictures import PictureStep
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph

_GETTER = 60
"""Expressions that a function has at most which counts as part of one that calls it: it fetches a global and gives it back."""


def with_reads(steps: Iterable[PictureStep], graph: CallGraph, bodies: Bodies) -> tuple[PictureStep, ...]:
    """Return steps, told which globals that steps before them set they read: themselves, or through a getter that they call.

    Approximates: under (what is read deeper inside a step, or under a condition, is not looked at).
    """
    known: set[str] = set()
    found = []
    for step in steps:
        reads = _reads(step.hops[-1].step.callee, known, graph, bodies) if known else ()
        found.append(replace(step, reads=tuple(sorted(set(reads) - set(step.sets)))))
        known.update(step.sets)
    return tuple(found)


def _reads(function: str, known: Collection[str], graph: CallGraph, bodies: Bodies) -> Iterator[str]:
    body = bodies.body(function)
    if body is None:
        return
    yield from globals_read(body) & set(known)
    modules = {name.rpartition(".")[0] for name in known}
    for step in graph.steps(function):
        owner = step.callee.rpartition(".")[0]
        if step.kind != "call" or owner not in modules or not always(g.kind for g in step.guards):
            continue
        inner = bodies.body(step.callee)
        if inner is not None and len(inner.scope.exprs) <= _GETTER and not inner.scope.globals:
            yield from globals_read(inner) & set(known)
