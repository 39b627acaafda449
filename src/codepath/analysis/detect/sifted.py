"""What a call leaves out of what it hands on: a read in a loop over it, under a test of its elements, may never run.

    kept = [(name, row) for name, row in rows if not name.startswith("head")]
    return Other.load(self, kept)          # where `if "head.rows" in name:` guards the read

Approximates: over (unless the test is for one constant that passes the filter, the filter is taken to stop what it asks for).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from codepath.analysis.detect.accesses import parameter_of
from codepath.analysis.detect.conditions_of import without_not
from codepath.analysis.nulls.arguments import argument_of
from codepath.model import ir
from codepath.program.bodies import Body
from codepath.program.guards import Literal

_WORD = re.compile(r"[A-Za-z_]\w*")


class _Sieve(NamedTuple):
    """A comprehension with conditions, in the scope of the caller."""

    scope: ir.Scope
    conditions: tuple[int, ...]


def is_sifted(caller: Body, call: ir.Call, callee: Body, read: int, skipped: int) -> bool:
    """Tell whether a read of a function may be one that a call keeps from happening, by what it leaves out.

    `skipped` parameters are for the object itself.
    """
    guards = [one for one in callee.guards.of(read) if one.test >= 0]
    for number, param in enumerate(callee.scope.params):
        given = argument_of(call, number - skipped, param) if number >= skipped else -1
        sieve = _sieve(caller.scope, given) if given >= 0 else None
        elements = _elements(callee.scope, number) if sieve is not None else {}
        if sieve is not None and any(_may_stop(sieve, callee.scope, one, elements) for one in guards):
            return True
    return False


def _sieve(scope: ir.Scope, index: int) -> _Sieve | None:
    """Return the comprehension with conditions that an argument is, or that the only assignment to it is."""
    expr = scope.exprs[index]
    if isinstance(expr, ir.Name) and len(scope.uses[expr.use]) == 1:
        number = scope.uses[expr.use][0]
        bind = scope.exprs[scope.definitions[number].bind] if number >= 0 else None
        if isinstance(bind, ir.Bind) and bind.value >= 0 and not bind.how:
            expr = scope.exprs[bind.value]
    if not isinstance(expr, ir.Comp) or len(expr.clauses) != 1 or not expr.clauses[0].conditions:
        return None
    return _Sieve(scope, expr.clauses[0].conditions)


def _elements(scope: ir.Scope, number: int) -> dict[str, tuple[int, ...]]:
    """Return the names that loops over a parameter give its elements or their parts, with which part each is."""
    found = {}
    for expr in scope.exprs:
        is_taken = isinstance(expr, ir.Bind) and expr.value >= 0 and ir.ITERATE in expr.how
        if is_taken and isinstance(expr, ir.Bind) and parameter_of(scope, expr.value) == number:
            found[expr.id] = expr.how
    return found


def _may_stop(sieve: _Sieve, scope: ir.Scope, guard: Literal, elements: dict[str, tuple[int, ...]]) -> bool:
    """Tell whether what a guard asks of an element may be what a sieve leaves out."""
    if not set(_WORD.findall(guard.text)) & set(elements) or not _asks_for(scope, guard):
        return False
    name, constant = _asked_constant(scope, guard)
    if name not in elements:
        return True
    same = {b.id for b in sieve.scope.exprs if isinstance(b, ir.Bind) and b.how == elements[name]}
    return not all(_passes(sieve.scope.exprs, one, same, constant) for one in sieve.conditions)


def _asks_for(scope: ir.Scope, guard: Literal) -> bool:
    """Tell whether a guard wants its test to hold, any `not` in front taken off: what fails it is not what a filter leaves."""
    return without_not(scope.exprs, guard.test, guard.polarity)[1]


def _asked_constant(scope: ir.Scope, guard: Literal) -> tuple[str, str]:
    """Return the name that a guard asks to be one constant string, and that; "" for another guard."""
    expr = scope.exprs[guard.test]
    if not isinstance(expr, ir.Compare) or expr.ops != ("==",) or not guard.polarity:
        return "", ""
    left, right = scope.exprs[expr.left], scope.exprs[expr.rights[0]]
    if isinstance(left, ir.Name) and isinstance(right, ir.Const) and not right.form:
        return left.id, str(right.value)
    return "", ""


def _passes(exprs: tuple[ir.Expr, ...], index: int, names: set[str], value: str) -> bool | None:
    """Return whether a condition holds for a string that some names stand for, None where that is not told."""
    expr = exprs[index]
    if isinstance(expr, ir.Unary) and expr.op == "not":
        inner = _passes(exprs, expr.value, names, value)
        return None if inner is None else not inner
    if isinstance(expr, ir.Call) and len(expr.args) == 1:
        func, asked = exprs[expr.func], list(_strings(exprs, expr.args[0].value))
        held = exprs[func.value] if isinstance(func, ir.Attr) else None
        if not isinstance(func, ir.Attr) or not isinstance(held, ir.Name) or held.id not in names or not asked:
            return None
        test = {"startswith": str.startswith, "endswith": str.endswith}.get(func.id)
        return None if test is None else test(value, tuple(asked))
    if isinstance(expr, ir.Compare) and expr.ops in (("in",), ("not in",)):
        asked, right = list(_strings(exprs, expr.left)), exprs[expr.rights[0]]
        if len(asked) == 1 and isinstance(right, ir.Name) and right.id in names:
            return (asked[0] in value) is (expr.ops == ("in",))
    return None


def _strings(exprs: tuple[ir.Expr, ...], index: int) -> Iterator[str]:
    expr = exprs[index]
    for one in [exprs[i] for i in expr.items] if isinstance(expr, ir.Sequence) else [expr]:
        if isinstance(one, ir.Const) and isinstance(one.value, str) and not one.form:
            yield one.value
