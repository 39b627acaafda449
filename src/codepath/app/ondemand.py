"""A call graph for one question on a tree that is not solved: files are extracted as the question needs them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from codepath.app.indexing import Indexer, without_collector
from codepath.app.mentions import code_of, defines, identifiers, imported_as, mentioned
from codepath.app.options import Progress
from codepath.model.knowledge import Knowledge
from codepath.model.solution import StoredWhole
from codepath.program.build import SolutionBuilder
from codepath.program.demand import Demand, Module
from codepath.program.graph import CallGraph
from codepath.program.solver import Solver
from codepath.program.tree import Tree
from codepath.program.values import ScopeId
from codepath.store import Failure


class UnreadFiles:
    """The files of a tree by the identifiers in their bytes; `Demand` loads them."""

    def __init__(self, indexer: Indexer, modules: dict[str, str], progress: Progress | None) -> None:
        self._indexer = indexer
        self._modules = modules
        self._paths = {name: path for path, name in modules.items()}
        self._progress = progress
        self._bytes: dict[str, bytes] = {}
        self._code: dict[str, bytes] = {}
        self._words = self._scan()
        self.loaded: dict[str, None] = {}
        self._failed: dict[str, Failure] = {}

    def _scan(self) -> dict[str, frozenset[str]]:
        keys = self._indexer.keys
        known = self._indexer.store.identifiers(keys[path] for path in self._modules)
        words: dict[str, frozenset[str]] = {}
        fresh: dict[str, frozenset[str]] = {}
        for path in self._modules:
            found = known.get(keys[path])
            if found is None:
                found = fresh[keys[path]] = identifiers(self._read(path))
            words[path] = found
        if fresh:
            self._indexer.store.put_identifiers(fresh.items())
        return words

    def _read(self, path: str) -> bytes:
        data = self._bytes.get(path)
        if data is None:
            data = self._bytes[path] = self._indexer.tree.read(path)
        return data

    def holding(self, name: str) -> list[str]:
        """Return the files whose bytes hold a word."""
        return [path for path, words in self._words.items() if name in words]

    def with_any(self, names: frozenset[str]) -> list[str]:
        """Return the files whose bytes hold any of some words."""
        return [path for path, words in self._words.items() if not names.isdisjoint(words)]

    def defining(self, name: str) -> list[Module]:
        """Load the files that may define a name."""
        return self._load(path for path in self.holding(name) if defines(self._read(path), name))

    def mentioning(self, names: frozenset[str]) -> tuple[dict[str, list[str]], set[str]]:
        """Return the files that use each of the names, and the names under which they are imported elsewhere."""
        aliases: set[str] = set()
        found: dict[str, list[str]] = {name: [] for name in names}
        for path, words in self._words.items():
            here = names & words
            if not here:
                continue
            data = self._read(path)
            if b" as " in data:
                for name in here:
                    aliases |= imported_as(data, name)
            code = self._code.get(path)
            if code is None:
                code = self._code[path] = code_of(data)
            for name in mentioned(code, here):
                found[name].append(path)
        return found, aliases

    def lines(self, path: str) -> int:
        """Return the number of lines of a file."""
        return self._read(path).count(b"\n") + 1

    def load(self, paths: Iterable[str]) -> list[Module]:
        """Load files by path; those that do not parse are left out."""
        return self._load(paths)

    def path_of(self, module: str) -> str | None:
        """Return the file of a module by its dotted name."""
        return self._paths.get(module)

    def _load(self, paths: Iterable[str]) -> list[Module]:
        wanted = [p for p in dict.fromkeys(paths) if p not in self.loaded]
        self._indexer.ensure(wanted)
        self.loaded.update(dict.fromkeys(wanted))
        found: list[Module] = []
        for path, facts in self._indexer.facts_of(wanted).items():
            if isinstance(facts, Failure):
                self._failed[path] = facts
            else:
                found.append((self._modules[path], path, facts))
        return found

    def failures(self) -> list[tuple[str, str, int, int]]:
        """Return (path, reason, line, column) of the files met that do not parse."""
        return [(path, f.message, f.line, f.column) for path, f in sorted(self._failed.items())]

    def words(self) -> frozenset[str]:
        """Return all words of the tree."""
        return frozenset[str]().union(*self._words.values())


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
        self._indexer = indexer

    def names(self, names: Iterable[str]) -> tuple[CallGraph, StoredWhole]:
        """Return a graph without steps that holds the things with the last names of some dotted names."""
        with without_collector():
            return self._names(names)

    def _names(self, names: Iterable[str]) -> tuple[CallGraph, StoredWhole]:
        fresh = {m[1]: m for name in sorted(names) for m in self.files.defining(name.rpartition(".")[2])}
        self._demand.define(fresh[path] for path in sorted(fresh))
        return self._emit(frozenset())

    def graph(self, query: str) -> tuple[CallGraph, StoredWhole]:
        """Return the call graph of what leads to the things that a query can mean; `names` has loaded them."""
        with without_collector():
            return self._emit(self._demand.emitted(self._demand.run(self._demand.matching(query))))

    def _emit(self, only: Collection[ScopeId]) -> tuple[CallGraph, StoredWhole]:
        builder = SolutionBuilder(self._solver, only)
        rows = builder.every_row()
        whole = builder.whole(self.files.failures())
        return CallGraph(MemoryRows(rows), whole.mains), whole
