"""Which method a call on `self` or `super()` runs, once the very class of the object is known.

Approximates: over (a class that is replaced after the object was made is not seen; where a class body does not tell what a
name is, everything is let pass).
"""

from __future__ import annotations

from codepath.analysis.known import Facts
from codepath.analysis.meanings import is_self, is_super
from codepath.model import ir
from codepath.model.answers import Step
from codepath.program.bodies import Bodies, Body
from codepath.program.tree import ScopeInfo


class Dispatch:
    """Tells for one tree."""

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self._known: dict[tuple[str, str, int, int, str], bool] = {}

    def allows(self, step: Step, facts: Facts) -> bool:
        """Tell whether a step leads to the method that the object of these facts has, or to something else than a method."""
        if not facts.cls or facts.loose:
            return True
        key = (facts.cls, step.caller, step.line, step.column, step.callee)
        if key not in self._known:
            self._known[key] = self._is_own(step, facts.cls)
        return self._known[key]

    def _is_own(self, step: Step, cls: str) -> bool:
        caller, callee, made = (
            self._bodies.body(step.caller),
            self._bodies.scope(step.callee),
            self._bodies.scope(cls),
        )
        if caller is None or callee is None or made is None or callee.outer < 0:
            return True
        index = caller.at_place(step.line, step.column)
        read = self._read(caller, index) if index is not None else None
        owner = self._bodies.tree.scopes[callee.outer]
        if read is None or read.id != callee.id or owner.form != "class":
            return True
        found = self._owner_of(caller, read, made)
        return found is None or found == owner.sid

    def _read(self, caller: Body, index: int) -> ir.Attr | None:
        """Return the attribute that a call calls, or that an expression reads."""
        expr = caller.scope.exprs[index]
        func = caller.scope.exprs[expr.func] if isinstance(expr, ir.Call) else expr
        return func if isinstance(func, ir.Attr) else None

    def _owner_of(self, caller: Body, read: ir.Attr, made: ScopeInfo) -> int | None:
        """Return the class whose body gives an attribute of `self` or `super()`, None for other objects or where none does."""
        base = caller.scope.exprs[read.value]
        if is_self(caller, base):
            found = self._bodies.classes.find(made.sid, read.id)
        elif is_super(caller, base) and (around := self._bodies.tree.class_around(caller.info)) is not None:
            found = self._bodies.classes.find(made.sid, read.id, after=around.sid)
        else:
            return None
        return found.owner if found is not None else None
