"""The call graph as the analyses ask for it: functions, steps into and out of them, names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from codepath.model import ir
from codepath.model.answers import Guard, Place, Stats, Step, Symbol, Unresolved, Via
from codepath.model.solution import (
    StoredFunction,
    StoredName,
    StoredStep,
    decode_function,
    decode_names,
    decode_strings,
)
from codepath.program.rows import BUILTINS, CALLERS, FILE, FUNCTION, GAPS, NAME, STORES, SUBCLASSES, Counts


class Rows(Protocol):
    """Where rows come from."""

    def get(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the rows of keys, absent ones left out."""

    def scan(self) -> Iterable[tuple[str, bytes]]:
        """Return all rows sorted by key."""


_MOST_KEPT = 20_000  # functions whose steps in are kept as steps


class Unread(Protocol):
    """The files of a tree that a question has not read."""

    def stores(self, attribute: str) -> Iterable[tuple[str, str]]:
        """Return (storing function, class) of an attribute's stores, as `CallGraph.stores_of` does."""

    def joins(self, some: frozenset[str], others: frozenset[str]) -> bool:
        """Tell whether one of the files may define a class with one of some bases and one of others, by their names."""

    def binds(self, name: str, bases: frozenset[str]) -> bool:
        """Tell whether one of the files may bind a name in the body of a class: of any, or below some bases, by their names."""


class CallGraph:
    """A call graph over stored rows, read as they are needed and kept.

    `unread` are the files of the tree that were not read, None where all were; `for_tests` tells of a path whether only tests
    run the file. `tests_run` tells whether a question is about runs of the tree's tests.
    """

    def __init__(
        self,
        rows: Rows,
        mains: Iterable[str],
        unread: Unread | None = None,
        for_tests: Callable[[str], bool] | None = None,
    ) -> None:
        self._rows = rows
        self._unread = unread
        self.mains = frozenset(mains)
        self._functions: dict[str, StoredFunction | None] = {}
        self._callers: dict[str, tuple[str, ...]] = {}
        self._into: dict[str, tuple[Step, ...]] = {}
        self._stores: dict[str, tuple[tuple[str, str], ...]] = {}
        self._below: dict[str, tuple[str, ...]] = {}
        self._for_tests = for_tests
        self.tests_run = False

    @property
    def is_partial(self) -> bool:
        """Whether files of the tree were not read."""
        return self._unread is not None

    def is_bound_unread(self, name: str, cls: str = "") -> bool:
        """Tell whether a file that was not read may bind a name in the body of a class: of any, or of one below `cls`."""
        if self._unread is None:
            return False
        above = (cls, *self.subclasses(cls)) if cls else ()
        return self._unread.binds(name, frozenset(one.rpartition(".")[2] for one in above))

    def are_joined_unread(self, one: str, other: str) -> bool:
        """Tell whether a class in a file that was not read may be below two classes."""
        if self._unread is None:
            return False
        below = (frozenset(n.rpartition(".")[2] for n in (cls, *self.subclasses(cls))) for cls in (one, other))
        return self._unread.joins(*below)

    def fetch(self, names: Iterable[str], *, callers: bool = False) -> None:
        """Read the rows of many functions at once."""
        wanted = [n for n in names if n not in self._functions]
        keys = [FUNCTION + n for n in wanted]
        asked = [n for n in names if callers and n not in self._callers]
        keys += [CALLERS + n for n in asked]
        if not keys:
            return
        found = self._rows.get(keys)
        for name in wanted:
            blob = found.get(FUNCTION + name)
            self._functions[name] = decode_function(blob) if blob is not None else None
        for name in asked:
            blob = found.get(CALLERS + name)
            self._callers[name] = decode_strings(blob) if blob is not None else ()

    def function(self, name: str) -> StoredFunction | None:
        """Return what is known of a function or module, None for a name outside the tree."""
        if name not in self._functions:
            self.fetch([name])
        return self._functions[name]

    def callers(self, name: str) -> tuple[str, ...]:
        """Return the functions with a step into `name`, sorted."""
        if name not in self._callers:
            self.fetch([name], callers=True)
        return self._callers[name]

    def steps(self, name: str) -> tuple[Step, ...]:
        """Return the steps out of a function in source order."""
        row = self.function(name)
        return tuple(step_of(name, row, s) for s in row.steps) if row is not None else ()

    def steps_into(self, name: str) -> tuple[Step, ...]:
        """Return the steps into a function, by place."""
        known = self._into.get(name)
        if known is None:
            if len(self._into) >= _MOST_KEPT:
                self._into.clear()
            known = self._into[name] = tuple(self._steps_into(name))
        return known

    def _steps_into(self, name: str) -> list[Step]:
        callers = self.callers(name)
        self.fetch(callers)
        found: list[Step] = []
        for caller in callers:
            row = self.function(caller)
            if row is not None:
                found.extend(step_of(caller, row, s) for s in row.steps if s.callee == name)
        return sorted(found, key=lambda s: (s.file, s.line, s.column, s.kind))

    def named(self, last: str) -> tuple[StoredName, ...]:
        """Return the things of the tree whose last name is `last`."""
        blob = self._rows.get([NAME + last]).get(NAME + last)
        return decode_names(blob) if blob is not None else ()

    def in_file(self, path: str) -> tuple[StoredName, ...]:
        """Return the modules, classes and functions of a file."""
        blob = self._rows.get([FILE + path]).get(FILE + path)
        return decode_names(blob) if blob is not None else ()

    def stores_of(self, attribute: str) -> tuple[tuple[str, str], ...]:
        """Return (storing function, class) of an attribute's stores; the class is "" where the receiver is no `self`."""
        found = self._stores.get(attribute)
        if found is None:
            rows = self._strings(STORES + attribute)
            found = tuple((row.partition("\0")[0], row.partition("\0")[2]) for row in rows)
            self._stores[attribute] = found
        return found

    def run_stores_of(self, attribute: str) -> tuple[tuple[str, str], ...]:
        """Return what `stores_of` does, without what only tests run."""
        found = self.stores_of(attribute)
        return found if self.tests_run else tuple(row for row in found if not self._is_for_tests(row[0]))

    def all_stores_of(self, attribute: str) -> tuple[tuple[str, str], ...]:
        """Return what `run_stores_of` does, with those of files that were not read."""
        read = self.run_stores_of(attribute)
        return read if self._unread is None else tuple(sorted({*read, *self._unread.stores(attribute)}))

    def _is_for_tests(self, function: str) -> bool:
        row = self.function(function) if self._for_tests is not None else None
        return row is not None and self._for_tests is not None and self._for_tests(row.file)

    def subclasses(self, cls: str) -> tuple[str, ...]:
        """Return the classes of the tree below a class, by name."""
        if cls not in self._below:
            self._below[cls] = self._strings(SUBCLASSES + cls)
        return self._below[cls]

    def _strings(self, key: str) -> tuple[str, ...]:
        blob = self._rows.get([key]).get(key)
        return decode_strings(blob) if blob is not None else ()

    def everything(self) -> Iterator[tuple[str, StoredFunction]]:
        """Yield every function and module with its row, by file and place."""
        rows = [(key, decode_function(blob)) for key, blob in self._rows.scan() if key.startswith(FUNCTION)]
        rows.sort(key=lambda r: (r[1].file, r[1].at, r[0]))
        for key, row in rows:
            yield key[len(FUNCTION) :], row

    def all_names(self) -> list[str]:
        """Return the last name of everything in the tree, sorted."""
        return [key[len(NAME) :] for key, _ in self._rows.scan() if key.startswith(NAME)]

    def called(self, name: str) -> list[str]:
        """Return what is called of a dotted name: itself and what stands below it, sorted."""
        found = (key[len(CALLERS) :] for key, _ in self._rows.scan() if key.startswith(CALLERS + name))
        return [one for one in found if one == name or one.startswith(f"{name}.")]

    def uses_of(self, name: str) -> Iterator[tuple[str, int]]:
        """Yield the places, as (file, line), that call a name outside the tree or what stands below it."""
        if not name.startswith(BUILTINS):
            yield from ((s.file, s.line) for callee in self.called(name) for s in self.steps_into(callee))
            return
        for _, row in self.everything():  # of builtins no callers are kept
            found = (s for s in row.steps if s.callee == name or s.callee.startswith(f"{name}."))
            yield from ((row.file, ir.line_of(s.at)) for s in found)

    def stored(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return rows by key, for analyses that keep their own; absent ones are left out."""
        return self._rows.get(keys)

    def spawned(self) -> list[str]:
        """Return the functions of the tree that a process is started with, sorted."""
        steps = (step for _, row in self.everything() for step in row.steps if step.kind == "spawn-process")
        return sorted({step.callee for step in steps if self.function(step.callee) is not None})

    def uncalled(self) -> Iterator[StoredName]:
        """Yield the functions and methods that nothing calls, by file and place."""
        called = {key[len(CALLERS) :] for key, _ in self._rows.scan() if key.startswith(CALLERS)}
        for name, row in self.everything():
            if row.kind in ("function", "method") and name not in called:
                yield StoredName(name, row.kind, row.file, row.at, row.end)

    def steps_of(self, caller: str, row: StoredFunction) -> Iterator[Step]:
        """Yield the steps of a row."""
        return (step_of(caller, row, stored) for stored in row.steps)

    def count(self, matches: Callable[[str], bool]) -> Stats:
        """Count the call sites of the functions whose names match."""
        counts = Counts()
        for name, row in self.everything():
            if matches(name):
                counts.add(row)
        return counts.stats()

    def count_of(self, names: Iterable[str]) -> Stats:
        """Count the call sites of some functions."""
        counts = Counts()
        for name in sorted(set(names)):
            row = self.function(name)
            if row is not None:
                counts.add(row)
        return counts.stats()

    def gaps_named(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return, by last name of an unresolved callee, the functions that hold such call sites."""
        keys = {GAPS + name: name for name in names}
        return {keys[key]: decode_strings(blob) for key, blob in self._rows.get(keys).items()}


def step_of(caller: str, row: StoredFunction, stored: StoredStep) -> Step:
    """Return a stored step as an answer has it."""
    via = None
    if stored.how:
        line, column = ir.line_of(stored.how_at), ir.column_of(stored.how_at)
        via = Via(stored.how, Place(stored.how_file or row.file, line, column, stored.how_function), stored.wraps)
    return Step(
        caller=caller,
        callee=stored.callee,
        file=row.file,
        line=ir.line_of(stored.at),
        column=ir.column_of(stored.at),
        kind=stored.kind,
        resolution=stored.resolution,
        via=via,
        guards=tuple(guard_of(row, number) for number in stored.guards),
    )


def guard_of(row: StoredFunction, number: int) -> Guard:
    """Return guard `number` of a row as an answer has it."""
    stored = row.guards[number]
    return Guard(
        text=stored.text,
        polarity=stored.polarity,
        kind=stored.kind,
        file=stored.file or row.file,
        line=stored.line,
        when=tuple(guard_of(row, n) for n in stored.when),
        choice=stored.choice,
    )


def gaps_of(caller: str, row: StoredFunction) -> Iterator[Unresolved]:
    """Yield the unresolved call sites of a function, those that leave the tree left out."""
    for gap in row.gaps:
        if not gap.outside:
            line, column = ir.line_of(gap.at), ir.column_of(gap.at)
            yield Unresolved(caller, row.file, line, column, gap.text, gap.reason)


def symbol_of(name: StoredName) -> Symbol:
    """Return a stored name as an answer has it."""
    place = Place(name.file, ir.line_of(name.at), ir.column_of(name.at), name.name)
    return Symbol(name.name, name.kind, place)
