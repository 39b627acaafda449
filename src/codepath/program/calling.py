"""Attributes and calls, and what imports and definitions give."""

from __future__ import annotations

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.arguments import Arguments
from codepath.program.frame import Frame, Handlers
from codepath.program.leaving import same_run
from codepath.program.tree import ScopeInfo
from codepath.program.values import NOTHING, Value, Values


def _import(frame: Frame, index: int, expr: ir.Import) -> Values:
    return frozenset([frame.solver.lexical.module_value(expr.bound)])


def _import_from(frame: Frame, index: int, expr: ir.ImportFrom) -> Values:
    if expr.name == "*":
        return NOTHING
    module = frame.info.module.absolute(expr.module, expr.level)
    found = frame.meaning(frame.solver.lexical.member(module, expr.name))
    return found | frame.solver.attributes.ask_module(frame, index, module, expr.name, not found)


def _function(frame: Frame, index: int, expr: ir.Function) -> Values:
    inner = frame.solver.inner(frame.info, expr.scope)
    _pass_defaults(frame, inner)
    frame.solver.wrapping.declare(frame, inner)
    values: Values = frozenset([(v.FUNCTION, inner.sid)])
    for decorator in reversed(expr.decorators):
        values = frame.solver.decorating.decorate(frame, decorator, values)
    return values


def _class(frame: Frame, index: int, expr: ir.Class) -> Values:
    inner = frame.solver.inner(frame.info, expr.scope)
    values: Values = frozenset([(v.CLASS, inner.sid)])
    frame.solver.creation.create(frame, index, expr, inner)
    for decorator in reversed(expr.decorators):
        frame.solver.decorating.decorate(frame, decorator, values)
    return values


def _lambda(frame: Frame, index: int, expr: ir.Lambda) -> Values:
    inner = frame.solver.inner(frame.info, expr.scope)
    _pass_defaults(frame, inner)
    return frozenset([(v.FUNCTION, inner.sid)])


def _pass_defaults(frame: Frame, inner: ScopeInfo) -> None:
    if frame.cells.is_frozen:
        return
    for number, default in frame.solver.defaults(inner):
        frame.cells.join((c.PARAM, inner.sid, number), frame.solver.passed(frame.values[default]))


def _attr(frame: Frame, index: int, expr: ir.Attr) -> Values:
    read = frame.solver.attributes.read
    values = frame.values[expr.value]
    if len(values) == 1:
        (value,) = values
        found = read(frame, index, value, expr.id)
    else:
        found = NOTHING.union(*[read(frame, index, value, expr.id) for value in values])
    return _defined_before(frame, index, found) if frame.lends and len(found) > 1 else found


def _defined_before(frame: Frame, index: int, values: Values) -> Values:
    """Return what an attribute held, without the functions that this scope only defines behind it, to replace it."""
    scopes = frame.solver.tree.scopes
    own = [o for o in values if o[0] in (v.FUNCTION, v.BOUND) and scopes[o[1]].outer == frame.info.sid]
    if not own:
        return values
    places = {e.scope: at for at, e in enumerate(frame.exprs) if isinstance(e, (ir.Function, ir.Lambda))}
    later = {
        o for o in own if (at := places.get(scopes[o[1]].index, -1)) > index and same_run(frame.scope.body, index, at)
    }
    return values - later


def _call(frame: Frame, index: int, expr: ir.Call) -> Values:
    called = frame.values[expr.func]
    if frame.fresh:
        frame.fresh.clear()
    if not called:
        return NOTHING
    if frame.forward is not None and index in frame.forward.calls:
        return _call_wrapped(frame, index, called, _arguments(frame, expr))
    if len(called) == 1:
        (value,) = called
        plain = frame.solver.outside.plain(value)
        if plain is not None:
            if value[0] == v.OUTSIDE:
                frame.note(index, value[1], "call")
            return plain
        return frame.solver.calls.call(frame, index, value, _arguments(frame, expr))
    arguments = _arguments(frame, expr)
    found: set[Value] = set()
    for value in called:
        found |= frame.solver.calls.call(frame, index, value, arguments)
    return frozenset(found)


def _call_wrapped(frame: Frame, index: int, called: Values, arguments: Arguments) -> Values:
    """Call what this function wraps: those who call it have given that its arguments. Source: `wrapping`."""
    stars, double_stars = ([NOTHING] * len(given) for given in (arguments.stars, arguments.double_stars))
    bare = Arguments(arguments.positional, arguments.keywords, stars, double_stars)
    is_loose = frame.solver.wrapping.is_loose(frame.info.sid)
    found: set[Value] = set()
    for value in called:
        is_given = value[0] in (v.FUNCTION, v.BOUND) and not is_loose
        found |= frame.solver.calls.call(frame, index, value, bare if is_given else arguments)
    return frozenset(found)


def _arguments(frame: Frame, expr: ir.Call) -> Arguments:
    given = frame.values
    positional: list[Values] = []
    others: list[ir.Arg] = []
    for argument in expr.args:
        if others or argument.star or argument.name is not None:
            others.append(argument)
        else:
            positional.append(given[argument.value])
    if not others:
        return Arguments(positional)
    keywords = {a.name: given[a.value] for a in others if a.name is not None}
    stars = [given[a.value] for a in others if a.star == 1]
    double_stars = [given[a.value] for a in others if a.star == 2]
    tail = [given[a.value] for a in others if not a.star and a.name is None]
    return Arguments(positional, keywords, stars, double_stars, tail)


HANDLERS: Handlers = {
    ir.Import: _import,
    ir.ImportFrom: _import_from,
    ir.Function: _function,
    ir.Class: _class,
    ir.Lambda: _lambda,
    ir.Attr: _attr,
    ir.Call: _call,
}
