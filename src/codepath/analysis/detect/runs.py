"""Which classes have objects, and which of their methods something runs: by the words of the tree, without its call graph.

Approximates: over (a word that is called somewhere counts for every method of that name).
"""

from __future__ import annotations

import re

from codepath.analysis.detect.families import Families, Family
from codepath.analysis.detect.known import Known
from codepath.analysis.detect.tables import Method, Site
from codepath.program.tree import ScopeInfo


class Runs:
    """Asks about classes and methods."""

    def __init__(self, families: Families, known: Known) -> None:
        self._families = families
        self._known = known
        self._named: dict[str, bool] = {}
        self._made: dict[str, bool] = {}

    def is_made(self, info: ScopeInfo) -> bool:
        """Tell whether there can be objects of just this class: it is called or has no subclass."""
        if not self._families.classes.below(info.sid):
            return True
        if info.id not in self._made:
            call = re.compile(rb"(?<!class )\b" + re.escape(info.id).encode() + rb"\(")
            tree = self._families.tree
            self._made[info.id] = any(call.search(tree.read(path)) for path in tree.words.holding(info.id))
        return self._made[info.id]

    def readers(self, family: Family, name: str) -> list[tuple[Method, Site]]:
        """Return the reads of an attribute that can run: by methods that something runs, under no guard that fails."""
        return [
            (method, site)
            for method, site in family.reads(name)
            if self.can_run(family, method) and not self._known.is_excluded(family, method, site)
        ]

    def can_run(self, family: Family, method: Method) -> bool:
        """Tell whether something runs a method: a method that can run calls it, or it is named on some other object."""
        seen: set[int] = set()
        todo = [method]
        while todo:
            one = todo.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            if self._is_way_in(family, one):
                return True
            todo += [m for owner, m in family.live if self._asks(family, owner, m, one)]
        return False

    def _is_way_in(self, family: Family, method: Method) -> bool:
        name = method.info.id
        if name.startswith("__") or method.form == "property" or method.info.decorators:
            return True
        is_public = not name.startswith("_")
        if is_public and self._families.classes.outside_bases(family.cls.sid):
            return True
        return self._is_named(name)

    def _is_named(self, name: str) -> bool:
        """Tell whether a word stands in the tree as an attribute of something else than `self`, or as a string."""
        if name not in self._named:
            word = re.escape(name).encode()
            other = re.compile(rb"(?<!\bself)(?<!\bsuper\(\))\.\s*" + word + rb"\b|[\"']" + word + rb"[\"']")
            tree = self._families.tree
            self._named[name] = any(other.search(tree.read(path)) for path in tree.words.holding(name))
        return self._named[name]

    def _asks(self, family: Family, owner: ScopeInfo, caller: Method, method: Method) -> bool:
        if method.info.id in caller.reads and not any(a.method == method.info.id for a in caller.asked):
            return True  # handed on as a value
        for asked in caller.asked:
            if asked.method == method.info.id:
                found = self._families.called(family.cls, owner, asked)
                if found is not None and found[1] is method:
                    return not self._known.is_excluded(family, caller, asked.site)
        return False
