"""Stores of attributes in files that a first question has not read: what is said of a value must not rest on a part.

The identifiers of a file tell whether it can store a name at all, its bytes whether it may and, for plain assignments, on what;
the other files that may are extracted.

Approximates: over (a store that no call reaches counts).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from codepath.app.mentions import occurrences
from codepath.app.unread_files import UnreadFiles
from codepath.app.written_stores import Store, may_store, written_stores
from codepath.model import ir
from codepath.program.for_tests import ForTests
from codepath.program.stores import attribute_stores
from codepath.program.tree import Tree

_ANY = "*"
_MAX_FILES = 12
"""Files that are extracted for one name; where more may store it, that is taken for so."""
_MAX_READ = 40
"""Files whose bytes are read for the plain stores of one name; the same."""
_ANYWHERE: Store = ("", "")  # some function, on what may be anything
_TO_SELF = re.compile(rb"\b(?:setattr|__setattr__)\(\s*(\w+)\s*,\s*(?![\"'])|\b(\w+)\.__dict__|\bvars\(\s*(\w+)\s*\)")
_INDIRECT = ("setattr", "__setattr__", "__dict__", "vars")
_DEFINED = re.compile(rb"\bdef[ \t]+$")
_INDENT = re.compile(rb" {2,8}|\t")
_BOUND = re.compile(rb"[ \t]*(?:=(?!=)|:)[^\n]*[^,\n]$", re.MULTILINE)
_HEADER = re.compile(rb"\bclass[ \t]+(\w+)[ \t]*\(([^:]*)\)\s*:")


class UnreadStores:
    """Finds the stores of an attribute in files that were not read; `methods` as for `attribute_stores`."""

    def __init__(
        self, files: UnreadFiles, modules: Mapping[str, str], methods: Mapping[str, str], for_tests: ForTests
    ) -> None:
        self._for_tests = for_tests
        self._methods = methods
        self._by_name = tuple(method.encode() for method in methods)
        self._files = files
        self._modules = modules
        self._tree = Tree(modules.values(), is_lazy=True)
        self._stores: dict[str, dict[str, list[Store]]] = {}
        self._known: dict[str, tuple[Store, ...]] = {}
        self._holding: dict[frozenset[str], frozenset[str]] = {}
        self._headers: dict[str, list[tuple[str, frozenset[str]]]] = {}
        self._heirs: dict[frozenset[str], frozenset[str]] = {}

    def joins(self, some: frozenset[str], others: frozenset[str]) -> bool:
        """Tell whether one of the files may define a class with one of some bases and one of others, by their names."""
        unread = self._holders(some) & self._holders(others)
        return any(
            not (some.isdisjoint(bases) or others.isdisjoint(bases))
            for path in unread
            for _, bases in self._classes(path)
        )

    def _holders(self, names: frozenset[str]) -> frozenset[str]:
        """Return the files whose bytes hold any of some names."""
        found = self._holding.get(names)
        if found is None:
            paths = self._files.with_any(names)
            found = self._holding[names] = frozenset(path for path in paths if path not in self._files.loaded)
        return found

    def _classes(self, path: str) -> list[tuple[str, frozenset[str]]]:
        """Return the name of each class of a file that has bases, with the words in its brackets."""
        if path not in self._headers:
            found = _HEADER.findall(self._files.data(path))
            decoded = ((name.decode("utf-8", "replace"), bases.decode("utf-8", "replace")) for name, bases in found)
            self._headers[path] = [(name, frozenset(re.findall(r"\w+", bases))) for name, bases in decoded]
        return self._headers[path]

    def binds(self, name: str, bases: frozenset[str]) -> bool:
        """Tell whether one of the files may bind a name in the body of a class below one of some bases, by their names.

        Without bases any class counts. Methods count, and names that are bound at one indent.
        """
        word = name.encode()
        unread = {path for path in self._files.holding(name) if path not in self._files.loaded}
        if bases and unread:
            unread &= self._below(bases)
        return any(binds(self._files.data(path), word) for path in unread)

    def _below(self, bases: frozenset[str]) -> frozenset[str]:
        """Return the files that may define a class below one of some bases, by their names."""
        found = self._heirs.get(bases)
        if found is None:
            names, paths = set(bases), set[str]()
            while True:
                held = self._holders(frozenset(names))
                heirs = [
                    (path, cls) for path in held for cls, above in self._classes(path) if not names.isdisjoint(above)
                ]
                paths.update(path for path, _ in heirs)
                if names.issuperset(cls for _, cls in heirs):
                    break
                names.update(cls for _, cls in heirs)
            found = self._heirs[bases] = frozenset(paths)
        return found

    def stores(self, name: str) -> tuple[Store, ...]:
        """Return the stores of an attribute, `*` for those by names made at run time; none that the question has read, and
        none that only tests run."""
        if name not in self._known:
            self._known[name] = tuple(dict.fromkeys(self._stored(name)))
        return self._known[name]

    def _stored(self, name: str) -> Iterator[Store]:
        paths = [
            path for path in self._candidates(name) if path not in self._files.loaded and not self._for_tests(path)
        ]
        if len(paths) > _MAX_READ:
            yield _ANYWHERE
            return
        unclear: list[str] = []
        for path in paths:
            written = self._written(path, name)
            if written is None:
                unclear.append(path)
            else:
                yield from written
        found = self._files.peek(unclear) if len(unclear) <= _MAX_FILES else None
        if found is None:
            yield _ANYWHERE
            return
        for path, facts in found.items():
            yield from self._of(path, facts).get(name, ())

    def _written(self, path: str, name: str) -> tuple[Store, ...] | None:
        """Return the stores of a file that its bytes tell, None where it has to be parsed."""
        if name == _ANY:
            return None
        return written_stores(self._files.data(path), self._modules[path], name.encode(), self._by_name)

    def _candidates(self, name: str) -> Iterator[str]:
        """Yield the files whose bytes may store an attribute of a name."""
        if name == _ANY:
            yield from (
                path for path in self._files.with_any(frozenset(_INDIRECT)) if _stores_on_own(self._files.data(path))
            )
        else:
            yield from (path for path in self._files.holding(name) if self._may_store(path, name.encode()))

    def _may_store(self, path: str, name: bytes) -> bool:
        return may_store(self._files.data(path), name, self._by_name)

    def _of(self, path: str, facts: ir.ModuleFacts) -> dict[str, list[Store]]:
        """Return the stores of a file by name."""
        found = self._stores.get(path)
        if found is None:
            found = self._stores[path] = {}
            module = self._tree.load(self._modules[path], path, facts)
            for info in module.scopes:
                for name, function, owner in attribute_stores(self._tree, info, module.body(info.index), self._methods):
                    found.setdefault(name, []).append((function, owner))
        return found


def binds(data: bytes, word: bytes) -> bool:
    """Tell whether bytes define a function of a name, or bind it at one indent, as a class body does."""
    for at in occurrences(data, word):
        before = data[data.rfind(b"\n", 0, at) + 1 : at]
        if _DEFINED.search(before) or (_INDENT.fullmatch(before) and _BOUND.match(data, at + len(word))):
            return True
    return False


def _stores_on_own(data: bytes) -> bool:
    """Tell whether a file stores attributes by made-up names on what is the first parameter of some function in it."""
    if b"super().__setattr__" in data:
        return True
    receivers = {name for match in _TO_SELF.finditer(data) for name in match.groups() if name}
    return any(re.search(rb"\bdef\s+\w+\(\s*" + receiver + rb"\b", data) for receiver in receivers)
