"""`guard-required`: each way to a call has a guard."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.checks.names import fits, named, required
from codepath.checks.routes import unguarded
from codepath.checks.schema import Key, Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.answers import Place, Step
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    targets = required(tree, settings["function"])
    ends = named(tree, settings["from"])
    calls = [s for t in sorted(targets) for s in tree.graph.steps_into(t) if _is_meant(settings, s)]
    for steps in unguarded(tree, calls, settings["guard"], ends):
        last = steps[-1]
        names = (tree.short(last.callee), tree.short(last.caller), tree.short(steps[0].caller))
        wanted = " or ".join(f"`{g}`" for g in settings["guard"])
        message = f"{names[0]} is reached from {names[2]} without the guard {wanted}"
        yield Draft(message, Place(last.file, last.line, last.column, last.caller), names, steps=steps)


def _is_meant(settings: Settings, step: Step) -> bool:
    if step.resolution == "by-name" or step.kind == "import":
        return False
    return not settings["in"] or any(fits(step.caller, pattern) for pattern in settings["in"])


KIND = Kind(
    "guard-required",
    "Every way to a call must pass a guard.",
    (
        Key("function", "texts", "what is called", required=True),
        Key("guard", "texts", "conditions any of which must hold on each way", required=True),
        Key("in", "texts", "the callers whose calls are looked at; all where it is absent"),
        Key("from", "texts", "where the ways start; at functions that nothing calls where it is absent"),
    ),
    _find,
)
