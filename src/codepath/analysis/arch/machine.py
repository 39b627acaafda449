"""Evaluates expressions of a tree on one architecture: abstract, bounded, nothing of the tree is ever run.

Approximates: under where a value is given (it is what Python gives, if values that no probe made are as assumed), else UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from codepath.analysis.arch import operators
from codepath.analysis.arch.calling import call, lacking_kernel
from codepath.analysis.arch.members import attribute
from codepath.analysis.arch.record import Lookup, Notes, Record
from codepath.analysis.arch.running import Run, run
from codepath.analysis.arch.values import (
    NOT_KNOWN,
    UNKNOWN,
    Cls,
    Env,
    Func,
    Instance,
    Module,
    Outside,
    Seq,
    Table,
    Val,
    alternatives,
    grown,
    join,
    of_truth,
    trail_of,
    truth,
)
from codepath.analysis.arch.world import World
from codepath.model import ir
from codepath.model.knowledge import Architecture
from codepath.program import values as v
from codepath.program.bodies import Body
from codepath.program.lexical import Meaning
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId, Value

MAX_DEPTH = 120  # expressions inside each other, over all activations
_BUDGET = 150_000  # expressions that one run of a scope may evaluate


@dataclass
class Frame:
    """One activation.

    `stores` are values stored on `self`; `caught` the exceptions that handlers around take; `dropped` the expression whose
    value nobody takes; `thrown` tells whether an exception was seen; `notes` is None where the activation belongs to a call
    and not to the scope itself. At module level values are computed when they are asked for: `defined` holds them by
    number of definition.
    """

    body: Body
    env: Env
    notes: Notes | None = None
    lazy: bool = False
    reading: bool = False
    defined: dict[int, Val] = field(default_factory=dict)
    stores: dict[str, list[Val]] = field(default_factory=dict)
    returns: list[Val] = field(default_factory=list)
    returned_at: list[int] = field(default_factory=list)
    caught: list[tuple[str, ...]] = field(default_factory=list)
    raised: list[str] = field(default_factory=list)
    used: int = 0
    dropped: int = -1
    thrown: bool = False
    self_val: Val | None = None


@dataclass(eq=False)
class Thunk:
    """A value that is computed when it is asked for."""

    frame: Frame
    bind: ir.Bind
    value: Val | None = None
    is_running: bool = False


class Machine:
    """Evaluates on one architecture.

    `is_key` tells whether a name holds or gives an architecture value, `relevant` whether a scope mentions such a name.
    """

    def __init__(
        self, world: World, arch: Architecture, relevant: Callable[[ScopeId], bool], is_key: Callable[[str], bool]
    ) -> None:
        self.world = world
        self.arch = arch
        self.relevant = relevant
        self.is_key = is_key
        self.record = Record()
        self.modules: dict[ScopeId, Env] = {}
        self.outer_envs: dict[ScopeId, Env] = {}
        self.runs: dict[ScopeId, Run | None] = {}
        self.memo: dict[Any, Val] = {}
        self.running: set[Any] = set()
        self.attribute_memo: dict[tuple[ScopeId, str], Val] = {}
        self.level = 0

    def forget(self) -> None:
        """Drop what was computed: parameters have other values now."""
        self.runs.clear()
        self.memo.clear()
        self.attribute_memo.clear()

    # --- expressions ---------------------------------------------------------------------------------------------------

    def eval(self, frame: Frame, index: int) -> Val:
        """Return the value of an expression of a frame's scope."""
        if index < 0:
            return NOT_KNOWN
        frame.used += 1
        if self.level > MAX_DEPTH or frame.used > _BUDGET:
            self.record.over_budget.add(frame.body.info.sid)
            return NOT_KNOWN
        expr = frame.body.scope.exprs[index]
        apply = _EVAL.get(type(expr))
        if apply is None:
            return NOT_KNOWN
        self.level += 1
        try:
            return apply(self, frame, expr, index)
        finally:
            self.level -= 1

    def test(self, frame: Frame, index: int) -> Val:
        """Return the value of a condition and note it."""
        value = self.eval(frame, index)
        if frame.notes is not None and not isinstance(frame.body.scope.exprs[index], (ir.Bool, ir.Unary, ir.Compare)):
            frame.notes.test(index, value)
        return value

    def path(self, frame: Frame) -> str:
        """Return the file of a frame's scope."""
        return frame.body.info.module.path

    def note(self, frame: Frame, index: int, value: Val) -> None:
        """Note the truth of an operand where the frame is noted."""
        if frame.notes is not None:
            frame.notes.test(index, value)

    # --- names ---------------------------------------------------------------------------------------------------------

    def free(self, info: ScopeInfo, name: str) -> Val:
        """Return a name that a scope does not bind itself."""
        own = info.module.scopes[0]
        origins = own.names.get(name)
        is_computed = origins is not None and (len(origins) > 1 or origins[0].form == "dynamic")
        if is_computed and info.sid != own.sid and not self._is_shadowed(info, name):
            return self.global_value(own.sid, name)
        found = self.of_meaning(self.world.bodies.meaning(info, name))
        if found.data is UNKNOWN and origins and origins[0].form == "member":
            return self.world.of_platform(f"{origins[0].module}.{origins[0].name}") or found
        return found

    def _is_shadowed(self, info: ScopeInfo, name: str) -> bool:
        """Tell whether a function around binds a name."""
        while info.outer >= 0:
            info = self.world.info(info.outer)
            if info.form in ("function", "lambda") and name in info.names:
                return True
        return False

    def of_meaning(self, meaning: Meaning) -> Val:
        """Return what a name means."""
        found = [self.of_value(one) for one in sorted(meaning.values)]
        found += [self._cell(sid, name) for sid, name in meaning.cells]
        if not found:
            return NOT_KNOWN
        return join(found) if len(found) > 1 else found[0]

    def of_value(self, value: Value) -> Val:
        """Return what the tree's names say as a value."""
        kind = value[0]
        if kind == v.FUNCTION:
            return Val(Func(value[1]))
        if kind == v.CLASS:
            return Val(Cls(value[1]))
        if kind == v.MODULE:
            return Val(Module(value[1]))
        if kind == v.OUTSIDE:
            known = self.world.outside(value[1], self.arch, called=False)
            return known if known is not None else Val(Outside(value[1]))
        return NOT_KNOWN

    def _cell(self, sid: ScopeId, name: str) -> Val:
        info = self.world.info(sid)
        if info.form == "module":
            return self.global_value(sid, name)
        if info.form == "class":
            from codepath.analysis.arch.members import class_env

            return self.forced(class_env(self, sid).get(name, NOT_KNOWN))
        env = self.outer_envs.get(sid)
        return env.get(name, NOT_KNOWN) if env is not None else NOT_KNOWN

    def global_value(self, sid: ScopeId, name: str) -> Val:
        """Return a global of a module; one that a function stores is not known."""
        if self.world.is_set_later(sid, name):
            return NOT_KNOWN
        env = self.module_env(sid)
        found = env.get(name)
        info = self.world.info(sid)
        if found is not None:
            return self.forced(found)
        if name in info.names or not self.world.bodies.tree.is_module(f"{info.name}.{name}"):
            return self._platform_alias(info, name)
        return Val(Module(f"{info.name}.{name}"))

    def _platform_alias(self, info: ScopeInfo, name: str) -> Val:
        """Return what the models say of a name that a module of the tree makes up when it is asked."""
        known = self.world.of_platform(f"{info.name}.{name}")
        return known if known is not None else NOT_KNOWN

    def module_env(self, sid: ScopeId) -> Env:
        """Return the globals of a module behind its top level."""
        found = self.modules.get(sid)
        if found is None:
            body = self.world.body(sid)
            env: Env = {}
            self.modules[sid] = env
            frame = Frame(body, env, self.record.fresh(sid), lazy=True)
            run(self, frame)
            found = self.modules[sid] = frame.env
        return found

    def forced(self, value: Val) -> Val:
        """Return a value with what was put off computed."""
        if isinstance(value.data, Thunk):
            return self._force(value.data)
        data = value.data
        if hasattr(data, "of") and isinstance(data.of, tuple) and any(isinstance(o.data, Thunk) for o in data.of):
            return join(self.forced(one) for one in data.of)
        return value

    def _force(self, thunk: Thunk) -> Val:
        if thunk.value is not None:
            return thunk.value
        if thunk.is_running:
            return NOT_KNOWN
        thunk.is_running = True
        before = thunk.frame.reading, thunk.frame.used
        thunk.frame.reading, thunk.frame.used = True, 0
        try:
            value = self.taken(thunk.frame, self.eval(thunk.frame, thunk.bind.value), thunk.bind.how)
        finally:
            thunk.frame.reading, thunk.frame.used = before
            thunk.is_running = False
        value = _named(value, thunk.frame, thunk.bind)
        thunk.value = value
        return value

    def taken(self, frame: Frame, value: Val, how: tuple[int, ...]) -> Val:
        """Return what an unpacking takes from a value, outermost step first."""
        for step in how:
            if step >= 0:
                try:
                    value = operators.item(value, Val(step))
                except operators.Missing:
                    return Val(UNKNOWN, value.trail)
            elif step == ir.ITERATE and isinstance(value.data, Seq):
                value = join(value.data.items)
            else:
                return Val(UNKNOWN, value.trail)
        return value

    def params(self, body: Body) -> Env:
        """Return the parameters of a scope that runs for itself: what calls pass, receivers, the rest unknown."""
        info = body.info
        env: Env = {p.id: NOT_KNOWN for p in info.params}
        passed = self.record.passed.get(info.sid, {})
        around = self.world.bodies.tree.class_around(info)
        if around is not None and info.params and "staticmethod" not in info.decorators:
            is_class = "classmethod" in info.decorators or info.id in ("__new__", "__init_subclass__")
            env[info.params[0].id] = (
                Val(Cls(around.sid, is_open=True)) if is_class else Val(Instance(around.sid, is_open=True))
            )
        for name, value in passed.items():
            if name in env:
                env[name] = Val(value.data, grown(value.trail, info.module.path, info.at, f"parameter {name}"))
        return env

    def bare(self, body: Body) -> Frame:
        """Return a frame to evaluate single expressions of a body in: parameters are not known, nothing is noted."""
        return Frame(body, {}, reading=True)

    def run_scope(self, sid: ScopeId) -> Run | None:
        """Run a function for itself, once; None while it runs."""
        if sid in self.runs:
            return self.runs[sid]
        self.runs[sid] = None
        body = self.world.body(sid)
        frame = Frame(body, self.params(body), self.record.fresh(sid))
        self.outer_envs[sid] = frame.env
        found = self.runs[sid] = run(self, frame)
        self.outer_envs[sid] = frame.env
        return found


def _named(value: Val, frame: Frame, bind: ir.Bind) -> Val:
    """Return a stored value with the store as the last step of its trail."""
    trail = grown(value.trail, frame.body.info.module.path, bind.at, bind.id)
    return Val(value.data, trail) if trail is not value.trail else value


# --- what each kind of expression gives --------------------------------------------------------------------------------


def _const(machine: Machine, frame: Frame, expr: ir.Const, index: int) -> Val:
    return Val(expr.value) if expr.form in ("", "cut") else NOT_KNOWN


def _name(machine: Machine, frame: Frame, expr: ir.Name, index: int) -> Val:
    reaching = frame.body.scope.uses[expr.use]
    if not reaching:
        return machine.free(frame.body.info, expr.id)
    if frame.reading:
        found = [frame.defined[d] for d in reaching if d in frame.defined]
        if found:
            return join(machine.forced(one) for one in found)
    elif expr.id in frame.env:
        return machine.forced(frame.env[expr.id])
    if frame.body.info.form in ("module", "class") and reaching[0] == ir.UNBOUND:
        return machine.free(frame.body.info, expr.id)
    return NOT_KNOWN


def _attr(machine: Machine, frame: Frame, expr: ir.Attr, index: int) -> Val:
    base = frame.body.scope.exprs[expr.value]
    if isinstance(base, ir.Name) and (stored := frame.env.get(f"{base.id}.{expr.id}")) is not None:
        return stored
    value = machine.eval(frame, expr.value)
    return join([attribute(machine, one, expr.id) for one in alternatives(value)])


def _call(machine: Machine, frame: Frame, expr: ir.Call, index: int) -> Val:
    return call(machine, frame, expr, index)


def _subscript(machine: Machine, frame: Frame, expr: ir.Subscript, index: int) -> Val:
    held = machine.eval(frame, expr.value)
    cut = frame.body.scope.exprs[expr.index]
    if isinstance(cut, ir.Slice):
        ends = [machine.eval(frame, end) if end >= 0 else None for end in (cut.lower, cut.upper)]
        return operators.part(held, ends[0], ends[1])
    key = machine.eval(frame, expr.index)
    missed = False
    try:
        found = operators.item(held, key)
    except operators.Missing:
        missed, found = True, Val(UNKNOWN, trail_of((key, held)))
    _look_up(machine, frame, expr.at, "[]", held, key, None if found.data is UNKNOWN and not missed else not missed)
    if missed and any(isinstance(one.data, Table) for one in alternatives(held)) and key.trail is not None:
        frame.raised.append("KeyError")
    return found


def _look_up(machine: Machine, frame: Frame, at: int, style: str, held: Val, key: Val, hit: bool | None) -> None:
    if frame.notes is None or key.trail is None:
        return
    for one in alternatives(held):
        if isinstance(one.data, Table):
            caught = any("KeyError" in names or "Exception" in names or "" in names for names in frame.caught)
            found = Lookup(style, (one.data.sid, one.data.at), key, hit, caught)
            frame.notes.lookup(at, found)


def _unary(machine: Machine, frame: Frame, expr: ir.Unary, index: int) -> Val:
    if expr.op == "not":
        value = machine.test(frame, expr.value)
        found = truth(value)
        result = of_truth(None if found is None else not found, value.trail)
        machine.note(frame, index, result)
        return result
    return operators.unary(expr.op, machine.eval(frame, expr.value))


def _binary(machine: Machine, frame: Frame, expr: ir.Binary, index: int) -> Val:
    return operators.binary(expr.op, machine.eval(frame, expr.left), machine.eval(frame, expr.right))


def _bool(machine: Machine, frame: Frame, expr: ir.Bool, index: int) -> Val:
    stops = expr.op == "or"
    found: bool | None = not stops
    last = NOT_KNOWN
    seen: list[Val] = []
    for operand in expr.values:
        last = machine.test(frame, operand)
        seen.append(last)
        held = truth(last)
        if held is stops:
            found = stops
            break
        if held is None:
            found = None
    trail = trail_of(seen)
    result = Val(last.data, trail) if found is not None else Val(UNKNOWN, trail)
    machine.note(frame, index, result)
    return result


def _compare(machine: Machine, frame: Frame, expr: ir.Compare, index: int) -> Val:
    left = machine.eval(frame, expr.left)
    values, found = [left], True
    result: bool | None = True
    for op, right_index in zip(expr.ops, expr.rights, strict=True):
        right = machine.eval(frame, right_index)
        values.append(right)
        held = operators.compare(op, left, right)
        if op in ("in", "not in"):
            _look_up(machine, frame, expr.at, op, right, left, None if held is None else held is (op == "in"))
        if held is not True:
            result = held if result is True or held is False else result
            found = False
        if held is False:
            break
        left = right
    value = of_truth(True if found else result, _compared(machine, frame, expr, values))
    machine.note(frame, index, value)
    return value


def _compared(machine: Machine, frame: Frame, expr: ir.Compare, values: list[Val]) -> Any:
    return grown(trail_of(values), machine.path(frame), expr.at, f"compared with {expr.ops[0]}")


def _ternary(machine: Machine, frame: Frame, expr: ir.Ternary, index: int) -> Val:
    test = machine.test(frame, expr.test)
    held = truth(test)
    if held is None:
        value = join((machine.eval(frame, expr.body), machine.eval(frame, expr.orelse)))
    else:
        value = machine.eval(frame, expr.body if held else expr.orelse)
    if test.trail is not None and value.trail is None:
        return Val(value.data, test.trail)
    return value


def _lambda(machine: Machine, frame: Frame, expr: ir.Lambda, index: int) -> Val:
    return Val(Func(frame.body.info.module.scopes[expr.scope].sid))


def _sequence(machine: Machine, frame: Frame, expr: ir.Sequence, index: int) -> Val:
    items: list[Val] = []
    for at in expr.items:
        one = frame.body.scope.exprs[at]
        if isinstance(one, ir.Starred):
            held = machine.eval(frame, one.value)
            if not isinstance(held.data, Seq):
                return Val(UNKNOWN, held.trail)
            items.extend(held.data.items)
        else:
            items.append(machine.eval(frame, at))
    return Val(Seq(expr.form, tuple(items)), trail_of(items))


def _dict(machine: Machine, frame: Frame, expr: ir.Dict, index: int) -> Val:
    keys: list[Val] = []
    values: list[Val] = []
    is_open = False
    for key, value in zip(expr.keys, expr.values, strict=True):
        held = machine.eval(frame, value)
        if key >= 0:
            keys.append(machine.eval(frame, key))
            values.append(held)
        elif isinstance(held.data, Table):
            keys.extend(held.data.keys)
            values.extend(held.data.values)
            is_open = is_open or held.data.is_open
        else:
            is_open = True
    return Val(Table(frame.body.info.sid, expr.at, tuple(keys), tuple(values), is_open), trail_of(keys))


def _joined(machine: Machine, frame: Frame, expr: ir.Joined, index: int) -> Val:
    parts = [machine.eval(frame, part) for part in expr.parts]
    trail = trail_of(parts)
    texts: list[str] = []
    for part in parts:
        if not isinstance(part.data, (str, int, float)):
            return Val(UNKNOWN, trail)
        texts.append(str(part.data))
    return Val("".join(texts), trail)


def _comp(machine: Machine, frame: Frame, expr: ir.Comp, index: int) -> Val:
    from codepath.analysis.arch.running import comprehension

    return comprehension(machine, frame, expr)


def _inner(machine: Machine, frame: Frame, expr: ir.Await | ir.Starred, index: int) -> Val:
    return machine.eval(frame, expr.value)


def _bind(machine: Machine, frame: Frame, expr: ir.Bind, index: int) -> Val:
    """A walrus: the value of its store."""
    return machine.eval(frame, expr.value) if not expr.how else NOT_KNOWN


def _import(machine: Machine, frame: Frame, expr: ir.Import, index: int) -> Val:
    tree = machine.world.bodies.tree
    _note_import(machine, frame, expr.module, expr.at)
    return Val(Module(expr.bound)) if tree.is_module(expr.bound) else machine.of_value((v.OUTSIDE, expr.bound))


def _note_import(machine: Machine, frame: Frame, module: str, at: int) -> None:
    """Note the import of a package of kernels that is not built for this architecture."""
    if frame.notes is not None:
        name = lacking_kernel(machine, module, {})
        if name:
            frame.notes.kernels[at] = name


def _import_from(machine: Machine, frame: Frame, expr: ir.ImportFrom, index: int) -> Val:
    module = frame.body.info.module.absolute(expr.module, expr.level)
    if not machine.world.bodies.tree.is_module(module):
        _note_import(machine, frame, module, expr.at)
        return machine.of_value((v.OUTSIDE, f"{module}.{expr.name}"))
    return attribute(machine, Val(Module(module)), expr.name)


def _function(machine: Machine, frame: Frame, expr: ir.Function, index: int) -> Val:
    return Val(Func(frame.body.info.module.scopes[expr.scope].sid))


def _class(machine: Machine, frame: Frame, expr: ir.Class, index: int) -> Val:
    return Val(Cls(frame.body.info.module.scopes[expr.scope].sid))


_EVAL: dict[type, Callable[[Machine, Frame, Any, int], Val]] = {
    ir.Const: _const,
    ir.Name: _name,
    ir.Attr: _attr,
    ir.Call: _call,
    ir.Subscript: _subscript,
    ir.Unary: _unary,
    ir.Binary: _binary,
    ir.Bool: _bool,
    ir.Compare: _compare,
    ir.Ternary: _ternary,
    ir.Lambda: _lambda,
    ir.Sequence: _sequence,
    ir.Dict: _dict,
    ir.Joined: _joined,
    ir.Comp: _comp,
    ir.Await: _inner,
    ir.Starred: _inner,
    ir.Bind: _bind,
    ir.Import: _import,
    ir.ImportFrom: _import_from,
    ir.Function: _function,
    ir.Class: _class,
}
