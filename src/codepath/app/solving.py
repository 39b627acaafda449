"""From facts to a solved call graph: found in the store, or solved and stored there."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from codepath.app.indexing import Indexer, prepare_worker, without_collector
from codepath.app.options import Progress
from codepath.errors import CodepathError, StoreError
from codepath.extract import version
from codepath.model import ir
from codepath.model.knowledge import Knowledge
from codepath.model.solution import StoredWhole, decode_whole, encode_whole
from codepath.program.graph import CallGraph
from codepath.source import SourceTree, content_key
from codepath.store import Failure, SolutionLost, Spill, Store

if TYPE_CHECKING:
    from codepath.program.solver import Solver

SOLVER_VERSION = 56
_SEED = "0"
_TELL_EVERY = 50  # modules


def solution_id(snapshot: str, modules: dict[str, str], knowledge: Knowledge) -> str:
    """Return the id of a solution: of the snapshot, the names of its modules, what is known, extractor and solver."""
    known = replace(
        knowledge, probes=(), architectures=(), platform=(), kernels=(), outside_classes=()
    )  # these play no part in calls
    text = repr((SOLVER_VERSION, version.EXTRACTOR_VERSION, snapshot, sorted(modules.items()), known))
    return content_key(text.encode())


def stored_graph(
    store: Store,
    solution: str,
    again: Callable[[], object] | None = None,
    for_tests: Callable[[str], bool] | None = None,
) -> tuple[CallGraph, StoredWhole] | None:
    """Return a stored call graph, None where it is not stored whole; `again` solves and stores it once more, `for_tests` is
    as for `CallGraph`."""
    meta = store.solution_meta(solution)
    if meta is None:
        return None
    whole = decode_whole(meta)
    return CallGraph(StoredRows(store, solution, again), whole.mains, None, for_tests), whole


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
    """Solve the whole tree and store the solution. `modules` maps paths to dotted names.

    The work is done in a process whose hash seed is fixed: where a cell overflows, what had passed through it before
    depends on the order of sets. It also gives back all memory.
    """
    folder = indexer.store.status().path
    if folder is None or os.environ.get("PYTHONHASHSEED") == _SEED:
        _solve_here(indexer, solution, modules, knowledge, progress, 1)
        return
    context = multiprocessing.get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    arguments = (sending, indexer.tree, folder, solution, modules, knowledge, indexer.workers)
    with _fixed_seed():
        process = context.Process(target=_solve_there, args=arguments, daemon=True)
        process.start()
    sending.close()
    try:
        _listen(receiving, progress)
        process.join()
    finally:
        process.terminate()
    if process.exitcode:
        raise StoreError(f"the process that solves the call graph ended with status {process.exitcode}")


@contextmanager
def _fixed_seed() -> Iterator[None]:
    """Let processes that are started here have a fixed hash seed."""
    before = os.environ.get("PYTHONHASHSEED")
    os.environ["PYTHONHASHSEED"] = _SEED
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONHASHSEED"]
        else:
            os.environ["PYTHONHASHSEED"] = before


def _listen(connection: Connection, progress: Progress | None) -> None:
    """Pass on the progress of the solving process until it is done; raise what it raised."""
    while True:
        try:
            said = connection.recv()
        except EOFError:
            return
        if isinstance(said, BaseException):
            raise said
        if progress is not None:
            progress(*said)


def _solve_there(
    connection: Connection,
    tree: SourceTree,
    folder: Path,
    solution: str,
    modules: dict[str, str],
    knowledge: Knowledge,
    workers: int,
) -> None:
    """Solve in a process of its own, on the stored facts, and end it.

    The process ends at once: to take millions of objects apart one by one would cost a twentieth of the work.
    """
    prepare_worker()

    def tell(stage: str, done: int, total: int) -> None:
        if done % _TELL_EVERY == 0:
            connection.send((stage, done, total))

    try:
        with Store.open(folder, extractor_version=version.EXTRACTOR_VERSION) as store:
            indexer = Indexer(tree, store, 1, None)
            _solve_here(indexer, solution, modules, knowledge, tell, workers)
    except CodepathError as error:
        connection.send(error)
    finally:
        connection.close()
    os._exit(0)


def _solve_here(
    indexer: Indexer,
    solution: str,
    modules: dict[str, str],
    knowledge: Knowledge,
    progress: Progress | None,
    workers: int,
) -> None:
    spill = Spill(indexer.store.status().path, parts=workers)
    try:
        with without_collector():
            whole = _solved(indexer, modules, knowledge, progress, spill, workers)
            indexer.store.put_solution(solution, encode_whole(whole), spill)
    finally:
        spill.close()


def _solved(
    indexer: Indexer,
    modules: dict[str, str],
    knowledge: Knowledge,
    progress: Progress | None,
    spill: Spill,
    workers: int,
) -> StoredWhole:
    """Spill the rows of a solved tree and return the whole; the solver's cells are gone then."""
    from codepath.app.emitting import emit
    from codepath.program.build import SolutionBuilder

    solver = load(indexer, modules, knowledge, sorted(modules))
    solver.solve(progress)
    builder = SolutionBuilder(solver, hooks=True)
    emit(builder, spill, indexer.store, workers)
    failed = ((path, indexer.facts(path)) for path in sorted(modules) if modules[path] not in solver.tree.modules)
    skipped = [(path, f.message, f.line, f.column) for path, f in failed if isinstance(f, Failure)]
    return builder.whole(skipped)


def load(indexer: Indexer, modules: dict[str, str], knowledge: Knowledge, paths: Iterable[str]) -> Solver:
    """Return a solver over some files of the tree, declared and ready to solve."""
    from codepath.program.solver import Solver
    from codepath.program.tree import Tree

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
