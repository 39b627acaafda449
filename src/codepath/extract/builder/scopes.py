"""Builds the scopes of a file, parents before children."""

from __future__ import annotations

from typing import Any

import libcst as cst

from codepath.extract.builder.compound import statements, width
from codepath.extract.builder.state import Builder, File, Pending, visit
from codepath.extract.flow import NOTHING, Flow
from codepath.model import ir


def build(file: File, module: cst.Module, end: int) -> tuple[tuple[ir.Head, ...], tuple[ir.Scope, ...]]:
    """Return the heads and scopes of a module that ends at the packed place `end`."""
    pending = file.pending
    pending.append(Pending(0, ir.ABSENT, "module", "", module, (), ir.ABSENT, False, False, ir.pack(1, 0), end))
    scopes: list[ir.Scope] = []
    for scope in pending:  # grows while scopes are built
        first = len(pending)
        scopes.append(_scope(file, scope))
        _name(scope, pending[first:])
    heads = tuple(
        ir.Head(scope.form, scope.id, scope.qualname, scope.parent, scope.decorated, scope.at, scope.end)  # type: ignore[arg-type]
        for scope in pending
    )
    return heads, tuple(scopes)


def _name(parent: Pending, children: list[Pending]) -> None:
    """Give the scopes inside one their qualified names; lambdas are numbered in source order."""
    lambdas = [scope for scope in children if scope.form == "lambda"]
    for number, scope in enumerate(sorted(lambdas, key=lambda scope: scope.at), start=1):
        scope.id = f"<lambda{number}>"
    for scope in children:
        scope.qualname = f"{parent.qualname}.{scope.id}" if parent.qualname else scope.id


def _scope(file: File, pending: Pending) -> ir.Scope:
    builder = Builder(file, pending.index, pending.form, pending.indent)
    flow = builder.flow
    for number, param in enumerate(pending.params):
        flow.definitions.append(ir.Definition(param.id, "param", ir.ABSENT, param.at))
        flow.env[param.id] = (number,)
    body = _body(builder, pending)
    return ir.Scope(
        form=pending.form,  # type: ignore[arg-type]
        id=pending.id,
        params=pending.params,
        returns=pending.returns,
        is_async=pending.is_async,
        is_generator=builder.is_generator,
        ends=flow.live,
        globals=tuple(builder.globals),
        nonlocals=tuple(builder.nonlocals),
        exprs=tuple(builder.exprs),
        body=body,
        definitions=tuple(flow.definitions),
        uses=_uses(builder),
        exports=_exports(builder),
    )


def _body(builder: Builder, pending: Pending) -> tuple[ir.Region, ...]:
    node = pending.node
    if pending.form == "lambda":
        value = visit(builder, node.body)
        builder.flow.kill()
        return (ir.Return(0, value + 1, value, pending.at),)
    block = node if pending.form == "module" else node.body
    if block.__class__ is cst.IndentedBlock:
        builder.indent += width(builder, block.indent)
    return statements(builder, _without_docstring(block.body))


def _without_docstring(nodes: Any) -> Any:
    if not nodes:
        return nodes
    first = nodes[0]
    small = first.body[0] if isinstance(first, cst.SimpleStatementLine) else first
    if not isinstance(small, cst.Expr) or not _is_plain_string(small.value):
        return nodes
    if isinstance(first, cst.SimpleStatementLine):
        return [*first.body[1:], *nodes[1:]]
    return nodes[1:]


def _is_plain_string(node: Any) -> bool:
    while isinstance(node, cst.ConcatenatedString):
        if not _is_plain_string(node.left):
            return False
        node = node.right
    return isinstance(node, cst.SimpleString) and "b" not in node.prefix


def _outside(builder: Builder) -> frozenset[str]:
    """Return the names that this scope declares to live elsewhere; a module's own `global` changes nothing."""
    return frozenset() if builder.form == "module" else frozenset((*builder.globals, *builder.nonlocals))


def _uses(builder: Builder) -> tuple[tuple[int, ...], ...]:
    flow: Flow = builder.flow
    outside = _outside(builder)
    local = {definition.id for definition in flow.definitions if definition.form != "comprehension"}
    local.update(flow.removals)
    local -= outside
    found: list[tuple[int, ...]] = []
    for name, reaching in zip(flow.names, flow.uses, strict=True):
        if name not in local and (name in outside or reaching == NOTHING):
            found.append(())
        else:
            found.append(reaching)
    return tuple(found)


def _exports(builder: Builder) -> tuple[tuple[str, tuple[int, ...]], ...]:
    if builder.form not in ("module", "class"):
        return ()
    outside = _outside(builder)
    return tuple(sorted((name, reaching) for name, reaching in builder.flow.env.items() if name not in outside))
