"""What arrives at the fields of classes whose constructor is generated from them (`dataclass`)."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.nulls.nodes import Flows, Hop, Inflow, Something, Unknown
from codepath.analysis.nulls.world import World
from codepath.model import ir
from codepath.program.values import ScopeId


def field_inflows(world: World, sid: ScopeId, name: str) -> Iterator[Inflow]:
    """Yield what a field gets: its default, and what the call sites of the class pass."""
    default = _default(world, sid, name)
    if default is not None:
        yield default
    classes = (sid, *world.by_name(world.bodies.classes.below(sid)))
    for cls in classes:
        for step in world.graph.steps_into(world.info(cls).name):
            caller = world.bodies.scope(step.caller)
            if caller is None or step.kind != "construct":
                continue
            at = ir.pack(step.line, step.column)
            for scope in world.scopes_named(step.caller):
                for index in world.calls_of(at, scope, step.callee):
                    yield from _passed(world, scope, index, name, cls)


def _passed(world: World, sid: ScopeId, index: int, name: str, cls: ScopeId) -> Iterator[Inflow]:
    call = world.expr(sid, index)
    place = world.place(sid, call.at)
    given = given_field(world, sid, index, cls, name)
    if given >= 0:
        yield Flows(("value", sid, given, ()), (Hop(place, f"passed as `{name}`"),))
    elif isinstance(call, ir.Call) and any(a.star for a in call.args):
        yield Unknown(f"`{name}` may be among the `*` arguments", place)


def given_field(world: World, sid: ScopeId, index: int, cls: ScopeId, name: str) -> int:
    """Return the expression that a construction passes as a field of a class, -1 where it names none."""
    names = [field for field, _ in world.info(cls).fields]
    call = world.expr(sid, index)
    if not isinstance(call, ir.Call):
        return -1
    for argument in call.args:
        if argument.name == name:
            return argument.value
    plain = [a.value for a in call.args if a.name is None and not a.star]
    position = names.index(name) if name in names else len(plain)
    return plain[position] if position < len(plain) else -1


def _default(world: World, sid: ScopeId, name: str) -> Inflow | None:
    """Return the default of a field: its value in the class body, or that of `field(default=...)`."""
    scope = world.body(sid).scope
    for index, expr in enumerate(scope.exprs):
        if not isinstance(expr, ir.Bind) or expr.id != name or expr.value < 0:
            continue
        value = scope.exprs[expr.value]
        hop = Hop(world.place(sid, expr.at), f"the default of `{name}`")
        if isinstance(value, ir.Call) and any(a.name in ("default", "default_factory") for a in value.args):
            argument = next(a for a in value.args if a.name in ("default", "default_factory"))
            if argument.name == "default_factory":
                return Something("what its factory makes")
            return Flows(("value", sid, argument.value, ()), (hop,))
        return Flows(("held", sid, index, ()), (hop,))
    return None
