"""`hook-required`: classes that code looks an attribute up on must have it."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.checks.names import fits
from codepath.checks.schema import IdleError, Key, Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.answers import Place
from codepath.model.checks import Draft, Fact, Note
from codepath.model.hooks import Holder, HookAnswer

_MAX_NOTES = 3


def _answers(settings: Settings, tree: CheckedTree) -> Iterator[tuple[str, HookAnswer]]:
    found = False
    for hook in settings["hook"]:
        answer = tree.hooks.one(hook, "", settings["within"])
        if answer is not None and (answer.lookups or settings["within"]):
            found = True
            yield hook, answer
    if not found:
        raise IdleError(f"nothing in this tree looks up {' or '.join(f'`{h}`' for h in settings['hook'])}")


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    for hook, answer in _answers(settings, tree):
        notes = tuple(Note(lookup.place, f"looks up {hook}") for lookup in answer.lookups[:_MAX_NOTES])
        for holder in answer.classes:
            if holder.has is False and _is_meant(settings, tree, holder, answer):
                name = holder.cls.rpartition(".")[2]
                wraps = f"; it makes a {holder.wraps.rpartition('.')[2]}, which has it" if holder.wraps else ""
                message = f"{name} has no {hook}{wraps}"
                yield Draft(message, Place(holder.file, holder.line, 0, holder.cls), (name, hook), notes=notes)


def _compare(settings: Settings, head: CheckedTree, base: CheckedTree) -> Iterator[Draft]:
    """Yield the classes that had an attribute in the base and lack it now; those that a rule means anyway are told by it."""
    try:
        before = {(hook, _last(h)): h for hook, answer in _answers(settings, base) for h in answer.classes if h.has}
    except IdleError:
        return
    for hook, answer in _answers(settings, head):
        for holder in answer.classes:
            excused = any(fits(holder.cls, pattern) for pattern in settings["except"])
            known = before.get((hook, _last(holder)))
            if holder.has is not False or known is None or excused or _is_meant(settings, head, holder, answer):
                continue
            name = _last(holder)
            place = Place(holder.file, holder.line, 0, holder.cls)
            yield Draft(f"{name} no longer has {hook}", place, (name, hook, "lost"))


def _last(holder: Holder) -> str:
    return holder.cls.rpartition(".")[2]


def _is_meant(settings: Settings, tree: CheckedTree, holder: Holder, answer: HookAnswer) -> bool:
    fitting = tree.hooks.fits
    if any(fits(holder.cls, pattern) for pattern in settings["except"]):
        return False
    if any(fitting(holder.cls, f"attribute:{name}") for name in settings["unless"]):
        return False
    kinds = settings["family"]
    if not kinds and not settings["wrapping"]:
        return True
    if any(fitting(holder.cls, kind) for kind in kinds):
        return True
    return settings["wrapping"] and bool(holder.wraps) and not tree.hooks.has_variant(holder, answer.classes)


def _facts(settings: Settings, tree: CheckedTree) -> Iterator[Fact]:
    for hook, answer in _answers(settings, tree):
        for holder in answer.classes:
            if holder.has is not None:
                name = holder.cls.rpartition(".")[2]
                place = holder.provider.place if holder.provider is not None else None
                meant = not holder.has and _is_meant(settings, tree, holder, answer)
                state = "has it" if holder.has else "lacks it" if meant else "is without it"
                yield Fact("hook", f"{name}.{hook}", (state,), place or Place(holder.file, holder.line, 0, holder.cls))


KIND = Kind(
    "hook-required",
    "A class on which code looks an attribute up must have it.",
    (
        Key("hook", "texts", "the attributes", required=True),
        Key(
            "family", "texts", "which classes are meant: as `codepath hooks --family` takes it; all where it is absent"
        ),
        Key(
            "wrapping",
            "flag",
            "also the classes that make an object of a class that has the attribute, and have no variant that gives it itself",
        ),
        Key("within", "text", "a class: it and those below it alone"),
        Key("unless", "texts", "attributes any of which excuses a class"),
        Key("except", "texts", "classes that need not have it"),
    ),
    _find,
    _facts,
    _compare,
)
