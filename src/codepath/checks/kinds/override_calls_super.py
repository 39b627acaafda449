"""`override-calls-super`: an override that never runs what the method that it replaces runs."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.bypasses import overridden
from codepath.analysis.cone import Cone
from codepath.checks.names import fits, named, required
from codepath.checks.schema import IdleError, Key, Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft, Note


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    methods = required(tree, settings["method"])
    calls = named(tree, settings["calls"])
    if settings["calls"] and not calls:
        raise IdleError(f"nothing in this tree is called {' or '.join(f'`{c}`' for c in settings['calls'])}")
    for method in methods:
        for other in overridden(tree.graph, method):
            if not any(fits(other, pattern) for pattern in settings["except"]):
                yield from _override(tree, method, other, calls)


def _override(tree: CheckedTree, method: str, other: str, calls: tuple[str, ...]) -> Iterator[Draft]:
    missing = [call for call in calls if _leads(tree, method, call) and not _leads(tree, other, call)]
    place, base = tree.place(other), tree.place(method)
    if place is None or base is None:
        return
    name, above = tree.short(other), tree.short(method)
    if calls and missing:
        said = " nor ".join(tree.short(call) for call in missing)
        message = f"{name} never runs {said}, which {above} runs"
        notes = (Note(base, f"runs {said}"),)
        yield Draft(message, place, (name, above, *(tree.short(m) for m in missing)), notes=notes)
    elif not calls and tree.graph.steps(method) and not _calls_base(tree, method, other):
        message = f"{name} never calls {above}, which it overrides"
        yield Draft(message, place, (name, above), notes=(Note(base, "is replaced"),))


def _leads(tree: CheckedTree, function: str, call: str) -> bool:
    return function in Cone(tree.graph, [call], by_name=False).next_step


def _calls_base(tree: CheckedTree, method: str, other: str) -> bool:
    """Tell whether an override runs the method, itself or through the functions that it calls."""
    return _leads(tree, other, method)


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
