"""`never-reach`: no path leads from one thing to another."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.checks.names import named, required
from codepath.checks.routes import shortest
from codepath.checks.schema import Key, Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.answers import Place
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    targets = required(tree, settings["to"])
    through = named(tree, settings["through"])
    for start in required(tree, settings["from"]):
        steps = shortest(tree, start, targets, avoid=through)
        if steps:
            last = steps[-1]
            place = Place(last.file, last.line, last.column, last.caller)
            names = (tree.short(start), tree.short(last.callee), tree.short(last.caller))
            beside = f" without {' or '.join(settings['through'])}" if through else ""
            count = f"{len(steps)} call{'s' if len(steps) > 1 else ''}"
            yield Draft(f"{names[0]} reaches {names[1]}{beside}, over {count}", place, names, steps=steps)


KIND = Kind(
    "never-reach",
    "Nothing that some functions run may lead to others.",
    (
        Key("from", "texts", "the functions that must not lead there", required=True),
        Key("to", "texts", "the functions, or the event, that must not be reached", required=True),
        Key("through", "texts", "functions through which it may be reached"),
    ),
    _find,
)
