"""Which classes have objects, and which of their methods something runs: by the words of the tree, without its call graph.

Approximates: over (a word that is called somewhere counts for every method of that name).
"""

from __future__ import annotations

import re

from codepath.analysis.detect.families import Families, Family
from codepath.analysis.detect.guard_values import GuardValues
from codepath.analysis.detect.mentions import is_called, is_named_elsewhere
from codepath.analysis.detect.tables import Asked, Method, Site
from codepath.program.for_tests import is_test
from codepath.program.tree import ScopeInfo

_WORD = re.compile(r"[A-Za-z_]\w*")
_LEVELS = 4
"""Levels of callers by name; beyond, a way counts as clean."""


class Runs:
    """Asks about classes and methods."""

    def __init__(self, families: Families, guard_values: GuardValues) -> None:
        self._families = families
        self._guard_values = guard_values
        self._named: dict[str, bool] = {}
        self._made: dict[str, bool] = {}

    def is_made(self, info: ScopeInfo) -> bool:
        """Tell whether there can be objects of just this class: it is called, or has no subclass and is no mixin."""
        if self._is_factory(info):
            return False
        if not self._families.classes.below(info.sid):
            return not info.id.endswith("Mixin")
        if info.id not in self._made:
            tree = self._families.tree
            self._made[info.id] = any(is_called(tree.text(path), info.id) for path in tree.words.holding(info.id))
        return self._made[info.id]

    def _is_factory(self, info: ScopeInfo) -> bool:
        """Tell whether a class makes objects of others: its `__new__` calls that of no base."""
        maker = self._families.table(info.sid).methods.get("__new__")
        return maker is not None and not any(asked.method == "__new__" for asked in maker.asked)

    def readers(self, family: Family, name: str) -> list[tuple[Method, Site]]:
        """Return the reads of an attribute that can run: by methods that something runs, under no guard that fails."""
        return [
            (method, site)
            for method, site in family.reads(name)
            if self.can_run(family, method) and not self._guard_values.is_excluded(family, method, site)
        ]

    def is_forwarded(self, family: Family, method: Method) -> bool:
        """Tell whether a method of a base only runs where what replaces it calls it, under a condition of its own."""
        calls = [asked.site for _, asked in self.asking(family, method) if asked.through]
        found = self._families.method(family.cls, method.info.id)
        is_replaced = found is None or found[1] is not method
        return is_replaced and bool(calls) and all(self._guard_values.guards(site) for site in calls)

    def can_run(self, family: Family, method: Method, *, as_value: bool = True) -> bool:
        """Tell whether something runs a method: a method that can run calls it, or it is named on some other object.

        `as_value`: whether handing the method on as a value, without a call, counts.
        """
        seen: set[int] = set()
        todo = [method]
        while todo:
            one = todo.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            if self.is_way_in(family, one):
                return True
            todo += [m for owner, m in family.live if self._asks(family, owner, m, one, as_value)]
        return False

    def has_clean_way(self, name: str, words: frozenset[str]) -> bool:
        """Tell whether some chain of calls, by equal names, leads to a function under no condition that holds such words."""
        seen = {name}
        level = [name]
        for _ in range(_LEVELS):
            following: list[str] = []
            for one in level:
                sites = self._families.sites_of(one)
                if not sites:
                    return True
                for site in sites:
                    around = self._families.tree.info(site.sid)
                    texts = " ".join(guard.text for guard in self._guard_values.guards(site))
                    if words.isdisjoint(_WORD.findall(texts)) and around.id and around.id not in seen:
                        seen.add(around.id)
                        following.append(around.id)
                    elif words.isdisjoint(_WORD.findall(texts)) and around.form == "module":
                        return True
            level = following
            if not level:
                return False
        return True

    def calls(self, family: Family, method: Method) -> list[Site]:
        """Return the calls of a method by methods that can run on the same object."""
        return [asked.site for _, asked in self.asking(family, method)]

    def asking(self, family: Family, method: Method) -> list[tuple[Method, Asked]]:
        """Return the calls of a method by methods that can run on the same object, each with its method."""
        return [
            (one, asked)
            for owner, one in family.live
            for asked in one.asked
            if asked.method == method.info.id
            and (callee := self._families.called(family.cls, owner, asked)) is not None
            and callee[1] is method
        ]

    def is_way_in(self, family: Family, method: Method) -> bool:
        """Tell whether something other than the object's own methods may run a method."""
        name = method.info.id
        if name.startswith("__") or method.form == "property" or method.info.decorators:
            return True
        is_public = not name.startswith("_")
        outside = self._families.outside(family.cls)
        if is_public and (outside.is_open or name in outside.attributes or name in outside.constructor_runs):
            return True
        if is_public and not any(
            asked.method == name for _, one in (*family.live, *family.lost) for asked in one.asked
        ):
            return True  # nothing of its own calls it: others may
        return self._is_named(name)

    def is_asked(self, family: Family, method: Method) -> bool:
        """Tell whether something in sight runs a method of such an object, and not of objects of other classes alone."""
        name = method.info.id
        if name.startswith("__") or method.form == "property" or method.info.decorators:
            return True
        outside = self._families.outside(family.cls)
        if name in outside.attributes or name in outside.constructor_runs or self._is_named(name):
            return True
        return any(
            name in one.reads or any(asked.method == name for asked in one.asked)
            for owner, one in family.live
            if one is not method
        )

    def _is_named(self, name: str) -> bool:
        """Tell whether a word stands in the tree as an attribute of something else than `self`, or as a string.

        Of a private name, files of tests do not count: they look inside, and run what nothing else would.
        """
        if name not in self._named:
            tree = self._families.tree
            is_private = name.startswith("_")
            paths = (path for path in tree.words.holding(name) if not (is_private and is_test(path)))
            self._named[name] = any(is_named_elsewhere(tree.text(path), name) for path in paths)
        return self._named[name]

    def _asks(self, family: Family, owner: ScopeInfo, caller: Method, method: Method, as_value: bool) -> bool:
        if method.info.id in caller.reads and not any(a.method == method.info.id for a in caller.asked):
            return as_value
        for asked in caller.asked:
            if asked.method == method.info.id:
                found = self._families.called(family.cls, owner, asked)
                if found is not None and found[1] is method:
                    return not self._guard_values.is_excluded(family, caller, asked.site)
        return False
