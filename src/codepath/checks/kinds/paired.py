"""`paired`: after one thing another one runs, in the same function."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.checks.names import fits, named, required
from codepath.checks.schema import Key, Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.answers import Place
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    opening = required(tree, settings["first"])
    closing = named(tree, settings["then"])
    callers: dict[str, Place] = {}
    for target in opening:
        for step in tree.graph.steps_into(target):
            if step.resolution != "by-name" and step.kind != "import":
                callers.setdefault(step.caller, Place(step.file, step.line, step.column, step.caller))
    for caller, place in sorted(callers.items()):
        if settings["in"] and not any(fits(caller, pattern) for pattern in settings["in"]):
            continue
        ordered = tree.order(caller, opening, closing)
        names = (tree.short(caller), " or ".join(settings["first"]), " or ".join(settings["then"]))
        if ordered is None or not ordered.runs_second:
            yield Draft(f"{names[0]} runs {names[1]} and never {names[2]}", place, (*names, "never"))
        elif ordered.verdict == "after":
            yield Draft(f"{names[0]} runs {names[2]} before {names[1]} alone", place, (*names, "after"))


KIND = Kind(
    "paired",
    "A function that runs one thing must run another one behind it.",
    (
        Key("first", "texts", "what opens", required=True),
        Key("then", "texts", "what closes", required=True),
        Key("in", "texts", "the functions that are looked at; all that run the first where it is absent"),
    ),
    _find,
)
