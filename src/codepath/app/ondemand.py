"""A call graph for one question on a tree that is not solved: files are extracted as the question needs them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from codepath.app.indexing import Indexer, without_collector
from codepath.app.options import Progress
from codepath.app.unread_files import UnreadFiles
from codepath.app.unread_stores import UnreadStores
from codepath.model.knowledge import Knowledge
from codepath.model.solution import StoredWhole
from codepath.program.build import SolutionBuilder
from codepath.program.demand import Demand
from codepath.program.for_tests import ForTests
from codepath.program.graph import CallGraph
from codepath.program.solver import Solver
from codepath.program.tree import Tree
from codepath.program.values import ScopeId


class MemoryRows:
    """The rows of a call graph that is not stored."""

    def __init__(self, rows: dict[str, bytes]) -> None:
        self._rows = rows

    def get(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the rows of keys, absent ones left out."""
        return {key: self._rows[key] for key in keys if key in self._rows}

    def scan(self) -> Iterable[tuple[str, bytes]]:
        """Return all rows sorted by key."""
        return sorted(self._rows.items())


class OnDemand:
    """Answers from part of a tree."""

    def __init__(
        self, indexer: Indexer, modules: dict[str, str], knowledge: Knowledge, progress: Progress | None
    ) -> None:
        self.files = UnreadFiles(indexer, modules, progress)
        self._solver = Solver(Tree(modules.values()), knowledge, indexer.bodies, is_partial=True)
        self._demand = Demand(self._solver, self.files)
        self._modules = modules

    def names(self, names: Iterable[str]) -> tuple[CallGraph, StoredWhole]:
        """Return a graph without steps that holds the things with the last names of some dotted names."""
        with without_collector():
            return self._names(names)

    def _names(self, names: Iterable[str]) -> tuple[CallGraph, StoredWhole]:
        fresh = {m[1]: m for name in sorted(names) for m in self.files.defining(name.rpartition(".")[2])}
        self._demand.define(fresh[path] for path in sorted(fresh))
        return self._emit(frozenset())

    def knows_bases(self, query: str) -> bool:
        """Tell whether a name means classes, and all their bases that the tree has are loaded."""
        scopes, classes = self._solver.tree.scopes, self._solver.classes
        found = [sid for sid in self._demand.matching(query) if scopes[sid].form == "class"]
        return bool(found) and not any(one in classes.incomplete for sid in found for one in classes.mro(sid))

    def listing(self, wanted: Callable[[str], bool], inside: Iterable[str]) -> tuple[CallGraph, StoredWhole]:
        """Return a graph without steps that holds the things whose last names are wanted; nothing is solved.

        Args:
            wanted: Tells it of a last name.
            inside: What stands, each as a part, before the last name.
        """
        with without_collector():
            self._solver.extend(self.files.defining_any(wanted, tuple(inside)))
            return self._emit(frozenset())

    def graph(self, query: str, *, is_direct: bool = False) -> tuple[CallGraph, StoredWhole]:
        """Return the call graph of what leads to the things that a query can mean; `names` has loaded them.

        Args:
            query: A dotted name, or the end of one.
            is_direct: Whether only the steps into these things are wanted.
        """
        with without_collector():
            cone = self._demand.run(self._demand.matching(query), is_direct=is_direct)
            return self._emit(self._demand.emitted(cone))

    def _emit(self, only: Collection[ScopeId]) -> tuple[CallGraph, StoredWhole]:
        builder = SolutionBuilder(self._solver, only)
        rows = builder.every_row()
        whole = builder.whole(self.files.failures())
        for_tests = ForTests(self.files.holding)
        unread = UnreadStores(self.files, self._modules, self._solver.storing, for_tests)
        return CallGraph(MemoryRows(rows), whole.mains, unread, for_tests), whole
