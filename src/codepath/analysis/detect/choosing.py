"""Reads of an attribute that first ask something else of the same object: they choose the objects that they read from.

Approximates: both ways (what is asked is not followed to the objects for which it holds).
"""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model import ir
from codepath.model.answers import Place
from codepath.program.bodies import Bodies, Body
from codepath.program.changes.telling import path_of
from codepath.program.subtrees import children


def asks_object(bodies: Bodies, read: Place, name: str) -> bool:
    """Tell whether the read of an attribute `name` at a place stands under a condition over other attributes of its object."""
    body = bodies.body(read.function)
    at = ir.pack(read.line, read.column)
    for index, expr in enumerate(body.scope.exprs) if body is not None else ():
        if body is not None and isinstance(expr, ir.Attr) and expr.id == name and expr.at == at:
            return _is_asked(body, index, expr)
    return False


def _is_asked(body: Body, index: int, expr: ir.Attr) -> bool:
    known = path_of(body.scope, expr.value)
    if known is None:
        return False
    owner = known[0]
    tests = (literal.test for literal in body.guards.of(index) if literal.test >= 0)
    paths = (path for test in tests for path in _paths(body.scope, test))
    return any(path[: len(owner)] == owner and path[len(owner) :][:1] not in ((), (expr.id,)) for path in paths)


def _paths(scope: ir.Scope, index: int) -> Iterator[tuple[str, ...]]:
    """Yield the names of the attributes of variables below an expression."""
    found = path_of(scope, index)
    if found is not None:
        yield found[0]
        return
    for child in children(scope.exprs[index]):
        yield from _paths(scope, child)
