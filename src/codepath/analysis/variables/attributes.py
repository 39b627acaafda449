"""The reads and stores of an attribute of a class: on `self`, in class bodies, and on other objects of the class."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.nulls.receivers import Receivers
from codepath.analysis.nulls.world import World
from codepath.analysis.variables.access import Access, Words
from codepath.model import ir
from codepath.program.scopes import Read, Scopes
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId

MAX_FILES = 120
"""Files in which the classes of receivers other than `self` are worked out."""


class Attributes:
    """Finds accesses to attributes.

    Approximates: under (an access on an object of unknown class counts only where no other class of the tree has an attribute
    of that name, a store only where one stores it on `self` besides; `unsettled` counts those left out).
    """

    def __init__(self, world: World, receivers: Receivers, scopes: Scopes, words: Words) -> None:
        self._world = world
        self._receivers = receivers
        self._scopes = scopes
        self._words = words
        self.unsettled = 0

    def of(self, cls: ScopeId, name: str) -> list[Access]:
        """Return all accesses to an attribute of a class or of its instances, by file and place."""
        self.unsettled = 0
        near = self._world.bodies.classes.related(cls)
        names = frozenset(self._world.info(c).name for c in near)
        found: list[Access] = []
        others: dict[str, list[tuple[Access, int]]] = {}
        owners: set[str] = set()
        on_self = False
        for path in self._words.holding(name):
            for read in self._scopes.in_file(path, name):
                owners |= {read.name} if _declares(read, name) else set()
                for access, receiver in _accesses(read, name):
                    owner = read.name if receiver < 0 else own_class(read, receiver)
                    if owner is None:
                        others.setdefault(path, []).append((access, receiver))
                    elif owner in names:
                        found.append(access)
                    if owner is not None and access.how == "store":
                        owners.add(owner)
                        on_self = on_self or (receiver >= 0 and owner in names)
        alone = ("read", *(("store", "delete") if on_self else ())) if owners <= names else ()
        found.extend(self._settled(others, near, alone))
        return sorted(found, key=lambda a: (a.read.path, a.at, a.expr))

    def declaring(self, name: str) -> list[str]:
        """Return the classes whose bodies bind or annotate a name, sorted."""
        reads = (read for path in self._words.holding(name) for read in self._scopes.in_file(path, name))
        return sorted({read.name for read in reads if _declares(read, name)})

    def _settled(
        self, others: dict[str, list[tuple[Access, int]]], near: frozenset[ScopeId], alone: tuple[str, ...]
    ) -> Iterator[Access]:
        """Yield the accesses on other receivers that are objects of the class; `alone`: those that no other has."""
        for number, path in enumerate(sorted(others)):
            for access, receiver in others[path]:
                classes = self._classes(access.read, receiver) if number < MAX_FILES else frozenset()
                by_name = not classes and access.how in alone and not self._is_module(access.read, receiver)
                if classes & near or by_name:
                    yield access
                elif not classes:
                    self.unsettled += 1

    def _classes(self, read: Read, receiver: int) -> frozenset[ScopeId]:
        info = self._info(read)
        if info is None:
            return frozenset()
        return frozenset(r.cls for r in self._receivers.of(info.sid, receiver))

    def _is_module(self, read: Read, receiver: int) -> bool:
        info = self._info(read)
        return info is not None and any(kind != "class" for kind, _ in self._world.denoted(info.sid, receiver))

    def _info(self, read: Read) -> ScopeInfo | None:
        info = self._world.bodies.scope(read.name)
        if info is None:
            return None
        same = (i for i in info.module.scopes if i.name == read.name and i.at == read.head.at)
        return next(same, info)


def _declares(read: Read, name: str) -> bool:
    """Tell whether a class body annotates or binds a name."""
    return read.scope.form == "class" and any(d.id == name for d in read.scope.definitions)


def _accesses(read: Read, name: str) -> Iterator[tuple[Access, int]]:
    """Yield the accesses to attributes of a name with the receiver, -1 for a name that a class body binds."""
    scope = read.scope
    for index, expr in enumerate(scope.exprs):
        if isinstance(expr, ir.Attr) and expr.id == name:
            yield Access(read, index, "read"), expr.value
        elif isinstance(expr, ir.Call) and _asks_for(scope, expr, name):
            yield Access(read, index, "read"), expr.args[0].value
        elif isinstance(expr, ir.StoreAttr) and expr.id == name:
            if expr.value >= 0 or expr.how or expr.annotation < 0:
                yield Access(read, index, "store"), expr.object
        elif isinstance(expr, ir.Remove) and expr.id == name and expr.object >= 0:
            yield Access(read, index, "delete"), expr.object
        elif isinstance(expr, ir.Bind) and expr.id == name and scope.form == "class":
            form = scope.definitions[expr.definition].form
            if form != "comprehension" and (expr.value >= 0 or expr.how):
                yield Access(read, index, "store"), -1


def _asks_for(scope: ir.Scope, call: ir.Call, name: str) -> bool:
    """Tell whether a call is `getattr(x, "name")`, with a default or without."""
    func = scope.exprs[call.func]
    if not isinstance(func, ir.Name) or func.id != "getattr" or len(call.args) not in (2, 3):
        return False
    asked = scope.exprs[call.args[1].value]
    return isinstance(asked, ir.Const) and asked.value == name and not any(a.star or a.name for a in call.args)


def own_class(read: Read, receiver: int) -> str | None:
    """Return the class whose method's first parameter an expression is, None for any other."""
    scope = read.scope
    expr = scope.exprs[receiver]
    if not isinstance(expr, ir.Name) or scope.form != "function" or not scope.params or not read.around:
        return None
    if read.around[0].form != "class" or scope.uses[expr.use] != (0,) or expr.id not in ("self", "cls", "mcs"):
        return None
    return read.name.rpartition(".")[0]
