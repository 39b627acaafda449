"""Runs the regions of a scope on one architecture: both sides of a test that is not known, loops once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codepath.analysis.arch.values import (
    NOT_KNOWN,
    UNKNOWN,
    Env,
    Instance,
    Seq,
    Val,
    join,
    joined,
    trail_of,
    truth,
)
from codepath.model import ir

if TYPE_CHECKING:
    from codepath.analysis.arch.frames import Frame
    from codepath.analysis.arch.machine import Machine

_MAX_ROUNDS = 16
_MAX_NESTED = 256  # rounds of loops in each other
_IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError", "Exception", "BaseException", "OSError", "")


@dataclass(frozen=True, slots=True)
class Run:
    """What running a scope gave.

    `ends` tells whether it can be left other than by an exception, `stores` what it stores on `self`; `early` tells whether
    it can be left other than through its last statement, `late` whether through it.
    """

    value: Val
    stores: dict[str, Val]
    ends: bool
    late: bool


def run(machine: Machine, frame: Frame) -> Run:
    """Run the body of a frame's scope."""
    reads = machine.world.reads
    reads.begin(frame.body.info.name)
    try:
        return _run(machine, frame)
    finally:
        reads.end()


def _run(machine: Machine, frame: Frame) -> Run:
    env = _block(machine, frame, frame.body.scope.body, frame.env)
    late = env is not None
    if env is not None:
        frame.env = env
        if frame.body.info.form == "function":
            frame.returns.append(Val(None))
    last = _last_return(frame.body.scope.body)
    late = late or last in frame.returned_at
    stores = {name: join(values) for name, values in frame.stores.items()}
    return Run(join(frame.returns), stores, bool(frame.returns), late)


def _last_return(body: tuple[ir.Region, ...]) -> int:
    last = body[-1] if body else None
    return last.at if isinstance(last, ir.Return) else -1


def _block(machine: Machine, frame: Frame, body: tuple[ir.Region, ...], env: Env) -> Env | None:
    """Run regions in order; return what names are behind them, None where their end is not reached."""
    now: Env | None = env
    for region in body:
        frame.env = env if now is None else now
        if frame.notes is not None:
            frame.notes.regions.add(region.at)
        now = _region(machine, frame, region)
        if frame.raised:
            _raised(frame, region.at)
            now = None
        if now is None:
            return None
    return now


def _raised(frame: Frame, at: int) -> None:
    """A statement certainly raised in the middle: nothing behind it runs."""
    frame.thrown = True
    if frame.notes is not None and not frame.caught:
        frame.notes.raises[at] = True
    frame.raised.clear()


def _region(machine: Machine, frame: Frame, region: ir.Region) -> Env | None:
    if isinstance(region, ir.Do):
        span(machine, frame, region.start, region.stop)
        return frame.env
    if isinstance(region, ir.If):
        return _if(machine, frame, region)
    if isinstance(region, ir.Return):
        _return(machine, frame, region)
        return None
    if isinstance(region, ir.Raise):
        frame.thrown = True
        if frame.notes is not None and not frame.caught:
            frame.notes.raises[region.at] = True
        return None
    if isinstance(region, ir.Assert):
        return _assert(machine, frame, region)
    if isinstance(region, ir.Jump):
        return None
    return _compound(machine, frame, region)


def _compound(machine: Machine, frame: Frame, region: ir.Region) -> Env | None:
    if isinstance(region, ir.With):
        span(machine, frame, region.start, region.stop)
        return _block(machine, frame, region.body, frame.env)
    if isinstance(region, ir.Try):
        return _try(machine, frame, region)
    if isinstance(region, ir.For):
        return _for(machine, frame, region)
    if isinstance(region, ir.While):
        _havoc(frame, region.body)
        span(machine, frame, region.start, region.stop)
        machine.test(frame, region.test)
        return _once(machine, frame, region.body, region.orelse)
    if isinstance(region, ir.Match):
        return _match(machine, frame, region)
    return frame.env


# --- statements ------------------------------------------------------------------------------------------------------


def span(machine: Machine, frame: Frame, start: int, stop: int, *, tested: int = -1) -> None:
    """Evaluate what a simple statement, or the head of a compound one, evaluates: its stores, else its last expression."""
    stores = machine.world.stores_in(frame.body)
    first, last = bisect_left(stores, start), bisect_left(stores, stop)
    exprs = frame.body.scope.exprs
    done: dict[int, Val] = {}
    for index in stores[first:last]:
        expr = exprs[index]
        if isinstance(expr, ir.Bind):
            _bind(machine, frame, expr, done)
        elif isinstance(expr, ir.StoreAttr):
            _store_attr(machine, frame, expr, done)
        elif isinstance(expr, ir.StoreItem):
            _store_item(machine, frame, expr, done)
    if first == last and stop > start and tested < 0 and (not frame.lazy or frame.body.info.form != "module"):
        frame.dropped = stop - 1
        machine.eval(frame, stop - 1)
        frame.dropped = -1


def _value(machine: Machine, frame: Frame, index: int, how: tuple[int, ...], done: dict[int, Val]) -> Val:
    if index < 0:
        return NOT_KNOWN
    found = done.get(index)
    if found is None:
        found = done[index] = machine.eval(frame, index)
    return machine.taken(frame, found, how)


def _bind(machine: Machine, frame: Frame, expr: ir.Bind, done: dict[int, Val]) -> None:
    from codepath.analysis.arch.frames import Thunk, named

    if expr.value < 0 and expr.annotation >= 0:
        return
    if frame.lazy:
        value = Val(Thunk(frame, expr)) if expr.value >= 0 else NOT_KNOWN
        if expr.definition >= 0:
            frame.defined[expr.definition] = value
    else:
        value = named(_value(machine, frame, expr.value, expr.how, done), frame, expr)
    frame.env[expr.id] = value
    for key in [k for k in frame.env if k.startswith(f"{expr.id}.")] if not frame.lazy else ():
        del frame.env[key]


def _store_attr(machine: Machine, frame: Frame, expr: ir.StoreAttr, done: dict[int, Val]) -> None:
    if frame.lazy:
        return
    value = _value(machine, frame, expr.value, expr.how, done)
    from codepath.analysis.arch.values import grown

    trail = grown(value.trail, machine.path(frame), expr.at, f"self.{expr.id}")
    value = Val(value.data, trail) if trail is not value.trail else value
    base = frame.body.scope.exprs[expr.object]
    if not isinstance(base, ir.Name):
        return
    frame.env[f"{base.id}.{expr.id}"] = value
    receiver = frame.env.get(base.id)
    if receiver is not None and isinstance(receiver.data, Instance) and receiver.data.is_open:
        frame.stores.setdefault(expr.id, []).append(value)


def _store_item(machine: Machine, frame: Frame, expr: ir.StoreItem, done: dict[int, Val]) -> None:
    """A store into a collection: what the name holds is no longer wholly known."""
    from codepath.analysis.arch.values import Table

    base = frame.body.scope.exprs[expr.object]
    value = _value(machine, frame, expr.value, expr.how, done) if not frame.lazy else NOT_KNOWN
    if not isinstance(base, ir.Name) or base.id not in frame.env:
        return
    held = frame.env[base.id]
    if frame.lazy:
        frame.env[base.id] = NOT_KNOWN
    elif isinstance(held.data, Table):
        key = machine.eval(frame, expr.index)
        table = held.data
        grown_table = Table(table.sid, table.at, (*table.keys, key), (*table.values, value), table.is_open)
        frame.env[base.id] = Val(grown_table if len(table.keys) < 200 else UNKNOWN, held.trail)
    else:
        frame.env[base.id] = Val(UNKNOWN, held.trail)


def _return(machine: Machine, frame: Frame, region: ir.Return) -> None:
    span(machine, frame, region.start, region.stop, tested=region.value)
    value = machine.eval(frame, region.value) if region.value >= 0 else Val(None)
    if frame.raised:
        return
    if frame.notes is not None and region.value >= 0:
        machine.note(frame, region.value, value)
    frame.returns.append(value)
    frame.returned_at.append(region.at)


def _assert(machine: Machine, frame: Frame, region: ir.Assert) -> Env | None:
    held = truth(machine.test(frame, region.test))
    if held is not True and frame.notes is not None and not frame.caught:
        frame.notes.raises[region.at] = held is False
    return None if held is False else frame.env


# --- branches ----------------------------------------------------------------------------------------------------------


def _if(machine: Machine, frame: Frame, region: ir.If) -> Env | None:
    span(machine, frame, region.start, region.stop, tested=region.test)
    reading = frame.reading
    test = machine.test(frame, region.test)
    frame.reading = reading
    held = truth(test)
    if frame.raised:
        return None
    before = frame.env
    if held is not None:
        return _block(machine, frame, region.body if held else region.orelse, before)
    one = _block(machine, frame, region.body, dict(before))
    other = _block(machine, frame, region.orelse, dict(before))
    return _either(one, other, test)


def _either(one: Env | None, other: Env | None, test: Val) -> Env | None:
    if one is None or other is None:
        return other if one is None else one
    result = joined(one, other)
    if test.trail is None:
        return result
    for name, value in result.items():  # what a test that depends on the architecture chose depends on it
        if value.trail is None and one.get(name) is not other.get(name):
            result[name] = Val(value.data, test.trail)
    return result


def _match(machine: Machine, frame: Frame, region: ir.Match) -> Env | None:
    span(machine, frame, region.start, region.stop, tested=region.subject)
    before = frame.env
    results: list[Env] = []
    whole = False
    for case in region.cases:
        frame.env = dict(before)
        span(machine, frame, case.start, case.stop)
        held = truth(machine.test(frame, case.guard)) if case.guard >= 0 else None
        if held is False:
            continue
        env = _block(machine, frame, case.body, frame.env)
        if env is not None:
            results.append(env)
        if case.irrefutable and (case.guard < 0 or held is True):
            whole = True
            break
    if not whole:
        results.append(before)
    return _all_of(results)


def _all_of(envs: Iterable[Env]) -> Env | None:
    result: Env | None = None
    for env in envs:
        result = env if result is None else joined(result, env)
    return result


# --- loops and handlers ------------------------------------------------------------------------------------------------


def _for(machine: Machine, frame: Frame, region: ir.For) -> Env | None:
    span(machine, frame, region.start, region.stop, tested=region.iter)
    held = machine.eval(frame, region.iter)
    if isinstance(held.data, Seq) and 0 < len(held.data.items) <= _MAX_ROUNDS and not frame.lazy:
        around = frame.rounds
        frame.rounds *= len(held.data.items)
        if frame.rounds <= _MAX_NESTED:
            result = _unrolled(machine, frame, region, held.data.items)
            frame.rounds = around
            return result
        frame.rounds = around
    _havoc(frame, region.body)
    element = join(held.data.items) if isinstance(held.data, Seq) else Val(UNKNOWN, held.trail)
    _targets(machine, frame, region, element)
    return _once(machine, frame, region.body, region.orelse)


def _unrolled(machine: Machine, frame: Frame, region: ir.For, items: tuple[Val, ...]) -> Env | None:
    left: list[Env] = []
    env: Env | None = frame.env
    for item in items:
        if env is None:
            break
        frame.env = dict(env)
        _targets(machine, frame, region, item)
        start = frame.env
        env = _block(machine, frame, region.body, start)
        if _jumps(region.body):
            left.append(dict(start))
            env = start if env is None else joined(env, start)
    ends = [e for e in (*left, env) if e is not None]
    result = _all_of(ends)
    return _block(machine, frame, region.orelse, result) if result is not None and region.orelse else result


def _targets(machine: Machine, frame: Frame, region: ir.For, element: Val) -> None:
    exprs = frame.body.scope.exprs
    for index in range(region.stop, region.bound):
        expr = exprs[index]
        if isinstance(expr, ir.Bind):
            how = expr.how[1:] if expr.how and expr.how[0] == ir.ITERATE else expr.how
            value = machine.taken(frame, element, how)
            frame.env[expr.id] = value
            if frame.lazy and expr.definition >= 0:
                frame.defined[expr.definition] = value


def _jumps(body: tuple[ir.Region, ...]) -> bool:
    """Tell whether a loop's own `break` or `continue` stands in regions."""
    from codepath.program.regions import every_region

    return any(isinstance(region, ir.Jump) for region in every_region(body))


def _once(machine: Machine, frame: Frame, body: tuple[ir.Region, ...], orelse: tuple[ir.Region, ...]) -> Env | None:
    before = frame.env
    env = _block(machine, frame, body, dict(before))
    result = before if env is None else joined(before, env)
    return _block(machine, frame, orelse, result) if orelse else result


def _havoc(frame: Frame, body: tuple[ir.Region, ...]) -> None:
    """Forget the names that a loop binds."""
    from codepath.program.regions import every_region

    exprs = frame.body.scope.exprs
    for region in every_region(body):
        if isinstance(region, ir.Do):
            for expr in exprs[region.start : region.stop]:
                if isinstance(expr, ir.Bind) and expr.id in frame.env and not frame.lazy:
                    frame.env[expr.id] = NOT_KNOWN


def _try(machine: Machine, frame: Frame, region: ir.Try) -> Env | None:
    before = dict(frame.env)
    names = tuple(name for handler in region.handlers for name in _caught(frame, handler))
    if region.handlers:
        frame.caught.append(names)
    thrown, frame.thrown = frame.thrown, False
    env = _block(machine, frame, region.body, frame.env)
    is_thrown = frame.thrown
    fails = is_thrown or _may_fail(frame, region)
    frame.thrown = thrown
    if region.handlers:
        frame.caught.pop()
    results = []
    if fails:
        start = before if env is None else joined(before, env)
        for handler in region.handlers:
            if not is_thrown and not any(name in _IMPORT_ERRORS for name in _caught(frame, handler)):
                continue
            after = _block(machine, frame, handler.body, dict(start))
            if after is not None:
                results.append(after)
    if env is not None:
        env = _block(machine, frame, region.orelse, env)
    if env is not None:
        results.insert(0, env)
    result = _all_of(results)
    if region.final:
        after_all = _block(machine, frame, region.final, dict(before) if result is None else result)
        return after_all if result is not None else None
    return result


def _may_fail(frame: Frame, region: ir.Try) -> bool:
    """Tell whether a body imports, which fails where a package is not installed. Else it is assumed to work."""
    from codepath.program.regions import every_region

    exprs = frame.body.scope.exprs
    return any(
        isinstance(expr, (ir.Import, ir.ImportFrom))
        for part in every_region(region.body)
        if isinstance(part, ir.Do)
        for expr in exprs[part.start : part.stop]
    )


def _caught(frame: Frame, handler: ir.Handler) -> tuple[str, ...]:
    """Return the last names of the exceptions that a handler takes, "" for all."""
    if handler.type < 0:
        return ("",)
    expr = frame.body.scope.exprs[handler.type]
    parts = expr.items if isinstance(expr, ir.Sequence) else (handler.type,)
    found = []
    for part in parts:
        one = frame.body.scope.exprs[part]
        if isinstance(one, (ir.Name, ir.Attr)):
            found.append(one.id)
    return tuple(found)


def comprehension(machine: Machine, frame: Frame, expr: ir.Comp) -> Val:
    """Return the elements of a comprehension over one collection that is wholly known."""
    clause = expr.clauses[0]
    held = machine.eval(frame, clause.iter)
    if len(expr.clauses) > 1 or not isinstance(held.data, Seq) or len(held.data.items) > 64 or expr.form == "dict":
        return Val(UNKNOWN, held.trail)
    saved, kept = frame.env, []
    for item in held.data.items:
        frame.env = dict(saved)
        _comp_targets(machine, frame, clause.start, expr.element, item)
        verdicts = [truth(machine.eval(frame, condition)) for condition in clause.conditions]
        if any(verdict is None for verdict in verdicts):
            frame.env = saved
            return Val(UNKNOWN, trail_of((held, item)))
        if all(verdicts):
            kept.append(machine.eval(frame, expr.element))
    frame.env = saved
    return Val(Seq("set" if expr.form == "set" else "list", tuple(kept)), trail_of((held, *kept)))


def _comp_targets(machine: Machine, frame: Frame, start: int, stop: int, item: Val) -> None:
    for one in frame.body.scope.exprs[start : stop + 1]:
        if isinstance(one, ir.Bind) and one.how and one.how[0] == ir.ITERATE:
            value = machine.taken(frame, item, one.how[1:])
            frame.env[one.id] = value
            if frame.reading:
                frame.defined[one.definition] = value
