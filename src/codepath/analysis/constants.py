"""What an expression is worth under what a path passes on: constants folded in three values.

A value is folded only where nothing else can have changed it: parameters that the function does not bind again, names with
one definition, attributes that only constructors of the class store, members of classes. Everything else is unknown.

Approximates: under (unknown is always possible); a value that is given is exact for every execution of the path.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from codepath.analysis.enumerations import Enumerations
from codepath.analysis.followed import ANYWHERE, Followed
from codepath.analysis.known import NOTHING_KNOWN, Constant, Facts, Known, Member, same
from codepath.analysis.meanings import is_self, values_of
from codepath.analysis.results import Asked, Results
from codepath.analysis.settled import Settled
from codepath.model import ir
from codepath.model.answers import Place
from codepath.program.bodies import Bodies, Body
from codepath.program.tree import ScopeInfo
from codepath.program.values import CLASS, MODULE, ScopeId, Values

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "is": lambda one, other: same(one, other),
    "is not": lambda one, other: not same(one, other),
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_ASSUMABLE = (ir.Name, ir.Attr, ir.Call, ir.Subscript, ir.Compare)
_MAX_DEPTH = 20
_VIEW = ("property",)


class Assumed(Protocol):
    """What is assumed beyond the text of the tree."""

    def value(self, body: Body, index: int) -> Known | None:
        """Return what an expression is assumed to be."""

    def compared(self, body: Body, index: int, op: str, other: Constant) -> Known | None:
        """Return what comparing an expression with a constant is assumed to give."""

    def follow(self, number: int, variable: str, setter: str) -> None:
        """Note that a global is taken to hold what a setter stores under assumption `number`."""


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
        self.refused: Place | None = None
        """A store for which something that was asked since this was None is not taken for settled."""
        self._made_known: dict[tuple[ScopeId, str], tuple[Place | None, Known | None] | None] = {}
        self.enumerations = Enumerations(bodies)
        self._results = Results(bodies, self)
        self.followed = Followed(bodies, self)

    def value(self, body: Body, index: int, facts: Facts, depth: int = 0) -> Known | None:
        """Return what expression `index` is, None where that is not known."""
        if index < 0 or depth > _MAX_DEPTH:
            return None
        known = self._written(body, index, facts, depth)
        expr = body.scope.exprs[index]
        if known is None and self._assumed is not None and isinstance(expr, _ASSUMABLE):
            known = self._assumed.value(body, index)
        if known is None and isinstance(expr, ir.Call):
            return self._results.of(expr, Asked(body, expr.args, facts, depth))
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
        if found is None and isinstance(expr, ir.Call):
            found = self._results.of(expr, Asked(body, expr.args, facts, depth, truth=True))
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
            return self._global(body, expr.id, facts, depth)
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
            facts = replace(facts, attributes=())  # a constructor may have stored them since
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

    def _global(self, body: Body, name: str, facts: Facts, depth: int) -> Known | None:
        """Return a global that one statement binds to a constant and nothing else stores."""
        meaning = self._bodies.meaning(body.info, name)
        if meaning.values or len(meaning.cells) != 1:
            return None
        sid, found = meaning.cells[0]
        info = self._bodies.tree.scopes[sid]
        if info.form != "module":
            return None
        owner = self._bodies.of(info)
        known = self._constant_of(owner, found, depth)
        if known is None and info.module is body.info.module:  # an import from elsewhere took what stood there then
            return self._filled(owner, found, body, facts)
        return known

    def _filled(self, owner: Body, name: str, around: Body, facts: Facts) -> Known | None:
        """Return what a setter fills a global of module `owner` with, under what is assumed."""
        if self._assumed is None or self._settled.is_stored_from_outside(name):
            return None
        found = self.followed.value(owner, name, around, facts)
        if found is None:
            return None
        known, setter = found
        self._assumed.follow(known.assumed, f"{owner.info.name}.{name}", setter)
        return known

    def _constant_of(self, owner: Body, name: str, depth: int) -> Known | None:
        """Return what a module or class binds a name to, where it does so once and nothing else stores it."""
        binds = [d.bind for d in owner.scope.definitions if d.id == name and d.form != "annotation"]
        if len(binds) != 1 or binds[0] < 0:
            return None
        bind = owner.scope.exprs[binds[0]]
        if not isinstance(bind, ir.Bind) or bind.how or bind.value < 0:
            return None
        known = self.value(owner, bind.value, NOTHING_KNOWN, depth + 1)
        if known is None:
            return None
        if self._is_stored_elsewhere(owner, name) or self._settled.is_stored_from_outside(name):
            self.refused = self.refused or self._stored_at(owner, name)
            return None
        return known

    def _is_stored_elsewhere(self, owner: Body, name: str) -> bool:
        return self._storing(owner, name) is not None

    def _storing(self, owner: Body, name: str) -> Body | None:
        """Return the first function of a module that declares a name `global`."""
        found = (self._bodies.of(info) for info in owner.info.module.scopes)
        return next((body for body in found if name in body.scope.globals), None)

    def _stored_at(self, owner: Body, name: str) -> Place | None:
        """Return the first store of a global outside the code of its module."""
        storing = self._storing(owner, name)
        if storing is not None:
            return self._settled.store_in(storing.info.name, name)
        return self._settled.stored_from_outside_at(name)

    # --- attributes --------------------------------------------------------------------------------------------------

    def _attribute(self, body: Body, expr: ir.Attr, facts: Facts, depth: int) -> Known | None:
        base = body.scope.exprs[expr.value]
        if is_self(body, base):
            known = self._own(expr.id, facts, depth) if facts.cls else None
            known = known if known is not None else self._made(body, expr.id, depth)
            return known if known is not None else self._results.of_own(expr.id, _VIEW, Asked(body, (), facts, depth))
        for value in self.values(body, expr.value):
            if value[0] == CLASS:
                return self._member(value[1], expr) or self._of_class(value[1], expr.id, depth)
            if value[0] == MODULE:
                return self._of_module(body, value[1], expr.id, facts, depth)
        return self._of_member(body, expr, facts, depth)

    def _of_member(self, body: Body, expr: ir.Attr, facts: Facts, depth: int) -> Known | None:
        """Return an attribute of a member of an enumeration: its name, its value, a property."""
        if isinstance(body.scope.exprs[expr.value], ir.Const):
            return None
        held = self.value(body, expr.value, facts, depth + 1)
        if held is None or not isinstance(held.value, Member):
            return None
        if expr.id == "name":
            return replace(held, value=held.value.name)
        return self._results.of_member(held, expr.id, ("property",), Asked(body, (), facts, depth))

    def _own(self, name: str, facts: Facts, depth: int) -> Known | None:
        """Return an attribute of `self`: what the constructor stored, what a property gives, what the class holds."""
        info = self._bodies.scope(facts.cls)
        if info is None or self._is_hooked(info) or (facts.loose and self._settled.is_overridden(facts.cls, name)):
            return None
        known = dict(facts.attributes).get(name)
        if known is not None:
            if self._settled(facts.cls, name):
                return known
            self.refused = self.refused or self._settled.changed_at(facts.cls, name)
            return None
        found = self._bodies.classes.find(info.sid, name)
        if found is None:
            return None
        getter = self._bodies.body(f"{self._bodies.tree.scopes[found.owner].name}.{name}")
        if getter is None:
            fields = {field for field, _ in self._bodies.tree.scopes[found.owner].fields}
            return None if name in fields else self._of_class(info.sid, name, depth)
        if getter.info.decorators != _VIEW or len(getter.scope.body) != 1:
            return None
        given = getter.scope.body[0]
        return self.value(getter, given.value, facts, depth + 1) if isinstance(given, ir.Return) else None

    def _is_hooked(self, cls: ScopeInfo) -> bool:
        """Tell whether a class answers itself for its attributes."""
        return self._bodies.classes.find(cls.sid, "__getattribute__") is not None

    def is_inherited(self, cls: ScopeInfo, constructor: str) -> bool:
        """Tell whether a subclass inherits a constructor of a class; one in a file not read may."""
        return self._settled.is_partial or bool(self.heirs(cls, constructor))

    def heirs(self, cls: ScopeInfo, constructor: str) -> tuple[ScopeInfo, ...]:
        """Return the subclasses that inherit a constructor of a class."""
        return self._settled.heirs(cls, constructor)

    def _made(self, body: Body, name: str, depth: int) -> Known | None:
        """Return an attribute of `self` that every constructor which stores it gives the same constant."""
        owner = self._bodies.tree.class_around(body.info)
        if owner is None or body.info.id == "__init__" or depth > _MAX_DEPTH or self._is_hooked(owner):
            return None
        key = (owner.sid, name)
        if key not in self._made_known:
            self._made_known[key] = None  # a constructor that asks for it itself
            self._made_known[key] = self._made_by_all(owner, name)
        refused, known = self._made_known[key] or (None, None)
        self.refused = self.refused or refused
        return known

    def _made_by_all(self, owner: ScopeInfo, name: str) -> tuple[Place | None, Known | None] | None:
        """Return the constant, or the store for which it is not taken for settled; None where there is no constant."""
        scopes = self._bodies.tree.scopes
        storing = next((sid for sid in self._bodies.classes.mro(owner.sid) if name in scopes[sid].stored), None)
        first = self._made_in(f"{scopes[storing].name}.__init__", name) if storing is not None else None
        if first is None:
            return None
        if not self._settled(owner.name, name):
            return self._settled.changed_at(owner.name, name), None
        makers = self._settled.constructors(owner.name, name)
        others = (self._made_in(function, name) for function in makers)
        if any(other is None or not same(other.value, first.value) for other in others):
            return None
        return None if self._settled.binds(owner.name, name) else (None, first)

    def _made_in(self, function: str, name: str) -> Known | None:
        """Return what a constructor stores in an attribute, whatever it is called with."""
        maker = self._bodies.body(function)
        stores = _stores(maker, name) if maker is not None else []
        if maker is None or len(stores) != 1 or maker.guards.of(stores[0][0]):
            return None
        return self.value(maker, stores[0][1].value, self.nowhere())

    def _of_class(self, cls: ScopeId, name: str, depth: int) -> Known | None:
        """Return an attribute that a class binds once and that nothing stores on an object, `name` being no method."""
        found = self._bodies.classes.find(cls, name)
        bases = self._bodies.classes.outside_bases(cls)
        if found is None or any(base.endswith(("Enum", "Flag")) for base in bases):
            return None
        owner = self._bodies.tree.scopes[found.owner]
        known = self._constant_of(self._bodies.of(owner), name, depth)
        return known if known is not None and not self._settled.is_stored(owner.name, name) else None

    def _of_module(self, around: Body, module: str, name: str, facts: Facts, depth: int) -> Known | None:
        meaning = self._bodies.member(module, name)
        if meaning.values or len(meaning.cells) != 1:
            return None
        sid, found = meaning.cells[0]
        info = self._bodies.tree.scopes[sid]
        if info.form != "module":
            return None
        owner = self._bodies.of(info)
        known = self._constant_of(owner, found, depth)
        if known is None and info.module.name == module:
            return self._filled(owner, found, around, facts)
        return known

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

    # --- what calls are folded with ------------------------------------------------------------------------------------

    def nothing(self, body: Body) -> Known:
        """Return the None that a function gives where it returns nothing."""
        return Known(None, self.place(body, body.info.at))

    @property
    def follows_globals(self) -> bool:
        """Whether globals are taken to hold what a setter stores: only under assumptions."""
        return self._assumed is not None

    @property
    def follows_calls(self) -> bool:
        """Whether functions and methods are followed: not where files were not read, which may store over them."""
        return self._assumed is not None or not self._settled.is_partial

    def is_certain(self, cls: ScopeInfo, name: str, facts: Facts) -> bool:
        """Tell whether a name of an object is what its class has: nothing else stores it, and no class below binds it.

        `cls` is the class of the object, or one above it where `facts` do not know it.
        """
        if self._is_hooked(cls) or self._settled.is_stored(cls.name, name):
            return False
        is_open = facts.loose or not facts.cls
        return not (is_open and self._settled.is_overridden(cls.name, name))

    def nowhere(self) -> Facts:
        """Return what is known of code of which it is not known where it runs."""
        return Facts(within=(ANYWHERE,))

    def inside(self, facts: Facts, params: Mapping[str, Known], own: Facts | None = None) -> Facts:
        """Return what a function knows that is called with some parameters, `own` being known of its `self`."""
        given = tuple(sorted(params.items()))
        if own is None:
            return Facts(given, within=facts.within)
        return Facts(given, own.attributes, own.cls, within=facts.within, loose=own.loose)

    def is_replaced(self, name: str) -> bool:
        """Tell whether something may store over a function or method of this name."""
        return self._settled.is_stored_from_outside(name)

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
        if left is None or right is None or not self.enumerations.are_comparable(op, left.value, right.value):
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
        if any(item is not None and same(item.value, left.value) for item in items):
            return replace(left, value=expr.ops[0] == "in")
        if any(item is None or not self.enumerations.are_comparable("==", item.value, left.value) for item in items):
            return None
        return replace(left, value=expr.ops[0] == "not in")


def _stores(body: Body, name: str) -> list[tuple[int, ir.StoreAttr]]:
    """Return the plain stores of an attribute of `self`, with their numbers; none where one is of another form."""
    exprs = body.scope.exprs
    found = [(k, e) for k, e in enumerate(exprs) if isinstance(e, ir.StoreAttr) and e.id == name]
    plain = all(not e.how and e.value >= 0 and is_self(body, exprs[e.object]) for _, e in found)
    return found if plain else []
