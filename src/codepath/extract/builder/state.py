"""What the functions that visit one scope share, and the tables by which they find each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import libcst as cst

from codepath.extract.flow import Flow
from codepath.extract.places import Place
from codepath.extract.postings import Names
from codepath.extract.texts import Lines
from codepath.model import ir


@dataclass(slots=True)
class Pending:
    """A scope that was met and is not yet built."""

    index: int
    parent: int
    form: str
    id: str
    node: Any
    params: tuple[ir.Param, ...]
    returns: int
    is_async: bool
    decorated: bool
    at: int
    end: int
    indent: int = 0
    qualname: str = ""


@dataclass(slots=True)
class File:
    """What the scopes of a file share; `indent` is the width of the usual indentation."""

    places: dict[int, Place]
    lines: Lines
    indent: int
    names: Names = field(default_factory=Names)
    pending: list[Pending] = field(default_factory=list)


class Builder:
    """One scope while it is built: its expressions so far, and what reaches the present point.

    `indent` is the width of the present block's indentation, and `blocks` counts the blocks around it.
    """

    __slots__ = (
        "blocks",
        "comprehensions",
        "exprs",
        "file",
        "flow",
        "form",
        "globals",
        "indent",
        "index",
        "is_generator",
        "names",
        "nonlocals",
        "places",
    )

    def __init__(self, file: File, index: int, form: str, indent: int) -> None:
        self.file = file
        self.index = index
        self.form = form
        self.places = file.places
        self.names = file.names
        self.exprs: list[ir.Expr] = []
        self.flow = Flow()
        self.globals: list[str] = []
        self.nonlocals: list[str] = []
        self.is_generator = False
        self.comprehensions = 0
        self.blocks = 0
        self.indent = indent

    def add(self, expr: ir.Expr) -> int:
        """Append an expression and return its index."""
        exprs = self.exprs
        exprs.append(expr)
        return len(exprs) - 1

    def at(self, node: object) -> int:
        """Return the packed place where a node starts."""
        place = self.places[id(node)]
        return place.lineno << 16 | place.col_offset

    def end(self, node: object) -> int:
        """Return the packed place where a node ends."""
        place = self.places[id(node)]
        return place.end_lineno << 16 | place.end_col_offset

    def text(self, node: object) -> str:
        """Return a node's source on one line, without parentheses around it."""
        return self.file.lines.slice(self.places[id(node)])

    def define(
        self, name: str, form: Any, at: int, value: int, how: tuple[int, ...] = (), annotation: int = ir.ABSENT
    ) -> int:
        """Append a `Bind` with its definition and return its index; the environment is the caller's to change."""
        definitions = self.flow.definitions
        number = len(definitions)
        index = self.add(ir.Bind(name, number, value, how, annotation, at))
        definitions.append(ir.Definition(name, form, index, at))
        if form != "comprehension" and form != "annotation":
            if self.form == "module" or name in self.globals:
                self.names.globals.add(name)
            elif self.form == "class":
                self.names.attributes.add(name)
        return index

    def bind(self, name: str, form: str, at: int, value: int, how: tuple[int, ...] = (), annotation: int = -1) -> int:
        """Append a `Bind` that replaces what reached before, and return its index."""
        self.flow.env[name] = (len(self.flow.definitions),)
        return self.define(name, form, at, value, how, annotation)

    def open_scope(
        self,
        form: str,
        name: str,
        node: Any,
        params: tuple[ir.Param, ...] = (),
        returns: int = ir.ABSENT,
        is_async: bool = False,
        decorated: bool = False,
    ) -> int:
        """Note a scope inside this one, to be built later, and return its index."""
        pending = self.file.pending
        index = len(pending)
        at, end = self.at(node), self.end(node)
        pending.append(
            Pending(index, self.index, form, name, node, params, returns, is_async, decorated, at, end, self.indent)
        )
        return index


Visit: TypeAlias = Callable[[Builder, Any], int]
Run: TypeAlias = Callable[[Builder, Any, list[ir.Region]], None]

EXPRESSIONS: dict[type, Visit] = {}
STATEMENTS: dict[type, Run] = {}


def visit(builder: Builder, node: cst.CSTNode) -> int:
    """Append an expression and all below it in evaluation order; return its index."""
    return EXPRESSIONS[node.__class__](builder, node)
