"""Which returns of a function need an optional parameter: `decorate(function=None, *, option=...)` gives a decorator where no
function is given, and what it makes of the function where one is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from codepath.model import ir
from codepath.program.guards import falls_through
from codepath.program.regions import inner_bodies


class Giving(NamedTuple):
    """What a function gives its caller beside what it makes under all circumstances.

    `back` are the parameters that it returns as they came, `absences` those under which it returns something else, `taken`
    those of which it returns an item, with how it takes it: `ITEM` by index or key, `ir.ITERATE` by iteration, outermost first.
    """

    back: tuple[int, ...]
    absences: tuple[Absence, ...]
    taken: tuple[Taken, ...] = ()


Taken = tuple[int, tuple[int, ...]]
"""A parameter, and how an item is taken of it."""


class Absence(NamedTuple):
    """A return runs only where parameter `number` is None (`is_none`), or only where it is not."""

    number: int
    is_none: bool


def parameter(scope: ir.Scope, name: str) -> int:
    """Return the number of the parameter that a name always is in a scope, -1 where it is something else there."""
    numbers = [k for k, param in enumerate(scope.params) if param.id == name and param.form in ("positional", "normal")]
    bound = sum(definition.id == name for definition in scope.definitions)
    return numbers[0] if numbers and bound == 1 else -1


ITEM = 0


def taken(scope: ir.Scope, index: int) -> Taken | None:
    """Return the parameter of which an expression is an item, with how it is taken; None for anything else."""
    how: list[int] = []
    expr = scope.exprs[index]
    while True:
        if isinstance(expr, ir.Subscript) and not isinstance(scope.exprs[expr.index], ir.Slice):
            how.append(ITEM)
            expr = scope.exprs[expr.value]
        elif isinstance(expr, ir.Name) and (iterated := _iterated(scope, expr)) is not None:
            how.append(ir.ITERATE)
            expr = scope.exprs[iterated]
        else:
            break
    if not how or not isinstance(expr, ir.Name) or len(scope.uses[expr.use]) != 1:
        return None
    number = parameter(scope, expr.id)
    return (number, tuple(reversed(how))) if number >= 0 and scope.uses[expr.use] == (number,) else None


def _iterated(scope: ir.Scope, name: ir.Name) -> int | None:
    """Return what a loop iterates whose variable a name is, None for other names."""
    reaching = scope.uses[name.use]
    bind = scope.definitions[reaching[0]].bind if len(reaching) == 1 and reaching[0] >= 0 else -1
    expr = scope.exprs[bind] if bind >= 0 else None
    return expr.value if isinstance(expr, ir.Bind) and expr.how == (ir.ITERATE,) and expr.value >= 0 else None


_NO_ABSENCES: dict[int, Absence] = {}


def absences(scope: ir.Scope) -> dict[int, Absence]:
    """Return, for returned expressions, the parameter whose being None decides whether they are returned."""
    optional = {
        k for k, param in enumerate(scope.params) if param.default >= 0 and param.form in ("positional", "normal")
    }
    if scope.form != "function" or not optional or not any(isinstance(region, ir.If) for region in scope.body):
        return _NO_ABSENCES
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
