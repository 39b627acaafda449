"""Conditions that tell of what kind an object is: what is known of it elsewhere may depend on them."""

from __future__ import annotations

from codepath.model import ir

_CALLED = frozenset(["isinstance", "issubclass", "hasattr", "callable", "type", "getattr"])
_TELLING = _CALLED | {"__class__", "TYPE_CHECKING"}


def is_telling(expr: ir.Expr) -> bool:
    """Tell whether an expression may ask of what kind an object is."""
    return isinstance(expr, (ir.Name, ir.Attr)) and expr.id in _TELLING


def path_of(scope: ir.Scope, index: int) -> tuple[tuple[str, ...], ir.Name] | None:
    """Return the names of an attribute of a variable, the variable first, and where that is read; None for anything else."""
    names: list[str] = []
    expr = scope.exprs[index]
    while isinstance(expr, ir.Attr):
        names.append(expr.id)
        expr = scope.exprs[expr.value]
    return ((expr.id, *reversed(names)), expr) if isinstance(expr, ir.Name) else None


def tells_of(scope: ir.Scope, path: tuple[str, ...]) -> bool:
    """Tell whether a scope may ask of what kind a variable, an attribute of it, or an object on the way there is."""
    asked = {expr.func: expr.args for expr in scope.exprs if isinstance(expr, ir.Call)}
    for index, expr in enumerate(scope.exprs):
        if not is_telling(expr):
            continue
        if isinstance(expr, ir.Name) and expr.id in _CALLED and asked.get(index):
            about = path_of(scope, asked[index][0].value)
        elif isinstance(expr, ir.Attr) and expr.id == "__class__":
            about = path_of(scope, expr.value)
        else:
            about = None
        if about is None or all(one == other for one, other in zip(about[0], path, strict=False)):
            return True
    return False
