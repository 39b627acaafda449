"""Annotations as small terms, cut loose from the scope they stand in.

A term is a dotted name ("pkg.C"), or `(head, arguments)` for a subscript and for `|` (head "|"), arguments being terms.
What has no such form is "".
"""

from __future__ import annotations

from sys import intern
from typing import Union

from codepath.model import ir

Term = Union[str, "tuple[str, tuple[Term, ...]]"]


def term_of(exprs: tuple[ir.Expr, ...], index: int) -> Term:
    """Return the term of `exprs[index]`, "" for -1 or what has no form."""
    if index < 0:
        return ""
    expr = exprs[index]
    if isinstance(expr, ir.Name):
        return intern(expr.id)
    if isinstance(expr, ir.Attr):
        base = term_of(exprs, expr.value)
        return intern(f"{base}.{expr.id}") if isinstance(base, str) and base else ""
    if isinstance(expr, ir.Subscript):
        head = term_of(exprs, expr.value)
        return (head, _arguments(exprs, expr.index)) if isinstance(head, str) and head else ""
    if isinstance(expr, ir.Binary) and expr.op == "|":
        return ("|", (term_of(exprs, expr.left), term_of(exprs, expr.right)))
    if isinstance(expr, ir.Call):
        return term_of(exprs, expr.func)
    return ""


def _arguments(exprs: tuple[ir.Expr, ...], index: int) -> tuple[Term, ...]:
    expr = exprs[index] if index >= 0 else None
    if isinstance(expr, ir.Sequence):
        return tuple(term_of(exprs, item) for item in expr.items)
    return (term_of(exprs, index),)
