"""What a guard comes to: its condition is found again in the code and folded under what is known there."""

from __future__ import annotations

from collections.abc import Container

from codepath.analysis.constants import Folding
from codepath.analysis.known import NOTHING_KNOWN, Facts, Known
from codepath.analysis.meanings import function_of
from codepath.model import ir
from codepath.model.answers import Guard
from codepath.program.bodies import Bodies, Body
from codepath.program.regions import every_region
from codepath.program.subtrees import first_of

_NOT_TESTED = frozenset(["for", "while", "try", "except", "match", "comprehension"])


class Conditions:
    """Finds the conditions of functions by line and text, and folds them."""

    def __init__(self, bodies: Bodies, folding: Folding) -> None:
        self._bodies = bodies
        self._folding = folding
        self._tests: dict[int, dict[tuple[int, str], int]] = {}
        self._around: dict[tuple[str, int], Body | None] = {}

    def truth(self, body: Body, facts: Facts, guard: Guard) -> Known | None:
        """Return the truth of a guard's text, none where it is not known or the guard counts only under others.

        A choice guard stands elsewhere: of that place nothing is known but what holds everywhere.
        """
        if guard.kind in _NOT_TESTED or not all(self._holds(body, facts, outer) for outer in guard.when):
            return None
        if guard.choice:
            chosen = self.at(guard.file, guard.line)
            if chosen is None:
                return None
            body, facts = chosen, NOTHING_KNOWN
        test = self._tests_of(body).get((guard.line, guard.text), -1)
        return self._folding.truth(body, test, facts) if test >= 0 else None

    def rests_on(self, guard: Guard, places: Container[int]) -> bool:
        """Tell whether a guard's condition asks what a call gives that stands at one of some packed places.

        A local name stands for the one call that binds it. A call whose text names a function of the tree is no such call: in
        a first question that function may stand in a file not read.
        """
        body = self.at(guard.file, guard.line)
        test = self._tests_of(body).get((guard.line, guard.text), -1) if body is not None else -1
        if body is None or test < 0:
            return False
        exprs = body.scope.exprs
        for index in range(first_of(exprs, test), test + 1):
            expr = exprs[index]
            if isinstance(expr, ir.Name):
                reaching = body.scope.uses[expr.use]
                bind = body.scope.definitions[reaching[0]].bind if len(reaching) == 1 and reaching[0] >= 0 else -1
                bound = exprs[bind] if bind >= 0 else None
                expr = exprs[bound.value] if isinstance(bound, ir.Bind) and bound.value >= 0 else expr
            if isinstance(expr, ir.Call) and expr.at in places and function_of(self._bodies, body, expr.func) is None:
                return True
        return False

    def _holds(self, body: Body, facts: Facts, guard: Guard) -> bool:
        truth = self.truth(body, facts, guard)
        return truth is not None and truth.value == guard.polarity

    def at(self, file: str, line: int) -> Body | None:
        """Return the innermost function, or the module, around a line."""
        key = (file, line)
        if key not in self._around:
            self._around[key] = self._find(file, line)
        return self._around[key]

    def _find(self, file: str, line: int) -> Body | None:
        module = self._bodies.module_at(file)
        if module is None:
            return None
        around = (i for i in module.scopes if i.form != "class" and ir.line_of(i.at) <= line <= ir.line_of(i.end))
        inner = max(around, key=lambda i: (i.form != "module", i.at), default=None)
        return self._bodies.of(inner) if inner is not None else None

    def _tests_of(self, body: Body) -> dict[tuple[int, str], int]:
        """Return the conditions of a scope by line and text; those that stand there twice are left out."""
        found = self._tests.get(body.info.sid)
        if found is None:
            found = self._tests[body.info.sid] = _tests(body.scope)
        return found


def _tests(scope: ir.Scope) -> dict[tuple[int, str], int]:
    found: dict[tuple[int, str], int] = {}
    several: set[tuple[int, str]] = set()
    for at, text, test in _each(scope):
        key = (ir.line_of(at), text)
        if key in found:
            several.add(key)
        found[key] = test
    return {key: test for key, test in found.items() if key not in several}


def _each(scope: ir.Scope) -> list[tuple[int, str, int]]:
    """Return the place, text and expression of every condition of a scope."""
    found = [
        (region.at, region.text, region.test)
        for region in every_region(scope.body)
        if isinstance(region, (ir.If, ir.While, ir.Assert))
    ]
    exprs = scope.exprs
    for expr in exprs:
        if isinstance(expr, ir.Bool):
            found += [(exprs[i].at, text, i) for i, text in zip(expr.values, expr.texts, strict=True)]
        elif isinstance(expr, ir.Ternary):
            found.append((exprs[expr.test].at, expr.text, expr.test))
        elif isinstance(expr, ir.Comp):
            for clause in expr.clauses:
                pairs = zip(clause.conditions, clause.condition_texts, strict=True)
                found += [(exprs[i].at, text, i) for i, text in pairs]
    return found
