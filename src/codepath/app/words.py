"""Which files of a tree hold a word, by the identifiers kept for each content."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from codepath.app.indexing import Indexer
from codepath.app.mentions import identifiers

_MANY = 100


class Words:
    """The words of some files; those that are not kept yet are read and kept."""

    def __init__(self, indexer: Indexer, paths: Iterable[str]) -> None:
        self._indexer = indexer
        self._paths = tuple(paths)
        self._known: dict[str, list[str]] = {}

    def holding(self, word: str) -> list[str]:
        """Return the paths whose bytes hold an identifier, in order."""
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = self._holding(word.encode())
        return found

    def _holding(self, word: bytes) -> list[str]:
        if len(self._known) >= _MANY:
            return self._index.get(word, [])
        wanted = b"\n" + word + b"\n"
        return [path for path in self._paths if wanted in self._bodies[path]]

    def holds(self, path: str, word: str) -> bool:
        """Tell whether the bytes of a file hold an identifier."""
        return b"\n" + word.encode() + b"\n" in self._bodies[path]

    def keep(self) -> None:
        """Read and keep the words of the files whose words are not kept yet."""
        len(self._bodies)

    @cached_property
    def _index(self) -> dict[bytes, list[str]]:
        """The paths that hold each word, for those who ask about many."""
        found: dict[bytes, list[str]] = {}
        for path in self._paths:
            for word in self._bodies[path].split(b"\n"):
                found.setdefault(word, []).append(path)
        return found

    @cached_property
    def _bodies(self) -> dict[str, bytes]:
        """The words of each file, each between two line breaks."""
        keys, store = self._indexer.keys, self._indexer.store
        known = store.raw_identifiers(keys[path] for path in self._paths)
        fresh: dict[str, frozenset[str]] = {}
        for path in self._paths:
            if keys[path] not in known and keys[path] not in fresh:
                fresh[keys[path]] = identifiers(self._indexer.tree.read(path))
        if fresh:
            store.put_identifiers(fresh.items())
            known.update(store.raw_identifiers(fresh))
        return {path: known.get(keys[path], b"") for path in self._paths}
