"""The tree as the search for causes asks for it, and the failing place inside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from codepath.analysis.hooks import Hooks
from codepath.model import ir
from codepath.model.answers import Guard, Place
from codepath.model.arch import ArchRow
from codepath.model.trace import Evidence, Frame
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph
from codepath.program.guards import Guards, Literals
from codepath.program.hook_facts import HookFacts
from codepath.program.lookups import written
from codepath.program.regions import every_region
from codepath.program.subtrees import first_of

FindScope = Callable[[str], "tuple[str, ir.Scope] | None"]
_SHOWN = 4
NoneFlow = Callable[[str, int], "Sequence[Sequence[Evidence]] | None"]
"""Gives the chains by which None can get to expression `index` of a function, from the cause outwards; None: not known."""


def _no_rows(modules: Sequence[str]) -> Sequence[ArchRow]:
    """Return no tables: nothing is evaluated."""
    return ()


@dataclass(frozen=True)
class Ground:
    """What causes are looked for in.

    `models` are classes of registries that the log names, the likeliest first; `known_model` is the one that certainly ran,
    "" where none is; `owners` are the classes whose methods stand in the traceback, innermost first; `architectures` those
    of the GPUs that the log names, of `all_architectures`; `stack` are the functions of the traceback with the lines on
    which they stand, outermost first.
    """

    graph: CallGraph
    hooks: Hooks
    facts: HookFacts
    bodies: Bodies
    find: FindScope
    lines: Callable[[str], Sequence[str]]
    none_flow: NoneFlow
    models: tuple[str, ...] = ()
    known_model: str = ""
    owners: tuple[str, ...] = ()
    arch_rows: Callable[[Sequence[str]], Sequence[ArchRow]] = _no_rows
    architectures: tuple[str, ...] = ()
    all_architectures: tuple[str, ...] = ()
    stack: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Site:
    """A place where something failed, or can: a line of a function. `marked` are columns, end exclusive, where known."""

    ground: Ground
    function: str
    file: str
    line: int
    marked: tuple[int, int] | None = None

    @cached_property
    def scope(self) -> ir.Scope | None:
        """The function's scope."""
        found = self.ground.find(self.function)
        return found[1] if found is not None else None

    @cached_property
    def guards(self) -> Guards | None:
        """The guards of the function's expressions."""
        return Guards(self.scope) if self.scope is not None else None

    @property
    def exprs(self) -> tuple[ir.Expr, ...]:
        """The expressions of the function."""
        return self.scope.exprs if self.scope is not None else ()

    @property
    def place(self) -> Place:
        """The place of the line."""
        return Place(self.file, self.line, self.marked[0] if self.marked else 0, self.function)

    def at(self, packed: int) -> Place:
        """Return a place of the function."""
        return Place(self.file, ir.line_of(packed), ir.column_of(packed), self.function)

    def on_line(self) -> list[int]:
        """Return the expressions that failed: those that are marked, else those that start on the line, inner ones first."""
        found = [i for i, e in enumerate(self.exprs) if ir.line_of(e.at) == self.line]
        if self.marked is None:
            return found or self._around_line()
        exact = [i for i in found if ir.column_of(self.exprs[i].at) == self.marked[0] and self._ends_at(i)]
        return exact or [i for i in found if self.marked[0] <= ir.column_of(self.exprs[i].at) < self.marked[1]] or found

    def _ends_at(self, index: int) -> bool:
        end = getattr(self.exprs[index], "end", 0)
        assert self.marked is not None
        return not end or (ir.line_of(end) != self.line or ir.column_of(end) == self.marked[1])

    def _around_line(self) -> list[int]:
        """Return the expressions of the statement that a line is in the middle of."""
        found = []
        for index, expr in enumerate(self.exprs):
            end = getattr(expr, "end", 0)
            if end and ir.line_of(expr.at) <= self.line <= ir.line_of(end):
                found.append(index)
        return found

    def region(self) -> ir.Region | None:
        """Return the `assert` or `raise` of the line."""
        for region in every_region(self.scope.body) if self.scope is not None else ():
            if not isinstance(region, (ir.Assert, ir.Raise)):
                continue
            last = max(
                (ir.line_of(e.at) for e in self.exprs[region.start : region.stop]), default=ir.line_of(region.at)
            )
            if ir.line_of(region.at) <= self.line <= last:
                return region
        return None

    def guards_of(self, index: int) -> tuple[Guard, ...]:
        """Return the guards under which an expression runs."""
        return self.said(self.guards.of(index)) if self.guards is not None and index >= 0 else ()

    def said(self, literals: Literals) -> tuple[Guard, ...]:
        """Return conditions as an answer has them."""
        return tuple(
            Guard(g.text, g.polarity, g.kind, self.file, ir.line_of(g.at), when=self.said(g.when)) for g in literals
        )

    def written(self, index: int) -> str:
        """Return an expression as the source has it where it is on one line, else about so."""
        expr = self.exprs[index]
        end = getattr(expr, "end", 0)
        if end and ir.line_of(end) == ir.line_of(expr.at) and self.scope is not None:
            start = self.exprs[first_of(self.exprs, index)].at
            lines = self.ground.lines(self.file)
            if ir.line_of(start) == ir.line_of(end) <= len(lines):
                return lines[ir.line_of(end) - 1][min(ir.column_of(start), ir.column_of(expr.at)) : ir.column_of(end)]
        return written(self.scope, index) if self.scope is not None else ""


def sites_of(ground: Ground, frames: Iterable[Frame]) -> Iterator[Site]:
    """Yield the sites of the frames that stand in the tree, innermost first."""
    for frame in reversed(tuple(frames)):
        if frame.place is not None:
            marked = frame.frame.marked if frame.match in ("exact", "moved", "text") else None
            column = frame.place.column
            columns = (marked[0] + column, marked[1] + column) if marked is not None else None
            yield Site(ground, frame.place.function, frame.place.file, frame.place.line, columns)


def short(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]


def plain_function(name: str) -> str:
    """Return the last two parts of a method's name, or one of a function's."""
    parts = name.split(".")
    return ".".join(parts[-2:]) if len(parts) > 1 and parts[-2][:1].isupper() else parts[-1]


def conditions_said(guards: Sequence[Guard]) -> str:
    """Return the conditions that some guards demand, the last few of many."""
    return " and ".join(_condition(guard) for guard in guards[-_SHOWN:])


def _condition(guard: Guard) -> str:
    if guard.polarity:
        return f"`{guard.text}`"
    inner = guard.text.removeprefix("not ")
    is_plain = inner != guard.text and not {"and", "or", "if"}.intersection(inner.split())
    return f"`{inner}`" if is_plain else f"not `{guard.text}`"
