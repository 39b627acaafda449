"""Ways between functions, for kinds of rules that ask whether one leads to another."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator

from codepath.analysis.cone import Cone
from codepath.checks.names import holds, implied
from codepath.checks.tree import CheckedTree
from codepath.model.answers import Step


def shortest(
    tree: CheckedTree, start: str, targets: Iterable[str], avoid: Collection[str] = ()
) -> tuple[Step, ...] | None:
    """Return the shortest steps from a function to any of some others, none of which enters what is to be avoided.

    None where there are none, () where the function is itself a target.
    """
    wanted = frozenset(targets)
    if start in wanted:
        return ()
    cone = Cone(tree.graph, sorted(wanted), by_name=False)
    if start not in cone.next_step:
        return None
    came: dict[str, Step | None] = {start: None}
    todo = deque([start])
    while todo:
        name = todo.popleft()
        for step in tree.graph.steps(name):
            callee = step.callee
            if step.resolution == "by-name" or callee in came or callee not in cone.next_step or callee in avoid:
                continue
            came[callee] = step
            if callee in wanted:
                return _back(came, callee)
            todo.append(callee)
    return None


def _back(came: dict[str, Step | None], name: str) -> tuple[Step, ...]:
    steps = []
    step = came[name]
    while step is not None:
        steps.append(step)
        step = came[step.caller]
    return tuple(reversed(steps))


def unguarded(
    tree: CheckedTree, calls: Iterable[Step], patterns: Collection[str], ends: Collection[str]
) -> Iterator[tuple[Step, ...]]:
    """Yield, for each of some calls, a way to it on which no guard is of a pattern, where there is one.

    Args:
        tree: The tree.
        calls: Steps into what is called.
        patterns: Of conditions any of which a way must have.
        ends: Functions with which a way starts; where there are none, those that nothing calls.
    """
    for step in calls:
        if not _has(step, patterns):
            way = _upwards(tree, step, patterns, frozenset(ends))
            if way is not None:
                yield way


def way_in(tree: CheckedTree, function: str) -> tuple[Step, ...]:
    """Return the shortest steps from a way in to a function, () where none leads there."""
    ways = [s for s in tree.graph.steps_into(function) if s.resolution != "by-name" and s.kind != "import"]
    for entries in filter(None, tree.entries):
        found = [way for step in ways if (way := _upwards(tree, step, (), entries)) is not None]
        if found:
            return min(found, key=len)
    return ()


def _has(step: Step, patterns: Collection[str]) -> bool:
    return any(holds(text, pattern) for text in implied(step.guards) for pattern in patterns)


def _upwards(tree: CheckedTree, last: Step, patterns: Collection[str], ends: frozenset[str]) -> tuple[Step, ...] | None:
    """Return the steps from a start to a call without a guard of a pattern; None where every way has one."""
    onward: dict[str, Step] = {last.caller: last}
    todo = deque([last.caller])
    while todo:
        name = todo.popleft()
        into = [s for s in tree.graph.steps_into(name) if s.resolution != "by-name" and s.kind != "import"]
        if name in ends or (not ends and not into):
            return _down(onward, name, last)
        for step in into:
            if step.caller not in onward and not _has(step, patterns):
                onward[step.caller] = step
                todo.append(step.caller)
    return None


def _down(onward: dict[str, Step], name: str, last: Step) -> tuple[Step, ...]:
    steps = [onward[name]]
    while steps[-1] is not last:
        steps.append(onward[steps[-1].callee])
    return tuple(steps)
