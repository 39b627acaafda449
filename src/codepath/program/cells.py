"""The interprocedural state of the solver: cells of value sets, who reads them, and what has to run again.

Cells only grow. A cell that would hold more than `CAP` values holds `MANY` instead, for good: keeping the first few would
depend on the order of the work. Plain cells are keyed by a tuple; a *table* groups cells under one key (attributes of a
class family by class, elements of a collection by index) and is read as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
ANY: Final = "*"  # the element index that stands for all
CAP: Final = 48
TABLE_CAP: Final = 256  # of one element cell: tables of handlers are long, and few cells are tables
MANY: Final[Values] = frozenset([(99,)])
_PART: Final = (1 << BITS) - 1
_EMPTY: Final[Mapping[Any, Values]] = {}


T = TypeVar("T")
Many = tuple[T, ...] | set[T] | None
"""Some readers, None where there is none."""
_SHORT: Final = 8


class Derived:
    """What was derived from cells for several readers; `values` is None once one of the cells has grown.

    `notes` are the getters that run where the values are read: (function, whether only a subclass has it).
    """

    __slots__ = ("notes", "readers", "values")

    def __init__(self) -> None:
        self.values: Values | None = None
        self.notes: tuple[tuple[ScopeId, bool], ...] = ()
        self.readers: Many[Reader] = None


class Cells:
    """Cells with their readers. `dirty` has the scopes that read a cell which has grown since, each with its parts
    that did, as a mask of their numbers."""

    def __init__(self) -> None:
        self._cells: dict[Key, Values] = {}
        self._tables: dict[Key, dict[Any, Values]] = {}
        self._readers: dict[Key, Many[Reader]] = {}
        self._derived: dict[Key, Many[Derived]] = {}
        self._unions: dict[Key, Values] = {}
        self.pool: dict[Values, Values] = {}
        self.dirty: dict[ScopeId, int] = {}
        self.reader: Reader = -1
        self.deriving: Derived | None = None
        self.is_frozen = False

    def trim(self) -> None:
        """Drop what only saves memory or time where it is used again."""
        self._unions.clear()
        self.pool = {} if self.is_frozen else {values: values for _, values in self.everything()}

    def freeze(self) -> None:
        """Make the cells final: nobody is noted as a reader or joins from now on."""
        self.is_frozen = True
        self._readers.clear()
        self._derived.clear()
        self.pool.clear()

    def read(self, key: Key) -> Values:
        """Return a cell's values for the current reader, who runs again when it grows."""
        if not self.is_frozen:
            self.note(key)
        return self._cells.get(key, NOTHING)

    def note(self, key: Key) -> None:
        """Make the current reader one that `wake` of the key lets run again."""
        if self.deriving is not None:
            self._depend(key, self.deriving)
            return
        known = self._readers.get(key)
        if known is None:
            self._readers[_lean(key)] = (self.reader,)
        elif self.reader not in known:
            self._readers[key] = _with(known, self.reader)

    def _depend(self, key: Key, derived: Derived) -> None:
        known = self._derived.get(key)
        if known is None:
            self._derived[_lean(key)] = (derived,)
        elif derived not in known:
            self._derived[key] = _with(known, derived)

    def use(self, derived: Derived) -> None:
        """Make the current reader one that runs again when what was derived changes."""
        known = derived.readers
        if known is None:
            derived.readers = (self.reader,)
        elif self.reader not in known:
            derived.readers = _with(known, self.reader)

    def peek(self, key: Key) -> Values:
        """Return a cell's values without becoming its reader."""
        return self._cells.get(key, NOTHING)

    def table(self, key: Key) -> Mapping[Any, Values]:
        """Return all cells of a table for the current reader."""
        if not self.is_frozen:
            self.note(key)
        return self._tables.get(key, _EMPTY)

    def union(self, key: Key) -> Values:
        """Return what all cells of a table hold, without becoming its reader."""
        found = self._unions.get(key)
        if found is None:
            table = self._tables.get(key, _EMPTY)
            found = next(iter(table.values())) if len(table) == 1 else NOTHING.union(*table.values())
            if len(table) > 1:
                self._unions[key] = self.pool.setdefault(found, found)
        return found

    def join(self, key: Key, values: Iterable[Any]) -> None:
        """Add values to a cell."""
        if self.is_frozen:
            return
        old = self._cells.get(key, NOTHING)
        grown = _grow(old, frozenset(values))
        if grown is not old:
            self._cells[key if old else _lean(key)] = self.pool.setdefault(grown, grown)
            self._wake(key)

    def join_table(self, key: Key, part: Any, values: Iterable[Any]) -> None:
        """Add values to one cell of a table."""
        if self.is_frozen:
            return
        table = self._tables.get(key)
        if table is None:
            table = self._tables[_lean(key)] = {}
        old = table.get(part, NOTHING)
        grown = _grow(old, frozenset(values), TABLE_CAP if key[0] == ELEMENT else CAP)
        if grown is not old:
            table[part] = self.pool.setdefault(grown, grown)
            self._unions.pop(key, None)
            self._wake(key)

    def everything(self) -> Iterator[tuple[Key, Values]]:
        """Yield every cell, those of tables under the key of their table."""
        yield from self._cells.items()
        for key, table in self._tables.items():
            for values in table.values():
                yield key, values

    def merge_families(self, low: ScopeId, high: ScopeId) -> None:
        """Give the tables of one class family to another: two families have become one."""
        for key in [k for k in self._tables if k[0] == ATTRIBUTE and k[1] == high]:
            for part, values in self._tables.pop(key).items():
                self.join_table((ATTRIBUTE, low, key[2]), part, values)
            self._wake(key)
        self._wake((FAMILY, high))

    def wake(self, key: Key) -> None:
        """Let the readers of a key run again."""
        self._wake(key)

    def _wake(self, key: Key) -> None:
        for derived in self._derived.pop(key, None) or ():
            derived.values = None
            self._run_again(derived.readers)
            derived.readers = None
        self._run_again(self._readers.get(key))

    def _run_again(self, readers: Many[Reader]) -> None:
        dirty = self.dirty
        for one in readers or ():
            scope = ScopeId(one >> BITS)
            dirty[scope] = dirty.get(scope, 0) | 1 << (one & _PART)


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
