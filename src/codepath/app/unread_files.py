"""The files of a tree by the identifiers in their bytes, for questions that extract few of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from codepath.app.indexing import Indexer
from codepath.app.mentions import bound, code_of, defines, identifiers, imported_as, mentioned
from codepath.app.options import Progress
from codepath.model import ir
from codepath.program.next_files import Module
from codepath.store import Failure

_FEW = 40  # names; looking for more one by one costs more than reading the words of each file


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
        self._order = {path: number for number, path in enumerate(self._words)}
        self._holding: dict[str, tuple[str, ...]] = {}
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
                found = fresh[keys[path]] = identifiers(self.data(path))
            words[path] = found
        if fresh:
            self._indexer.store.put_identifiers(fresh.items())
        return words

    def data(self, path: str) -> bytes:
        """Return the bytes of a file."""
        data = self._bytes.get(path)
        if data is None:
            data = self._bytes[path] = self._indexer.tree.read(path)
        return data

    def holding(self, name: str) -> tuple[str, ...]:
        """Return the files whose bytes hold a word."""
        found = self._holding.get(name)
        if found is None:
            found = self._holding[name] = tuple(path for path, words in self._words.items() if name in words)
        return found

    def with_any(self, names: frozenset[str]) -> list[str]:
        """Return the files whose bytes hold any of some words, in the order of the tree."""
        if len(names) > _FEW:
            return [path for path, words in self._words.items() if not names.isdisjoint(words)]
        found = {path for name in names for path in self.holding(name)}
        return sorted(found, key=self._order.__getitem__)

    def defining(self, name: str) -> list[Module]:
        """Load the files that may define a name."""
        return self._load(path for path in self.holding(name) if defines(self.data(path), name))

    def defining_any(self, wanted: Callable[[str], bool], inside: Sequence[str]) -> list[Module]:
        """Load the modules with a wanted last name and the files that may define one, where all of `inside` stands."""
        names = frozenset(filter(wanted, self.words()))
        return self._load(path for path in self._modules if self._may_define(path, names, wanted, inside))

    def _may_define(
        self, path: str, names: frozenset[str], wanted: Callable[[str], bool], inside: Sequence[str]
    ) -> bool:
        module = self._modules[path]
        left = [part for part in inside if part not in module]
        if not left and wanted(module.rpartition(".")[2]):
            return True
        if names.isdisjoint(self._words[path]):
            return False
        here = bound(self.data(path))
        return not names.isdisjoint(here) and all(any(part in name for name in here) for part in left)

    def mentioning(self, names: frozenset[str]) -> tuple[dict[str, list[str]], set[str]]:
        """Return the files that use each of the names, and the names under which they are imported elsewhere."""
        aliases: set[str] = set()
        found: dict[str, list[str]] = {name: [] for name in names}
        for path, words in self._words.items():
            here = names & words
            if not here:
                continue
            data = self.data(path)
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
        return self.data(path).count(b"\n") + 1

    def load(self, paths: Iterable[str]) -> list[Module]:
        """Load files by path; those that do not parse are left out."""
        return self._load(paths)

    def foresee(self, paths: Iterable[str]) -> None:
        """Let files that are likely to be read be extracted while nothing else is."""
        self._indexer.foresee(path for path in paths if path not in self.loaded)

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

    def peek(self, paths: Sequence[str]) -> dict[str, ir.ModuleFacts] | None:
        """Return the facts of files without loading them, None where some are not stored and nothing may be parsed.

        Those that do not parse are left out.
        """
        if self._indexer.no_index and self._indexer.missing(paths):
            return None
        self._indexer.ensure(paths)
        found = self._indexer.facts_of(paths)
        return {path: facts for path, facts in found.items() if not isinstance(facts, Failure)}
