"""Single scopes of a tree, decoded one at a time: for an answer that needs a place in a few functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from codepath.model import ir
from codepath.model.answers import Guard, Place
from codepath.program.guards import Guards, Literal

ReadFacts = Callable[[str], "ir.ModuleFacts | None"]


class Scopes:
    """Decodes scopes by dotted name. `paths` maps modules to files."""

    def __init__(self, paths: Mapping[str, str], read: ReadFacts) -> None:
        self._paths = paths
        self._read = read
        self._facts: dict[str, ir.ModuleFacts | None] = {}

    def facts(self, path: str) -> ir.ModuleFacts | None:
        """Return the facts of a file, None where it has none."""
        if path not in self._facts:
            self._facts[path] = self._read(path)
        return self._facts[path]

    def find(self, name: str) -> tuple[str, ir.Scope] | None:
        """Return the file and the scope of a function, class or module; None for what is not in the tree."""
        module = name
        while module and module not in self._paths:
            module = module.rpartition(".")[0]
        path = self._paths.get(module, "")
        facts = self.facts(path) if path else None
        if facts is None:
            return None
        qualname = name[len(module) + 1 :]
        index = next((i for i, head in enumerate(facts.heads) if head.qualname == qualname), None)
        return (path, ir.decode_scope(facts.scopes[index])) if index is not None else None

    def store_of(self, function: str, attribute: str) -> Place | None:
        """Return the first place where a function stores an attribute."""
        found = self.find(function)
        if found is None:
            return None
        path, scope = found
        for expr in scope.exprs:
            if isinstance(expr, ir.StoreAttr) and expr.id == attribute:
                return Place(path, ir.line_of(expr.at), ir.column_of(expr.at), function)
        return None

    def names_in(self, name: str) -> frozenset[str]:
        """Return the names and attributes that a function or class body mentions; none for what is not in the tree."""
        found = self.find(name)
        if found is None:
            return frozenset()
        return frozenset(e.id for e in found[1].exprs if isinstance(e, (ir.Name, ir.Attr)))

    def guards_at(self, function: str, at: int) -> tuple[Guard, ...]:
        """Return the guards of what starts at a packed place of a function."""
        found = self.find(function)
        if found is None:
            return ()
        path, scope = found
        index = next((i for i, e in reversed(list(enumerate(scope.exprs))) if e.at == at), -1)
        guards = Guards(scope).of(index) if index >= 0 else ()
        return tuple(_guard(path, g) for g in guards if g.kind != "try")


def _guard(path: str, literal: Literal) -> Guard:
    when = tuple(_guard(path, inner) for inner in literal.when)
    return Guard(literal.text, literal.polarity, literal.kind, path, ir.line_of(literal.at), when=when)
