"""Overrides that miss a target: functions of subclasses that run in place of one on a path and never lead to the target.

Approximates: under (a class whose bases are not known overrides nothing).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from codepath.model import ir
from codepath.model.answers import Bypass, Guard, Path, Place
from codepath.program.for_tests import is_test
from codepath.program.graph import CallGraph


def bypasses(graph: CallGraph, paths: Iterable[Path], leading: Container[str]) -> tuple[Bypass, ...]:
    """Return the overrides of the functions on paths that do not lead to the target, those nearest to it first.

    Those in files of tests are left out, unless the question is about tests.

    Args:
        graph: The call graph.
        paths: Paths to the target.
        leading: All functions from which steps lead to it.
    """
    open_paths = [path for path in paths if path.feasible != "blocked"]
    functions = dict.fromkeys(step.caller for path in open_paths for step in reversed(path.steps))
    return tuple(dict.fromkeys(bypass for name in functions for bypass in _of(graph, name, leading)))


def overridden(graph: CallGraph, name: str) -> list[str]:
    """Return the functions of subclasses that override a method."""
    owner, _, last = name.rpartition(".")
    candidates = [f"{cls}.{last}" for cls in graph.subclasses(owner)]
    graph.fetch(candidates)
    return [c for c in candidates if graph.function(c) is not None]


def _of(graph: CallGraph, name: str, leading: Container[str]) -> Iterator[Bypass]:
    for other in overridden(graph, name):
        row = graph.function(other)
        if row is not None and other not in leading and (graph.tests_run or not is_test(row.file)):
            place = Place(row.file, ir.line_of(row.at), ir.column_of(row.at), other)
            yield Bypass(other, place, name, _chosen(graph, other))


def _chosen(graph: CallGraph, method: str) -> tuple[Guard, ...]:
    """Return the conditions under which the one construction of a method's class runs; none where there are several."""
    owner = method.rpartition(".")[0]
    steps = [s for target in (owner, f"{owner}.__init__") for s in graph.steps_into(target) if s.kind == "construct"]
    return steps[0].guards if len(steps) == 1 else ()
