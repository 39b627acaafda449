"""The two sides of a question about order: what counts as a run of one, and under which calls.

A side has a *cone*, the functions that may lead to it, and a *progress*: how many parts of its call string the calls on the
stack have met. `OFF` is the progress where it can no longer be met.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from codepath.analysis.cone import Cone
from codepath.analysis.reach import Through
from codepath.model.answers import Step
from codepath.program.graph import CallGraph

OFF = -1


class Side(Protocol):
    """One side of a question."""

    @property
    def functions(self) -> Collection[str]:
        """Every function from which it may be reached."""

    @property
    def steps_in(self) -> Mapping[str, Sequence[Step]]:
        """The steps that lead to it, by callee."""

    def is_relevant(self, function: str, progress: int) -> bool:
        """Tell whether running a function may run this side."""

    def enter(self, progress: int, step: Step) -> tuple[int, bool]:
        """Return the progress in the callee of a step, and whether the step itself is a run of this side."""

    def marks(self, function: str, progress: int) -> frozenset[int]:
        """Return the expressions of a function that are runs of this side."""

    def starts_with(self, function: str) -> tuple[int, bool]:
        """Return the progress in a function that starts a process, and whether it is itself this side."""


@dataclass(frozen=True, slots=True)
class Named:
    """A side given by a call string.

    Args:
        before: The parts of the call string but the last.
        targets: The functions whose entry is a run; they may be outside the tree.
        places: For each function, the expressions that are a run.
        functions: The cone.
        steps_in: The steps of the cone, by callee.
    """

    before: tuple[Through, ...]
    targets: frozenset[str]
    places: Mapping[str, frozenset[int]]
    functions: Collection[str] = field(default_factory=frozenset)
    steps_in: Mapping[str, Sequence[Step]] = field(default_factory=dict)

    def is_relevant(self, function: str, progress: int) -> bool:
        """Tell whether running a function may run this side."""
        return progress != OFF and function in self.functions

    def enter(self, progress: int, step: Step) -> tuple[int, bool]:
        """Return the progress in the callee of a step, and whether the step itself is a run of this side."""
        if progress == OFF:
            return OFF, False
        while progress < len(self.before) and self.before[progress].meets(step):
            progress += 1
        return progress, progress == len(self.before) and step.callee in self.targets

    def marks(self, function: str, progress: int) -> frozenset[int]:
        """Return the expressions of a function that are runs of this side."""
        return self.places.get(function, frozenset()) if progress == len(self.before) else frozenset()

    def starts_with(self, function: str) -> tuple[int, bool]:
        """Return the progress in a function that starts a process, and whether it is itself this side."""
        progress = 0
        while progress < len(self.before) and function in self.before[progress].functions:
            progress += 1
        return progress, progress == len(self.before) and function in self.targets


class AlongPaths:
    """A side given by the very steps of some paths; other ways to their ends do not count.

    A progress stands for the steps that are left, so that paths with one end share what runs there; `first_of` gives that of
    each path's start.
    """

    def __init__(self, paths: Sequence[tuple[Step, ...]]) -> None:
        self._steps: list[Step | None] = [None]
        self._following: list[int] = [OFF]
        self.first_of: list[int] = []
        known: dict[tuple[object, ...], int] = {}
        for steps in paths:
            left = 0
            for step in reversed(steps):
                left = self._number(known, step, left)
            self.first_of.append(left)
        self.functions: Collection[str] = frozenset(s.caller for s in self._steps if s is not None)
        self.targets = frozenset(steps[-1].callee for steps in paths if steps)
        found: dict[str, list[Step]] = {}
        for known_step in self._steps:
            if known_step is not None:
                found.setdefault(known_step.callee, []).append(known_step)
        self.steps_in: Mapping[str, Sequence[Step]] = found

    def _number(self, known: dict[tuple[object, ...], int], step: Step, left: int) -> int:
        """Return the progress at which a step is next, before those of progress `left`."""
        key = (_identity(step), left)
        number = known.get(key)
        if number is None:
            number = known[key] = len(self._steps)
            self._steps.append(step)
            self._following.append(left)
        return number

    def is_relevant(self, function: str, progress: int) -> bool:
        """Tell whether running a function may run this side."""
        step = self._steps[progress] if progress != OFF else None
        return step is not None and step.caller == function

    def enter(self, progress: int, step: Step) -> tuple[int, bool]:
        """Return the progress in the callee of a step, and whether the step itself is a run of this side."""
        own = self._steps[progress] if progress != OFF else None
        if own is None or _identity(own) != _identity(step):
            return OFF, False
        following = self._following[progress]
        return following, self._steps[following] is None

    def marks(self, function: str, progress: int) -> frozenset[int]:
        """Return no expressions: a path ends with a step."""
        return frozenset()

    def starts_with(self, function: str) -> tuple[int, bool]:
        """Return that no path is followed: `Summaries.start` is told which."""
        return OFF, False


def named(
    graph: CallGraph,
    before: Iterable[Through],
    targets: Iterable[str],
    places: Mapping[str, frozenset[int]],
    by_name: bool = False,
) -> Named:
    """Return the side of a call string with its cone; `by_name` follows steps that rest on the name alone too."""
    wanted = frozenset(targets)
    cone = Cone(graph, sorted(wanted | places.keys()), by_name=by_name)
    functions = cone.next_step.keys() - (wanted - _in_tree(graph, wanted))
    return Named(tuple(before), wanted, places, functions, cone.steps_in)


def _in_tree(graph: CallGraph, names: Iterable[str]) -> frozenset[str]:
    return frozenset(n for n in names if graph.function(n) is not None)


def _identity(step: Step) -> tuple[object, ...]:
    """Return what tells a step from others, whatever is known of its guards."""
    return step.line, step.column, step.callee, step.kind, step.caller
