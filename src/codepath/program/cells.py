"""The interprocedural state of the solver: cells of value sets, who reads them, and what has to run again.

Cells only grow. A cell that would hold more than `CAP` values holds `MANY` instead, for good: keeping the first few would
depend on the order of the work. Plain cells are keyed by a tuple; a *table* groups cells under one key (attributes of a
class family by class, elements of a collection by index) and is read as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from sys import intern
from typing import Any, Final, TypeVar

from codepath.program.kept import BITS, Reader
from codepath.program.values import NOTHING, ScopeId, Values

Key = tuple[Any, ...]

PARAM: Final = 0  # (PARAM, function, position)
RETURN: Final = 1  # (RETURN, function)
YIELD: Final = 2  # (YIELD, function)
NAME: Final = 3  # (NAME, scope, name)
ATTRIBUTE: Final = 4  # table (ATTRIBUTE, family root, name), by class
ELEMENT: Final = 5  # table (ELEMENT, container), by index, key or ANY
MISSING: Final = 6  # (MISSING, module): read by scopes that need a module which is not loaded; wakes them once it is
FAMILY: Final = 7  # (FAMILY, family root): read by scopes that asked a class of the family; wakes them when it changes

MADE: Final = 8  # (MADE, function): what a function returns beside what its caller knows better (`optional.Giving`),
#   (MADE, function, parameter, whether it is None): the part of it under such a condition

SENT: Final = 9  # (SENT, function): what `send` gives a generator
KEYS: Final = 10  # (KEYS, container): the keys of a dict that are of the tree
OWN: Final = 11  # (OWN, function): what a wrapper returns beside what the wrapped function gives
FACTORY: Final = 12  # (FACTORY, container): what makes the values that a dict lacks
ANY: Final = "*"  # the element index that stands for all
CAP: Final = 48
TABLE_CAP: Final = 256  # of one element cell: tables of handlers are long, and few cells are tables
MANY: Final[Values] = frozenset([(99,)])
_PART: Final = (1 << BITS) - 1
_EMPTY: Final[dict[Any, Values]] = {}  # never filled


T = TypeVar("T")
Many = tuple[T, ...] | set[T] | None
"""Some readers, None where there is none."""
_SHORT: Final = 8
_LARGE: Final = 16
"""Of tables of more cells it is kept what was copied where: tables that are merged again and again are long."""


class Derived:
    """What was derived from cells for several readers; `values` is None once one of the cells has grown.

    `notes` are the getters that run where the values are read: (function, whether only a subclass has it). `is_doubtful`:
    the values may be other ones once nothing grows.
    """

    __slots__ = ("is_doubtful", "notes", "readers", "values")

    def __init__(self) -> None:
        self.is_doubtful = False
        self.values: Values | None = None
        self.notes: tuple[tuple[ScopeId, bool], ...] = ()
        self.readers: Many[Reader] = None


class _Cell:
    """The values of a cell, who reads it, and what was derived from it."""

    __slots__ = ("derived", "readers", "values")

    def __init__(self) -> None:
        self.values: Values = NOTHING
        self.readers: Many[Reader] = None
        self.derived: Many[Derived] = None


class _Table:
    """The cells of a table, what all of them hold (None where that is not known), and who reads them, as of a cell.

    `version` counts how often one of them has grown.
    """

    __slots__ = ("derived", "parts", "readers", "version", "whole")

    def __init__(self) -> None:
        self.version = 0
        self.parts = _EMPTY
        self.whole: Values | None = NOTHING
        self.readers: Many[Reader] = None
        self.derived: Many[Derived] = None


class Cells:
    """Cells with their readers. `dirty` has the scopes that read a cell which has grown since, each with its parts
    that did, as a mask of their numbers; `doubts` those of which more is known once nothing grows, in the same way."""

    def __init__(self) -> None:
        self._cells: dict[Key, _Cell] = {}
        self._tables: dict[Key, _Table] = {}
        self.pool: dict[Values, Values] = {}
        self.dirty: dict[ScopeId, int] = {}
        self.doubts: dict[ScopeId, int] = {}
        self.reader: Reader = -1
        self.deriving: Derived | None = None
        self.is_frozen = False
        self._copied: dict[tuple[Key, Key], int] = {}

    def trim(self) -> None:
        """Drop what only saves memory or time where it is used again."""
        for table in self._tables.values():
            if len(table.parts) > 1:
                table.whole = None
        self.pool = {}
        if not self.is_frozen:
            self.pool.update((cell.values, cell.values) for cell in self._cells.values())
            self.pool.update((part, part) for table in self._tables.values() for part in table.parts.values())

    def freeze(self) -> None:
        """Make the cells final: nobody is noted as a reader or joins from now on."""
        self.is_frozen = True
        for cell in self._cells.values():
            cell.readers = cell.derived = None
        for table in self._tables.values():
            table.readers = table.derived = None
        self.pool.clear()

    def read(self, key: Key) -> Values:
        """Return a cell's values for the current reader, who runs again when it grows."""
        cell = self._cells.get(key)
        if cell is None:
            if self.is_frozen:
                return NOTHING
            cell = self._cells[_lean(key)] = _Cell()
        if not self.is_frozen:
            self._note(cell)
        return cell.values

    def note(self, key: Key) -> None:
        """Make the current reader one that `wake` of the key lets run again."""
        cell = self._cells.get(key)
        if cell is None:
            cell = self._cells[_lean(key)] = _Cell()
        self._note(cell)

    def _note(self, read: _Cell | _Table) -> None:
        if self.deriving is not None:
            _depend(read, self.deriving)
            return
        known = read.readers
        if known is None:
            read.readers = (self.reader,)
        elif self.reader not in known:
            read.readers = _with(known, self.reader)

    def use(self, derived: Derived) -> None:
        """Make the current reader one that runs again when what was derived changes."""
        if derived.is_doubtful:
            self.doubt()
        known = derived.readers
        if known is None:
            derived.readers = (self.reader,)
        elif self.reader not in known:
            derived.readers = _with(known, self.reader)

    def doubt(self) -> None:
        """Note that more may be known of what is read here once nothing grows."""
        if self.deriving is not None:
            self.deriving.is_doubtful = True
        elif not self.is_frozen:
            _mark(self.doubts, self.reader)

    def doubt_table(self, key: Key) -> None:
        """Note so of all who have read a table."""
        table = self._tables.get(key)
        for reader in (table.readers or ()) if table is not None else ():
            _mark(self.doubts, reader)

    def peek(self, key: Key) -> Values:
        """Return a cell's values without becoming its reader."""
        cell = self._cells.get(key)
        return cell.values if cell is not None else NOTHING

    def table(self, key: Key) -> Mapping[Any, Values]:
        """Return all cells of a table for the current reader."""
        table = self._tables.get(key)
        if table is None:
            if self.is_frozen:
                return _EMPTY
            table = self._tables[_lean(key)] = _Table()
        if not self.is_frozen:
            self._note(table)
        return table.parts

    def whole(self, key: Key) -> Values:
        """Return what all cells of a table hold for the current reader."""
        table = self._tables.get(key)
        if table is None:
            if self.is_frozen:
                return NOTHING
            table = self._tables[_lean(key)] = _Table()
        if not self.is_frozen:
            self._note(table)
        found = table.whole
        if found is None:
            parts = table.parts
            found = next(iter(parts.values())) if len(parts) == 1 else NOTHING.union(*parts.values())
            found = table.whole = self.pool.setdefault(found, found)
        return found

    def join(self, key: Key, values: Values) -> None:
        """Add values to a cell."""
        if self.is_frozen or not values:
            return
        cell = self._cells.get(key)
        if cell is None:
            cell = self._cells[_lean(key)] = _Cell()
        old = cell.values
        if values is old or values <= old:  # most that is joined is there
            return
        grown = _grow(old, values)
        if grown is not old:
            cell.values = self.pool.setdefault(grown, grown)
            self._wake(cell)

    def join_table(self, key: Key, part: Any, values: Values) -> None:
        """Add values to one cell of a table."""
        if self.is_frozen:
            return
        table = self._tables.get(key)
        if table is None:
            table = self._tables[_lean(key)] = _Table()
        old = table.parts.get(part, NOTHING)
        grown = _grow(old, values, TABLE_CAP if key[0] == ELEMENT else CAP)
        if grown is not old:
            if table.parts is _EMPTY:
                table.parts = {}
            table.parts[part] = self.pool.setdefault(grown, grown)
            table.whole = None
            table.version += 1
            self._wake(table)

    def copy(self, source: Key, target: Key) -> None:
        """Add the cells of a table, which the current reader reads, to those of another one."""
        parts = self.table(source)
        if self.is_frozen:
            return
        if len(parts) > _LARGE:
            version = self._tables[source].version
            if self._copied.get((source, target)) == version:
                return
            self._copied[source, target] = version
        for part, values in parts.items():
            self.join_table(target, part, values)

    def everything(self) -> Iterator[tuple[Key, Values]]:
        """Yield every cell, those of tables under the key of their table."""
        for key, cell in self._cells.items():
            yield key, cell.values
        for key, table in self._tables.items():
            for values in table.parts.values():
                yield key, values

    def merge_families(self, low: ScopeId, high: ScopeId) -> None:
        """Give the tables of one class family to another: two families have become one."""
        for key in [k for k in self._tables if k[0] == ATTRIBUTE and k[1] == high]:
            table = self._tables.pop(key)
            for part, values in table.parts.items():
                self.join_table((ATTRIBUTE, low, key[2]), part, values)
            self._wake(table)
        self.wake((FAMILY, high))

    def wake(self, key: Key) -> None:
        """Let the readers of a key run again."""
        cell = self._cells.get(key)
        if cell is not None:
            self._wake(cell)

    def _wake(self, grown: _Cell | _Table) -> None:
        if grown.derived is not None:
            derived, grown.derived = grown.derived, None
            for one in derived:
                one.values = None
                self.run_again(one.readers)
                one.readers = None
        if grown.readers is not None:
            self.run_again(grown.readers)

    def run_again(self, readers: Many[Reader]) -> None:
        """Let readers run again."""
        dirty = self.dirty
        for one in readers or ():
            _mark(dirty, one)


def _mark(masks: dict[ScopeId, int], one: Reader) -> None:
    scope = ScopeId(one >> BITS)
    masks[scope] = masks.get(scope, 0) | 1 << (one & _PART)


def _depend(read: _Cell | _Table, derived: Derived) -> None:
    known = read.derived
    if known is None:
        read.derived = (derived,)
    elif derived not in known:
        read.derived = _with(known, derived)


def _with(known: tuple[T, ...] | set[T], one: T) -> tuple[T, ...] | set[T]:
    """Add to a collection of readers: a tuple while it is short, since most are, and many exist."""
    if isinstance(known, set):
        known.add(one)
        return known
    return (*known, one) if len(known) < _SHORT else {*known, one}


def _lean(key: Key) -> Key:
    """Return an equal key whose name is shared with other keys: decoded scopes have a copy of each name."""
    name = key[-1]
    return (*key[:-1], intern(name)) if name.__class__ is str else key


def _grow(old: Values, new: Values, cap: int = CAP) -> Values:
    if new is old or not new or old is MANY or new <= old:
        return old
    if new is MANY or new >= MANY:
        return MANY
    both = old | new
    return MANY if len(both) > cap else both
