"""`override-gap`: what a class loses by a method that replaces one of its base and never calls it.

Attributes that only the replaced method sets and a method that still runs reads; and reads by a method of another class that is
called with this class's `self` (`foreign-self`).

Approximates: under (an attribute that anything may set counts as set: a method that can be called, a store on some other object
under that name, a name made at run time); over (the reading method may never run on such an object).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from codepath.analysis.detect.choosing import asks_object
from codepath.analysis.detect.evidence import Evidence
from codepath.analysis.detect.families import CONSTRUCTORS, Family
from codepath.analysis.detect.sifted import is_sifted
from codepath.analysis.detect.tables import Method, Site
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.checks import Note
from codepath.model.detect import Detected
from codepath.program.classes import is_private
from codepath.program.tree import ScopeInfo

KIND = "override-gap"
_MAX_NOTES = 4
_USUAL = 3
"""Where so many classes lose the same, that is how the family works."""
_MOST_LOST = 5
"""A class that loses more than this by one method does not stand in for its base where that matters."""
_FEW = 3
"""A lost method that sets no more than this does not tell a wrapper from a substitute."""
_REPEATED = 0.3
"""The share of a lost method's attributes that a class must set itself for the others to be surprising."""


class Overrides:
    """Finds what classes lose."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._families = evidence.families
        self._guard_values = evidence.guard_values
        self._runs = evidence.runs

    def everywhere(self) -> Iterator[Detected]:
        """Yield what is lost in the whole tree, on classes of which there can be objects."""
        made = self._evidence.made()
        found = [one for info in self._families.tree.each(made) for one in self.of(info)]
        beside = (one for info in self._evidence.beside(found, made) for one in self.of(info))
        alike = Counter((one.base, one.method, one.name) for one in (*found, *beside))
        for one in found:
            is_usual = one.form == "attribute" and alike[one.base, one.method, one.name] >= _USUAL
            yield replace(one, precision="medium") if is_usual and one.precision == "high" else one

    def of(self, info: ScopeInfo) -> Iterator[Detected]:
        """Yield what one class loses."""
        family = self._families.of(info)
        if family.is_wild_itself or self._families.is_open(info):
            return
        for one in (*self._lost(family), *self._foreign(family)):
            yield replace(one, precision="medium") if family.is_wild and one.precision == "high" else one

    # --- attributes --------------------------------------------------------------------------------------------------

    def _lost(self, family: Family) -> Iterator[Detected]:
        setting: dict[str, list[tuple[ScopeInfo, Method, Site]]] = {}
        for owner, method in family.lost:
            for name, sites in method.stores.items():
                setting.setdefault(name, []).append((owner, method, sites[0]))
        missing = {name: stores for name, stores in setting.items() if not self._is_there(family, name)}
        needed = {name: self._runs.readers(family, name) for name in missing}
        counts = Counter(missing[name][0][1].info.sid for name, readers in needed.items() if readers)
        for name, stores in sorted(missing.items()):
            readers = sorted(needed[name], key=lambda pair: not self._is_plain(family, *pair))
            is_set = self._families.set_from_outside(name)
            if readers:
                lost = stores[0][1]
                is_substitute = counts[lost.info.sid] <= _MOST_LOST and (
                    len(lost.stores) <= _FEW or self._repeated(family, lost) >= _REPEATED
                )
                is_sure = self._is_plain(family, *readers[0]) and is_substitute and not self._is_renounced(family, lost)
                yield self._attribute(family, name, stores, readers, "high" if is_sure and not is_set else "medium")
            elif (read := self._families.read_from_outside(name)) is not None:
                is_chosen = asks_object(self._families.tree.bodies, read, name)
                yield self._read_elsewhere(family, name, stores, read, "low" if is_set or is_chosen else "medium")

    def _is_plain(self, family: Family, reader: Method, site: Site) -> bool:
        """Tell whether a read happens as a matter of course: no default switches it off, and its method is no forwarding."""
        forwarded = self._runs.is_forwarded(family, reader)
        is_run = reader.form == "method" or (reader.form == "property" and self._is_read(family, reader.info.id))
        return is_run and not forwarded and not self._guard_values.is_off(site)

    def _is_read(self, family: Family, name: str) -> bool:
        """Tell whether a method reads an attribute of its own object under no condition."""
        sites = (site for _, m in family.live if m.form == "method" for site in m.reads.get(name, ()))
        return any(not self._guard_values.guards(site) for site in sites)

    def _is_renounced(self, family: Family, lost: Method) -> bool:
        """Tell whether a method other than the constructor is replaced by one that does nothing: the class goes without."""
        mine = self._families.method(family.cls, lost.info.id)
        if mine is None or lost.info.id in CONSTRUCTORS:
            return False
        exprs = self._families.tree.bodies.of(mine[1].info).scope.exprs
        return not any(isinstance(expr, ir.Call) for expr in exprs)

    def _repeated(self, family: Family, lost: Method) -> float:
        """Return which share of the attributes that a lost method sets the class sets after all.

        A class that repeats most of them means to stand in for its base and forgot one; one that repeats none is a wrapper.
        """
        return sum(1 for name in lost.stores if name in family.stored) / max(len(lost.stores) - 1, 1)

    def _is_there(self, family: Family, name: str) -> bool:
        is_set = any(not self._asks_itself(site, name) for site in family.stored.get(name, ()))
        return is_set or is_private(name) or self._families.provides(family.cls, name)

    def _asks_itself(self, site: Site, name: str) -> bool:
        """Tell whether a store runs only after a condition has read the attribute, which fails where there is none."""
        texts = [literal.text for literal in self._guard_values.guards(site)]
        own = re.compile(rf"\bself\.{re.escape(name)}\b")
        return any(own.search(text) and "hasattr" not in text and "getattr" not in text for text in texts)

    def _attribute(
        self,
        family: Family,
        name: str,
        stores: list[tuple[ScopeInfo, Method, Site]],
        readers: list[tuple[Method, Site]],
        precision: str,
    ) -> Detected:
        reader, read = readers[0]
        found = self._detected(family, name, stores, f"`{reader.info.id}` reads", self._evidence.place(read), precision)
        notes = [Note(self._evidence.place(site), f"{m.info.id} reads it") for m, site in readers[1:_MAX_NOTES]]
        return replace(found, notes=(*found.notes, *notes))

    def _read_elsewhere(
        self, family: Family, name: str, stores: list[tuple[ScopeInfo, Method, Site]], read: Place, precision: str
    ) -> Detected:
        return self._detected(family, name, stores, "code elsewhere reads", read, precision)

    def _detected(
        self,
        family: Family,
        name: str,
        stores: list[tuple[ScopeInfo, Method, Site]],
        reading: str,
        read: Place,
        precision: str,
    ) -> Detected:
        owner, method, stored = stores[0]
        mine = next((m for o, m in family.live if m.info.id == method.info.id), None)
        said = f"its `{method.info.id}` replaces that of {owner.id}, which sets it, and does not call it"
        notes = [Note(self._evidence.place(stored), f"{owner.id}.{method.info.id} sets it")]
        if mine is not None:
            tree = self._families.tree
            notes.append(Note(tree.place(mine.info, mine.info.at), f"replaces {owner.id}.{method.info.id}"))
        return Detected(
            kind=KIND,
            form="attribute",
            owner=family.cls.name,
            name=name,
            message=f"{family.cls.id} never sets `{name}`, which {reading}: {said}",
            place=read,
            precision=precision,
            surprise=round(min(self._repeated(family, method), 1.0) * self._share(family, name, owner), 2),
            notes=tuple(notes),
            base=owner.name,
            method=method.info.id,
        )

    def _share(self, family: Family, name: str, base: ScopeInfo) -> float:
        """Return which share of the other classes below a base have an attribute."""
        families = self._families
        others = [c for c in (base.sid, *families.classes.below(base.sid)) if c != family.cls.sid]
        infos = [families.tree.info(c) for c in others]
        have = sum(1 for info in infos if name in families.of(info).stored or families.provides(info, name))
        return have / len(infos) if infos else 0.0

    # --- another class's methods -------------------------------------------------------------------------------------

    def _foreign(self, family: Family) -> Iterator[Detected]:
        order = frozenset(self._families.classes.mro(family.cls.sid))
        for owner, method in family.live:
            if owner.sid in order or method.form in ("static", "class") or not self._is_called(family, method):
                continue
            for name, sites in sorted(method.reads.items()):
                if not method.needs(name) or self._is_there(family, name) or self._outside(family, owner, name):
                    continue
                open_sites = [s for s in sites if not self._guard_values.is_excluded(family, method, s)]
                if self._families.set_from_outside(name) or not open_sites:
                    continue
                sure = [s for s in open_sites if not self._guard_values.is_off(s)]
                sure = [s for s in sure if not self._is_sifted(family, method, s)]
                precision = "low" if self._families.outside(family.cls).is_open else "high" if sure else "medium"
                call = self._call(family, method)
                said = f"{owner.id}.{method.info.id} reads `{name}`, which {family.cls.id} does not have"
                notes = (
                    [Note(self._evidence.place(call), "is called here with that object")] if call is not None else []
                )
                yield Detected(
                    kind=KIND,
                    form="foreign-self",
                    owner=family.cls.name,
                    name=name,
                    message=said,
                    place=self._evidence.place((sure or open_sites)[0]),
                    precision=precision,
                    surprise=1.0,
                    notes=tuple(notes),
                    base=owner.name,
                    method=method.info.id,
                )

    def _outside(self, family: Family, owner: ScopeInfo, name: str) -> bool:
        """Tell whether an attribute may come from a base outside the tree: nothing in the tree gives it to either class."""
        other = self._families.of(owner)
        return name not in other.stored and not self._families.provides(owner, name)

    def _is_called(self, family: Family, method: Method) -> bool:
        """Tell whether a method of another class is called under no condition that fails for objects of a class."""
        calls = self._runs.asking(family, method)
        return not calls or any(not self._guard_values.is_excluded(family, m, asked.site) for m, asked in calls)

    def _is_sifted(self, family: Family, method: Method, site: Site) -> bool:
        """Tell whether every call of a method of another class may leave out what a read of it is for."""
        bodies, info = self._families.tree.bodies, self._families.tree.info
        for _, asked in self._runs.asking(family, method):
            caller = bodies.of(info(asked.site.sid))
            call = caller.scope.exprs[asked.site.expr]
            skipped = 0 if asked.through and not asked.through.startswith("super") else 1
            if site.sid != method.info.sid or not isinstance(call, ir.Call):
                return False
            if not is_sifted(caller, call, bodies.of(method.info), site.expr, skipped):
                return False
        return True

    def _call(self, family: Family, method: Method) -> Site | None:
        return next((asked.site for _, asked in self._runs.asking(family, method) if asked.through), None)
