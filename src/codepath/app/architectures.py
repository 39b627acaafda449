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
        """Return the tables and branches of some modules, evaluated; of the whole tree where none are named."""
        if not modules:
            return self._kept(()).answer.rows
        from codepath.app.arch import rows_in

        return rows_in(self._tree(), modules)

    def gpu(self, word: str) -> AssumedGpu:
        """Return the GPU that a word means, with what is known of the tree's predicates on it."""
        from codepath.app.arch import assumed_gpu, chosen

        chosen(self._opened.knowledge, [word])
        return assumed_gpu(self._tree(), word, self._kept(()).names)

    def _kept(self, targets: Sequence[str]) -> KeptArch:
        from codepath.app.arch import evaluate
        from codepath.app.kept import arch_key, keep_arch, stored_arch

        opened = self._opened
        opened.whole_tree()
        asked = (tuple(targets), opened.entries, sorted(opened.tree.beside()))
        key = arch_key(opened.solution, opened.knowledge, asked)
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
