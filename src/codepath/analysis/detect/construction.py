"""How an object's attributes come into being: its constructor run over sets of names, with all that it calls on `self`.

`must` are the attributes that are set on every way so far, `may` those that some way sets. A read of an attribute that no way
has set so far comes too early; an attribute in `may` alone at the end is set on some branches only.

Approximates: under for reads that come too early (a loop may have run, a handler may have been entered); methods are entered
up to a depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from codepath.analysis.detect.families import Families, Family
from codepath.analysis.detect.tables import Asked, Method, Site
from codepath.model import ir
from codepath.program.bodies import Body
from codepath.program.tree import ScopeInfo

_DEPTH = 8
_MOST = 4000
"""Methods entered for one class; beyond that nothing is said of it."""


class State(NamedTuple):
    """The attributes set on every way, and on some way; `known` are those of which conditions have told whether they hold."""

    must: frozenset[str]
    may: frozenset[str]
    known: frozenset[tuple[str, bool]] = frozenset()

    def set(self, name: str) -> State:
        """Return the state after an attribute was set."""
        return State(self.must | {name}, self.may | {name}, self.known - {(name, True), (name, False)})

    def told(self, name: str, value: bool) -> State:
        """Return the state where a condition has told whether an attribute holds."""
        return self._replace(known=self.known - {(name, not value)} | {(name, value)})

    def joined(self, other: State | None) -> State:
        """Return the state where two ways meet; None is a way that never gets there."""
        if other is None:
            return self
        return State(self.must & other.must, self.may | other.may, self.known & other.known)


NOTHING = State(frozenset(), frozenset())
Told: TypeAlias = "tuple[tuple[str, bool], ...]"
"""Parameters whose arguments are constants, with their truth value."""


def told(scope: ir.Scope, asked: Asked, callee: Body, known: Told = ()) -> Told:
    """Return the parameters of a method that a call in `scope` gives constants, by its arguments or by their defaults.

    `known` are the parameters of the caller that are constants.
    """
    call = scope.exprs[asked.site.expr]
    if not isinstance(call, ir.Call) or any(arg.star for arg in call.args):
        return ()
    skipped = 1 if asked.through and not asked.through.startswith("super") else 0
    params = [p for p in callee.scope.params[1:] if p.form in ("positional", "normal", "keyword")]
    given: dict[str, ir.Expr] = {}
    positional = [arg for arg in call.args if arg.name is None][skipped:]
    for param, arg in zip(params, positional, strict=False):
        given[param.id] = scope.exprs[arg.value]
    given.update({arg.name: scope.exprs[arg.value] for arg in call.args if arg.name is not None})
    for param in params:
        if param.id not in given and param.default >= 0 and callee.around is not None:
            given[param.id] = callee.around.exprs[param.default]
    constants = {k: bool(v.value) for k, v in given.items() if isinstance(v, ir.Const) and not v.form}
    passed = dict(known)
    constants.update((k, passed[v.id]) for k, v in given.items() if isinstance(v, ir.Name) and v.id in passed)
    return tuple(sorted(constants.items()))


class Early(NamedTuple):
    """A read of an attribute that nothing can have set yet: in `method`, over the calls `through`, outermost first.

    `is_hook`: the constructor of a base outside the tree calls it.
    """

    name: str
    method: Method
    site: Site
    through: tuple[Site, ...]
    is_hook: bool


@dataclass
class Construction:
    """What the constructor of a class does.

    Args:
        end: The state where it returns; None where it never does.
        early: Reads that come too early.
        entered: The methods that it runs.
        is_whole: Whether no bound was met, and no base outside the tree had a part in it unseen.
    """

    end: State | None = NOTHING
    early: list[Early] = field(default_factory=list)
    entered: set[int] = field(default_factory=set)
    is_whole: bool = True


class Constructions:
    """Runs constructors."""

    def __init__(self, families: Families) -> None:
        self._families = families
        self._found: dict[int, Construction] = {}

    def of(self, family: Family) -> Construction:
        """Return what the constructor of a class does."""
        found = self._found.get(family.cls.sid)
        if found is None:
            found = self._found[family.cls.sid] = _Run(self._families, family).construct()
        return found


class _Run:
    def __init__(self, families: Families, family: Family) -> None:
        self._families = families
        self._family = family
        self._result = Construction()
        self._stack: list[int] = []
        self._through: list[Site] = []
        self._seen: set[tuple[int, int]] = set()
        self._count = 0
        self._hooks = 0
        self._memo: dict[tuple[int, State, Told], State | None] = {}

    def construct(self) -> Construction:
        state: State | None = NOTHING
        for name in ("__init__", "__post_init__"):
            found = self._families.method(self._family.cls, name)
            if found is not None and state is not None:
                state = self._enter(found, state, ())
        self._result.end = state
        self._result.is_whole = self._count < _MOST
        return self._result

    def _enter(self, found: tuple[ScopeInfo, Method], state: State, told: Told) -> State | None:
        owner, method = found
        key = (method.info.sid, state, told)
        if key in self._memo:
            return self._memo[key]
        if method.info.sid in self._stack or len(self._stack) >= _DEPTH or self._count >= _MOST:
            return State(state.must, state.may | frozenset(method.stores))
        if self.scope(method).is_async:
            return state
        if self.scope(method).is_generator:  # what stands behind a `yield` runs later
            return State(state.must, state.may | frozenset(method.stores))
        self._count += 1
        self._stack.append(method.info.sid)
        self._result.entered.add(method.info.sid)
        after = _Body(self, owner, method, told).run(state)
        self._stack.pop()
        self._memo[key] = after
        return after

    def scope(self, method: Method) -> ir.Scope:
        """Return the body of a method."""
        return self._families.tree.bodies.of(method.info).scope

    def call(self, owner: ScopeInfo, asked: Asked, state: State, known: Told) -> State | None:
        """Return the state after a call on one's own object."""
        found = self._families.called(self._family.cls, owner, asked)
        if found is None:
            return self._outside(asked, state) if asked.method == "__init__" else state
        if found[1].form in ("static", "class"):
            return state
        self._through.append(asked.site)
        after = self._enter(found, state, self._told(asked, found[1], known))
        self._through.pop()
        return after

    def _told(self, asked: Asked, method: Method, known: Told) -> Told:
        """Return the parameters that a call gives constants, by what it passes or by their defaults."""
        info = self._families.tree.info(asked.site.sid)
        return told(self._families.tree.bodies.of(info).scope, asked, self._families.tree.bodies.of(method.info), known)

    def has(self, name: str, state: State) -> bool:
        """Tell whether an object may have an attribute."""
        family = self._family
        return (
            name in state.may or self._families.provides(family.cls, name) or self._families.outside(family.cls).is_open
        )

    def _outside(self, asked: Asked, state: State) -> State | None:
        """Run the methods that the constructor of a base outside the tree calls."""
        after: State | None = state
        for name in self._families.outside(self._family.cls).constructor_runs:
            found = self._families.method(self._family.cls, name)
            if found is not None and after is not None:
                self._through.append(asked.site)
                self._hooks += 1
                after = self._enter(found, after, ())
                self._hooks -= 1
                self._through.pop()
        return after

    def read(self, owner: ScopeInfo, method: Method, name: str, site: Site, state: State) -> State | None:
        """Note a read; one of a property runs it."""
        found = self._families.method(self._family.cls, name)
        if found is not None and found[1].form == "property" and found[1] is not method:
            self._through.append(site)
            after = self._enter(found, state, ())
            self._through.pop()
            return after
        if name not in state.may and method.needs(name) and (site.sid, site.expr) not in self._seen:
            self._seen.add((site.sid, site.expr))
            self._result.early.append(Early(name, method, site, tuple(self._through), self._hooks > 0))
        return state


class _Body:
    """Runs one method."""

    def __init__(self, run: _Run, owner: ScopeInfo, method: Method, told: Told) -> None:
        self._run = run
        self._told = dict(told)
        self._owner = owner
        self._method = method
        self._scope = run.scope(method)
        self._events: dict[int, list[tuple[str, object]]] = {}
        self._exit: State | None = None
        own = method.info.sid
        for name, sites in method.stores.items():
            for site in sites:
                if site.sid == own:
                    self._events.setdefault(site.expr, []).append(("store", name))
        for name, sites in method.reads.items():
            for site in sites:
                if site.sid == own:
                    self._events.setdefault(site.expr, []).append(("read", (name, site)))
        for asked in method.asked:
            if asked.site.sid == own:
                self._events.setdefault(asked.site.expr, []).append(("call", asked))
        for name, sites in method.given.items():
            for site in sites:
                if site.sid == own:
                    self._events.setdefault(site.expr, []).append(("store", name))
        self._indices = sorted(self._events)

    def run(self, state: State) -> State | None:
        end = self._regions(self._scope.body, state)
        self._leave(end)
        return self._exit

    def _leave(self, state: State | None) -> None:
        if state is not None:
            self._exit = state.joined(self._exit)

    def _regions(self, regions: Sequence[ir.Region], state: State | None) -> State | None:
        for region in regions:
            if state is None:
                return None
            state = self._region(region, state)
        return state

    def _evaluate(self, start: int, stop: int, state: State | None) -> State | None:
        from bisect import bisect_left

        for position in range(bisect_left(self._indices, start), len(self._indices)):
            index = self._indices[position]
            if index >= stop or state is None:
                break
            for kind, what in self._events[index]:
                state = self._event(kind, what, state)
                if state is None:
                    break
        return state

    def _event(self, kind: str, what: object, state: State) -> State | None:
        if kind == "store":
            assert isinstance(what, str)
            return state.set(what)
        if kind == "call":
            assert isinstance(what, Asked)
            return self._run.call(self._owner, what, state, tuple(sorted(self._told.items())))
        assert isinstance(what, tuple)
        return self._run.read(self._owner, self._method, what[0], what[1], state)

    def _region(self, region: ir.Region, state: State) -> State | None:
        if isinstance(region, ir.Jump):
            return None
        if isinstance(region, ir.Try):
            return self._try(region, state)
        after = self._evaluate(region.start, region.stop, state)
        if isinstance(region, ir.Return):
            self._leave(after)
            return None
        if isinstance(region, ir.Raise):
            return None
        if after is None or isinstance(region, (ir.Do, ir.Assert)):
            return after
        if isinstance(region, ir.If):
            test = self._test(region.test, after)
            then = self._regions(region.body, self._assumed(region.test, after, True)) if test is not False else None
            other = self._regions(region.orelse, self._assumed(region.test, after, False)) if test is not True else None
            return then.joined(other) if then is not None else other
        if isinstance(region, ir.With):
            return self._regions(region.body, after)
        if isinstance(region, ir.Match):
            return self._match(region, after)
        return self._loop(region, after)

    def _assumed(self, index: int, state: State, value: bool) -> State:
        """Return the state where a condition has a value: of attributes that it asks for alone, that is kept in mind."""
        expr = self._scope.exprs[index]
        if isinstance(expr, ir.Unary) and expr.op == "not":
            return self._assumed(expr.value, state, not value)
        if isinstance(expr, ir.Bool) and (expr.op == "and") is value:
            for part in expr.values:
                state = self._assumed(part, state, value)
            return state
        return state.told(expr.id, value) if isinstance(expr, ir.Attr) and self._is_own(expr.value) else state

    def _is_own(self, index: int) -> bool:
        expr = self._scope.exprs[index]
        return isinstance(expr, ir.Name) and expr.id == self._scope.params[0].id

    def _test(self, index: int, state: State) -> bool | None:
        """Return what a condition is, None where that is not known."""
        expr = self._scope.exprs[index]
        if isinstance(expr, ir.Attr) and self._is_own(expr.value):
            return next((value for name, value in state.known if name == expr.id), None)
        if isinstance(expr, ir.Unary) and expr.op == "not":
            value = self._test(expr.value, state)
            return None if value is None else not value
        if isinstance(expr, ir.Name):
            is_param = len(self._scope.uses[expr.use]) == 1 and expr.id in self._told
            return self._told[expr.id] if is_param else None
        if isinstance(expr, ir.Bool):
            values = [self._test(i, state) for i in expr.values]
            if (expr.op == "or") in values:
                return expr.op == "or"
            return None if None in values else expr.op == "and"
        if isinstance(expr, ir.Call) and len(expr.args) == 2:
            func, owner, name = (self._scope.exprs[i] for i in (expr.func, expr.args[0].value, expr.args[1].value))
            is_own = isinstance(owner, ir.Name) and owner.id == self._scope.params[0].id
            if is_own and isinstance(func, ir.Name) and func.id == "hasattr" and isinstance(name, ir.Const):
                return None if self._run.has(str(name.value), state) else False
        return None

    def _loop(self, region: ir.While | ir.For, state: State) -> State | None:
        bound = self._evaluate(region.stop, region.bound, state) if isinstance(region, ir.For) else state
        done = self._regions(region.body, bound)
        test = self._scope.exprs[region.test] if isinstance(region, ir.While) else None
        is_endless = isinstance(test, ir.Const) and bool(test.value)
        after = (
            state
            if done is None
            else State(done.must if is_endless else state.must, state.may | done.may, state.known & done.known)
        )
        return self._regions(region.orelse, after)

    def _match(self, region: ir.Match, state: State) -> State | None:
        found: State | None = None
        is_total = False
        for case in region.cases:
            end = self._regions(case.body, self._evaluate(case.start, case.stop, state))
            found = end.joined(found) if end is not None else found
            is_total = is_total or (case.irrefutable and case.guard < 0)
        return found if is_total else state.joined(found)

    def _try(self, region: ir.Try, state: State) -> State | None:
        tried = self._regions(region.body, state)
        may = state.may | (tried.may if tried is not None else frozenset(self._method.stores))
        ended = self._regions(region.orelse, tried)
        for handler in region.handlers:
            caught = self._evaluate(handler.start, handler.stop, State(state.must, may))
            end = self._regions(handler.body, caught)
            ended = end.joined(ended) if end is not None else ended
        return self._regions(region.final, ended) if ended is not None else None
