"""`override-calls-super`: an override that never runs what the method that it replaces runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from codepath.analysis.bypasses import overridden
from codepath.analysis.cone import Cone
from codepath.checks.names import fits, named, required
from codepath.checks.routes import shortest, way_in
from codepath.checks.schema import IdleError, Key, Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.answers import Place
from codepath.model.checks import Draft, Note


@dataclass(frozen=True, slots=True)
class _Call:
    """What a method must run: any function of one pattern, by the name under which findings tell of it."""

    title: str
    cone: Cone


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    methods = required(tree, settings["method"])
    calls = _calls(settings, tree)
    for method in methods:
        family = (method, *overridden(tree.graph, method))
        demanded = calls or [_call(tree, method, [method])]
        demanded = [call for call in demanded if _runs(tree, method, call, family)]
        for other in family[1:]:
            if not any(fits(other, pattern) for pattern in settings["except"]):
                missing = [call for call in demanded if not _runs(tree, other, call, family)]
                yield from _override(tree, family, other, missing)


def _calls(settings: Settings, tree: CheckedTree) -> list[_Call]:
    found: Mapping[str, Sequence[str]] = {pattern: named(tree, [pattern]) for pattern in settings["calls"]}
    if found and not any(found.values()):
        raise IdleError(f"nothing in this tree is called {' or '.join(f'`{c}`' for c in found)}")
    return [_call(tree, pattern, functions) for pattern, functions in found.items() if functions]


def _call(tree: CheckedTree, pattern: str, functions: Sequence[str]) -> _Call:
    title = tree.short(functions[0]) if len(functions) == 1 else pattern.rpartition(".")[2]
    return _Call(title, Cone(tree.graph, functions, by_name=False))


def _runs(tree: CheckedTree, method: str, call: _Call, family: Sequence[str]) -> bool:
    """Tell whether a method leads to a call.

    What a method hands to others to be run, a function nested in it, runs for the objects whose method it is: those nested in
    another method of the family are followed only where that one is run too, as by `super()`.

    Approximates: over (a call under a guard counts).
    """
    leading = call.cone.next_step
    if method not in leading:
        return False
    seen, todo = {method}, [method]
    waiting: dict[str, list[str]] = {}
    while todo:
        name = todo.pop()
        if name in call.cone.targets:
            return True
        callees = [step.callee for step in tree.graph.steps(name) if step.resolution != "by-name"]
        for callee in (*callees, *waiting.pop(name, ())):
            maker = next((one for one in family if callee.startswith(f"{one}.")), None)
            if maker is not None and maker not in seen:
                waiting.setdefault(maker, []).append(callee)
            elif callee not in seen and (callee in leading or callee in family):
                seen.add(callee)
                todo.append(callee)
    return False


def _site(tree: CheckedTree, family: Sequence[str], call: _Call) -> Place | None:
    """Return where a method leads to a call: the last place on the way that is its own or of a function nested in it."""
    method, others = f"{family[0]}.", tuple(f"{one}." for one in family[1:])
    way = shortest(
        tree, family[0], call.cone.targets, [name for name in call.cone.functions() if name.startswith(others)]
    )
    own = [step for step in way or () if f"{step.caller}.".startswith(method)]
    return Place(own[-1].file, own[-1].line, own[-1].column, own[-1].caller) if own else None


def _override(tree: CheckedTree, family: Sequence[str], other: str, missing: Sequence[_Call]) -> Iterator[Draft]:
    method = family[0]
    place, base = tree.place(other), tree.place(method)
    if place is None or base is None or not missing:
        return
    name, above = tree.short(other), tree.short(method)
    titles = [call.title for call in missing]
    if titles == [above]:
        if tree.graph.steps(method):  # a method that does nothing need not be called
            message = f"{name} never calls {above}, which it overrides"
            yield Draft(message, place, (name, above), notes=(Note(base, "is replaced"),))
        return
    said = " nor ".join(titles)
    message = f"{name} never runs {said}, which {above} runs"
    notes = tuple(Note(_site(tree, family, call) or base, f"{above} runs {call.title}") for call in missing)
    help = f"call super().{method.rpartition('.')[2]}(...), or run {said}"
    yield Draft(message, place, (name, above, *titles), notes=notes, steps=way_in(tree, other), help=help)


KIND = Kind(
    "override-calls-super",
    "An override must run what the method that it replaces runs.",
    (
        Key("method", "texts", "the methods whose overrides are looked at", required=True),
        Key(
            "calls",
            "texts",
            "what an override must run where the method does, any function of each pattern; "
            "the method itself where it is absent",
        ),
        Key("except", "texts", "overrides that need not"),
    ),
    _find,
)
