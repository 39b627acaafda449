"""Functions that wrap others: `def wrapper(*args): return fn(*args)`, as a decorator gives them back.

A decorator makes one function of the tree stand for many, and what all of them are called with would meet in its `*args`.
So the wrapper is told apart by what it wraps, `(FUNCTION, wrapper, wrapped)`, and what a call hands through `*args` and
`**kwargs` goes to the wrapped function alone, as does what that one returns to the caller.

Approximates: over, where a wrapper is called that is not known by what it wraps: then all that it wraps get everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.arguments import Arguments
from codepath.program.kept import WHOLE
from codepath.program.leaving import leaving
from codepath.program.optional import parameter
from codepath.program.tree import ScopeInfo
from codepath.program.values import NOTHING, ScopeId, Value, Values

if TYPE_CHECKING:
    from codepath.program.frame import Frame
    from codepath.program.solver import Solver

_TOLD_APART = (v.FUNCTION, v.BOUND)
_PLAIN = ("positional", "normal")
_CODE = ("function", "lambda")
_DEEPEST = 4  # wrappers of wrappers
_MOST = 6
"""Functions that one call has a wrapper wrap. A decorator that hands its own on to another one has all of them there; what it
gives for each is then told where it decorates."""


@dataclass(frozen=True, slots=True)
class Forward:
    """How a wrapper calls what it wraps.

    Attributes:
        wrapped: the number of the parameter of the function around that the wrapper calls.
        calls: the expressions of the wrapper that call it so.
        leading: how many arguments stand before `*args` there.
        star: whether `*args` is handed on.
        double: whether `**kwargs` is.
        given_on: the returned expressions that are what the wrapped function gave.
    """

    wrapped: int
    calls: frozenset[int]
    leading: int
    star: bool
    double: bool
    given_on: frozenset[int]

    def arguments(self, wrapper: ScopeInfo, given: Arguments, receiver: Value | None) -> Arguments:
        """Return what the wrapped function gets through `*args` and `**kwargs` of a call of the wrapper."""
        plain = sum(p.form in _PLAIN for p in wrapper.params)
        own = list(given.positional) if receiver is None else [frozenset([receiver]), *given.positional]
        missing = max(0, plain - len(own)) if given.stars else 0
        made = Arguments()
        if self.star:
            positional = [NOTHING] * max(0, self.leading - missing) + own[plain:]
            made = Arguments(positional, stars=given.stars, tail=given.tail)
        if self.double:
            named = {p.id for p in wrapper.params if p.form in ("normal", "keyword")}
            keywords = {name: values for name, values in given.keywords.items() if name not in named}
            made = made._replace(keywords=keywords, double_stars=given.double_stars)
        return made


class Wrapping:
    """The wrappers of the tree. `declare` finds them before anything can call them."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self.forwards: dict[ScopeId, Forward] = {}
        self.makers: dict[ScopeId, list[ScopeId]] = {}
        self._declared: set[ScopeId] = set()
        self._loose: set[ScopeId] = set()

    def declare(self, frame: Frame, inner: ScopeInfo) -> None:
        """Note how a function that is defined inside another one wraps a parameter of that one, if it does."""
        if frame.info.form not in _CODE or inner.sid in self._declared:
            return
        scope = self._solver.scope(inner)
        if scope is None:
            return
        self._declared.add(inner.sid)
        forward = forward_of(frame.scope, inner, scope)
        if forward is not None:
            self.forwards[inner.sid] = forward
            self.makers.setdefault(frame.info.sid, []).append(inner.sid)

    def tell_apart(self, maker: ScopeInfo, values: Values, arguments: Arguments, skip: int) -> Values:
        """Return what a call of a function gives, its wrappers told apart by what the call has them wrap."""
        wrappers = self.makers.get(maker.sid)
        if wrappers is None:
            return values
        found: set[Value] = set()
        for value in values:
            if value[0] == v.FUNCTION and len(value) == 2 and value[1] in wrappers:
                wrapped = _given(maker, self.forwards[value[1]].wrapped, arguments, skip)
                found |= {(*value, one) for one in wrapped} if wrapped is not None else {value}
            else:
                found.add(value)
        return frozenset(found)

    def is_loose(self, wrapper: ScopeId) -> bool:
        """Tell whether a wrapper is called without it being known what it wraps."""
        return wrapper in self._loose

    def run(self, frame: Frame, value: Value, receiver: Value | None, arguments: Arguments) -> Values:
        """Return what calling a wrapper gives; `value` is its function, with what it wraps where that is known."""
        wrapper: ScopeId = value[1]
        forward = self.forwards[wrapper]
        wrapped = _wrapped(value)
        info = self._solver.tree.scopes[wrapper]
        calls = self._solver.calls
        if wrapped is None:
            self._loosen(wrapper)
        elif wrapped:
            got = self._pass_on(frame, wrapped, receiver, forward.arguments(info, arguments, receiver))
            own = self._solver.cells.read((c.OWN, wrapper))
            if info.is_async and not info.is_generator and forward.given_on:
                started = {(v.STARTED, wrapper, receiver)} if own else NOTHING
                return got | started  # awaiting the wrapper gives what awaiting the wrapped function gives
            if not info.is_async and not info.is_generator:
                own = self._solver.returned(wrapper, receiver, own)
                return own | got if forward.given_on else own
        return calls.result(frame, wrapper, receiver, arguments)

    def _pass_on(self, frame: Frame, wrapped: Value, receiver: Value | None, arguments: Arguments) -> Values:
        """Give a wrapped function its arguments; return what it gives."""
        calls = self._solver.calls
        own = wrapped[2] if wrapped[0] == v.BOUND else None
        calls.bind(frame, self._solver.tree.scopes[wrapped[1]], arguments, 0 if own is None else 1)
        if wrapped[1] in self.forwards:
            return self.run(frame, wrapped, own, arguments)
        if own is None and receiver is not None:
            return calls.result(frame, wrapped[1], receiver)
        return calls.result(frame, wrapped[1], own, arguments)

    def _loosen(self, wrapper: ScopeId) -> None:
        if wrapper not in self._loose and not self._solver.cells.is_frozen:
            self._loose.add(wrapper)
            self._solver.cells.dirty[wrapper] = 1 << WHOLE


def _wrapped(value: Value) -> Value | None:
    """Return what a wrapper wraps: a function, `()` where it is something else, None where it is not known."""
    rest = v.wrapped_by(value)
    return rest[0] if rest else None


def rewrapped(wrapper: Value, function: Value) -> Value:
    """Return a wrapper, or one around another, that wraps another function."""
    inner = _wrapped(wrapper)
    if inner and _wrapped(inner) and inner[0] == v.FUNCTION:
        return (*wrapper[:2], rewrapped(inner, function))
    return (*wrapper[:2], function if _depth(function) < _DEEPEST else ())


def _given(maker: ScopeInfo, number: int, arguments: Arguments, skip: int) -> set[Value] | None:
    """Return the functions that a call has a wrapper wrap, `()` for all else, None where that is not plain to see."""
    values = arguments.given_to(maker, number, skip)
    if not values or len(values) > _MOST:
        return None
    return {one if one[0] in _TOLD_APART and _depth(one) < _DEEPEST else () for one in values}


def _depth(value: Value) -> int:
    depth = 0
    wrapped: Value | None = value
    while wrapped:
        depth += 1
        wrapped = _wrapped(wrapped)
    return depth


# --- how a wrapper calls what it wraps -------------------------------------------------------------------------------


def forward_of(outer: ir.Scope, inner: ScopeInfo, scope: ir.Scope) -> Forward | None:
    """Return how a function calls a parameter of the one around it: with its own `*args` or `**kwargs`, or for what it returns.

    None where it does not, or in several ways.
    """
    shapes: dict[int, tuple[int, int, bool, bool]] = {}
    for index, expr in enumerate(scope.exprs):
        if isinstance(expr, ir.Call):
            func = scope.exprs[expr.func]
            is_free = isinstance(func, ir.Name) and not scope.uses[func.use] and func.id not in scope.globals
            number = parameter(outer, func.id) if is_free else -1  # type: ignore[union-attr]
            shape = _shape(inner, scope, expr) if number >= 0 else None
            if shape is not None:
                shapes[index] = (number, *shape)
    if len(set(shapes.values())) != 1:
        return None
    (number, leading, star, double) = next(iter(shapes.values()))
    calls = frozenset(shapes)
    given_on = frozenset(value for value in leaving(scope.body)[0] if _is_given(scope, value, calls))
    return Forward(number, calls, leading, star, double, given_on) if star or double or given_on else None


def _shape(inner: ScopeInfo, scope: ir.Scope, call: ir.Call) -> tuple[int, bool, bool] | None:
    """Return (arguments before `*args`, is `*args` handed on, is `**kwargs`), None for any other call."""
    leading, star, double = 0, False, False
    for argument in call.args:
        if argument.star:
            form = "star" if argument.star == 1 else "double-star"
            expr = scope.exprs[argument.value]
            reaching = scope.uses[expr.use] if isinstance(expr, ir.Name) else ()
            if len(reaching) != 1 or not 0 <= reaching[0] < len(inner.params) or inner.params[reaching[0]].form != form:
                return None
            star, double = star or argument.star == 1, double or argument.star == 2
        elif argument.name is None:
            if star:
                return None
            leading += 1
    return leading, star, double


def _is_given(scope: ir.Scope, index: int, calls: frozenset[int]) -> bool:
    """Tell whether a returned expression is what one of some calls gave."""
    expr = scope.exprs[index]
    if isinstance(expr, ir.Await):
        return expr.value in calls
    if not isinstance(expr, ir.Name):
        return index in calls
    reaching = scope.uses[expr.use]
    binds = [scope.exprs[scope.definitions[d].bind] for d in reaching if d >= 0 and scope.definitions[d].bind >= 0]
    return len(binds) == len(reaching) > 0 and all(
        isinstance(b, ir.Bind) and not b.how and _awaited(scope, b.value) in calls for b in binds
    )


def _awaited(scope: ir.Scope, index: int) -> int:
    """Return the expression that an `await` waits for, else the expression itself."""
    expr = scope.exprs[index] if index >= 0 else None
    return expr.value if isinstance(expr, ir.Await) else index
