"""Annotations: expressions that stand in no range. Strings in them are read as the expressions they hold."""

from __future__ import annotations

from typing import Any

import libcst as cst

from codepath.extract.builder.constants import constant
from codepath.extract.builder.expressions import name_of, slice_of
from codepath.extract.builder.state import EXPRESSIONS, Builder, visit
from codepath.extract.codegen_places import Span
from codepath.extract.places import Place
from codepath.extract.postings import Names
from codepath.extract.walk import elements_of
from codepath.model import ir


class _Everywhere(dict[int, Place]):
    """Gives the nodes of a string annotation the place of the string."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = Span(place.lineno, place.col_offset, place.end_lineno, place.end_col_offset)

    def __missing__(self, key: int) -> Place:
        return self.place

    def __contains__(self, key: object) -> bool:
        return True


def annotation(builder: Builder, node: cst.Annotation | None) -> int:
    """Append an annotation and return its index, -1 where there is none. Its names are left out of the postings."""
    if node is None:
        return ir.ABSENT
    names, builder.names = builder.names, Names()
    try:
        return _type(builder, node.annotation)
    finally:
        builder.names = names


def _type(builder: Builder, node: Any) -> int:
    kind = node.__class__
    if kind is cst.SimpleString or kind is cst.ConcatenatedString:
        return _string(builder, node)
    if kind is cst.Subscript:
        return _generic(builder, node)
    if kind is cst.BinaryOperation and node.operator.__class__ is cst.BitOr:
        left = _type(builder, node.left)
        right = _type(builder, node.right)
        return builder.add(ir.Binary("|", left, right, builder.at(node)))
    if kind is cst.List:
        items = tuple([_type(builder, element.value) for element in node.elements])
        return builder.add(ir.Sequence("list", items, builder.at(node)))
    return visit(builder, node)


def _string(builder: Builder, node: Any) -> int:
    start = len(builder.exprs)
    index = constant(builder, node)
    value = builder.exprs[index]
    if not isinstance(value, ir.Const) or value.form or not isinstance(value.value, str):
        return index
    try:
        parsed = cst.parse_expression(value.value.strip())
    except Exception:  # a string that is no expression stays a string
        return index
    del builder.exprs[start:]
    places, builder.places = builder.places, _Everywhere(builder.places[id(node)])
    try:
        return _type(builder, parsed) if parsed.__class__ in EXPRESSIONS else visit(builder, node)
    finally:
        builder.places = places


def _generic(builder: Builder, node: cst.Subscript) -> int:
    origin = name_of(node.value)
    if origin == "Literal" or elements_of(node) is not None:
        return visit(builder, node)
    value = visit(builder, node.value)
    items = []
    for number, element in enumerate(node.slice):
        part = element.slice
        if not isinstance(part, cst.Index) or part.star or (origin == "Annotated" and number):
            items.append(_slice(builder, part))
        else:
            items.append(_type(builder, part.value))
    index = items[0]
    if len(items) > 1 or isinstance(node.slice[0].comma, cst.Comma):
        index = builder.add(ir.Sequence("tuple", tuple(items), getattr(builder.exprs[items[0]], "at", 0)))
    return builder.add(ir.Subscript(value, index, builder.at(node), builder.end(node)))


def _slice(builder: Builder, part: cst.BaseSlice) -> int:
    if isinstance(part, cst.Index):
        value = visit(builder, part.value)
        return builder.add(ir.Starred(value, builder.at(part.value))) if part.star else value
    assert isinstance(part, cst.Slice)
    return slice_of(builder, part)
