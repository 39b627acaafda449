"""What a condition tells about names and paths: `is None`, truth, `isinstance`, comparisons, and their combinations."""

from __future__ import annotations

from codepath.analysis.nulls.states import NONE, SOME, State, join, key_of, narrowed
from codepath.model import ir

_ORDERING = frozenset(["<", "<=", ">", ">="])
_MAX_DEPTH = 30


def refined(
    exprs: tuple[ir.Expr, ...], index: int, polarity: bool, state: State | None, depth: int = 0
) -> State | None:
    """Return what holds where a condition has a truth value; None where it never has."""
    if state is None or index < 0 or depth > _MAX_DEPTH:
        return state
    expr = exprs[index]
    if isinstance(expr, ir.Unary) and expr.op == "not":
        return refined(exprs, expr.value, not polarity, state, depth + 1)
    if isinstance(expr, ir.Bool):
        return _joined(exprs, expr, polarity, state, depth)
    if isinstance(expr, ir.Compare):
        return _compared(exprs, expr, polarity, state)
    if isinstance(expr, ir.Const):
        return state if expr.form or bool(expr.value) == polarity else None
    if isinstance(expr, ir.Bind) and not expr.how:
        inner = refined(exprs, expr.value, polarity, state, depth + 1)
        return _narrow(exprs, index, SOME, inner) if polarity else inner
    if isinstance(expr, ir.Call):
        return _asked(exprs, expr, state) if polarity else state
    return _narrow(exprs, index, SOME, state) if polarity else state


def _joined(exprs: tuple[ir.Expr, ...], expr: ir.Bool, polarity: bool, state: State, depth: int) -> State | None:
    stops = expr.op == "or"
    here: State | None = state
    found: State | None = None
    for operand in expr.values:
        if polarity == stops:
            found = join(found, refined(exprs, operand, stops, here, depth + 1))
        here = refined(exprs, operand, not stops, here, depth + 1)
    return found if polarity == stops else here


def _compared(exprs: tuple[ir.Expr, ...], expr: ir.Compare, polarity: bool, state: State) -> State | None:
    if len(expr.ops) != 1:
        return state
    op, left, right = expr.ops[0], expr.left, expr.rights[0]
    if op in _ORDERING:
        return _narrow(exprs, right, SOME, _narrow(exprs, left, SOME, state))
    if op in ("in", "not in"):
        held = exprs[right]
        if isinstance(held, ir.Sequence) and all(is_something(exprs[i]) for i in held.items):
            return _narrow(exprs, left, SOME, state) if polarity == (op == "in") else state
        return state
    if op not in ("is", "is not", "==", "!="):
        return state
    same = polarity == (op in ("is", "=="))
    for one, other in ((left, right), (right, left)):
        if is_none(exprs[other]):
            return _narrow(exprs, one, NONE if same else SOME, state)
        if is_something(exprs[other]) and same:
            return _narrow(exprs, one, SOME, state)
    return state


def _asked(exprs: tuple[ir.Expr, ...], call: ir.Call, state: State) -> State | None:
    """Narrow by a call that is true of no None: `isinstance(x, C)`, `hasattr(x, "name")`, `callable(x)`."""
    func = exprs[call.func]
    if not isinstance(func, ir.Name) or func.id not in ("isinstance", "hasattr", "callable") or not call.args:
        return state
    if func.id == "isinstance" and len(call.args) == 2 and _mentions_none(exprs, call.args[1].value):
        return state
    return _narrow(exprs, call.args[0].value, SOME, state)


def _mentions_none(exprs: tuple[ir.Expr, ...], index: int) -> bool:
    """Tell whether classes may hold that of None: `type(None)`, `NoneType`, a name made elsewhere."""
    expr = exprs[index]
    if isinstance(expr, ir.Sequence):
        return any(_mentions_none(exprs, item) for item in expr.items)
    name = expr.id if isinstance(expr, (ir.Name, ir.Attr)) else "None"
    return name in ("object", "None") or name.endswith("NoneType")


def _narrow(exprs: tuple[ir.Expr, ...], index: int, mask: int, state: State | None) -> State | None:
    key = key_of(exprs, index)
    return narrowed(state, key, mask) if key and state is not None else state


def is_none(expr: ir.Expr) -> bool:
    """Tell whether an expression is the constant None."""
    return isinstance(expr, ir.Const) and expr.value is None and not expr.form


def is_something(expr: ir.Expr) -> bool:
    """Tell whether an expression is a constant other than None."""
    return isinstance(expr, ir.Const) and not is_none(expr)
