"""Statements."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from codepath.extract.adopted.expressions import ANNOTATION, OPERATORS, arguments, bare_tuple, parameters
from codepath.extract.adopted.nodes import COMMA, STATEMENTS, Adopted, block, expression, maker

_FUNCTION = maker(cst.FunctionDef, "name", "params", "returns", "decorators", "asynchronous", "body")
_CLASS = maker(cst.ClassDef, "name", "decorators", "bases", "keywords", "body")
_DECORATOR = maker(cst.Decorator, "decorator")
_IF = maker(cst.If, "test", "body", "orelse")
_ELSE = maker(cst.Else, "body")
_FOR = maker(cst.For, "target", "iter", "body", "orelse", "asynchronous")
_WHILE = maker(cst.While, "test", "body", "orelse")
_WITH = maker(cst.With, "items", "body", "asynchronous")
_ITEM = maker(cst.WithItem, "item", "asname")
_AS_NAME = maker(cst.AsName, "name")
_TRY = maker(cst.Try, "body", "handlers", "orelse", "finalbody")
_TRY_STAR = maker(cst.TryStar, "body", "handlers", "orelse", "finalbody")
_HANDLER = maker(cst.ExceptHandler, "type", "name", "body")
_STAR_HANDLER = maker(cst.ExceptStarHandler, "type", "name", "body")
_FINALLY = maker(cst.Finally, "body")
_EXPR = maker(cst.Expr, "value")
_ASSIGN = maker(cst.Assign, "targets", "value")
_TARGET = maker(cst.AssignTarget, "target")
_ANN_ASSIGN = maker(cst.AnnAssign, "target", "annotation", "value")
_AUG_ASSIGN = maker(cst.AugAssign, "target", "operator", "value")
_RETURN = maker(cst.Return, "value")
_RAISE = maker(cst.Raise, "exc", "cause")
_FROM = maker(cst.From, "item")
_ASSERT = maker(cst.Assert, "test", "msg")
_DEL = maker(cst.Del, "target")
_GLOBAL = maker(cst.Global, "names")
_NONLOCAL = maker(cst.Nonlocal, "names")
_NAME_ITEM = maker(cst.NameItem, "name")
_IMPORT = maker(cst.Import, "names")
_IMPORT_FROM = maker(cst.ImportFrom, "module", "names", "relative")
_ALIAS = maker(cst.ImportAlias, "name", "asname")
_STAR = maker(cst.ImportStar)
_TYPE_ALIAS = maker(cst.TypeAlias, "name", "value")
_AUGMENTED = {kind: object.__new__(getattr(cst, f"{name}Assign")) for kind, name in OPERATORS.items()}
_SIMPLE = {ast.Break: maker(cst.Break), ast.Continue: maker(cst.Continue), ast.Pass: maker(cst.Pass)}


def _else(tree: Adopted, nodes: list[Any]) -> Any:
    return _ELSE(block(tree, nodes)) if nodes else None


# --- definitions -----------------------------------------------------------------------------------------------------


def _decorators(tree: Adopted, node: Any) -> list[Any]:
    return [_DECORATOR(expression(tree, one)) for one in node.decorator_list]


def _function(tree: Adopted, node: Any) -> Any:
    decorators = _decorators(tree, node)
    params = parameters(tree, node.args)
    returns = None if node.returns is None else ANNOTATION(expression(tree, node.returns))
    is_async = COMMA if node.__class__ is ast.AsyncFunctionDef else None
    body = block(tree, node.body)
    return tree.placed(_FUNCTION(tree.named(node.name), params, returns, decorators, is_async, body), node)


def _class(tree: Adopted, node: ast.ClassDef) -> Any:
    bases, keywords = arguments(tree, node.bases, []), arguments(tree, [], node.keywords)
    body = block(tree, node.body)
    return tree.placed(_CLASS(tree.named(node.name), _decorators(tree, node), bases, keywords, body), node)


# --- blocks ----------------------------------------------------------------------------------------------------------


def _if(tree: Adopted, node: ast.If) -> Any:
    """A whole chain of `elif` without recursion."""
    chain = [node]
    while len(node.orelse) == 1 and _is_elif(tree, node.orelse[0]):
        node = node.orelse[0]  # type: ignore[assignment]
        chain.append(node)
    made = _else(tree, node.orelse)
    for link in reversed(chain):
        made = tree.placed(_IF(expression(tree, link.test), block(tree, link.body), made), link)
    return made


def _is_elif(tree: Adopted, node: Any) -> bool:
    return node.__class__ is ast.If and tree.lines[node.lineno - 1].startswith("elif", node.col_offset)


def _for(tree: Adopted, node: Any) -> Any:
    target, iterable = expression(tree, node.target), expression(tree, node.iter)
    is_async = COMMA if node.__class__ is ast.AsyncFor else None
    made = _FOR(target, iterable, block(tree, node.body), _else(tree, node.orelse), is_async)
    return tree.placed(made, node)


def _while(tree: Adopted, node: ast.While) -> Any:
    test, body = expression(tree, node.test), block(tree, node.body)
    return tree.placed(_WHILE(test, body, _else(tree, node.orelse)), node)


def _with(tree: Adopted, node: Any) -> Any:
    items = []
    for item in node.items:
        name = None if item.optional_vars is None else _AS_NAME(expression(tree, item.optional_vars))
        items.append(_ITEM(expression(tree, item.context_expr), name))
    is_async = COMMA if node.__class__ is ast.AsyncWith else None
    return tree.placed(_WITH(items, block(tree, node.body), is_async), node)


def _try(tree: Adopted, node: Any) -> Any:
    is_plain = node.__class__ is ast.Try
    body = block(tree, node.body)
    handlers = [_handler(tree, one, is_plain) for one in node.handlers]
    final = _FINALLY(block(tree, node.finalbody)) if node.finalbody else None
    made = (_TRY if is_plain else _TRY_STAR)(body, handlers, _else(tree, node.orelse), final)
    return tree.placed(made, node)


def _handler(tree: Adopted, node: ast.ExceptHandler, is_plain: bool) -> Any:
    name = None if node.name is None else _AS_NAME(tree.named(node.name))
    made = (_HANDLER if is_plain else _STAR_HANDLER)(expression(tree, node.type), name, block(tree, node.body))
    return tree.placed(made, node)


# --- simple statements -----------------------------------------------------------------------------------------------


def _expr(tree: Adopted, node: ast.Expr) -> Any:
    return tree.placed(_EXPR(expression(tree, node.value)), node)


def _assign(tree: Adopted, node: ast.Assign) -> Any:
    targets = [_TARGET(expression(tree, target)) for target in node.targets]
    return tree.placed(_ASSIGN(targets, expression(tree, node.value)), node)


def _ann_assign(tree: Adopted, node: ast.AnnAssign) -> Any:
    target, annotation = expression(tree, node.target), ANNOTATION(expression(tree, node.annotation))
    return tree.placed(_ANN_ASSIGN(target, annotation, expression(tree, node.value)), node)


def _aug_assign(tree: Adopted, node: ast.AugAssign) -> Any:
    target, value = expression(tree, node.target), expression(tree, node.value)
    return tree.placed(_AUG_ASSIGN(target, _AUGMENTED[node.op.__class__], value), node)


def _return(tree: Adopted, node: ast.Return) -> Any:
    return tree.placed(_RETURN(expression(tree, node.value)), node)


def _raise(tree: Adopted, node: ast.Raise) -> Any:
    cause = None if node.cause is None else _FROM(expression(tree, node.cause))
    return tree.placed(_RAISE(expression(tree, node.exc), cause), node)


def _assert(tree: Adopted, node: ast.Assert) -> Any:
    return tree.placed(_ASSERT(expression(tree, node.test), expression(tree, node.msg)), node)


def _delete(tree: Adopted, node: ast.Delete) -> Any:
    several = len(node.targets) > 1
    target = bare_tuple(tree, node.targets) if several else expression(tree, node.targets[0])
    return tree.placed(_DEL(target), node)


def _simple(tree: Adopted, node: Any) -> Any:
    return tree.placed(_SIMPLE[node.__class__](), node)


def _names(tree: Adopted, node: Any) -> list[Any]:
    return [_NAME_ITEM(tree.named(name)) for name in node.names]


def _global(tree: Adopted, node: ast.Global) -> Any:
    return _GLOBAL(_names(tree, node))


def _nonlocal(tree: Adopted, node: ast.Nonlocal) -> Any:
    return _NONLOCAL(_names(tree, node))


def _alias(tree: Adopted, node: ast.alias) -> Any:
    name = None if node.asname is None else _AS_NAME(tree.named(node.asname))
    return tree.placed(_ALIAS(tree.named(node.name), name), node)


def _import(tree: Adopted, node: ast.Import) -> Any:
    return tree.placed(_IMPORT([_alias(tree, one) for one in node.names]), node)


def _import_from(tree: Adopted, node: ast.ImportFrom) -> Any:
    module = None if node.module is None else tree.named(node.module)
    first = node.names[0]
    names = tree.placed(_STAR(), first) if first.name == "*" else [_alias(tree, one) for one in node.names]
    return tree.placed(_IMPORT_FROM(module, names, (COMMA,) * node.level), node)


def _type_alias(tree: Adopted, node: Any) -> Any:
    return tree.placed(_TYPE_ALIAS(expression(tree, node.name), expression(tree, node.value)), node)


STATEMENTS.update(
    {
        ast.FunctionDef: _function,
        ast.AsyncFunctionDef: _function,
        ast.ClassDef: _class,
        ast.If: _if,
        ast.For: _for,
        ast.AsyncFor: _for,
        ast.While: _while,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.Try: _try,
        ast.Expr: _expr,
        ast.Assign: _assign,
        ast.AnnAssign: _ann_assign,
        ast.AugAssign: _aug_assign,
        ast.Return: _return,
        ast.Raise: _raise,
        ast.Assert: _assert,
        ast.Delete: _delete,
        ast.Break: _simple,
        ast.Continue: _simple,
        ast.Pass: _simple,
        ast.Global: _global,
        ast.Nonlocal: _nonlocal,
        ast.Import: _import,
        ast.ImportFrom: _import_from,
    }
)
for _kind, _adopt in (("TryStar", _try), ("TypeAlias", _type_alias)):
    if hasattr(ast, _kind):
        STATEMENTS[getattr(ast, _kind)] = _adopt
