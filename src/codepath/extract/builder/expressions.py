"""Names, attributes, calls, operators, displays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import libcst as cst

from codepath.extract.builder.constants import singleton
from codepath.extract.builder.state import EXPRESSIONS, Builder, visit
from codepath.extract.flow import NOTHING, merged
from codepath.extract.walk import elements_of, operands
from codepath.model import ir

_SINGLETONS = frozenset({"True", "False", "None"})

UNARY = {cst.Not: "not", cst.Minus: "-", cst.Plus: "+", cst.BitInvert: "~"}
BINARY = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.MatrixMultiply: "@",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
    cst.BitAnd: "&",
    cst.BitOr: "|",
    cst.BitXor: "^",
}
COMPARE = {
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.In: "in",
    cst.NotIn: "not in",
    cst.Is: "is",
    cst.IsNot: "is not",
}


def name_of(node: Any) -> str:
    """Return the last name of a dotted expression, else ""."""
    kind = node.__class__
    if kind is cst.Name:
        return str(node.value)
    return str(node.attr.value) if kind is cst.Attribute else ""


# --- names, attributes, calls ----------------------------------------------------------------------------------------


def _load(builder: Builder, node: cst.Name) -> int:
    name = node.value
    place = builder.places[id(node)]
    at = place.lineno << 16 | place.col_offset
    if name in _SINGLETONS:
        return singleton(builder, name, at)
    flow = builder.flow
    names = flow.names
    flow.uses.append(flow.env.get(name, NOTHING))
    names.append(name)
    exprs = builder.exprs
    exprs.append(ir.Name(name, len(names) - 1, at))
    return len(exprs) - 1


def _name(builder: Builder, node: cst.Name) -> int:
    builder.names.referenced.add(node.value)
    return _load(builder, node)


def _fetch(builder: Builder, node: cst.Attribute) -> int:
    value = node.value
    index = EXPRESSIONS[value.__class__](builder, value)
    place = builder.places[id(node)]
    exprs = builder.exprs
    exprs.append(
        ir.Attr(
            index,
            node.attr.value,
            place.lineno << 16 | place.col_offset,
            place.end_lineno << 16 | place.end_col_offset,
        )
    )
    return len(exprs) - 1


def _attribute(builder: Builder, node: cst.Attribute) -> int:
    builder.names.referenced.add(node.attr.value)
    return _fetch(builder, node)


def _callee(builder: Builder, node: Any) -> int:
    kind = node.__class__
    if kind is cst.Attribute:
        builder.names.called.add(node.attr.value)
        return _fetch(builder, node)
    if kind is cst.Name:
        builder.names.called.add(node.value)
        return _load(builder, node)
    return visit(builder, node)


def arguments(builder: Builder, nodes: Iterable[cst.Arg]) -> tuple[ir.Arg, ...]:
    """Append the arguments of a call or class, in source order, and return them."""
    found = []
    for node in nodes:
        value = node.value
        index = EXPRESSIONS[value.__class__](builder, value)
        keyword = node.keyword
        if keyword is not None:
            found.append(ir.Arg(index, keyword.value))
        elif node.star:
            found.append(ir.Arg(index, None, len(node.star)))
        else:
            found.append(ir.Arg(index))
    return tuple(found)


def call(builder: Builder, node: cst.Call) -> int:
    """Append a call."""
    func = _callee(builder, node.func)
    args = arguments(builder, node.args) if node.args else ()
    place = builder.places[id(node)]
    return builder.add(
        ir.Call(func, args, place.lineno << 16 | place.col_offset, place.end_lineno << 16 | place.end_col_offset)
    )


# --- subscripts ------------------------------------------------------------------------------------------------------


def _subscript(builder: Builder, node: cst.Subscript) -> int:
    builder.names.subscripted.add(name_of(node.value))
    value = visit(builder, node.value)
    index = index_of(builder, node)
    return builder.add(ir.Subscript(value, index, builder.at(node), builder.end(node)))


def index_of(builder: Builder, node: cst.Subscript) -> int:
    """Append what stands between the brackets and return its index; several elements are one tuple."""
    elements = elements_of(node)
    if elements is not None:
        return _index_tuple(builder, node, [visit(builder, element) for element in elements])
    only = node.slice[0]
    if len(node.slice) == 1 and not isinstance(only.comma, cst.Comma) and not getattr(only.slice, "star", None):
        return _element(builder, only.slice)
    return _index_tuple(builder, node, [_element(builder, element.slice) for element in node.slice])


def _index_tuple(builder: Builder, node: cst.Subscript, items: list[int]) -> int:
    at = getattr(builder.exprs[items[0]], "at", 0) if items else builder.at(node)
    return builder.add(ir.Sequence("tuple", tuple(items), at))


def slice_of(builder: Builder, node: cst.Slice) -> int:
    """Append `lower:upper:step`."""
    lower, upper, step = (
        ir.ABSENT if part is None else visit(builder, part) for part in (node.lower, node.upper, node.step)
    )
    return builder.add(ir.Slice(lower, upper, step, builder.at(node)))


def _element(builder: Builder, node: cst.BaseSlice) -> int:
    if isinstance(node, cst.Slice):
        return slice_of(builder, node)
    assert isinstance(node, cst.Index)
    value = visit(builder, node.value)
    if node.star:
        return builder.add(ir.Starred(value, builder.at(node.value)))
    return value


# --- operators -------------------------------------------------------------------------------------------------------


def _unary(builder: Builder, node: cst.UnaryOperation) -> int:
    value = visit(builder, node.expression)
    return builder.add(ir.Unary(UNARY[node.operator.__class__], value, builder.at(node)))


def _binary(builder: Builder, node: cst.BinaryOperation) -> int:
    chain = [node]
    left = node.left
    while left.__class__ is cst.BinaryOperation:
        chain.append(left)
        left = left.left
    index = visit(builder, left)
    for link in reversed(chain):
        right = visit(builder, link.right)
        index = builder.add(ir.Binary(BINARY[link.operator.__class__], index, right, builder.at(link)))
    return index


def _boolean(builder: Builder, node: cst.BooleanOperation) -> int:
    flow = builder.flow
    parts = operands(node)
    values = [visit(builder, parts[0])]
    exits = [flow.env]
    for part in parts[1:]:
        values.append(visit(builder, part))
        if flow.env is not exits[-1]:
            exits.append(flow.env)
    for env in exits[:-1]:
        flow.env = merged(env, flow.env)
    texts = tuple([builder.text(part) for part in parts])
    op: Literal["and", "or"] = "and" if node.operator.__class__ is cst.And else "or"
    return builder.add(ir.Bool(op, tuple(values), texts, builder.at(node)))


def _comparison(builder: Builder, node: cst.Comparison) -> int:
    left = visit(builder, node.left)
    rights = tuple([visit(builder, target.comparator) for target in node.comparisons])
    ops = tuple([COMPARE[target.operator.__class__] for target in node.comparisons])
    return builder.add(ir.Compare(left, ops, rights, builder.at(node)))


def _ternary(builder: Builder, node: cst.IfExp) -> int:
    flow = builder.flow
    test = visit(builder, node.test)
    before = flow.env
    body = visit(builder, node.body)
    after_body, flow.env = flow.env, before
    orelse = visit(builder, node.orelse)
    if after_body is not flow.env:
        flow.env = merged(after_body, flow.env)
    return builder.add(ir.Ternary(test, body, orelse, builder.text(node.test), builder.at(node)))


def _walrus(builder: Builder, node: cst.NamedExpr) -> int:
    value = visit(builder, node.value)
    name = name_of(node.target)
    builder.flow.bind_inside_expression(name, len(builder.flow.definitions))
    return builder.define(name, "walrus", builder.at(node.target), value)


def _await(builder: Builder, node: cst.Await) -> int:
    return builder.add(ir.Await(visit(builder, node.expression), builder.at(node)))


def _yield(builder: Builder, node: cst.Yield) -> int:
    builder.is_generator = True
    value = node.value
    if isinstance(value, cst.From):
        return builder.add(ir.YieldFrom(visit(builder, value.item), builder.at(node)))
    index = ir.ABSENT if value is None else visit(builder, value)
    return builder.add(ir.Yield(index, builder.at(node)))


# --- displays --------------------------------------------------------------------------------------------------------


def _tuple(builder: Builder, node: cst.Tuple) -> int:
    items = tuple([visit(builder, element) for element in node.elements])
    return builder.add(ir.Sequence("tuple", items, builder.at(node)))


def _list(builder: Builder, node: cst.List) -> int:
    items = tuple([visit(builder, element) for element in node.elements])
    return builder.add(ir.Sequence("list", items, builder.at(node)))


def _set(builder: Builder, node: cst.Set) -> int:
    items = tuple([visit(builder, element) for element in node.elements])
    return builder.add(ir.Sequence("set", items, builder.at(node)))


def _plain_element(builder: Builder, node: cst.Element) -> int:
    return visit(builder, node.value)


def _starred_element(builder: Builder, node: cst.StarredElement) -> int:
    value = visit(builder, node.value)
    return builder.add(ir.Starred(value, builder.at(node if id(node) in builder.places else node.value)))


def _dict(builder: Builder, node: cst.Dict) -> int:
    keys, values = [], []
    for element in node.elements:
        keys.append(visit(builder, element.key) if isinstance(element, cst.DictElement) else ir.ABSENT)
        values.append(visit(builder, element.value))
    return builder.add(ir.Dict(tuple(keys), tuple(values), builder.at(node)))


EXPRESSIONS.update(
    {
        cst.Name: _name,
        cst.Attribute: _attribute,
        cst.Call: call,
        cst.Subscript: _subscript,
        cst.UnaryOperation: _unary,
        cst.BinaryOperation: _binary,
        cst.BooleanOperation: _boolean,
        cst.Comparison: _comparison,
        cst.IfExp: _ternary,
        cst.NamedExpr: _walrus,
        cst.Await: _await,
        cst.Yield: _yield,
        cst.Tuple: _tuple,
        cst.List: _list,
        cst.Set: _set,
        cst.Element: _plain_element,
        cst.StarredElement: _starred_element,
        cst.Dict: _dict,
    }
)
