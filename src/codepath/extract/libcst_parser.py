"""libcst's parser: asked for what it can bear. What nests too deeply for it kills the process."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import libcst as cst

# Nesting of expressions that libcst's parser bears on a stack of 8 MB, and on one of 512 MB.
SHALLOW = 2_500
DEEP = 30_000
BRACKETS = 200
"""Brackets in brackets, as CPython's tokenizer."""

_LITERAL = re.compile(
    r"#[^\n]*|\"\"\"(?:[^\\]|\\.)*?(?:\"\"\"|\Z)|'''(?:[^\\]|\\.)*?(?:'''|\Z)"
    r"|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?",
    re.DOTALL,
)
_TOKEN = re.compile(r"\w+|\\\n|[^\w \t\f]")


def attempt(parse: Callable[[str], Any], text: str) -> Any:
    """Return what a function of libcst parses, None where it does not read the text."""
    try:
        return parse(text)
    except cst.ParserSyntaxError:
        return None
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ != "PanicException":
            raise
        return None


def bounds(text: str) -> tuple[int, int]:
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


def tokens_inside(string: str) -> int:
    """Return a number of tokens that nothing in an f-string can have more of."""
    return sum(1 for _ in _TOKEN.finditer(string))
