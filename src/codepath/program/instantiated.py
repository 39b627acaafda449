"""Which classes have instances, and which bodies of a method a call can therefore run.

Known only once a whole tree is solved. A class counts as instantiated where it is called, where its object is passed on as
a value, and where no subclass of the tree is instantiated either: somebody outside may do it. Where a method speaks of its
own `self`, the subclasses that override that very method, and never come back to it by `super()`, are not meant.

Source: Bacon and Sweeney, Fast Static Analysis of C++ Virtual Function Calls (OOPSLA 1996).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.classes import Found, is_private
from codepath.program.tree import DYNAMIC, ScopeInfo
from codepath.program.values import ScopeId, Value

if TYPE_CHECKING:
    from codepath.program.frame import Frame
    from codepath.program.solver import Solver

_OPEN = (v.OPEN, v.OPEN_CLASS)


class Instantiated:
    """The classes with instances, and which methods an open instance can therefore run."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._classes = solver.classes
        self._runs: dict[tuple[ScopeId, ScopeId], bool] = {}
        self._owners: dict[tuple[ScopeId, str, frozenset[ScopeId] | None], frozenset[ScopeId]] = {}
        self._selves: dict[ScopeId, frozenset[ScopeId] | None] = {}
        self._made = self._find()

    def _find(self) -> frozenset[ScopeId]:
        made: set[ScopeId] = set()
        for kind, cls in (*self._solver.construction.constructed, *self._passed_on()):
            made.add(cls)
            if kind == v.OPEN_CLASS:
                made.update(self._classes.below(cls))
        made.update(info.sid for info in self._solver.tree.scopes if info.form == "class" and info.decorators)
        for name in self._solver.members.names():
            made.update(value[1] for value in self._solver.members.of(name))
        return frozenset(made)

    def _passed_on(self) -> set[Value]:
        held: set[Value] = set()
        for key, values in self._solver.cells.everything():
            if key[0] != c.NAME:
                held.update(value for value in values if value[0] in (v.CLASS, v.OPEN_CLASS))
        return held

    def has_instances(self, cls: ScopeId) -> bool:
        """Tell whether a class, as opposed to its subclasses only, may have instances."""
        return not self._classes.is_protocol(cls) and (
            cls in self._made or self._made.isdisjoint(self._classes.below(cls))
        )

    # --- bodies ------------------------------------------------------------------------------------------------------

    def can_run(self, fn: ScopeId, cls: ScopeId) -> bool:
        """Tell whether calling the method on an instance of `cls` or of a subclass can run the function `fn`."""
        key = (fn, cls)
        found = self._runs.get(key)
        if found is None:
            found = self._runs[key] = self._can_run(fn, cls)
        return found

    def _can_run(self, fn: ScopeId, cls: ScopeId) -> bool:
        info = self._solver.tree.scopes[fn]
        owner = self._solver.tree.class_around(info)
        if owner is None or owner.names.get(info.id) is None:
            return True
        owners = self.owners(cls, info.id)
        return not owners or owner.sid in owners

    def owners(self, cls: ScopeId, name: str, among: frozenset[ScopeId] | None = None) -> frozenset[ScopeId]:
        """Return the classes whose bodies give `name` to an instance of `cls` or of a subclass; empty where none is known.

        Args:
            cls: the class of which the instance is known to be.
            name: the attribute.
            among: the classes that the instance can be of, None for all that have instances.
        """
        if is_private(name):
            return frozenset()
        key = (cls, name, among)
        found = self._owners.get(key)
        if found is None:
            found = self._owners[key] = self._find_owners(cls, name, among)
        return found

    def _find_owners(self, cls: ScopeId, name: str, among: frozenset[ScopeId] | None) -> frozenset[ScopeId]:
        near = (cls, *self._classes.below(cls))
        able = [one for one in near if (self.has_instances(one) if among is None else one in among)]
        given = {one: got.owner for one in able if (got := self._classes.find(one, name)) is not None}
        owners = set(given.values())
        real = {o for o in owners if not self._is_abstract(o, name) and not self._is_left_to_others(o, name, given)}
        return frozenset(real or owners)

    def _is_abstract(self, owner: ScopeId, name: str) -> bool:
        """Tell whether a class only declares a method, which its subclasses define."""
        decorators = (self._solver.tree.scopes[fn].decorators for fn in self._functions(owner, name))
        return any(str(term).rpartition(".")[2] == "abstractmethod" for terms in decorators for term in terms)

    def _is_left_to_others(self, owner: ScopeId, name: str, given: Mapping[ScopeId, ScopeId]) -> bool:
        """Tell whether a body that only raises `NotImplementedError` is overridden in all classes below that have instances.

        Args:
            owner: the class with the body.
            name: the method.
            given: the class that gives each class its method, of those that have instances.
        """
        if not any(fn in self._solver.left_to_others for fn in self._functions(owner, name)):
            return False
        below = [cls for cls in given if cls != owner and owner in self._classes.mro(cls)]
        return bool(below) and all(given[cls] != owner for cls in below)

    def _functions(self, owner: ScopeId, name: str) -> list[ScopeId]:
        """Return the functions that the body of a class binds a name to."""
        meaning = self._classes.body(owner, name)
        cells = self._solver.cells
        values = meaning.values.union(*(cells.peek((c.NAME, scope, cell)) for scope, cell in meaning.cells))
        return [held[1] for held in map(_unwrapped, values) if held[0] in (v.FUNCTION, v.PROPERTY)]

    def constructs(self, frame: Frame, index: int, value: Value, owner: ScopeId) -> bool:
        """Tell whether calling a class or one of its subclasses can run the `__init__` in the body of `owner`."""
        owners = self.owners(value[1], "__init__", self.meant_by_self(frame, index, value))
        return not owners or owner in owners

    def that_run(
        self, bodies: list[tuple[Found, Value, bool]], cls: ScopeId, name: str, among: frozenset[ScopeId] | None
    ) -> list[tuple[Found, Value, bool]]:
        """Return those of the bodies of `name` that an instance of `cls` or of a subclass can run; `among` as in `owners`."""
        if not bodies or (len(bodies) == 1 and not self._classes.is_protocol(bodies[0][0].owner)):
            return bodies
        owners = self.owners(cls, name, among)
        if owners:
            return [body for body in bodies if body[0].owner in owners]
        return [body for body in bodies if not self._classes.is_protocol(body[0].owner)]

    # --- self --------------------------------------------------------------------------------------------------------

    def meant_by_self(self, frame: Frame, index: int, value: Value) -> frozenset[ScopeId] | None:
        """Return the classes that a receiver can be of where it is the `self` or `cls` of the method that runs.

        None where expression `index` does not take its receiver from `self` alone, or nothing more is known.
        """
        if index < 0 or value[0] not in _OPEN:
            return None
        info = frame.info
        if info.outer != value[1] or not info.params:
            return None
        receivers = self._receivers(info)
        if receivers is None:
            return None
        expr = frame.exprs[index]
        parts = [index] if isinstance(expr, ir.Name) else _operands(expr)
        sources = [part for part in parts if value in frame.values[part]]
        if not sources or not all(_is_self(frame, part) for part in sources):
            return None
        return receivers

    def knows_self(self, info: ScopeInfo) -> bool:
        """Tell whether not all instances of the class around a method can be its `self`."""
        if info.outer < 0 or self._solver.tree.scopes[info.outer].form != "class" or not info.params:
            return False
        return self._receivers(info) is not None

    def _receivers(self, info: ScopeInfo) -> frozenset[ScopeId] | None:
        if info.sid not in self._selves:
            self._selves[info.sid] = self._find_receivers(info)
        return self._selves[info.sid]

    def _find_receivers(self, info: ScopeInfo) -> frozenset[ScopeId] | None:
        attributes = self._solver.attributes
        owner, name = info.outer, info.id
        if not self._classes.below(owner):
            return None
        if is_private(name) or (owner, name) in attributes.unbound or self._has_other_name(info):
            return None
        behind = attributes.behind_super.get((owner, name), ())
        able = {one for one in (owner, *self._classes.below(owner)) if self.has_instances(one)}
        found = set()
        for one in able:
            got = self._classes.find(one, name)
            is_own = got is not None and got.owner == owner
            if is_own or any(cls in self._classes.mro(one) for cls in behind):
                found.add(one)
        return frozenset(found) if found and found != able else None

    def _has_other_name(self, info: ScopeInfo) -> bool:
        """Tell whether the class around binds a method to a second name."""
        cells = self._solver.cells
        for name, origins in self._solver.tree.scopes[info.outer].names.items():
            if (
                name != info.id
                and DYNAMIC in origins
                and (v.FUNCTION, info.sid) in cells.peek((c.NAME, info.outer, name))
            ):
                return True
        return False


def _unwrapped(value: Value) -> Value:
    while value[0] in (v.STATIC, v.CLASSMETHOD):
        value = value[1]
    return value


def _operands(expr: ir.Expr) -> list[int]:
    """Return the expressions from which an expression may take the object that it works on."""
    if isinstance(expr, ir.Call):
        return [expr.func, *(a.value for a in expr.args)]
    if isinstance(expr, (ir.Attr, ir.Unary, ir.Starred)):
        return [expr.value]
    if isinstance(expr, ir.Bind):
        return [expr.value] if expr.value >= 0 else []
    if isinstance(expr, ir.Subscript):
        return [expr.value, expr.index]
    if isinstance(expr, (ir.StoreItem, ir.StoreAttr, ir.Remove)):
        return [expr.object] if expr.object >= 0 else []
    if isinstance(expr, ir.Binary):
        return [expr.left, expr.right]
    if isinstance(expr, ir.Compare):
        return [expr.left, *expr.rights]
    return list(expr.parts) if isinstance(expr, ir.Joined) else []


def _is_self(frame: Frame, index: int) -> bool:
    """Tell whether an expression is the first parameter, or its class."""
    expr = frame.exprs[index]
    if isinstance(expr, ir.Attr):
        return expr.id == "__class__" and _is_self(frame, expr.value)
    if isinstance(expr, ir.Call):
        func = frame.exprs[expr.func]
        is_type = isinstance(func, ir.Name) and func.id == "type" and len(expr.args) == 1
        return is_type and _is_self(frame, expr.args[0].value)
    return isinstance(expr, ir.Name) and frame.scope.uses[expr.use] == (0,)
