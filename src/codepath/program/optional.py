"""Wrapping decorators: which function calls what a function around it was given, and which returns need a parameter.

A wrapper that calls what was wrapped is one function for all that are wrapped by it; what it gives is told apart by what each
was made of. Likewise `decorate(function=None, *, option=...)` gives a decorator where no function is given, and what it makes
of the function where one is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from codepath.model import ir
from codepath.program.guards import falls_through
from codepath.program.leaving import leaving
from codepath.program.regions import inner_bodies


class Giving(NamedTuple):
    """What a function gives its caller beside what it makes itself.

    `back` are the parameters that it returns as they came; `wraps` tells whether it returns what a call of the wrapped gives,
    and `absences` under which of them it makes what it returns.
    """

    back: tuple[int, ...]
    wraps: bool
    absences: tuple[Absence, ...]


class Absence(NamedTuple):
    """A return runs only where parameter `number` is None (`is_none`), or only where it is not."""

    number: int
    is_none: bool


def called_names(scope: ir.Scope) -> set[str]:
    """Return the free names that a function calls for what it returns."""
    if scope.form != "function" or scope.is_generator:
        return set()
    return {name for index in leaving(scope.body)[0] if (name := _called(scope, index))}


def passed_through(scope: ir.Scope, name: str) -> frozenset[int]:
    """Return the returned expressions that are what calling a free name gives."""
    return frozenset(index for index in leaving(scope.body)[0] if _called(scope, index) == name)


def parameter(scope: ir.Scope, name: str) -> int:
    """Return the number of the parameter that a name always is in a scope, -1 where it is something else there."""
    numbers = [k for k, param in enumerate(scope.params) if param.id == name and param.form in ("positional", "normal")]
    bound = sum(definition.id == name for definition in scope.definitions)
    return numbers[0] if numbers and bound == 1 else -1


def _called(scope: ir.Scope, index: int) -> str:
    """Return the free name whose call, awaited or not, gives an expression; a local name may stand between."""
    expr = scope.exprs[index]
    if isinstance(expr, ir.Name) and len(reaching := scope.uses[expr.use]) == 1 and reaching[0] >= 0:
        bind = scope.definitions[reaching[0]].bind
        bound = scope.exprs[bind] if bind >= 0 else None
        if not isinstance(bound, ir.Bind) or bound.value < 0 or bound.how:
            return ""
        expr = scope.exprs[bound.value]
    if isinstance(expr, ir.Await):
        expr = scope.exprs[expr.value]
    func = scope.exprs[expr.func] if isinstance(expr, ir.Call) else None
    return func.id if isinstance(func, ir.Name) and not scope.uses[func.use] else ""


def absences(scope: ir.Scope) -> dict[int, Absence]:
    """Return, for returned expressions, the parameter whose being None decides whether they are returned."""
    optional = {
        k for k, param in enumerate(scope.params) if param.default >= 0 and param.form in ("positional", "normal")
    }
    if scope.form != "function" or not optional or not any(isinstance(region, ir.If) for region in scope.body):
        return {}
    return dict(_absences(scope, scope.body, {}, optional))


def _absences(
    scope: ir.Scope, regions: Sequence[ir.Region], known: dict[int, bool], optional: set[int]
) -> Iterator[tuple[int, Absence]]:
    """Yield the returns of regions where some parameters are known to be None, or not to be."""
    known = dict(known)
    for region in regions:
        if isinstance(region, ir.Return) and region.value >= 0 and known:
            number = min(known)
            yield region.value, Absence(number, known[number])
        test = _test(scope, region.test, optional) if isinstance(region, ir.If) else None
        if test is None or not isinstance(region, ir.If):
            for body in inner_bodies(region):
                yield from _absences(scope, body, known, optional)
            continue
        yield from _absences(scope, region.body, {**known, test.number: test.is_none}, optional)
        yield from _absences(scope, region.orelse, {**known, test.number: not test.is_none}, optional)
        if not falls_through(region.body):
            known[test.number] = not test.is_none
        elif not falls_through(region.orelse):
            known[test.number] = test.is_none


def _test(scope: ir.Scope, index: int, optional: set[int]) -> Absence | None:
    """Return what `p is None`, `p` and `callable(p)` ask of a parameter that nothing stores again, or what `not` them does."""
    expr = scope.exprs[index]
    if isinstance(expr, ir.Unary) and expr.op == "not":
        asked = _test(scope, expr.value, optional)
        return Absence(asked.number, not asked.is_none) if asked is not None else None
    is_none, name = False, expr
    if isinstance(expr, ir.Compare) and len(expr.rights) == 1 and expr.ops[0] in ("is", "is not"):
        right = scope.exprs[expr.rights[0]]
        is_none, name = expr.ops[0] == "is", scope.exprs[expr.left]
        if not isinstance(right, ir.Const) or right.value is not None or right.form:
            return None
    elif isinstance(expr, ir.Call) and len(expr.args) == 1:
        func = scope.exprs[expr.func]
        if not isinstance(func, ir.Name) or func.id != "callable":
            return None
        name = scope.exprs[expr.args[0].value]
    number = parameter(scope, name.id) if isinstance(name, ir.Name) else -1
    return Absence(number, is_none) if number in optional else None
