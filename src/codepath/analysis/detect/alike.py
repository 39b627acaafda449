"""Functions that do the same job: overrides of a method, alternatives in a caller, names of a pattern, versions of a class.

Where there are none of these, those beside a function whose names begin as its does, else those that do much the same.

Approximates: under (functions are taken for siblings by these signs alone).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from codepath.analysis.detect.actions import Actions
from codepath.analysis.detect.families import Families
from codepath.model import ir
from codepath.program.bodies import Body
from codepath.program.guards import Literal
from codepath.program.tree import ScopeInfo

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_VERSION = re.compile(r"_?[vV]\d+$")
_ALIKE = 0.5
_SHARED = 0.3
"""The share of what two functions beside each other do that both do, where nothing else tells siblings."""
_MOST = 40
_MOST_FILES = 40
"""A name that more files hold is no sign."""


class Sibling(NamedTuple):
    """A function and why it is taken for a sibling."""

    info: ScopeInfo
    found: str


@lru_cache(maxsize=100_000)
def words_of(name: str) -> tuple[str, ...]:
    """Return the parts of a name, lower case, digits left out."""
    return tuple(word.lower() for word in _WORD.findall(name))


def is_alike(name: str, other: str) -> bool:
    """Tell whether two names are of one pattern: at least two words in common, half of all, the first among them."""
    one, two = words_of(name), words_of(other)
    common = set(one) & set(two)
    return len(common) >= 2 and len(common) / len(set(one) | set(two)) >= _ALIKE and one[0] == two[0]


def is_variant(name: str, other: str) -> bool:
    """Tell whether one name is the other one with words more, or they differ in few of many words."""
    one, two = set(words_of(name)), set(words_of(other))
    small = min(len(one), len(two))
    return small >= 2 and (one <= two or two <= one or len(one & two) / len(one | two) >= 0.6)


class Alike:
    """Finds the siblings of functions."""

    def __init__(self, families: Families, actions: Actions) -> None:
        self._families = families
        self._tree = families.tree
        self._actions = actions

    def of(self, info: ScopeInfo) -> list[Sibling]:
        """Return a function and its siblings, by file and place behind it."""
        found: dict[int, Sibling] = {info.sid: Sibling(info, "asked")}
        for how, others in (
            ("alternative", self._alternatives(info)),
            ("override", self.overrides(info)),
            ("name", self.named_alike(info)),
            ("version", self._versions(info)),
        ):
            for other in others:
                found.setdefault(other.sid, Sibling(other, how))
        if len(found) == 1:
            found.update((one.info.sid, one) for one in self._near(info))
        rest = sorted(list(found.values())[1:], key=lambda s: (s.info.module.path, s.info.at))
        return [found[info.sid], *(s for s in rest if not self.is_stub(s.info))][:_MOST]

    def is_stub(self, info: ScopeInfo) -> bool:
        """Tell whether a function does nothing but raise, or nothing at all."""
        regions = self._tree.bodies.of(info).scope.body
        exprs = self._tree.bodies.of(info).scope.exprs
        return all(
            isinstance(r, ir.Raise)
            or (isinstance(r, ir.Do) and all(isinstance(exprs[i], ir.Const) for i in range(r.start, r.stop)))
            for r in regions
        )

    def _near(self, info: ScopeInfo) -> Iterator[Sibling]:
        """Yield the functions beside one without other siblings that share the first word of its name, else those that do
        most like it."""
        beside = [
            one
            for one in info.module.scopes
            if one.outer == info.outer
            and one.form == "function"
            and one.sid != info.sid
            and not one.id.startswith("__")
        ]
        named = [one for one in beside if words_of(one.id)[:1] == words_of(info.id)[:1]]
        if named:
            yield from (Sibling(one, "name") for one in named)
            return
        own = {action.key for action in self._actions.of(info)}
        for one in beside:
            other = {action.key for action in self._actions.of(one)}
            if len(own & other) >= _SHARED * len(own | other) > 0:
                yield Sibling(one, "body")

    # --- overrides ---------------------------------------------------------------------------------------------------

    def overrides(self, info: ScopeInfo) -> Iterator[ScopeInfo]:
        """Yield the methods of the same name in the classes below the highest class that has it."""
        owner = self._owner(info)
        if owner is None or info.id.startswith("__"):
            return
        classes = self._families.classes
        having = [sid for sid in classes.mro(owner.sid) if info.id in self._families.table(sid).methods]
        if not having:
            return
        for cls in self._tree.with_below([self._tree.info(having[-1])]):
            method = self._families.table(cls.sid).methods.get(info.id)
            if method is not None:
                yield method.info

    def _owner(self, info: ScopeInfo) -> ScopeInfo | None:
        outer = self._tree.info(info.outer) if info.outer >= 0 else None
        return outer if outer is not None and outer.form == "class" else None

    # --- names -------------------------------------------------------------------------------------------------------

    def named_alike(self, info: ScopeInfo) -> Iterator[ScopeInfo]:
        """Yield the functions beside one whose names are of its pattern."""
        if info.id.startswith("__"):
            return
        for other in info.module.scopes:
            if (
                other.outer == info.outer
                and other.form == "function"
                and other.sid != info.sid
                and is_alike(info.id, other.id)
            ):
                yield other

    def _versions(self, info: ScopeInfo) -> Iterator[ScopeInfo]:
        """Yield the method of the same name in another version of the class: `Worker` and `WorkerV2`."""
        owner = self._owner(info)
        if owner is None:
            return
        plain = _VERSION.sub("", owner.id)
        for name in (plain, *(f"{plain}{v}{n}" for v in ("V", "_v") for n in (1, 2, 3))):
            for cls in self._actions.defined(name) if name != owner.id else ():
                method = self._families.table(cls.sid).methods.get(info.id) if cls.form == "class" else None
                if method is not None:
                    yield method.info

    # --- alternatives ------------------------------------------------------------------------------------------------

    def _alternatives(self, info: ScopeInfo) -> Iterator[ScopeInfo]:
        """Yield the functions that some function calls, or hands on, where it does not do so with this one."""
        paths = self._tree.words.holding(info.id)
        for path in paths if len(paths) <= _MOST_FILES else ():
            module = self._tree.module_at(path)
            for scope in self._tree.bodies.holding(module.name, info.id) if module is not None else ():
                for names in self.choices(self._tree.bodies.of(scope)):
                    if info.id in names:
                        yield from (one for name in names if name != info.id for one in self._functions(name))

    def _functions(self, name: str) -> tuple[ScopeInfo, ...]:
        found = tuple(one for one in self._actions.defined(name) if one.form == "function")
        return found if len(found) <= 3 else ()

    def choices(self, body: Body) -> list[list[str]]:
        """Return names of functions of which a function uses one or another: with like names, under guards that exclude each
        other, or as items of one display."""
        sites = [(name, guards) for name, guards in self._references(body)]
        groups: list[list[tuple[str, tuple[Literal, ...]]]] = []
        for name, guards in sites:
            for group in groups:
                if any(n == name for n, _ in group):
                    break
                if all(exclude(guards, g) for _, g in group) and any(_shares(name, n) for n, _ in group):
                    group.append((name, guards))
                    break
            else:
                groups.append([(name, guards)])
        return [[n for n, _ in group] for group in groups if len(group) > 1] + self._assigned(body)

    def _references(self, body: Body) -> Iterator[tuple[str, tuple[Literal, ...]]]:
        for index, expr in enumerate(body.scope.exprs):
            if isinstance(expr, (ir.Attr, ir.Name)) and len(words_of(expr.id)) >= 2 and body.guards.covers(index):
                guards = body.guards.of(index)
                if guards and any(one.form == "function" for one in self._actions.defined(expr.id)):
                    yield expr.id, guards

    def _assigned(self, body: Body) -> list[list[str]]:
        """Return the names of the functions that are stored under one name by several statements, or stand in one display."""
        stored: dict[str, list[str]] = {}
        found: list[list[str]] = []
        exprs = body.scope.exprs
        for expr in exprs:
            if isinstance(expr, (ir.Bind, ir.StoreAttr)) and expr.value >= 0 and not expr.how:
                value = exprs[expr.value]
                if isinstance(value, (ir.Attr, ir.Name)):
                    stored.setdefault(expr.id, []).append(value.id)
            elif isinstance(expr, ir.Dict):
                items = [exprs[v] for v in expr.values if v >= 0]
                found.append([i.id for i in items if isinstance(i, (ir.Attr, ir.Name))])
        found += [list(dict.fromkeys(names)) for names in stored.values()]
        return [kept for names in found if len(kept := [n for n in names if self._functions(n)]) > 1]


def _shares(name: str, other: str) -> bool:
    """Tell whether two names share their first word, or two words."""
    one, two = words_of(name), words_of(other)
    return one[0] == two[0] or len(set(one) & set(two)) >= 2


def exclude(guards: Iterable[Literal], others: Iterable[Literal]) -> bool:
    """Tell whether two conditions cannot both hold: they differ in the outcome of one test."""
    told = {(one.text, one.at): one.polarity for one in guards if one.kind != "match"}
    if any(told.get((o.text, o.at), o.polarity) != o.polarity for o in others):
        return True
    cases = {one.text for one in guards if one.kind == "match"}
    other_cases = {one.text for one in others if one.kind == "match"}
    return bool(cases and other_cases) and cases.isdisjoint(other_cases)
