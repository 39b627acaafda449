"""Calls: functions of the tree with what they are passed, records, partials, probes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codepath.analysis.arch.library import builtin_method, outside_call
from codepath.analysis.arch.members import is_enum
from codepath.analysis.arch.values import (
    NOT_KNOWN,
    UNKNOWN,
    Cls,
    Decorator,
    Env,
    Func,
    Instance,
    Method,
    Outside,
    Partial,
    Seq,
    Trail,
    Unknown,
    Val,
    alternatives,
    grown,
    join,
    key_of,
    trail_of,
)
from codepath.model import ir
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId

if TYPE_CHECKING:
    from codepath.analysis.arch.frames import Frame
    from codepath.analysis.arch.machine import Machine

Keywords = dict[str, Val]
_MAX_CALLS = 14
_SMALL = 60  # expressions of a function that is entered although it mentions no architecture
_TALL = 1500  # of one that mentions an architecture


def call(machine: Machine, frame: Frame, expr: ir.Call, index: int) -> Val:
    """Return what a call site gives."""
    func = machine.eval(frame, expr.func)
    args, keywords, is_whole = _arguments(machine, frame, expr)
    _note_kernel(machine, frame, expr, func, args, keywords)
    results: list[Val] = []
    for one in alternatives(func):
        if frame.dropped == index and isinstance(one.data, (Func, Partial, Cls)):
            continue  # what it does shows when it is run for itself
        if not is_whole and not isinstance(one.data, (Cls, Outside)):
            results.append(Val(UNKNOWN, trail_of(args)))
            continue
        machine.used = frame.used
        results.append(apply(machine, frame, one, args, keywords, expr.at))
        frame.used = machine.used
    if frame.notes is not None:
        _pass_on(machine, frame, expr, func, args, keywords)
    result = join(results)
    trail = grown(result.trail, machine.path(frame), expr.at, "call")
    return result if trail is result.trail else Val(result.data, trail)


def _arguments(machine: Machine, frame: Frame, expr: ir.Call) -> tuple[tuple[Val, ...], Keywords, bool]:
    """Return arguments by position and by keyword, and whether these are all."""
    args: list[Val] = []
    keywords: Keywords = {}
    is_whole = True
    for arg in expr.args:
        value = machine.eval(frame, arg.value)
        if arg.star == 1:
            if isinstance(value.data, Seq):
                args.extend(value.data.items)
            else:
                is_whole = False
        elif arg.star == 2:
            is_whole = False
        elif arg.name is not None:
            keywords[arg.name] = value
        else:
            args.append(value)
    return tuple(args), keywords, is_whole


def apply(machine: Machine, frame: Frame | None, func: Val, args: tuple[Val, ...], keywords: Keywords, at: int) -> Val:
    """Return what calling a value gives."""
    data = func.data
    if isinstance(data, Outside):
        where = Trail(machine.path(frame), at, "") if frame is not None else None
        return outside_call(machine, data.name, args, keywords, where)
    if isinstance(data, Func):
        return invoke(machine, data, args, keywords)
    if isinstance(data, Partial):
        return apply(machine, frame, data.func, (*data.args, *args), {**dict(data.keywords), **keywords}, at)
    if isinstance(data, Cls):
        return construct(machine, data.sid, args, keywords)
    if isinstance(data, Method):
        return builtin_method(machine, frame, data, args, keywords, at)
    if isinstance(data, Decorator):
        return args[0] if args else func
    if isinstance(data, Unknown):
        return Val(UNKNOWN, func.trail)
    return NOT_KNOWN


# --- functions of the tree ---------------------------------------------------------------------------------------------


def invoke(machine: Machine, func: Func, args: tuple[Val, ...], keywords: Keywords) -> Val:
    """Return what a function of the tree gives; its own probe where what it does is not known."""
    info = machine.world.info(func.sid)
    found = _invoke(machine, func, info, args, keywords)
    if found.trail is None and _is_vague(found):
        returns = machine.world.probes.get(info.name)
        if returns is not None:
            return machine.world.probed(returns, machine.arch, Trail(info.module.path, info.at, f"{info.id}()"))
    return found


def _is_vague(value: Val) -> bool:
    """Tell whether a value is not known, or made of what is not known."""
    if isinstance(value.data, Seq):
        return any(_is_vague(item) for item in value.data.items)
    if isinstance(value.data, Instance):
        return any(_is_vague(held) for _, held in value.data.fields)
    return any(one.data is UNKNOWN for one in alternatives(value))


def _invoke(machine: Machine, func: Func, info: ScopeInfo, args: tuple[Val, ...], keywords: Keywords) -> Val:
    if info.is_async or info.is_generator:
        return NOT_KNOWN
    if len(machine.running) >= _MAX_CALLS:
        machine.world.reads.cut.add(info.name)
        return NOT_KNOWN
    if info.form == "lambda" and info.outer >= 0:
        return NOT_KNOWN
    body = machine.world.body(func.sid)
    size = len(body.scope.exprs)
    relevant = machine.relevant(func.sid)
    if size > (_TALL if relevant else _SMALL):
        return NOT_KNOWN
    env = bind(machine, info, func, args, keywords)
    if env is None:
        return NOT_KNOWN
    key = (func.sid, tuple((name, key_of(value.data)) for name, value in env.items()))
    try:
        known = machine.memo.get(key)
    except TypeError:
        return NOT_KNOWN
    if known is not None:
        return known
    if func.sid in machine.running:
        machine.world.reads.cut.add(info.name)
        return NOT_KNOWN
    machine.running.add(func.sid)
    try:
        from codepath.analysis.arch.frames import Frame
        from codepath.analysis.arch.running import run

        frame = Frame(body, env, used=machine.used)
        done = run(machine, frame)
        machine.used = frame.used
    finally:
        machine.running.discard(func.sid)
    machine.memo[key] = done.value
    return done.value


def bind(machine: Machine, info: ScopeInfo, func: Func, args: tuple[Val, ...], keywords: Keywords) -> Env | None:
    """Return the parameters of a call; None where the arguments do not fit."""
    env: Env = {}
    given = list(args) if func.bound is None else [func.bound, *args]
    rest = dict(keywords)
    for param in info.params:
        if param.form == "star":
            env[param.id] = Val(Seq("tuple", tuple(given)))
            given = []
        elif param.form == "double-star":
            env[param.id] = NOT_KNOWN
            rest.clear()
        elif param.form in ("positional", "normal") and given:
            env[param.id] = given.pop(0)
        elif param.id in rest:
            env[param.id] = rest.pop(param.id)
        elif param.default >= 0:
            env[param.id] = _default(machine, info, param.default)
        else:
            return None
    return None if given or rest else env


def _default(machine: Machine, info: ScopeInfo, index: int) -> Val:
    """Return the default of a parameter, where it is a constant or a name of the module."""
    around = machine.world.body(info.sid).around
    expr = around.exprs[index] if around is not None else None
    if isinstance(expr, ir.Const):
        return Val(expr.value) if not expr.form else NOT_KNOWN
    if isinstance(expr, ir.Name):
        return machine.free(info, expr.id)
    return NOT_KNOWN


# --- classes -----------------------------------------------------------------------------------------------------------


def construct(machine: Machine, sid: ScopeId, args: tuple[Val, ...], keywords: Keywords) -> Val:
    """Return an instance of a class; records keep their fields."""
    if is_enum(machine, sid):
        return NOT_KNOWN
    world = machine.world
    info = world.info(sid)
    is_tuple = any(b in ("typing.NamedTuple", "typing_extensions.NamedTuple") for b in world.outside_bases(sid))
    if not is_tuple and not world.is_dataclass(sid):
        return Val(Instance(sid))
    names = [name for name, _ in info.fields]
    values = dict(zip(names, args, strict=False))
    values.update((name, value) for name, value in keywords.items() if name in names)
    fields = tuple((name, values.get(name, NOT_KNOWN)) for name in names)
    return Val(Instance(sid, fields), trail_of(values.values()))


# --- what a call passes on ---------------------------------------------------------------------------------------------


def _pass_on(
    machine: Machine, frame: Frame, expr: ir.Call, func: Val, args: tuple[Val, ...], keywords: Keywords
) -> None:
    """Note the parameters that a call gives an architecture value."""
    if trail_of((*args, *keywords.values())) is None:
        return
    for sid, bound in _callees(machine, frame, expr, func):
        info = machine.world.info(sid)
        names = [p.id for p in info.params if p.form in ("positional", "normal")][1 if bound else 0 :]
        for name, value in (*zip(names, args, strict=False), *keywords.items()):
            if value.trail is not None and any(p.id == name for p in info.params):
                trail = grown(value.trail, machine.path(frame), expr.at, f"argument {name}")
                machine.record.passing(sid, name, Val(value.data, trail))
                machine.world.reads.passing(info.name)


def _callees(machine: Machine, frame: Frame, expr: ir.Call, func: Val) -> list[tuple[ScopeId, bool]]:
    """Return the functions of the tree that a call can run, and whether each has a receiver."""
    found: list[tuple[ScopeId, bool]] = []
    for one in alternatives(func):
        data = one.data
        if isinstance(data, Func):
            found.append((data.sid, data.bound is not None))
        elif isinstance(data, Cls):
            init = machine.world.find(data.sid, "__init__")
            if init is not None:
                owner = machine.world.info(init.owner)
                found.extend((o.scope, True) for o in owner.names["__init__"] if o.form == "function")
    if found:
        return found
    for callee in machine.world.told_callees(frame.body.info.name, expr.at):
        info = machine.world.bodies.scope(callee)
        if info is not None and info.form == "function":
            method = machine.world.bodies.tree.class_around(info) is not None
            found.append((info.sid, method and "staticmethod" not in info.decorators))
    return found


def _note_kernel(
    machine: Machine, frame: Frame, expr: ir.Call, func: Val, args: tuple[Val, ...], keywords: Keywords
) -> None:
    """Note a call of a kernel that is not built for this architecture."""
    if frame.notes is None:
        return
    for one in alternatives(func):
        if isinstance(one.data, Outside):
            name = lacking_kernel(machine, one.data.name, keywords)
            if name:
                frame.notes.kernels[expr.at] = name


def lacking_kernel(machine: Machine, dotted: str, keywords: Keywords) -> str:
    """Return the name of the kernel that a call would run and that this architecture lacks, "" where there is none."""
    name = dotted
    while name:
        known = machine.world.kernels.get(name)
        if known is not None:
            fits = all(key in keywords and keywords[key].data == value for key, value in known.when)
            if fits:
                return "" if machine.arch.name in known.supports else name
        name = name.rpartition(".")[0]
    return ""
