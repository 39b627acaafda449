"""Statements with blocks: `if`, loops, `with`, `try`."""

from __future__ import annotations

from typing import Any

import libcst as cst

from codepath.extract.builder.comprehensions import for_text
from codepath.extract.builder.expressions import name_of
from codepath.extract.builder.state import STATEMENTS, Builder, visit
from codepath.extract.builder.targets import store
from codepath.extract.flow import Env
from codepath.model import ir

_DEEPEST = 100  # blocks in blocks, as CPython's tokenizer
_LONGEST_CHAIN = 100  # `elif`s nest in the IR, and decoding recurses


def block(builder: Builder, node: Any) -> tuple[ir.Region, ...]:
    """Visit an indented block or the statements behind a colon; return their regions."""
    outer = builder.indent
    if node.__class__ is cst.IndentedBlock:
        builder.indent += width(builder, node.indent)
    regions = statements(builder, node.body)
    builder.indent = outer
    return regions


def width(builder: Builder, indent: str | None) -> int:
    """Return how many columns a block is indented by, from its own field."""
    return builder.file.indent if indent is None else len(indent)


def statements(builder: Builder, nodes: Any) -> tuple[ir.Region, ...]:
    """Visit statements in order and return their regions. Raises `RecursionError` where blocks nest too deeply."""
    builder.blocks += 1
    if builder.blocks > _DEEPEST:
        raise RecursionError
    out: list[ir.Region] = []
    run = STATEMENTS
    for node in nodes:
        if node.__class__ is cst.SimpleStatementLine:
            for small in node.body:
                run[small.__class__](builder, small, out)
        else:
            run[node.__class__](builder, node, out)
    builder.blocks -= 1
    return tuple(out)


# --- if --------------------------------------------------------------------------------------------------------------


def _if(builder: Builder, node: Any, out: list[ir.Region]) -> None:
    """Visit a whole chain of `elif` without recursion."""
    flow = builder.flow
    arms: list[tuple[int, int, int, str, tuple[ir.Region, ...], int]] = []
    ends: list[Env | None] = []
    while node.__class__ is cst.If:
        start = len(builder.exprs)
        test = visit(builder, node.test)
        stop = len(builder.exprs)
        other = flow.fork()
        body = block(builder, node.body)
        arms.append((start, stop, test, builder.text(node.test), body, builder.at(node)))
        ends.append(flow.take())
        flow.resume(other)
        node = node.orelse
    orelse = () if node is None else block(builder, node.body)
    flow.join(ends)
    if len(arms) > _LONGEST_CHAIN:
        out.append(_long_chain(builder, arms, orelse))
        return
    for start, stop, test, text, body, at in reversed(arms):
        orelse = (ir.If(start, stop, test, text, body, orelse, at),)
    out += orelse


def _long_chain(builder: Builder, arms: list[Any], orelse: tuple[ir.Region, ...]) -> ir.Match:
    """Return a very long chain as `match None: case _ if test: ... case _: orelse`, which does not nest."""
    at = arms[0][5]
    subject = builder.add(ir.Const(None, "", at))
    cases = [
        ir.Case(start, stop, test, (), (), True, f"_ if {text}", body, at) for start, stop, test, text, body, at in arms
    ]
    if orelse:
        cases.append(ir.Case(subject, subject, ir.ABSENT, (), (), True, "_", orelse, at))
    return ir.Match(subject, subject + 1, subject, "None", tuple(cases), at)


# --- loops -----------------------------------------------------------------------------------------------------------


def _for(builder: Builder, node: cst.For, out: list[ir.Region]) -> None:
    flow = builder.flow
    is_async = node.asynchronous is not None
    start = len(builder.exprs)
    iterable = visit(builder, node.iter)
    stop = len(builder.exprs)
    exit = flow.fork()
    flow.enter_loop()
    store(builder, node.target, "for", iterable, (ir.ITERATE, ir.AWAITED) if is_async else (ir.ITERATE,))
    bound = len(builder.exprs)
    body = block(builder, node.body)
    orelse = _leave_loop(builder, exit, node.orelse)
    text = for_text(builder, node)
    out.append(ir.For(start, stop, bound, iterable, text, body, orelse, is_async, builder.at(node)))


def _while(builder: Builder, node: cst.While, out: list[ir.Region]) -> None:
    flow = builder.flow
    flow.enter_loop()
    start = len(builder.exprs)
    test = visit(builder, node.test)
    stop = len(builder.exprs)
    exit = None if _always(builder.exprs[test]) else flow.fork()
    body = block(builder, node.body)
    orelse = _leave_loop(builder, exit, node.orelse)
    out.append(ir.While(start, stop, test, builder.text(node.test), body, orelse, builder.at(node)))


def _always(test: ir.Expr) -> bool:
    return isinstance(test, ir.Const) and not test.form and bool(test.value)


def _leave_loop(builder: Builder, exit: Env | None, orelse: cst.Else | None) -> tuple[ir.Region, ...]:
    """Close a loop whose body was visited, visit its `else`, and go on behind it."""
    flow = builder.flow
    loop = flow.close_round(exit)
    flow.resume(exit)
    regions = () if orelse is None else block(builder, orelse.body)
    flow.join(loop.breaks)
    return regions


# --- with ------------------------------------------------------------------------------------------------------------


def _with(builder: Builder, node: cst.With, out: list[ir.Region]) -> None:
    is_async = node.asynchronous is not None
    how = (ir.ENTER, ir.AWAITED) if is_async else (ir.ENTER,)
    start = len(builder.exprs)
    contexts, texts = [], []
    for item in node.items:
        context = visit(builder, item.item)
        contexts.append(context)
        text = builder.text(item.item)
        if item.asname is not None:
            store(builder, item.asname.name, "with", context, how)
            text = f"{text} as {builder.text(item.asname.name)}"
        texts.append(text)
    stop = len(builder.exprs)
    text = ("async with " if is_async else "with ") + ", ".join(texts)
    body = block(builder, node.body)
    out.append(ir.With(start, stop, tuple(contexts), text, body, is_async, builder.at(node)))


# --- try -------------------------------------------------------------------------------------------------------------


def _try(builder: Builder, node: Any, out: list[ir.Region]) -> None:
    flow = builder.flow
    outer = flow.mark()
    # With a `finally`, jumps out of the statement run it first: they are caught here and sent on behind it.
    held = [(len(loop.breaks), len(loop.continues)) for loop in flow.loops]
    body = block(builder, node.body)
    raised = flow.anywhere_since(outer)
    done = flow.take()
    ends: list[Env | None] = []
    handlers = []
    for handler in node.handlers:
        flow.resume(None if raised is None else dict(raised))
        handlers.append(_handler(builder, handler))
        ends.append(flow.take())
    flow.resume(done)
    orelse = () if node.orelse is None else block(builder, node.orelse.body)
    flow.join(ends)
    final = () if node.finalbody is None else _finally(builder, node.finalbody, outer, held)
    is_star = node.__class__ is cst.TryStar
    out.append(ir.Try(body, tuple(handlers), orelse, final, is_star, builder.at(node)))


def _finally(builder: Builder, node: cst.Finally, outer: Any, held: list[tuple[int, int]]) -> tuple[ir.Region, ...]:
    flow = builder.flow
    done = flow.take()
    first, removed = len(flow.definitions), len(flow.removals)
    flow.resume(flow.anywhere_since(outer))
    final = block(builder, node.body)
    jumps = [
        states
        for loop, (breaks, continues) in zip(flow.loops, held, strict=True)
        for states, count in ((loop.breaks, breaks), (loop.continues, continues))
        if len(states) > count
    ]
    if jumps and flow.live:
        for states in jumps:
            states.append(dict(flow.env))
    if done is None or not flow.live:
        flow.kill()
        return final
    changed = {definition.id for definition in flow.definitions[first:]} | set(flow.removals[removed:])
    for name in changed:
        if name in flow.env:
            done[name] = flow.env[name]
        else:
            done.pop(name, None)
    flow.resume(done)
    return final


def _handler(builder: Builder, node: Any) -> ir.Handler:
    start = len(builder.exprs)
    kind = ir.ABSENT if node.type is None else visit(builder, node.type)
    text = "except*" if node.__class__ is cst.ExceptStarHandler else "except"
    if node.type is not None:
        text = f"{text} {builder.text(node.type)}"
    name = ""
    if node.name is not None:
        name = name_of(node.name.name)
        text = f"{text} as {name}"
        builder.bind(name, "except", builder.at(node), kind, (ir.CAUGHT,))
    stop = len(builder.exprs)
    body = block(builder, node.body)
    if name:
        builder.flow.unbind(name)
    return ir.Handler(start, stop, kind, text, body, builder.at(node))


STATEMENTS.update({cst.If: _if, cst.For: _for, cst.While: _while, cst.With: _with, cst.Try: _try, cst.TryStar: _try})
