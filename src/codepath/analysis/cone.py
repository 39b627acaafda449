"""The cone of some targets: all functions from which steps lead to them, and the shortest ways through it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from codepath.model.answers import Entry, Step
from codepath.program.graph import CallGraph

Route = tuple[Step, ...]

ENTRY_RANK = {"declared": 0, "script": 1, "main": 2, "spawned": 3}
TIER_COST = {"exact": 0, "inferred": 0, "family": 1, "by-name": 1000}
MAIN_TEST = '__name__ == "__main__"'


class Cone:
    """All functions from which steps lead to the targets, with the steps between them."""

    def __init__(self, graph: CallGraph, targets: Sequence[str], *, by_name: bool) -> None:
        self.graph = graph
        self.targets = targets
        self.steps_in: dict[str, list[Step]] = {}
        self.next_step: dict[str, Step | None] = dict.fromkeys(targets)
        self.cost: dict[str, int] = dict.fromkeys(targets, 0)
        self._by_name = by_name
        self._grow()

    def _grow(self) -> None:
        level = list(self.targets)
        while level:
            self.graph.fetch(level, callers=True)
            self.graph.fetch({c for name in level for c in self.graph.callers(name)})
            following: dict[str, None] = {}
            for name in level:
                for step in self._usable(name):
                    self.steps_in.setdefault(name, []).append(step)
                    if step.caller not in self.next_step:
                        self.next_step[step.caller] = step
                        following[step.caller] = None
            level = list(following)

    def _usable(self, name: str) -> Iterable[Step]:
        for step in self.graph.steps_into(name):
            if step.resolution == "by-name" and not self._by_name:
                continue
            if step.kind == "import" and self._only_as_main(name):
                continue
            yield step

    def _only_as_main(self, module: str) -> bool:
        """Tell whether the way on from a module is taken only where it runs as a program, not where it is imported."""
        step = self.next_step.get(module)
        return step is not None and is_main_only(step)

    def functions(self) -> Iterable[str]:
        """Return every function of the cone."""
        return self.next_step.keys()

    def tail(self, name: str) -> tuple[Step, ...]:
        """Return the shortest steps from a function to a target."""
        steps = []
        step = self.next_step[name]
        while step is not None:
            steps.append(step)
            step = self.next_step[step.callee]
        return tuple(steps)


def is_main_only(step: Step) -> bool:
    """Tell whether a step runs only in the module that is the program."""
    return any(g.polarity and g.text.replace("'", '"') == MAIN_TEST for g in step.guards)


class Heads:
    """From each way in, the shortest steps to every function of a cone."""

    def __init__(self, cone: Cone, entries: Sequence[Entry]) -> None:
        self._previous: dict[str, Step | None] = {}
        self.entry: dict[str, int] = {}
        outgoing: dict[str, list[Step]] = {}
        for steps in cone.steps_in.values():
            for step in steps:
                outgoing.setdefault(step.caller, []).append(step)
        queue: deque[str] = deque()
        order = sorted(range(len(entries)), key=lambda i: (ENTRY_RANK[entries[i].kind], i))
        for number in order:
            function = entries[number].function
            if function in cone.next_step and function not in self.entry:
                self.entry[function] = number
                self._previous[function] = None
                queue.append(function)
        while queue:
            name = queue.popleft()
            for step in sorted(outgoing.get(name, ()), key=step_key):
                if step.callee not in self._previous:
                    self._previous[step.callee] = step
                    self.entry[step.callee] = self.entry[name]
                    queue.append(step.callee)

    def reached(self, name: str) -> bool:
        """Tell whether a way in leads to a function."""
        return name in self._previous

    def head(self, name: str) -> tuple[Step, ...]:
        """Return the shortest steps from the nearest way in to a function."""
        steps = []
        step = self._previous[name]
        while step is not None:
            steps.append(step)
            step = self._previous[step.caller]
        return tuple(reversed(steps))


def step_key(step: Step) -> tuple[object, ...]:
    """Return what steps are ordered by."""
    return (TIER_COST[step.resolution], step.file, step.line, step.column, step.callee)
