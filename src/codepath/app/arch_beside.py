"""`arch` of a tree of which few files differ from one that is evaluated: only what these can alter is evaluated again.

The files that may be altered are those that differ, and those whose evaluation looked at them, over any number of steps. Both
trees are evaluated there. Where the tree before does not give the rows that are kept of it, or where more is altered than these
files tell, the whole tree is evaluated: the answer does not depend on which of the two was done.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from codepath.analysis.arch.reads import BELOW, CALLERS, CALLS, KEPT_OUT, WORD, part, scope_of, split
from codepath.app.differing import Differing, Side
from codepath.app.indexing import without_collector
from codepath.app.moved import Blocks, line_after, moved
from codepath.model import ir

if TYPE_CHECKING:
    from codepath.analysis.arch.answer import Evaluation
    from codepath.analysis.arch.spread import Part
    from codepath.app.kept import KeptArch
    from codepath.app.opened import Opened
    from codepath.app.touched import Change
    from codepath.model.answers import Step
    from codepath.model.arch import ArchAnswer, ArchReads, ArchRow
    from codepath.model.knowledge import Knowledge
    from codepath.program.bodies import Bodies
    from codepath.program.graph import CallGraph
    from codepath.program.tree import ModuleInfo

_MOST = 200
"""Scopes that are evaluated again; beyond, the whole tree is."""
_ABOVE = 14  # lines above a function of which the comments are read
_TRIES = 3


@dataclass(frozen=True)
class Version:
    """One tree. `modules` maps paths to dotted names.

    `holding` gives the files that hold a word, `evaluated` evaluates a part of the tree, `beside` gives the files beside code.
    """

    modules: Mapping[str, str]
    knowledge: Knowledge
    bodies: Bodies
    graph: CallGraph
    facts_of: Callable[[str], ir.ModuleFacts | None]
    holding: Callable[[str], Iterable[str]]
    evaluated: Callable[[Part], Evaluation]
    beside: Callable[[], Iterable[str]]


def after_change(base: Opened, head: Opened, targets: Sequence[str], change: Change) -> ArchAnswer | None:
    """Return the answer of a tree from that of the tree before, None where only evaluating it whole tells.

    Approximates: exact (the rows are those of a whole evaluation), as far as what an evaluation looks at is noted. Rows that
    are evaluated have no uses.
    """
    kept = base.architectures.evaluated(targets)
    with without_collector():
        rows = Again(_version(base, targets), _version(head, targets), change, kept).rows()
    return head.architectures.asked(replace(kept.answer, rows=tuple(rows))) if rows is not None else None


def _version(opened: Opened, targets: Sequence[str]) -> Version:
    from codepath.app.arch import evaluated_part

    tree = opened.architectures.tree()
    return Version(
        modules=opened.modules,
        knowledge=opened.knowledge,
        bodies=opened.bodies,
        graph=opened.graph,
        facts_of=lambda path: opened.facts_of(path) if path in opened.modules else None,
        holding=opened.words.holding,
        evaluated=lambda part: evaluated_part(tree, targets, part, opened.words.holding),
        beside=opened.tree.beside,
    )


class Again:
    """What a change can alter, evaluated again."""

    def __init__(self, base: Version, head: Version, change: Change, kept: KeptArch) -> None:
        self._base = base
        self._head = head
        self._change = change
        self._kept = kept
        self._reads = _Reads(kept.reads)
        self._paths = {name: path for version in (base, head) for path, name in version.modules.items()}
        self._helpers: set[str] = set()
        self._changed = {path for path in change.blocks if path in base.modules or path in head.modules}

    def rows(self) -> list[ArchRow] | None:
        """Return the rows of the tree after the change, None where that is not certain."""
        if self._head.knowledge != self._base.knowledge:
            return None
        further: set[str] = set()
        for _ in range(_TRIES):
            scopes = self._altered(further)
            if len(scopes) > _MOST:
                return None
            if not self._concerns(scopes):
                return self._whole((), scopes)
            before = self._base.evaluated(self._part(scopes, self._base))
            old = [row for row in before.answer().rows if _rests_on(row, scopes)]
            if old != [row for row in self._kept.answer.rows if _rests_on(row, scopes)]:
                return None
            after = self._head.evaluated(self._part(scopes, self._head))
            new = [row for row in after.answer().rows if _rests_on(row, scopes)]
            if before.spread.found - after.spread.found or self._is_cut(before, after):
                return None  # whom a name that holds no such value any more concerned is not known
            more = self._more(before, after, new, scopes)
            helpers = self._reads.helpers(after.world.reads.found) - self._needed(scopes)[0]
            if not more and not helpers:
                return self._whole(new, scopes)
            further |= more
            self._helpers |= helpers
        return None

    # --- what is altered ---------------------------------------------------------------------------------------------

    def _altered(self, further: set[str]) -> frozenset[str]:
        """Return the scopes that differ, further ones, and those whose evaluation looked at any of these."""
        things = self._reads.looking_at({*self._seeds, *further})
        return frozenset({*filter(None, map(scope_of, things)), *self._commented})

    @cached_property
    def _seeds(self) -> frozenset[str]:
        """What a change alters itself: things, bases of classes, calls, names, registered words."""
        differing = Differing(tuple(self._reads.asked(WORD)))
        for path in sorted(self._changed):
            differing.add(
                *(Side(v.bodies, v.bodies.module_at(path), v.facts_of(path)) for v in (self._base, self._head))
            )
        return frozenset((*differing.things, *self._calls()))

    @cached_property
    def _commented(self) -> frozenset[str]:
        """The scopes around what differs, and soon below: comments are read of them."""
        found: set[str] = set()
        for version, lines in ((self._base, self._change.before), (self._head, self._change.lines)):
            for path in self._changed:
                module = version.bodies.module_at(path)
                if module is not None:
                    found.update(_around(module, lines.get(path, ())))
        return frozenset(found)

    def _calls(self) -> Iterator[str]:
        """Yield the calls that were looked at and are no longer the same, with the callers."""
        for kind in (CALLS, CALLERS):
            for name in self._reads.asked(kind):
                old, new = (_steps(v.graph, kind, name) for v in (self._base, self._head))
                differing = _placed(old, self._change.blocks) ^ _placed(new, {})
                if differing:
                    yield part(kind, name)
                    yield from (caller for caller, *_ in differing)

    def _is_cut(self, before: Evaluation, after: Evaluation) -> bool:
        """Tell whether what the changed scopes look at depends on who asked first, or something does now that did not."""
        cut = after.world.reads.cut
        seen = _seen(after.world.reads.found, frozenset(filter(None, map(scope_of, self._seeds))))
        return bool(cut - before.world.reads.cut) or not cut.isdisjoint(seen)

    # --- evaluating --------------------------------------------------------------------------------------------------

    def _part(self, scopes: frozenset[str], version: Version) -> Part:
        from codepath.analysis.arch.spread import Part

        run, below = self._needed(scopes)
        files = set(map(self._file_of, run))
        return Part(
            scopes=frozenset(run),
            judged=scopes,
            modules=tuple(module for path, module in version.modules.items() if path in files),
            loaded=tuple(sorted(below)),
            names=frozenset(self._kept.names),
            ran=frozenset(self._kept.reads.ran),
            attributes=self._kept.reads.attributes,
        )

    def _needed(self, scopes: frozenset[str]) -> tuple[set[str], set[str]]:
        """Return the scopes that are run where some are evaluated, and the subclasses that are loaded."""
        rows = (row for row in self._kept.answer.rows if _rests_on(row, scopes))
        looking = (lookup.place.function for row in rows for lookup in row.lookups)
        return self._reads.needed({*scopes, *looking, *self._helpers})

    def _file_of(self, scope: str) -> str:
        """Return the file of a scope of either tree, "" where there is none."""
        while scope and scope not in self._paths:
            scope = scope.rpartition(".")[0]
        return self._paths.get(scope, "")

    def _more(self, before: Evaluation, after: Evaluation, new: Iterable[ArchRow], scopes: frozenset[str]) -> set[str]:
        """Return the scopes that are altered too by what the altered ones give and pass on, or share a row with them."""
        found = set(self._mentioning(after.spread.found - before.spread.found))
        old, now = before.spread.passings(), after.spread.passings()
        found |= {function for function, name in {*old, *now} if old.get((function, name)) != now.get((function, name))}
        others = (row for row in self._kept.answer.rows if not _rests_on(row, scopes))
        shared = {
            (place.file, place.line, place.column)
            for place in (moved(row.place, self._change.blocks) for row in others)
        }
        found |= {r.place.function for r in new if (r.place.file, r.place.line, r.place.column) in shared}
        return found - scopes

    def _concerns(self, scopes: frozenset[str]) -> bool:
        """Tell whether any of some scopes had a part in a row or in what is passed on, or can have one now."""
        from codepath.analysis.arch.spread import mentions

        if not scopes.isdisjoint(self._kept.reads.ran) or any(_rests_on(row, scopes) for row in self._kept.answer.rows):
            return True
        found = filter(None, map(self._head.bodies.body, scopes))
        return any(not mentions(body.scope.exprs).isdisjoint(self._kept.names) for body in found)

    def _mentioning(self, names: Collection[str]) -> Iterator[str]:
        """Yield the scopes that mention one of some names."""
        from codepath.analysis.arch.spread import mentions

        for path in sorted({path for name in names for path in self._head.holding(name)}):
            module = self._head.bodies.module_at(path)
            for info in module.scopes if module is not None else ():
                if not mentions(self._head.bodies.of(info).scope.exprs).isdisjoint(names):
                    yield info.name

    def _whole(self, new: Iterable[ArchRow], scopes: frozenset[str]) -> list[ArchRow]:
        from codepath.analysis.arch.answer import order, rows_of_files

        kept = [row for row in self._kept.answer.rows if row.kind != "files" and not _rests_on(row, scopes)]
        rows = [*(moved_row(row, self._change.blocks) for row in kept), *new]
        answer = self._kept.answer
        archs = [arch for arch in self._head.knowledge.architectures if arch.name in answer.columns]
        return sorted([*rows, *rows_of_files(self._head.beside(), archs, answer.targets)], key=order)


class _Reads:
    """What looked at what. Things are in the words of `analysis.arch.reads`."""

    def __init__(self, reads: ArchReads) -> None:
        self._names = reads.names
        self._read = {reads.names[at]: tuple(reads.names[n] for n in some) for at, some in reads.read}
        self._passers = {reads.names[at]: tuple(reads.names[n] for n in some) for at, some in reads.passed}
        self._ran = frozenset(reads.ran)
        self._lookers: dict[str, list[str]] = {}
        for edges in (self._read, self._passers):
            for name, some in edges.items():
                for one in some:
                    self._lookers.setdefault(one, []).append(name)

    def asked(self, kind: str) -> Iterator[str]:
        """Yield the names of the things of a kind."""
        return (thing[1] for thing in map(split, self._names) if len(thing) > 1 and thing[0] == kind)

    def looking_at(self, things: Iterable[str]) -> set[str]:
        """Return things and what looked at them, over any number of steps."""
        return _closure(things, lambda name: self._lookers.get(name, ()))

    def needed(self, scopes: Iterable[str]) -> tuple[set[str], set[str]]:
        """Return the scopes to be run where some are evaluated, and the subclasses to be loaded."""
        run = set(scopes)
        parts: dict[str, list[str]] = {}
        for name in self._names:
            parts.setdefault(scope_of(name), []).append(name)
        while True:
            start = (part for name in run for part in parts.get(name, ()))
            seen = _closure(start, lambda name: self._read.get(name, ()))
            found = self.helpers({name: self._read.get(name, ()) for name in seen})
            if found <= run:
                return run, {one for name in seen if split(name)[0] == BELOW for one in self._read.get(name, ())}
            run |= found

    def helpers(self, read: Mapping[str, Iterable[str]]) -> set[str]:
        """Return what is run too for things with what they look at: what passes them values, or keeps others out of them."""
        found = {passer for name in read for passer in self._passers.get(name, ())}
        return found | {
            one for name, some in read.items() if split(name)[0] == KEPT_OUT for one in some if one in self._ran
        }


def _seen(found: Mapping[str, set[str]], scopes: frozenset[str]) -> set[str]:
    """Return what the evaluation of scopes looked at, over any number of steps."""
    return _closure((name for name in found if scope_of(name) in scopes), lambda name: found.get(name, ()))


def _closure(start: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    found = set(start)
    todo = list(found)
    while todo:
        for one in following(todo.pop()):
            if one not in found:
                found.add(one)
                todo.append(one)
    return found


def _rests_on(row: ArchRow, scopes: Container[str]) -> bool:
    """Tell whether a row is of some scopes, or of look-ups in them."""
    return row.kind != "files" and (
        row.place.function in scopes or any(lookup.place.function in scopes for lookup in row.lookups)
    )


def moved_row(row: ArchRow, blocks: Blocks) -> ArchRow:
    """Return a row with its places, and those in its texts, as they are after a change."""
    row = moved(row, blocks)
    for path in blocks:
        place = re.compile(rf"(?<![\w/.-]){re.escape(path)}:(\d+)")

        def now(found: re.Match[str], path: str = path) -> str:
            return f"{path}:{line_after(int(found[1]), blocks[path])}"

        reasons = tuple((arch, place.sub(now, text)) for arch, text in row.reasons)
        row = replace(row, reasons=reasons, group=place.sub(now, row.group))
    return row


def _around(module: ModuleInfo, lines: Sequence[int]) -> Iterator[str]:
    """Yield the functions that hold lines, or begin soon below them; the module for lines that no function holds."""
    held: set[int] = set()
    for info in module.scopes:
        if info.form == "function":
            first, last = ir.line_of(info.at), ir.line_of(info.end)
            inside = [line for line in lines if first - _ABOVE <= line <= last]
            held.update(line for line in inside if line >= first)
            if inside:
                yield info.name
    if not held.issuperset(lines):
        yield module.name


def _steps(graph: CallGraph, kind: str, name: str) -> Iterable[Step]:
    return graph.steps(name) if kind == CALLS else graph.steps_into(name)


def _placed(steps: Iterable[Step], blocks: Blocks) -> set[tuple[str, str, str, str, int, int]]:
    """Return what evaluations ask of steps, with the lines as they are after a change."""
    return {(s.caller, s.callee, s.kind, s.resolution, s.column, _line(s.file, s.line, blocks)) for s in steps}


def _line(path: str, line: int, blocks: Blocks) -> int:
    return line_after(line, blocks[path]) if path in blocks else line
