"""`arch`: what the tables and branches of one opened tree do on GPU architectures, kept in the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codepath.model.answers import Stats

if TYPE_CHECKING:
    from codepath.analysis.arch.assumed import AssumedGpu
    from codepath.app.arch import Tree
    from codepath.app.kept import KeptArch
    from codepath.app.opened import Opened
    from codepath.app.touched import Change
    from codepath.model.arch import ArchAnswer, ArchRow, ExplainAnswer


class Architectures:
    """The questions about GPU architectures of one opened tree; the whole of it is solved."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def arch(self, targets: Sequence[str]) -> ArchAnswer:
        """Answer which tables and branches miss some architectures."""
        return self._kept(targets).answer

    def explained(self, targets: Sequence[str], asked: str) -> ExplainAnswer:
        """Answer what a name or a line is on each architecture."""
        from codepath.app.arch import explained

        return explained(self._tree(), targets, asked, self._opened.one)

    def rows_in(self, modules: Sequence[str]) -> tuple[ArchRow, ...]:
        """Return the tables and branches of some modules, evaluated."""
        from codepath.app.arch import rows_in

        return rows_in(self._tree(), modules)

    def gpu(self, word: str) -> AssumedGpu:
        """Return the GPU that a word means, with what is known of the tree's predicates on it."""
        from codepath.app.arch import assumed_gpu, chosen

        chosen(self._opened.knowledge, [word])
        return assumed_gpu(self._tree(), word, self._kept(()).names)

    def unconcerned(self, targets: Sequence[str], change: Change) -> ArchAnswer | None:
        """Return the answer where it is known already and nothing of it has to do with a change to another tree, else None.

        Approximates: under (a change elsewhere may give a function of the answer other arguments).
        """
        from codepath.app.kept import stored_arch

        kept = stored_arch(self._opened.store, self._key(targets))
        if kept is None:
            return None
        rows = kept.answer.rows
        files = {row.place.file for row in rows} | {lookup.place.file for row in rows for lookup in row.lookups}
        files |= {one.place.file for row in rows for one in row.evidence if one.place is not None}
        probes = (probe.function for probe in self._opened.knowledge.probes)
        names = {name.rpartition(".")[2] for name in (*kept.names, *probes)}
        return None if files & change.paths or names & change.words else kept.answer

    def _key(self, targets: Sequence[str]) -> str:
        from codepath.app.kept import arch_key

        opened = self._opened
        opened.whole_tree()
        return arch_key(
            opened.solution, opened.knowledge, (tuple(targets), opened.entries, sorted(opened.tree.beside()))
        )

    def _kept(self, targets: Sequence[str]) -> KeptArch:
        from codepath.app.arch import evaluate
        from codepath.app.kept import keep_arch, stored_arch

        opened = self._opened
        key = self._key(targets)
        answer = stored_arch(opened.store, key)
        if answer is None:
            answer = evaluate(self._tree(), targets)
            keep_arch(opened.store, key, answer)
        return answer

    def _tree(self) -> Tree:
        from codepath.app.arch import Tree

        opened = self._opened
        opened.whole_tree()
        stats = Stats(*opened.whole.counts)
        parts = (opened.indexer, opened.modules, opened.knowledge, opened.bodies, opened.graph)
        return Tree(*parts, opened.entries, stats, opened.progress)
