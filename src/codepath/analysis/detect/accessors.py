"""How a tree reads the environment by means of its own: helpers, descriptors, tables of functions.

A *helper* is a function that reads the variable that one of its parameters names. A *descriptor* is an object of a class with a
`get` that reads the variable that its own attribute names; a *holder* is the class whose body binds descriptors, and it is used
through globals that hold an object of it. A *table* is a dict of functions by the names of variables, in a module whose
`__getattr__` answers for them.

Approximates: under (a helper that only another helper calls, and a key that is made at run time, are not followed).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from codepath.analysis.detect.accesses import WORDS, accesses, parameter_of, text_of
from codepath.analysis.detect.conditions_of import written
from codepath.analysis.detect.families import Families
from codepath.model import ir
from codepath.program.tree import ModuleInfo, ScopeInfo
from codepath.program.values import CLASS, ScopeId

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]+")
_FEWEST = 3
"""Entries of a dict that makes a table."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A variable that is declared: in which scope, at which place, with which default; `cls` is its descriptor's class."""

    name: str
    info: ScopeInfo
    at: int
    default: str
    cls: ScopeId | None = None


@dataclass(frozen=True, slots=True)
class Holder:
    """A class whose body binds descriptors, and the globals, as (scope, name), that hold an object of it."""

    cls: ScopeInfo
    declared: dict[str, Declared]
    cells: frozenset[tuple[ScopeId, str]]


@dataclass(frozen=True, slots=True)
class Table:
    """A module that answers for the variables of a dict of functions."""

    module: ModuleInfo
    declared: dict[str, Declared]


class Accessors:
    """Finds them, once a tree."""

    def __init__(self, families: Families) -> None:
        self._families = families
        self._tree = families.tree

    def modules_with(self, *words: str) -> Iterator[ModuleInfo]:
        """Yield the modules whose files hold one of some words, by file."""
        for path in sorted({path for word in words for path in self._tree.words.holding(word)}):
            module = self._tree.module_at(path)
            if module is not None:
                yield module

    @cached_property
    def reading(self) -> tuple[ModuleInfo, ...]:
        """The modules that read the environment themselves."""
        return tuple(self.modules_with(*WORDS))

    @cached_property
    def helpers(self) -> dict[ScopeId, tuple[int, int]]:
        """Which parameter of each helper names the variable, and which gives its default, -1 for none."""
        found: dict[ScopeId, tuple[int, int]] = {}
        for info in self._functions("function"):
            scope = self._tree.bodies.of(info).scope
            for access in accesses(scope) if scope.params else ():
                key = parameter_of(scope, access.key)
                if access.how == "read" and key >= 0:
                    default = parameter_of(scope, access.default) if access.default >= 0 else -1
                    found.setdefault(info.sid, (key, default))
        return found

    def _functions(self, form: str) -> Iterator[ScopeInfo]:
        return (info for module in self.reading for info in module.scopes if info.form == form)

    # --- descriptors -------------------------------------------------------------------------------------------------

    @cached_property
    def descriptors(self) -> frozenset[ScopeId]:
        """The classes of descriptors, those below them included."""
        found: set[ScopeId] = set()
        for cls in self._functions("class"):
            methods = [m for m in cls.module.scopes if m.outer == cls.sid and m.form == "function"]
            if any(m.id == "get" and self._reads_own(m) for m in methods):
                self._tree.load_below(cls.id)
                found.update((cls.sid, *self._families.classes.below(cls.sid)))
        return frozenset(found)

    def _reads_own(self, method: ScopeInfo) -> bool:
        """Tell whether a method reads the variable that an attribute of its object names."""
        scope = self._tree.bodies.of(method).scope
        keys = [scope.exprs[a.key] for a in accesses(scope) if a.how == "read"]
        return any(isinstance(k, ir.Attr) and parameter_of(scope, k.value) == 0 for k in keys)

    @cached_property
    def holders(self) -> tuple[Holder, ...]:
        """The classes that declare descriptors."""
        words = {self._tree.info(sid).id for sid in self.descriptors}
        classes = [i for m in self.modules_with(*sorted(words)) for i in m.scopes if i.form == "class"]
        found = [(cls, self._bound(cls)) for cls in classes]
        return tuple(Holder(cls, bound, self._cells(cls)) for cls, bound in found if bound)

    def _bound(self, cls: ScopeInfo) -> dict[str, Declared]:
        exprs = self._tree.bodies.of(cls).scope.exprs
        found: dict[str, Declared] = {}
        for expr in exprs:
            call = exprs[expr.value] if isinstance(expr, ir.Bind) and expr.value >= 0 and not expr.how else None
            func = exprs[call.func] if isinstance(call, ir.Call) else None
            if isinstance(expr, ir.Bind) and isinstance(call, ir.Call) and isinstance(func, ir.Name):
                made = [v[1] for v in self._tree.bodies.visible(cls, func.id).values if v[0] == CLASS]
                if made and made[0] in self.descriptors:
                    found[expr.id] = self._made(expr, cls, call, made[0])
        return found

    def _made(self, bind: ir.Bind, cls: ScopeInfo, call: ir.Call, made: ScopeId) -> Declared:
        """Return what a call declares: a variable of the name that it is bound to, or that its first argument gives."""
        exprs = self._tree.bodies.of(cls).scope.exprs
        plain = [a.value for a in call.args if a.name is None]
        named = next((a.value for a in call.args if a.name == "default"), -1)
        is_bound = self._families.method(self._tree.info(made), "__set_name__") is not None
        name = bind.id if is_bound or not plain else text_of(exprs, plain[0]) or bind.id
        rest = plain if is_bound else plain[1:]
        return Declared(name, cls, bind.at, written(exprs, rest[0] if rest else named), made)

    def _cells(self, cls: ScopeInfo) -> frozenset[tuple[ScopeId, str]]:
        found: set[tuple[ScopeId, str]] = set()
        for module in self.modules_with(cls.id):
            top = module.scopes[0]
            exprs = self._tree.bodies.of(top).scope.exprs
            for expr in exprs:
                call = exprs[expr.value] if isinstance(expr, ir.Bind) and expr.value >= 0 and not expr.how else None
                func = exprs[call.func] if isinstance(call, ir.Call) else None
                if not isinstance(expr, ir.Bind) or not isinstance(func, ir.Name):
                    continue
                if (CLASS, cls.sid) in self._tree.bodies.visible(top, func.id).values:
                    found.add((top.sid, expr.id))
        return frozenset(found)

    # --- tables ------------------------------------------------------------------------------------------------------

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The modules that answer for a dict of functions."""
        found = []
        for module in self.reading:
            top = module.scopes[0]
            if "__getattr__" in top.names:
                declared = self._entries(top)
                if len(declared) >= _FEWEST:
                    found.append(Table(module, declared))
        return tuple(found)

    def _entries(self, top: ScopeInfo) -> dict[str, Declared]:
        exprs = self._tree.bodies.of(top).scope.exprs
        found: dict[str, Declared] = {}
        for expr in exprs:
            if not isinstance(expr, ir.Dict):
                continue
            for key, value in zip(expr.keys, expr.values, strict=True):
                name = text_of(exprs, key) if key >= 0 else ""
                if _VARIABLE.fullmatch(name) and isinstance(exprs[value], (ir.Lambda, ir.Call, ir.Name)):
                    found[name] = Declared(name, top, exprs[key].at, self._default(top, exprs[value], name))
        return found

    def _default(self, top: ScopeInfo, value: ir.Expr, name: str) -> str:
        if not isinstance(value, ir.Lambda):
            return ""
        scope = self._tree.bodies.of(top.module.scopes[value.scope]).scope
        reads = [a for a in accesses(scope) if text_of(scope.exprs, a.key) == name and a.how == "read"]
        return written(scope.exprs, reads[0].default) if reads else ""
