"""Large scopes in chunks of whole statements, so that a cell that has grown runs only the chunks that read it again."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import Any, Final

from codepath.model import ir
from codepath.program.regions import every_region
from codepath.program.subtrees import children
from codepath.program.values import ScopeId, Values

BITS: Final = 10
LEAVING: Final = 1023  # the chunk number of what a scope does at its end
WHOLE: Final = 1022  # the chunk number of what concerns all chunks
_MOST: Final = 1021
_SIZE: Final = 12  # expressions; smaller chunks cost more than they save
LARGE: Final = 24
"""Scopes of more expressions are run in chunks."""

Leaving = tuple[list[int], list[int], list[int], list[int]]
"""What a scope does at its end. Source: `frame.leaving`."""
Reader = int
"""A scope and one of its chunks: `scope << BITS | chunk`."""


def reader(scope: ScopeId, chunk: int) -> Reader:
    """Return the number of a chunk of a scope."""
    return scope << BITS | chunk


class Kept:
    """What a scope's run leaves for the next one.

    `starts` are the first expressions of the chunks, the end behind the last one included; `indices` and `values` what the
    expressions are that another chunk or the end of the scope may read. Once `watched` is there it has, by chunk, the
    expressions that other chunks, or earlier places of a loop, read; `users` the chunks that do, as masks.
    """

    __slots__ = ("indices", "leaving", "starts", "users", "values", "watched")

    def __init__(self, scope: ir.Scope, leaving: Leaving) -> None:
        self.starts = array("I", cut(scope))
        self.leaving = leaving
        self.indices = array("I", _shared(scope, leaving))
        self.values: list[Values] = []
        self.watched: list[tuple[int, ...]] | None = None
        self.users: list[int] = []

    def save(self, values: list[Values], pool: dict[Values, Values]) -> None:
        """Keep what the next run needs of the values of all expressions."""
        self.values = [pool.setdefault(values[i], values[i]) for i in self.indices]

    def restore(self, values: list[Values]) -> None:
        """Fill in the values that were kept."""
        for index, one in zip(self.indices, self.values, strict=True):
            values[index] = one


def _shared(scope: ir.Scope, leaving: Leaving) -> list[int]:
    """Return the expressions that may be read from another chunk than their own, sorted."""
    found = {d.bind for d in scope.definitions if d.bind >= 0}
    found.update(*leaving)
    for region in every_region(scope.body):
        for name in ("iter", "subject"):
            if (index := getattr(region, name, -1)) >= 0:
                found.add(index)
    return sorted(found)


def cut(scope: ir.Scope) -> tuple[int, ...]:
    """Return where the chunks of a scope start, and its end.

    An element that was stored is known to the next statements until something is called: no cut comes between.
    """
    size = max(_SIZE, len(scope.exprs) // _MOST + 1)
    starts = [0]
    held = _held(scope.exprs)
    for start in sorted({first for first in map(_first, every_region(scope.body)) if first is not None}):
        if start - starts[-1] >= size and start < len(scope.exprs) and not (held and held[start - 1]):
            starts.append(start)
    return (*starts, len(scope.exprs))


def _first(region: ir.Region) -> int | None:
    return getattr(region, "start", None)


def _held(exprs: tuple[ir.Expr, ...]) -> list[bool]:
    """Tell behind which expressions a stored element is known; empty where nowhere."""
    if not any(expr.__class__ is ir.StoreItem for expr in exprs):
        return []
    found = []
    is_held = False
    for expr in exprs:
        is_held = expr.__class__ is ir.StoreItem or (is_held and expr.__class__ is not ir.Call)
        found.append(is_held)
    return found


def link(scope: ir.Scope, kept: Kept) -> bool:
    """Fill in which expressions chunks read of each other; return whether all of them are kept."""
    count = len(kept.starts) - 1
    chunk_of = [k for k in range(count) for _ in range(kept.starts[k], kept.starts[k + 1])]
    watched: list[dict[int, None]] = [{} for _ in range(count)]
    users = [0] * count
    for index, expr in enumerate(scope.exprs):
        here = chunk_of[index]
        for operand in _operands(scope, expr):
            there = chunk_of[operand]
            if there != here or operand >= index:
                watched[there][operand] = None
                users[there] |= 1 << here
    if not {i for found in watched for i in found} <= set(kept.indices):
        return False
    kept.watched = [tuple(found) for found in watched]
    kept.users = users
    return True


def _operands(scope: ir.Scope, expr: ir.Expr) -> Iterable[int]:
    if expr.__class__ is ir.Name:
        numbers = scope.uses[expr.use]
        return [bind for n in numbers if n >= 0 and (bind := scope.definitions[n].bind) >= 0]
    getter = _STORES.get(expr.__class__)
    return [i for i in getter(expr) if i >= 0] if getter is not None else children(expr)


_STORES: dict[type, Callable[[Any], tuple[int, ...]]] = {
    ir.Bind: lambda e: (e.value,),
    ir.StoreAttr: lambda e: (e.object, e.value),
    ir.StoreItem: lambda e: (e.object, e.index, e.value),
    ir.Remove: lambda e: (e.object, e.index),
    ir.Function: lambda e: e.decorators,
    ir.Class: lambda e: (*(a.value for a in e.bases), *e.decorators),
}
