"""Places of libcst nodes, by pairing them with `ast` nodes in source order.

`ast` knows every place, libcst none. Both trees come from one grammar, so the n-th node of the chosen kinds in one is the
n-th in the other when both are walked in pre-order with children in source order. The kinds are compared while pairing:
a difference raises `Mismatch` and never shifts a place.
"""

from __future__ import annotations

import ast
import re
from typing import Any, Protocol

import libcst as cst

from codepath.extract.walk import collect


class Place(Protocol):
    """Where a node stands: lines from 1, columns from 0 in code points, the end exclusive; the place of an `ast` node."""

    lineno: int
    col_offset: int
    end_lineno: int
    end_col_offset: int


class Mismatch(Exception):
    """The two trees of a file differ."""


_ATOMS = (cst.Name, cst.Integer, cst.Float, cst.Imaginary, cst.Ellipsis, cst.SimpleString, cst.ConcatenatedString)
_AST_ATOMS = "Name Constant JoinedStr TemplateStr MatchSingleton"

# Pairs of (libcst classes, names of `ast` classes) that stand for one kind. Names of either that do not exist are skipped.
_KINDS: tuple[tuple[tuple[type, ...] | str, str], ...] = (
    ((*_ATOMS, cst.FormattedString, cst.MatchSingleton), _AST_ATOMS),
    ("TemplatedString", _AST_ATOMS),
    ("Attribute", "Attribute"),
    ("Call", "Call"),
    ("Subscript", "Subscript"),
    ("Slice", "Slice"),
    ("UnaryOperation", "UnaryOp"),
    ("BinaryOperation", "BinOp"),
    ("BooleanOperation", "BoolOp"),
    ("Comparison", "Compare"),
    ("IfExp", "IfExp"),
    ("Lambda", "Lambda"),
    ("Await", "Await"),
    ("Yield", "Yield YieldFrom"),
    ("NamedExpr", "NamedExpr"),
    ("Tuple", "Tuple"),
    ("List", "List"),
    ("Set", "Set"),
    ("Dict", "Dict"),
    ("StarredElement", "Starred"),
    ("ListComp", "ListComp"),
    ("SetComp", "SetComp"),
    ("DictComp", "DictComp"),
    ("StarredDictComp", "DictComp"),
    ("GeneratorExp", "GeneratorExp"),
    ("FunctionDef", "FunctionDef AsyncFunctionDef"),
    ("ClassDef", "ClassDef"),
    ("Param", "arg"),
    ("ImportAlias", "alias"),
    ("ImportStar", "alias"),
    ("If", "If"),
    ("While", "While"),
    ("For", "For AsyncFor"),
    ("With", "With AsyncWith"),
    ("Try", "Try"),
    ("TryStar", "TryStar"),
    ("ExceptHandler", "ExceptHandler"),
    ("ExceptStarHandler", "ExceptHandler"),
    ("Match", "Match"),
    ("MatchAs", "MatchAs"),
    ("MatchStar", "MatchStar"),
    ("MatchOr", "MatchOr"),
    ("MatchList", "MatchSequence"),
    ("MatchTuple", "MatchSequence"),
    ("MatchMapping", "MatchMapping"),
    ("MatchClass", "MatchClass"),
    ("Return", "Return"),
    ("Raise", "Raise"),
    ("Assert", "Assert"),
    ("Expr", "Expr"),
    ("Assign", "Assign"),
    ("AnnAssign", "AnnAssign"),
    ("AugAssign", "AugAssign"),
    ("Import", "Import"),
    ("ImportFrom", "ImportFrom"),
    ("LazyImport", "Import"),
    ("LazyImportFrom", "ImportFrom"),
    ("Del", "Delete"),
    ("TypeAlias", "TypeAlias"),
    ("Break", "Break"),
    ("Continue", "Continue"),
)


def _numbered() -> tuple[dict[type, int], dict[type, int]]:
    """Return the kind numbers of the libcst classes and of the `ast` classes."""
    of_cst: dict[type, int] = {}
    of_ast: dict[type, int] = {}
    for number, (classes, names) in enumerate(_KINDS):
        kinds = [getattr(ast, name) for name in names.split() if hasattr(ast, name)]
        number = next((of_ast[kind] for kind in kinds if kind in of_ast), number)
        for kind in kinds:
            of_ast[kind] = number
        named = (getattr(cst, classes, None),) if isinstance(classes, str) else classes
        for kind in named:
            if kind is not None:
                of_cst[kind] = number
    return of_cst, of_ast


_CST_KINDS, _AST_KINDS = _numbered()
WANTED = frozenset(_CST_KINDS)
_STATEMENTS = re.compile(
    b"[%s]" % b"".join(b"\\x%02x" % number for kind, number in _AST_KINDS.items() if issubclass(kind, ast.stmt))
)

# Class -> child fields in source order. Classes with interleaved fields have functions of their own below.
_FIELDS = {
    "Module": "body",
    "FunctionDef": "decorator_list args returns body",
    "AsyncFunctionDef": "decorator_list args returns body",
    "arg": "annotation",
    "keyword": "value",
    "If": "test body orelse",
    "While": "test body orelse",
    "For": "target iter body orelse",
    "AsyncFor": "target iter body orelse",
    "With": "items body",
    "AsyncWith": "items body",
    "withitem": "context_expr optional_vars",
    "Try": "body handlers orelse finalbody",
    "TryStar": "body handlers orelse finalbody",
    "ExceptHandler": "type body",
    "Match": "subject cases",
    "match_case": "pattern guard body",
    "MatchValue": "value",
    "MatchAs": "pattern",
    "MatchOr": "patterns",
    "MatchSequence": "patterns",
    "MatchClass": "cls patterns kwd_patterns",
    "Expr": "value",
    "Assign": "targets value",
    "AnnAssign": "target annotation value",
    "AugAssign": "target value",
    "Return": "value",
    "Raise": "exc cause",
    "Assert": "test msg",
    "Delete": "targets",
    "TypeAlias": "name value",
    "Import": "names",
    "ImportFrom": "names",
    "Attribute": "value",
    "Slice": "lower upper step",
    "BinOp": "left right",
    "BoolOp": "values",
    "UnaryOp": "operand",
    "Compare": "left comparators",
    "IfExp": "body test orelse",
    "Lambda": "args body",
    "Await": "value",
    "Yield": "value",
    "YieldFrom": "value",
    "NamedExpr": "target value",
    "Tuple": "elts",
    "List": "elts",
    "Set": "elts",
    "Starred": "value",
    "ListComp": "elt generators",
    "SetComp": "elt generators",
    "GeneratorExp": "elt generators",
    "DictComp": "key value generators",
    "comprehension": "target iter ifs",
}
_REVERSED = {
    getattr(ast, name): tuple(reversed(fields.split())) for name, fields in _FIELDS.items() if hasattr(ast, name)
}


def _bare(values: list[Any]) -> list[Any]:
    """Return arguments, last first, with `*value` as its value: libcst keeps the star in the argument."""
    return [value.value if value.__class__ is ast.Starred else value for value in reversed(values)]


def _arguments(positional: list[Any], keywords: list[Any]) -> list[Any]:
    """Return the arguments of a call or class last first; only `*a` after `k=v` breaks the usual order."""
    if keywords and any(value.__class__ is ast.Starred for value in positional):
        return _bare(sorted(positional + keywords, key=lambda node: (node.lineno, node.col_offset)))
    return keywords[::-1] + _bare(positional)


def _call(node: Any, extend: Any) -> None:
    if node.args or node.keywords:
        extend(_arguments(node.args, node.keywords))
    extend((node.func,))


def _class(node: Any, extend: Any) -> None:
    extend((node.body,))
    extend(_arguments(node.bases, node.keywords))
    extend((node.decorator_list,))


def _dict(node: Any, extend: Any) -> None:
    for key, value in zip(reversed(node.keys), reversed(node.values), strict=True):
        extend((value,) if key is None else (value, key))


def _mapping(node: Any, extend: Any) -> None:
    for key, pattern in zip(reversed(node.keys), reversed(node.patterns), strict=True):
        extend((pattern, key))


def _subscript(node: Any, extend: Any) -> None:
    index = node.slice
    if index.__class__ is ast.Tuple:
        extend(_bare(index.elts))
    else:
        extend((index.value if index.__class__ is ast.Starred else index,))
    extend((node.value,))


def _parameters(node: Any, extend: Any) -> None:
    if node.kwarg is not None:
        extend((node.kwarg,))
    for parameter, default in zip(reversed(node.kwonlyargs), reversed(node.kw_defaults), strict=True):
        extend((parameter,) if default is None else (default, parameter))
    if node.vararg is not None:
        extend((node.vararg,))
    positional = node.posonlyargs + node.args
    defaults = [None] * (len(positional) - len(node.defaults)) + node.defaults
    for parameter, default in zip(reversed(positional), reversed(defaults), strict=True):
        extend((parameter,) if default is None else (default, parameter))


_SPECIAL = {
    ast.Call: _call,
    ast.ClassDef: _class,
    ast.Dict: _dict,
    ast.MatchMapping: _mapping,
    ast.Subscript: _subscript,
    ast.arguments: _parameters,
}


def collect_ast(tree: ast.AST) -> list[Any]:
    """Return the nodes of a tree that have a partner in libcst, in the order of `walk.collect`."""
    found: list[Any] = []
    add = found.append
    stack: list[Any] = [tree]
    pop, push, extend = stack.pop, stack.append, stack.extend
    fields, special, wanted = _REVERSED, _SPECIAL, _AST_KINDS
    while stack:
        node = pop()
        kind = node.__class__
        if kind is list:
            extend(node[::-1])
            continue
        if kind in wanted:
            add(node)
        names = fields.get(kind)
        if names is not None:
            for name in names:
                value = getattr(node, name)
                if value:
                    push(value)
        elif kind in special:
            special[kind](node, extend)
    return found


def _to_code_points(nodes: list[Any], text: str) -> None:
    """Change the columns of `ast` nodes from bytes of UTF-8 to code points."""
    lines = [b"", *text.encode().split(b"\n")]
    wide = [not line.isascii() for line in lines]
    seen: set[int] = set()
    for node in nodes:
        if id(node) in seen:
            continue
        seen.add(id(node))
        if wide[node.lineno]:
            node.col_offset = len(lines[node.lineno][: node.col_offset].decode(errors="replace"))
        if wide[node.end_lineno]:
            node.end_col_offset = len(lines[node.end_lineno][: node.end_col_offset].decode(errors="replace"))


def kinds_of(nodes: list[Any]) -> bytes:
    """Return the kind numbers of what `collect_ast` gave."""
    numbers = _AST_KINDS
    return bytes([numbers[node.__class__] for node in nodes])


def longest_statement(kinds: bytes) -> int:
    """Return the largest number of nodes that one statement has beside those in statements inside it, at most."""
    return max(map(len, _STATEMENTS.split(kinds)))


def pair(module: cst.Module, nodes: list[Any], kinds: bytes, text: str) -> dict[int, Place]:
    """Return the places of a module's nodes by `id`.

    Args:
        module: The libcst tree of `text`.
        nodes: What `collect_ast` gave for `text`; their columns become code points.
        kinds: What `kinds_of` gave for them.
        text: The file's text, with line feeds only.

    Raises:
        Mismatch: The two trees differ.
    """
    partners = collect(module, WANTED)
    numbers = _CST_KINDS
    if bytes([numbers[node.__class__] for node in partners]) != kinds:
        raise Mismatch(f"{len(partners)} libcst nodes and {len(nodes)} ast nodes differ")
    if not text.isascii():
        _to_code_points(nodes, text)
    return dict(zip(map(id, partners), nodes, strict=True))
