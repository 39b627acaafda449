"""What a run of a scope leaves for the next one, so that a cell that has grown runs only the expressions that it reaches."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from codepath.model import ir
from codepath.program.leaving import Leaving
from codepath.program.subtrees import CHILDREN
from codepath.program.values import NOTHING, ScopeId, Values

BITS: Final = 20
WHOLE: Final = 0  # the number of what concerns a whole scope
LEAVING: Final = 1  # the number of what a scope does at its end
FIRST: Final = 2  # the number of the first expression
_PART: Final = (1 << BITS) - 1
LARGE: Final = 24
"""Scopes of more expressions keep what they were, so that parts of them can run again."""
LARGEST: Final = (1 << BITS) - FIRST
"""Scopes of more expressions are run as a whole again."""
MOST: Final = 5_000_000
"""Expressions whose values are kept, at about 28 bytes each."""

Reader = int
"""A scope and one of its expressions: `scope << BITS | number`, where number is WHOLE, LEAVING or FIRST + index."""


Note = tuple[int, "ScopeId | str", str, bool]
"""What an expression runs: how far behind the expression it is placed, the function, the kind of step, whether of a family."""
Notes = tuple[Note, ...]


def reader(scope: ScopeId, number: int) -> Reader:
    """Return the number of a part of a scope."""
    return scope << BITS | number


def index_of(one: Reader) -> int:
    """Return the expression that a reader is."""
    return (one & _PART) - FIRST


def is_kept(scope: ir.Scope) -> bool:
    """Tell whether parts of a scope are run again."""
    return LARGE < len(scope.exprs) < LARGEST


_NONE: array[int] = array("Q")
_NO_INDEX: array[int] = array("I")


class Kept:
    """The values of all expressions of a scope, and, once it ran again, who reads which.

    `user` is the first user of each expression, ABSENT where there is none; `_more` has the further ones, sorted, as
    `expression << 32 | user`. `_together` are the starts and ends, in turn, of runs of expressions in which a stored element
    is known to those behind it: they run together. `_noted` are the expressions that ran something when they were last
    evaluated, ascending, and `_notes` what each ran; equal ones are shared by `pool`. Without a pool none are wanted.
    `is_circular`: parts ran again, and something reads what is bound behind it, so that a value which was seen for a moment may
    have kept itself alive.
    """

    __slots__ = (
        "_constants",
        "_loops",
        "_more",
        "_noted",
        "_notes",
        "_pool",
        "_together",
        "_user",
        "is_circular",
        "leaving",
        "values",
    )

    def __init__(self, leaving: Leaving, pool: dict[Notes, Notes] | None) -> None:
        self.leaving = leaving
        self.is_circular = False
        self.values: list[Values] = []
        self._noted = _NO_INDEX
        self._notes: list[Notes] = []
        self._pool = pool
        self._user: array[int] | None = None
        self._loops = False
        self._constants = self._more = self._together = _NONE

    def save(self, exprs: tuple[ir.Expr, ...], values: list[Values], pool: dict[Values, Values]) -> None:
        """Keep the values of all expressions but constants, which are read again from the scope."""
        constants = []
        for index, one in enumerate(values):
            if not one:
                values[index] = NOTHING  # no two empty sets are the same object
                continue
            if exprs[index].__class__ is ir.Const:
                constants.append(index)
                values[index] = NOTHING
            else:
                values[index] = pool.setdefault(one, one)
        self.values = values
        if constants:
            self._constants = array("I", constants)

    def begin(self) -> list[Note] | None:
        """Forget all notes; return where new ones go, None where they are not wanted."""
        self.is_circular = False
        if self._pool is None:
            return None
        self._noted, self._notes = array("I"), []
        return []

    def listen(self) -> list[Note] | None:
        """Return where new notes go, None where they are not wanted."""
        return [] if self._pool is not None else None

    def resume(self, scope: ir.Scope) -> None:
        """Make ready to run parts of the scope again."""
        self.link(scope)
        self.is_circular = self.is_circular or self._loops

    def forget(self, first: int, end: int) -> None:
        """Forget the notes of a run of expressions."""
        start, stop = bisect_left(self._noted, first), bisect_left(self._noted, end)
        if start < stop:
            del self._noted[start:stop], self._notes[start:stop]

    def note(self, index: int, found: list[Note]) -> None:
        """Keep what an expression ran, and empty the list of it."""
        if self._pool is None:
            return
        if not found:
            self.forget(index, index + 1)
            return
        notes = tuple(found) if len(found) == 1 else tuple(dict.fromkeys(found))
        notes = self._pool.setdefault(notes, notes)
        found.clear()
        at = bisect_left(self._noted, index)
        if at < len(self._noted) and self._noted[at] == index:
            self._notes[at] = notes
        else:
            self._noted.insert(at, index)
            self._notes.insert(at, notes)

    def told(self) -> Iterator[tuple[int, Notes]]:
        """Yield the expressions that ran something, in their order, each with what it ran."""
        return zip(self._noted, self._notes, strict=True)

    def constants(self) -> Iterable[int]:
        """Return the constants whose values are not kept."""
        return self._constants

    def users(self, indices: Iterable[int]) -> int:
        """Return the expressions that read the values of some, as a mask of their numbers."""
        assert self._user is not None
        mask = 0
        more = self._more
        for index in indices:
            first = self._user[index]
            if first < 0:
                continue
            mask |= 1 << first + FIRST
            if more:
                at = bisect_left(more, index << 32)
                while at < len(more) and more[at] >> 32 == index:
                    mask |= 1 << (more[at] & 0xFFFFFFFF) + FIRST
                    at += 1
        return mask

    def users_behind(self, scope: ir.Scope, index: int) -> int | None:
        """Return the expressions that read the value of one, as a mask; None where one stands before it, as in a loop, or
        elements are stored: what is left of a value that shrinks is then not found by going on."""
        self.link(scope)
        mask = self.users((index,)) >> FIRST
        return None if self._together or mask & ((1 << index + 1) - 1) else mask

    def run_of(self, index: int) -> tuple[int, int]:
        """Return the range of expressions that runs with one."""
        if self._together:
            at = bisect_right(self._together, index)
            if at & 1:
                return self._together[at - 1], self._together[at]
        return index, index + 1

    def link(self, scope: ir.Scope) -> None:
        """Find out who reads which expression, once."""
        if self._user is not None:
            return
        self._loops = False
        user = array("i", [ir.ABSENT]) * len(scope.exprs)
        more: list[int] = []
        uses, definitions, getters = scope.uses, scope.definitions, _OPERANDS
        operands: Iterable[int]
        for index, expr in enumerate(scope.exprs):
            kind = expr.__class__
            if kind is ir.Name:
                reaching = uses[expr.use]  # type: ignore[union-attr]
                if not reaching:
                    continue
                operands = [definitions[number].bind for number in reaching if number >= 0]
                self._loops = self._loops or any(operand > index for operand in operands)
            elif kind is ir.Attr:
                operands = (expr.value,)  # type: ignore[union-attr,assignment]
            elif kind is ir.Call:
                operands = [expr.func, *[argument.value for argument in expr.args]]  # type: ignore[union-attr]
            elif kind in getters:
                operands = getters[kind](expr)
            elif kind is ir.Function:
                operands = (*expr.decorators, *_owners(scope, expr.decorators))  # type: ignore[union-attr]
            else:
                continue
            for operand in operands:
                if operand < 0:
                    continue
                if user[operand] < 0:
                    user[operand] = index
                else:
                    more.append(operand << 32 | index)
        self._user = user
        self._more = array("Q", sorted(more)) if more else _NONE
        held = list(_held(scope.exprs))
        self._together = array("Q", [index for run in held for index in run]) if held else _NONE


class Keeping:
    """What scopes kept, of those that ran last: at most `MOST` expressions."""

    def __init__(self) -> None:
        self._kept: OrderedDict[ScopeId, Kept] = OrderedDict()
        self._count = 0

    def take(self, scope: ScopeId) -> Kept | None:
        """Return what a scope kept, which `put` keeps on."""
        found = self._kept.pop(scope, None)
        if found is not None:
            self._count -= len(found.values)
        return found

    def put(self, scope: ScopeId, kept: Kept) -> None:
        """Keep what the last run of a scope left."""
        self._kept[scope] = kept
        self._count += len(kept.values)
        while self._count > MOST:
            self._count -= len(self._kept.popitem(last=False)[1].values)

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()
        self._count = 0


def _held(exprs: tuple[ir.Expr, ...]) -> Iterator[tuple[int, int]]:
    """Yield the runs, as (first, end), that start with the store of an element and end before the next call."""
    first = -1
    for index, expr in enumerate(exprs):
        kind = expr.__class__
        if kind is ir.Call and first >= 0:
            yield first, index
            first = -1
        elif kind is ir.StoreItem and first < 0:
            first = index
    if first >= 0:
        yield first, len(exprs)


def _owners(scope: ir.Scope, decorators: Iterable[int]) -> Iterator[int]:
    """Yield what `x` is in decorators such as `@x.setter`: what they make of a function depends on it too."""
    for decorator in decorators:
        expr = scope.exprs[decorator]
        if isinstance(expr, ir.Attr):
            yield expr.value


_OPERANDS: dict[type, Callable[[Any], tuple[int, ...]]] = {
    **CHILDREN,
    ir.Bind: lambda e: (e.value,),
    ir.StoreAttr: lambda e: (e.object, e.value),
    ir.StoreItem: lambda e: (e.object, e.index, e.value),
    ir.Remove: lambda e: (e.object, e.index),
    ir.Class: lambda e: (*(a.value for a in e.bases), *e.decorators),
}
