"""A file's text to a tree of libcst's classes with places."""

from __future__ import annotations

import ast
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import libcst as cst

from codepath.errors import SourceError
from codepath.extract.adopted import adopt
from codepath.extract.codegen_places import places_of
from codepath.extract.libcst_parser import BRACKETS, DEEP, attempt, bounds
from codepath.extract.places import Place, to_code_points

T = TypeVar("T")

_DEEP_STACK = 512 << 20
_DEEP_RECURSION = 60_000
_WIDEST = 0xFFFF


@dataclass(frozen=True, slots=True)
class Parsed:
    """A module's tree and its nodes' places by `id`."""

    module: Any
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
        module = _newer_syntax(text, depth, _refused(error, path))
        return Parsed(module, _cut(places_of(module), text), True)
    if not text.isascii():
        to_code_points(tree, text)
    module, places = adopt(tree, text.split("\n"), depth, path)
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


def _refused(error: SyntaxError, path: str) -> SourceError:
    message = (error.msg or "invalid syntax").partition("\n")[0]
    return SourceError(message, path=path, line=error.lineno or 1, column=max((error.offset or 1) - 1, 0))


def _newer_syntax(text: str, depth: int, refusal: SourceError) -> Any:
    """Return the tree of a text that `ast` refuses, where libcst knows newer syntax; else raise the refusal."""
    tokens, brackets = bounds(text)
    if brackets > BRACKETS or tokens > DEEP:
        raise refusal
    if tokens > depth:
        raise RecursionError
    module = attempt(cst.parse_module, text)
    if module is None:
        raise refusal
    return module
