"""What a step passes on: from the facts of the caller at a call site to the facts of the callee."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from codepath.analysis.constants import Folding
from codepath.analysis.followed import Within
from codepath.analysis.known import Facts, Known
from codepath.analysis.makers import Makers
from codepath.analysis.meanings import is_self, is_super
from codepath.model import ir
from codepath.model.answers import Step
from codepath.program.bodies import Bodies, Body
from codepath.program.guards import Literal
from codepath.program.tree import ScopeInfo
from codepath.program.values import CLASS, ScopeId

_SPAWNS = frozenset(["spawn-process", "spawn-thread"])
_PASSING = frozenset(["call", "construct", "super", "dispatch", "spawn-process", "spawn-thread"])
"""Kinds of steps whose arguments are those of the call; others are run by somebody else, with what is not seen."""
_LOOPS = frozenset(["for", "while", "comprehension"])
_MAX_DEPTH = 6


class Passing:
    """Computes callee facts. What depends on no maker is shared with one `like` it, over the same bodies and folding."""

    def __init__(
        self, bodies: Bodies, folding: Folding, makers: Makers | None = None, like: Passing | None = None
    ) -> None:
        self._bodies = bodies
        self._folding = folding
        self._makers = makers
        self._touched: dict[ScopeId, tuple[int, ...]] = like._touched if like else {}
        self._attributes: dict[tuple[object, ...], tuple[tuple[str, Known], ...]] = like._attributes if like else {}
        self._within = Within(bodies, folding.followed) if folding.follows_globals else None

    def here(self, caller: Body, facts: Facts, index: int) -> Facts:
        """Return what is known where an expression stands."""
        within = self._within.at(caller, index) if self._within is not None else ()
        inside = tuple(dict.fromkeys((*facts.within, *within))) if within else facts.within
        attributes = self.attributes(caller, facts, index)
        return Facts(facts.params, attributes, facts.cls, within=inside, loose=facts.loose)

    def facts(self, step: Step, caller: Body, callee: Body, facts: Facts) -> Facts:
        """Return what the callee of a step knows, the caller knowing `facts`."""
        found = self._facts(step, caller, callee, facts)
        return replace(found, wraps=step.via.wraps) if step.via is not None and step.via.wraps else found

    def _facts(self, step: Step, caller: Body, callee: Body, facts: Facts) -> Facts:
        index = caller.at_place(step.line, step.column)
        call = caller.scope.exprs[index] if index is not None else None
        if index is None or not isinstance(call, ir.Call) or step.kind not in _PASSING:
            return Facts(within=facts.within if step.kind != "spawn-process" else ())
        here = self.here(caller, facts, index)
        within = here.within if step.kind != "spawn-process" else ()
        params = self._params(step, caller, call, callee, here)
        if step.kind == "construct":
            cls, loose = self._class_made(caller, call, callee)
            return Facts(params, (), cls, within=within, loose=loose)
        if self._is_own_call(caller, call) and _names(caller, call, callee):
            return Facts(params, here.attributes, facts.cls, facts.made, within, facts.loose)
        made = self._makers.of_receiver(step, caller, callee, facts) if self._makers else ()
        return Facts(params, made=made, within=within)

    def _class_made(self, caller: Body, call: ir.Call, callee: Body) -> tuple[str, bool]:
        """Return the class of the object that a call makes, and whether it may be a subclass that inherits the constructor."""
        owner = self._bodies.tree.class_around(callee.info)
        if owner is None:
            return "", False
        func = caller.scope.exprs[call.func]
        if isinstance(func, (ir.Name, ir.Attr)) and func.id != owner.id:
            self._load_meant(caller, func)
        named = [self._bodies.tree.scopes[v[1]] for v in self._folding.values(caller, call.func) if v[0] == CLASS]
        found = self._bodies.classes.find(named[0].sid, callee.info.id) if len(named) == 1 else None
        if found is not None and found.owner == owner.sid:
            return named[0].name, False
        return owner.name, self._folding.is_inherited(owner, callee.info.id)

    # --- arguments ---------------------------------------------------------------------------------------------------

    def _params(
        self, step: Step, caller: Body, call: ir.Call, callee: Body, facts: Facts
    ) -> tuple[tuple[str, Known], ...]:
        given, complete = self._given(step, caller, call, facts)
        if not self._is_named(step, caller, call, callee):  # perhaps a partial or a wrapper: only keywords are sure
            given, complete = ([], given[1]), False
        skip = self._skipped(step, caller, call, callee)
        known: dict[str, Known] = {}
        position = -skip
        for number, param in enumerate(callee.info.params):
            value: Known | None = None
            passed = False
            if param.form in ("positional", "normal"):
                if 0 <= position < len(given[0]):
                    passed, value = True, given[0][position]
                position += 1
            if param.form in ("normal", "keyword") and param.id in given[1]:
                passed, value = True, given[1][param.id]
            if not passed and complete and number >= skip and param.default >= 0:
                value = self._default(callee, param.default)
            if value is not None:
                known[param.id] = value
        return tuple(sorted(known.items()))

    def _is_named(self, step: Step, caller: Body, call: ir.Call, callee: Body) -> bool:
        """Tell whether a call names the very function or class that runs."""
        exprs = caller.scope.exprs
        func = exprs[call.func]
        if step.kind in _SPAWNS:
            targets = [exprs[a.value] for a in call.args if a.name == "target"]
            func = targets[0] if targets else func
        if not isinstance(func, (ir.Name, ir.Attr)):
            return isinstance(func, ir.Call) and step.kind == "dispatch"
        owner = self._bodies.tree.class_around(callee.info)
        if owner is None or step.kind != "construct":
            return step.kind == "dispatch" or func.id == callee.info.id
        if func.id != owner.id:
            self._load_meant(
                caller, func
            )  # a class below that inherits its constructor: nothing else leads to its module
        below = (owner.sid, *self._bodies.classes.below(owner.sid))
        return func.id in {self._bodies.tree.scopes[sid].id for sid in below}

    def _load_meant(self, caller: Body, func: ir.Name | ir.Attr) -> None:
        """Load the module that a name comes from."""
        if not isinstance(func, ir.Name):
            return
        scope = caller.scope
        reaching = scope.uses[func.use]
        if not reaching:
            self._bodies.meaning(caller.info, func.id)
        for number in reaching:
            at = scope.definitions[number].bind if number >= 0 else -1
            bind = scope.exprs[at] if at >= 0 else None
            value = scope.exprs[bind.value] if isinstance(bind, ir.Bind) and bind.value >= 0 else None
            if isinstance(value, ir.ImportFrom):
                self._bodies.member(caller.info.module.absolute(value.module, value.level), value.name)

    def _given(
        self, step: Step, caller: Body, call: ir.Call, facts: Facts
    ) -> tuple[tuple[list[Known | None], dict[str, Known | None]], bool]:
        """Return the positional and named arguments of a call, and whether there can be no others."""
        if step.kind in _SPAWNS:
            return self._spawned(caller, call, facts)
        positional: list[Known | None] = []
        named: dict[str, Known | None] = {}
        complete = True
        for argument in call.args:
            if argument.star == 1:
                return (positional, named), False
            if argument.star == 2:
                complete = self._unpacked(caller, argument.value, facts, named) and complete
            elif argument.name is not None:
                named[argument.name] = self._folding.value(caller, argument.value, facts)
            else:
                positional.append(self._folding.value(caller, argument.value, facts))
        return (positional, named), complete

    def _spawned(
        self, caller: Body, call: ir.Call, facts: Facts
    ) -> tuple[tuple[list[Known | None], dict[str, Known | None]], bool]:
        positional: list[Known | None] = []
        named: dict[str, Known | None] = {}
        complete = True
        for argument in call.args:
            if argument.name == "args":
                held = caller.scope.exprs[argument.value]
                if isinstance(held, ir.Sequence) and not any(
                    isinstance(caller.scope.exprs[i], ir.Starred) for i in held.items
                ):
                    positional = [self._folding.value(caller, item, facts) for item in held.items]
                else:
                    complete = False
            elif argument.name == "kwargs":
                complete = self._unpacked(caller, argument.value, facts, named) and complete
            elif argument.star:
                complete = False
        return (positional, named), complete

    def _unpacked(self, caller: Body, index: int, facts: Facts, named: dict[str, Known | None]) -> bool:
        """Add the entries of a table given as `**table`; tell whether they are all known by key."""
        exprs = caller.scope.exprs
        expr = exprs[index]
        if isinstance(expr, ir.Name):
            reaching = caller.scope.uses[expr.use]
            bind = caller.scope.definitions[reaching[0]].bind if len(reaching) == 1 and reaching[0] >= 0 else -1
            stored = _stored_keys(caller, expr.id, bind, index) if bind >= 0 else None
            bound = exprs[bind]
            if stored is None or not isinstance(bound, ir.Bind) or bound.how or bound.value < 0:
                return False
            whole = self._table(caller, exprs[bound.value], facts, named)
            named.update(dict.fromkeys(stored))
            return whole
        return self._table(caller, expr, facts, named)

    def _table(self, caller: Body, expr: ir.Expr, facts: Facts, named: dict[str, Known | None]) -> bool:
        """Add the entries of a table as it is written."""
        exprs = caller.scope.exprs
        if isinstance(expr, ir.Dict):
            whole = True
            own: dict[str, Known | None] = {}
            for key, value in zip(expr.keys, expr.values, strict=True):
                text = exprs[key] if key >= 0 else None
                if isinstance(text, ir.Const) and isinstance(text.value, str):
                    own[text.value] = self._folding.value(caller, value, facts)
                    continue
                own.update(dict.fromkeys(own))  # another table, or a key that is not known, may store over them
                whole = False
            named.update(own)
            return whole
        if isinstance(expr, ir.Call) and isinstance(func := exprs[expr.func], ir.Name) and func.id == "dict":
            for argument in expr.args:
                if argument.name is None:
                    return False
                named[argument.name] = self._folding.value(caller, argument.value, facts)
            return True
        return False

    def _skipped(self, step: Step, caller: Body, call: ir.Call, callee: Body) -> int:
        """Return how many parameters the receiver takes."""
        owner = self._bodies.tree.class_around(callee.info)
        if owner is None or _has_decorator(callee.info, "staticmethod"):
            return 0
        if step.kind == "construct" or _has_decorator(callee.info, "classmethod"):
            return 1
        func = caller.scope.exprs[call.func]
        if isinstance(func, ir.Attr) and self._names_class(caller, func.value):
            return 0
        return 1

    def _names_class(self, body: Body, index: int) -> bool:
        expr = body.scope.exprs[index]
        if not isinstance(expr, (ir.Name, ir.Attr)):
            return False
        last = expr.id
        return any(
            self._bodies.tree.scopes[v[1]].id == last for v in self._folding.values(body, index) if v[0] == CLASS
        )

    def _default(self, callee: Body, default: int) -> Known | None:
        if callee.around is None:
            return None
        outer = self._bodies.of(self._bodies.tree.scopes[callee.info.outer])
        return self._folding.value(outer, default, Facts())

    # --- self --------------------------------------------------------------------------------------------------------

    def _is_own_call(self, caller: Body, call: ir.Call) -> bool:
        """Tell whether a call runs a method on the caller's own `self`."""
        exprs = caller.scope.exprs
        func = exprs[call.func]
        if not isinstance(func, ir.Attr):
            return False
        base = exprs[func.value]
        if is_self(caller, base) or is_super(caller, base):
            return True
        return bool(call.args) and is_self(caller, exprs[call.args[0].value]) and self._names_class(caller, func.value)

    def attributes(self, body: Body, facts: Facts, stop: int, depth: int = 0) -> tuple[tuple[str, Known], ...]:
        """Return what is known of the attributes of `self` before expression `stop` of a method."""
        touching = self._touching(body)
        if not touching:
            return facts.attributes
        literals = body.guards.of(stop) if stop < len(body.scope.exprs) else ()
        key = (body.info.sid, facts, bisect_left(touching, stop), literals, depth)
        found = self._attributes.get(key)
        if found is None:
            found = self._attributes[key] = self._stored_before(body, facts, touching, stop, set(literals), depth)
        return found

    def _stored_before(
        self, body: Body, facts: Facts, touching: tuple[int, ...], stop: int, guards: set[Literal], depth: int
    ) -> tuple[tuple[str, Known], ...]:
        """Return what is known of the attributes of `self` where `stop` runs under some guards."""
        known = dict(facts.attributes)
        loops = {guard for guard in guards if guard.kind in _LOOPS}
        for index in touching:
            expr = body.scope.exprs[index]
            if isinstance(expr, ir.StoreAttr):
                if index < stop:
                    self._store(body, facts, known, index, expr, guards)
                elif loops & set(body.guards.of(index)):
                    known.pop(expr.id, None)  # stored later in the loop, so before in its next round
            elif isinstance(expr, ir.Call) and index < stop and depth < _MAX_DEPTH:
                self._constructor(body, facts, known, expr, depth)
        return tuple(sorted(known.items()))

    def _touching(self, body: Body) -> tuple[int, ...]:
        """Return the expressions that store attributes of `self`, and the calls on it that may be of a constructor."""
        found = self._touched.get(body.info.sid)
        if found is None:
            exprs = body.scope.exprs
            found = self._touched[body.info.sid] = tuple(
                index
                for index, expr in enumerate(exprs)
                if (isinstance(expr, ir.StoreAttr) and is_self(body, exprs[expr.object]))
                or (isinstance(expr, ir.Call) and _is_constructor(exprs[expr.func]) and self._is_own_call(body, expr))
            )
        return found

    def _store(
        self, body: Body, facts: Facts, known: dict[str, Known], index: int, expr: ir.StoreAttr, guards: set[Literal]
    ) -> None:
        here = Facts(facts.params, tuple(known.items()), facts.cls, within=facts.within, loose=facts.loose)
        for guard in body.guards.of(index):
            if guard.kind == "try" or guard in guards:
                continue
            truth = self._folding.truth(body, guard.test, here) if guard.test >= 0 else None
            if truth is not None and truth.value != guard.polarity:
                return  # not stored on this path
            if truth is None:
                known.pop(expr.id, None)
                return
        value = self._folding.value(body, expr.value, here) if not expr.how else None
        if value is None:
            known.pop(expr.id, None)
        else:
            known[expr.id] = value

    def _constructor(self, body: Body, facts: Facts, known: dict[str, Known], call: ir.Call, depth: int) -> None:
        """Take over what the `__init__` of a base, called on the same `self`, stores."""
        func = body.scope.exprs[call.func]
        assert isinstance(func, ir.Attr)
        callee = self._base_init(body, func, facts)
        if callee is None:
            known.clear()
            return
        step = Step(body.info.name, callee.info.name, "", 0, 0, "super", "exact", None, ())
        here = Facts(facts.params, tuple(known.items()), facts.cls, within=facts.within, loose=facts.loose)
        params = self._params(step, body, call, callee, here)
        inner = Facts(params, tuple(sorted(known.items())), facts.cls, within=facts.within, loose=facts.loose)
        known.clear()
        known.update(self.attributes(callee, inner, len(callee.scope.exprs), depth + 1))

    def _behind(self, cls: ScopeInfo, owner: ScopeInfo) -> tuple[ScopeId, ...]:
        """Return what stands behind a class in the linear order of another."""
        order = self._bodies.classes.mro(cls.sid)
        return order[order.index(owner.sid) + 1 :] if owner.sid in order else ()

    def _base_init(self, body: Body, func: ir.Attr, facts: Facts) -> Body | None:
        """Return the constructor of a base that a call runs, None where that depends on a subclass that is not known."""
        owner = self._bodies.tree.class_around(body.info)
        if owner is None:
            return None
        if is_super(body, body.scope.exprs[func.value]):
            whole = (self._bodies.scope(facts.cls) if facts.cls else None) or owner
            order = self._behind(whole, owner)
            heirs = self._folding.heirs(whole, "__init__") if facts.loose else ()
            if any(self._behind(heir, owner)[:1] != order[:1] for heir in heirs):
                return None
        else:
            found = [v[1] for v in self._folding.values(body, func.value) if v[0] == CLASS]
            order = self._bodies.classes.mro(found[0]) if found else ()
        for cls in order:
            info = self._bodies.tree.scopes[cls]
            if "__init__" in info.names:
                return self._bodies.body(f"{info.name}.__init__")
        return None


def _names(caller: Body, call: ir.Call, callee: Body) -> bool:
    """Tell whether a call of an attribute runs the method of that name, not an object that is kept there."""
    func = caller.scope.exprs[call.func]
    return isinstance(func, ir.Attr) and func.id == callee.info.id


def _stored_keys(body: Body, name: str, start: int, stop: int) -> set[str] | None:
    """Return the keys that are stored in a local table between its definition and a use, None where any may be."""
    exprs = body.scope.exprs
    keys: set[str] = set()
    used = {index for index in range(start + 1, stop) if _is_named(exprs[index], name)}
    for expr in exprs[start + 1 : stop]:
        if isinstance(expr, ir.StoreItem) and expr.object in used:
            key = exprs[expr.index]
            if not isinstance(key, ir.Const) or not isinstance(key.value, str):
                return None
            keys.add(key.value)
        used.difference_update(_only_read(expr))
    return None if used else keys  # what else it is used for may store in it, or give it another name


def _only_read(expr: ir.Expr) -> tuple[int, ...]:
    """Return the parts of an expression that nothing is stored in but by a key that is seen."""
    if isinstance(expr, ir.StoreItem):
        return (expr.object,)
    if isinstance(expr, ir.Attr):
        return (expr.value,) if expr.id in _READING else ()
    if isinstance(expr, ir.Call):
        return tuple(argument.value for argument in expr.args if argument.star)
    if isinstance(expr, ir.Subscript):
        return (expr.value,)
    if isinstance(expr, ir.Compare):
        return expr.rights if expr.ops in (("in",), ("not in",)) else ()
    return ()


_READING = frozenset(["get", "items", "keys", "values", "copy"])


def _is_named(expr: ir.Expr, name: str) -> bool:
    return isinstance(expr, ir.Name) and expr.id == name


def _is_constructor(func: ir.Expr) -> bool:
    return isinstance(func, ir.Attr) and func.id == "__init__"


def _has_decorator(info: ScopeInfo, name: str) -> bool:
    return any((t if isinstance(t, str) else t[0]).rpartition(".")[2] == name for t in info.decorators)
