"""What each kind of expression gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codepath.analysis.arch import operators
from codepath.analysis.arch.calling import call, lacking_kernel
from codepath.analysis.arch.frames import Frame
from codepath.analysis.arch.members import attribute
from codepath.analysis.arch.record import Lookup
from codepath.analysis.arch.values import (
    NOT_KNOWN,
    UNKNOWN,
    Cls,
    Func,
    Module,
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
from codepath.analysis.arch.versions import when_current
from codepath.model import ir
from codepath.program import values as v

if TYPE_CHECKING:
    from codepath.analysis.arch.machine import Machine


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
    left, left_index = machine.eval(frame, expr.left), expr.left
    values, found = [left], True
    result: bool | None = True
    for op, right_index in zip(expr.ops, expr.rights, strict=True):
        right = machine.eval(frame, right_index)
        values.append(right)
        held = operators.compare(op, left, right)
        if held is None and left.trail is None and right.trail is None:
            held = when_current(frame.body.scope.exprs, left_index, op, right_index)
        if op in ("in", "not in"):
            _look_up(machine, frame, expr.at, op, right, left, None if held is None else held is (op == "in"))
        if held is not True:
            result = held if result is True or held is False else result
            found = False
        if held is False:
            break
        left, left_index = right, right_index
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


EVALUATE: dict[type, Callable[[Machine, Frame, Any, int], Val]] = {
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
