"""The sites of a function at which a side of a question may run: its call sites, placed in evaluation order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from codepath.model import ir
from codepath.model.answers import Step
from codepath.program.bodies import Body
from codepath.program.regions import every_region
from codepath.program.subtrees import children, first_of

NOW = "now"
ASIDE = "aside"
LATER = "later"
PARTIAL = "partial"
ENTER = "enter"
EXIT = "exit"

_ASIDE = frozenset(["spawn-process", "spawn-thread", "executor", "task"])
_LATER = frozenset(["signal", "at-exit", "route", "custom-op"])
CALLS = frozenset(["call", "construct", "super", "dispatch", "registry", *_ASIDE])
_LEAVING = frozenset(["__exit__", "__aexit__"])
_CONDITIONAL = (ir.Bool, ir.Ternary, ir.Comp)


@dataclass(frozen=True, slots=True)
class Run:
    """One thing that a site may run.

    Args:
        step: The step of the call graph.
        how: `now`, `aside` in a thread of control of its own, `later`, `partial` as parts of a generator, `enter` and
            `exit` as the parts before and after the `yield` of a context manager.
        certain: Whether it runs whenever the site is evaluated and no other run of the site does.
        number: Tells it from the other runs of the function.
    """

    step: Step
    how: str
    certain: bool
    number: int


@dataclass(slots=True)
class Site:
    """An expression of a function, or the end of a `with` on it, and what it may run.

    `others` tells that something that is no matter of the question may run instead; `joins` that the site waits for the one
    thing that the function started.
    """

    index: int
    runs: list[Run] = field(default_factory=list)
    others: bool = False
    joins: bool = False


@dataclass(slots=True)
class Code:
    """A function as the order of its sites needs it.

    Args:
        body: The function.
        sites: By expression.
        exits: By expression, what the end of a `with` on it runs.
        conditionals: The extents of expressions that evaluate only some of their operands and hold a site.
        yields: The expressions at which a generator pauses.
        swallowing: The expressions of `with` whose managers may swallow an exception.
        consumed: The generator expressions that the call around them runs to their end.
    """

    body: Body
    sites: dict[int, Site]
    exits: dict[int, Site]
    conditionals: list[tuple[int, int]]
    yields: frozenset[int]
    swallowing: frozenset[int]
    consumed: frozenset[int]

    def place(self, index: int) -> tuple[int, int]:
        """Return the line and column of an expression."""
        at = self.body.scope.exprs[index].at
        return ir.line_of(at), ir.column_of(at)


Forms = Callable[[str], "tuple[bool, bool]"]
"""Tells whether a function is a generator, and whether it is a coroutine function."""
Swallows = Callable[[str], bool]
"""Tells whether an `__exit__`, or a generator that is a context manager, may swallow an exception."""
When = Callable[[str], str]
"""Tells when an outside function runs what is handed to it: `now`, `later` or `joined`."""


class Placing:
    """Places the steps out of one function.

    Args:
        body: The function.
        steps: Every step out of it.
        forms: What the callees are.
        swallows: Which of them may swallow an exception.
        when: When outside functions run what they are given.
    """

    def __init__(self, body: Body, steps: Sequence[Step], forms: Forms, swallows: Swallows, when: When) -> None:
        self.body = body
        self.exprs = body.scope.exprs
        self.steps = steps
        self.forms = forms
        self.swallows = swallows
        self.when = when
        self.runs = 0
        self.callees: dict[int, list[str]] = {}
        for step in steps:
            self.callees.setdefault(ir.pack(step.line, step.column), []).append(step.callee)
        self.by_place: dict[int, list[int]] = {}
        for index, expr in enumerate(self.exprs):
            if expr.at in self.callees and expr.__class__ in _PLACED:
                self.by_place.setdefault(expr.at, []).append(index)
        self.contexts = frozenset(
            c for r in every_region(body.scope.body) if isinstance(r, ir.With) for c in r.contexts
        )

    @cached_property
    def parents(self) -> dict[int, int]:
        """The expression around each expression."""
        return {inner: index for index, expr in enumerate(self.exprs) for inner in children(expr)}

    def code_of(self, is_relevant: Callable[[Step], bool], marked: Iterable[int]) -> Code:
        """Return the sites of the function.

        Args:
            is_relevant: Whether a step may run a side of the question.
            marked: Expressions that are sites of their own.
        """
        relevant: list[Step] = []
        others: list[Step] = []
        for step in self.steps:
            (relevant if is_relevant(step) else others).append(step)
        return self._code(relevant, others, marked)

    def _code(self, relevant: Sequence[Step], others: Sequence[Step], marked: Iterable[int]) -> Code:
        self.runs = 0
        sites: dict[int, Site] = {}
        exits: dict[int, Site] = {}
        for step in relevant:
            places = self._places(step)
            for index in places:
                self._put(index, step, len(places) == 1, sites, exits)
        for step in others:
            if step.kind in CALLS:
                for index in self._places(step):
                    self._note_other(sites.get(index), step)
        self._joins(sites)
        for index in marked:
            sites.setdefault(index, Site(index))
        yields = self._yields
        conditionals = _conditionals(self._conditional, {*sites, *yields})
        generators = (last for _, last in conditionals if isinstance(self.exprs[last], ir.Comp))
        consumed = frozenset(last for last in generators if self._is_consumed(last))
        return Code(self.body, sites, exits, conditionals, yields, self._swallowing, consumed)

    def _is_consumed(self, index: int) -> bool:
        """Tell whether an expression is the argument of a builtin that iterates it before it returns."""
        parent = self.parents.get(index, -1)
        expr = self.exprs[parent] if parent >= 0 else None
        if not isinstance(expr, ir.Call) or index == expr.func:
            return False
        return any(callee in _CONSUMING for callee in self.callees.get(expr.at, ()))

    @cached_property
    def _yields(self) -> frozenset[int]:
        return frozenset(i for i, e in enumerate(self.exprs) if isinstance(e, (ir.Yield, ir.YieldFrom)))

    @cached_property
    def _conditional(self) -> list[tuple[int, int]]:
        """The first and the last of what each expression that evaluates only some of its operands evaluates."""
        return [
            (first_of(self.exprs, index), index)
            for index, expr in enumerate(self.exprs)
            if isinstance(expr, _CONDITIONAL) or (isinstance(expr, ir.Compare) and len(expr.ops) > 1)
        ]

    @cached_property
    def _swallowing(self) -> frozenset[int]:
        """The contexts of `with` whose managers may swallow an exception."""
        found = {c for c in self.contexts if self._name(c) in _SWALLOWING}
        places = {self.exprs[c].at for c in self.contexts}
        for step in (s for s in self.steps if ir.pack(s.line, s.column) in places):
            if step.kind == "context" and step.callee.rpartition(".")[2] in _LEAVING and self.swallows(step.callee):
                found.update(self._places(step))
            elif step.kind in CALLS and self.forms(step.callee)[0] and self.swallows(step.callee):
                found.update(i for i in self._places(step) if i in self.contexts)
        return frozenset(found)

    def _note_other(self, site: Site | None, step: Step) -> None:
        """Note that a step, of no matter to the question, may be taken instead of those of a site."""
        if site is None:
            return
        owner = step.callee.rpartition(".")[0]
        same = any(r.step.callee.rpartition(".")[0] == owner for r in site.runs)
        if step.kind != "construct" or not same:
            site.others = True

    # --- where a step stands -------------------------------------------------------------------------------------------

    def _places(self, step: Step) -> list[int]:
        """Return the expressions that a step can be of: one, where that can be told."""
        here = self.by_place.get(ir.pack(step.line, step.column), [])
        if not here:
            return self._around(step)
        if step.kind in CALLS or step.kind == "callback":
            calls = [i for i in here if isinstance(self.exprs[i], ir.Call)] or here
            choose = self._taking if step.kind == "callback" else self._named
            return choose(calls, step) if len(calls) > 1 else calls
        if step.kind == "context":
            return [i for i in here if i in self.contexts][-1:] or here[-1:]
        return self._named(here, step) if len(here) > 1 else here

    def _named(self, candidates: list[int], step: Step) -> list[int]:
        """Return the candidates that name the callee; all, where none does."""
        parts = step.callee.split(".")
        names = {parts[-1], parts[-2] if len(parts) > 1 and parts[-1].startswith("__") else parts[-1]}
        found = [i for i in candidates if self._name(i) in names]
        return found[-1:] if found else candidates

    def _taking(self, calls: list[int], step: Step) -> list[int]:
        """Return those of some calls that are handed the callee by its name; all, where none is."""
        last = step.callee.rpartition(".")[2]
        found = [i for i in calls if any(self._name(inner) == last for inner in self._arguments(i))]
        return found or calls

    def _arguments(self, index: int) -> list[int]:
        expr = self.exprs[index]
        return [argument.value for argument in expr.args] if isinstance(expr, ir.Call) else []

    def _name(self, index: int) -> str:
        expr = self.exprs[index]
        if isinstance(expr, ir.Call):
            expr = self.exprs[expr.func]
        return expr.id if isinstance(expr, (ir.Name, ir.Attr, ir.StoreAttr)) else ""

    def _around(self, step: Step) -> list[int]:
        """Return the class statement whose body holds a step, else the first expression from its place on."""
        at = ir.pack(step.line, step.column)
        scopes = self.body.info.module.scopes
        for index, expr in enumerate(self.exprs):
            if isinstance(expr, ir.Class) and scopes[expr.scope].at <= at < scopes[expr.scope].end:
                return [index]
        following = (i for i, e in enumerate(self.exprs) if e.at >= at)
        return [next(following, len(self.exprs) - 1)] if self.exprs else []

    # --- how it runs -----------------------------------------------------------------------------------------------------

    def _put(self, index: int, step: Step, alone: bool, sites: dict[int, Site], exits: dict[int, Site]) -> None:
        last = step.callee.rpartition(".")[2]
        certain = alone and step.kind != "import" and not isinstance(self.exprs[index], ir.Class)
        if step.kind == "context" and last in _LEAVING:
            self._add(exits, index, step, NOW, certain)
            return
        generator, is_async = self.forms(step.callee)
        how = self._how(index, step)
        if generator and how == NOW and step.kind in CALLS:
            if index in self.contexts:
                self._add(sites, index, step, ENTER, certain)
                self._add(exits, index, step, EXIT, certain)
                return
            how, certain = PARTIAL, False
        elif is_async and how == NOW and not self._is_awaited(index):
            how = PARTIAL
            certain = False
        self._add(sites, self._started(index) if how == ASIDE else index, step, how, certain)

    def _add(self, sites: dict[int, Site], index: int, step: Step, how: str, certain: bool) -> None:
        self.runs += 1
        sites.setdefault(index, Site(index)).runs.append(Run(step, how, certain, self.runs))

    def _how(self, index: int, step: Step) -> str:
        if step.kind in _ASIDE:
            return NOW if self._when(index) == "joined" else ASIDE
        if step.kind in _LATER:
            return LATER
        if step.kind == "callback":
            return LATER if self._when(index) == "later" else NOW
        return NOW

    def _when(self, index: int) -> str:
        """Return when the call around an expression, or the call that it is, runs what it is given."""
        call = index if isinstance(self.exprs[index], ir.Call) else self._call_around(index)
        found = {self.when(callee) for callee in self.callees.get(self.exprs[call].at, ())} if call >= 0 else set()
        return next((w for w in ("later", "joined") if w in found), "now")

    def _call_around(self, index: int) -> int:
        call = self.parents.get(index, -1)
        while call >= 0 and not isinstance(self.exprs[call], ir.Call):
            call = self.parents.get(call, -1)
        return call

    def _is_awaited(self, index: int) -> bool:
        parent = self.parents.get(index, -1)
        expr = self.exprs[parent] if parent >= 0 else None
        if isinstance(expr, ir.Call) and index != expr.func:
            return any(c.rpartition(".")[2] in _RUNNERS for c in self.callees.get(expr.at, ()))
        return isinstance(expr, ir.Await)

    def _started(self, spawn: int) -> int:
        """Return the one `.start()` of what a spawn makes, else the spawn."""
        calls = self._method_calls(spawn, ("start",))
        return calls[0] if len(calls) == 1 else spawn

    def _joins(self, sites: dict[int, Site]) -> None:
        """Mark the one `.join()` of the only thing that the function starts."""
        spawns = [i for i, site in sites.items() if any(r.how == ASIDE for r in site.runs)]
        made = [i for i in sites if i in spawns]
        if len(made) != 1 or _in_loop(self.body, made[0]):
            return
        origin = self._origin(made[0])
        for index in self._method_calls(origin, ("join", "result", "wait")):
            sites.setdefault(index, Site(index)).joins = True

    def _origin(self, index: int) -> int:
        """Return the construction whose `.start()` stands at an expression, else the expression."""
        expr = self.exprs[index]
        func = self.exprs[expr.func] if isinstance(expr, ir.Call) else None
        if isinstance(func, ir.Attr) and func.id == "start":
            base = self.exprs[func.value]
            bind = self._bound(base) if isinstance(base, ir.Name) else None
            if bind is not None:
                return bind.value
        return index

    def _method_calls(self, made: int, methods: tuple[str, ...]) -> list[int]:
        """Return the calls of methods, without arguments, on a local name that holds what one expression makes."""
        found = []
        for index, expr in enumerate(self.exprs):
            if not isinstance(expr, ir.Call) or expr.args:
                continue
            func = self.exprs[expr.func]
            if isinstance(func, ir.Attr) and func.id in methods:
                base = self.exprs[func.value]
                bind = self._bound(base) if isinstance(base, ir.Name) else None
                if bind is not None and bind.value == made and not bind.how:
                    found.append(index)
        return found

    def _bound(self, name: ir.Name) -> ir.Bind | None:
        reaching = self.body.scope.uses[name.use]
        if len(reaching) != 1 or reaching[0] < 0:
            return None
        bind = self.body.scope.definitions[reaching[0]].bind
        expr = self.exprs[bind] if bind >= 0 else None
        return expr if isinstance(expr, ir.Bind) else None


_PLACED: frozenset[type] = frozenset(
    (ir.Call, ir.Attr, ir.Subscript, ir.Function, ir.Class, ir.Name, ir.Import, ir.ImportFrom, ir.StoreAttr,
     ir.StoreItem, ir.Binary, ir.Compare, ir.Unary, ir.Bool, ir.Comp, ir.Remove, ir.Lambda, ir.Joined)
)  # fmt: skip
_SWALLOWING = frozenset(["suppress", "raises", "ExitStack", "AsyncExitStack"])
_CONSUMING = frozenset(
    f"builtins.{name}"
    for name in ("all", "any", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple")
)
_RUNNERS = frozenset(["run", "run_until_complete", "run_coroutine"])


def _conditionals(every: Iterable[tuple[int, int]], sites: Iterable[int]) -> list[tuple[int, int]]:
    """Return those of some extents that hold one of some expressions before their last, outer ones first."""
    wanted = sorted(sites)
    found = [(first, last) for first, last in every if bisect_left(wanted, first) < bisect_left(wanted, last)]
    return sorted(found, key=lambda extent: (extent[0], -extent[1]))


def _in_loop(body: Body, index: int) -> bool:
    return any(g.kind in ("for", "while", "comprehension") for g in body.guards.of(index))
