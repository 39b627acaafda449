"""The guards of a scope's expressions: under which conditions each runs, read off the region tree.

Approximates: over (a guard that is listed must hold for the step to run; conditions that only calls decide, such as a callee
that raises, are not listed).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from codepath.model import ir
from codepath.program.regions import every_region


class Literal(NamedTuple):
    """A condition with the truth value it must have. `test` is its expression, -1 where it is none (`except`, `case`).

    It counts only where all of `when` hold.
    """

    text: str
    polarity: bool
    kind: str
    at: int
    test: int = -1
    when: tuple[Literal, ...] = ()


Literals = tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Exit:
    """A way out of a region: the conditions of its jump, outermost first; kind as in guards (`early-return`, ...)."""

    conditions: Literals
    kind: str


class Guards:
    """Guards of one scope. `of(i)` are those of expression i, outermost first."""

    def __init__(self, scope: ir.Scope) -> None:
        self._scope = scope
        self._ranges: list[tuple[int, int, Literals]] = []
        self._conditional: list[int] | None = None  # what evaluates an operand only under a condition
        self._walk(scope.body, ())
        self._ranges.sort(key=lambda r: r[0])
        self._starts = [r[0] for r in self._ranges]

    def of(self, index: int) -> Literals:
        """Return the guards of an expression; none for one in no range."""
        position = self.range_of(index)
        if position < 0:
            return ()
        inside = self.inside(index, position)
        return (*self._ranges[position][2], *inside) if inside else self._ranges[position][2]

    def covers(self, index: int) -> bool:
        """Tell whether an expression is evaluated: annotations are not."""
        return self.range_of(index) >= 0

    def range_of(self, index: int) -> int:
        """Return the number of the range of expressions under the same regions that holds one, -1 where none does."""
        position = bisect_right(self._starts, index) - 1
        return position if position >= 0 and index < self._ranges[position][1] else -1

    def of_range(self, position: int) -> Literals:
        """Return the guards that all expressions of a range have."""
        return self._ranges[position][2]

    # --- regions -----------------------------------------------------------------------------------------------------

    def _walk(self, regions: Sequence[ir.Region], guards: Literals) -> list[Exit]:
        """Note the ranges of regions that run under `guards`; return their ways out, relative to where they start."""
        exits: list[Exit] = []
        passed: Literals = ()
        for region in regions:
            if region.__class__ is ir.Do:
                self._note(region.start, region.stop, (*guards, *passed) if passed else guards)
                continue
            found = self._region(region, (*guards, *passed))
            exits.extend(Exit((*passed, *e.conditions), e.kind) for e in found)
            for way in found:
                passed = (*passed, *_survived(way, (*guards, *passed)))
            if isinstance(region, ir.Assert):
                passed = (*passed, Literal(region.text, True, "assert", region.at, region.test))
            if isinstance(region, ir.Try):
                passed = (*passed, *_after_try(region))
        return exits

    def _region(self, region: ir.Region, guards: Literals) -> list[Exit]:
        if isinstance(region, ir.If):
            return self._if(region, guards)
        if isinstance(region, (ir.Return, ir.Raise)):
            self._note(region.start, region.stop, guards)
            kind = _JUMPS.get(type(region))
            return [Exit((), kind)] if kind else []
        if isinstance(region, ir.Do):
            self._note(region.start, region.stop, guards)
            return []
        if isinstance(region, ir.Jump):
            return [Exit((), f"early-{region.form}")]
        if isinstance(region, ir.Assert):
            self._assert(region, guards)
            return []
        if isinstance(region, ir.With):
            self._note(region.start, region.stop, guards)
            exits = self._walk(region.body, guards)
            return [e for e in exits if e.kind != "early-raise"]  # the manager may swallow it
        if isinstance(region, ir.Try):
            return self._try(region, guards)
        if isinstance(region, ir.Match):
            return self._match(region, guards)
        return self._loop(region, guards)

    def _note(self, start: int, stop: int, guards: Literals) -> None:
        if start < stop:
            self._ranges.append((start, stop, guards))

    def _assert(self, region: ir.Assert, guards: Literals) -> None:
        self._note(region.start, region.test + 1, guards)
        self._note(
            region.test + 1, region.stop, (*guards, Literal(region.text, False, "assert", region.at, region.test))
        )

    def _if(self, region: ir.If, guards: Literals) -> list[Exit]:
        self._note(region.start, region.stop, guards)
        held = Literal(region.text, True, "if", region.at, region.test)
        failed = Literal(region.text, False, "else", region.at, region.test)
        return _branch(held, self._walk(region.body, (*guards, held)), region.body) + _branch(
            failed, self._walk(region.orelse, (*guards, failed)), region.orelse
        )

    def _loop(self, region: ir.While | ir.For, guards: Literals) -> list[Exit]:
        self._note(region.start, region.stop, guards)
        if isinstance(region, ir.While):
            round_guard = Literal(region.text, True, "while", region.at, region.test)
        else:
            round_guard = Literal(region.text, True, "for", region.at)
            self._note(region.stop, region.bound, (*guards, round_guard))
        exits = self._walk(region.body, (*guards, round_guard))
        leaving = [Exit((round_guard, *e.conditions), e.kind) for e in exits if e.kind in _LEAVING]
        ended = Literal(round_guard.text, False, "else", region.at, round_guard.test)
        leaving += [Exit((ended, *e.conditions), e.kind) for e in self._walk(region.orelse, (*guards, ended))]
        return leaving

    def _try(self, region: ir.Try, guards: Literals) -> list[Exit]:
        text = "try"
        tried = Literal(text, True, "try", region.at)
        exits = self._walk(region.body, (*guards, tried))
        leaving = [Exit((tried, *e.conditions), e.kind) for e in exits] if not region.handlers else list(exits)
        if region.handlers:
            leaving = [Exit((tried, *e.conditions), e.kind) for e in exits if e.kind != "early-raise"]
        for handler in region.handlers:
            caught = Literal(handler.text, True, "except", handler.at)
            self._note(handler.start, handler.stop, guards)
            leaving += _branch(caught, self._walk(handler.body, (*guards, caught)), handler.body)
        smooth: Literals = (Literal(text, True, "else", region.at),)
        for way in exits:
            smooth = (*smooth, *_survived(way, (*guards, *smooth)))
        leaving += [Exit((*smooth, *e.conditions), e.kind) for e in self._walk(region.orelse, (*guards, *smooth))]
        leaving += self._walk(region.final, guards)
        return leaving

    def _match(self, region: ir.Match, guards: Literals) -> list[Exit]:
        self._note(region.start, region.stop, guards)
        leaving: list[Exit] = []
        for case in region.cases:
            matched = Literal(f"case {case.text}", True, "match", case.at)
            self._note(case.start, case.stop, guards)
            leaving += _branch(matched, self._walk(case.body, (*guards, matched)), case.body)
        return leaving

    # --- expressions -------------------------------------------------------------------------------------------------

    def inside(self, index: int, position: int) -> Literals:
        """Return the conditions that short-circuits, conditional expressions and comprehensions around `index`, which is in
        range `position`, add."""
        conditional = self._conditional
        if conditional is None:
            exprs = enumerate(self._scope.exprs)
            conditional = self._conditional = [i for i, expr in exprs if expr.__class__ in _CONDITIONAL]
        if not conditional:
            return ()
        first = bisect_right(conditional, index)
        last = bisect_left(conditional, self._ranges[position][1], first)
        if first == last:
            return ()
        found: list[Literals] = []
        for outer in conditional[first:last]:
            expr = self._scope.exprs[outer]
            if isinstance(expr, ir.Bool):
                found.append(self._operands(expr, index))
            elif isinstance(expr, ir.Ternary):
                found.append(self._arm(expr, index, outer))
            elif isinstance(expr, ir.Comp):
                found.append(self._clauses(expr, index))
        return tuple(literal for literals in reversed(found) for literal in literals)

    def _operands(self, expr: ir.Bool, index: int) -> Literals:
        first = _first(self._scope.exprs, expr.values[0])
        if not first <= index <= expr.values[-1]:
            return ()
        before = [k for k, value in enumerate(expr.values) if value < index]
        polarity = expr.op == "and"
        return tuple(
            Literal(expr.texts[k], polarity, expr.op, _place(self._scope.exprs, expr.values[k]), expr.values[k])
            for k in before
        )

    def _arm(self, expr: ir.Ternary, index: int, outer: int) -> Literals:
        if not expr.test < index < outer:
            return ()
        at = _place(self._scope.exprs, expr.test)
        return (Literal(expr.text, index <= expr.body, "ternary", at, expr.test),)

    def _clauses(self, expr: ir.Comp, index: int) -> Literals:
        found: list[Literal] = []
        for clause in expr.clauses:
            if index < clause.start:
                break
            found.append(Literal(clause.text, True, "comprehension", clause.at))
            for condition, text in zip(clause.conditions, clause.condition_texts, strict=True):
                if condition < index:
                    found.append(Literal(text, True, "comprehension", _place(self._scope.exprs, condition), condition))
        return tuple(found)


_CONDITIONAL = frozenset([ir.Bool, ir.Ternary, ir.Comp])
_JUMPS: dict[type, str] = {ir.Return: "early-return", ir.Raise: "early-raise"}
_LEAVING = frozenset(["early-return", "early-raise"])


def _branch(condition: Literal, exits: list[Exit], body: Sequence[ir.Region]) -> list[Exit]:
    """Prefix ways out of a branch with its condition; one that cannot be passed through leaves as a whole."""
    if exits and not falls_through(body):
        return [Exit((condition,), exits[-1].kind)]
    return [Exit((condition, *e.conditions), e.kind) for e in exits]


def _survived(way: Exit, known: Literals) -> Literals:
    """Return what holds once a way out has not been taken."""
    conditions = [literal for literal in way.conditions if literal not in known]
    if not conditions:
        return ()
    *outer, last = conditions
    if last.kind in ("for", "while", "try", "match") or (last.kind == "else" and last.test < 0):
        return ()
    kind = "except" if last.kind == "except" else way.kind
    return (last._replace(polarity=not last.polarity, kind=kind, when=tuple(outer)),)


def _after_try(region: ir.Try) -> Literals:
    """Where the body of a `try` always leaves, what follows runs only after a handler that does not."""
    if falls_through(region.body) or not region.handlers or falls_through((region,)) is False:
        return ()
    caught = [h for h in region.handlers if falls_through(h.body)]
    return (Literal(caught[0].text, True, "except", caught[0].at),) if len(caught) == 1 else ()


def falls_through(regions: Sequence[ir.Region]) -> bool:
    """Tell whether the end of regions can be reached."""
    return all(_passes(region) for region in regions)


def _passes(region: ir.Region) -> bool:
    if isinstance(region, (ir.Return, ir.Raise, ir.Jump)):
        return False
    if isinstance(region, ir.If):
        return falls_through(region.body) or falls_through(region.orelse)
    if isinstance(region, ir.With):
        return falls_through(region.body) or any(isinstance(inner, ir.Raise) for inner in every_region(region.body))
    if isinstance(region, ir.Try):
        if region.final and not falls_through(region.final):
            return False
        smooth = falls_through(region.body) and falls_through(region.orelse)
        return smooth or any(falls_through(h.body) for h in region.handlers)
    if isinstance(region, ir.Match):
        irrefutable = any(case.irrefutable and case.guard < 0 for case in region.cases)
        return not irrefutable or any(falls_through(case.body) for case in region.cases)
    return True


def _first(exprs: tuple[ir.Expr, ...], index: int) -> int:
    """Return the first expression of the subtree that ends at `index`."""
    from codepath.program.subtrees import first_of

    return first_of(exprs, index)


def _place(exprs: tuple[ir.Expr, ...], index: int) -> int:
    return exprs[index].at
