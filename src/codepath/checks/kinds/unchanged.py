"""`unchanged`: the calls of watched functions, and their guards, must not change without a say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from codepath.checks.flips import flips
from codepath.checks.names import condition, conditions, fits, negated, required
from codepath.checks.schema import IdleError, Key, Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.answers import Guard, Place, Step
from codepath.model.checks import Draft, Fact, Note

_ASPECTS = ("guards", "added-guards", "paths", "order")
_MEANING = (
    "what may not change: `guards`, of these only that none is added or turned into its opposite (`added-guards`), "
    "`paths`, that a caller still calls them, `order`, in which of two of them one caller runs them"
)


@dataclass(frozen=True, slots=True)
class _Calls:
    """The calls of a function by one caller: those conditions that stand before all of them."""

    steps: tuple[Step, ...]
    always: tuple[str, ...]


def _watched(settings: Settings, tree: CheckedTree) -> dict[str, list[str]]:
    """Return the functions that are watched by their short names."""
    found: dict[str, list[str]] = {}
    for name in required(tree, settings["function"]):
        found.setdefault(tree.short(name), []).append(name)
    return found


def _calls(tree: CheckedTree, functions: list[str]) -> dict[str, _Calls]:
    """Return the calls of functions by the short name of their caller; tests say nothing of a start-up."""
    found: dict[str, list[Step]] = {}
    for function in functions:
        for step in tree.graph.steps_into(function):
            if step.resolution != "by-name" and step.kind != "import" and not _is_test(step.file):
                found.setdefault(tree.short(step.caller), []).append(step)
    return {caller: _Calls(tuple(steps), _common(steps)) for caller, steps in sorted(found.items())}


def _is_test(path: str) -> bool:
    *folders, name = path.split("/")
    return name.startswith("test_") or not {"test", "tests"}.isdisjoint(folders)


def _common(steps: list[Step]) -> tuple[str, ...]:
    sets = [set(conditions(step.guards)) for step in steps]
    return tuple(sorted(set.intersection(*sets)))


def _compare(settings: Settings, head: CheckedTree, base: CheckedTree) -> Iterator[Draft]:
    try:
        before = _watched(settings, base)
    except IdleError:
        return
    after = _watched(settings, head)
    for short, names in after.items():
        if short in before:
            yield from _function(settings, head, base, short, (before[short], names))
    if "order" in settings["aspects"]:
        yield from flips(head, base, before, after)


def _function(
    settings: Settings, head: CheckedTree, base: CheckedTree, short: str, names: tuple[list[str], list[str]]
) -> Iterator[Draft]:
    old, new = _calls(base, names[0]), _calls(head, names[1])
    aspects = settings["aspects"]
    for caller, calls in new.items():
        known = old.get(caller)
        if known is None:
            continue
        if "guards" in aspects or "added-guards" in aspects:
            for text in sorted(set(calls.always) - set(known.always)):
                if not any(fits(text, pattern) for pattern in settings["except"]):
                    yield _guarded(short, caller, calls, known, text)
        if "guards" in aspects:
            yield from _dropped(short, caller, calls, known)
    for caller in sorted(old.keys() - new.keys()):
        place = head.place(old[caller].steps[0].caller) or head.place(names[1][0])
        if place is not None and "paths" in settings["aspects"] and not _is_renamed(old[caller], new, old):
            message = f"{caller} no longer calls {short}"
            yield Draft(message, place, (short, caller, "lost"))


def _is_renamed(lost: _Calls, new: dict[str, _Calls], old: dict[str, _Calls]) -> bool:
    """Tell whether a caller that is new calls it under the same conditions."""
    return any(calls.always == lost.always for caller, calls in new.items() if caller not in old)


def _guarded(short: str, caller: str, calls: _Calls, known: _Calls, text: str) -> Draft:
    step = calls.steps[0]
    guard = next(g for g in step.guards if condition(g) == text)
    place = Place(guard.file, guard.line, 0, step.caller)
    inverse = [g for s in known.steps for g in s.guards if condition(g) in _negations(guard)]
    how = f"is now `{text}`, the opposite of what it was" if inverse else f"`{text}` is new"
    message = f"a guard before {short} in {caller} {how}"
    notes = (Note(Place(step.file, step.line, step.column, step.caller), f"{short} is called here"),)
    return Draft(message, place, (short, caller, text), notes=notes)


def _dropped(short: str, caller: str, calls: _Calls, known: _Calls) -> Iterator[Draft]:
    """Yield the conditions that stood before a call and stand there no more; one that is now its opposite is told already."""
    step = calls.steps[0]
    place = Place(step.file, step.line, step.column, step.caller)
    for text in sorted(set(known.always) - set(calls.always)):
        if negated(text) not in calls.always:
            message = f"the guard `{text}` before {short} in {caller} is gone"
            yield Draft(message, place, (short, caller, text, "dropped"))


def _negations(guard: Guard) -> set[str]:
    from dataclasses import replace

    return {condition(replace(guard, polarity=not guard.polarity))}


def _facts(settings: Settings, tree: CheckedTree) -> Iterator[Fact]:
    for short, names in _watched(settings, tree).items():
        calls = _calls(tree, names)
        yield Fact("paths", short, tuple(calls), tree.place(names[0]))
        for caller, found in calls.items():
            step = found.steps[0]
            place = Place(step.file, step.line, step.column, step.caller)
            yield Fact("guards", f"{short} in {caller}", found.always, place)


KIND = Kind(
    "unchanged",
    "Callers of watched functions, and the guards before their calls, must not change without a say.",
    (
        Key("function", "texts", "the functions that are watched", required=True),
        Key("aspects", "texts", _MEANING, default=("guards", "paths"), choices=_ASPECTS),
        Key("except", "texts", "conditions that may be added, as patterns"),
    ),
    None,
    _facts,
    _compare,
)
