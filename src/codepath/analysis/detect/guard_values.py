"""Conditions over an object's own attributes, in three values: what its class always stores in them decides.

Approximates: over (a condition over anything else is not known; an attribute is where every store that can run stores the same
constant).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.analysis.detect.accesses import parameter_of
from codepath.analysis.detect.choices_of import fails_by_default, is_process_wide, is_spare
from codepath.analysis.detect.conditions_of import without_not
from codepath.analysis.detect.families import Families, Family
from codepath.analysis.detect.given import Given
from codepath.analysis.detect.tables import Method, Site
from codepath.model import ir
from codepath.program.annotations import term_of
from codepath.program.bodies import Body
from codepath.program.guards import Literal
from codepath.program.tree import ScopeInfo

NOT_KNOWN = object()
"""A value of which nothing is known."""
_SAME = {"is": True, "==": True, "is not": False, "!=": False}


class GuardValues:
    """Evaluates the guards of sites for the objects of a class."""

    def __init__(self, families: Families) -> None:
        self._families = families
        self._given = Given(families)
        self._constants: dict[tuple[int, str], object] = {}

    def is_excluded(self, family: Family, method: Method, site: Site) -> bool:
        """Tell whether a guard of a site of a method certainly fails for objects of a class."""
        body = self._families.tree.bodies.of(self._families.tree.info(site.sid))
        return any(self._fails(family, body, literal) for literal in body.guards.of(site.expr))

    def is_off(self, site: Site) -> bool:
        """Tell whether a site runs only where callers or the machine ask for it.

        A guard of it fails where the parameters of its function have their defaults, or holds only where a parameter without
        one is None or false, or depends on nothing but what the whole process shares, such as the platform.
        """
        body = self._families.tree.bodies.of(self._families.tree.info(site.sid))
        return any(
            fails_by_default(body, literal) or is_spare(body, literal) or is_process_wide(body.scope, literal.test)
            for literal in body.guards.of(site.expr)
        )

    def guards(self, site: Site) -> tuple[Literal, ...]:
        """Return the guards of a site, outermost first."""
        return self._families.tree.bodies.of(self._families.tree.info(site.sid)).guards.of(site.expr)

    def asked_of_own(self, site: Site) -> Iterator[tuple[str, bool]]:
        """Yield the attributes of its own object whose truth the guards of a site ask for, with the value that they ask for."""
        body = self._families.tree.bodies.of(self._families.tree.info(site.sid))
        for literal in body.guards.of(site.expr):
            if literal.test >= 0 and not literal.when:
                index, polarity = without_not(body.scope.exprs, literal.test, literal.polarity)
                expr = body.scope.exprs[index]
                if isinstance(expr, ir.Attr) and _is_own(body.scope, expr.value):
                    yield expr.id, polarity

    def may_store(self, site: Site, value: bool) -> bool:
        """Tell whether what a store stores may have a truth value."""
        exprs = self._families.tree.bodies.of(self._families.tree.info(site.sid)).scope.exprs
        store = exprs[site.expr]
        stored = exprs[store.value] if isinstance(store, ir.StoreAttr) and store.value >= 0 and not store.how else None
        return not isinstance(stored, ir.Const) or bool(stored.form) or bool(stored.value) is value

    def _fails(self, family: Family, body: Body, literal: Literal) -> bool:
        if literal.test < 0 or literal.when:
            return False
        value = self._value(family, body, literal.test)
        return value is not NOT_KNOWN and bool(value) != literal.polarity

    def _value(self, family: Family, body: Body, index: int) -> object:
        scope = body.scope
        expr = scope.exprs[index]
        if isinstance(expr, ir.Const):
            return expr.value if not expr.form else NOT_KNOWN
        if isinstance(expr, ir.Name):
            return self._parameter(family, body, index)
        if isinstance(expr, ir.Attr):
            owner = scope.exprs[expr.value]
            is_own = isinstance(owner, ir.Name) and bool(scope.params) and owner.id == scope.params[0].id
            return self.constant(family, expr.id) if is_own else NOT_KNOWN
        if isinstance(expr, ir.Call):
            value = self._class_asked(family, body, expr)
            return value if value is not NOT_KNOWN else self._probed(family, scope, expr)
        if isinstance(expr, ir.Unary) and expr.op == "not":
            value = self._value(family, body, expr.value)
            return value if value is NOT_KNOWN else not value
        if isinstance(expr, ir.Bool):
            return self._joined(family, body, expr)
        if isinstance(expr, ir.Compare) and len(expr.ops) == 1:
            return self._compared(family, body, expr)
        return NOT_KNOWN

    def _parameter(self, family: Family, body: Body, index: int) -> object:
        """Return the constant that a parameter of a constructor holds for objects of a class."""
        if parameter_of(body.scope, index) < 0 or body.info.id != "__init__":
            return NOT_KNOWN
        expr = body.scope.exprs[index]
        assert isinstance(expr, ir.Name)
        return self._given.of(family, body.info.sid).get(expr.id, NOT_KNOWN)

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

    def _class_asked(self, family: Family, body: Body, call: ir.Call) -> object:
        """Return whether `isinstance(self, X)` holds for objects of a class."""
        exprs = body.scope.exprs
        if not _is_call_of(exprs, call, "isinstance", 2) or not _is_own(body.scope, call.args[0].value):
            return NOT_KNOWN
        cls = self._class_of(body, call.args[1].value)
        return NOT_KNOWN if cls is None else cls.sid in self._families.classes.mro(family.cls.sid)

    def _class_of(self, body: Body, index: int) -> ScopeInfo | None:
        """Return the one class of the tree that a name means."""
        bodies = self._families.tree.bodies
        term = term_of(body.scope.exprs, index)
        found = list(bodies.class_values(bodies.term_values(body.info, term))) if isinstance(term, str) and term else []
        return found[0] if len(found) == 1 else None

    def _joined(self, family: Family, body: Body, expr: ir.Bool) -> object:
        values = [self._value(family, body, i) for i in expr.values]
        decides = expr.op == "or"
        if any(v is not NOT_KNOWN and bool(v) is decides for v in values):
            return decides
        return NOT_KNOWN if any(v is NOT_KNOWN for v in values) else not decides

    def _compared(self, family: Family, body: Body, expr: ir.Compare) -> object:
        value = self._own_class(family, body, expr)
        if value is not NOT_KNOWN:
            return value
        left, right = self._value(family, body, expr.left), self._value(family, body, expr.rights[0])
        if left is NOT_KNOWN or right is NOT_KNOWN:
            return NOT_KNOWN
        if expr.ops[0] in ("is", "=="):
            return left == right
        if expr.ops[0] in ("is not", "!="):
            return left != right
        return NOT_KNOWN

    def _own_class(self, family: Family, body: Body, expr: ir.Compare) -> object:
        """Return what `type(self) is X` and its like are for objects of a class."""
        exprs = body.scope.exprs
        call = exprs[expr.left]
        if not isinstance(call, ir.Call) or not _is_call_of(exprs, call, "type", 1) or expr.ops[0] not in _SAME:
            return NOT_KNOWN
        if not _is_own(body.scope, call.args[0].value):
            return NOT_KNOWN
        cls = self._class_of(body, expr.rights[0])
        return NOT_KNOWN if cls is None else (cls.sid == family.cls.sid) is _SAME[expr.ops[0]]

    def constant(self, family: Family, name: str) -> object:
        """Return the constant that an attribute always holds, else `NOT_KNOWN`."""
        key = (family.cls.sid, name)
        if key not in self._constants:
            self._constants[key] = NOT_KNOWN  # for conditions that ask for the attribute while it is looked for
            self._constants[key] = self._constant(family, name)
        return self._constants[key]

    def _constant(self, family: Family, name: str) -> object:
        sites = family.stored.get(name, [])
        families = self._families
        if family.is_wild or families.set_from_outside(name):
            return NOT_KNOWN
        if families.provides(family.cls, name):
            return NOT_KNOWN if sites else self._bound(family, name)
        if not sites:
            return NOT_KNOWN
        values = [self._stored(family, site) for site in sites]
        same = all(v is not NOT_KNOWN and type(v) is type(values[0]) and v == values[0] for v in values)
        return values[0] if same else NOT_KNOWN

    def _bound(self, family: Family, name: str) -> object:
        """Return the constant that the body of the first class with a name binds to it."""
        families = self._families
        owner = families.tree.info(next(s for s in families.classes.mro(family.cls.sid) if families.gives(s, name)))
        exprs = families.tree.bodies.of(owner).scope.exprs
        binds = [e for e in exprs if isinstance(e, ir.Bind) and e.id == name]
        value = exprs[binds[0].value] if len(binds) == 1 and binds[0].value >= 0 and not binds[0].how else None
        return value.value if isinstance(value, ir.Const) and not value.form else NOT_KNOWN

    def _stored(self, family: Family, site: Site) -> object:
        body = self._families.tree.bodies.of(self._families.tree.info(site.sid))
        store = body.scope.exprs[site.expr]
        if not isinstance(store, ir.StoreAttr) or store.value < 0 or store.how:
            return NOT_KNOWN
        value = body.scope.exprs[store.value]
        if isinstance(value, ir.Const):
            return value.value if not value.form else NOT_KNOWN
        return self._parameter(family, body, store.value)


def _is_call_of(exprs: Sequence[ir.Expr], call: ir.Call, name: str, count: int) -> bool:
    func = exprs[call.func]
    return isinstance(func, ir.Name) and func.id == name and len(call.args) == count


def _is_own(scope: ir.Scope, index: int) -> bool:
    expr = scope.exprs[index]
    return isinstance(expr, ir.Name) and bool(scope.params) and expr.id == scope.params[0].id
