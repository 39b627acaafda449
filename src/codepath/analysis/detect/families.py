"""Which methods of a class can run on its objects, which attributes these set, and which only replaced methods would.

Approximates: over (a method that can be called counts as called: an attribute that it sets counts as set).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from codepath.analysis.detect.mentions import is_quoted, is_read_elsewhere, is_set_elsewhere
from codepath.analysis.detect.tables import Asked, ClassTable, Method, Site, tables_of
from codepath.analysis.detect.tree import DetectTree
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.knowledge import OutsideClass
from codepath.program.classes import Found
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId

CONSTRUCTORS = ("__new__", "__init__", "__post_init__", "__attrs_post_init__", "__init_subclass__", "__setstate__")


@dataclass(frozen=True)
class Family:
    """The methods that objects of one class have.

    Args:
        cls: The class.
        live: Methods that can run on its objects, with the class whose body has each.
        lost: Methods of its bases that are replaced and never called from what replaces them.
        is_wild: Whether some method stores attributes whose names are not written, or may.
        is_wild_itself: The same without what methods that are borrowed from other classes ask of such a method.
    """

    cls: ScopeInfo
    live: tuple[tuple[ScopeInfo, Method], ...]
    lost: tuple[tuple[ScopeInfo, Method], ...]
    is_wild: bool
    is_wild_itself: bool

    @cached_property
    def stored(self) -> dict[str, list[Site]]:
        """Where each attribute is stored by methods that can run."""
        found: dict[str, list[Site]] = {}
        for _, method in self.live:
            for name, sites in method.stores.items():
                found.setdefault(name, []).extend(sites)
            for name in method.given:
                found.setdefault(name, [])
        return found

    def reads(self, name: str) -> Iterator[tuple[Method, Site]]:
        """Yield the reads of an attribute by methods that can run and do not ask first whether it is there."""
        for _, method in self.live:
            if method.needs(name):
                for site in method.reads.get(name, ()):
                    yield method, site


class Families:
    """Works out families; tables are made once a module."""

    def __init__(self, tree: DetectTree) -> None:
        self.tree = tree
        self.classes = tree.bodies.classes
        self._tables: dict[ScopeId, ClassTable] = {}
        self._families: dict[ScopeId, Family] = {}
        self._outer: dict[str, bool] = {}
        self._spelled: dict[str, bool] = {}
        self._read: dict[str, Place | None] = {}
        self._sites: dict[str, list[Site]] = {}

    def table(self, sid: ScopeId) -> ClassTable:
        """Return the table of a class."""
        found = self._tables.get(sid)
        if found is None:
            self._tables.update(tables_of(self.tree.info(sid).module))
            found = self._tables[sid]
        return found

    def of(self, info: ScopeInfo) -> Family:
        """Return the family of a class, whose bases are loaded."""
        found = self._families.get(info.sid)
        if found is None:
            live = self._live(info)
            every = [(self.tree.info(c), m) for c in self.classes.mro(info.sid) for m in self.table(c).methods.values()]
            lost = tuple((owner, m) for owner, m in every if m.info.sid not in live)
            own = {name for _, m in live.values() for name in m.stores}
            order = frozenset(self.classes.mro(info.sid))
            own_wild = any(
                m.is_wild or (owner.sid in order and self._names(info, m.by_name - own)) for owner, m in live.values()
            )
            wild = own_wild or any(self._names(info, m.by_name - own) for _, m in live.values())
            found = self._families[info.sid] = Family(info, tuple(live.values()), lost, wild, own_wild)
        return found

    def _names(self, info: ScopeInfo, called: Iterable[str]) -> bool:
        """Tell whether one of the methods that get a name made at run time is of a base outside the tree."""
        return bool(self.classes.outside_bases(info.sid)) and any(
            self.classes.find(info.sid, name) is None for name in called
        )

    def provides(self, info: ScopeInfo, name: str) -> bool:
        """Tell whether a class body in the order of a class binds or declares a name."""
        return any(self.gives(sid, name) for sid in self.classes.mro(info.sid))

    def gives(self, sid: ScopeId, name: str) -> bool:
        """Tell whether the body of a class binds or declares a name."""
        owner = self.tree.info(sid)
        return name in owner.names or any(field == name for field, _ in owner.fields)

    def outside(self, info: ScopeInfo) -> OutsideClass:
        """Return what is known of the bases outside the tree as of one class; open where one of them is not known."""
        known = self._outside_classes
        bases = self.classes.outside_bases(info.sid)
        found = [known[name] for name in bases if name in known]
        is_open = len(found) < len(bases) or any(one.is_open for one in found)
        incomplete = any(self._is_unresolved(sid) for sid in self.classes.mro(info.sid))
        return OutsideClass(
            cls=", ".join(bases),
            attributes=tuple(name for one in found for name in one.attributes),
            constructor_runs=tuple(name for one in found for name in one.constructor_runs),
            is_open=is_open or incomplete,
        )

    def _is_unresolved(self, sid: ScopeId) -> bool:
        """Tell whether a base of a class is not known: it is computed, or another one of the class's own name."""
        named = sum(1 for name, _ in self.tree.info(sid).bases if name is None)
        return sid in self.classes.incomplete or named > self.classes.count_bases(sid)

    @cached_property
    def _outside_classes(self) -> dict[str, OutsideClass]:
        return {one.cls: one for one in self.tree.knowledge.outside_classes}

    def is_open(self, info: ScopeInfo) -> bool:
        """Tell whether objects of a class can answer for attributes that nothing is seen to store."""
        return any(self.table(sid).is_open for sid in self.classes.mro(info.sid))

    def set_from_outside(self, name: str) -> bool:
        """Tell whether some code of the tree stores an attribute of that name on something else than its own object."""
        if name not in self._outer:
            paths = self.tree.words.holding(name)
            self._outer[name] = any(is_set_elsewhere(self.tree.text(path), name) for path in paths)
        return self._outer[name]

    def is_spelled(self, name: str) -> bool:
        """Tell whether the name of an attribute stands somewhere as a string, by which something may set it."""
        if name not in self._spelled:
            paths = self.tree.words.holding(name)
            self._spelled[name] = any(is_quoted(self.tree.text(path), name) for path in paths)
        return self._spelled[name]

    def read_from_outside(self, name: str) -> Place | None:
        """Return the first place where some code reads an attribute of that name of something else than its own object."""
        if name not in self._read:
            self._read[name] = next(self._other_reads(name), None)
        return self._read[name]

    def sites_of(self, name: str) -> list[Site]:
        """Return every place where code reads an attribute or a name, calls included, whatever it belongs to."""
        if name not in self._sites:
            self._sites[name] = list(self._all_sites(name))
        return self._sites[name]

    def _all_sites(self, name: str) -> Iterator[Site]:
        for path in self.tree.words.holding(name):
            module = self.tree.module_at(path)
            for info in self.tree.bodies.holding(module.name, name) if module is not None else ():
                for index, expr in enumerate(self.tree.bodies.of(info).scope.exprs):
                    if isinstance(expr, (ir.Attr, ir.Name)) and expr.id == name:
                        yield Site(info.sid, index, expr.at)

    def _other_reads(self, name: str) -> Iterator[Place]:
        for path in self.tree.words.holding(name):
            if not is_read_elsewhere(self.tree.text(path), name):
                continue
            module = self.tree.module_at(path)
            for info in self.tree.bodies.holding(module.name, name) if module is not None else ():
                scope = self.tree.bodies.of(info).scope
                is_method = info.outer >= 0 and self.tree.info(info.outer).form == "class"
                for expr in scope.exprs:
                    if not isinstance(expr, ir.Attr) or expr.id != name:
                        continue
                    if not (is_method and _is_first(scope, expr.value)):
                        yield self.tree.place(info, expr.at)

    # --- what can run ------------------------------------------------------------------------------------------------

    def _live(self, info: ScopeInfo) -> dict[ScopeId, tuple[ScopeInfo, Method]]:
        names = dict.fromkeys(n for c in self.classes.mro(info.sid) for n in self.tree.info(c).names)
        todo = [self.classes.find(info.sid, name) for name in names]
        reached = [m for name, found in zip(names, todo, strict=True) if (m := self._method(found, name)) is not None]
        live: dict[ScopeId, tuple[ScopeInfo, Method]] = {}
        while reached:
            owner, method = reached.pop()
            if method.info.sid not in live:
                live[method.info.sid] = (owner, method)
                reached.extend(m for one in method.asked if (m := self.called(info, owner, one)) is not None)
        return live

    def method(self, info: ScopeInfo, name: str) -> tuple[ScopeInfo, Method] | None:
        """Return the method that objects of a class have under a name, with the class whose body has it."""
        return self._method(self.classes.find(info.sid, name), name)

    def called(self, info: ScopeInfo, owner: ScopeInfo, asked: Asked) -> tuple[ScopeInfo, Method] | None:
        """Return the method that a call on one's own object runs for objects of a class; `owner` has the caller."""
        if not asked.through:
            return self._method(self.classes.find(info.sid, asked.method), asked.method)
        if asked.through == "super":
            return self._method(self._after(info, owner.sid, asked.method), asked.method)
        is_super = asked.through.startswith("super ")
        start = self.class_named(owner, asked.through.removeprefix("super "))
        if start is None:
            return None
        if is_super:
            return self._method(self._after(info, start.sid, asked.method), asked.method)
        return self._method(self.classes.find(start.sid, asked.method), asked.method)

    def class_named(self, around: ScopeInfo, term: str) -> ScopeInfo | None:
        """Return the class that a name means around a class."""
        if term in ("__class__", "type(self)"):
            return around
        outer = self.tree.info(around.outer)
        return next(iter(self.tree.bodies.class_values(self.tree.bodies.term_values(outer, term))), None)

    def _after(self, info: ScopeInfo, start: ScopeId, name: str) -> Found | None:
        return self.classes.find(info.sid, name, after=start)

    def _method(self, found: Found | None, name: str) -> tuple[ScopeInfo, Method] | None:
        if found is None:
            return None
        table = self.table(found.owner)
        method = table.methods.get(name)
        if method is None and name in table.aliases:
            cls, _, other = table.aliases[name].rpartition(".")
            base = self.class_named(table.info, cls) if cls else None
            return self._method(self.classes.find(base.sid, other), other) if base is not None else None
        return (table.info, method) if method is not None else None


def _is_first(scope: ir.Scope, index: int) -> bool:
    """Tell whether an expression is the first parameter, a module or a class: not some other object."""
    expr = scope.exprs[index]
    if not isinstance(expr, ir.Name):
        return False
    return expr.id == "self" or (bool(scope.params) and expr.id == scope.params[0].id)


def families_of(tree: DetectTree) -> Families:
    """Return the families of a tree, the same for all that ask about it."""
    found = tree.kept.get("families")
    if not isinstance(found, Families):
        found = tree.kept["families"] = Families(tree)
    return found
