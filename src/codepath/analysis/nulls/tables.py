"""Keyword arguments given as `**table`, where the table is written out in the scope that calls."""

from __future__ import annotations

from codepath.analysis.nulls.world import World
from codepath.model import ir
from codepath.program.values import ScopeId

_CHANGING = frozenset(["update", "setdefault", "pop", "popitem", "clear"])


def entries_of(world: World, sid: ScopeId, table: int, key: str) -> tuple[int, ...] | None:
    """Return the expressions that a table can hold under a key, none where it has no such key; None: not known."""
    exprs = world.body(sid).scope.exprs
    expr = exprs[table]
    if not isinstance(expr, ir.Name):
        return _written(exprs, expr, key)
    origins = world.origins(sid, table)
    bind = exprs[origins[0][0]] if len(origins) == 1 and origins[0][0] >= 0 else None
    if not isinstance(bind, ir.Bind) or bind.how or bind.value < 0:
        return None
    first = _written(exprs, exprs[bind.value], key)
    later = _stored(exprs, expr.id, key)
    return None if first is None or later is None else (*first, *later)


def _written(exprs: tuple[ir.Expr, ...], expr: ir.Expr, key: str) -> tuple[int, ...] | None:
    if isinstance(expr, ir.Dict):
        keys = [exprs[k] if k >= 0 else None for k in expr.keys]
        if not all(isinstance(k, ir.Const) for k in keys):
            return None
        pairs = zip(keys, expr.values, strict=True)
        return tuple(value for k, value in pairs if isinstance(k, ir.Const) and k.value == key)
    if isinstance(expr, ir.Call) and isinstance(func := exprs[expr.func], ir.Name) and func.id == "dict":
        if any(a.star or a.name is None for a in expr.args):
            return None
        return tuple(a.value for a in expr.args if a.name == key)
    return None


def _stored(exprs: tuple[ir.Expr, ...], name: str, key: str) -> tuple[int, ...] | None:
    """Return what a scope stores in a local table under a key, None where a store has no constant key."""
    found: list[int] = []
    for expr in exprs:
        if isinstance(expr, ir.StoreItem) and _is_named(exprs[expr.object], name):
            index = exprs[expr.index]
            if not isinstance(index, ir.Const) or expr.how:
                return None
            found.extend([expr.value] if index.value == key else [])
        elif _may_change(exprs, expr, name):
            return None
    return tuple(found)


def _may_change(exprs: tuple[ir.Expr, ...], expr: ir.Expr, name: str) -> bool:
    """Tell whether an expression changes a table, or hands it to something that may."""
    if isinstance(expr, ir.Attr):
        return _is_named(exprs[expr.value], name) and expr.id in _CHANGING
    return isinstance(expr, ir.Call) and any(_is_named(exprs[a.value], name) and not a.star for a in expr.args)


def _is_named(expr: ir.Expr, name: str) -> bool:
    return isinstance(expr, ir.Name) and expr.id == name
