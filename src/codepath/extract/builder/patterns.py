"""`match` and its patterns."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias

import libcst as cst

from codepath.extract.builder.compound import block, width
from codepath.extract.builder.constants import singleton
from codepath.extract.builder.state import STATEMENTS, Builder, visit
from codepath.extract.flow import Env, merged
from codepath.model import ir

# The expressions of a pattern: classes, values.
Alternatives: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]

_CASE = re.compile(r"\s*case\b")


def _match(builder: Builder, node: cst.Match, out: list[ir.Region]) -> None:
    start = len(builder.exprs)
    subject = visit(builder, node.subject)
    stop = len(builder.exprs)
    ends: list[Env | None] = []
    outer = builder.indent
    builder.indent += width(builder, node.indent)
    cases = [_case(builder, case, subject, ends) for case in node.cases]
    builder.indent = outer
    builder.flow.join(ends)
    text = builder.text(node.subject)
    out.append(ir.Match(start, stop, subject, text, tuple(cases), builder.at(node)))


def _case(builder: Builder, node: cst.MatchCase, subject: int, ends: list[Env | None]) -> ir.Case:
    flow = builder.flow
    missed = flow.fork()
    start = len(builder.exprs)
    classes, values = _pattern(builder, node.pattern, subject, ()) or ((), ())
    guard = ir.ABSENT if node.guard is None else visit(builder, node.guard)
    stop = len(builder.exprs)
    irrefutable = _irrefutable(node.pattern)
    refused = None if node.guard is None else flow.fork()
    text = _text(builder, node)
    body = block(builder, node.body)
    ends.append(flow.take())
    if irrefutable:
        flow.resume(refused)
    else:
        flow.resume(missed if refused is None or missed is None else merged(missed, refused))
    return ir.Case(start, stop, guard, classes, values, irrefutable, text, body, _keyword(builder, node))


def _keyword(builder: Builder, node: cst.MatchCase) -> int:
    """Return the place of `case`, which stands first on its line, at or above the pattern's."""
    lines = builder.file.lines.lines
    place = builder.places[id(_placed(node.pattern))]
    for line in range(place.lineno, 0, -1):
        match = _CASE.match(lines[line - 1])
        if match:
            return line << 16 | match.end() - 4
    return place.lineno << 16 | place.col_offset


def _placed(node: Any) -> Any:
    """Return the node whose place a pattern has."""
    return node.value if node.__class__ is cst.MatchValue else node


def _text(builder: Builder, node: cst.MatchCase) -> str:
    text = builder.text(_placed(node.pattern))
    return text if node.guard is None else f"{text} if {builder.text(node.guard)}"


def _irrefutable(node: Any) -> bool:
    if node.__class__ is cst.MatchOr:
        return any(_irrefutable(element.pattern) for element in node.patterns)
    return node.__class__ is cst.MatchAs and (node.pattern is None or _irrefutable(node.pattern))


# --- patterns: each appends its values, classes and captures ---------------------------------------------------------


def _pattern(builder: Builder, node: Any, subject: int, how: tuple[int, ...]) -> Alternatives | None:
    """Append what a pattern evaluates and stores.

    Args:
        builder: The scope.
        node: The pattern.
        subject: The matched expression.
        how: The steps from it to what this pattern matches: none, or that it is some part.

    Returns:
        The classes and values of a pattern that is one of them, or of several `|`; None for any other pattern.
    """
    return _PATTERNS[node.__class__](builder, node, subject, how)


def _value(builder: Builder, node: cst.MatchValue, subject: int, how: tuple[int, ...]) -> Alternatives:
    return (), (visit(builder, node.value),)


def _singleton(builder: Builder, node: cst.MatchSingleton, subject: int, how: tuple[int, ...]) -> Alternatives:
    return (), (singleton(builder, node.value.value, builder.at(node)),)


def _as(builder: Builder, node: cst.MatchAs, subject: int, how: tuple[int, ...]) -> Alternatives | None:
    found = None if node.pattern is None else _pattern(builder, node.pattern, subject, how)
    if node.name is not None:
        builder.bind(node.name.value, "capture", builder.at(node), subject, how)
    return found


def _or(builder: Builder, node: cst.MatchOr, subject: int, how: tuple[int, ...]) -> Alternatives | None:
    """Captures of one name in several alternatives are definitions of which any can reach."""
    flow = builder.flow
    before = dict(flow.env)
    joined: Env | None = None
    parts = []
    for element in node.patterns:
        flow.env = dict(before)
        parts.append(_pattern(builder, element.pattern, subject, how))
        joined = flow.env if joined is None else merged(joined, flow.env)
    if joined is not None:
        flow.env = joined
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return tuple(n for part in known for n in part[0]), tuple(n for part in known for n in part[1])


def _sequence(builder: Builder, node: Any, subject: int, how: tuple[int, ...]) -> None:
    for element in node.patterns:
        if element.__class__ is not cst.MatchStar:
            _pattern(builder, element.value, subject, (ir.CAPTURED,))
        elif element.name is not None:
            builder.bind(element.name.value, "capture", builder.at(element), subject, (ir.CAPTURED,))


def _mapping(builder: Builder, node: cst.MatchMapping, subject: int, how: tuple[int, ...]) -> None:
    for element in node.elements:
        key = element.key
        if isinstance(key, cst.MatchSingleton):
            singleton(builder, key.value.value, builder.at(key))
        else:
            visit(builder, key.value if isinstance(key, cst.MatchValue) else key)
        _pattern(builder, element.pattern, subject, (ir.CAPTURED,))
    if node.rest is not None:
        builder.bind(node.rest.value, "capture", builder.at(node), subject, (ir.CAPTURED,))


def _class(builder: Builder, node: cst.MatchClass, subject: int, how: tuple[int, ...]) -> Alternatives | None:
    kind = visit(builder, node.cls)
    parts = [element.value for element in node.patterns] + [element.pattern for element in node.kwds]
    for part in parts:
        _pattern(builder, part, subject, (ir.CAPTURED,))
    return ((kind,), ()) if all(map(_irrefutable, parts)) else None


_PATTERNS: dict[type, Callable[[Builder, Any, int, tuple[int, ...]], Alternatives | None]] = {
    cst.MatchValue: _value,
    cst.MatchSingleton: _singleton,
    cst.MatchAs: _as,
    cst.MatchOr: _or,
    cst.MatchList: _sequence,
    cst.MatchTuple: _sequence,
    cst.MatchMapping: _mapping,
    cst.MatchClass: _class,
}
STATEMENTS[cst.Match] = _match
