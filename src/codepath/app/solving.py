"""From facts to a solved call graph: found in the store, or solved and stored there."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from codepath.app.indexing import Indexer, without_collector
from codepath.app.options import Progress
from codepath.extract import version
from codepath.model import ir
from codepath.model.knowledge import Knowledge
from codepath.model.solution import StoredWhole, decode_whole, encode_whole
from codepath.program.build import SolutionBuilder
from codepath.program.graph import CallGraph
from codepath.program.solver import Solver
from codepath.program.tree import Tree
from codepath.source import content_key
from codepath.store import Failure, SolutionLost, Store

SOLVER_VERSION = 1


def solution_id(snapshot: str, modules: dict[str, str], knowledge: Knowledge) -> str:
    """Return the id of a solution: of the snapshot, the names of its modules, what is known, extractor and solver."""
    text = repr((SOLVER_VERSION, version.EXTRACTOR_VERSION, snapshot, sorted(modules.items()), knowledge))
    return content_key(text.encode())


def stored_graph(
    store: Store, solution: str, again: Callable[[], object] | None = None
) -> tuple[CallGraph, StoredWhole] | None:
    """Return a stored call graph, None where it is not stored whole; `again` solves and stores it once more."""
    meta = store.solution_meta(solution)
    if meta is None:
        return None
    whole = decode_whole(meta)
    return CallGraph(StoredRows(store, solution, again), whole.mains), whole


class NoRows:
    """The rows of nothing."""

    def get(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return no row."""
        return {}

    def scan(self) -> Iterable[tuple[str, bytes]]:
        """Return no row."""
        return ()


class StoredRows:
    """The rows of a stored solution. Where some turn out damaged, `again` solves anew: a tree has one solution."""

    def __init__(self, store: Store, solution: str, again: Callable[[], object] | None) -> None:
        self._store = store
        self._solution = solution
        self._again = again

    def get(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the rows of keys, absent ones left out."""
        keys = list(keys)
        try:
            return self._store.solution_rows(self._solution, keys)
        except SolutionLost:
            self._mend()
        return self._store.solution_rows(self._solution, keys)

    def scan(self) -> Iterable[tuple[str, bytes]]:
        """Return all rows sorted by key."""
        try:
            return list(self._store.solution_scan(self._solution))
        except SolutionLost:
            self._mend()
        return self._store.solution_scan(self._solution)

    def _mend(self) -> None:
        if self._again is None:
            raise SolutionLost(self._solution)
        self._again()


def solve(
    indexer: Indexer, solution: str, modules: dict[str, str], knowledge: Knowledge, progress: Progress | None
) -> None:
    """Solve the whole tree and store the solution. `modules` maps paths to dotted names."""
    with without_collector():
        whole, rows = _solved_rows(indexer, modules, knowledge, progress)
        indexer.store.put_solution(solution, encode_whole(whole), rows)


def _solved_rows(
    indexer: Indexer, modules: dict[str, str], knowledge: Knowledge, progress: Progress | None
) -> tuple[StoredWhole, list[tuple[str, bytes]]]:
    """Return the whole and the rows of a solved tree; the solver's cells are gone then."""
    solver = load(indexer, modules, knowledge, sorted(modules))
    solver.solve(progress)
    builder = SolutionBuilder(solver)
    rows = list(builder.rows())
    failed = ((path, indexer.facts(path)) for path in sorted(modules) if modules[path] not in solver.tree.modules)
    skipped = [(path, f.message, f.line, f.column) for path, f in failed if isinstance(f, Failure)]
    return builder.whole(skipped), rows


def load(indexer: Indexer, modules: dict[str, str], knowledge: Knowledge, paths: Iterable[str]) -> Solver:
    """Return a solver over some files of the tree, declared and ready to solve."""

    def read(path: str) -> ir.ModuleFacts | None:
        found = indexer.facts(path)
        return found if isinstance(found, ir.ModuleFacts) else None

    tree = Tree(modules.values())
    solver = Solver(tree, knowledge, indexer.bodies)
    for path in paths:
        facts = read(path)
        if facts is not None:
            tree.load(modules[path], path, facts)
    solver.declare()
    return solver
