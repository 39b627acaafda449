"""A tree that differs from a solved one in comments and the like alone takes over its solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from codepath.app.opened import Opened
from codepath.app.solving import StoredRows
from codepath.program.graph import CallGraph
from codepath.program.replaced import MovedRows, Moves, moves_between

_MOST = 40
"""Files that differ; of more, some differ in more than comments."""


def take_over(head: Opened, base: Opened) -> None:
    """Let a tree that is not solved go on with the solution of another where that holds for it; nothing is stored.

    Approximates: exact (the rows are those that solving gives).
    """
    if head.stored is not None or base.stored is None or head.options.no_index:
        return
    if head.modules != base.modules or head.knowledge != base.knowledge:
        return
    changed = [path for path in head.modules if head.content[path] != base.content.get(path)]
    if not changed or len(changed) > _MOST:
        return
    head.indexer.ensure(changed)
    moves: dict[str, Moves] = {}
    lines = 0
    for path in changed:
        old, new = base.facts_of(path), head.facts_of(path)
        found = moves_between(old, new) if old is not None and new is not None else None
        if old is None or new is None or found is None:
            return
        moves[path] = found
        lines += new.lines - old.lines
    whole = base.stored[1]
    whole = msgspec.structs.replace(whole, lines=whole.lines + lines)
    rows = MovedRows(StoredRows(base.store, base.solution, base.solve), moves, _file_of(head.modules))
    head.take_over((CallGraph(rows, whole.mains, None, head.for_tests), whole))


def _file_of(modules: Mapping[str, str]) -> Callable[[str], str]:
    """Return what gives the file of the module that a dotted name is in, "" where there is none."""
    paths = {name: path for path, name in modules.items()}

    def of(name: str) -> str:
        while name and name not in paths:
            name = name.rpartition(".")[0]
        return paths.get(name, "")

    return of
