"""Conditions as formulas over texts, so that one can be asked whether it implies another.

An atom is the text of a condition without `self`: a parameter and the attribute that keeps it are one. A value and
`is not None` of it are one too. Two of `x == A` and `x == B` never hold together.

Approximates: over (what two calls give is taken to be the same; a formula of more than `MOST_ATOMS` is taken to imply
any other).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from codepath.model import ir
from codepath.program.guards import Guards, Literal
from codepath.program.regions import every_region

MOST_ATOMS = 10
_NEGATIVE = {"!=": "==", "is not": "is", "not in": "in"}
_NO_CONDITIONS = frozenset(["for", "try", "except", "comprehension", "match"])


class Formula(NamedTuple):
    """An atom (`op` ""), or `not`, `and`, `or` of parts; `and` of nothing holds always."""

    op: str
    text: str = ""
    parts: tuple[Formula, ...] = ()


ALWAYS = Formula("and")


def conjunction(parts: Iterable[Formula]) -> Formula:
    """Return what holds where all parts do."""
    flat = [p for part in parts for p in (part.parts if part.op == "and" else (part,))]
    kept = tuple(dict.fromkeys(flat))
    return kept[0] if len(kept) == 1 else Formula("and", parts=kept)


def disjunction(parts: Iterable[Formula]) -> Formula:
    """Return what holds where any part does; of none, what holds always."""
    kept = tuple(dict.fromkeys(parts))
    if not kept or ALWAYS in kept:
        return ALWAYS
    return kept[0] if len(kept) == 1 else Formula("or", parts=kept)


def negation(one: Formula) -> Formula:
    """Return the opposite."""
    return one.parts[0] if one.op == "not" else Formula("not", parts=(one,))


def of_guards(scope: ir.Scope, literals: Sequence[Literal], *, left_out: Container[str] = ()) -> Formula:
    """Return what must hold for an expression to run; conditions that hold only where others do are left out.

    `left_out` are kinds of guards that do not count.
    """
    meant = (one for one in literals if one.kind not in left_out and not one.when)
    return conjunction(_of_literal(scope, one) for one in meant if _is_condition(one))


def asserted(scope: ir.Scope, guards: Guards, before: int, known: Formula) -> Formula:
    """Return what assertions above an expression of a function say of what a formula is about, each where it runs."""
    found = []
    for region in every_region(scope.body):
        if isinstance(region, ir.Assert) and region.test < before:
            around = of_guards(scope, guards.of(region.test))
            test = of_expression(scope, region.test)
            if not _subjects(test) & _subjects(known):
                continue
            found.append(test if around == ALWAYS else Formula("or", parts=(negation(around), test)))
    return conjunction(found)


def _is_condition(literal: Literal) -> bool:
    return literal.test >= 0 and literal.kind not in _NO_CONDITIONS


def _of_literal(scope: ir.Scope, literal: Literal) -> Formula:
    test = of_expression(scope, literal.test)
    return test if literal.polarity else negation(test)


def of_expression(scope: ir.Scope, index: int) -> Formula:
    """Return the formula of a condition."""
    expr = scope.exprs[index]
    if isinstance(expr, ir.Unary) and expr.op == "not":
        return negation(of_expression(scope, expr.value))
    if isinstance(expr, ir.Bool):
        parts = [of_expression(scope, i) for i in expr.values]
        return conjunction(parts) if expr.op == "and" else disjunction(parts)
    if isinstance(expr, ir.Compare) and len(expr.ops) == 1:
        return _compared(scope, expr)
    if isinstance(expr, ir.Call) and len(expr.args) == 1 and _spelled(scope, expr.func) == "bool":
        return of_expression(scope, expr.args[0].value)
    return Formula("", _spelled(scope, index))


def _compared(scope: ir.Scope, expr: ir.Compare) -> Formula:
    op, right = expr.ops[0], scope.exprs[expr.rights[0]]
    if op in _NEGATIVE:
        return negation(_compared(scope, ir.Compare(expr.left, (_NEGATIVE[op],), expr.rights, expr.at)))
    left = _spelled(scope, expr.left)
    if op == "is" and isinstance(right, ir.Const) and right.value is None and not right.form:
        return negation(Formula("", left))
    if op == "in" and isinstance(right, ir.Sequence):
        return disjunction(Formula("", f"{left} == {_spelled(scope, item)}") for item in right.items)
    return Formula("", f"{left} {op} {_spelled(scope, expr.rights[0])}")


def _spelled(scope: ir.Scope, index: int) -> str:
    """Return an expression as text, without a leading `self`."""
    expr = scope.exprs[index]
    if isinstance(expr, ir.Name):
        return expr.id
    if isinstance(expr, ir.Const):
        return repr(expr.value)
    if isinstance(expr, ir.Attr):
        owner = _spelled(scope, expr.value)
        return expr.id if owner in ("self", "cls") else f"{owner}.{expr.id}"
    if isinstance(expr, ir.Call):
        args = ", ".join(_spelled(scope, arg.value) for arg in expr.args)
        return f"{_spelled(scope, expr.func)}({args})"
    if isinstance(expr, ir.Subscript):
        return f"{_spelled(scope, expr.value)}[{_spelled(scope, expr.index)}]"
    if isinstance(expr, ir.Binary):
        return f"{_spelled(scope, expr.left)} {expr.op} {_spelled(scope, expr.right)}"
    return f"<{scope.id}:{index}>"


def atoms(one: Formula) -> Iterator[str]:
    """Yield the atoms of a formula."""
    if not one.op:
        yield one.text
    for part in one.parts:
        yield from atoms(part)


def conjuncts(one: Formula) -> tuple[Formula, ...]:
    """Return the parts all of which must hold."""
    return one.parts if one.op == "and" else (one,)


def implies(one: Formula, other: Formula) -> bool:
    """Tell whether a formula holds only where another one does.

    Source: truth tables.
    """
    if other == ALWAYS:
        return True
    given = _where(one, other)
    return given is None or all(_holds(other, values) for values in given)


def excludes(one: Formula, other: Formula) -> bool:
    """Tell whether two formulas never hold together; of more than `MOST_ATOMS` that is not told."""
    given = _where(one, other)
    return given is not None and not any(_holds(other, values) for values in given)


def _where(one: Formula, other: Formula) -> Iterator[dict[str, bool]] | None:
    """Return the values of the atoms of two formulas for which the first holds, as far as it has to do with the second.

    None where these are more than `MOST_ATOMS`.
    """
    premise = _relevant(one, other)
    names = sorted({*atoms(premise), *atoms(other)})
    if len(names) > MOST_ATOMS:
        return None
    every = (dict(zip(names, values, strict=True)) for values in product((False, True), repeat=len(names)))
    return (given for given in every if _can_be(given) and _holds(premise, given))


def _relevant(one: Formula, other: Formula) -> Formula:
    """Return a formula without the conditions that have to do with nothing in another one."""
    parts = list(one.parts) if one.op == "and" else [one]
    known = _subjects(other)
    kept: list[Formula] = []
    grew = True
    while grew:
        fresh = [p for p in parts if p not in kept and _subjects(p) & known]
        kept += fresh
        known = known.union(*(_subjects(p) for p in fresh)) if fresh else known
        grew = bool(fresh)
    return conjunction(kept)


def _subjects(one: Formula) -> frozenset[str]:
    """Return the atoms of a formula, of comparisons what is compared."""
    return frozenset(text.partition(" == ")[0] for text in atoms(one))


def _can_be(given: dict[str, bool]) -> bool:
    held = [text.partition(" == ")[0] for text, value in given.items() if value and " == " in text]
    return len(held) == len(set(held))


def _holds(one: Formula, given: dict[str, bool]) -> bool:
    if not one.op:
        return given[one.text]
    if one.op == "not":
        return not _holds(one.parts[0], given)
    held = (_holds(part, given) for part in one.parts)
    return all(held) if one.op == "and" else any(held)


def alternatives(one: Formula) -> Iterator[frozenset[str]]:
    """Yield the sets of atoms any of which must hold: `or`s of two and more plain atoms."""
    if one.op == "or" and all(not part.op for part in one.parts):
        yield frozenset(part.text for part in one.parts)
    if one.op == "and":
        for part in one.parts:
            yield from alternatives(part)


def said(one: Formula) -> str:
    """Return a formula as text."""
    if not one.op:
        return one.text
    if one.op == "not":
        inner = one.parts[0]
        return f"not {said(inner)}" if not inner.op else f"not ({said(inner)})"
    if not one.parts:
        return "always"
    return f" {one.op} ".join(said(p) if p.op in ("", "not") else f"({said(p)})" for p in one.parts)
