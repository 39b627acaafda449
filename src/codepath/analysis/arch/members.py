"""Attributes of values: modules, classes, records, what methods store on `self`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codepath.analysis.arch.reads import STORED, part
from codepath.analysis.arch.values import (
    NOT_KNOWN,
    UNKNOWN,
    Cls,
    Env,
    Func,
    Instance,
    Member,
    Method,
    Module,
    Outside,
    Partial,
    Properties,
    Seq,
    Table,
    Unknown,
    Val,
    grown,
    join,
)
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId

if TYPE_CHECKING:
    from codepath.analysis.arch.machine import Machine

_MAX_STORING = 8  # methods of a family whose stores of one attribute are followed
_MAX_FAMILY = 40
_MAX_OVERRIDES = 5
_SMALL = 60


def attribute(machine: Machine, value: Val, name: str) -> Val:
    """Return `value.name`."""
    data = value.data
    if isinstance(data, Module):
        return _of_module(machine, data.name, name)
    if isinstance(data, Outside):
        known = machine.world.outside(f"{data.name}.{name}", machine.arch, called=False)
        return known if known is not None else Val(Outside(f"{data.name}.{name}"))
    if isinstance(data, Properties):
        found = machine.world.property_of(name, machine.arch, value.trail)
        return found if found.data is not UNKNOWN else NOT_KNOWN
    if isinstance(data, Cls):
        return _of_family(machine, data.sid, name, None, is_open=data.is_open)
    if isinstance(data, Instance):
        return _of_instance(machine, value, data, name)
    if isinstance(data, Member):
        return NOT_KNOWN if name == "value" else _of_class(machine, data.sid, name, value)
    if isinstance(data, (str, Seq, Table)):
        return Val(Method(value, name), value.trail)
    if isinstance(data, (Func, Partial)) and name in ("__wrapped__", "func"):
        return value
    return Val(UNKNOWN, value.trail) if isinstance(data, Unknown) else NOT_KNOWN


def _of_module(machine: Machine, module: str, name: str) -> Val:
    world = machine.world
    sid = world.module_sid(module)
    if sid is None:
        whole = f"{module}.{name}"
        return Val(Module(whole)) if world.bodies.tree.is_module(whole) else NOT_KNOWN
    info = world.info(sid)
    origins = info.names.get(name)
    if origins is not None and (len(origins) > 1 or origins[0].form == "dynamic"):
        return machine.global_value(sid, name)
    found = machine.of_meaning(world.member(module, name))
    if found.data is UNKNOWN and origins is None:
        known = world.of_platform(f"{module}.{name}")
        return known if known is not None else found
    return found


# --- classes -----------------------------------------------------------------------------------------------------------


def class_env(machine: Machine, sid: ScopeId) -> Env:
    """Return what the body of a class binds."""
    found = machine.modules.get(sid)
    if found is None:
        from codepath.analysis.arch.frames import Frame
        from codepath.analysis.arch.running import run

        env: Env = {}
        machine.modules[sid] = env
        frame = Frame(machine.world.body(sid), env, machine.record.fresh(sid), lazy=True)
        run(machine, frame)
        found = machine.modules[sid] = frame.env
    return found


def is_enum(machine: Machine, sid: ScopeId) -> bool:
    """Tell whether a class is an enumeration."""
    return any(base.startswith("enum.") for base in machine.world.outside_bases(sid))


def _of_family(machine: Machine, sid: ScopeId, name: str, receiver: Val | None, *, is_open: bool) -> Val:
    """Return an attribute of a class; of an open one also what subclasses have instead, where it may be a key."""
    own = _of_class(machine, sid, name, receiver)
    if not is_open or (isinstance(own.data, Func) and not machine.is_key(name)):
        return own
    others = machine.world.overrides(sid, name)[:_MAX_OVERRIDES]
    return join([own, *(_of_class(machine, other.owner, name, receiver) for other in others)]) if others else own


def _of_class(machine: Machine, sid: ScopeId, name: str, receiver: Val | None) -> Val:
    """Return an attribute of a class, bound to a receiver: an instance, or the class itself for a class method."""
    for owner in machine.world.mro(sid):
        info = machine.world.info(owner)
        if name not in info.names:
            continue
        value = machine.forced(class_env(machine, owner).get(name, NOT_KNOWN))
        if value.data is UNKNOWN and info.names[name][0].form == "function":
            value = Val(Func(info.names[name][0].scope))
        if isinstance(value.data, Func) and value.data.bound is None:
            return _bound(machine, value.data, receiver, sid)
        if is_enum(machine, owner) and receiver is None and not name.startswith("_"):
            return Val(Member(owner, name))
        return value
    return NOT_KNOWN


def _bound(machine: Machine, func: Func, receiver: Val | None, cls: ScopeId) -> Val:
    """Return a function found in a class as reading it gives it."""
    info = machine.world.info(func.sid)
    words = {str(term).rpartition(".")[2] for term in info.decorators}
    if "staticmethod" in words:
        return Val(func)
    if "classmethod" in words:
        return Val(Func(func.sid, Val(Cls(cls))))
    if receiver is None:
        return Val(func)
    bound = Func(func.sid, receiver)
    if words & {"property", "cached_property"}:
        from codepath.analysis.arch.calling import invoke

        return invoke(machine, bound, (), {})
    return Val(bound)


# --- instances ---------------------------------------------------------------------------------------------------------


def _of_instance(machine: Machine, value: Val, data: Instance, name: str) -> Val:
    for field, held in data.fields:
        if field == name:
            return held
    if name == "__class__":
        return Val(Cls(data.sid))
    stored = stored_attribute(machine, data.sid, name)
    if _is_field(machine, data.sid, name):  # the constructor gives it a value that nobody knows
        return NOT_KNOWN if stored is None else join((stored, NOT_KNOWN))
    if stored is not None:
        return stored
    return _of_family(machine, data.sid, name, value, is_open=data.is_open)


def _is_field(machine: Machine, sid: ScopeId, name: str) -> bool:
    """Tell whether a constructor that is made from the fields of a class or a base of it sets an attribute."""
    world = machine.world
    return any(name == field and world.is_dataclass(c) for c in world.mro(sid) for field, _ in world.info(c).fields)


def stored_attribute(machine: Machine, sid: ScopeId, name: str) -> Val | None:
    """Return what methods of a class and its family store on `self` under a name; None where none does."""
    key = (sid, name)
    with machine.world.reads.within(part(STORED, machine.world.info(sid).name, name)):
        if key in machine.attribute_memo:
            return machine.attribute_memo[key]
        return _stored(machine, sid, name)


def _stored(machine: Machine, sid: ScopeId, name: str) -> Val | None:
    key = (sid, name)
    storing = storing_methods(machine, sid, name)
    if not storing:
        return None
    if len(storing) > _MAX_STORING:
        return NOT_KNOWN
    machine.attribute_memo[key] = NOT_KNOWN
    found: list[Val] = []
    whole = True
    for method in storing:
        done = machine.run_scope(method.sid)
        if done is None:
            whole = False
        elif name in done.stores:
            held = done.stores[name]
            trail = grown(held.trail, method.module.path, method.at, f"self.{name}")
            found.append(Val(held.data, trail) if trail is not held.trail else held)
    result = join(found) if found else NOT_KNOWN
    if whole:
        machine.attribute_memo[key] = result
    else:
        del machine.attribute_memo[key]
    return result


def storing_methods(machine: Machine, sid: ScopeId, name: str) -> list[ScopeInfo]:
    """Return the methods that store an attribute on `self`: of the class and its bases, else of its subclasses.

    Long methods count only where the attribute may hold an architecture value.
    """
    world = machine.world
    owners = [c for c in world.mro(sid) if name in world.info(c).stored]
    if not owners:
        below = world.below(sid)
        owners = [c for c in below[:_MAX_FAMILY] if name in world.info(c).stored]
    found: list[ScopeInfo] = []
    for owner in owners:
        for method in world.methods(owner):
            if name in world.stored_by(method.sid):
                if not machine.is_key(name) and len(world.body(method.sid).scope.exprs) > _SMALL:
                    return [method] * (_MAX_STORING + 1)
                found.append(method)
    return found
