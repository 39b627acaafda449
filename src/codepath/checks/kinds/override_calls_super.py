"""`override-calls-super`: an override that never runs what the method that it replaces runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from codepath.analysis.bypasses import overridden
from codepath.analysis.cone import Cone
from codepath.checks.names import fits, named, required
from codepath.checks.routes import way_in
from codepath.checks.schema import IdleError, Key, Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft, Note


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    methods = required(tree, settings["method"])
    calls = named(tree, settings["calls"])
    if settings["calls"] and not calls:
        raise IdleError(f"nothing in this tree is called {' or '.join(f'`{c}`' for c in settings['calls'])}")
    leading = {call: _leading(tree, call) for call in calls}
    for method in methods:
        above = leading or {method: _leading(tree, method)}
        for other in overridden(tree.graph, method):
            if not any(fits(other, pattern) for pattern in settings["except"]):
                yield from _override(tree, method, other, above)


def _leading(tree: CheckedTree, function: str) -> Collection[str]:
    """Return the functions that lead to another one, itself included."""
    return Cone(tree.graph, [function], by_name=False).next_step.keys()


def _override(tree: CheckedTree, method: str, other: str, leading: Mapping[str, Collection[str]]) -> Iterator[Draft]:
    missing = [call for call, functions in leading.items() if method in functions and other not in functions]
    place, base = tree.place(other), tree.place(method)
    if place is None or base is None or not missing:
        return
    name, above = tree.short(other), tree.short(method)
    if missing == [method]:
        if tree.graph.steps(method):  # a method that does nothing need not be called
            message = f"{name} never calls {above}, which it overrides"
            yield Draft(message, place, (name, above), notes=(Note(base, "is replaced"),))
        return
    said = " nor ".join(tree.short(call) for call in missing)
    message = f"{name} never runs {said}, which {above} runs"
    notes = (Note(base, f"{above} runs it"),)
    help = f"call super().{method.rpartition('.')[2]}(...), or run {said}"
    subject = (name, above, *(tree.short(m) for m in missing))
    yield Draft(message, place, subject, notes=notes, steps=way_in(tree, other), help=help)


KIND = Kind(
    "override-calls-super",
    "An override must run what the method that it replaces runs.",
    (
        Key("method", "texts", "the methods whose overrides are looked at", required=True),
        Key("calls", "texts", "what an override must run where the method does; the method itself where it is absent"),
        Key("except", "texts", "overrides that need not"),
    ),
    _find,
)
