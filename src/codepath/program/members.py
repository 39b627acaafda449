"""Registries: classes that a string or a table leads to, kept symbolic as "any member" until a step is printed."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.model.knowledge import Registry
from codepath.program import values as v
from codepath.program.annotations import term_of
from codepath.program.arguments import Arguments
from codepath.program.cells import MANY
from codepath.program.tree import ScopeInfo
from codepath.program.values import NOTHING, ScopeId, Value, Values

if TYPE_CHECKING:
    from codepath.program.frame import Frame
    from codepath.program.solver import Solver

_MOST_VALUES = 8
_METHODS = (v.FUNCTION, v.STATIC, v.CLASSMETHOD)


class Members:
    """The registries that the models declare."""

    def __init__(self, solver: Solver, registries: Iterable[Registry]) -> None:
        self.solver = solver
        self._registries = {r.name: r for r in registries}
        self._given: dict[ScopeId, Value] = {}
        self._members: dict[str, tuple[Value, ...]] = {}
        self._declared = 0

    def given(self, fn: ScopeId) -> Value | None:
        """Return the member that calling a look-up function gives, None for other functions."""
        if not self._registries:
            return None
        if self._declared != len(self.solver.tree.scopes):
            self._find_lookups()
        return self._given.get(fn)

    def _find_lookups(self) -> None:
        self._declared = len(self.solver.tree.scopes)
        self._members.clear()
        by_name = {name: r for r in self._registries.values() for name in r.looked_up_by}
        self._given = {
            info.sid: (v.MEMBER, by_name[info.name].name, by_name[info.name].returns)
            for info in self.solver.tree.scopes
            if info.form == "function" and info.name in by_name
        }

    def names(self) -> tuple[str, ...]:
        """Return the names of the registries."""
        return tuple(self._registries)

    # --- members -----------------------------------------------------------------------------------------------------

    def of(self, name: str) -> tuple[Value, ...]:
        """Return the classes or functions that are members of a registry, sorted."""
        found = self._members.get(name)
        if found is None:
            registry = self._registries[name]
            before = self.solver.lexical.misses
            values = self._of_variable(registry) if registry.variable else self._of_table(registry)
            found = tuple(sorted(value for value in values if value[0] in (v.CLASS, v.FUNCTION)))
            if self.solver.lexical.misses == before:
                self._members[name] = found
        return found

    def _of_variable(self, registry: Registry) -> Iterable[Value]:
        for name, module in sorted(self.solver.tree.modules.items()):
            if registry.variable in module.scopes[0].names and fnmatchcase(name, registry.modules):
                scope = self.solver.scope(module.scopes[0])
                if scope is not None:
                    yield from self._held(module.scopes[0], scope, registry.variable)

    def _held(self, info: ScopeInfo, scope: ir.Scope, variable: str) -> Iterable[Value]:
        for expr in scope.exprs:
            if isinstance(expr, ir.Bind) and expr.id == variable and expr.value >= 0:
                value = scope.exprs[expr.value]
                items = value.items if isinstance(value, ir.Sequence) else (expr.value,)
                for item in items:
                    yield from self.solver.lexical.term_values(info, term_of(scope.exprs, item))

    def _of_table(self, registry: Registry) -> Iterable[Value]:
        for module, name in self._read_table(registry):
            if self.solver.tree.is_module(module):
                yield from self.solver.lexical.member(module, name).values

    def _read_table(self, registry: Registry) -> Iterable[tuple[str, str]]:
        module, _, variable = registry.table.rpartition(".")
        info = self.solver.tree.modules.get(module)
        scope = self.solver.scope(info.scopes[0]) if info is not None else None
        if scope is None:
            return
        for row in _rows_of(scope, variable, set()):
            texts = [e.value for e in row if isinstance(e, ir.Const) and isinstance(e.value, str)]
            if len(texts) == len(registry.value):
                given = dict(zip(registry.value, texts, strict=True))
                yield registry.prefix + given["module"], given["class"]

    # --- what members do ---------------------------------------------------------------------------------------------

    def attribute(self, frame: Frame, index: int, value: Value, name: str) -> Values:
        """Return a method that some member has under `name`, kept symbolic; data of members is not followed."""
        if name == "__class__":
            return frozenset([(v.MEMBER, value[1], "class")])
        for cls in self.of(value[1]):
            got = self.solver.classes.find(cls[1], name) if cls[0] == v.CLASS else None
            if got is not None and any(held[0] in _METHODS for held in frame.meaning(got.meaning)):
                return frozenset([(v.CALLED_MEMBER, value[1], value[2], name)])
        return NOTHING

    def call(self, frame: Frame, index: int, value: Value, arguments: Arguments) -> Values:
        """Return what calling a member gives: an instance, or what a function returns."""
        if value[2] == "instance":
            return self.call_method(frame, index, (v.CALLED_MEMBER, value[1], "instance", "__call__"), arguments)
        found: set[Value] = set()
        for member in self.of(value[1]):
            got = self.solver.calls.call(frame, index, member, arguments, "registry")
            if value[2] == "function":
                found |= got
        return _few(found) if value[2] == "function" else frozenset([(v.MEMBER, value[1], "instance")])

    def call_method(self, frame: Frame, index: int, value: Value, arguments: Arguments) -> Values:
        """Return what calling a method of a member gives."""
        found: set[Value] = set()
        for cls in self.of(value[1]):
            if cls[0] != v.CLASS:
                continue
            receiver: Value = (v.INSTANCE, cls[1]) if value[2] == "instance" else cls
            if value[3] == "__call__":
                found |= self.solver.calls.call(frame, index, receiver, arguments, "registry")
                continue
            for bound in self._bound(frame, receiver, value[3]):
                found |= self.solver.calls.call(frame, index, bound, arguments, "registry")
        return _few(found)

    def _bound(self, frame: Frame, receiver: Value, name: str) -> Values:
        if receiver[0] == v.CLASS:
            return self.solver.attributes.of_class(frame, receiver, name)
        return self.solver.attributes.of_class_body(frame, -1, receiver, name)


def _few(found: set[Value]) -> Values:
    return MANY if len(found) > _MOST_VALUES else frozenset(found)


def _rows_of(scope: ir.Scope, variable: str, seen: set[str]) -> Iterable[list[ir.Expr]]:
    """Yield the items of the tuples that a dict of module level has as values, `**` of other such dicts followed."""
    seen.add(variable)
    for expr in scope.exprs:
        if not isinstance(expr, ir.Bind) or expr.id != variable or expr.value < 0:
            continue
        table = scope.exprs[expr.value]
        if not isinstance(table, ir.Dict):
            continue
        for key, value in zip(table.keys, table.values, strict=True):
            held = scope.exprs[value]
            if key < 0 and isinstance(held, ir.Name) and held.id not in seen:
                yield from _rows_of(scope, held.id, seen)
            elif isinstance(held, ir.Sequence):
                yield [scope.exprs[item] for item in held.items]
