"""`guard-mismatch`: an attribute is set under one condition and read under another that does not imply it.

Forms: `read`: the constructor sets an attribute under some condition, and a read does not imply it. `operand`: what is done
with an attribute stands under `a or b` at one place and under `a or b or c` at another. A read is of high precision where it
stands under an alternative more, or asks for a part of the condition alone while another read asks for all of it.

Approximates: under (a condition that asks about the attribute itself is enough; callers that are found by equal names alone may
hold the condition).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from codepath.analysis.detect.choices_of import is_process_wide, process_wide_parts
from codepath.analysis.detect.construction import Construction
from codepath.analysis.detect.evidence import Evidence, StateDetector
from codepath.analysis.detect.families import Family
from codepath.analysis.detect.formulas import (
    ALWAYS,
    Formula,
    alternatives,
    atoms,
    conjuncts,
    disjunction,
    implies,
    of_expression,
    said,
)
from codepath.analysis.detect.tables import Method, Site
from codepath.model import ir
from codepath.model.checks import PRECISIONS, Note
from codepath.model.detect import Detected
from codepath.program.classes import is_private
from codepath.program.tree import ScopeInfo

KIND = "guard-mismatch"
_OPERANDS = "medium"
"""The precision of what is said of operands."""
_RAISING = frozenset(["assert", "early-raise"])
"""Guards without which there is no object."""
_MOST_NOTES = 3
_WORD = re.compile(r"[A-Za-z_]\w*")
_LAST = re.compile(r"[A-Za-z_]\w*\b(?!\.)")
"""Words that are not the owner of an attribute."""


@dataclass(frozen=True)
class Use:
    """What a place does with an attribute: `store`, `read`, or the method that it calls on it; and when it runs."""

    what: str
    method: Method
    site: Site
    when: Formula


class Mismatches(StateDetector):
    """Finds reads under too little; those below the precision `least` are left out, since each costs a look at its callers."""

    def __init__(self, evidence: Evidence, least: str = PRECISIONS[-1]) -> None:
        super().__init__(evidence)
        self._least = PRECISIONS.index(least)

    def everywhere(self) -> Iterator[Detected]:
        """Yield the mismatches of the whole tree, each at the first class that has it."""
        return self._evidence.highest(self.of)

    def of(self, info: ScopeInfo) -> Iterator[Detected]:
        """Yield the mismatches of one class."""
        family = self._families.of(info)
        if self._least >= PRECISIONS.index(_OPERANDS):
            for name in sorted(family.stored):
                yield from self._operands(family, name)
        if family.is_wild or self._families.is_open(info):
            return
        construction = self._constructions.of(family)
        end = construction.end
        if end is not None and construction.is_whole:
            for name in sorted(end.may - end.must):
                if not self._families.provides(info, name) and not is_private(name):
                    yield from self._reads(family, construction, name)

    def uses(self, info: ScopeInfo, name: str) -> list[Use]:
        """Return what objects of a class do with an attribute, by place."""
        family = self._families.of(info)
        found = []
        for _, method in family.live:
            stores = ((s, "store") for s in method.stores.get(name, ()))
            reads = ((s, self._called(s) or "read") for s in method.reads.get(name, ()))
            found += [Use(what, method, s, self._when.of(family, method, s)) for s, what in (*stores, *reads)]
        return sorted(found, key=lambda use: (use.method.info.module.path, use.site.at))

    # --- set under more than it is read under ------------------------------------------------------------------------

    def _reads(self, family: Family, construction: Construction, name: str) -> Iterator[Detected]:
        stores = self._stores(family, name)
        if any(m.info.sid not in construction.entered for m, _ in stores) or not stores:
            return
        needed = disjunction(self._when.of(family, m, site, left_out=_RAISING) for m, site in stores)
        if needed == ALWAYS:
            return
        uses = [
            Use("read", m, site, self._when.of(family, m, site))
            for m, site in self._runs.readers(family, name)
            if m.info.sid not in construction.entered and not self._asks(site, name)
        ]
        kept = [use for use in uses if implies(use.when, needed)]
        broken = [u for u in uses if not implies(u.when, needed) and not self._is_switched(family, u, needed)]
        if not broken or self._families.set_from_outside(name):
            return
        is_process_wide = all(self._is_process_wide(site) for _, site in stores)
        machine = frozenset(text for _, site in stores for text in self._process_wide(site))
        words = frozenset(_LAST.findall(said(needed)))
        methods = {use.method.info.sid: use for use in reversed(broken)}
        for use in methods.values():
            precision = "medium" if is_process_wide else self._judged(use, needed, kept, len(broken), machine)
            is_asked = PRECISIONS.index(precision) <= self._least
            if is_asked and self._runs.has_clean_way(use.method.info.id, words):
                yield self._mismatch(family, name, use, needed, stores[0][1], kept, precision)

    def _is_switched(self, family: Family, use: Use, needed: Formula) -> bool:
        """Tell whether a read asks for an attribute that has such a value only where what is needed held.

        self.disabled = True
        if not library: return
        self.limit = 8
        self.disabled = False       # and the read stands under `not self.disabled`
        """
        return any(
            bool(giving := [(m, s) for m, s in self._stores(family, name) if self._guard_values.may_store(s, value)])
            and all(implies(self._when.of(family, m, s, left_out=_RAISING), needed) for m, s in giving)
            for name, value in self._guard_values.asked_of_own(use.site)
        )

    def _stores(self, family: Family, name: str) -> list[tuple[Method, Site]]:
        return [(m, site) for _, m in family.live for site in m.stores.get(name, ())]

    def _is_process_wide(self, site: Site) -> bool:
        """Tell whether what the guards of a store ask about, such as the platform, is the same for the whole process."""
        scope = self._families.tree.bodies.of(self._families.tree.info(site.sid)).scope
        asked = [one for one in self._guard_values.guards(site) if one.kind not in _RAISING]
        return bool(asked) and all(is_process_wide(scope, one.test) for one in asked)

    def _process_wide(self, site: Site) -> Iterator[str]:
        """Yield the atoms of the guards of a store that are the same for the whole process."""
        scope = self._families.tree.bodies.of(self._families.tree.info(site.sid)).scope
        for one in self._guard_values.guards(site):
            for part in process_wide_parts(scope, one.test) if one.test >= 0 else ():
                yield from atoms(of_expression(scope, part))

    def _judged(self, use: Use, needed: Formula, kept: list[Use], broken: int, machine: frozenset[str]) -> str:
        """Return the precision of a read that does not imply what is needed: by how it differs, and from how many others.

        `machine` are the atoms that are the same for the whole process.
        """
        shared = set(atoms(use.when)) & set(atoms(needed))
        more = any(set(atoms(needed)) & one and one - set(atoms(needed)) for one in alternatives(use.when))
        if shared and (more or _asks_in_part(self._when.own(use.site), needed, kept, machine)):
            return "high"
        return "medium" if shared or len(kept) >= broken else "low"

    def _asks(self, site: Site, name: str) -> bool:
        """Tell whether a guard of a site asks about the attribute itself."""
        return any(name in _WORD.findall(literal.text) for literal in self._guard_values.guards(site))

    def _mismatch(
        self, family: Family, name: str, use: Use, needed: Formula, store: Site, kept: list[Use], precision: str
    ) -> Detected:
        own = self._when.own(use.site)
        is_part = frozenset() < {*conjuncts(own)} < {*conjuncts(needed)}
        when = own if is_part else use.when  # what callers ask for besides is of no matter then
        under = f"under `{said(when)}`" if when != ALWAYS else "under no condition"
        message = (
            f"{family.cls.id} sets `{name}` only under `{said(needed)}`, and `{use.method.info.id}` reads it {under}"
        )
        notes = [Note(self._evidence.place(store), "sets it")]
        notes += [
            Note(self._evidence.place(one.site), f"{one.method.info.id} reads it under that")
            for one in kept[:_MOST_NOTES]
        ]
        return Detected(
            kind=KIND,
            form="read",
            owner=family.cls.name,
            name=name,
            message=message,
            place=self._evidence.place(use.site),
            precision=precision,
            surprise=round(len(kept) / (len(kept) + 1), 2),
            notes=tuple(notes),
            method=use.method.info.id,
        )

    # --- an operand that is missing ----------------------------------------------------------------------------------

    def _operands(self, family: Family, name: str) -> Iterator[Detected]:
        calls = [
            (Use(what, m, site, own), one)
            for _, m in family.live
            for site in m.reads.get(name, ())
            if (what := self._called(site))
            for own in (self._when.own(site),)
            for one in alternatives(own)
        ]
        for use, one in calls:
            larger = [(other, two) for other, two in calls if one < two and len(one) >= 2 and other.what != use.what]
            if larger and not any(two == one and other.what != use.what for other, two in calls):
                yield self._operand(family, name, use, one, larger)

    def _operand(
        self, family: Family, name: str, use: Use, one: frozenset[str], larger: list[tuple[Use, frozenset[str]]]
    ) -> Detected:
        other, two = max(larger, key=lambda pair: len(pair[1]))
        missing = " or ".join(f"`{text}`" for text in sorted(two - one))
        message = (
            f"{family.cls.id} calls `{name}.{use.what}` where {_listed(one)}, and `{name}.{other.what}` "
            f"also where {missing}"
        )
        notes = [
            Note(self._evidence.place(o.site), f"calls {name}.{o.what} where {_listed(t)}")
            for o, t in larger[:_MOST_NOTES]
        ]
        return Detected(
            kind=KIND,
            form="operand",
            owner=family.cls.name,
            name=name,
            message=message,
            place=self._evidence.place(use.site),
            precision=_OPERANDS,
            surprise=round(len(larger) / (len(larger) + 1), 2),
            notes=tuple(notes),
            method=use.method.info.id,
        )

    def _called(self, site: Site) -> str:
        """Return the method that is called on what is read, "" where none is."""
        exprs = self._families.tree.bodies.of(self._families.tree.info(site.sid)).scope.exprs
        for index in range(site.expr + 1, min(site.expr + 3, len(exprs))):
            expr = exprs[index]
            if isinstance(expr, ir.Attr) and expr.value == site.expr:
                called = any(isinstance(e, ir.Call) and e.func == index for e in exprs[index : index + 200])
                return expr.id if called else ""
        return ""


def _listed(names: frozenset[str]) -> str:
    return " or ".join(f"`{name}`" for name in sorted(names))


def _asks_in_part(own: Formula, needed: Formula, kept: list[Use], machine: frozenset[str]) -> bool:
    """Tell whether a read asks in its function for some of several conditions that are needed, and for nothing else.

    Another read must ask for each of them. What else a read asks for may imply the rest, elsewhere, and of `machine`, the atoms
    that are the same for the whole process, whoever calls may know.
    """
    every = frozenset(conjuncts(needed))
    asked = frozenset(conjuncts(own))
    is_chosen = any(not machine.issuperset(atoms(one)) for one in every - asked)
    return bool(asked) and asked < every and is_chosen and any(every <= {*conjuncts(one.when)} for one in kept)
