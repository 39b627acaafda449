"""What uses each expression of a scope: the expression or statement around it."""

from __future__ import annotations

from dataclasses import dataclass, field

from codepath.analysis.nulls.conditions import is_none
from codepath.model import ir
from codepath.program.guards import falls_through
from codepath.program.regions import every_region
from codepath.program.subtrees import children


@dataclass(slots=True)
class Parents:
    """For each expression the expressions that have it as an operand or value, and the regions that it decides or ends."""

    exprs: dict[int, list[int]] = field(default_factory=dict)
    regions: dict[int, list[ir.Region]] = field(default_factory=dict)


def parents_of(scope: ir.Scope) -> Parents:
    """Return the parents of the expressions of a scope."""
    found = Parents()
    for index, expr in enumerate(scope.exprs):
        for child in children(expr):
            found.exprs.setdefault(child, []).append(index)
        if isinstance(expr, (ir.Bind, ir.StoreAttr, ir.StoreItem)) and expr.value >= 0:
            found.exprs.setdefault(expr.value, []).append(index)
        if isinstance(expr, (ir.StoreAttr, ir.StoreItem)):
            found.exprs.setdefault(expr.object, []).append(index)
        if isinstance(expr, ir.Remove) and expr.object >= 0:
            found.exprs.setdefault(expr.object, []).append(index)
    for region in every_region(scope.body):
        for index in _decided(region):
            found.regions.setdefault(index, []).append(region)
    return found


def _decided(region: ir.Region) -> tuple[int, ...]:
    if isinstance(region, (ir.If, ir.While, ir.Assert)):
        return (region.test,)
    if isinstance(region, ir.Return):
        return (region.value,)
    if isinstance(region, ir.For):
        return (region.iter,)
    if isinstance(region, ir.With):
        return region.contexts
    if isinstance(region, ir.Match):
        return (region.subject,)
    return (region.exc,) if isinstance(region, ir.Raise) else ()


def truth_when_none(exprs: tuple[ir.Expr, ...], index: int, value: int) -> bool | None:
    """Return the truth of a condition where one expression of it is None, None where that does not tell."""
    if index == value:
        return False
    expr = exprs[index]
    if isinstance(expr, ir.Unary) and expr.op == "not":
        inner = truth_when_none(exprs, expr.value, value)
        return None if inner is None else not inner
    if isinstance(expr, ir.Compare) and len(expr.ops) == 1:
        sides = (expr.left, expr.rights[0])
        if value in sides and any(is_none(exprs[s]) for s in sides if s != value):
            return {"is": True, "==": True, "is not": False, "!=": False}.get(expr.ops[0])
        return None
    if isinstance(expr, ir.Bool):
        parts = [truth_when_none(exprs, i, value) for i in expr.values]
        stops = expr.op == "or"
        if stops in parts:
            return stops
        return None if None in parts else not stops
    if isinstance(expr, ir.Bind) and not expr.how:
        return truth_when_none(exprs, expr.value, value)
    if isinstance(expr, ir.Call) and expr.args and expr.args[0].value == value:
        func = exprs[expr.func]
        if isinstance(func, ir.Name) and func.id in ("isinstance", "hasattr", "callable", "bool"):
            return False
    return None


def raises_on(region: ir.Region, truth: bool | None) -> bool:
    """Tell whether a branch is one that only raises where its test has a truth value."""
    if not isinstance(region, ir.If) or truth is None:
        return False
    body = region.body if truth else region.orelse
    return bool(body) and not falls_through(body) and isinstance(body[-1], ir.Raise)
