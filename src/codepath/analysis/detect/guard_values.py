"""Conditions over an object's own attributes, in three values: what its class always stores in them decides.

Approximates: over (a condition over anything else is not known; an attribute is where every store that can run stores the same
constant).
"""

from __future__ import annotations

from codepath.analysis.detect.families import Families, Family
from codepath.analysis.detect.tables import Method, Site
from codepath.model import ir
from codepath.program.bodies import Body
from codepath.program.guards import Literal

NOT_KNOWN = object()
"""A value of which nothing is known."""


class GuardValues:
    """Evaluates the guards of sites for the objects of a class."""

    def __init__(self, families: Families) -> None:
        self._families = families
        self._constants: dict[tuple[int, str], object] = {}

    def is_excluded(self, family: Family, method: Method, site: Site) -> bool:
        """Tell whether a guard of a site of a method certainly fails for objects of a class."""
        body = self._families.tree.bodies.of(self._families.tree.info(site.sid))
        return any(self._fails(family, body.scope, literal) for literal in body.guards.of(site.expr))

    def is_off(self, site: Site) -> bool:
        """Tell whether a guard of a site fails where the parameters of its function have their defaults."""
        info = self._families.tree.info(site.sid)
        body = self._families.tree.bodies.of(info)
        return any(_fails_by_default(body, literal) for literal in body.guards.of(site.expr))

    def guards(self, site: Site) -> tuple[Literal, ...]:
        """Return the guards of a site, outermost first."""
        return self._families.tree.bodies.of(self._families.tree.info(site.sid)).guards.of(site.expr)

    def _fails(self, family: Family, scope: ir.Scope, literal: Literal) -> bool:
        if literal.test < 0 or literal.when:
            return False
        value = self._value(family, scope, literal.test)
        return value is not NOT_KNOWN and bool(value) != literal.polarity

    def _value(self, family: Family, scope: ir.Scope, index: int) -> object:
        expr = scope.exprs[index]
        if isinstance(expr, ir.Const):
            return expr.value if not expr.form else NOT_KNOWN
        if isinstance(expr, ir.Attr):
            owner = scope.exprs[expr.value]
            is_own = isinstance(owner, ir.Name) and bool(scope.params) and owner.id == scope.params[0].id
            return self.constant(family, expr.id) if is_own else NOT_KNOWN
        if isinstance(expr, ir.Call):
            return self._probed(family, scope, expr)
        if isinstance(expr, ir.Unary) and expr.op == "not":
            value = self._value(family, scope, expr.value)
            return value if value is NOT_KNOWN else not value
        if isinstance(expr, ir.Bool):
            return self._joined(family, scope, expr)
        if isinstance(expr, ir.Compare) and len(expr.ops) == 1:
            return self._compared(family, scope, expr)
        return NOT_KNOWN

    def _probed(self, family: Family, scope: ir.Scope, call: ir.Call) -> object:
        """Return what `hasattr` or `getattr` with a default gives for an attribute that nothing sets on the object."""
        func = scope.exprs[call.func]
        args = [scope.exprs[arg.value] for arg in call.args]
        kind = func.id if isinstance(func, ir.Name) else ""
        if (kind, len(args)) not in (("hasattr", 2), ("getattr", 3)) or not isinstance(args[1], ir.Const):
            return NOT_KNOWN
        name, families = str(args[1].value), self._families
        is_own = isinstance(args[0], ir.Name) and bool(scope.params) and args[0].id == scope.params[0].id
        may_be = name in family.stored or family.is_wild or families.provides(family.cls, name)
        if not is_own or may_be or families.outside(family.cls).is_open or families.set_from_outside(name):
            return NOT_KNOWN
        default = args[2] if kind == "getattr" else None
        if default is None:
            return False
        return default.value if isinstance(default, ir.Const) and not default.form else NOT_KNOWN

    def _joined(self, family: Family, scope: ir.Scope, expr: ir.Bool) -> object:
        values = [self._value(family, scope, i) for i in expr.values]
        decides = expr.op == "or"
        if any(v is not NOT_KNOWN and bool(v) is decides for v in values):
            return decides
        return NOT_KNOWN if any(v is NOT_KNOWN for v in values) else not decides

    def _compared(self, family: Family, scope: ir.Scope, expr: ir.Compare) -> object:
        left, right = self._value(family, scope, expr.left), self._value(family, scope, expr.rights[0])
        if left is NOT_KNOWN or right is NOT_KNOWN:
            return NOT_KNOWN
        if expr.ops[0] in ("is", "=="):
            return left == right
        if expr.ops[0] in ("is not", "!="):
            return left != right
        return NOT_KNOWN

    def constant(self, family: Family, name: str) -> object:
        """Return the constant that an attribute always holds, else `NOT_KNOWN`."""
        key = (family.cls.sid, name)
        if key not in self._constants:
            self._constants[key] = self._constant(family, name)
        return self._constants[key]

    def _constant(self, family: Family, name: str) -> object:
        sites = family.stored.get(name, [])
        families = self._families
        if not sites or family.is_wild or families.provides(family.cls, name) or families.set_from_outside(name):
            return NOT_KNOWN
        values = [self._stored(site) for site in sites]
        same = all(v is not NOT_KNOWN and type(v) is type(values[0]) and v == values[0] for v in values)
        return values[0] if same else NOT_KNOWN

    def _stored(self, site: Site) -> object:
        scope = self._families.tree.bodies.of(self._families.tree.info(site.sid)).scope
        store = scope.exprs[site.expr]
        if not isinstance(store, ir.StoreAttr) or store.value < 0 or store.how:
            return NOT_KNOWN
        value = scope.exprs[store.value]
        return value.value if isinstance(value, ir.Const) and not value.form else NOT_KNOWN


def _fails_by_default(body: Body, literal: Literal) -> bool:
    if literal.test < 0 or literal.when or body.around is None:
        return False
    expr, polarity = body.scope.exprs[literal.test], literal.polarity
    while isinstance(expr, ir.Unary) and expr.op == "not":
        expr, polarity = body.scope.exprs[expr.value], not polarity
    params = {p.id: p for p in body.scope.params}
    param = params.get(expr.id) if isinstance(expr, ir.Name) else None
    if param is None or param.default < 0:
        return False
    default = body.around.exprs[param.default]
    return isinstance(default, ir.Const) and not default.form and bool(default.value) != polarity
