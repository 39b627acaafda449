"""Comprehensions: loops inside an expression, whose targets are visible inside only."""

from __future__ import annotations

from typing import Any

import libcst as cst

from codepath.extract.builder.state import EXPRESSIONS, Builder, visit
from codepath.extract.builder.targets import store
from codepath.extract.flow import NOTHING, Env, union
from codepath.model import ir


def _comprehension(form: Any, node: Any, builder: Builder) -> int:
    flow = builder.flow
    first_use, first_definition = len(flow.uses), len(flow.definitions)
    iterable = visit(builder, node.for_in.iter)
    outer = flow.env
    # What is inside a comprehension does not see the names of a class body.
    flow.env = {} if builder.form == "class" and not builder.comprehensions else dict(outer)
    builder.comprehensions += 1
    clauses = _clauses(builder, node.for_in, iterable)
    element, value = _elements(builder, node)
    builder.comprehensions -= 1
    flow.env = outer
    _keep_walruses(builder, first_use, first_definition, outer)
    return builder.add(ir.Comp(form, element, value, clauses, builder.at(node), builder.end(node)))


def _clauses(builder: Builder, node: cst.CompFor | None, iterable: int) -> tuple[ir.Clause, ...]:
    clauses: list[ir.Clause] = []
    while node is not None:
        if clauses:
            iterable = visit(builder, node.iter)
        start = len(builder.exprs)
        is_async = node.asynchronous is not None
        how = (ir.ITERATE, ir.AWAITED) if is_async else (ir.ITERATE,)
        store(builder, node.target, "comprehension", iterable, how)
        conditions = tuple([visit(builder, condition.test) for condition in node.ifs])
        texts = tuple([builder.text(condition.test) for condition in node.ifs])
        clauses.append(
            ir.Clause(iterable, start, conditions, texts, for_text(builder, node), is_async, _keyword(builder, node))
        )
        node = node.inner_for_in
    return tuple(clauses)


def for_text(builder: Builder, node: cst.For | cst.CompFor) -> str:
    """Return `for target in iter` as written."""
    prefix = "async for" if node.asynchronous is not None else "for"
    return f"{prefix} {builder.text(node.target)} in {builder.text(node.iter)}"


def _keyword(builder: Builder, node: cst.CompFor) -> int:
    """Return the place of `for`: the last one before the target, which only brackets and white space can part from it."""
    place = builder.places[id(node.target)]
    lines = builder.file.lines.lines
    before = lines[place.lineno - 1][: place.col_offset]
    for line in range(place.lineno, max(place.lineno - 20, 0), -1):
        column = before.partition("#")[0].rfind("for") if line < place.lineno else before.rfind("for")
        if column >= 0:
            return line << 16 | column
        before = lines[line - 2]
    return place.lineno << 16 | place.col_offset


def _elements(builder: Builder, node: Any) -> tuple[int, int]:
    if node.__class__ is cst.DictComp:
        key = visit(builder, node.key)
        return key, visit(builder, node.value)
    if hasattr(node, "elt"):
        return visit(builder, node.elt), ir.ABSENT
    return ir.ABSENT, visit(builder, node.value)


def _keep_walruses(builder: Builder, first_use: int, first_definition: int, outer: Env) -> None:
    """Let what `:=` binds inside reach what follows, and what a later round reads."""
    flow = builder.flow
    numbers: dict[str, tuple[int, ...]] = {}
    for number in range(first_definition, len(flow.definitions)):
        definition = flow.definitions[number]
        if definition.form == "walrus":
            numbers[definition.id] = (*numbers.get(definition.id, ()), number)
    if not numbers:
        return
    flow.env = {**outer, **{name: union(outer.get(name, NOTHING), new) for name, new in numbers.items()}}
    for use in range(first_use, len(flow.uses)):
        new = numbers.get(flow.names[use])
        if new is not None:
            flow.uses[use] = union(flow.uses[use], new)


def _list(builder: Builder, node: cst.ListComp) -> int:
    return _comprehension("list", node, builder)


def _set(builder: Builder, node: cst.SetComp) -> int:
    return _comprehension("set", node, builder)


def _generator(builder: Builder, node: cst.GeneratorExp) -> int:
    return _comprehension("generator", node, builder)


def _dict(builder: Builder, node: Any) -> int:
    return _comprehension("dict", node, builder)


EXPRESSIONS.update({cst.ListComp: _list, cst.SetComp: _set, cst.GeneratorExp: _generator, cst.DictComp: _dict})
if hasattr(cst, "StarredDictComp"):
    EXPRESSIONS[cst.StarredDictComp] = _dict
