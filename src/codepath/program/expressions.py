"""What expressions give that make no collection, store nothing and call nothing by name: operators, `await`, `yield`."""

from __future__ import annotations

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.frame import Frame, Handlers
from codepath.program.values import NOTHING, Value, Values


def _joined(frame: Frame, index: int, expr: ir.Joined) -> Values:
    return frame.solver.operators.joined(frame, index, expr)


def _bool(frame: Frame, index: int, expr: ir.Bool) -> Values:
    for tested in expr.values[:-1]:
        if frame.values[tested]:
            frame.solver.operators.truth(frame, tested, frame.values[tested])
    return NOTHING.union(*(frame.values[i] for i in expr.values))


def _unary(frame: Frame, index: int, expr: ir.Unary) -> Values:
    return frame.solver.operators.unary(frame, index, expr)


def _binary(frame: Frame, index: int, expr: ir.Binary) -> Values:
    return frame.solver.operators.binary(frame, index, expr)


def _compare(frame: Frame, index: int, expr: ir.Compare) -> Values:
    return frame.solver.operators.compare(frame, index, expr)


def _ternary(frame: Frame, index: int, expr: ir.Ternary) -> Values:
    if frame.values[expr.test]:
        frame.solver.operators.truth(frame, expr.test, frame.values[expr.test])
    return frame.values[expr.body] | frame.values[expr.orelse]


def _starred(frame: Frame, index: int, expr: ir.Starred) -> Values:
    return frame.values[expr.value]


def _await(frame: Frame, index: int, expr: ir.Await) -> Values:
    values = frame.values[expr.value]
    found = frame.awaited(values)
    for value in values:
        if value[0] in (v.INSTANCE, v.OPEN) and frame.solver.calls.is_special(value[1], "__await__"):
            started = frame.solver.calls.method(frame, index, value, "__await__", [], "operator")
            given = (frame.cells.read((c.RETURN, one[1])) for one in started if one[0] == v.STARTED)
            found = (found - {value}).union(*given)
    return found


def _yield(frame: Frame, index: int, expr: ir.Yield) -> Values:
    if expr.value >= 0:
        frame.cells.join((c.YIELD, frame.info.sid), frame.solver.passed(frame.values[expr.value]))
    return frame.cells.read((c.SENT, frame.info.sid))


def _yield_from(frame: Frame, index: int, expr: ir.YieldFrom) -> Values:
    values = frame.values[expr.value]
    frame.cells.join((c.YIELD, frame.info.sid), frame.solver.passed(frame.take(values, (ir.ITERATE,))))
    found: set[Value] = set()
    for value in values:
        if value[0] == v.STARTED:
            frame.cells.join((c.SENT, value[1]), frame.cells.read((c.SENT, frame.info.sid)))
            found |= frame.cells.read((c.RETURN, value[1]))
    return frozenset(found)


HANDLERS: Handlers = {
    ir.Joined: _joined,
    ir.Bool: _bool,
    ir.Unary: _unary,
    ir.Binary: _binary,
    ir.Compare: _compare,
    ir.Ternary: _ternary,
    ir.Starred: _starred,
    ir.Await: _await,
    ir.Yield: _yield,
    ir.YieldFrom: _yield_from,
}
