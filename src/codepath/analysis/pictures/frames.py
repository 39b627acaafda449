"""One function as a picture reads it: the steps out of it, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from codepath.analysis.sites import CALLS, ENTER, EXIT, Placing, Run
from codepath.model import ir
from codepath.model.answers import Step
from codepath.program.bodies import Bodies, Body
from codepath.program.regions import every_region, inner_bodies

_MAKING = {"__call__": 0, "__new__": 1, "__init__": 2, "__post_init__": 3}


_CHECKS = frozenset(["assert", "early-raise", "try"])
Nearness = Callable[[Step], "tuple[int, int, int, str]"]


@dataclass(frozen=True, slots=True)
class Placed:
    """A step at its position; `choice` numbers the `choices` callees of a call, one of which runs."""

    position: tuple[int, int]
    run: Run
    choice: int
    choices: int


def placed(
    bodies: Bodies,
    body: Body,
    steps: Sequence[Step],
    is_relevant: Callable[[Step], bool],
    when: Callable[[str], str],
    nearness: Nearness,
) -> list[Placed]:
    """Return the relevant steps of a function in run order.

    Args:
        bodies: Where the forms of callees are read.
        body: The function.
        steps: Every step out of it.
        is_relevant: Which steps count.
        when: When outside functions run what they are given.
        nearness: What the callees of one call are ordered by.
    """

    def forms(function: str) -> tuple[bool, bool]:
        info = bodies.scope(function)
        return (info.is_generator, info.is_async) if info is not None else (False, False)

    code = Placing(body, steps, forms, lambda function: False, when).code_of(is_relevant, ())
    found: list[Placed] = []
    for index, site in code.sites.items():
        found += _at((index, 0), site.runs, nearness)
    ends = _ends(body) if code.exits else {}
    for index, site in code.exits.items():
        found += _at((ends.get(index, index), 1), site.runs, nearness)
    return sorted(found, key=lambda p: (p.position, p.choice, p.run.number))


def _at(position: tuple[int, int], runs: Iterable[Run], nearness: Nearness) -> list[Placed]:
    """Place what a site runs: first what may be called there, then what Python itself calls."""
    groups: dict[str, list[Run]] = {}
    others: list[Run] = []
    for run in _each_once(runs):
        owner, _, last = run.step.callee.rpartition(".")
        if run.step.kind not in CALLS:
            others.append(run)
        else:
            groups.setdefault(owner if last in _MAKING else run.step.callee, []).append(run)
    found = [
        Placed(position, run, number, len(groups))
        for number, same in enumerate(sorted(groups.values(), key=lambda g: nearness(g[0].step)))
        for run in sorted(same, key=lambda r: _MAKING.get(r.step.callee.rpartition(".")[2], 0))
    ]
    return found + [Placed(position, run, 0, 1) for run in others]


def _each_once(runs: Iterable[Run]) -> list[Run]:
    """Join runs of one callee that differ in what leads to it: what they have in common must hold."""
    found: dict[tuple[str, str, str], Run] = {}
    for run in runs:
        key = (run.step.callee, run.step.kind, run.how)
        known = found.get(key)
        if known is None:
            found[key] = run
            continue
        guards = tuple(g for g in known.step.guards if g in run.step.guards)
        found[key] = replace(known, step=replace(known.step, guards=guards))
    return list(found.values())


def _ends(body: Body) -> dict[int, int]:
    """Return, for each manager of a `with`, the position at which the `with` ends."""
    found: dict[int, int] = {}
    for region in every_region(body.scope.body):
        if isinstance(region, ir.With):
            found.update(dict.fromkeys(region.contexts, max(region.stop, _end(region.body))))
    return found


def _end(regions: Iterable[ir.Region]) -> int:
    ends = [getattr(r, "stop", 0) for r in regions]
    return max([*ends, *(_end(inner) for r in regions for inner in inner_bodies(r))], default=0)


def part_of(body: Body, mode: str, items: list[Placed]) -> list[Placed]:
    """Return the steps of the part of a generator that `enter` or `exit` runs; all of them otherwise."""
    if mode not in (ENTER, EXIT):
        return items
    yields = [i for i, e in enumerate(body.scope.exprs) if isinstance(e, (ir.Yield, ir.YieldFrom))]
    if not yields:
        return items
    first, last = yields[0], yields[-1]
    return [p for p in items if (p.position[0] <= last if mode == ENTER else p.position[0] > first)]


def statements(body: Body) -> frozenset[int]:
    """Return the calls that are whole statements, or whose result becomes an attribute of `self` or such."""
    exprs = body.scope.exprs
    found: set[int] = set()
    for region in every_region(body.scope.body):
        if not isinstance(region, ir.Do) or region.stop <= region.start:
            continue
        last = exprs[region.stop - 1]
        if isinstance(last, ir.Call):
            found.add(region.stop - 1)
        elif isinstance(last, ir.StoreAttr) and last.value >= 0 and isinstance(exprs[last.value], ir.Call):
            found.add(last.value)
    return frozenset(found)


def globals_read(body: Body) -> frozenset[str]:
    """Return what a function always reads by a name that it does not bind, as if it were a global of its own module."""
    scope, module = body.scope, body.info.module.name
    if scope.form in ("module", "class"):
        return frozenset()
    found = [(n, e.id) for n, e in enumerate(scope.exprs) if isinstance(e, ir.Name) and not scope.uses[e.use]]
    return frozenset(f"{module}.{name}" for n, name in found if always(g.kind for g in body.guards.of(n)))


def always(kinds: Iterable[str]) -> bool:
    """Tell whether guards of some kinds let code run, but where something raises."""
    return _CHECKS.issuperset(kinds)


def globals_set(body: Body) -> tuple[str, ...]:
    """Return the globals that a function is there to set, by dotted name, sorted: one that gives its global back is not."""
    scope = body.scope
    if not scope.globals or scope.form in ("module", "class"):
        return ()
    exprs = scope.exprs
    values = [exprs[r.value] for r in every_region(scope.body) if isinstance(r, ir.Return) and r.value >= 0]
    given = {e.id for e in values if isinstance(e, ir.Name)}
    stored = {e.id for e in exprs if isinstance(e, ir.Bind) and e.id in scope.globals}
    return tuple(f"{body.info.module.name}.{name}" for name in sorted(stored - given))
