"""The classes that a receiver can have, as far as names, annotations and constructors tell without solving."""

from __future__ import annotations

from typing import NamedTuple

from codepath.analysis.nulls.world import World
from codepath.model import ir
from codepath.program.annotations import Term
from codepath.program.tree import ScopeInfo
from codepath.program.values import CLASS, ScopeId

_MAX_DEPTH = 5
_WRAPPERS = frozenset(["Optional", "Annotated", "Final", "ClassVar", "Required"])


class Receiver(NamedTuple):
    """A class, or an instance of it or of a subclass."""

    cls: ScopeId
    is_class: bool


class Receivers:
    """Infers receivers. Approximates: under (an empty answer means that nothing is known)."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._attributes: dict[tuple[ScopeId, str], frozenset[Receiver]] = {}

    def of(self, sid: ScopeId, index: int, depth: int = 0) -> frozenset[Receiver]:
        """Return what an expression can be."""
        if depth > _MAX_DEPTH or index < 0:
            return frozenset()
        expr = self._world.expr(sid, index)
        if isinstance(expr, ir.Name):
            return self._name(sid, index, expr, depth)
        if isinstance(expr, ir.Attr):
            return self._path(sid, index, expr, depth)
        if isinstance(expr, ir.Call):
            return self._call(sid, index, expr, depth)
        if isinstance(expr, (ir.Await, ir.Bind)) and not getattr(expr, "how", ()):
            return self.of(sid, expr.value, depth + 1)
        if isinstance(expr, ir.Ternary):
            return self.of(sid, expr.body, depth + 1) | self.of(sid, expr.orelse, depth + 1)
        if isinstance(expr, ir.Bool):
            return frozenset(r for i in expr.values for r in self.of(sid, i, depth + 1))
        return frozenset()

    def _name(self, sid: ScopeId, index: int, expr: ir.Name, depth: int) -> frozenset[Receiver]:
        world = self._world
        found = frozenset(Receiver(what, True) for kind, what in world.denoted(sid, index) if kind == "class")  # type: ignore[arg-type]
        if found:
            return found
        scope = world.body(sid).scope
        reaching = scope.uses[expr.use]
        if not reaching:
            return self._free(sid, expr.id, depth)
        for number in reaching:
            if number < 0:
                continue
            definition = scope.definitions[number]
            if definition.bind < 0:
                found |= self._param(world.info(sid), number)
            else:
                found |= self._bound(sid, definition.bind, depth)
        return found

    def _bound(self, sid: ScopeId, bind: int, depth: int) -> frozenset[Receiver]:
        expr = self._world.expr(sid, bind)
        if not isinstance(expr, ir.Bind):
            return frozenset()
        declared = self._annotated(sid, expr.annotation)
        if declared or expr.how:
            return declared
        return self.of(sid, expr.value, depth + 1)

    def _free(self, sid: ScopeId, name: str, depth: int) -> frozenset[Receiver]:
        found: frozenset[Receiver] = frozenset()
        for owner, cell in self._world.meaning(sid, name).cells:
            for definition in self._world.body(owner).scope.definitions:
                if definition.id == cell and definition.bind >= 0:
                    found |= self._bound(owner, definition.bind, depth + 1)
                elif definition.id == cell and definition.form == "param":
                    found |= self._param(self._world.info(owner), self._number(owner, cell))
        return found

    def _number(self, sid: ScopeId, name: str) -> int:
        return next((n for n, p in enumerate(self._world.info(sid).params) if p.id == name), -1)

    def _param(self, info: ScopeInfo, number: int) -> frozenset[Receiver]:
        if not 0 <= number < len(info.params):
            return frozenset()
        owner = self._world.bodies.tree.class_around(info)
        declared = self._term(self._world.info(info.outer), info.params[number].annotation)
        if declared or number or owner is None or "staticmethod" in info.decorators:
            return declared
        return frozenset([Receiver(owner.sid, "classmethod" in info.decorators)])

    def _annotated(self, sid: ScopeId, annotation: int) -> frozenset[Receiver]:
        if annotation < 0:
            return frozenset()
        from codepath.program.annotations import term_of

        return self._term(self._world.info(sid), term_of(self._world.body(sid).scope.exprs, annotation))

    def _term(self, scope: ScopeInfo, term: Term) -> frozenset[Receiver]:
        """Return the classes that an annotation names; quotes, `Optional` and `|` are looked through."""
        if isinstance(term, tuple):
            head, inner = term
            if head == "|" or head.rpartition(".")[2] in (*_WRAPPERS, "Union"):
                return frozenset(r for one in inner for r in self._term(scope, one))
            if head.rpartition(".")[2] in ("type", "Type"):
                return frozenset(Receiver(r.cls, True) for one in inner for r in self._term(scope, one))
            return self._term(scope, head)
        values = self._world.bodies.term_values(scope, term) if term else frozenset()
        return frozenset(Receiver(value[1], False) for value in values if value[0] == CLASS)

    def _path(self, sid: ScopeId, index: int, expr: ir.Attr, depth: int) -> frozenset[Receiver]:
        found = frozenset(Receiver(what, True) for kind, what in self._world.denoted(sid, index) if kind == "class")  # type: ignore[arg-type]
        if found:
            return found
        for receiver in self.of(sid, expr.value, depth + 1):
            found |= self.attribute(receiver.cls, expr.id, depth + 1)
        return found

    def attribute(self, cls: ScopeId, name: str, depth: int = 0) -> frozenset[Receiver]:
        """Return what an attribute of a class can be, by its annotations and by what its methods store."""
        key = (cls, name)
        if key in self._attributes:
            return self._attributes[key]
        found: frozenset[Receiver] = frozenset()
        for owner in self._world.bodies.classes.mro(cls):
            info = self._world.info(owner)
            declared = next((term for field, term in info.fields if field == name), "")
            found |= self._term(info, declared)
            if not found and name in info.stored:
                found |= self._stored(info, name, depth)
            if found:
                break
        if depth < 2:
            self._attributes[key] = found
        return found

    def _stored(self, cls: ScopeInfo, name: str, depth: int) -> frozenset[Receiver]:
        found: frozenset[Receiver] = frozenset()
        for method in cls.module.scopes:
            if method.outer != cls.sid or method.form != "function":
                continue
            scope = self._world.bodies.of(method).scope
            for expr in scope.exprs:
                if isinstance(expr, ir.StoreAttr) and expr.id == name and not expr.how:
                    found |= self._annotated(method.sid, expr.annotation) or self.of(method.sid, expr.value, depth + 1)
        return found

    def _call(self, sid: ScopeId, index: int, call: ir.Call, depth: int) -> frozenset[Receiver]:
        world = self._world
        func = self.of(sid, call.func, depth + 1)
        made = frozenset(Receiver(r.cls, False) for r in func if r.is_class)
        if made:
            return made
        for step in world.steps_at(sid, index):
            callee = world.bodies.scope(step.callee)
            if callee is None:
                continue
            if step.kind == "construct":
                owner = world.bodies.tree.class_around(callee) if callee.form == "function" else callee
                made |= frozenset([Receiver(owner.sid, False)]) if owner is not None else frozenset()
            elif callee.form == "function":
                made |= self._term(world.info(callee.outer), callee.returns)
        return made
