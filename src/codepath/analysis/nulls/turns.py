"""Where control turns inside an expression: operands of `and` and `or`, conditional expressions, comprehensions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from codepath.model import ir


class Turn(NamedTuple):
    """What happens behind an expression that is part of `outer`.

    `leave`: unless it has the truth value `polarity`, `outer` ends with it. `test`: the test of a conditional expression.
    `switch`: its first arm is over. `hold`: a condition of a comprehension. `start`: `outer`, a comprehension, begins.
    """

    outer: int
    form: str
    polarity: bool = True


@dataclass(slots=True)
class Turns:
    """Turns by the expression before or behind which they happen.

    `ends` gives (expression, own names) at its end, `conditions` how many conditions its turns add.
    """

    before: dict[int, list[Turn]] = field(default_factory=dict)
    behind: dict[int, list[Turn]] = field(default_factory=dict)
    ends: dict[int, tuple[int, tuple[str, ...]]] = field(default_factory=dict)
    conditions: dict[int, int] = field(default_factory=dict)


def turns_of(scope: ir.Scope) -> Turns:
    """Return the turns inside the expressions of a scope."""
    turns = Turns()
    for index, expr in enumerate(scope.exprs):
        if isinstance(expr, ir.Bool):
            turns.ends[index] = (index, ())
            turns.conditions[index] = len(expr.values) - 1
            for operand in expr.values[:-1]:
                turns.behind.setdefault(operand, []).append(Turn(index, "leave", expr.op == "and"))
        elif isinstance(expr, ir.Ternary):
            turns.ends[index] = (index, ())
            turns.conditions[index] = 1
            turns.behind.setdefault(expr.test, []).append(Turn(index, "test"))
            turns.behind.setdefault(expr.body, []).append(Turn(index, "switch"))
        elif isinstance(expr, ir.Comp):
            _comprehension(scope, index, expr, turns)
    return turns


def _comprehension(scope: ir.Scope, index: int, expr: ir.Comp, turns: Turns) -> None:
    first = expr.clauses[0].start
    turns.before.setdefault(first, []).insert(0, Turn(index, "start"))
    inside = (scope.exprs[i] for i in range(first, index))
    own = {e.id for e in inside if isinstance(e, ir.Bind) and scope.definitions[e.definition].form == "comprehension"}
    turns.ends[index] = (index, tuple(sorted(own)))
    turns.conditions[index] = sum(len(clause.conditions) for clause in expr.clauses)
    for clause in expr.clauses:
        for condition in clause.conditions:
            turns.behind.setdefault(condition, []).append(Turn(index, "hold"))
