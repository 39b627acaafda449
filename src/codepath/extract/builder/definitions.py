"""Functions, lambdas and classes as expressions of the scope around them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codepath.extract.builder.annotations import annotation
from codepath.extract.builder.expressions import arguments
from codepath.extract.builder.state import EXPRESSIONS, STATEMENTS, Builder, visit
from codepath.model import ir


def _params(node: cst.Parameters) -> Iterator[tuple[str, cst.Param]]:
    """Yield the parameters with their forms, in source order."""
    for param in node.posonly_params:
        yield "positional", param
    for param in node.params:
        yield "normal", param
    if isinstance(node.star_arg, cst.Param):
        yield "star", node.star_arg
    for param in node.kwonly_params:
        yield "keyword", param
    if node.star_kwarg is not None:
        yield "double-star", node.star_kwarg


def _annotated(builder: Builder, params: cst.Parameters) -> list[int]:
    return [annotation(builder, param.annotation) for _, param in _params(params)]


def _defaulted(builder: Builder, params: cst.Parameters, annotations: list[int]) -> tuple[ir.Param, ...]:
    """Append the defaults and return the parameters."""
    found = []
    for (form, param), annotated in zip(_params(params), annotations, strict=True):
        default = ir.ABSENT if param.default is None else visit(builder, param.default)
        found.append(ir.Param(param.name.value, form, annotated, default, builder.at(param)))  # type: ignore[arg-type]
    return tuple(found)


def _decorated(builder: Builder, node: cst.FunctionDef | cst.ClassDef) -> tuple[int, ...]:
    return tuple([visit(builder, decorator.decorator) for decorator in node.decorators])


def _function(builder: Builder, node: cst.FunctionDef, out: list[ir.Region]) -> None:
    name = node.name.value
    builder.names.defined.add(name)
    annotations = _annotated(builder, node.params)
    returns = annotation(builder, node.returns)
    start = len(builder.exprs)
    decorators = _decorated(builder, node)
    params = _defaulted(builder, node.params, annotations)
    scope = builder.open_scope("function", name, node, params, returns, node.asynchronous is not None, bool(decorators))
    at = builder.at(node)
    value = builder.add(ir.Function(scope, decorators, at))
    builder.bind(name, "function", at, value)
    out.append(ir.Do(start, len(builder.exprs), at))


def _class(builder: Builder, node: cst.ClassDef, out: list[ir.Region]) -> None:
    name = node.name.value
    builder.names.defined.add(name)
    start = len(builder.exprs)
    decorators = _decorated(builder, node)
    bases = arguments(builder, (*node.bases, *node.keywords))
    scope = builder.open_scope("class", name, node, decorated=bool(decorators))
    at = builder.at(node)
    value = builder.add(ir.Class(scope, bases, decorators, at))
    builder.bind(name, "class", at, value)
    out.append(ir.Do(start, len(builder.exprs), at))


def _lambda(builder: Builder, node: cst.Lambda) -> int:
    params = _defaulted(builder, node.params, [ir.ABSENT] * sum(1 for _ in _params(node.params)))
    scope = builder.open_scope("lambda", "", node, params)
    return builder.add(ir.Lambda(scope, builder.at(node)))


EXPRESSIONS[cst.Lambda] = _lambda
STATEMENTS[cst.FunctionDef] = _function
STATEMENTS[cst.ClassDef] = _class
