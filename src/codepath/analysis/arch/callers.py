"""Whether any caller of a function gets there on one architecture: what it asks before the call may say no.

Approximates: under (a caller that is not evaluated, or not found, gets there; what a function says counts, what an attribute
holds does not: something else may store it).
"""

from __future__ import annotations

from codepath.analysis.arch.reads import KEPT_OUT, part
from codepath.analysis.arch.record import Notes
from codepath.analysis.arch.spread import Spread
from codepath.model import ir
from codepath.model.answers import Step
from codepath.program.bodies import Body
from codepath.program.tree import ScopeInfo

_DEPTH = 4


class Callers:
    """Asks the callers of functions."""

    def __init__(self, spread: Spread) -> None:
        self._spread = spread
        self._found: dict[tuple[int, int], bool] = {}

    def keep_out(self, info: ScopeInfo, column: int, depth: int = 0) -> bool:
        """Tell whether each call of a function stands behind a condition that certainly fails on an architecture.

        `column` is its number among those that were run; there must be a call, and each must be known.
        """
        key = (info.sid, column)
        world = self._spread.world
        with world.reads.within(part(KEPT_OUT, info.name)):
            if key not in self._found:
                self._found[key] = False  # a function that only calls itself is kept out by nothing
                into = [step for step in world.steps_into(info.name) if step.kind != "import"]
                calls = info.form == "function" and bool(into) and depth < _DEPTH
                self._found[key] = calls and all(self._is_shut(step, column, depth) for step in into)
            return self._found[key]

    def _is_shut(self, step: Step, column: int, depth: int) -> bool:
        bodies = self._spread.world.bodies
        caller = bodies.scope(step.caller)
        if caller is None or step.resolution == "by-name":
            return False
        self._spread.world.reads.here.add(caller.name)
        body = bodies.of(caller)
        at = [i for i, e in enumerate(body.scope.exprs) if isinstance(e, ir.Call) and _is_at(e, step)]
        notes = self._spread.machines[column].record.notes.get(caller.sid)
        if notes is not None and at and all(_fails(notes, body, index) for index in at):
            return True
        return self.keep_out(caller, column, depth + 1)


def _is_at(call: ir.Call, step: Step) -> bool:
    return (ir.line_of(call.at), ir.column_of(call.at)) == (step.line, step.column)


def _fails(notes: Notes, body: Body, index: int) -> bool:
    """Tell whether a guard of an expression certainly fails."""
    for literal in body.guards.of(index):
        value = _truth(notes, body.scope, literal.test) if literal.test >= 0 and not literal.when else None
        if value is not None and value is not literal.polarity:
            return True
    return False


def _truth(notes: Notes, scope: ir.Scope, index: int) -> bool | None:
    """Return what a condition is, from what its parts were when the scope ran; None where that is not known."""
    expr = scope.exprs[index]
    if isinstance(expr, ir.Call) and index in notes.tests:
        data = notes.tests[index].data
        return data if isinstance(data, bool) else None
    if isinstance(expr, ir.Unary) and expr.op == "not":
        value = _truth(notes, scope, expr.value)
        return None if value is None else not value
    if isinstance(expr, ir.Bool):
        values = [_truth(notes, scope, part) for part in expr.values]
        if (expr.op == "or") in values:
            return expr.op == "or"
        return None if None in values else expr.op == "and"
    return None
