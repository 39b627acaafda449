"""Where nodes stand: what a place is, which of libcst's nodes have one, and the places of `ast` in code points."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Protocol

import libcst as cst


class Place(Protocol):
    """Where a node stands: lines from 1, columns from 0 in code points, the end exclusive; the place of an `ast` node."""

    lineno: int
    col_offset: int
    end_lineno: int
    end_col_offset: int


_WANTED = """
    Name Integer Float Imaginary Ellipsis SimpleString ConcatenatedString FormattedString TemplatedString MatchSingleton
    Attribute Call Subscript Slice UnaryOperation BinaryOperation BooleanOperation Comparison IfExp Lambda Await Yield
    NamedExpr Tuple List Set Dict StarredElement ListComp SetComp DictComp StarredDictComp GeneratorExp
    FunctionDef ClassDef Param ImportAlias ImportStar If While For With Try TryStar ExceptHandler ExceptStarHandler
    Match MatchAs MatchStar MatchOr MatchList MatchTuple MatchMapping MatchClass
    Return Raise Assert Expr Assign AnnAssign AugAssign Import ImportFrom LazyImport LazyImportFrom Del TypeAlias
    Break Continue
"""
WANTED: frozenset[type] = frozenset(getattr(cst, name) for name in _WANTED.split() if hasattr(cst, name))
"""The classes of nodes whose places the builder asks for; some are newer than some releases of libcst."""

_STRINGS = tuple(getattr(ast, name) for name in ("JoinedStr", "TemplateStr") if hasattr(ast, name))


def _placed(tree: ast.AST) -> Iterator[Any]:
    """Yield the nodes that have a place; what is inside f-strings is left out, where `ast` is wrong before Python 3.12."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if hasattr(node, "lineno"):
            yield node
        if not isinstance(node, _STRINGS):
            stack.extend(ast.iter_child_nodes(node))


def to_code_points(tree: ast.AST, text: str) -> None:
    """Change the columns of `ast` nodes from bytes of UTF-8 to code points.

    Args:
        tree: What `ast` made of the text.
        text: The file's text, with line feeds only.
    """
    lines = [b"", *text.encode().split(b"\n")]
    wide = [not line.isascii() for line in lines]
    for node in _placed(tree):
        if wide[node.lineno]:
            node.col_offset = len(lines[node.lineno][: node.col_offset].decode(errors="replace"))
        if wide[node.end_lineno]:
            node.end_col_offset = len(lines[node.end_lineno][: node.end_col_offset].decode(errors="replace"))
