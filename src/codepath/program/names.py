"""From what a person types to a thing of the tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from codepath.errors import AmbiguousError, QueryError
from codepath.model import ir
from codepath.model.answers import Step
from codepath.model.solution import StoredName
from codepath.program.graph import CallGraph

_SHOWN = 4
_PLACE = re.compile(r"(?P<path>.+\.py):(?P<line>[0-9]{1,9})(?::(?P<column>[0-9]{1,9}))?")
_ORDER = {"function": 0, "method": 0, "class": 0, "global": 1, "module": 2, "lambda": 3}
_LISTS = "`codepath symbols PATTERN` lists names"


class Names:
    """Looks names up in a call graph.

    Args:
        graph: The call graph.
        files: The paths of the tree.
        prefix: What stands before a path in text.
        left_out: The paths of files that were not read.
    """

    def __init__(self, graph: CallGraph, files: Iterable[str], prefix: str, left_out: Iterable[str] = ()) -> None:
        self._graph = graph
        self._files = tuple(files)
        self._prefix = prefix
        self._left_out = tuple(left_out)

    def find(self, query: str) -> tuple[StoredName, ...]:
        """Return all things that a query can mean, the best kind of match only, sorted.

        Raises:
            QueryError: The query is `path.py:LINE`, and nothing that runs stands there.
        """
        place = _PLACE.fullmatch(query)
        if place is not None:
            return self._at(query, place["path"], int(place["line"]), int(place["column"] or 0))
        last = query.rpartition(".")[2]
        found = self._graph.named(last)
        exact = [n for n in found if n.name == query]
        if exact:
            return _distinct(exact)
        fitting = [n for n in found if n.name.endswith(f".{query}")]
        best = min((_ORDER[n.kind] for n in fitting), default=0)
        return _distinct(n for n in fitting if _ORDER[n.kind] == best)

    def every(self, query: str) -> tuple[StoredName, ...]:
        """Return all functions, classes and globals with a name, or whose dotted names end with it, sorted."""
        named = (n for n in self._graph.named(query.rpartition(".")[2]) if _ORDER[n.kind] < _ORDER["module"])
        return _distinct(n for n in named if n.name == query or n.name.endswith(f".{query}"))

    def one(self, query: str, near: Iterable[str]) -> StoredName:
        """Return the one thing a query means; `near` are names of the tree that look like it.

        Raises:
            QueryError: It means nothing, or several things.
        """
        found = self.find(query)
        if len(found) == 1:
            return found[0]
        if found:
            raise self.ambiguous(query, found)
        raise self.unknown(query, near)

    def unknown(self, query: str, near: Iterable[str]) -> QueryError:
        """Return the error for a query that means nothing; `near` are names of the tree that look like it."""
        return self._outside(query) or self._unknown(query, near)

    # --- places ------------------------------------------------------------------------------------------------------

    def _at(self, query: str, path: str, line: int, column: int) -> tuple[StoredName, ...]:
        """Return what stands at a place: a definition, the one callee of the calls there, else the function around."""
        files = self.fitting(path)
        if not files:
            raise QueryError(f"`{path}` is no file of this tree", help=self._similar_files(path))
        found: list[StoredName] = []
        longest = 0
        for file in files:
            inside = self._graph.in_file(file)
            longest = max([longest, *(ir.line_of(n.end) for n in inside if n.kind == "module")])
            found.extend(self._in_file(inside, line, column))
        if found:
            return _distinct(found)
        if line < 1 or line > longest:
            raise QueryError(f"`{path}` has no line {line}", help=(f"its last line is {longest}",) if longest else ())
        raise QueryError(
            f"no function stands at `{query}`", help=("give a line of a definition, or inside one", _LISTS)
        )

    def fitting(self, path: str) -> list[str]:
        """Return the files that a path means, those of the closest way to read it."""
        plain = path.replace("\\", "/").removeprefix("./")
        inner = plain.removeprefix(self._prefix)
        ways = (
            [f for f in self._files if f == inner],
            [f for f in self._files if f == plain],
            [f for f in self._files if f.endswith(f"/{plain}")],
            sorted((f for f in self._files if plain.endswith(f"/{f}")), key=len)[-1:],
        )
        return next((way for way in ways if way), [])

    def _in_file(self, inside: tuple[StoredName, ...], line: int, column: int) -> Iterator[StoredName]:
        around = [n for n in inside if n.kind != "module" and ir.line_of(n.at) <= line <= ir.line_of(n.end)]
        defined = [n for n in around if ir.line_of(n.at) == line and n.kind != "lambda"]
        if defined:
            yield min(defined, key=lambda n: n.at)
            return
        callees = self._called_at(inside, line, column)
        if len(callees) == 1 or not around:
            yield from callees
        else:
            yield max(around, key=lambda n: n.at)

    def _called_at(self, inside: tuple[StoredName, ...], line: int, column: int) -> list[StoredName]:
        """Return the callees of the tree of the calls on a line; a column, from 1, chooses among them."""
        covering = [n.name for n in inside if n.kind == "module" or ir.line_of(n.at) <= line <= ir.line_of(n.end)]
        self._graph.fetch(covering)
        steps = [s for name in covering for s in self._graph.steps(name) if s.line == line and _is_call(s)]
        if column:
            steps = [s for s in steps if s.column == column - 1]
        found = (self._callee(name) for name in sorted({s.callee for s in steps}))
        return [name for name in found if name is not None]

    def _callee(self, name: str) -> StoredName | None:
        last = name.rpartition(".")[2]
        return next((n for n in self._graph.named(last) if n.name == name), None)

    def _similar_files(self, path: str) -> tuple[str, ...]:
        base = path.rpartition("/")[2]
        same = [f for f in self._files if f.rpartition("/")[2] == base]
        return _suggested([f"{self._prefix}{f}" for f in same[:_SHOWN]], len(same)) if same else ()

    # --- errors ------------------------------------------------------------------------------------------------------

    def ambiguous(self, query: str, found: tuple[StoredName, ...]) -> QueryError:
        """Return the error for a query that means several things."""
        rows = list(zip(self._shorts(found[:_SHOWN]), found, strict=False))
        width = max(len(short) for short, _ in rows)
        shown = [f" {n}  {short:<{width}}   {self._where(name)}" for n, (short, name) in enumerate(rows, 1)]
        more = [f"    ... {len(found) - _SHOWN} more: codepath symbols {query}"] if len(found) > _SHOWN else []
        ways = "any of these work: a longer dotted name, file:line, or --all-matches"
        error = AmbiguousError(f"`{query}` names {len(found)} things; give one of", help=(*shown, *more, ways))
        error.query = query
        error.candidates = tuple((name.name, self._where(name)) for name in found)
        return error

    def _unknown(self, query: str, near: Iterable[str]) -> QueryError:
        close = [found for name in near for found in self._graph.named(name)]
        if "." in query:
            close.sort(key=lambda n: -_likeness(query, n.name))
        close = close[:_SHOWN]
        shorts = self._shorts(close)
        width = max((len(s) for s in shorts), default=0)
        lines = [f"{short:<{width}}    {self._where(name)}" for short, name in zip(shorts, close, strict=True)]
        message = f"no function, method, class or global named `{query}`"
        return QueryError(message, help=(*_suggested(lines, len(lines)), *self._missing(), _LISTS))

    def _missing(self) -> tuple[str, ...]:
        """Return the lines that name the files in which a name may stand although they were not read."""
        number = len(self._left_out)
        head = "it may stand in a file that was left out" if number == 1 else f"it may stand in {number} files left out"
        shown = [f"{self._prefix}{path}" for path in self._left_out[:_SHOWN]]
        return _listed(head, shown, number) if number else ()

    def _outside(self, query: str) -> QueryError | None:
        """Return the error for a dotted name that the tree only uses, None where it does not."""
        top, dot, _ = query.partition(".")
        if not dot or any(n.kind == "module" for n in self._graph.named(top)):
            return None
        uses = sorted(set(self._graph.uses_of(query)))
        if not uses:
            return None
        places = [f"{self._prefix}{file}:{line}" for file, line in uses]
        message = f"`{query}` is not defined in this tree; it comes from `{top}`"
        head = f"{len(places)} places of the tree use it" if len(places) > 1 else "1 place of the tree uses it"
        way = f"codepath reach --calls {query}    which paths lead to them"
        return QueryError(message, help=(*_listed(head, places[:_SHOWN], len(places)), way))

    def _shorts(self, names: Iterable[StoredName]) -> list[str]:
        """Return the last parts of names, as few as tell them apart."""
        names = list(names)
        shorts = [_tail(n.name, 2 if n.kind == "method" else 1) for n in names]
        return [short if shorts.count(short) == 1 else name.name for short, name in zip(shorts, names, strict=True)]

    def _where(self, name: StoredName) -> str:
        return f"{self._prefix}{name.file}:{ir.line_of(name.at)}"


def _is_call(step: Step) -> bool:
    return step.kind not in ("import", "property", "decorator")


def _tail(name: str, parts: int) -> str:
    return ".".join(name.split(".")[-parts:])


def _likeness(query: str, name: str) -> float:
    """Return from 0 to 1 how much the end of a dotted name looks like a query of as many parts."""
    return SequenceMatcher(None, query, _tail(name, query.count(".") + 1)).ratio()


def _suggested(lines: list[str], total: int) -> tuple[str, ...]:
    return _listed("did you mean", lines, total) if lines else ()


def _listed(head: str, lines: list[str], total: int) -> tuple[str, ...]:
    more = [f"    ... {total - len(lines)} more"] if total > len(lines) else []
    return (head, *(f"    {line}" for line in lines), *more)


def is_place(query: str) -> bool:
    """Tell whether a query is of the form `path.py:LINE`."""
    return _PLACE.fullmatch(query) is not None


def place_of(query: str) -> tuple[str, int]:
    """Return the path and line of a query of that form."""
    found = _PLACE.fullmatch(query)
    assert found is not None
    return found["path"], int(found["line"])


def _distinct(found: Iterable[StoredName]) -> tuple[StoredName, ...]:
    """Return things by name, the first definition of each."""
    first: dict[str, StoredName] = {}
    for name in sorted(found, key=lambda n: (n.name, n.file, n.at)):
        first.setdefault(name.name, name)
    return tuple(first.values())
