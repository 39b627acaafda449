"""`order-contract`: an attribute is read while its object is made, before anything can have set it.

Approximates: under (a branch that may have set it before counts as having done so).
"""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.detect.construction import Construction, Early
from codepath.analysis.detect.evidence import StateDetector
from codepath.analysis.detect.families import Family
from codepath.analysis.detect.tables import Site
from codepath.model import ir
from codepath.model.checks import Note
from codepath.model.detect import Detected
from codepath.program.classes import is_private
from codepath.program.tree import ScopeInfo

KIND = "order-contract"


class Contracts(StateDetector):
    """Finds reads that come too early."""

    def everywhere(self) -> Iterator[Detected]:
        """Yield the early reads of the whole tree, each at one class: the highest on whose objects it happens."""
        return self._evidence.highest(self.of)

    def of(self, info: ScopeInfo) -> Iterator[Detected]:
        """Yield the early reads of one class."""
        family = self._families.of(info)
        if family.is_wild or self._families.is_open(info):
            return
        construction = self._constructions.of(family)
        if construction.is_whole:
            first: dict[tuple[int, str], Early] = {}
            for early in construction.early:
                first.setdefault((early.method.info.sid, early.name), early)
            found = (self._judged(family, construction, early) for early in first.values())
            yield from (one for one in found if one is not None)

    def _judged(self, family: Family, construction: Construction, early: Early) -> Detected | None:
        name = early.name
        stores = family.stored.get(name, [])
        if not stores or self._families.provides(family.cls, name) or is_private(name):
            return None
        outside = self._families.outside(family.cls)
        if name in outside.attributes or self._guard_values.is_excluded(family, early.method, early.site):
            return None
        is_later = construction.end is not None and name in construction.end.may
        is_sure = is_later or not self._families.set_from_outside(name)
        precision = "high" if is_later and is_sure and not early.is_hook else "medium"
        sites = [*early.through, *([early.site] if early.through else [])]
        if precision == "high" and any(self._is_told(site) for site in sites):
            precision = "medium"
        if outside.is_open and not early.is_hook:
            precision = "low"
        return self._detected(family, early, stores, is_later, precision)

    def _is_told(self, site: Site) -> bool:
        """Tell whether a place runs only where a local name says so: those who make the object may never say it."""
        exprs = self._families.tree.bodies.of(self._families.tree.info(site.sid)).scope.exprs
        tests = (exprs[literal.test] for literal in self._guard_values.guards(site) if literal.test >= 0)
        bare = (exprs[test.left] if isinstance(test, ir.Compare) else test for test in tests)
        return any(isinstance(test, ir.Name) for test in bare)

    def _detected(self, family: Family, early: Early, stores: list[Site], is_later: bool, precision: str) -> Detected:
        made = family.cls.id
        where = f"{early.method.info.id}" if early.through else "it"
        if is_later:
            said = f"`{where}` reads `{early.name}` before the constructor of {made} has set it"
        else:
            said = f"`{where}` reads `{early.name}` while a {made} is made, and only what runs later sets it"
        notes = [Note(self._evidence.place(site), "calls what reads it") for site in early.through]
        notes += [Note(self._evidence.place(site), "sets it") for site in stores[:2]]
        return Detected(
            kind=KIND,
            form="constructor",
            owner=family.cls.name,
            name=early.name,
            message=said.replace("`it` reads", f"the constructor of {made} reads"),
            place=self._evidence.place(early.site),
            precision=precision,
            surprise=1.0 if is_later else 0.5,
            notes=tuple(notes),
            method=early.method.info.id,
        )
