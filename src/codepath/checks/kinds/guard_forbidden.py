"""`guard-forbidden`: a call stands behind no guard of some kind."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.checks.names import condition, fits, holds, implied, required
from codepath.checks.schema import Key, Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.answers import Place
from codepath.model.checks import Draft, Note


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    for target in required(tree, settings["function"]):
        for step in tree.graph.steps_into(target):
            if settings["in"] and not any(fits(step.caller, pattern) for pattern in settings["in"]):
                continue
            if step.resolution == "by-name" or step.kind == "import":
                continue
            for text, guard in sorted({condition(g): g for g in reversed(step.guards)}.items(), key=lambda one: one[0]):
                if any(holds(part, pattern) for part in implied([guard]) for pattern in settings["guard"]):
                    names = (tree.short(target), tree.short(step.caller), text)
                    call = Note(Place(step.file, step.line, step.column, step.caller), f"{names[0]} is called here")
                    place = Place(guard.file, guard.line, 0, step.caller)
                    yield Draft(f"{names[0]} in {names[1]} depends on `{text}`", place, names, notes=(call,))


KIND = Kind(
    "guard-forbidden",
    "A call must not depend on some conditions.",
    (
        Key("function", "texts", "what is called", required=True),
        Key("guard", "texts", "the conditions, as patterns: `*` for any text", required=True),
        Key("in", "texts", "callers; all where it is absent"),
    ),
    _find,
)
