"""The call graph of a tree of which few files differ from one that is solved: the stored rows, where they certainly hold.

What is remembered for a tree is which solution was made for it last, and of which contents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import msgspec

from codepath.app.indexing import without_collector
from codepath.app.solving import StoredRows, solution_id, stored_graph
from codepath.app.words import Words
from codepath.model import ir
from codepath.model.knowledge import Knowledge, Registry
from codepath.model.solution import StoredWhole
from codepath.program.graph import CallGraph
from codepath.source import content_key
from codepath.store import SolutionLost

if TYPE_CHECKING:
    from codepath.app.opened import Opened
    from codepath.program.changes.patching import File
    from codepath.program.changes.privacy import Elsewhere

_MOST = 16
"""Files that may differ."""
_WORD = re.compile(r"\w+")
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[str, str]).decode


@dataclass(frozen=True)
class Changed:
    """The call graph of a tree after a change, and what is known of the whole.

    Rows about hooks are those of before. Attributes: `words` has the identifiers of the changed files, before and after;
    `modules` their modules.
    """

    graph: CallGraph
    whole: StoredWhole
    words: frozenset[str]
    modules: tuple[str, ...]
    knowledge: Knowledge

    def keeps_hook(self, hook: str) -> bool:
        """Tell whether what is known of a hook holds: no changed file names it, or has a part in a registry."""
        return hook not in self.words and not any(self._has_part(one) for one in self.knowledge.registries)

    def _has_part(self, registry: Registry) -> bool:
        patterns = [
            pattern for pattern in (registry.modules, f"{registry.prefix}*" if registry.prefix else "") if pattern
        ]
        parts = {
            registry.variable,
            registry.table.rpartition(".")[2],
            *(f.rpartition(".")[2] for f in registry.looked_up_by),
        }
        return not parts.isdisjoint(self.words) or any(fnmatchcase(m, p) for m in self.modules for p in patterns)


def remember(opened: Opened) -> None:
    """Note that a tree is solved as it is."""
    key, body = _key(opened), _encode((opened.solution, opened.snapshot))
    if opened.store.answer(key) != body:
        opened.store.offer_answer(key, body)


def last_solved(opened: Opened) -> tuple[str, str] | None:
    """Return the solution that was made last for a tree, whatever it held then, and that snapshot's key; None for none."""
    body = opened.store.answer(_key(opened))
    try:
        return _decode(body) if body is not None else None
    except msgspec.MsgspecError:
        return None


def after_change(opened: Opened) -> Changed | None:
    """Return the call graph of a tree that is not solved itself, None where only solving tells it."""
    last = last_solved(opened)
    if last is None or opened.stored is not None:
        return None
    try:
        with without_collector():
            return _Change(opened, *last).graph()
    except SolutionLost:
        return None


def _key(opened: Opened) -> str:
    tree = opened.tree
    return content_key(repr(("solved last", tree.spec, tree.root)).encode("utf-8", "surrogatepass"))


class _Change:
    """What differs between a tree and the one that was solved."""

    def __init__(self, opened: Opened, solution: str, snapshot: str) -> None:
        self._opened = opened
        self._solution = solution
        self._before = dict(opened.store.snapshot(snapshot) or ())
        self._snapshot = snapshot
        self._old_facts: dict[str, ir.ModuleFacts] = {}

    def graph(self) -> Changed | None:
        """Return the call graph with the change in it."""
        opened, now = self._opened, self._opened.content
        if self._before.keys() != now.keys():
            return None
        if solution_id(self._snapshot, opened.modules, opened.knowledge) != self._solution:
            return None
        changed = sorted(path for path in now if now[path] != self._before[path])
        found = stored_graph(opened.store, self._solution)
        if found is None or not 0 < len(changed) <= _MOST or any(path not in opened.modules for path in changed):
            return None
        files = self._files(changed)
        return self._patched(files, found[1]) if files is not None else None

    def _files(self, changed: list[str]) -> list[File] | None:
        """Return the changed files with their facts, None where one does not parse or is not stored as it was."""
        from codepath.program.changes.patching import File

        self._opened.indexer.ensure(changed)
        stored = self._opened.store.facts(self._before[path] for path in changed)
        files: list[File] = []
        for path in changed:
            old, new = stored.get(self._before[path]), self._opened.facts_of(path)
            if not isinstance(old, bytes) or new is None:
                return None
            self._old_facts[path] = ir.decode_facts(old)
            files.append(File(path, self._old_facts[path], new))
        return files

    def _patched(self, files: list[File], whole: StoredWhole) -> Changed | None:
        from codepath.program.changes.patched import PatchedRows
        from codepath.program.changes.patching import Patching
        from codepath.program.changes.shapes import Unclear

        rows = StoredRows(self._opened.store, self._solution, None)
        reads = (self._old, self._opened.facts_of)
        patching = Patching(files, self._opened.modules, reads, self._opened.knowledge, rows)
        try:
            patch = patching.patch(self._elsewhere(set(self._old_facts)))
            after = patching.whole(whole, patch)
        except Unclear as why:
            if self._opened.progress is not None:
                self._opened.progress(f"solve anew: {why}", 0, 1)
            return None
        graph = CallGraph(PatchedRows(rows.get, rows.scan, patch), after.mains, None, self._opened.for_tests)
        modules = tuple(self._opened.modules[path] for path in self._old_facts)
        return Changed(graph, after, self._words(), modules, self._opened.knowledge)

    def _words(self) -> frozenset[str]:
        """Return the identifiers of the changed files, before and after."""
        keys = [key for path in self._old_facts for key in (self._before[path], self._opened.content[path])]
        Words(self._opened.indexer, self._old_facts).keep()
        return frozenset[str]().union(*self._opened.store.identifiers(keys).values())

    def _old(self, path: str) -> ir.ModuleFacts | None:
        return self._old_facts.get(path) or self._opened.facts_of(path)

    def _elsewhere(self, changed: set[str]) -> Elsewhere:
        from codepath.program.changes.privacy import Elsewhere

        words = self._opened.words

        def holding(word: str) -> Iterable[str]:
            return (path for path in words.holding(word) if path not in changed)

        return Elsewhere(holding, self._opened.facts_of, frozenset(_WORD.findall(repr(self._opened.knowledge))))
