"""Simple statements."""

from __future__ import annotations

from typing import Any

import libcst as cst

from codepath.extract.builder.annotations import annotation
from codepath.extract.builder.expressions import BINARY, index_of, name_of
from codepath.extract.builder.state import STATEMENTS, Builder, visit
from codepath.extract.builder.targets import remove, store, store_attribute, store_item
from codepath.model import ir

_AUGMENTED = {getattr(cst, f"{kind.__name__}Assign"): f"{op}=" for kind, op in BINARY.items()}


def _do(builder: Builder, node: Any, start: int, out: list[ir.Region]) -> None:
    out.append(ir.Do(start, len(builder.exprs), builder.at(node)))


def _expression(builder: Builder, node: cst.Expr, out: list[ir.Region]) -> None:
    start = len(builder.exprs)
    visit(builder, node.value)
    _do(builder, node, start, out)


def _assign(builder: Builder, node: cst.Assign, out: list[ir.Region]) -> None:
    start = len(builder.exprs)
    value = visit(builder, node.value)
    for target in node.targets:
        store(builder, target.target, "assign", value)
    _do(builder, node, start, out)


def _annotated(builder: Builder, node: cst.AnnAssign, out: list[ir.Region]) -> None:
    annotated = annotation(builder, node.annotation)
    start = len(builder.exprs)
    target = node.target
    if node.value is not None:
        value = visit(builder, node.value)
        store(builder, target, "assign", value, (), annotated)
    elif isinstance(target, cst.Name):
        builder.define(target.value, "annotation", builder.at(target), ir.ABSENT, (), annotated)
    elif isinstance(target, cst.Attribute):
        store(builder, target, "annotation", ir.ABSENT, (), annotated)
    else:
        visit(builder, target)
    _do(builder, node, start, out)


def _augmented(builder: Builder, node: cst.AugAssign, out: list[ir.Region]) -> None:
    start = len(builder.exprs)
    target = node.target
    at = builder.at(target)
    owner = index = ir.ABSENT
    if isinstance(target, cst.Attribute):
        owner = visit(builder, target.value)
        builder.names.referenced.add(target.attr.value)
        old = builder.add(ir.Attr(owner, target.attr.value, at, builder.end(target)))
    elif isinstance(target, cst.Subscript):
        owner = visit(builder, target.value)
        index = index_of(builder, target)
        old = builder.add(ir.Subscript(owner, index, at, builder.end(target)))
    else:
        old = visit(builder, target)
    value = visit(builder, node.value)
    value = builder.add(ir.Binary(_AUGMENTED[node.operator.__class__], old, value, builder.at(node)))
    if isinstance(target, cst.Attribute):
        store_attribute(builder, target, owner, value)
    elif isinstance(target, cst.Subscript):
        store_item(builder, target, owner, index, value)
    else:
        store(builder, target, "augment", value)
    _do(builder, node, start, out)


def _return(builder: Builder, node: cst.Return, out: list[ir.Region]) -> None:
    start = len(builder.exprs)
    value = ir.ABSENT if node.value is None else visit(builder, node.value)
    out.append(ir.Return(start, len(builder.exprs), value, builder.at(node)))
    builder.flow.kill()


def _raise(builder: Builder, node: cst.Raise, out: list[ir.Region]) -> None:
    start = len(builder.exprs)
    exc = ir.ABSENT if node.exc is None else visit(builder, node.exc)
    cause = ir.ABSENT if node.cause is None else visit(builder, node.cause.item)
    out.append(ir.Raise(start, len(builder.exprs), exc, cause, builder.at(node)))
    builder.flow.kill()


def _assert(builder: Builder, node: cst.Assert, out: list[ir.Region]) -> None:
    start = len(builder.exprs)
    test = visit(builder, node.test)
    passed = builder.flow.env
    message = ir.ABSENT if node.msg is None else visit(builder, node.msg)
    builder.flow.env = passed
    text = builder.text(node.test)
    out.append(ir.Assert(start, len(builder.exprs), test, message, text, builder.at(node)))


def _break(builder: Builder, node: cst.Break, out: list[ir.Region]) -> None:
    out.append(ir.Jump("break", builder.at(node)))
    builder.flow.jump("break")


def _continue(builder: Builder, node: cst.Continue, out: list[ir.Region]) -> None:
    out.append(ir.Jump("continue", builder.at(node)))
    builder.flow.jump("continue")


def _delete(builder: Builder, node: cst.Del, out: list[ir.Region]) -> None:
    start = len(builder.exprs)
    remove(builder, node.target)
    _do(builder, node, start, out)


def _global(builder: Builder, node: cst.Global, out: list[ir.Region]) -> None:
    builder.globals += [item.name.value for item in node.names]


def _nonlocal(builder: Builder, node: cst.Nonlocal, out: list[ir.Region]) -> None:
    builder.nonlocals += [item.name.value for item in node.names]


def _pass(builder: Builder, node: cst.Pass, out: list[ir.Region]) -> None:
    return


def _type_alias(builder: Builder, node: cst.TypeAlias, out: list[ir.Region]) -> None:
    """The value is evaluated when it is asked for: it stands in no range, as an annotation does."""
    value = annotation(builder, cst.Annotation(node.value))
    start = len(builder.exprs)
    builder.bind(node.name.value, "assign", builder.at(node.name), value)
    _do(builder, node, start, out)


# --- imports ---------------------------------------------------------------------------------------------------------


def _dotted(node: Any) -> str:
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    return ".".join((node.value, *reversed(parts)))


def _import(builder: Builder, node: Any, out: list[ir.Region]) -> None:
    start = len(builder.exprs)
    for alias in node.names:
        module, at = _dotted(alias.name), builder.at(alias)
        name = bound = module.partition(".")[0]
        if alias.asname is not None:
            name, bound = name_of(alias.asname.name), module
        index = builder.add(ir.Import(module, bound, at))
        builder.bind(name, "import", at, index)
    _do(builder, node, start, out)


def _import_from(builder: Builder, node: Any, out: list[ir.Region]) -> None:
    start = len(builder.exprs)
    module = "" if node.module is None else _dotted(node.module)
    level = len(node.relative)
    if isinstance(node.names, cst.ImportStar):
        builder.add(ir.ImportFrom(module, level, "*", builder.at(node.names)))
    else:
        for alias in node.names:
            name, at = name_of(alias.name), builder.at(alias)
            index = builder.add(ir.ImportFrom(module, level, name, at))
            builder.bind(name if alias.asname is None else name_of(alias.asname.name), "import", at, index)
    _do(builder, node, start, out)


STATEMENTS.update(
    {
        cst.Expr: _expression,
        cst.Assign: _assign,
        cst.AnnAssign: _annotated,
        cst.AugAssign: _augmented,
        cst.Return: _return,
        cst.Raise: _raise,
        cst.Assert: _assert,
        cst.Break: _break,
        cst.Continue: _continue,
        cst.Del: _delete,
        cst.Global: _global,
        cst.Nonlocal: _nonlocal,
        cst.Pass: _pass,
        cst.TypeAlias: _type_alias,
        cst.Import: _import,
        cst.ImportFrom: _import_from,
    }
)
if hasattr(cst, "LazyImport"):
    STATEMENTS[cst.LazyImport] = _import
    STATEMENTS[cst.LazyImportFrom] = _import_from
