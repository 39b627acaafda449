"""Which paths lead to a function: a search backwards from the target to the ways in.

The search keeps functions, not paths: each function of the *cone* (all that lead to the target) has its shortest way on, and
each way in its shortest way to every function, so that witnesses are put together from the two. Paths that differ only before
the last process boundary that the main path crosses are one group.

Approximates: over (an edge that the graph holds may never be taken), under (calls with unknown targets are not followed).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from codepath.analysis.bypasses import bypasses, overridden
from codepath.analysis.cone import TIER_COST, Cone, Heads, Route, step_key
from codepath.analysis.feasibility import Search
from codepath.analysis.groups import numbered
from codepath.analysis.likelihood import MAX_GUARDS, DefaultOf, Likelihood
from codepath.analysis.nearest import no_chain, stopped
from codepath.analysis.pruning import met
from codepath.analysis.witnesses import Key, StateWitnesses, Witness, identity, key_of, plain_guard, plain_witnesses
from codepath.model.answers import (
    Entry,
    Group,
    Guard,
    NearestMiss,
    Path,
    ReachAnswer,
    Stats,
    Step,
    Symbol,
    Truncation,
    Unresolved,
)
from codepath.program.graph import CallGraph, gaps_of

BOUNDARIES = frozenset(["spawn-process", "spawn-thread", "executor", "task"])
MAX_ALL = 1000
_MANY_SITES = 12  # call sites; beyond, paths are grouped by the folder of the last one
_WIDE_GROUPS = 40  # groups for which all ways in are looked up


@dataclass(frozen=True, slots=True)
class Through:
    """A part of a call string: functions that a path must pass, or a place (path as its end, line) of one of its steps."""

    functions: tuple[str, ...] = ()
    path: str = ""
    line: int = 0

    def meets(self, step: Step) -> bool:
        """Tell whether a step is of this part."""
        if self.path:
            same = step.file == self.path or step.file.endswith(f"/{self.path}") or self.path.endswith(f"/{step.file}")
            return same and step.line == self.line
        return step.caller in self.functions or step.callee in self.functions


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: the functions that count as the target, the ways in, and where paths must start or pass."""

    symbol: Symbol
    targets: tuple[str, ...]
    entries: tuple[Entry, ...]
    starts: tuple[str, ...] = ()
    via: tuple[Through, ...] = ()
    paths: int = 1
    all_paths: bool = False
    group_by: str = "entry"


Decide = Callable[[Cone, Sequence[Entry]], "Search | None"]
"""Searches a cone for the steps that can be taken; None where that is not worked out."""


Defaults = Callable[[Sequence[Guard]], DefaultOf]
"""Tells what the tree's own defaults make of some guards."""


def reach(graph: CallGraph, question: Question, decide: Decide, defaults: Defaults | None = None) -> ReachAnswer:
    """Answer which paths reach the target."""
    cone = Cone(graph, question.targets, by_name=False)
    entries = _entries_in(cone, question)
    if not entries:
        wider = Cone(graph, question.targets, by_name=True)
        if _entries_in(wider, question):
            cone, entries = wider, _entries_in(wider, question)
    heads = Heads(cone, entries)
    search = decide(cone, entries) if entries else None
    likelihood = _likelihood(search, defaults)
    witnesses = _ordered(_witnesses(cone, heads, search, entries, likelihood), question.via, likelihood)
    paths, groups, truncated = _shown(cone, witnesses, entries, question)
    if entries and search is None:
        truncated = truncated or Truncation("verdicts", 0, len(cone.next_step))
    calls = tuple(step for target in question.targets for step in cone.steps_in.get(target, ()))
    return ReachAnswer(
        target=question.symbol,
        call_sites=calls,
        incoming=_incoming(cone, heads if question.starts else None),
        entries=tuple(entries),
        paths=tuple(paths),
        groups=tuple(numbered(groups)),
        guards_always=() if paths and not paths[0].steps else _common_guards(witnesses),
        nearest_miss=_nearest_miss(graph, cone, paths, question),
        stats=_stats(graph, cone),
        truncated=truncated,
        bypasses=bypasses(graph, paths, cone.next_step),
        overridden=tuple(f for f in _methods(paths) if overridden(graph, f)),
        assumptions=met(search, witnesses),
    )


def _methods(paths: Sequence[Path]) -> list[str]:
    """Return the functions of the first path, the last one first."""
    return [step.caller for step in reversed(paths[0].steps)] if paths else []


def _nearest_miss(graph: CallGraph, cone: Cone, paths: Sequence[Path], question: Question) -> NearestMiss | None:
    if paths:
        return stopped(paths, cone)
    return no_chain(graph, cone, question.starts or tuple(e.function for e in question.entries))


def _likelihood(search: Search | None, defaults: Defaults | None) -> Likelihood:
    if search is None or defaults is None:
        return Likelihood()
    guards = list(dict.fromkeys(plain_guard(g) for taken in search.taken for g in taken.step.guards))
    return Likelihood(defaults(guards)) if len(guards) <= MAX_GUARDS else Likelihood()


def _witnesses(
    cone: Cone, heads: Heads, search: Search | None, entries: list[Entry], likelihood: Likelihood
) -> list[Witness]:
    if search is None:
        return plain_witnesses(cone, heads)
    return StateWitnesses(cone, search, entries, likelihood).all()


def _ordered(witnesses: list[Witness], via: tuple[Through, ...], likelihood: Likelihood) -> list[Witness]:
    """Return the witnesses that meet a call string, each once, what can happen first, the main way in first."""
    found: dict[tuple[Key, ...], Witness] = {}
    for witness in sorted(witnesses, key=lambda w: _order_of(w, likelihood)):
        if _passes(witness.steps, via):
            found.setdefault(tuple(map(key_of, witness.steps)), witness)
    return list(found.values())


def _order_of(witness: Witness, likelihood: Likelihood) -> tuple[object, ...]:
    route = witness.steps
    keys = [step_key(s) for s in route]
    return (witness.verdict == "blocked", witness.entry, likelihood.of(route), len(route), keys)


def _entries_in(cone: Cone, question: Question) -> list[Entry]:
    if question.starts:
        return [e for e in question.entries if e.function in cone.next_step and e.function in question.starts]
    return [e for e in question.entries if e.function in cone.next_step]


# --- witnesses and groups ------------------------------------------------------------------------------------------------


Shown = tuple[list[Path], list[Group], "Truncation | None"]


def _shown(cone: Cone, witnesses: list[Witness], entries: list[Entry], question: Question) -> Shown:
    own = [number for number, entry in enumerate(entries) if entry.function in question.targets]
    if own and not question.via:
        path = Path(own[0], (), "open" if witnesses and witnesses[0].verdict != "unknown" else "unknown")
        others, groups, truncated = _others(cone, witnesses, entries, question)
        moved = [replace(g, paths=tuple(n + 1 for n in g.paths)) for g in groups]
        return [path, *others], [Group(path.feasible, "", None, tuple(own), (0,), 1), *moved], truncated
    return _others(cone, witnesses, entries, question)


def _others(cone: Cone, witnesses: list[Witness], entries: list[Entry], question: Question) -> Shown:
    """Return the paths that have steps, and their groups."""
    if not witnesses:
        return [], [], None
    if question.all_paths:
        return _all(witnesses)
    paths: list[Path] = []
    groups: list[Group] = []
    group_by = question.group_by
    if group_by == "entry" and len({w.steps[-1] for w in witnesses}) > _MANY_SITES:
        group_by = "folder"
    for members in _grouped(witnesses, group_by):
        shown = _picked(members, question.paths)
        numbers = tuple(range(len(paths), len(paths) + len(shown)))
        paths.extend(Path(w.entry, w.steps, w.verdict, w.contradiction) for w in shown)
        groups.append(_group(cone, members, witnesses[0], numbers, entries, group_by, len(groups) < _WIDE_GROUPS))
    return paths, groups, None


def _picked(members: list[Witness], number: int) -> list[Witness]:
    """Return the paths of a group that are shown: some, and of blocked ones one for each place that blocks."""
    if members[0].contradiction is None:
        return members[:number]
    by_place: dict[object, list[Witness]] = {}
    for member in members:
        because = member.contradiction.because if member.contradiction is not None else None
        by_place.setdefault(because, []).append(member)
    return [w for same in by_place.values() for w in same[:number]]


def _group(
    cone: Cone,
    members: list[Witness],
    main: Witness,
    numbers: tuple[int, ...],
    entries: list[Entry],
    group_by: str,
    look_up: bool,
) -> Group:
    first = members[0]
    met = {w.entry for w in members}
    decided: Guard | Step | None = None
    if first.contradiction is not None:
        decided = first.contradiction.guard
        return Group(first.verdict, "", decided, tuple(sorted(met)), numbers, len(members))
    if group_by in ("module", "folder") and first is not main:
        title = f"from {_home(first.steps, group_by)}"
        return Group(first.verdict, title, None, tuple(sorted(met)), numbers, len(members))
    decided = _deciding(first.steps, main.steps)
    joined = decided or next((s for s in reversed(main.steps) if s.kind in BOUNDARIES), None)
    if joined is not None and look_up:
        met |= _entries_before(cone, entries, joined.caller)
    title = f"through {decided.caller}" if decided is not None else ""
    return Group(first.verdict, title, decided, tuple(sorted(met)), numbers, len(members))


def _entries_before(cone: Cone, entries: list[Entry], function: str) -> set[int]:
    """Return the ways in from which steps of the cone lead to a function."""
    seen = {function}
    todo = [function]
    while todo:
        for step in cone.steps_in.get(todo.pop(), ()):
            if step.caller not in seen:
                seen.add(step.caller)
                todo.append(step.caller)
    return {number for number, entry in enumerate(entries) if entry.function in seen}


def _all(witnesses: list[Witness]) -> Shown:
    shown = witnesses[:MAX_ALL]
    paths = [Path(w.entry, w.steps, w.verdict, w.contradiction) for w in shown]
    truncated = Truncation("paths", len(shown), len(witnesses)) if len(shown) < len(witnesses) else None
    groups = []
    for number, witness in enumerate(shown):
        deciding = _deciding(witness.steps, shown[0].steps)
        decided = witness.contradiction.guard if witness.contradiction is not None else deciding
        title = f"through {deciding.caller}" if deciding is not None and witness.contradiction is None else ""
        groups.append(Group(witness.verdict, title, decided, (witness.entry,), (number,), 1))
    return paths, groups, truncated


def _passes(route: Route, via: tuple[Through, ...]) -> bool:
    """Tell whether a route meets the parts of a call string in their order; steps between may be left out."""
    position = 0
    for part in via:
        while position < len(route) and not part.meets(route[position]):
            position += 1
        if position == len(route):
            return False
    return True


def _grouped(witnesses: list[Witness], group_by: str) -> list[list[Witness]]:
    """Put witnesses that the same thing decides together: the main one's group, the open ones by length, the blocked."""
    main = witnesses[0]
    groups: dict[object, list[Witness]] = {}
    for witness in witnesses:
        groups.setdefault(_group_key(witness, main, group_by), []).append(witness)
    first, *others = groups.values()
    for members in groups.values():
        members[1:] = sorted(members[1:], key=lambda w: len(w.steps))
    return [first, *sorted(others, key=lambda m: (m[0].verdict == "blocked", min(len(w.steps) for w in m)))]


def _group_key(witness: Witness, main: Witness, group_by: str) -> object:
    if witness.contradiction is not None:
        return ("blocked", witness.contradiction.guard)
    if group_by in ("module", "folder"):
        return "" if witness is main else _home(witness.steps, group_by)
    deciding = _deciding(witness.steps, main.steps)
    if group_by == "guard":
        return () if deciding is None else identity(deciding).guards
    return None if deciding is None else identity(deciding)


def _home(route: Route, group_by: str) -> str:
    """Return the file, or the folder, of the last step of a route."""
    file = route[-1].file
    return file if group_by == "module" else f"{file.rpartition('/')[0]}/"


def _deciding(route: Route, main: Route) -> Step | None:
    """Return the step by which a route comes to the main one's tail; None where it joins it before its last boundary."""
    shared = _shared_tail(route, main)
    boundary = next((k for k, step in enumerate(reversed(main), 1) if step.kind in BOUNDARIES), len(main))
    if shared >= boundary:
        return None
    return route[len(route) - shared - 1]


def _shared_tail(one: Route, other: Route) -> int:
    """Return how many steps at the end of two routes are the same."""
    shared = 0
    while shared < min(len(one), len(other)) and key_of(one[-1 - shared]) == key_of(other[-1 - shared]):
        shared += 1
    return shared


def _common_guards(witnesses: list[Witness]) -> tuple[Guard, ...]:
    """Return the guards of every witness that is not blocked, in the order of the main one."""
    routes = [w.steps for w in witnesses if w.verdict != "blocked"]
    if not routes:
        return ()
    common = {g for s in routes[0] for g in identity(s).guards}
    for route in routes[1:]:
        common = common & {g for s in route for g in identity(s).guards} if common else common
    ordered = {plain_guard(g): g for s in routes[0] for g in s.guards}
    return tuple(g for key, g in ordered.items() if key in common)


def _incoming(cone: Cone, heads: Heads | None) -> tuple[Step, ...]:
    """Return the steps into the functions of the cone; where starts were named, those on a way from one."""
    steps = (step for name in sorted(cone.steps_in) for step in cone.steps_in[name])
    return tuple(step for step in steps if heads is None or heads.reached(step.caller))


# --- what is not known ---------------------------------------------------------------------------------------------------


def _stats(graph: CallGraph, cone: Cone) -> Stats:
    """Count the call sites that lead on within the cone, and those with unknown target that bear a name of the cone."""
    best: Mapping[tuple[str, int, int], str] = _best_tiers(cone)
    lasts = {_called_name(name) for name in cone.functions()}
    unresolved: set[Unresolved] = set()
    for last, functions in graph.gaps_named(sorted(lasts)).items():
        graph.fetch(functions)
        for name in functions:
            row = graph.function(name)
            if row is not None:
                unresolved |= {u for u in gaps_of(name, row) if u.text.rpartition(".")[2] == last}
    tiers = list(best.values())
    return Stats(
        call_sites=len(tiers) + len(unresolved),
        exact=tiers.count("exact"),
        inferred=tiers.count("inferred"),
        family=tiers.count("family"),
        by_name=tiers.count("by-name"),
        unresolved=len(unresolved),
    )


def _called_name(name: str) -> str:
    owner, _, last = name.rpartition(".")
    return owner.rpartition(".")[2] if last == "__init__" else last


def _best_tiers(cone: Cone) -> dict[tuple[str, int, int], str]:
    best: dict[tuple[str, int, int], str] = {}
    order = list(TIER_COST)
    for steps in cone.steps_in.values():
        for step in steps:
            key = (step.file, step.line, step.column)
            if key not in best or order.index(step.resolution) < order.index(best[key]):
                best[key] = step.resolution
    return best
