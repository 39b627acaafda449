"""What a class itself makes, and not a sibling that hands a class to the constructor of a base they share.

A base that makes `inner_cls()`, a parameter, makes in its rows what any class below it passes. An object of a class makes of
these only those that its own classes name, or that something names which they make.

Approximates: over (a class that none of the siblings names either counts as made).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from codepath.model.hooks import Holder, StoredClass
from codepath.program.hook_facts import HookFacts

NamesOf = Callable[[str], frozenset[str]]
"""Gives the last words of the names and attributes that a function or class body mentions."""


class Handed:
    """Tells which of the classes that a class can make come from elsewhere."""

    def __init__(self, facts: HookFacts, names_of: NamesOf) -> None:
        self._facts = facts
        self._names_of = names_of

    def is_siblings(self, cls: str, made: str, makes: Iterable[str]) -> bool:
        """Tell whether only a sibling of a class hands the class that it makes over; `makes` are all that it can make."""
        info = self._facts.by_name.get(cls)
        if info is None:
            return False
        own = list(self._facts.order(info))
        last = _last(made)
        if self._is_named(last, own, [m for m in makes if m != made]):
            return False
        names = {c.name for c in own}
        below = {c.name: c for base in own for c in self._facts.below(base.name)}
        return any(last in self._mentioned(c.name) for name, c in sorted(below.items()) if name not in names)

    def _is_named(self, last: str, own: Sequence[StoredClass], makes: Sequence[str]) -> bool:
        left = {_last(m): m for m in makes}
        todo = [c.name for c in own]
        while todo:
            mentioned = self._mentioned(todo.pop())
            if last in mentioned:
                return True
            todo += [left.pop(word) for word in sorted(mentioned & left.keys())]
        return False

    def _mentioned(self, cls: str) -> frozenset[str]:
        return self._names_of(cls) | self._names_of(f"{cls}.__init__")


def has_variant(facts: HookFacts, holder: Holder, holders: Iterable[Holder]) -> bool:
    """Tell whether a class without a hook has a variant that gives it itself: one below it, or beside it in its module."""
    info = facts.by_name.get(holder.cls)
    if info is None:
        return False
    bases = {c.name for c in facts.order(info)[1:]}
    below = {c.name for c in facts.below(holder.cls)} - {holder.cls}
    for one in holders:
        if not one.has or one.provider is None or one.provider.cls != one.cls or one.cls == holder.cls:
            continue
        other = facts.by_name.get(one.cls)
        beside = (
            other is not None and one.file == holder.file and not bases.isdisjoint(c.name for c in facts.order(other))
        )
        if one.cls in below or beside:
            return True
    return False


def _last(name: str) -> str:
    return name.rpartition(".")[2]
