"""The extent of sub-expressions in a flat array, and the children of each kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codepath.model import ir


def children(expr: ir.Expr) -> tuple[int, ...]:
    """Return the operands of an expression in evaluation order, absent ones left out."""
    getter = CHILDREN.get(type(expr))
    return tuple(i for i in getter(expr) if i >= 0) if getter is not None else ()


def first_of(exprs: tuple[ir.Expr, ...], index: int) -> int:
    """Return the first index of the subtree that ends at `index`."""
    while True:
        inner = children(exprs[index])
        if not inner or inner[0] >= index:
            return index
        index = inner[0]


def _comp(expr: ir.Comp) -> tuple[int, ...]:
    return (expr.clauses[0].iter, *(k for c in expr.clauses for k in c.conditions), expr.element, expr.value)


CHILDREN: dict[type, Callable[[Any], tuple[int, ...]]] = {
    ir.Attr: lambda e: (e.value,),
    ir.Call: lambda e: (e.func, *(a.value for a in e.args)),
    ir.Subscript: lambda e: (e.value, e.index),
    ir.Slice: lambda e: (e.lower, e.upper, e.step),
    ir.Unary: lambda e: (e.value,),
    ir.Binary: lambda e: (e.left, e.right),
    ir.Bool: lambda e: e.values,
    ir.Compare: lambda e: (e.left, *e.rights),
    ir.Ternary: lambda e: (e.test, e.body, e.orelse),
    ir.Comp: _comp,
    ir.Sequence: lambda e: e.items,
    ir.Dict: lambda e: tuple(i for pair in zip(e.keys, e.values, strict=True) for i in pair),
    ir.Joined: lambda e: e.parts,
    ir.Starred: lambda e: (e.value,),
    ir.Await: lambda e: (e.value,),
    ir.Yield: lambda e: (e.value,),
    ir.YieldFrom: lambda e: (e.value,),
}
"""Operands by kind. Stores refer to values that stand before their own subtree, so they have no entry."""
