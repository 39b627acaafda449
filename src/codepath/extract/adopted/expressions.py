"""Expressions, parameters and arguments."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from codepath.errors import SourceError
from codepath.extract.adopted.nodes import COMMA, EXPRESSIONS, NAME, Adopted, expression, maker
from codepath.extract.libcst_parser import SHALLOW, attempt, tokens_inside

_ATTRIBUTE = maker(cst.Attribute, "value", "attr")
_CALL = maker(cst.Call, "func", "args")
_ARG = maker(cst.Arg, "value", "keyword", "star")
_SUBSCRIPT = maker(cst.Subscript, "value", "slice")
_ELEMENT = maker(cst.SubscriptElement, "slice", "comma")
_INDEX = maker(cst.Index, "value", "star")
_SLICE = maker(cst.Slice, "lower", "upper", "step")
_UNARY = maker(cst.UnaryOperation, "operator", "expression")
_BINARY = maker(cst.BinaryOperation, "left", "operator", "right")
_BOOLEAN = maker(cst.BooleanOperation, "left", "operator", "right", "lpar")
_COMPARISON = maker(cst.Comparison, "left", "comparisons")
_COMPARED = maker(cst.ComparisonTarget, "operator", "comparator")
_TERNARY = maker(cst.IfExp, "test", "body", "orelse")
_LAMBDA = maker(cst.Lambda, "params", "body")
_AWAIT = maker(cst.Await, "expression")
_YIELD = maker(cst.Yield, "value")
_FROM = maker(cst.From, "item")
_WALRUS = maker(cst.NamedExpr, "target", "value")
_TUPLE = maker(cst.Tuple, "elements", "lpar")
_LIST = maker(cst.List, "elements")
_SET = maker(cst.Set, "elements")
_ITEM = maker(cst.Element, "value")
_STARRED = maker(cst.StarredElement, "value")
_DICT = maker(cst.Dict, "elements")
_PAIR = maker(cst.DictElement, "key", "value")
_MERGED = maker(cst.StarredDictElement, "value")
_LIST_COMP = maker(cst.ListComp, "elt", "for_in")
_SET_COMP = maker(cst.SetComp, "elt", "for_in")
_GENERATOR = maker(cst.GeneratorExp, "elt", "for_in")
_DICT_COMP = maker(cst.DictComp, "key", "value", "for_in")
_COMP_FOR = maker(cst.CompFor, "target", "iter", "ifs", "inner_for_in", "asynchronous")
_COMP_IF = maker(cst.CompIf, "test")
_INTEGER = maker(cst.Integer, "value")
_FLOAT = maker(cst.Float, "value")
_IMAGINARY = maker(cst.Imaginary, "value")
_STRING = maker(cst.SimpleString, "value")
_ELLIPSIS = maker(cst.Ellipsis)
_PARAM = maker(cst.Param, "name", "annotation", "default")
_PARAMETERS = maker(cst.Parameters, "posonly_params", "params", "star_arg", "kwonly_params", "star_kwarg")
ANNOTATION = maker(cst.Annotation, "annotation")

OPERATORS: dict[type, str] = {
    ast.Add: "Add",
    ast.Sub: "Subtract",
    ast.Mult: "Multiply",
    ast.Div: "Divide",
    ast.FloorDiv: "FloorDivide",
    ast.Mod: "Modulo",
    ast.Pow: "Power",
    ast.MatMult: "MatrixMultiply",
    ast.LShift: "LeftShift",
    ast.RShift: "RightShift",
    ast.BitAnd: "BitAnd",
    ast.BitOr: "BitOr",
    ast.BitXor: "BitXor",
}
_OTHERS: dict[type, str] = {
    ast.Not: "Not",
    ast.USub: "Minus",
    ast.UAdd: "Plus",
    ast.Invert: "BitInvert",
    ast.And: "And",
    ast.Or: "Or",
    ast.Eq: "Equal",
    ast.NotEq: "NotEqual",
    ast.Lt: "LessThan",
    ast.LtE: "LessThanEqual",
    ast.Gt: "GreaterThan",
    ast.GtE: "GreaterThanEqual",
    ast.In: "In",
    ast.NotIn: "NotIn",
    ast.Is: "Is",
    ast.IsNot: "IsNot",
}
_OPERATOR = {kind: object.__new__(getattr(cst, name)) for kind, name in (OPERATORS | _OTHERS).items()}
_PARENTHESES = (object(),)


def _name(tree: Adopted, node: ast.Name) -> Any:
    return tree.placed(NAME(node.id), node)


def _attribute(tree: Adopted, node: ast.Attribute) -> Any:
    return tree.placed(_ATTRIBUTE(expression(tree, node.value), tree.named(node.attr)), node)


# --- calls -----------------------------------------------------------------------------------------------------------


def _call(tree: Adopted, node: ast.Call) -> Any:
    return tree.placed(_CALL(expression(tree, node.func), arguments(tree, node.args, node.keywords)), node)


def arguments(tree: Adopted, positional: list[Any], keywords: list[Any]) -> list[Any]:
    """Return the arguments of a call in source order; only `*a` after `k=v` breaks the usual one."""
    nodes = [*positional, *keywords]
    if keywords and any(node.__class__ is ast.Starred for node in positional):
        nodes.sort(key=_place_of_argument)
    return [_argument(tree, node) for node in nodes]


def _place_of_argument(node: Any) -> tuple[int, int]:
    placed = node.value if node.__class__ in (ast.keyword, ast.Starred) else node
    return placed.lineno, placed.col_offset


def _argument(tree: Adopted, node: Any) -> Any:
    if node.__class__ is ast.keyword:
        value = expression(tree, node.value)
        return _ARG(value, None, "**") if node.arg is None else _ARG(value, tree.named(node.arg), "")
    if node.__class__ is ast.Starred:
        return _ARG(expression(tree, node.value), None, "*")
    return _ARG(expression(tree, node), None, "")


def parameters(tree: Adopted, node: ast.arguments) -> Any:
    """Return the parameters of a function or lambda."""
    plain = [*node.posonlyargs, *node.args]
    defaults = [None] * (len(plain) - len(node.defaults)) + node.defaults
    made = [_param(tree, one, default) for one, default in zip(plain, defaults, strict=True)]
    split = len(node.posonlyargs)
    star = None if node.vararg is None else _param(tree, node.vararg, None)
    named = [_param(tree, one, default) for one, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)]
    rest = None if node.kwarg is None else _param(tree, node.kwarg, None)
    return _PARAMETERS(made[:split], made[split:], star, named, rest)


def _param(tree: Adopted, node: ast.arg, default: Any) -> Any:
    annotation = None if node.annotation is None else ANNOTATION(expression(tree, node.annotation))
    return tree.placed(_PARAM(tree.named(node.arg), annotation, expression(tree, default)), node)


def _lambda(tree: Adopted, node: ast.Lambda) -> Any:
    return tree.placed(_LAMBDA(parameters(tree, node.args), expression(tree, node.body)), node)


# --- subscripts ------------------------------------------------------------------------------------------------------


def _subscript(tree: Adopted, node: ast.Subscript) -> Any:
    inner: Any = node.slice
    if inner.__class__ is ast.Tuple and inner.elts:
        comma = COMMA if len(inner.elts) == 1 else None
        elements = [_ELEMENT(_index(tree, one), comma) for one in inner.elts]
    else:
        elements = [_ELEMENT(_index(tree, inner), None)]
    return tree.placed(_SUBSCRIPT(expression(tree, node.value), elements), node)


def _index(tree: Adopted, node: Any) -> Any:
    if node.__class__ is ast.Slice:
        parts = [expression(tree, part) for part in (node.lower, node.upper, node.step)]
        return tree.placed(_SLICE(*parts), node)
    if node.__class__ is ast.Starred:
        return _INDEX(expression(tree, node.value), "*")
    return _INDEX(expression(tree, node), None)


# --- operators -------------------------------------------------------------------------------------------------------


def _unary(tree: Adopted, node: ast.UnaryOp) -> Any:
    return tree.placed(_UNARY(_OPERATOR[node.op.__class__], expression(tree, node.operand)), node)


def _binary(tree: Adopted, node: ast.BinOp) -> Any:
    chain = [node]
    left: Any = node.left
    while left.__class__ is ast.BinOp:
        chain.append(left)
        left = left.left
    made = expression(tree, left)
    for link in reversed(chain):
        made = tree.placed(_BINARY(made, _OPERATOR[link.op.__class__], expression(tree, link.right)), link)
    return made


def _boolean(tree: Adopted, node: ast.BoolOp) -> Any:
    """Operands that are such operations themselves stand in parentheses, or `ast` had flattened them."""
    operator = _OPERATOR[node.op.__class__]
    made = expression(tree, node.values[0])
    if made.__class__ is cst.BooleanOperation:
        cst.BooleanOperation.lpar.__set__(made, _PARENTHESES)  # type: ignore[attr-defined]
    for value in node.values[1:]:
        made = _BOOLEAN(made, operator, expression(tree, value), ())
    return tree.placed(made, node)


def _comparison(tree: Adopted, node: ast.Compare) -> Any:
    left = expression(tree, node.left)
    pairs = zip(node.ops, node.comparators, strict=True)
    others = [_COMPARED(_OPERATOR[op.__class__], expression(tree, right)) for op, right in pairs]
    return tree.placed(_COMPARISON(left, others), node)


def _ternary(tree: Adopted, node: ast.IfExp) -> Any:
    test, body = expression(tree, node.test), expression(tree, node.body)
    return tree.placed(_TERNARY(test, body, expression(tree, node.orelse)), node)


def _walrus(tree: Adopted, node: ast.NamedExpr) -> Any:
    return tree.placed(_WALRUS(expression(tree, node.target), expression(tree, node.value)), node)


def _await(tree: Adopted, node: ast.Await) -> Any:
    return tree.placed(_AWAIT(expression(tree, node.value)), node)


def _yield(tree: Adopted, node: ast.Yield) -> Any:
    return tree.placed(_YIELD(expression(tree, node.value)), node)


def _yield_from(tree: Adopted, node: ast.YieldFrom) -> Any:
    return tree.placed(_YIELD(_FROM(expression(tree, node.value))), node)


# --- displays --------------------------------------------------------------------------------------------------------


def _items(tree: Adopted, nodes: list[Any]) -> list[Any]:
    made = [expression(tree, node) for node in nodes]
    return [one if one.__class__ is cst.StarredElement else _ITEM(one) for one in made]


def _starred(tree: Adopted, node: ast.Starred) -> Any:
    return tree.placed(_STARRED(expression(tree, node.value)), node)


def _tuple(tree: Adopted, node: ast.Tuple) -> Any:
    return tree.placed(_TUPLE(_items(tree, node.elts), ()), node)


def bare_tuple(tree: Adopted, nodes: list[Any]) -> Any:
    """Return a tuple that has no node of its own in `ast`."""
    return _TUPLE(_items(tree, nodes), ())


def _list(tree: Adopted, node: ast.List) -> Any:
    return tree.placed(_LIST(_items(tree, node.elts)), node)


def _set(tree: Adopted, node: ast.Set) -> Any:
    return tree.placed(_SET(_items(tree, node.elts)), node)


def _dict(tree: Adopted, node: ast.Dict) -> Any:
    pairs = []
    for key, value in zip(node.keys, node.values, strict=True):
        held = expression(tree, value)
        pairs.append(_MERGED(held) if key is None else _PAIR(expression(tree, key), held))
    return tree.placed(_DICT(pairs), node)


def _clauses(tree: Adopted, nodes: list[ast.comprehension]) -> Any:
    inner = None
    for node in reversed(nodes):
        conditions = [_COMP_IF(expression(tree, test)) for test in node.ifs]
        target, iterable = expression(tree, node.target), expression(tree, node.iter)
        inner = _COMP_FOR(target, iterable, conditions, inner, COMMA if node.is_async else None)
    return inner


def _list_comp(tree: Adopted, node: ast.ListComp) -> Any:
    return tree.placed(_LIST_COMP(expression(tree, node.elt), _clauses(tree, node.generators)), node)


def _set_comp(tree: Adopted, node: ast.SetComp) -> Any:
    return tree.placed(_SET_COMP(expression(tree, node.elt), _clauses(tree, node.generators)), node)


def _generator(tree: Adopted, node: ast.GeneratorExp) -> Any:
    return tree.placed(_GENERATOR(expression(tree, node.elt), _clauses(tree, node.generators)), node)


def _dict_comp(tree: Adopted, node: ast.DictComp) -> Any:
    key, value = expression(tree, node.key), expression(tree, node.value)
    return tree.placed(_DICT_COMP(key, value, _clauses(tree, node.generators)), node)


# --- constants -------------------------------------------------------------------------------------------------------


def _constant(tree: Adopted, node: ast.Constant) -> Any:
    return tree.placed(_CONSTANTS[node.value.__class__](tree, node), node)


def _integer(tree: Adopted, node: Any) -> Any:
    return _INTEGER(tree.source(node) if node.value.bit_length() > 63 else "")


_CONSTANTS: dict[type, Any] = {
    str: lambda tree, node: _STRING('""'),
    bytes: lambda tree, node: _STRING('b""'),
    int: _integer,
    float: lambda tree, node: _FLOAT(""),
    complex: lambda tree, node: _IMAGINARY(""),
    bool: lambda tree, node: NAME(str(node.value)),
    type(None): lambda tree, node: NAME("None"),
    type(...): lambda tree, node: _ELLIPSIS(),
}


def _formatted(tree: Adopted, node: Any) -> Any:
    """Parse an f-string with libcst. Raises `RecursionError` where it may nest too deeply for that."""
    source = tree.source(node)
    if len(source) > SHALLOW and tokens_inside(source) > tree.depth:
        raise RecursionError
    made = attempt(cst.parse_expression, f"({source})")
    if made is None:
        message = "libcst does not read this f-string"
        raise SourceError(message, path=tree.path, line=node.lineno, column=node.col_offset)
    return tree.placed(made, node)


EXPRESSIONS.update(
    {
        ast.Name: _name,
        ast.Attribute: _attribute,
        ast.Call: _call,
        ast.Lambda: _lambda,
        ast.Subscript: _subscript,
        ast.UnaryOp: _unary,
        ast.BinOp: _binary,
        ast.BoolOp: _boolean,
        ast.Compare: _comparison,
        ast.IfExp: _ternary,
        ast.NamedExpr: _walrus,
        ast.Await: _await,
        ast.Yield: _yield,
        ast.YieldFrom: _yield_from,
        ast.Starred: _starred,
        ast.Tuple: _tuple,
        ast.List: _list,
        ast.Set: _set,
        ast.Dict: _dict,
        ast.ListComp: _list_comp,
        ast.SetComp: _set_comp,
        ast.GeneratorExp: _generator,
        ast.DictComp: _dict_comp,
        ast.Constant: _constant,
        ast.JoinedStr: _formatted,
    }
)
if hasattr(ast, "TemplateStr"):
    EXPRESSIONS[ast.TemplateStr] = _formatted
