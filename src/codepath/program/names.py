"""From what a person types to a thing of the tree."""

from __future__ import annotations

import re
from collections.abc import Iterable

from codepath.errors import QueryError
from codepath.model import ir
from codepath.model.solution import StoredName
from codepath.program.graph import CallGraph

_SHOWN = 4
_PLACE = re.compile(r"^(?P<path>.+\.py):(?P<line>[0-9]+)(?::[0-9]+)?$")
_ORDER = {"function": 0, "method": 0, "class": 0, "global": 1, "module": 2, "lambda": 3}


class Names:
    """Looks names up in a call graph. `near` gives identifiers of the tree that look like an unknown one."""

    def __init__(self, graph: CallGraph, files: Iterable[str], prefix: str) -> None:
        self._graph = graph
        self._files = tuple(files)
        self._prefix = prefix

    def find(self, query: str) -> tuple[StoredName, ...]:
        """Return all things that a query can mean, the best kind of match only, sorted."""
        place = _PLACE.match(query)
        if place is not None:
            return self._at(place["path"], int(place["line"]))
        last = query.rpartition(".")[2]
        found = self._graph.named(last)
        exact = [n for n in found if n.name == query]
        if exact:
            return _distinct(exact)
        fitting = [n for n in found if n.name.endswith(f".{query}")]
        best = min((_ORDER[n.kind] for n in fitting), default=0)
        return _distinct(n for n in fitting if _ORDER[n.kind] == best)

    def one(self, query: str, near: Iterable[str]) -> StoredName:
        """Return the one thing a query means. Raises QueryError where it is none or several."""
        found = self.find(query)
        if len(found) == 1:
            return found[0]
        if found:
            raise self._ambiguous(query, found)
        raise self._unknown(query, near)

    def _at(self, path: str, line: int) -> tuple[StoredName, ...]:
        fitting = [f for f in self._files if f == path or f.endswith(f"/{path}") or path.endswith(f"/{f}")]
        for file in fitting:
            inside = [n for n in self._graph.in_file(file) if ir.line_of(n.at) <= line <= ir.line_of(n.end)]
            if inside:
                return (max(inside, key=lambda n: n.at),)
        return ()

    def _ambiguous(self, query: str, found: tuple[StoredName, ...]) -> QueryError:
        shown = [f"{n}  {self._short(f)}   {self._where(f)}" for n, f in enumerate(found[:_SHOWN], 1)]
        more = [f"... {len(found) - _SHOWN} more: codepath symbols {query}"] if len(found) > _SHOWN else []
        ways = "any of these work: a longer dotted name, file:line, or --all-matches"
        return QueryError(f"`{query}` names {len(found)} things; give one of", help=(*shown, *more, ways))

    def _unknown(self, query: str, near: Iterable[str]) -> QueryError:
        close = [found for name in near for found in self._graph.named(name)][:_SHOWN]
        lines = [f"{self._short(f)}    {self._where(f)}" for f in close]
        hint = "`codepath symbols PATTERN` lists names"
        message = f"no function, method, class or global named `{query}`"
        return QueryError(message, help=((("did you mean", *lines)) if lines else ()) + (hint,))

    def _short(self, name: StoredName) -> str:
        parts = name.name.split(".")
        return ".".join(parts[-2:]) if name.kind == "method" else parts[-1]

    def _where(self, name: StoredName) -> str:
        return f"{self._prefix}{name.file}:{ir.line_of(name.at)}"


def _distinct(found: Iterable[StoredName]) -> tuple[StoredName, ...]:
    """Return things by name, the first definition of each."""
    first: dict[str, StoredName] = {}
    for name in sorted(found, key=lambda n: (n.name, n.file, n.at)):
        first.setdefault(name.name, name)
    return tuple(first.values())
