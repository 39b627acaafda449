"""`missing-hook`: a registered class lacks an attribute that code looks up on it, although what it makes has it.

Forms: `made`: the class makes an object of a class that has the attribute, and gives none itself. `unlike`: nearly all classes
that have a base or a part in common with it have one. Where code takes another way for what is lacking, that may be meant.

A wrapper, a class that hands on the methods of what it holds, is told by `protocols.py`.

Approximates: under (only look-ups on members of a registry, and attributes that class bodies bind); over (what the class makes
may never be what the look-up is about).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from codepath.analysis.detect.protocols import asked_too, hurts
from codepath.analysis.detect.tree import DetectTree
from codepath.analysis.hooks import Hooks
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.checks import PRECISIONS, Note
from codepath.model.detect import Detected
from codepath.model.hooks import Holder, HookAnswer, StoredLookup

KIND = "missing-hook"
_METHODS = frozenset(["method", "classmethod", "staticmethod"])
_SHARE = 0.9
_FEWEST = 5
_MOST_NOTES = 3


class MissingHooks:
    """Finds the classes of registries that lack a hook."""

    def __init__(self, tree: DetectTree, hooks: Hooks) -> None:
        self._tree = tree
        self._hooks = hooks
        self._shares: dict[str, float] = {}

    def everywhere(self, least: str = PRECISIONS[-1]) -> Iterator[Detected]:
        """Yield what is lacking, of a change what it touches.

        Where `least` is `high`, what differs from others alone is left out: it is never that sure.
        """
        facts = self._hooks.facts
        facts.fetch(facts.hooks)
        for hook in (hook for hook in facts.hooks if not hook.startswith("_")):
            lookups = self._on_members(hook)
            answer = self._hooks.one(hook) if lookups and self._may_be_asked(hook, lookups) else None
            if answer is not None and answer.have and answer.lack:
                yield from self._lacking(answer, lookups, least)

    def _may_be_asked(self, hook: str, lookups: Sequence[StoredLookup]) -> bool:
        """Tell whether a change touches a look-up of a hook, what gives it, or any class of a registry."""
        if self._tree.within is None or self._touches_a_member:
            return True
        facts = self._hooks.facts
        given = ((facts.by_name.get(owner), member.at) for owner, member in facts.members(hook).items())
        places = [*((x.file, x.at) for x in lookups), *((cls.file, at) for cls, at in given if cls is not None)]
        return any(self._tree.is_asked(file, ir.line_of(at), ir.line_of(at)) for file, at in places)

    @cached_property
    def _touches_a_member(self) -> bool:
        facts, within = self._hooks.facts, self._tree.within
        names = {one.name for members in facts.registered.values() for one in members}
        near = (name for name in names if name in facts.by_name and within and facts.by_name[name].file in within)
        found = (self._tree.bodies.scope(name) for name in near)
        return any(i and self._tree.is_asked(i.module.path, ir.line_of(i.at), ir.line_of(i.end)) for i in found)

    def _on_members(self, hook: str) -> list[StoredLookup]:
        """Return the look-ups of a name on members of registries, and on nothing else that is known."""
        found = self._hooks.facts.lookups(hook)
        return [one for one in found if any(r.kind == "registry" for r in one.receivers) and one.text != "self"]

    def _lacking(self, answer: HookAnswer, lookups: Sequence[StoredLookup], least: str) -> Iterator[Detected]:
        hurting = [(lookup, asked_too(self._hooks, lookup)) for lookup in lookups if hurts(self._tree, lookup)]
        wanted = [one for one in answer.classes if one.has is False and (one.wraps or least != PRECISIONS[0])]
        for holder in wanted if hurting else ():
            meeting = [x for x, names in hurting if not any(self._hooks.has(holder.cls, n) is False for n in names)]
            if not meeting or self._hooks.has_variant(holder, answer.classes):
                continue
            find = self._made if holder.wraps else self._unlike
            found = find(answer, holder, meeting)
            if found is not None and self._is_asked(found):
                yield found

    def _made(self, answer: HookAnswer, holder: Holder, lookups: Sequence[StoredLookup]) -> Detected | None:
        inner = self._hooks.holder(holder.wraps, answer.hook, "instance")
        how = inner.provider.how if inner.provider is not None else ""
        if inner.provider is None or how not in (*_METHODS, "property"):
            return None
        asking = [x for x in lookups if x.style != "call" and x.if_missing == "skipped"]
        made = Note(inner.provider.place, f"{_last(holder.wraps)}, which {_last(holder.cls)} makes, has it")
        first = (asking or lookups)[0]
        message = (
            f"{_last(holder.cls)} has no `{answer.hook}` and makes a {_last(holder.wraps)}, which has it; "
            f"`{_last(first.function)}` {_then(first)}"
        )
        return self._detected(
            "made",
            answer.hook,
            holder,
            message,
            PRECISIONS[(how not in _METHODS) + (not asking)],
            self._share(answer),
            (made, *self._notes(answer.hook, asking or lookups)),
        )

    def _share(self, answer: HookAnswer) -> float:
        """Return which share hand a hook on, of the classes that make one with it."""
        if answer.hook not in self._shares:
            having = (one for one in answer.classes if one.has)
            handing = sum(1 for one in having if self._hooks.makes_one_with(one.cls, answer.hook))
            lacking = sum(1 for one in answer.classes if one.has is False and one.wraps)
            self._shares[answer.hook] = handing / max(handing + lacking, 1)
        return self._shares[answer.hook]

    def _unlike(self, answer: HookAnswer, holder: Holder, lookups: Sequence[StoredLookup]) -> Detected | None:
        if holder.like_total < _FEWEST or holder.like_have < _SHARE * holder.like_total:
            return None
        if not any(one.provider is not None and one.provider.how in _METHODS for one in answer.classes):
            return None
        message = (
            f"{_last(holder.cls)} has no `{answer.hook}`, as {holder.like_have} of {holder.like_total} classes with "
            f"{_last(holder.like)} do; `{_last(lookups[0].function)}` {_then(lookups[0])}"
        )
        share = holder.like_have / holder.like_total
        return self._detected(
            "unlike", answer.hook, holder, message, "medium", share, self._notes(answer.hook, lookups)
        )

    def _notes(self, hook: str, lookups: Sequence[StoredLookup]) -> tuple[Note, ...]:
        return tuple(Note(_place(lookup), f"looks up {hook}") for lookup in lookups[:_MOST_NOTES])

    def _detected(
        self,
        form: str,
        hook: str,
        holder: Holder,
        message: str,
        precision: str,
        surprise: float,
        notes: tuple[Note, ...],
    ) -> Detected:
        place = Place(holder.file, holder.line, 0, holder.cls)
        return Detected(KIND, form, holder.cls, hook, message, place, precision, round(surprise, 2), notes)

    def _is_asked(self, found: Detected) -> bool:
        """Tell whether a change touches the class, what it makes that has the attribute, or a look-up."""
        if self._tree.within is None:
            return True
        info = self._tree.bodies.scope(found.owner)
        places = [(note.place.file, note.place.line, note.place.line) for note in found.notes]
        if info is not None:
            places.append((info.module.path, ir.line_of(info.at), ir.line_of(info.end)))
        return any(self._tree.is_asked(*place) for place in places)


def _then(lookup: StoredLookup) -> str:
    return "fails without" if lookup.if_missing == "raises" else "goes on without"


def _place(lookup: StoredLookup) -> Place:
    return Place(lookup.file, ir.line_of(lookup.at), ir.column_of(lookup.at), lookup.function)


def _last(name: str) -> str:
    return name.rpartition(".")[2]
