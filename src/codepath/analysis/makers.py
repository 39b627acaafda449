"""Where objects were made, and with which functions: what tells two objects of one class apart.

A dispatcher keeps the functions that its constructor is given, and one class of dispatchers serves several owners. An object
that is kept in an attribute of `self` is known by the places that store it there; a function that another object of its class
was made with, and this one was not, is not run by this one.

Approximates: over (a function that some other way hands to an object, and that no object is made with, is never left out).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from codepath.analysis.constants import Folding
from codepath.analysis.dispatching import Dispatch
from codepath.analysis.known import NOTHING_KNOWN, Facts
from codepath.analysis.meanings import is_self
from codepath.analysis.settled import is_related
from codepath.model import ir
from codepath.model.answers import Step
from codepath.program.bodies import Bodies, Body
from codepath.program.graph import CallGraph
from codepath.program.regions import every_region
from codepath.program.tree import ScopeInfo
from codepath.program.values import CLASS, FUNCTION, MODULE, OUTSIDE
from codepath.program.wrapping import Forward, forward_of

Maker = tuple[str, int]
"""A construction: the function that makes an object, and the number of the call in it."""


class Unknown(Exception):
    """An argument may hold functions that its text does not name."""


class Makers:
    """Tells which constructions an object can come from, and what each was given. `steps_in`: those of the question."""

    def __init__(
        self, graph: CallGraph, bodies: Bodies, folding: Folding, steps_in: Mapping[str, Sequence[Step]]
    ) -> None:
        self._graph = graph
        self._steps_in = steps_in
        self._bodies = bodies
        self._folding = folding
        self._stored: dict[tuple[str, str, str], tuple[Maker, ...]] = {}
        self._given: dict[Maker, frozenset[str] | None] = {}
        self._every: dict[str, frozenset[str]] = {}
        self._forwards: dict[str, Forward | None] = {}
        self._dispatch = Dispatch(bodies)

    def of_receiver(self, step: Step, caller: Body, callee: Body, facts: Facts) -> tuple[Maker, ...]:
        """Return the constructions of the object that a step's method runs on, sorted; empty where they are not known."""
        owner = self._bodies.tree.class_around(callee.info)
        own = self._bodies.tree.class_around(caller.info)
        attribute = _attribute(step, caller, callee)
        if owner is None or own is None or not attribute:
            return ()
        key = (facts.cls or own.name, attribute, owner.name)
        found = self._stored.get(key)
        if found is None:
            found = self._stored[key] = self._find(key[0], attribute, owner)
        return found

    def _find(self, cls: str, attribute: str, owner: ScopeInfo) -> tuple[Maker, ...]:
        stores = self._graph.all_stores_of(attribute)
        if any(not by for _, by in stores):
            return ()
        makers: set[Maker] = set()
        for function in sorted({f for f, by in stores if is_related(self._graph, self._bodies, cls, by)}):
            body = self._bodies.body(function)
            if body is None:
                return ()
            try:
                makers.update(self._made_in(body, attribute, owner))
            except Unknown:
                return ()
        return tuple(sorted(makers))

    def _made_in(self, body: Body, attribute: str, owner: ScopeInfo) -> Iterator[Maker]:
        """Yield the constructions that a function stores under an attribute of `self`, or adds to what is there."""
        exprs = body.scope.exprs
        for expr in exprs:
            if not isinstance(expr, ir.StoreAttr) or expr.id != attribute or not is_self(body, exprs[expr.object]):
                continue
            value = exprs[expr.value] if expr.value >= 0 else None
            if isinstance(value, ir.Const) and value.value is None:
                continue
            if expr.how or expr.value < 0:
                raise Unknown
            is_added = isinstance(value, ir.Binary) and value.op.endswith("=") and _reads(exprs[value.left], attribute)
            yield from self._made_by(body, value.right if is_added else expr.value, owner)  # type: ignore[union-attr]

    def _made_by(self, body: Body, index: int, owner: ScopeInfo) -> Iterator[Maker]:
        """Yield the construction that an expression is, or those that a method of `self` returns."""
        call = body.scope.exprs[index]
        if not isinstance(call, ir.Call):
            raise Unknown
        if self._makes(body, call, owner):
            yield body.info.name, index
            return
        func = body.scope.exprs[call.func]
        if not isinstance(func, ir.Attr) or not is_self(body, body.scope.exprs[func.value]):
            raise Unknown
        for method in self._methods(body, func.id):
            inner = self._bodies.body(method)
            returned = [r.value for r in every_region(inner.scope.body) if isinstance(r, ir.Return)] if inner else []
            for value in returned or [-1]:
                result = inner.scope.exprs[value] if inner is not None and value >= 0 else None
                if inner is None or not isinstance(result, ir.Call) or not self._makes(inner, result, owner):
                    raise Unknown
                yield method, value

    def _makes(self, body: Body, call: ir.Call, owner: ScopeInfo) -> bool:
        values = self._folding.values(body, call.func)
        classes = [value[1] for value in values if value[0] == CLASS]
        return len(classes) == len(values) == 1 and owner.sid in self._bodies.classes.mro(classes[0])

    # --- what an object runs -----------------------------------------------------------------------------------------

    def allows(self, step: Step, facts: Facts) -> bool:
        """Tell whether a function can take a step: a wrapper runs what it wraps, a method what its object was made with, and
        a call on `self` what the class of that has."""
        if not self._dispatch.allows(step, facts):
            return False
        if facts.wraps and self._runs_wrapped(step):
            return step.callee in facts.wraps
        caller = self._bodies.scope(step.caller) if facts.made else None
        owner = self._bodies.tree.class_around(caller) if caller is not None else None
        if owner is None or step.callee not in self._given_to_any(owner.name):
            return True
        given = [self.given(maker) for maker in facts.made]
        last = f"*.{step.callee.rpartition('.')[2]}"
        return any(names is None or step.callee in names or last in names for names in given)

    def _runs_wrapped(self, step: Step) -> bool:
        """Tell whether a step of a wrapper is its call of what it wraps."""
        if step.caller not in self._forwards:
            self._forwards[step.caller] = self._forward(step.caller)
        body, forward = self._bodies.body(step.caller), self._forwards[step.caller]
        return body is not None and forward is not None and body.at_place(step.line, step.column) in forward.calls

    def _forward(self, function: str) -> Forward | None:
        body = self._bodies.body(function)
        if body is None or body.info.outer < 0:
            return None
        around = self._bodies.body(self._bodies.tree.scopes[body.info.outer].name)
        return forward_of(around.scope, body.info, body.scope) if around is not None else None

    def _given_to_any(self, cls: str) -> frozenset[str]:
        found = self._every.get(cls)
        if found is None:
            makers = {maker for step in self._steps_into(cls) for maker in self._makers_at(step)}
            names = {name for maker in sorted(makers) for name in self.given(maker) or ()}
            found = self._every[cls] = frozenset(names)
        return found

    def _steps_into(self, cls: str) -> Iterable[Step]:
        for function in sorted(self._steps_in):
            if function.rpartition(".")[0] == cls:
                yield from self._steps_in[function]

    def _makers_at(self, step: Step) -> tuple[Maker, ...]:
        caller, callee = self._bodies.body(step.caller), self._bodies.body(step.callee)
        return self.of_receiver(step, caller, callee, NOTHING_KNOWN) if caller and callee else ()

    def given(self, maker: Maker) -> frozenset[str] | None:
        """Return the functions that the arguments of a construction name, None where they may hold others.

        `*.name` stands for the methods with a name.
        """
        if maker not in self._given:
            body = self._bodies.body(maker[0])
            call = body.scope.exprs[maker[1]] if body is not None else None
            try:
                if body is None or not isinstance(call, ir.Call):
                    raise Unknown
                self._given[maker] = frozenset(n for a in call.args for n in self._names(body, a.value))
            except Unknown:
                self._given[maker] = None
        return self._given[maker]

    def _names(self, body: Body, index: int) -> Iterable[str]:
        expr = body.scope.exprs[index]
        if isinstance(expr, ir.Const):
            return ()
        if isinstance(expr, ir.Lambda):
            return (body.info.module.scopes[expr.scope].name,)
        if isinstance(expr, ir.Sequence):
            return [name for item in expr.items for name in self._names(body, item)]
        if isinstance(expr, ir.Dict) and min(expr.keys, default=0) >= 0:
            return [name for item in (*expr.keys, *expr.values) for name in self._names(body, item)]
        if isinstance(expr, ir.Attr) and is_self(body, body.scope.exprs[expr.value]):
            return self._methods(body, expr.id)
        if isinstance(expr, (ir.Name, ir.Attr)):
            return self._named(body, index)
        raise Unknown

    def _methods(self, body: Body, name: str) -> Iterable[str]:
        tree, classes = self._bodies.tree, self._bodies.classes
        owner = tree.class_around(body.info)
        found = [classes.find(cls, name) for cls in (owner.sid, *classes.below(owner.sid))] if owner is not None else []
        known = {tree.scopes[got.owner].name for got in found if got is not None}
        if not known:
            raise Unknown
        return [f"{cls}.{name}" for cls in sorted(known)]

    def _named(self, body: Body, index: int) -> Iterable[str]:
        values = self._folding.values(body, index)
        expr = body.scope.exprs[index]
        if not values and isinstance(expr, ir.Attr) and any(n.kind == "method" for n in self._graph.named(expr.id)):
            return [f"*.{expr.id}"]  # a method of some object
        if not values or any(value[0] not in (CLASS, FUNCTION, MODULE, OUTSIDE) for value in values):
            raise Unknown
        inner = [self._bodies.tree.scopes[value[1]] for value in sorted(values) if value[0] in (CLASS, FUNCTION)]
        return [name for info in inner for name in (info.name, f"{info.name}.__init__")]


def _reads(expr: ir.Expr, attribute: str) -> bool:
    return isinstance(expr, ir.Attr) and expr.id == attribute


def _attribute(step: Step, caller: Body, callee: Body) -> str:
    """Return the attribute of `self` that a call runs a method of, "" where it is none."""
    exprs = caller.scope.exprs
    index = caller.at_place(step.line, step.column)
    call = exprs[index] if index is not None else None
    if not isinstance(call, ir.Call):
        return ""
    target = exprs[call.func]
    if callee.info.id != "__call__":
        target = exprs[target.value] if isinstance(target, ir.Attr) and target.id == callee.info.id else call
    return target.id if isinstance(target, ir.Attr) and is_self(caller, exprs[target.value]) else ""
