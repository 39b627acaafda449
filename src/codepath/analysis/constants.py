"""What an expression is worth under what a path passes on: constants folded in three values.

A value is folded only where nothing else can have changed it: parameters that the function does not bind again, names with
one definition, attributes that only constructors of the class store, members of classes. Everything else is unknown.

Approximates: under (unknown is always possible); a value that is given is exact for every execution of the path.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from codepath.analysis.meanings import values_of
from codepath.analysis.settled import Settled
from codepath.model import ir
from codepath.model.answers import Place
from codepath.program.bodies import Bodies, Body
from codepath.program.values import CLASS, MODULE, ScopeId, Values


class Member(NamedTuple):
    """A member of an enumeration, by the dotted name of its class."""

    cls: str
    name: str


Constant = bool | int | float | str | Member | None


@dataclass(frozen=True, slots=True)
class Known:
    """A constant, and where it was written; `assumed` is the number of the assumption that gives it, -1 for none."""

    value: Constant
    because: Place
    assumed: int = -1


@dataclass(frozen=True, slots=True)
class Facts:
    """What one activation knows: its parameters, the attributes of its `self`, and the class of that, "" where unknown.

    `made`: the constructions, (function, number of the call), that its `self` can come from; empty where unknown.
    """

    params: tuple[tuple[str, Known], ...] = ()
    attributes: tuple[tuple[str, Known], ...] = ()
    cls: str = ""
    made: tuple[tuple[str, int], ...] = ()


NOTHING_KNOWN = Facts()

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "is": lambda one, other: _same(one, other),
    "is not": lambda one, other: not _same(one, other),
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_ASSUMABLE = (ir.Name, ir.Attr, ir.Call, ir.Subscript, ir.Compare)
_MAX_DEPTH = 12


class Assumed(Protocol):
    """What is assumed beyond the text of the tree."""

    def value(self, body: Body, index: int) -> Known | None:
        """Return what an expression is assumed to be."""

    def compared(self, body: Body, index: int, op: str, other: Constant) -> Known | None:
        """Return what comparing an expression with a constant is assumed to give."""


class Folding:
    """Evaluates expressions of functions.

    `settled` tells which attributes only constructors store and which globals no other module stores; what is known of an
    expression wins over what is `assumed` of it.
    """

    def __init__(self, bodies: Bodies, settled: Settled, assumed: Assumed | None = None) -> None:
        self._bodies = bodies
        self._settled = settled
        self._assumed = assumed
        self._rebound: dict[ScopeId, frozenset[str]] = {}

    def value(self, body: Body, index: int, facts: Facts, depth: int = 0) -> Known | None:
        """Return what expression `index` is, None where that is not known."""
        if index < 0 or depth > _MAX_DEPTH:
            return None
        known = self._written(body, index, facts, depth)
        if known is None and self._assumed is not None and isinstance(body.scope.exprs[index], _ASSUMABLE):
            return self._assumed.value(body, index)
        return known

    def _written(self, body: Body, index: int, facts: Facts, depth: int) -> Known | None:
        """Return what an expression is by the text of the tree."""
        expr = body.scope.exprs[index]
        if isinstance(expr, ir.Const):
            return Known(expr.value, self.place(body, expr.at)) if not expr.form else None
        if isinstance(expr, ir.Name):
            return self._name(body, expr, facts, depth)
        if isinstance(expr, ir.Attr):
            return self._attribute(body, expr, facts, depth)
        if isinstance(expr, ir.Unary) and expr.op == "not":
            return self.truth(body, index, facts, depth)
        if isinstance(expr, ir.Bool):
            return self._bool(body, expr, facts, depth)
        if isinstance(expr, ir.Compare):
            return self._compare(body, expr, facts, depth)
        if isinstance(expr, ir.Ternary):
            test = self.truth(body, expr.test, facts, depth + 1)
            if test is None:
                return None
            return self.value(body, expr.body if test.value else expr.orelse, facts, depth + 1)
        if isinstance(expr, ir.Bind) and not expr.how:
            return self.value(body, expr.value, facts, depth + 1)
        return None

    def truth(self, body: Body, index: int, facts: Facts, depth: int = 0) -> Known | None:
        """Return whether an expression is true, and the place that makes it so; None where that is not known.

        Three-valued (Kleene): an operand that is not known does not matter where another one decides.
        """
        expr = body.scope.exprs[index] if index >= 0 else None
        if depth > _MAX_DEPTH:
            return None
        if isinstance(expr, ir.Unary) and expr.op == "not":
            inner = self.truth(body, expr.value, facts, depth + 1)
            return replace(inner, value=not inner.value) if inner is not None else None
        if isinstance(expr, ir.Bool):
            operands = [self.truth(body, i, facts, depth + 1) for i in expr.values]
            stops = expr.op == "or"
            deciding = next((o for o in operands if o is not None and o.value is stops), None)
            if deciding is not None:
                return deciding
            last = operands[-1]
            return None if any(o is None for o in operands) else last
        found = self.value(body, index, facts, depth)
        if found is None and self._assumed is not None and isinstance(expr, _ASSUMABLE):
            return self._assumed.compared(body, index, "bool", True)
        if found is None or isinstance(found.value, Member):
            return None
        return replace(found, value=bool(found.value))

    def place(self, body: Body, at: int) -> Place:
        """Return a packed place of a body."""
        return Place(body.info.module.path, ir.line_of(at), ir.column_of(at), body.info.name)

    # --- names -------------------------------------------------------------------------------------------------------

    def _name(self, body: Body, expr: ir.Name, facts: Facts, depth: int) -> Known | None:
        scope = body.scope
        reaching = scope.uses[expr.use]
        if not reaching:
            return self._global(body, expr.id, depth)
        if len(reaching) != 1 or reaching[0] < 0 or self._is_rebound_inside(body, expr.id):
            return None
        definition = scope.definitions[reaching[0]]
        if definition.bind < 0:
            return dict(facts.params).get(definition.id)
        if body.info.form == "module":
            return self._constant_of(body, expr.id, depth)
        if definition.form not in ("assign", "walrus"):
            return None
        if body.info.id == "__init__" and facts.attributes:
            facts = Facts(facts.params, (), facts.cls)  # a constructor may have stored them since
        return self.value(body, definition.bind, facts, depth + 1)

    def _is_rebound_inside(self, body: Body, name: str) -> bool:
        """Tell whether a function inside declares a local name `nonlocal`."""
        found = self._rebound.get(body.info.sid)
        if found is None:
            info = body.info
            inner = (other for other in info.module.scopes if info.at < other.at and other.end <= info.end)
            names = (name for other in inner for name in self._bodies.of(other).scope.nonlocals)
            found = self._rebound[info.sid] = frozenset(names)
        return name in found

    def _global(self, body: Body, name: str, depth: int) -> Known | None:
        """Return a global that one statement binds to a constant and nothing else stores."""
        meaning = self._bodies.meaning(body.info, name)
        if meaning.values or len(meaning.cells) != 1:
            return None
        sid, found = meaning.cells[0]
        info = self._bodies.tree.scopes[sid]
        if info.form != "module":
            return None
        return self._constant_of(self._bodies.of(info), found, depth)

    def _constant_of(self, owner: Body, name: str, depth: int) -> Known | None:
        """Return what a module or class binds a name to, where it does so once and nothing else stores it."""
        if self._is_stored_elsewhere(owner, name) or self._settled.is_stored_from_outside(name):
            return None
        binds = [d.bind for d in owner.scope.definitions if d.id == name and d.form != "annotation"]
        if len(binds) != 1 or binds[0] < 0:
            return None
        bind = owner.scope.exprs[binds[0]]
        if not isinstance(bind, ir.Bind) or bind.how or bind.value < 0:
            return None
        return self.value(owner, bind.value, NOTHING_KNOWN, depth + 1)

    def _is_stored_elsewhere(self, owner: Body, name: str) -> bool:
        return any(name in self._bodies.of(info).scope.globals for info in owner.info.module.scopes)

    # --- attributes --------------------------------------------------------------------------------------------------

    def _attribute(self, body: Body, expr: ir.Attr, facts: Facts, depth: int) -> Known | None:
        base = body.scope.exprs[expr.value]
        if is_self(body, base):
            return self._own(expr.id, facts, depth) if facts.cls else None
        for value in self.values(body, expr.value):
            if value[0] == CLASS:
                return self._member(value[1], expr) or self._of_class(value[1], expr.id, depth)
            if value[0] == MODULE:
                return self._of_module(value[1], expr.id, depth)
        return None

    def _own(self, name: str, facts: Facts, depth: int) -> Known | None:
        """Return an attribute of `self`: what the constructor stored, what a property gives, what the class holds."""
        known = dict(facts.attributes).get(name)
        if known is not None:
            return known if self._settled(facts.cls, name) else None
        info = self._bodies.scope(facts.cls)
        found = self._bodies.classes.find(info.sid, name) if info is not None else None
        if info is None or found is None:
            return None
        getter = self._bodies.body(f"{self._bodies.tree.scopes[found.owner].name}.{name}")
        if getter is None:
            fields = {field for field, _ in self._bodies.tree.scopes[found.owner].fields}
            return None if name in fields else self._of_class(info.sid, name, depth)
        if getter.info.decorators != ("property",) or len(getter.scope.body) != 1:
            return None
        given = getter.scope.body[0]
        return self.value(getter, given.value, facts, depth + 1) if isinstance(given, ir.Return) else None

    def _of_class(self, cls: ScopeId, name: str, depth: int) -> Known | None:
        """Return an attribute that a class binds once and that nothing stores on an object, `name` being no method."""
        found = self._bodies.classes.find(cls, name)
        bases = self._bodies.classes.outside_bases(cls)
        if found is None or any(base.endswith(("Enum", "Flag")) for base in bases):
            return None
        owner = self._bodies.tree.scopes[found.owner]
        if self._settled.is_stored(owner.name, name):
            return None
        return self._constant_of(self._bodies.of(owner), name, depth)

    def _of_module(self, module: str, name: str, depth: int) -> Known | None:
        meaning = self._bodies.member(module, name)
        if meaning.values or len(meaning.cells) != 1:
            return None
        sid, found = meaning.cells[0]
        info = self._bodies.tree.scopes[sid]
        return self._constant_of(self._bodies.of(info), found, depth) if info.form == "module" else None

    def values(self, body: Body, index: int) -> Values:
        """Return what a dotted name means."""
        return values_of(self._bodies, body, index)

    def _member(self, cls: ScopeId, expr: ir.Attr) -> Known | None:
        info = self._bodies.tree.scopes[cls]
        bases = self._bodies.classes.outside_bases(cls)
        body = self._bodies.of(info)
        if any(base.startswith("enum.") for base in bases) and expr.id in info.names:
            bind = next((d for d in body.scope.definitions if d.id == expr.id and d.form == "assign"), None)
            if bind is not None:
                return Known(Member(info.name, expr.id), self.place(body, bind.at))
        return None

    # --- operators ---------------------------------------------------------------------------------------------------

    def _bool(self, body: Body, expr: ir.Bool, facts: Facts, depth: int) -> Known | None:
        """Return the operand that Python gives back."""
        stops = expr.op == "or"
        found: Known | None = None
        for index in expr.values:
            found = self.value(body, index, facts, depth + 1)
            if found is None or isinstance(found.value, Member):
                return None
            if bool(found.value) == stops:
                return found
        return found

    def _compare(self, body: Body, expr: ir.Compare, facts: Facts, depth: int) -> Known | None:
        if len(expr.ops) != 1:
            return None
        left = self.value(body, expr.left, facts, depth + 1)
        op = expr.ops[0]
        if op in ("in", "not in"):
            return self._contained(body, expr, left, facts, depth) if left is not None else None
        right = self.value(body, expr.rights[0], facts, depth + 1)
        if self._assumed is not None and left is None and right is not None:
            return self._assumed.compared(body, expr.left, op, right.value)
        if self._assumed is not None and right is None and left is not None:
            return self._assumed.compared(body, expr.rights[0], _MIRRORED.get(op, op), left.value)
        if left is None or right is None or not self._comparable(op, left.value, right.value):
            return None
        try:
            holds = _COMPARE[op](left.value, right.value)
        except TypeError:
            return None
        return Known(bool(holds), left.because, max(left.assumed, right.assumed))

    def _contained(self, body: Body, expr: ir.Compare, left: Known, facts: Facts, depth: int) -> Known | None:
        held = body.scope.exprs[expr.rights[0]]
        if not isinstance(held, ir.Sequence):
            return None
        items = [self.value(body, item, facts, depth + 1) for item in held.items]
        if any(item is not None and _same(item.value, left.value) for item in items):
            return replace(left, value=expr.ops[0] == "in")
        if any(item is None or not self._comparable("==", item.value, left.value) for item in items):
            return None
        return replace(left, value=expr.ops[0] == "not in")

    def _comparable(self, op: str, left: Constant, right: Constant) -> bool:
        """Tell whether comparing two constants here gives what Python gives."""
        if isinstance(left, Member) or isinstance(right, Member):
            if left is None or right is None:
                return op in ("is", "is not")
            same_class = isinstance(left, Member) and isinstance(right, Member) and left.cls == right.cls
            return same_class and (left == right or self._is_distinct(left))  # type: ignore[arg-type]
        if op in ("is", "is not"):
            return any(isinstance(x, bool) or x is None for x in (left, right))
        return True

    def _is_distinct(self, member: Member) -> bool:
        """Tell whether no two members of an enumeration are one: all are `auto()` or different constants."""
        info = self._bodies.scope(member.cls)
        if info is None:
            return False
        body = self._bodies.of(info)
        seen: set[object] = set()
        for definition in body.scope.definitions:
            bind = body.scope.exprs[definition.bind] if definition.form == "assign" and definition.bind >= 0 else None
            value = body.scope.exprs[bind.value] if isinstance(bind, ir.Bind) and bind.value >= 0 else None
            if isinstance(value, ir.Const) and value.value not in seen:
                seen.add(value.value)
            elif not (isinstance(value, ir.Call) and not value.args):
                return False
        return True


def _same(one: Constant, other: Constant) -> bool:
    return type(one) is type(other) and one == other


def is_self(body: Body, expr: ir.Expr) -> bool:
    """Tell whether an expression is the first parameter of a method, not bound again."""
    info = body.info
    if not isinstance(expr, ir.Name) or info.form != "function" or not info.params:
        return False
    around = info.module.scopes[info.outer - info.module.base]
    if around.form != "class" or any(term in ("staticmethod", "classmethod") for term in info.decorators):
        return False
    return body.scope.uses[expr.use] == (0,)


def with_params(facts: Facts, params: Mapping[str, Known]) -> Facts:
    """Return facts with other parameters."""
    return Facts(tuple(sorted(params.items())), facts.attributes, facts.cls)
