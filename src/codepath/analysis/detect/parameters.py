"""Form `parameter` of `unset-read`: one of two parameters stands in for the other, and a call hands on neither.

    n = len(ids) if ids is not None else len(rows)      # rows=None, and the call passes None, None

Approximates: under (a use under a condition that names both, and arguments of which nothing is known, are left out; near a
change, calls by another name than that of the function).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from codepath.analysis.detect.conditions_of import without_not
from codepath.analysis.detect.evidence import Evidence
from codepath.analysis.detect.mentions import is_defined
from codepath.analysis.nulls.arguments import argument_of
from codepath.model import ir
from codepath.model.answers import Place, Step
from codepath.model.checks import Note
from codepath.model.detect import Detected
from codepath.program.bodies import Body
from codepath.program.guards import Literal
from codepath.program.tree import ScopeInfo
from codepath.program.values import CLASS

_KIND = "unset-read"
_NONE, _MAYBE = "none", "maybe"
_SURE = ("exact", "inferred")
_PASSING = ("call", "construct", "super", "dispatch")
_FAILING = ("len", "iter", "list", "tuple", "set", "sum", "sorted", "min", "max", "enumerate", "zip")
_MOST_CALLERS = 200


class StandIn(NamedTuple):
    """A use of a parameter where another one is None; `is_only` tells whether that is all that it depends on."""

    param: str
    asked: str
    expr: int
    is_only: bool


class Parameters:
    """Finds parameters that are used in place of others though a call hands on neither."""

    def __init__(self, evidence: Evidence) -> None:
        self._tree = evidence.families.tree
        self._bodies = self._tree.bodies

    def everywhere(self) -> Iterator[Detected]:
        """Yield them in the whole tree; of a change, where the function or the call is touched."""
        for module in list(self._tree.everything()):
            lines = self._tree.text(module.path).splitlines()
            for info in self._tree.asked(module):
                if is_candidate(info, lines):
                    yield from self.of(info)
            if self._tree.within is not None:
                yield from self._called_by([info for info in self._tree.asked(module) if info.form == "function"])

    def _called_by(self, infos: Sequence[ScopeInfo]) -> Iterator[Detected]:
        """Yield those of functions that are not touched themselves, for calls in some that are."""
        if not self._tree.is_solved and not any(map(self._is_wanted, sorted(self._called_names(infos)))):
            return  # the call graph would be solved for nothing else
        names = {info.name for info in infos}
        for callee in sorted({step.callee for name in names for step in self._tree.graph.steps(name)}):
            info = self._bodies.scope(callee)
            if info is None or self._is_asked(info):
                continue
            if is_candidate(info, self._tree.text(info.module.path).splitlines()):
                yield from (one for one in self.of(info) if one.notes[0].place.function in names)

    def _called_names(self, infos: Sequence[ScopeInfo]) -> set[str]:
        """Return the last names of what some functions call."""
        found: set[str] = set()
        for info in infos:
            exprs = self._bodies.of(info).scope.exprs
            funcs = (exprs[expr.func] for expr in exprs if isinstance(expr, ir.Call))
            found.update(func.id for func in funcs if isinstance(func, (ir.Name, ir.Attr)))
        return found

    def _is_wanted(self, name: str) -> bool:
        """Tell whether a function of a name, or the constructor of such a class, uses one parameter in place of another."""
        for path in self._tree.words.holding(name):
            module = self._tree.module_at(path) if is_defined(self._tree.text(path), name) else None
            lines = self._tree.text(path).splitlines() if module is not None else []
            for info in module.scopes if module is not None else ():
                outer = self._tree.info(info.outer) if info.id == "__init__" and info.outer >= 0 else info
                if outer.id == name and is_candidate(info, lines) and any(stand_ins(self._bodies.of(info))):
                    return True
        return False

    def _is_asked(self, info: ScopeInfo) -> bool:
        return self._tree.is_asked(info.module.path, ir.line_of(info.at), ir.line_of(info.end))

    def of(self, info: ScopeInfo) -> Iterator[Detected]:
        """Yield the uses in one function, each parameter once, with the surest call."""
        body = self._bodies.of(info)
        seen: set[str] = set()
        for stand_in in stand_ins(body):
            if stand_in.param not in seen:
                seen.add(stand_in.param)
                calls = [(rank, step) for step in self._steps(info) if (rank := self._rank(body, stand_in, step)) >= 0]
                if calls:
                    yield self._detected(body, stand_in, *min(calls, key=lambda call: call[0]))

    def _steps(self, info: ScopeInfo) -> list[Step]:
        steps = self._tree.graph.steps_into(info.name)
        return [s for s in steps if s.kind in _PASSING and s.resolution in _SURE] if len(steps) <= _MOST_CALLERS else []

    # --- calls -------------------------------------------------------------------------------------------------------

    def _rank(self, body: Body, stand_in: StandIn, step: Step) -> int:
        """Return how sure it is that a call hands on neither: 0 for certain, 1 for some way, -1 for not seen."""
        caller = self._bodies.scope(step.caller)
        if caller is None:
            return -1
        at = self._bodies.of(caller)
        index = at.at_place(step.line, step.column)
        call = at.scope.exprs[index] if index is not None else None
        if not isinstance(call, ir.Call):
            return -1
        skip = self._skipped(body.info, at, call, step.kind)
        ranks = {_passed(body, at, call, name, skip) for name in (stand_in.param, stand_in.asked)}
        if not ranks <= {_NONE, _MAYBE} or ranks == {_MAYBE}:
            return -1
        return len(ranks) - 1

    def _skipped(self, info: ScopeInfo, caller: Body, call: ir.Call, kind: str) -> int:
        """Return how many parameters the receiver takes."""
        owner = self._bodies.tree.class_around(info)
        if owner is None or "staticmethod" in info.decorators:
            return 0
        func = caller.scope.exprs[call.func]
        held = caller.scope.exprs[func.value] if isinstance(func, ir.Attr) else None
        if kind != "construct" and "classmethod" not in info.decorators and isinstance(held, ir.Name):
            is_local = bool(caller.scope.uses[held.use])
            values = () if is_local else self._bodies.meaning(caller.info, held.id).values
            return 0 if any(value[0] == CLASS for value in values) else 1
        return 1

    def _detected(self, body: Body, stand_in: StandIn, rank: int, step: Step) -> Detected:
        info = body.info
        caller = step.caller.rpartition(".")[2]
        message = (
            f"`{info.id}` uses `{stand_in.param}` where `{stand_in.asked}` is None, and `{caller}` hands on neither"
            f"{'' if rank == 0 else ' on some way'}"
        )
        return Detected(
            kind=_KIND,
            form="parameter",
            owner=info.name,
            name=stand_in.param,
            message=message,
            place=self._tree.place(info, body.scope.exprs[stand_in.expr].at),
            precision="high" if stand_in.is_only else "medium",
            surprise=0.8 if rank == 0 else 0.7,
            notes=(Note(Place(step.file, step.line, step.column, step.caller), "the call"),),
            guards=step.guards,
        )


def is_candidate(info: ScopeInfo, lines: Sequence[bytes]) -> bool:
    """Tell whether the text of a function can hold such a use; `lines` are those of its file."""
    optional = [p.id for p in info.params if p.absent == "none" and p.form in ("normal", "keyword")]
    if info.form != "function" or not optional or len(info.params) < 2:
        return False
    text = b"\n".join(lines[ir.line_of(info.at) - 1 : ir.line_of(info.end)])
    names = "|".join(map(re.escape, optional)).encode()
    return re.search(rb"\b(?:if|else|and|or)\b", text) is not None and (
        re.search(rb"\b(?:" + names + rb")\s*[.\[]|\w\(\s*(?:" + names + rb")\s*[,)]", text) is not None
    )


def stand_ins(body: Body) -> Iterator[StandIn]:
    """Yield the uses of parameters that may be left out, which fail for None and run where another parameter is None."""
    optional = {p.id for p in body.info.params if p.absent == "none" and p.form in ("normal", "keyword")}
    for index, expr in enumerate(body.scope.exprs):
        held = _needed(body.scope, expr)
        name = _parameter(body.scope, held) if held >= 0 else ""
        if name not in optional or not body.guards.covers(index):
            continue
        guards = [g for g in body.guards.of(index) if g.kind not in ("for", "try")]
        asked = [_none_where(body.scope, guard) for guard in guards]
        known = next((one for one in asked if one and one != name), "")
        if known and not any(_mentions(guard, name) for guard in guards):
            yield StandIn(name, known, index, all(one == known for one in asked))


def _needed(scope: ir.Scope, expr: ir.Expr) -> int:
    """Return what must not be None for an expression to be evaluated, -1 where nothing must."""
    if isinstance(expr, (ir.Attr, ir.Subscript)):
        return expr.value
    if isinstance(expr, ir.Call) and expr.args and not expr.args[0].star and expr.args[0].name is None:
        func = scope.exprs[expr.func]
        if isinstance(func, ir.Name) and func.id in _FAILING and not scope.uses[func.use]:
            return expr.args[0].value
    return -1


def _parameter(scope: ir.Scope, index: int) -> str:
    """Return the parameter that a name is as it was handed over, "" for anything else."""
    expr = scope.exprs[index]
    if not isinstance(expr, ir.Name):
        return ""
    reaching = scope.uses[expr.use]
    is_own = len(reaching) == 1 and reaching[0] >= 0 and scope.definitions[reaching[0]].form == "param"
    return expr.id if is_own else ""


def _none_where(scope: ir.Scope, guard: Literal) -> str:
    """Return the parameter that a guard says to be None, or to be empty, "" for another guard."""
    if guard.test < 0 or guard.when:
        return ""
    index, polarity = without_not(scope.exprs, guard.test, guard.polarity)
    expr = scope.exprs[index]
    if isinstance(expr, ir.Compare) and len(expr.ops) == 1:
        right = scope.exprs[expr.rights[0]]
        if not isinstance(right, ir.Const) or right.value is not None or right.form:
            return ""
        return _parameter(scope, expr.left) if (expr.ops[0] == "is") == polarity else ""
    return _parameter(scope, index) if not polarity else ""


def _mentions(guard: Literal, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", guard.text) is not None or any(_mentions(w, name) for w in guard.when)


def _passed(body: Body, caller: Body, call: ir.Call, name: str, skip: int) -> str:
    """Return what a call hands on as a parameter: `none`, `maybe` where a local is None on some way, "" for anything else."""
    number = next(n for n, p in enumerate(body.scope.params) if p.id == name)
    given = argument_of(call, number - skip, body.scope.params[number])
    if given < 0:
        is_open = any(arg.star for arg in call.args)
        return _NONE if not is_open and body.info.params[number].absent == "none" else ""
    expr = caller.scope.exprs[given]
    if _is_none(caller.scope, given):
        return _NONE
    if not isinstance(expr, ir.Name):
        return ""
    index = next(i for i, one in enumerate(caller.scope.exprs) if one is call)
    if any(_mentions(guard, expr.id) for guard in caller.guards.of(index)):
        return ""
    reaching = [caller.scope.definitions[d] for d in caller.scope.uses[expr.use] if d >= 0]
    values = [caller.scope.exprs[d.bind] for d in reaching if d.bind >= 0 and d.form == "assign"]
    return (
        _MAYBE
        if any(isinstance(v, ir.Bind) and v.value >= 0 and _is_none(caller.scope, v.value) for v in values)
        else ""
    )


def _is_none(scope: ir.Scope, index: int) -> bool:
    expr = scope.exprs[index]
    return isinstance(expr, ir.Const) and expr.value is None and not expr.form
