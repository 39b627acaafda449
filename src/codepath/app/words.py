"""Which files of a tree hold a word, by the identifiers kept for each content."""

from __future__ import annotations

from collections.abc import Iterable

from codepath.app.indexing import Indexer
from codepath.app.mentions import identifiers


def files_holding(indexer: Indexer, paths: Iterable[str], word: str) -> list[str]:
    """Return the paths whose bytes hold an identifier, in order; identifiers that are not kept yet are read and kept."""
    paths = list(paths)
    keys = indexer.keys
    known, holding = indexer.store.holding((keys[path] for path in paths), word)
    fresh: dict[str, frozenset[str]] = {}
    for path in paths:
        key = keys[path]
        if key not in known and key not in fresh:
            fresh[key] = identifiers(indexer.tree.read(path))
    if fresh:
        indexer.store.put_identifiers(fresh.items())
        holding |= {key for key, words in fresh.items() if word in words}
    return [path for path in paths if keys[path] in holding]
