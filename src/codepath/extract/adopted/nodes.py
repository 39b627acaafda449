"""Nodes of libcst's classes with no more fields than the builder reads, and the tables by which `ast` becomes them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeAlias

import libcst as cst

from codepath.extract.places import Place


class Adopted:
    """A tree while it is made: the places of its nodes by `id`, and the lines of its text."""

    __slots__ = ("_attributes", "depth", "lines", "path", "places")

    def __init__(self, lines: list[str], depth: int, path: str) -> None:
        self.lines = lines
        self.depth = depth
        self.path = path
        self.places: dict[int, Place] = {}
        self._attributes: dict[str, Any] = {}

    def placed(self, made: Any, node: Any) -> Any:
        """Note that a node stands where its origin does, and return it."""
        self.places[id(made)] = node
        return made

    def named(self, name: str) -> Any:
        """Return a name whose place nobody asks for."""
        found = self._attributes.get(name)
        if found is None:
            found = self._attributes[name] = NAME(name)
        return found

    def source(self, place: Place) -> str:
        """Return the source at a place as it stands in the file."""
        first, last = place.lineno - 1, place.end_lineno - 1
        if first == last:
            return self.lines[first][place.col_offset : place.end_col_offset]
        middle = self.lines[first + 1 : last]
        return "\n".join([self.lines[first][place.col_offset :], *middle, self.lines[last][: place.end_col_offset]])


Adopt: TypeAlias = Callable[[Adopted, Any], Any]

EXPRESSIONS: dict[type, Adopt] = {}
STATEMENTS: dict[type, Adopt] = {}


def expression(tree: Adopted, node: Any) -> Any:
    """Return the node for an expression; None for none."""
    return None if node is None else EXPRESSIONS[node.__class__](tree, node)


def block(tree: Adopted, nodes: list[Any]) -> Any:
    """Return the node for the statements behind a colon."""
    return BLOCK([STATEMENTS[node.__class__](tree, node) for node in nodes])


def adopt(parsed: ast.Module, lines: list[str], depth: int, path: str) -> tuple[Any, dict[int, Place]]:
    """Return a module and the places of its nodes by `id`.

    Args:
        parsed: What `ast` made of the text, its columns in code points.
        lines: The lines of the text.
        depth: How deep expressions in f-strings may nest.
        path: What errors call the file.

    Raises:
        SourceError: libcst cannot read an f-string.
        RecursionError: Something nests deeper.
    """
    tree = Adopted(lines, depth, path)
    body = [STATEMENTS[node.__class__](tree, node) for node in parsed.body]
    return MODULE(body, ""), tree.places


def maker(kind: Any, *names: str) -> Callable[..., Any]:
    """Return a function that makes a node of a class with some of its fields: what parses is not checked once more."""
    fields = [getattr(kind, name).__set__ for name in names]
    new = object.__new__
    if len(fields) == 1:
        (only,) = fields

        def make_one(value: Any) -> Any:
            node = new(kind)
            only(node, value)
            return node

        return make_one

    def make(*values: Any) -> Any:
        node = new(kind)
        for field, value in zip(fields, values):  # noqa: B905
            field(node, value)
        return node

    return make


NAME = maker(cst.Name, "value")
BLOCK = maker(cst.SimpleStatementSuite, "body")
MODULE = maker(cst.Module, "body", "default_indent")
COMMA = object.__new__(cst.Comma)
"""Stands for any comma."""
