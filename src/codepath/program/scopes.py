"""Single scopes read without declaring their modules: for analyses that look into many functions a little."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from codepath.model import ir


class Read(NamedTuple):
    """A scope read alone: the file, the dotted name of the function or module its code is part of, and its own."""

    path: str
    function: str
    name: str
    head: ir.Head
    scope: ir.Scope
    around: tuple[ir.Head, ...]
    """The scopes around it, innermost first."""


class Scopes:
    """Reads scopes by file. `modules` maps paths to dotted module names."""

    def __init__(self, modules: dict[str, str], read: Callable[[str], ir.ModuleFacts | None]) -> None:
        self._modules = modules
        self._read = read
        self._facts: dict[str, ir.ModuleFacts | None] = {}
        self._scopes: dict[tuple[str, int], Read] = {}

    def facts(self, path: str) -> ir.ModuleFacts | None:
        """Return the facts of a file, None where it does not parse."""
        if path not in self._facts:
            self._facts[path] = self._read(path)
        return self._facts[path]

    def of_function(self, path: str, function: str) -> Iterator[Read]:
        """Yield the scopes whose code is part of a function or module: itself, and class bodies in it."""
        facts = self.facts(path)
        for index, head in enumerate(facts.heads if facts is not None else ()):
            assert facts is not None
            if self._code_of(path, facts, head) == function:
                yield self._one(path, index)

    def in_file(self, path: str, word: str) -> Iterator[Read]:
        """Yield the scopes of a file that hold a word."""
        facts = self.facts(path)
        wanted = word.encode()
        for index, raw in enumerate(facts.scopes if facts is not None else ()):
            if wanted in bytes(raw):
                yield self._one(path, index)

    def _one(self, path: str, index: int) -> Read:
        found = self._scopes.get((path, index))
        if found is None:
            facts = self.facts(path)
            assert facts is not None
            head = facts.heads[index]
            function = self._code_of(path, facts, head)
            scope = ir.decode_scope(facts.scopes[index])
            around = tuple(_around(facts, head))
            found = self._scopes[path, index] = Read(path, function, self._name(path, head), head, scope, around)
        return found

    def _code_of(self, path: str, facts: ir.ModuleFacts, head: ir.Head) -> str:
        code = next((h for h in (head, *_around(facts, head)) if h.form != "class"), head)
        return self._name(path, code)

    def _name(self, path: str, head: ir.Head) -> str:
        module = self._modules.get(path, path)
        return f"{module}.{head.qualname}" if head.qualname else module


def _around(facts: ir.ModuleFacts, head: ir.Head) -> Iterator[ir.Head]:
    while head.parent >= 0:
        head = facts.heads[head.parent]
        yield head
