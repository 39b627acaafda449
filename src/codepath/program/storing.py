"""Stores: to names, attributes and items, and their removal."""

from __future__ import annotations

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.annotations import Term, term_of
from codepath.program.frame import MAX_INDEX, Frame, Handlers
from codepath.program.values import NOTHING, Values


def _stored(frame: Frame, index: int, value: int, how: tuple[int, ...], annotation: int) -> Values:
    found = frame.values[value] if value >= 0 else NOTHING
    if how:
        found = frame.take(found, how, index)
        if how[0] == ir.ITERATE and isinstance(shown := frame.exprs[value], ir.Sequence):
            found |= _texts(frame, shown, how[1:])
    if annotation >= 0 and not (value >= 0 and not how and _is_plain(frame, value)):
        term = term_of(frame.exprs, annotation)
        meant = frame.solver.annotations.meant(frame.info, term)
        if meant is not None:
            _declare_elements(frame, found, value, term)
            found = found | meant.values
    return found


def _texts(frame: Frame, shown: ir.Sequence, how: tuple[int, ...]) -> Values:
    """Return the constant strings that a loop takes from a display: collections keep only those that lead to code."""
    if len(shown.items) > MAX_INDEX or len(how) > 1:
        return NOTHING
    items = list(shown.items)
    if how:
        pairs = [expr.items for item in items if isinstance(expr := frame.exprs[item], ir.Sequence)]
        items = [pair[how[0]] for pair in pairs if 0 <= how[0] < len(pair)]
    return frozenset(value for item in items for value in frame.values[item] if value[0] == v.TEXT)


def _declare_elements(frame: Frame, found: Values, value: int, term: Term) -> None:
    """Note what the annotation of a name says of the elements of a collection that is made for it."""
    for made in found:
        if made[0] == v.CONTAINER and made[1] == frame.info.sid and made[2] == value:
            frame.solver.annotations.declare_elements(frame.info, term, made)


def _is_plain(frame: Frame, index: int) -> bool:
    """Tell whether names alone say what class an expression is or makes: its annotation then adds nothing."""
    expr = frame.exprs[index]
    if not isinstance(expr, (ir.Name, ir.Attr, ir.Call)):
        return False
    values = frame.solver.lexical.term_values(frame.info, term_of(frame.exprs, index))
    return bool(values) and all(value[0] == v.CLASS for value in values)


def _bind(frame: Frame, index: int, expr: ir.Bind) -> Values:
    is_plain = expr.value >= 0 > expr.annotation and not expr.how
    found = frame.values[expr.value] if is_plain else _stored(frame, index, expr.value, expr.how, expr.annotation)
    if not found and frame.info.form == "module" and expr.value >= 0:
        found = _number(frame, expr.value)
    if expr.id in frame.scope.globals:
        frame.cells.join((c.NAME, frame.info.module.scopes[0].sid, expr.id), found)
    elif expr.id in frame.scope.nonlocals:
        for scope, name in frame.solver.lexical.free(frame.info, expr.id).cells:
            frame.cells.join((c.NAME, scope, name), found)
    return found


def _number(frame: Frame, index: int) -> Values:
    """Keep an integer that a module gives a name: it may index a table."""
    expr = frame.exprs[index]
    if isinstance(expr, ir.Const) and expr.value.__class__ is int and not expr.form:
        return frozenset([(v.TEXT, expr.value)])
    return NOTHING


def _store_attr(frame: Frame, index: int, expr: ir.StoreAttr) -> Values:
    found = _stored(frame, index, expr.value, expr.how, expr.annotation)
    frame.store_attribute(index, frame.values[expr.object], expr.id, found)
    return found


def _store_item(frame: Frame, index: int, expr: ir.StoreItem) -> Values:
    found = frame.values[expr.value] if expr.value >= 0 else NOTHING
    if expr.how:
        found = frame.take(found, expr.how, index)
    frame.solver.operators.keyed(frame, index, frame.values[expr.object], frame.values[expr.index])
    for value in frame.values[expr.object]:
        if value[0] == v.CONTAINER:
            key = frame.key_of(expr.index)
            frame.put(value, key, found)
            frame.put_key(value, frame.values[expr.index])
            if key != c.ANY and len(frame.values[expr.object]) == 1:
                frame.fresh[value, key] = (index, found)
                frame.again = min(frame.again, index)
        elif value[0] in (v.INSTANCE, v.OPEN):
            arguments = [frame.values[expr.index], found]
            frame.solver.calls.method(frame, index, value, "__setitem__", arguments, "operator")
        elif value[0] == v.NAMESPACE:
            frame.solver.namespaces.store(frame, index, value, frame.values[expr.index], found)
    return NOTHING


def _remove(frame: Frame, index: int, expr: ir.Remove) -> Values:
    if expr.object >= 0:
        name = "__delitem__" if expr.index >= 0 else "__delattr__"
        if expr.index >= 0:
            frame.solver.operators.keyed(frame, index, frame.values[expr.object], frame.values[expr.index])
        frame.solver.operators.special(frame, index, frame.values[expr.object], name)
    return NOTHING


HANDLERS: Handlers = {
    ir.Bind: _bind,
    ir.StoreAttr: _store_attr,
    ir.StoreItem: _store_item,
    ir.Remove: _remove,
}
