"""Constants and f-strings."""

from __future__ import annotations

import ast
import warnings
from typing import Any

import libcst as cst

from codepath.extract.builder.state import EXPRESSIONS, Builder, visit
from codepath.extract.codegen_places import constant_of, places_inside
from codepath.model import ir

_LONGEST = 200
_SINGLETONS = {"True": True, "False": False, "None": None}


def constant(builder: Builder, node: Any) -> int:
    """Append a literal. Its value comes from its partner in `ast` where it has one."""
    place: Any = builder.places[id(node)]
    value: Any = place.value if place.__class__ is ast.Constant else _value(node)
    at = place.lineno << 16 | place.col_offset
    kind = value.__class__
    if kind is str:
        return text(builder, value, at)
    if kind is int and value.bit_length() > 63:
        return builder.add(ir.Const(node.value[:_LONGEST], "int", at))
    if kind is bytes:
        return builder.add(ir.Const(value[:_LONGEST].decode("latin-1"), "bytes", at))
    if kind is complex:
        return builder.add(ir.Const(str(value), "complex", at))
    return builder.add(ir.Const(value, "", at))


def text(builder: Builder, value: str, at: int) -> int:
    """Append a string."""
    if not value.isascii():
        value = value.encode(errors="replace").decode()
    elif value.isidentifier():
        builder.names.strings.add(value)
    if len(value) > _LONGEST:
        return builder.add(ir.Const(value[:_LONGEST], "cut", at))
    return builder.add(ir.Const(value, "", at))


def singleton(builder: Builder, name: str, at: int) -> int:
    """Append `True`, `False` or `None`."""
    return builder.add(ir.Const(_SINGLETONS[name], "", at))


def _value(node: Any) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return constant_of(node)
    except (ValueError, SyntaxError):
        return ""


def _ellipsis(builder: Builder, node: cst.Ellipsis) -> int:
    return builder.add(ir.Const("...", "ellipsis", builder.at(node)))


# --- f-strings -------------------------------------------------------------------------------------------------------


def _pieces(node: Any) -> list[Any]:
    """Return the strings of an implicit concatenation."""
    pieces = []
    while node.__class__ is cst.ConcatenatedString:
        pieces.append(node.left)
        node = node.right
    pieces.append(node)
    return pieces


def _concatenated(builder: Builder, node: cst.ConcatenatedString) -> int:
    pieces = _pieces(node)
    if all(piece.__class__ is cst.SimpleString for piece in pieces):
        return constant(builder, node)
    return _joined(builder, node, pieces)


def _formatted(builder: Builder, node: Any) -> int:
    return _joined(builder, node, [node])


def _joined(builder: Builder, node: Any, pieces: list[Any]) -> int:
    place = builder.places[id(node)]
    at = place.lineno << 16 | place.col_offset
    parts: list[int] = []
    reprs: list[int] = []
    if builder.places.__class__ is dict and any(_has_expressions(piece) for piece in pieces):
        builder.places.update(places_inside(node, place, builder.indent))
    for piece in pieces:
        if piece.__class__ is cst.SimpleString:
            value = _value(piece)
            if value:
                parts.append(text(builder, value, at))
        else:
            _parts(builder, piece.parts, "r" in piece.start.lower(), at, parts, reprs)
    return builder.add(ir.Joined(tuple(parts), at, tuple(reprs)))


def _has_expressions(piece: Any) -> bool:
    return piece.__class__ is not cst.SimpleString and any(hasattr(part, "expression") for part in piece.parts)


def _parts(builder: Builder, nodes: Any, raw: bool, at: int, parts: list[int], reprs: list[int]) -> None:
    for node in nodes:
        if hasattr(node, "expression"):
            parts.append(visit(builder, node.expression))
            if node.conversion in ("r", "a") or (node.equal and not node.conversion and node.format_spec is None):
                reprs.append(parts[-1])
            if node.format_spec:
                _parts(builder, node.format_spec, raw, at, parts, reprs)
        else:
            parts.append(text(builder, _unescaped(node.value, raw), at))


def _unescaped(source: str, raw: bool) -> str:
    source = source.replace("{{", "{").replace("}}", "}")
    if raw or "\\" not in source:
        return source
    quote = "'''" if '"""' in source or source.endswith('"') else '"""'
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return str(ast.literal_eval(f"{quote}{source}{quote}"))
    except (ValueError, SyntaxError):
        return source


EXPRESSIONS.update(
    {
        cst.Integer: constant,
        cst.Float: constant,
        cst.Imaginary: constant,
        cst.SimpleString: constant,
        cst.Ellipsis: _ellipsis,
        cst.ConcatenatedString: _concatenated,
        cst.FormattedString: _formatted,
    }
)
if hasattr(cst, "TemplatedString"):
    EXPRESSIONS[cst.TemplatedString] = _formatted
