"""What arrives at parameters and results."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.nulls.expressions import Expressions
from codepath.analysis.nulls.nodes import Context, Flows, Hop, Inflow, Made, Something, Unknown
from codepath.analysis.nulls.receivers import Receivers
from codepath.analysis.nulls.tables import entries_of
from codepath.analysis.nulls.world import World
from codepath.model import ir
from codepath.model.answers import Step
from codepath.program.regions import every_region
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId

_PASSING = frozenset(["call", "construct", "super", "dispatch", "spawn-process", "spawn-thread"])
_SPAWNS = frozenset(["spawn-process", "spawn-thread"])
_MAX_CALLERS = 60


class Arguments:
    """Gives the inflows of parameters, of results, and of what generators yield."""

    def __init__(self, world: World, receivers: Receivers, expressions: Expressions) -> None:
        self._world = world
        self._receivers = receivers
        self._expressions = expressions

    # --- results -----------------------------------------------------------------------------------------------------

    def returned(self, sid: ScopeId, how: tuple[int, ...], context: Context) -> Iterator[Inflow]:
        """Yield what a function returns, or what an unpacking takes from it."""
        world = self._world
        info, scope = world.info(sid), world.body(sid).scope
        flow = world.flow(sid)
        if info.form == "lambda":
            yield Flows(("part", sid, self._lambda_value(scope), how, context))
            return
        for region in every_region(scope.body):
            if not isinstance(region, ir.Return):
                continue
            hop = Hop(world.place(sid, region.at), f"returned by `{info.id}`")
            if region.value >= 0:
                yield Flows(("part", sid, region.value, how, context), (hop,))
            elif not how:
                made = self._expressions.made(
                    sid, region.at, f"`{info.id}` returns nothing", flow.points.get(-region.at), context
                )
                yield made
        if flow.end is not None and not how and not self._is_stub(info, scope):
            yield self._expressions.made(sid, info.at, f"`{info.id}` can end without `return`", flow.end, context)

    def _lambda_value(self, scope: ir.Scope) -> int:
        region = scope.body[-1]
        return region.value if isinstance(region, ir.Return) else len(scope.exprs) - 1

    def _is_stub(self, info: ScopeInfo, scope: ir.Scope) -> bool:
        """Tell whether a function only declares: abstract, or with a body of `...`."""
        terms = (t if isinstance(t, str) else t[0] for t in info.decorators)
        if any(t.rpartition(".")[2] in ("abstractmethod", "overload") for t in terms):
            return True
        last = scope.body[-1] if scope.body else None
        value = scope.exprs[last.stop - 1] if isinstance(last, ir.Do) and last.stop > last.start else None
        return isinstance(value, ir.Const) and value.form == "ellipsis"

    def yielded(self, sid: ScopeId, how: tuple[int, ...], context: Context) -> Iterator[Inflow]:
        """Yield what a generator yields: a context manager made of it gives that."""
        world = self._world
        scope = world.body(sid).scope
        for expr in scope.exprs:
            if isinstance(expr, ir.Yield):
                hop = Hop(world.place(sid, expr.at), f"yielded by `{world.info(sid).id}`")
                if expr.value >= 0:
                    yield Flows(("part", sid, expr.value, how, context), (hop,))
                elif not how:
                    yield Made((hop,))

    # --- parameters --------------------------------------------------------------------------------------------------

    def param(self, sid: ScopeId, number: int, context: Context) -> Iterator[Inflow]:
        """Yield what a parameter gets: from the call site of the context, else from all that are known."""
        info = self._world.info(sid)
        param = self._world.body(sid).scope.params[number]
        if param.form in ("star", "double-star"):
            yield Something("tuple" if param.form == "star" else "dict")
            return
        owner = self._world.bodies.tree.class_around(info)
        if number == 0 and owner is not None and "staticmethod" not in info.decorators and info.form == "function":
            yield Something(f"its {param.id}")
            return
        if context:
            caller, index = context[-1]
            yield from self.passed(info, number, caller, index, context[:-1], "call")
            return
        yield from self._from_everywhere(info, number)

    def _from_everywhere(self, info: ScopeInfo, number: int) -> Iterator[Inflow]:
        world = self._world
        place = world.place(info.sid, info.at)
        steps = world.graph.steps_into(info.name)
        if not steps:
            name = world.body(info.sid).scope.params[number].id
            yield Unknown(f"nothing in the tree calls `{info.id}`, which gets `{name}`", place)
            yield from self._default(info, number)
            return
        if len(steps) > _MAX_CALLERS:
            yield Unknown(f"`{info.id}` has {len(steps)} call sites, too many to follow", place)
            return
        for step in steps:
            yield from self._from_step(info, number, step)

    def _from_step(self, info: ScopeInfo, number: int, step: Step) -> Iterator[Inflow]:
        world = self._world
        at = ir.pack(step.line, step.column)
        if step.resolution == "by-name" or step.kind not in _PASSING:
            caller = world.bodies.scope(step.caller)
            if caller is not None:
                said = "by its name only" if step.resolution == "by-name" else f"in its own way ({step.kind})"
                yield Unknown(f"`{info.id}` is run {said}", world.place(caller.sid, at))
            return
        for sid in world.scopes_named(step.caller):
            for index in world.calls_of(at, sid, info.name):
                yield from self.passed(info, number, sid, index, (), step.kind)

    def passed(
        self, info: ScopeInfo, number: int, caller: ScopeId, index: int, context: Context, kind: str
    ) -> Iterator[Inflow]:
        """Yield what one call site passes as a parameter."""
        world = self._world
        call = world.expr(caller, index)
        place = world.place(caller, call.at)
        if not isinstance(call, ir.Call):
            yield Unknown(f"`{info.id}` is run in its own way here", place)
            return
        if kind in _SPAWNS:
            yield from self._spawned(info, number, caller, call, context)
            return
        param = world.body(info.sid).scope.params[number]
        position = number - self.skipped(info, caller, call, kind)
        given = argument_of(call, position, param)
        if given >= 0:
            hop = Hop(place, f"passed as `{param.id}` to `{_shown(info)}`")
            yield Flows(("value", caller, given, context), (hop,))
            return
        yield from self._by_star(info, number, caller, call, context)

    def _by_star(
        self, info: ScopeInfo, number: int, caller: ScopeId, call: ir.Call, context: Context
    ) -> Iterator[Inflow]:
        """Yield what a call gives a parameter that it does not name: from `*` and `**` arguments, or its default."""
        place = self._world.place(caller, call.at)
        param = self._world.body(info.sid).scope.params[number]
        hop = Hop(place, f"passed as `{param.id}` to `{_shown(info)}`")
        tables = [entries_of(self._world, caller, a.value, param.id) for a in call.args if a.star == 2]
        for value in (value for entries in tables for value in entries or ()):
            yield Flows(("value", caller, value, context), (hop,))
        is_open = param.form != "keyword" and any(a.star == 1 for a in call.args)
        if is_open or None in tables:
            yield Unknown(f"`{param.id}` may be among the `*` arguments", place)
        if is_open or not any(tables):
            yield from self._default(info, number, (Hop(place, f"`{_shown(info)}` is called without `{param.id}`"),))

    def _spawned(
        self, info: ScopeInfo, number: int, caller: ScopeId, call: ir.Call, context: Context
    ) -> Iterator[Inflow]:
        world = self._world
        place = world.place(caller, call.at)
        param = world.body(info.sid).scope.params[number]
        held = next((a.value for a in call.args if a.name == "args"), -1)
        items = world.expr(caller, held) if held >= 0 else None
        owner = world.bodies.tree.class_around(info)
        position = number - (1 if owner is not None and "staticmethod" not in info.decorators else 0)
        if isinstance(items, ir.Sequence) and 0 <= position < len(items.items):
            hop = Hop(place, f"passed as `{param.id}` to `{_shown(info)}`")
            yield Flows(("value", caller, items.items[position], context), (hop,))
        else:
            yield Unknown(f"how `{param.id}` is passed here is not known", place)

    def skipped(self, info: ScopeInfo, caller: ScopeId, call: ir.Call, kind: str) -> int:
        """Return how many parameters the receiver takes."""
        owner = self._world.bodies.tree.class_around(info)
        if owner is None or info.form != "function" or "staticmethod" in info.decorators:
            return 0
        if kind == "construct" or info.id in ("__init__", "__new__") or "classmethod" in info.decorators:
            func = self._world.expr(caller, call.func)
            explicit = isinstance(func, ir.Attr) and func.id == "__init__" and self._names_class(caller, func.value)
            return 0 if explicit else 1
        func = self._world.expr(caller, call.func)
        return 0 if isinstance(func, ir.Attr) and self._names_class(caller, func.value) else 1

    def _names_class(self, sid: ScopeId, index: int) -> bool:
        return any(kind == "class" for kind, _ in self._world.denoted(sid, index))

    def _default(self, info: ScopeInfo, number: int, hops: tuple[Hop, ...] = ()) -> Iterator[Inflow]:
        default = info.params[number].default
        if default >= 0:
            yield Flows(("value", info.outer, default, ()), hops)


def _shown(info: ScopeInfo) -> str:
    return info.id if info.id != "__init__" else info.name.split(".")[-2]


def argument_of(call: ir.Call, position: int, param: ir.Param) -> int:
    """Return the expression that a call passes as a parameter at a position, -1 where it passes none for certain."""
    if param.form in ("normal", "keyword"):
        named = next((a.value for a in call.args if a.name == param.id), -1)
        if named >= 0:
            return named
    if param.form == "keyword" or position < 0:
        return -1
    seen = 0
    for argument in call.args:
        if argument.star == 1:
            return -1
        if argument.name is None and not argument.star:
            if seen == position:
                return argument.value
            seen += 1
    return -1
