"""A file's text to a libcst tree with places."""

from __future__ import annotations

import ast
import re
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import libcst as cst

from codepath.errors import SourceError
from codepath.extract.codegen_places import places_of
from codepath.extract.places import Mismatch, Place, collect_ast, kinds_of, longest_statement, pair

T = TypeVar("T")

# Nesting of expressions that libcst's parser bears on a stack of 8 MB, and on one of 512 MB. Beyond it, it kills the process.
SHALLOW = 2_500
DEEP = 30_000
LONGEST_CHAIN = 3_000
"""Operators, attributes and calls that may hang on each other: libcst's time grows with the cube of their number."""
_DEEP_STACK = 512 << 20
_DEEP_RECURSION = 60_000
_LIBCST_PLACE = re.compile(r"error at (\d+):(\d+):")
_WIDEST = 0xFFFF
_LINKS = (ast.BinOp, ast.Attribute, ast.Call, ast.Subscript)
_BRACKETS = 200  # as CPython's tokenizer

_LITERAL = re.compile(
    r"#[^\n]*|\"\"\"(?:[^\\]|\\.)*?(?:\"\"\"|\Z)|'''(?:[^\\]|\\.)*?(?:'''|\Z)"
    r"|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?",
    re.DOTALL,
)
_TOKEN = re.compile(r"\w+|\\\n|[^\w \t\f]")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A module's tree and its nodes' places by `id`."""

    module: cst.Module
    places: dict[int, Place]
    ast_refused: bool


def parse(text: str, path: str, depth: int) -> Parsed:
    """Return the tree of a text whose expressions nest at most `depth` levels.

    Raises:
        SourceError: The text is not Python, or libcst cannot read it.
        RecursionError, MemoryError: It nests deeper.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        module = _newer_syntax(text, path, depth, _refused(error, path))
        return Parsed(module, _cut(places_of(module), text), True)
    nodes = collect_ast(tree)
    kinds = kinds_of(nodes)
    if longest_statement(kinds) + text.count("elif") > SHALLOW and _depth(tree) > depth:
        raise RecursionError
    module = _parse(text, path)
    try:
        places = pair(module, nodes, kinds, text)
    except Mismatch:
        places = places_of(module)
    return Parsed(module, _cut(places, text), False)


def refusal(text: str, path: str, error: Exception) -> SourceError:
    """Return why code that parses cannot be compiled; where it can, that `error` kept it from being read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<source>", "exec", dont_inherit=True)
    except SyntaxError as refused:
        return _refused(refused, path)
    except Exception:
        pass
    return SourceError(f"the code cannot be read ({type(error).__name__})", path=path, line=1)


def run_deep(function: Callable[[], T]) -> T:
    """Return what a function gives that is run with a large stack and recursion limit, the latter process-wide.

    Raises:
        MemoryError: There is no room for the stack.
    """
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(function())
        except BaseException as error:
            failure.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(_DEEP_STACK)
    try:
        sys.setrecursionlimit(max(limit, _DEEP_RECURSION))
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    except RuntimeError:
        raise MemoryError from None
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if failure:
        raise failure[0]
    return outcome[0]


def _cut(places: dict[int, Place], text: str) -> dict[int, Place]:
    """Return places whose columns can be packed."""
    if len(text) > _WIDEST and max(map(len, text.split("\n"))) > _WIDEST:
        for place in places.values():
            place.col_offset = min(place.col_offset, _WIDEST)
            place.end_col_offset = min(place.end_col_offset, _WIDEST)
    return places


def _parse(text: str, path: str) -> cst.Module:
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise _unread(error, path) from None
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ != "PanicException":
            raise
        raise SourceError("libcst cannot parse the file", path=path, line=1) from None


def _unread(error: cst.ParserSyntaxError, path: str) -> SourceError:
    """Return the error of a file that Python reads and libcst does not; libcst's text has the better place."""
    match = _LIBCST_PLACE.search(error.message)
    line, column = (int(match[1]), max(int(match[2]) - 1, 0)) if match else (error.raw_line, error.raw_column)
    return SourceError("libcst does not read this syntax", path=path, line=max(line, 1), column=column)


def _refused(error: SyntaxError, path: str) -> SourceError:
    message = (error.msg or "invalid syntax").partition("\n")[0]
    return SourceError(message, path=path, line=error.lineno or 1, column=max((error.offset or 1) - 1, 0))


def _newer_syntax(text: str, path: str, depth: int, refusal: SourceError) -> cst.Module:
    """Return the tree of a text that `ast` refuses, where libcst knows newer syntax; else raise the refusal."""
    tokens, brackets = _bounds(text)
    if brackets > _BRACKETS or tokens > DEEP:
        raise refusal
    if tokens > depth:
        raise RecursionError
    try:
        return _parse(text, path)
    except SourceError:
        raise refusal from None


def _bounds(text: str) -> tuple[int, int]:
    """Return the largest number of tokens between line ends outside brackets, and the depth of brackets."""
    most = tokens = brackets = deepest = 0
    for match in _TOKEN.finditer(_LITERAL.sub("0", text)):
        token = match[0]
        if token in "([{":
            brackets += 1
            deepest = max(deepest, brackets)
        elif token in ")]}":
            brackets = max(brackets - 1, 0)
        if token == "\n":
            if not brackets:
                tokens = 0
        else:
            tokens += 1
            most = max(most, tokens)
    return most + text.count("elif"), deepest


def _depth(tree: ast.AST) -> int:
    """Return how deep libcst nests what `ast` parsed: every operand of `a and b and c` is a level of its own.

    More than `DEEP` where a chain is longer than libcst reads in bearable time.
    """
    deepest = 0
    stack: list[tuple[ast.AST, int, int]] = [(tree, 1, 0)]
    while stack:
        node, depth, links = stack.pop()
        deepest = max(deepest, depth)
        links = links + 1 if isinstance(node, _LINKS) else 0
        if links > LONGEST_CHAIN:
            return DEEP + 1
        if isinstance(node, ast.BoolOp):
            depth += len(node.values)
        stack.extend((child, depth + 1, links) for child in ast.iter_child_nodes(node))
    return deepest
