"""Collections: displays, comprehensions, subscripts."""

from __future__ import annotations

from collections.abc import Iterable

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.frame import MAX_INDEX, WITH_FACTORY, Frame, Handlers
from codepath.program.leaving import leaving, same_run
from codepath.program.namespaces import MODULES
from codepath.program.values import Value, Values


def _sequence(frame: Frame, index: int, expr: ir.Sequence) -> Values:
    if expr.form == "tuple" and not _holds_tree(frame, expr.items):
        return _TUPLE
    made = frame.container(index, 0, f"builtins.{expr.form}")
    indexed = expr.form != "set" and len(expr.items) <= MAX_INDEX
    for position, item in enumerate(expr.items):
        if isinstance(frame.exprs[item], ir.Starred):
            indexed = False
            frame.put(made, c.ANY, frame.take(frame.values[item], (ir.ITERATE,)))
        else:
            frame.put(made, position if indexed else c.ANY, frame.values[item])
    return frozenset([made, *_TUPLE]) if expr.form == "tuple" else frozenset([made])


def _holds_tree(frame: Frame, items: Iterable[int]) -> bool:
    """Tell whether something of the tree is among the items: a tuple of outside values is an outside value."""
    held = (value for item in items for value in frame.values[item] if value[0] not in (v.RESULT, v.TEXT_LIKE))
    return any(value[0] != v.TEXT or frame.solver.names_something(value) for value in held)


def _dict(frame: Frame, index: int, expr: ir.Dict) -> Values:
    made = frame.container(index, 0, "builtins.dict")
    for key, value in zip(expr.keys, expr.values, strict=True):
        if key < 0:
            frame.copy_entries(frame.values[value], made)
        else:
            frame.put(made, frame.key_of(key), frame.values[value])
            frame.put_key(made, frame.values[key])
    return frozenset([made])


def _comp(frame: Frame, index: int, expr: ir.Comp) -> Values:
    for clause in expr.clauses:
        for test in clause.conditions:
            if frame.values[test]:
                frame.solver.operators.truth(frame, test, frame.values[test])
    made = frame.container(index, 0, "builtins." + ("list" if expr.form == "generator" else expr.form))
    frame.put(made, c.ANY, frame.values[expr.value if expr.value >= 0 else expr.element])
    if expr.value >= 0:
        frame.put_key(made, frame.values[expr.element])
        frame.solver.operators.keyed(frame, index, (made,), frame.values[expr.element])
    return frozenset([made])


def _subscript(frame: Frame, index: int, expr: ir.Subscript) -> Values:
    found: set[Value] = set()
    frame.solver.operators.keyed(frame, index, frame.values[expr.value], frame.values[expr.index])
    for value in frame.values[expr.value]:
        kind = value[0]
        if kind == v.CONTAINER:
            found |= _item(frame, value, index, expr)
        elif kind in (v.CLASS, v.OPEN_CLASS):
            frame.solver.construction.index_class(frame, index, value)
            found.add(value)
        elif kind in (v.OUTSIDE, v.RESULT, v.OUTER):
            found.add(_OPAQUE if kind != v.OUTSIDE else value)
            if kind == v.OUTSIDE and value[1] == MODULES:
                found |= frame.solver.namespaces.module(frame.values[expr.index])
        elif kind in (v.MEMBER, v.FUNCTION):
            found.add(value)  # a function is subscripted where a decorator made a kernel of it: `kernel[grid](...)`
        elif kind in (v.INSTANCE, v.OPEN):
            found |= frame.solver.operators.subscript(frame, index, value, frame.values[expr.index])
        elif kind in (v.TEXT, v.TEXT_LIKE):
            found.add(_A_STRING)
        elif kind == v.NAMESPACE:
            found |= frame.solver.namespaces.item(frame, index, value, frame.values[expr.index])
        elif kind == v.PIECES:
            found |= frame.solver.patterns.piece(frame, value, expr.index)
    return frozenset(found)


def _item(frame: Frame, value: Value, index: int, expr: ir.Subscript) -> Values:
    inner = frame.exprs[expr.index]
    if isinstance(inner, ir.Slice):
        return _slice(frame, value, index, inner)
    key = frame.key_of(expr.index)
    fresh = frame.fresh.get((value, key)) if frame.fresh else None
    if fresh is not None and len(frame.values[expr.value]) == 1 and same_run(frame.scope.body, fresh[0], index):
        return fresh[1]
    if value[3] == WITH_FACTORY:
        frame.solver.collections.lacking(frame, index, value)
    if key == c.ANY and frame.info.id == "__getattr__" and _gives_asked(frame, index, inner):
        return frozenset([(v.NAMED, value)])
    return frame.elements(value, key)


def _gives_asked(frame: Frame, index: int, key: ir.Expr) -> bool:
    """Tell whether a `__getattr__` returns what an expression finds under the very name that it is asked for."""
    return frame.is_asked_name(key) and index in leaving(frame.scope.body)[0]


def _slice(frame: Frame, value: Value, index: int, expr: ir.Slice) -> Values:
    """A slice with constant bounds shifts the elements whose index is known."""
    lower = _bound(frame, expr.lower, 0)
    upper = _bound(frame, expr.upper, MAX_INDEX)
    if expr.step >= 0 or lower is None or upper is None or (value[1] == frame.info.sid and value[2] == index):
        return frozenset([value])
    made = frame.container(index, 0, value[4])
    for key, held in frame.cells.table((c.ELEMENT, value)).items():
        if not isinstance(key, int):
            frame.put(made, c.ANY, held)
        elif lower <= key < upper:
            frame.put(made, key - lower, held)
    return frozenset([made])


def _bound(frame: Frame, index: int, absent: int) -> int | None:
    expr = frame.exprs[index] if index >= 0 else None
    if expr is None:
        return absent
    if isinstance(expr, ir.Const) and isinstance(expr.value, int) and not isinstance(expr.value, bool):
        return expr.value
    return None


_TUPLE: Values = frozenset([(v.RESULT, "builtins.tuple")])
_A_STRING: Value = (v.RESULT, "builtins.str")
_OPAQUE: Value = (v.RESULT, "")

HANDLERS: Handlers = {
    ir.Sequence: _sequence,
    ir.Dict: _dict,
    ir.Comp: _comp,
    ir.Subscript: _subscript,
}
