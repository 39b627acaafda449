"""`arch`: what the tables and branches of one opened tree do on GPU architectures, kept in the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.model.answers import Place, Stats
from codepath.program.names import is_place

if TYPE_CHECKING:
    from codepath.analysis.arch.assumed import AssumedGpu
    from codepath.app.arch import Tree
    from codepath.app.kept import KeptArch
    from codepath.app.opened import Opened
    from codepath.app.touched import Change
    from codepath.model.arch import ArchAnswer, ArchRow, ExplainAnswer


_BEHIND = 60
"""Lines behind the start of a table, or of another statement of a module or class, that count as part of it."""


class Architectures:
    """The questions about GPU architectures of one opened tree."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def arch(self, targets: Sequence[str]) -> ArchAnswer:
        """Answer which tables and branches miss some architectures."""
        self._opened.whole_or_changed()
        return self.asked(self._kept(targets).answer)

    def rows(self, targets: Sequence[str]) -> ArchAnswer:
        """Answer which tables and branches miss some architectures, without the ways in from which they are reached."""
        self._opened.whole_or_changed()
        return self.asked(self.evaluated(targets).answer)

    def asked(self, answer: ArchAnswer) -> ArchAnswer:
        """Return an answer without the rows of tests and vendored code, where these are not asked for."""
        from codepath.app.aside import aside

        include = {*self._opened.options.include, *self._opened.config.include}
        rows = tuple(row for row in answer.rows if aside(row.place.file) <= include)
        return replace(answer, rows=rows, left_out=len(answer.rows) - len(rows))

    def explained(self, targets: Sequence[str], asked: str) -> ExplainAnswer:
        """Answer what a name or a line is on each architecture."""
        from codepath.app.arch import explained

        self._opened.whole_or_changed()
        opened = self._opened
        near = opened.near(asked) if not is_place(asked) and not opened.names.every(asked) else ()
        return explained(self.tree(), targets, asked, opened.names, near)

    def rows_in(self, modules: Sequence[str]) -> tuple[ArchRow, ...]:
        """Return the tables and branches of some modules, evaluated; of the whole tree where none are named."""
        self._opened.whole_tree()
        if not modules:
            return self._kept(()).answer.rows
        from codepath.app.arch import rows_in

        return rows_in(self.tree(), modules)

    def gpu(self, word: str) -> AssumedGpu:
        """Return the GPU that a word means, with what is known of the tree's predicates on it."""
        from codepath.app.arch import assumed_gpu, chosen

        chosen(self._opened.knowledge, [word])
        self._opened.whole_tree()
        return assumed_gpu(self.tree(), word, self.evaluated(()).names)

    def unconcerned(self, targets: Sequence[str], change: Change) -> ArchAnswer | None:
        """Return the answer where nothing of it has to do with a change to another tree, else None.

        Approximates: under (a change elsewhere may give a function of the answer other arguments).
        """
        from codepath.app.arch_beside import moved_row

        self._opened.whole_tree()
        kept = self.evaluated(targets)
        probes = (probe.function for probe in self._opened.knowledge.probes)
        names = {name.rpartition(".")[2] for name in (*kept.names, *probes)}
        places = (place for row in kept.answer.rows for place in _places(row))
        if names & change.words or any(self._is_edited(place, change) for place in places):
            return None
        rows = tuple(moved_row(row, change.blocks) for row in kept.answer.rows)
        return self.asked(replace(kept.answer, rows=rows))

    def _is_edited(self, place: Place, change: Change) -> bool:
        """Tell whether a change is in the function around a place, or soon behind it in a module or class."""
        edges = change.edges.get(place.file, ())
        if not edges:
            return False
        info = self._opened.bodies.scope(place.function)
        first, last = place.line, place.line + _BEHIND
        if info is not None and info.form == "function":
            first, last = ir.line_of(info.at), ir.line_of(info.end)
        return any(first <= line <= last for line in edges)

    def _key(self, targets: Sequence[str], what: str) -> str:
        from codepath.app.kept import arch_key

        opened = self._opened
        rest = (what, tuple(targets), opened.entries, sorted(opened.tree.beside()))
        return arch_key(opened.solution, opened.knowledge, rest)

    def _kept(self, targets: Sequence[str]) -> KeptArch:
        from codepath.app.arch import with_uses

        return self._stored(self._key(targets, "uses"), lambda: with_uses(self.tree(), self.evaluated(targets)))

    def evaluated(self, targets: Sequence[str]) -> KeptArch:
        """Return the whole tree evaluated, its rows without uses."""
        from codepath.app.arch import evaluate

        return self._stored(self._key(targets, "rows"), lambda: evaluate(self.tree(), targets))

    def _stored(self, key: str, work_out: Callable[[], KeptArch]) -> KeptArch:
        from codepath.app.kept import keep_arch, stored_arch

        store = self._opened.store
        answer = stored_arch(store, key)
        if answer is None:
            answer = work_out()
            keep_arch(store, key, answer)
        return answer

    def tree(self) -> Tree:
        """Return what of the tree an evaluation needs."""
        from codepath.app.arch import Tree

        opened = self._opened
        stats = Stats(*opened.whole.counts)
        assuming = opened.assuming
        parts = (opened.indexer, opened.modules, opened.knowledge, opened.bodies, opened.graph)
        return Tree(*parts, opened.entries, assuming.options, assuming.defaults_of, stats, opened.progress)


def _places(row: ArchRow) -> Iterator[Place]:
    """Yield the places that a row rests on."""
    yield row.place
    yield from (lookup.place for lookup in row.lookups)
    yield from (one.place for one in row.evidence if one.place is not None)
