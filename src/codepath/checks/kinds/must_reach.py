"""`must-reach`: some functions run another one, whatever path they take."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.checks.names import conditions, holds, named, required
from codepath.checks.schema import Key, Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.answers import Place, Step
from codepath.model.checks import Draft, Note

_MAX_DEPTH = 40


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    targets = frozenset(named(tree, settings["to"]))
    for start in required(tree, settings["from"]):
        place = tree.place(start)
        if place is None:
            continue
        reached, guarded = _reaching(tree, start, targets, tuple(settings["unless"]))
        if reached:
            continue
        names = (tree.short(start), " or ".join(settings["to"]))
        if guarded is None:
            yield Draft(f"{names[0]} never runs {names[1]}", place, (*names, "never"))
            continue
        text = " and ".join(conditions(guarded.guards))
        note = Note(Place(guarded.file, guarded.line, guarded.column, guarded.caller), f"only where {text}")
        yield Draft(f"{names[0]} runs {names[1]} only where {text}", place, (*names, text), notes=(note,))


def _reaching(
    tree: CheckedTree, start: str, targets: frozenset[str], unless: tuple[str, ...]
) -> tuple[bool, Step | None]:
    """Tell whether steps without guards lead from a function to a target; else give the guarded step of a way that does.

    Approximates: under (guards that hold one another's opposite, as the two sides of an `if`, are not joined).
    """
    seen = {start}
    level = [start]
    guarded: Step | None = None
    for _ in range(_MAX_DEPTH):
        following: list[str] = []
        for step in (s for name in level for s in tree.graph.steps(name) if s.resolution in ("exact", "inferred")):
            if all(any(holds(text, pattern) for pattern in unless) for text in conditions(step.guards)):
                if step.callee in targets:
                    return True, None
                if step.callee not in seen:
                    seen.add(step.callee)
                    following.append(step.callee)
            elif guarded is None and _leads(tree, step.callee, targets):
                guarded = step
        if not following:
            break
        level = following
    return False, guarded


def _leads(tree: CheckedTree, name: str, targets: frozenset[str]) -> bool:
    from codepath.checks.routes import shortest

    return shortest(tree, name, targets) is not None


KIND = Kind(
    "must-reach",
    "Some functions must run another one without a condition.",
    (
        Key("from", "texts", "the functions that must run it", required=True),
        Key("to", "texts", "what must be run: functions or an event, any of them", required=True),
        Key("unless", "texts", "conditions under which it may be left out, as the guard before the call says them"),
    ),
    _find,
)
