"""One walk over the regions of a function: from the outcomes of its sites to the outcomes of running it.

The state is a set of outcomes (`outcomes`). Any site may raise, before or after what it runs; a handler is entered with
every state of its body. `finally` and the ends of `with` run on every way out.

Approximates: over.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from codepath.analysis.outcomes import NONE, joined, later, repeated, then
from codepath.analysis.sites import CALLS, ENTER, EXIT, LATER, PARTIAL, Code, Run, Site
from codepath.model import ir

WHOLE = 0
UP_TO_YIELD = 1  # a context manager's part before its `yield`
FROM_YIELD = 2


@dataclass(frozen=True, slots=True)
class Effect:
    """What running something comes to: outcomes where it returns, and outcomes where it raises."""

    normal: int
    raised: int


NOTHING = Effect(NONE, NONE)
EffectOf = Callable[[Run], Effect]
Wrap = Callable[[int], int]
"""From the outcomes of what a side's call runs to those of the call."""
Observe = Callable[[Site, Run, int], None]
"""Told of each run of a site with the states before it."""
Note = Callable[[Site, int, int], None]
"""Told of each site with the states before it and what it comes to."""


class Walk:
    """A walk over one function.

    Args:
        code: The function.
        truths: What is known of tests, by expression.
        effect_of: What a run comes to.
        wrap: How an expression that is itself a side wraps what it runs, None for any other.
        observe: Told of each run.
        note: Told of each site.
    """

    def __init__(
        self,
        code: Code,
        truths: Mapping[int, bool],
        effect_of: EffectOf,
        wrap: Callable[[int], Wrap | None],
        observe: Observe | None = None,
        note: Note | None = None,
    ) -> None:
        self._code = code
        self._exprs = code.body.scope.exprs
        self._truths = truths
        self._effect_of = effect_of
        self._wrap = wrap
        self._observe = observe
        self._note = note
        self._indices = sorted({*code.sites, *code.yields})
        self._left: dict[str, int] = {}
        self._raised = 0
        self._mode = WHOLE

    def run(self, mode: int = WHOLE) -> Effect:
        """Return what the function comes to, or the part of a generator before or after its `yield`."""
        self._mode = mode
        self._left = {"return": 0, "break": 0, "continue": 0, "yield": 0}
        start = 0 if mode == FROM_YIELD else NONE
        self._raised = start
        normal = self._all(self._code.body.scope.body, start)
        normal |= self._left["return"] | self._left["yield"]
        return Effect(normal or (NONE if mode == FROM_YIELD else 0), self._raised)

    # --- regions -----------------------------------------------------------------------------------------------------

    def _all(self, regions: Sequence[ir.Region], state: int) -> int:
        for region in regions:
            if not state and self._mode != FROM_YIELD:
                return 0
            state = self._region(region, state)
        return state

    def _region(self, region: ir.Region, state: int) -> int:
        if isinstance(region, ir.Do):
            return self._range(region.start, region.stop, state)
        if isinstance(region, ir.If):
            return self._if(region, state)
        if isinstance(region, ir.Return):
            self._left["return"] |= self._range(region.start, region.stop, state)
            return 0
        if isinstance(region, ir.Raise):
            self._raise(self._range(region.start, region.stop, state))
            return 0
        if isinstance(region, ir.Jump):
            self._left[region.form] |= state
            return 0
        if isinstance(region, ir.Assert):
            state = self._range(region.start, region.test + 1, state)
            self._raise(self._range(region.test + 1, region.stop, state))
            return 0 if self._truth(region.test) is False else state
        if isinstance(region, ir.With):
            return self._with(region, state)
        if isinstance(region, ir.Try):
            return self._try(region, state)
        if isinstance(region, ir.Match):
            return self._match(region, state)
        return self._loop(region, state)

    def _raise(self, state: int) -> None:
        self._raised |= state

    def _if(self, region: ir.If, state: int) -> int:
        state = self._range(region.start, region.stop, state)
        truth = self._truth(region.test)
        after = self._all(region.body, state) if truth is not False else 0
        return after | (self._all(region.orelse, state) if truth is not True else 0)

    def _truth(self, test: int) -> bool | None:
        expr = self._exprs[test] if test >= 0 else None
        if isinstance(expr, ir.Const) and not expr.form:
            return bool(expr.value)
        return self._truths.get(test)

    def _match(self, region: ir.Match, state: int) -> int:
        state = self._range(region.start, region.stop, state)
        after = 0
        for case in region.cases:
            state = self._range(case.start, case.stop, state)
            after |= self._all(case.body, state)
            if case.irrefutable and case.guard < 0:
                return after
        return after | state

    def _loop(self, region: ir.While | ir.For, state: int) -> int:
        outer = {form: self._left[form] for form in ("break", "continue")}
        self._left.update({"break": 0, "continue": 0})
        if isinstance(region, ir.For):
            state = self._range(region.start, region.stop, state)
            ended = self._rounds(region, state, region.stop, region.bound, None)
        else:
            ended = self._rounds(region, state, region.start, region.stop, self._truth(region.test))
        broken = self._left["break"]
        self._left.update(outer)
        return self._all(region.orelse, ended) | broken

    def _rounds(self, region: ir.While | ir.For, state: int, start: int, stop: int, truth: bool | None) -> int:
        """Return the states in which a loop ends without `break`."""
        head, seen = state, -1
        after = 0
        while head != seen:
            seen = head
            tested = self._range(start, stop, head)
            after = 0 if truth is True else tested if isinstance(region, ir.While) else head
            if truth is False:
                return after
            head |= self._all(region.body, tested) | self._left["continue"]
        if isinstance(region, ir.For) and _has_rounds(self._exprs, region.iter):
            return self._all(region.body, self._range(start, stop, head)) | self._left["continue"]
        return after

    # --- ways out that run something -------------------------------------------------------------------------------------

    def _try(self, region: ir.Try, state: int) -> int:
        if not region.final:
            after, escaped = self._tried(region, state)
            self._raise(escaped)
            return after
        outer, self._left = self._left, dict.fromkeys(self._left, 0)
        after, escaped = self._tried(region, state)
        inner, self._left = self._left, outer
        return self._leave(inner, after, escaped, lambda s: self._all(region.final, s))

    def _leave(self, inner: Mapping[str, int], after: int, escaped: int, final: Callable[[int], int]) -> int:
        """Run what every way out of a region runs; return the state behind the region."""
        for form, left in inner.items():
            self._left[form] |= (left if form == "yield" else final(left)) if left else 0
        if escaped:
            self._raise(escaped | final(escaped))
        return final(after) if after else 0

    def _tried(self, region: ir.Try, state: int) -> tuple[int, int]:
        """Return the states behind a `try` without its `finally`, and those in which it raises."""
        outer, self._raised = self._raised, state
        body = self._all(region.body, state)
        caught, self._raised = self._raised, 0
        after = self._all(region.orelse, body)
        escaped = caught | self._raised
        for handler in region.handlers:
            self._raised = 0
            entered = self._range(handler.start, handler.stop, caught)
            after |= self._all(handler.body, entered)
            escaped |= self._raised
        self._raised = outer
        return after, escaped

    def _with(self, region: ir.With, state: int) -> int:
        exits = [self._code.exits[c] for c in region.contexts if c in self._code.exits]
        state = self._range(region.start, region.stop, state)
        swallows = any(c in self._code.swallowing for c in region.contexts)
        if not exits and not swallows:
            return self._all(region.body, state)
        outer_left, self._left = self._left, dict.fromkeys(self._left, 0)
        outer_raised, self._raised = self._raised, state
        after = self._all(region.body, state)
        escaped, self._raised = self._raised, outer_raised
        inner, self._left = self._left, outer_left

        def final(left: int) -> int:
            for site in reversed(exits):
                left = self._site(site, left)
            return left

        swallowed = final(escaped) if swallows else 0
        return self._leave(inner, after, escaped, final) | swallowed

    # --- expressions -------------------------------------------------------------------------------------------------

    def _range(self, start: int, stop: int, state: int) -> int:
        """Evaluate the expressions of a range."""
        while True:
            position = bisect_left(self._indices, start)
            if position == len(self._indices) or self._indices[position] >= stop:
                return state
            index = self._indices[position]
            outer = self._outermost(index, start, stop)
            if outer is None:
                state = self._at(index, state)
                start = index + 1
            else:
                state = self._conditional(outer[0], outer[1], state)
                start = outer[1] + (1 if outer[1] not in self._code.sites else 0)
                if outer[1] in self._code.sites:
                    state = self._at(outer[1], state)
                    start = outer[1] + 1

    def _outermost(self, index: int, start: int, stop: int) -> tuple[int, int] | None:
        """Return the extent of the outermost conditional expression in a range that holds an expression."""
        for first, last in self._code.conditionals:
            if start <= first <= index < last < stop:
                return first, last
        return None

    def _conditional(self, first: int, last: int, state: int) -> int:
        expr = self._exprs[last]
        if isinstance(expr, ir.Ternary):
            return self._ternary(expr, first, state)
        if isinstance(expr, ir.Bool):
            return self._operands(first, expr.values, [expr.op == "and"] * len(expr.values), state)
        if isinstance(expr, ir.Compare):
            return self._operands(first, expr.rights, [None] * len(expr.rights), state)
        assert isinstance(expr, ir.Comp)
        return self._comprehension(expr, first, last, state)

    def _ternary(self, expr: ir.Ternary, first: int, state: int) -> int:
        state = self._range(first, expr.test + 1, state)
        truth = self._truth(expr.test)
        body = self._range(expr.test + 1, expr.body + 1, state) if truth is not False else 0
        other = self._range(expr.body + 1, expr.orelse + 1, state) if truth is not True else 0
        return body | other

    def _operands(self, first: int, values: Sequence[int], goes_on: Sequence[bool | None], state: int) -> int:
        """Evaluate operands until one decides."""
        after = 0
        for value, on in zip(values, goes_on, strict=True):
            state = self._range(first, value + 1, state)
            first = value + 1
            truth = self._truth(value) if on is not None else None
            if truth is None:
                after |= state
            elif truth is not on:
                return after | state
        return after | state

    def _comprehension(self, expr: ir.Comp, first: int, last: int, state: int) -> int:
        start = expr.clauses[0].start
        state = self._range(first, start, state)
        conditions = [k for clause in expr.clauses for k in clause.conditions]
        head, seen = state, -1
        while head != seen:
            seen = head
            inner, position = head, start
            for condition in conditions:
                inner = self._range(position, condition + 1, inner)
                head |= inner
                position = condition + 1
                if self._truth(condition) is False:
                    inner = 0
            head |= self._range(position, last, inner)
        is_kept = expr.form == "generator" and last not in self._code.consumed
        return head | then(state, later(head)) if is_kept else head

    def _at(self, index: int, state: int) -> int:
        if not state and index not in self._code.yields:
            return 0
        site = self._code.sites.get(index)
        if site is not None:
            state = self._site(site, state)
        if index in self._code.yields:
            return self._yield(state)
        return state

    def _yield(self, state: int) -> int:
        if self._mode == UP_TO_YIELD:
            self._left["yield"] |= state
            return 0
        if self._mode == FROM_YIELD:
            self._raise(NONE)
            return state | NONE
        return state

    def _site(self, site: Site, state: int) -> int:
        """Run what a site runs; a site that is itself a side starts when its operands are evaluated."""
        wrap = self._wrap(site.index)
        plain = wrap is None and self._note is None
        after = self._inside(site, state) if plain else self._wrapped(site, state, wrap)
        if site.joins:
            after = joined(after)
        self._raise(after)
        return after

    def _wrapped(self, site: Site, state: int, wrap: Wrap | None) -> int:
        """Work out what a site comes to on its own, tell it, and put it behind the state."""
        outer, self._raised = self._raised, 0
        own = self._inside(site, NONE, state)
        raised, self._raised = self._raised | own, outer
        if wrap is not None:
            own, raised = wrap(own), wrap(raised)
        if self._note is not None:
            self._note(site, state, own | raised)
        self._raise(state | then(state, raised))
        return then(state, own)

    def _inside(self, site: Site, state: int, told: int = 0) -> int:
        sure = [run for run in site.runs if run.certain]
        unsure = [run for run in site.runs if not run.certain]
        if unsure:
            state = self._any(site, unsure, state, told)
        if sure:
            state = self._one_of(site, sure, state, told)
            if unsure:
                state = self._any(site, unsure, state, told)
        return state

    def _any(self, site: Site, runs: Sequence[Run], state: int, told: int) -> int:
        """Run some of several things in any order."""
        total = NONE
        for run in runs:
            effect = self._applied(run)
            total |= effect.normal
            self._raise(then(state, effect.raised))
        found = then(state, repeated(total))
        for run in runs:
            self._tell(site, run, then(told, found) if told else found)
        self._raise(found)
        return found

    def _one_of(self, site: Site, runs: Sequence[Run], state: int, told: int) -> int:
        """Run one of the callees of a call, then what Python itself calls, such as `__enter__`."""
        stages: dict[tuple[str, ...], list[Run]] = {}
        for run in sorted(runs, key=lambda r: r.step.kind not in CALLS):
            stage: tuple[str, ...] = (
                () if run.step.kind in CALLS else (run.step.kind, run.step.callee.rpartition(".")[2])
            )
            stages.setdefault(stage, []).append(run)
        for stage, same in stages.items():
            after = state if site.others and not stage else 0
            for group in _by_construction(same):
                after |= self._in_turn(site, group, state, told)
            state = after
        return state

    def _in_turn(self, site: Site, runs: Sequence[Run], state: int, told: int) -> int:
        for run in runs:
            self._tell(site, run, then(told, state) if told else state)
            effect = self._applied(run)
            self._raise(state | then(state, effect.raised))
            state = then(state, effect.normal)
        return state

    def _tell(self, site: Site, run: Run, state: int) -> None:
        if self._observe is not None:
            self._observe(site, run, state)

    def _applied(self, run: Run) -> Effect:
        effect = self._effect_of(run)
        if run.how == LATER:
            return Effect(later(effect.normal | effect.raised), NONE)
        if run.how == PARTIAL:
            some = NONE | effect.normal | effect.raised
            return Effect(some | later(some) | then(some, later(some)), effect.raised)
        return effect


def _by_construction(runs: Sequence[Run]) -> list[list[Run]]:
    """Put the steps of one construction, `__new__` before `__init__`, together; other runs stand alone."""
    groups: dict[object, list[Run]] = {}
    for run in runs:
        owner, _, last = run.step.callee.rpartition(".")
        joint = run.step.kind == "construct" and last in _MAKING
        groups.setdefault(owner if joint else run.number, []).append(run)
    return [sorted(group, key=lambda r: _MAKING.get(r.step.callee.rpartition(".")[2], 0)) for group in groups.values()]


_MAKING = {"__call__": 0, "__new__": 1, "__init__": 2, "__post_init__": 3}
_PARTS = frozenset([ENTER, EXIT])


def mode_of(run: Run) -> int:
    """Return which part of its callee a run runs."""
    return {ENTER: UP_TO_YIELD, EXIT: FROM_YIELD}.get(run.how, WHOLE)


def _has_rounds(exprs: Sequence[ir.Expr], index: int) -> bool:
    """Tell whether iterating an expression certainly gives an element."""
    expr = exprs[index]
    if isinstance(expr, ir.Sequence):
        return any(not isinstance(exprs[i], ir.Starred) for i in expr.items)
    if isinstance(expr, ir.Call) and isinstance(func := exprs[expr.func], ir.Name) and func.id == "range":
        last = exprs[expr.args[0].value] if len(expr.args) == 1 else None
        return isinstance(last, ir.Const) and isinstance(last.value, int) and last.value > 0
    return False
