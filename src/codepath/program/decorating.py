"""What decorators make of functions and classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.program import values as v
from codepath.program.arguments import Arguments
from codepath.program.frame import Frame
from codepath.program.values import NOTHING, Value, Values
from codepath.program.wrapping import rewrapped

if TYPE_CHECKING:
    from codepath.program.solver import Solver


class Decorating:
    """Decorators, the innermost first."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.calls = solver.calls
        self.cells = solver.cells

    def decorate(self, frame: Frame, decorator: int, values: Values) -> Values:
        """Return what a decorator makes of values; a decorator from outside gives its argument back."""
        called = frame.values[decorator]
        expr = frame.exprs[decorator]
        if isinstance(expr, ir.Attr) and expr.id in ("setter", "deleter", "getter"):
            held = {p for p in frame.values[expr.value] if p[0] in (v.PROPERTY, v.SETTER)}
            if held:
                own = {f[1] for f in values if f[0] == v.FUNCTION}
                if expr.id == "getter":
                    return frozenset([*(h for h in held if h[0] == v.SETTER), *((v.PROPERTY, fn) for fn in own)])
                return frozenset(held | {(v.SETTER, fn) for fn in own} if expr.id == "setter" else held)
        if not called or isinstance(expr, ir.Call):
            self.cells.doubt()
        if not called:
            is_unknown = self.solver.emitting or self.solver.is_unknown(frame.info, decorator)
            return values if is_unknown else NOTHING
        if self.solver.emitting and isinstance(expr, ir.Call):
            called = _decorators(called)
        found: set[Value] = set()
        for value in called:
            if value[0] == v.OUTSIDE:
                found |= self.solver.outside.decorate(frame, decorator, value[1], values)
            elif value[0] == v.RESULT:
                self.solver.outside.run_decorated(frame, decorator, self.solver.meant(value[1]), values)
                found |= (
                    values
                    if value[1] != "functools.cached_property"
                    else {(v.PROPERTY, f[1]) for f in values if f[0] == v.FUNCTION}
                )
            elif value[0] == v.PROPERTY:
                found.add(value)
            else:
                made = self.calls.call(frame, decorator, value, Arguments([values], is_made=True), "decorator")
                found.update(self._wrapping(made, values))
        return frozenset(found)

    def _wrapping(self, made: Values, values: Values) -> Iterable[Value]:
        """Return what a decorator gives for values: a wrapper that it gives wraps them, not what others were made of."""
        functions = [value for value in values if value[0] in (v.FUNCTION, v.BOUND)]
        for value in made:
            if (
                functions
                and value not in values
                and value[0] == v.FUNCTION
                and value[1] in self.solver.wrapping.forwards
            ):
                yield from (rewrapped(value, function) for function in functions)
            else:
                yield value


def _decorators(values: Values) -> Values:
    """Return what `@make(...)` decorates with: where it gives functions, its classes are what it gives called with a class.

    Only while emitting: leaving values out is not monotone.
    """
    functions = frozenset(value for value in values if value[0] in (v.FUNCTION, v.BOUND, v.PARTIAL))
    return values if not functions else frozenset(value for value in values if value[0] not in (v.CLASS, v.OPEN_CLASS))
