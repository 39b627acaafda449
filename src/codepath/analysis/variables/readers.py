"""The readers of a variable: where it is obtained, and where what was obtained is asserted, tested or dereferenced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from codepath.analysis.nulls.states import ENTRY
from codepath.analysis.nulls.world import fits
from codepath.analysis.variables.access import Access
from codepath.analysis.variables.uses import STRENGTH, Found, Handed, Usage
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.values import Reader
from codepath.program.graph import CallGraph
from codepath.program.scopes import Read, Scopes

MAX_HANDED = 300
_CALLED = frozenset(["call", "construct", "super", "property", "dispatch", "family"])


@dataclass(slots=True)
class Obtained:
    """What is done with a variable: readers, changes in place (place and getter), and functions that return it."""

    readers: dict[Reader, None] = field(default_factory=dict)
    mutations: dict[tuple[Place, str | None, Read, int], None] = field(default_factory=dict)
    getters: dict[str, None] = field(default_factory=dict)
    left_out: int = 0


class Readers:
    """Follows a variable from the places where it is obtained."""

    def __init__(self, graph: CallGraph, scopes: Scopes) -> None:
        self._graph = graph
        self._scopes = scopes
        self._usages: dict[tuple[str, int], Usage] = {}
        self._handed = 0

    def usage(self, read: Read) -> Usage:
        """Return the uses of values in a scope."""
        key = (read.path, read.head.at if read.head.form != "module" else -1)
        found = self._usages.get(key)
        if found is None or found.scope is not read.scope:
            found = self._usages[key] = Usage(read.scope)
        return found

    def of(self, accesses: Iterable[Access]) -> Obtained:
        """Return the readers of a variable: its reads, and the calls of functions that return it, two deep."""
        found = Obtained()
        for access in accesses:
            if access.how == "read":
                self._obtain(access.read, access.expr, None, found)
        done: set[str] = set()
        for _ in range(2):
            fresh = [getter for getter in found.getters if getter not in done]
            done.update(fresh)
            for getter in fresh:
                for read, index in self.calls_of(getter):
                    self._obtain(read, index, getter, found)
        return found

    def calls_of(self, function: str) -> Iterator[tuple[Read, int]]:
        """Yield the call sites of a function (for a property: its reads), those by name only left out."""
        for step in self._graph.steps_into(function):
            if step.resolution == "by-name" or step.kind not in _CALLED:
                continue
            at = ir.pack(step.line, step.column)
            for read in self._scopes.of_function(step.file, step.caller):
                index = _site(read.scope, at, function, ir.Attr if step.kind == "property" else ir.Call)
                if index >= 0:
                    yield read, index
                    break

    def _obtain(self, read: Read, index: int, through: str | None, found: Obtained) -> None:
        uses = self.usage(read).of(index)
        at = read.scope.exprs[index].at
        if uses.returned and read.head.form == "function":
            found.getters.setdefault(read.function, None)
        needs = any(use.needs for use in uses.uses)
        here = [use.how for use in uses.uses if use.at >> 16 == at >> 16 and use.how in STRENGTH]
        how = min(here, key=lambda h: STRENGTH[h], default="use")
        found.readers[Reader(place_in(read, at), through, how, needs)] = None
        self._uses(read, index, uses, through, found, at)
        for handed in uses.handed:
            self._hand_on(read, handed, through, found)

    def _uses(self, read: Read, index: int, uses: Found, through: str | None, found: Obtained, near: int) -> None:
        for use in uses.uses:
            place = place_in(read, use.at)
            if use.how == "mutate":
                found.mutations[place, through, read, use.at] = None
            elif use.at >> 16 != near >> 16:
                found.readers[Reader(place, through, use.how, use.needs)] = None

    def _hand_on(self, read: Read, handed: Handed, through: str | None, found: Obtained) -> None:
        """Follow a value into the functions that get it as an argument, one call deep."""
        for callee, param in self._receiving(read, handed):
            if self._handed >= MAX_HANDED:
                found.left_out += 1
                return
            self._handed += 1
            usage = self.usage(callee)
            for index in usage.reads_of(param, ENTRY):
                uses = usage.of(index)
                for use in uses.uses:
                    place = place_in(callee, use.at)
                    if use.how == "mutate":
                        found.mutations[place, through, callee, use.at] = None
                    else:
                        found.readers[Reader(place, through, use.how, use.needs and handed.needs)] = None

    def _receiving(self, read: Read, handed: Handed) -> Iterator[tuple[Read, str]]:
        """Yield the functions of the tree that a call runs, with the parameter that gets the argument."""
        row = self._graph.function(read.function)
        call = read.scope.exprs[handed.call]
        for step in row.steps if row is not None else ():
            if step.at != call.at or step.resolution == "by-name":
                continue
            if _site(read.scope, step.at, step.callee, ir.Call) != handed.call:
                continue
            target = self._graph.function(step.callee)
            if target is None or target.kind not in ("function", "method"):
                continue
            for callee in self._scopes.of_function(target.file, step.callee):
                param = _param(callee.scope, handed, target.kind == "method")
                if param and callee.scope.form == "function":
                    yield callee, param


def _site(scope: ir.Scope, at: int, callee: str, form: type) -> int:
    """Return the call site (or read) that starts at a place and is that of a callee, -1 where there is none."""
    sites = [i for i, e in enumerate(scope.exprs) if e.at == at and isinstance(e, form)]
    fitting = [i for i in sites if fits(callee, _named(scope, i))]
    return (fitting or sites or [-1])[-1]


def _named(scope: ir.Scope, index: int) -> str:
    expr = scope.exprs[index]
    if isinstance(expr, ir.Call):
        expr = scope.exprs[expr.func]
    return expr.id if isinstance(expr, (ir.Name, ir.Attr)) else ""


def _param(scope: ir.Scope, handed: Handed, is_method: bool) -> str:
    """Return the parameter that an argument goes to, "" where that is not known."""
    if handed.name:
        return handed.name if any(p.id == handed.name for p in scope.params) else ""
    bound = is_method and bool(scope.params) and scope.params[0].id in ("self", "cls", "mcs")
    plain = [p.id for p in scope.params if p.form in ("positional", "normal")][1 if bound else 0 :]
    return plain[handed.position] if 0 <= handed.position < len(plain) else ""


def place_in(read: Read, at: int) -> Place:
    """Return a packed place of a scope."""
    return Place(read.path, ir.line_of(at), ir.column_of(at), read.function)
