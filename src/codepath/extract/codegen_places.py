"""Places of libcst nodes from a light code-generation state.

Used where `ast` refuses the file, and always inside f-strings, whose inner places `ast` gets wrong before Python 3.12.
The state only appends tokens; wanted nodes note the number of the token where they start and end. Offsets are prefix
sums, made into lines by bisection.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from contextlib import nullcontext
from itertools import accumulate
from typing import Any

import libcst as cst
from libcst._nodes.internal import CodegenState

from codepath.extract.places import WANTED, Place

_NOTHING: Any = nullcontext()
# Nodes that lend their end to a wanted one.
_LENDERS = frozenset(
    {cst.IndentedBlock, cst.SimpleStatementLine, cst.SimpleStatementSuite, cst.Else, cst.Finally, cst.MatchCase}
    | {cst.RightParen}
)
_PARENTHESISED: frozenset[type] = frozenset({cst.Tuple, cst.GeneratorExp, cst.MatchTuple})


class Span:
    """The place of a node that has no partner in `ast`."""

    __slots__ = ("col_offset", "end_col_offset", "end_lineno", "lineno")

    def __init__(self, lineno: int, col_offset: int, end_lineno: int, end_col_offset: int) -> None:
        self.lineno = lineno
        self.col_offset = col_offset
        self.end_lineno = end_lineno
        self.end_col_offset = end_col_offset


class _Record:
    """Notes the tokens between which a node stands."""

    __slots__ = ("end_node", "node", "start", "state")

    def __init__(self, state: _State, node: cst.CSTNode, end_node: cst.CSTNode | None) -> None:
        self.state = state
        self.node = node
        self.end_node = end_node

    def __enter__(self) -> None:
        self.start = len(self.state.tokens)

    def __exit__(self, *_: object) -> None:
        self.state.note(self.node, self.start, self.end_node)


class _State(CodegenState):
    """Collects tokens and, for wanted nodes, `(node, first token, token after the last)`."""

    def __init__(self, indent: str, newline: str) -> None:
        super().__init__(indent, newline)
        self.found: dict[int, tuple[cst.CSTNode, int, int]] = {}
        self.ends: dict[int, int] = {}
        self.open: list[int] = []
        setattr(self, "add_token", self.tokens.append)  # noqa: B010

    def note(self, node: cst.CSTNode, start: int, end_node: cst.CSTNode | None) -> None:
        end = len(self.tokens)
        if end_node is not None:
            end = self.ends.get(id(end_node), end)
        self.ends[id(node)] = end
        if node.__class__ in WANTED:
            self.found[id(node)] = (node, start, end)

    def before_codegen(self, node: cst.CSTNode) -> None:
        self.open.append(len(self.tokens))

    def after_codegen(self, node: cst.CSTNode) -> None:
        start = self.open.pop()
        if node.__class__ in WANTED and id(node) not in self.found:
            self.found[id(node)] = (node, start, len(self.tokens))

    def record_syntactic_position(
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> Any:
        kind = node.__class__
        return _Record(self, node, end_node) if kind in WANTED or kind in _LENDERS else _NOTHING


def _with_parentheses(node: Any, tokens: list[str], start: int, end: int) -> tuple[int, int]:
    """Return the tokens of a tuple or generator together with its innermost parentheses, as `ast` has it."""
    kind: type = node.__class__
    if kind not in _PARENTHESISED or (kind is not cst.GeneratorExp and not node.lpar):
        return start, end
    while start > 0 and tokens[start - 1] != "(":
        start -= 1
    while end < len(tokens) and tokens[end] != ")":
        end += 1
    return max(start - 1, 0), min(end + 1, len(tokens))


class _Ruler:
    """Makes offsets in a text into lines from 1 and columns from 0."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(index + 1 for index, char in enumerate(text) if char == "\n")]

    def place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1]


def _spans(state: _State) -> dict[int, tuple[cst.CSTNode, int, int, int, int]]:
    tokens = state.tokens
    offsets = [0, *accumulate(map(len, tokens))]
    ruler = _Ruler("".join(tokens))
    spans = {}
    for key, (node, start, end) in state.found.items():
        if node.__class__ is cst.Param:  # the name alone, without `*`
            _, start, end = state.found[id(node.name)]
        first, last = _with_parentheses(node, tokens, start, end)
        spans[key] = (node, *ruler.place(offsets[first]), *ruler.place(offsets[last]))
    return spans


def places_of(module: cst.Module) -> dict[int, Place]:
    """Return the places of a module's nodes by `id`, without `ast`."""
    state = _State(module.default_indent, module.default_newline)
    module._codegen(state)
    return {key: Span(*span[1:]) for key, span in _spans(state).items()}


def places_inside(string: cst.CSTNode, place: Place, indent: int) -> dict[int, Place]:
    """Return the places of the nodes inside an f-string that stands at `place`, in a block indented by `indent` columns."""
    state = _State("", "\n")
    state.indent_tokens.append(" " * indent)
    string._codegen(state)
    spans = _spans(state)
    _, line, column, _, _ = spans[id(string)]
    lines = place.lineno - line
    columns = place.col_offset - column

    def moved(at: int, offset: int) -> tuple[int, int]:
        return at + lines, offset + columns if at == line else offset

    return {
        key: Span(*moved(span[1], span[2]), *moved(span[3], span[4]))
        for key, span in spans.items()
        if key != id(string)
    }


def constant_of(node: Any) -> Any:
    """Return the value of a literal that has no partner in `ast`. Raises `ValueError` or `SyntaxError` on a bad one."""
    return ast.literal_eval(f"({cst.Module([]).code_for_node(node)})")
