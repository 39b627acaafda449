"""Which expressions of a scope are tested for truth, and what is done with an expression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.model import ir
from codepath.program.regions import every_region


def without_not(exprs: Sequence[ir.Expr], index: int, polarity: bool = True) -> tuple[int, bool]:
    """Return a condition without any `not` in front, with the truth value that it must have then."""
    expr = exprs[index]
    while isinstance(expr, ir.Unary) and expr.op == "not":
        index, polarity = expr.value, not polarity
        expr = exprs[index]
    return index, polarity


def tested(scope: ir.Scope) -> frozenset[int]:
    """Return the expressions whose truth decides: those of `if`, `while`, `assert`, `not`, conditions, `and`/`or` operands."""
    found: set[int] = set()
    todo = list(_tests(scope))
    while todo:
        index = todo.pop()
        if index < 0 or index in found:
            continue
        found.add(index)
        expr = scope.exprs[index]
        if isinstance(expr, ir.Bool):
            todo.extend(expr.values)
        elif isinstance(expr, ir.Unary) and expr.op == "not":
            todo.append(expr.value)
    return frozenset(found)


def _tests(scope: ir.Scope) -> Iterator[int]:
    for region in every_region(scope.body):
        if isinstance(region, (ir.If, ir.While, ir.Assert)):
            yield region.test
    for index, expr in enumerate(scope.exprs):
        if isinstance(expr, ir.Ternary):
            yield expr.test
        elif isinstance(expr, ir.Unary) and expr.op == "not":
            yield index
        elif isinstance(expr, ir.Bool):
            yield from expr.values[:-1]
        elif isinstance(expr, ir.Comp):
            for clause in expr.clauses:
                yield from clause.conditions


def compared(scope: ir.Scope) -> frozenset[int]:
    """Return the expressions that are compared with something by value or by size."""
    found: set[int] = set()
    for expr in scope.exprs:
        if isinstance(expr, ir.Compare):
            sides = (expr.left, *expr.rights)
            for op, one, other in zip(expr.ops, sides, sides[1:], strict=False):
                if op not in ("is", "is not", "in", "not in"):
                    found.update((one, other))
    return frozenset(found)


def dotted(exprs: tuple[ir.Expr, ...], index: int) -> str:
    """Return a dotted name as it is written, "" for another expression."""
    expr = exprs[index]
    if isinstance(expr, ir.Name):
        return expr.id
    if isinstance(expr, ir.Attr):
        base = dotted(exprs, expr.value)
        return f"{base}.{expr.id}" if base else ""
    return ""


def written(exprs: tuple[ir.Expr, ...], index: int) -> str:
    """Return a constant or dotted name as it is written, `...` for another expression, "" for none."""
    if index < 0:
        return ""
    expr = exprs[index]
    if isinstance(expr, ir.Const):
        return repr(expr.value) if not expr.form else str(expr.value)
    if isinstance(expr, ir.Sequence) and not expr.items:
        return {"list": "[]", "tuple": "()"}.get(expr.form, "...")
    if isinstance(expr, ir.Unary) and expr.op == "-":
        return f"-{written(exprs, expr.value)}"
    return dotted(exprs, index) or "..."
