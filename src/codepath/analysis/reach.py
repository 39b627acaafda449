"""Which paths lead to a function: a search backwards from the target to the ways in.

The search keeps functions, not paths: each function of the *cone* (all that lead to the target) has its shortest way on, and
each way in its shortest way to every function, so that witnesses are put together from the two. Paths that differ only before
the last process boundary that the main path crosses are one group.

Approximates: over (an edge that the graph holds may never be taken), under (calls with unknown targets are not followed).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

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
_ENTRY_RANK = {"declared": 0, "script": 1, "main": 2, "spawned": 3}
_TIER_COST = {"exact": 0, "inferred": 0, "family": 1, "by-name": 1000}
MAX_ALL = 1000
_MANY_SITES = 12  # call sites; beyond, paths are grouped by the folder of the last one
_WIDE_GROUPS = 40  # groups for which all ways in are looked up
MAIN_TEST = '__name__ == "__main__"'


Route = tuple[Step, ...]


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


class Cone:
    """All functions from which steps lead to the targets, with the steps between them."""

    def __init__(self, graph: CallGraph, targets: Sequence[str], *, by_name: bool) -> None:
        self.graph = graph
        self.targets = targets
        self.steps_in: dict[str, list[Step]] = {}
        self.next_step: dict[str, Step | None] = dict.fromkeys(targets)
        self.cost: dict[str, int] = dict.fromkeys(targets, 0)
        self._by_name = by_name
        self._grow()

    def _grow(self) -> None:
        level = list(self.targets)
        while level:
            self.graph.fetch(level, callers=True)
            self.graph.fetch({c for name in level for c in self.graph.callers(name)})
            following: dict[str, None] = {}
            for name in level:
                for step in self._usable(name):
                    self.steps_in.setdefault(name, []).append(step)
                    if step.caller not in self.next_step:
                        self.next_step[step.caller] = step
                        following[step.caller] = None
            level = list(following)

    def _usable(self, name: str) -> Iterable[Step]:
        for step in self.graph.steps_into(name):
            if step.resolution == "by-name" and not self._by_name:
                continue
            if step.kind == "import" and self._only_as_main(name):
                continue
            yield step

    def _only_as_main(self, module: str) -> bool:
        """Tell whether the way on from a module is taken only where it runs as a program, not where it is imported."""
        step = self.next_step.get(module)
        return step is not None and is_main_only(step)

    def functions(self) -> Iterable[str]:
        """Return every function of the cone."""
        return self.next_step.keys()

    def tail(self, name: str) -> tuple[Step, ...]:
        """Return the shortest steps from a function to a target."""
        steps = []
        step = self.next_step[name]
        while step is not None:
            steps.append(step)
            step = self.next_step[step.callee]
        return tuple(steps)


def is_main_only(step: Step) -> bool:
    """Tell whether a step runs only in the module that is the program."""
    return any(g.polarity and g.text.replace("'", '"') == MAIN_TEST for g in step.guards)


class Heads:
    """From each way in, the shortest steps to every function of a cone."""

    def __init__(self, cone: Cone, entries: Sequence[Entry]) -> None:
        self._previous: dict[str, Step | None] = {}
        self.entry: dict[str, int] = {}
        outgoing: dict[str, list[Step]] = {}
        for steps in cone.steps_in.values():
            for step in steps:
                outgoing.setdefault(step.caller, []).append(step)
        queue: deque[str] = deque()
        order = sorted(range(len(entries)), key=lambda i: (_ENTRY_RANK[entries[i].kind], i))
        for number in order:
            function = entries[number].function
            if function in cone.next_step and function not in self.entry:
                self.entry[function] = number
                self._previous[function] = None
                queue.append(function)
        while queue:
            name = queue.popleft()
            for step in sorted(outgoing.get(name, ()), key=_step_key):
                if step.callee not in self._previous:
                    self._previous[step.callee] = step
                    self.entry[step.callee] = self.entry[name]
                    queue.append(step.callee)

    def reached(self, name: str) -> bool:
        """Tell whether a way in leads to a function."""
        return name in self._previous

    def head(self, name: str) -> tuple[Step, ...]:
        """Return the shortest steps from the nearest way in to a function."""
        steps = []
        step = self._previous[name]
        while step is not None:
            steps.append(step)
            step = self._previous[step.caller]
        return tuple(reversed(steps))


def _step_key(step: Step) -> tuple[object, ...]:
    return (_TIER_COST[step.resolution], step.file, step.line, step.column, step.callee)


def reach(graph: CallGraph, question: Question) -> ReachAnswer:
    """Answer which paths reach the target."""
    cone = Cone(graph, question.targets, by_name=False)
    entries = _entries_in(cone, question)
    if not entries:
        wider = Cone(graph, question.targets, by_name=True)
        if _entries_in(wider, question):
            cone, entries = wider, _entries_in(wider, question)
    heads = Heads(cone, entries)
    routes = _routes(cone, heads, question.via)
    paths, groups, truncated = _witnesses(cone, heads, routes, entries, question)
    calls = tuple(step for target in question.targets for step in cone.steps_in.get(target, ()))
    return ReachAnswer(
        target=question.symbol,
        call_sites=calls,
        incoming=_incoming(cone, heads if question.starts else None),
        entries=tuple(entries),
        paths=tuple(paths),
        groups=tuple(groups),
        guards_always=() if paths and not paths[0].steps else _common_guards(routes),
        nearest_miss=None if paths else _nearest_miss(graph, cone, question),
        stats=_stats(graph, cone),
        truncated=truncated,
    )


def _entries_in(cone: Cone, question: Question) -> list[Entry]:
    if question.starts:
        return [e for e in question.entries if e.function in cone.next_step and e.function in question.starts]
    return [e for e in question.entries if e.function in cone.next_step]


# --- witnesses and groups ------------------------------------------------------------------------------------------------


def _witnesses(
    cone: Cone, heads: Heads, routes: list[Route], entries: list[Entry], question: Question
) -> tuple[list[Path], list[Group], Truncation | None]:
    own = [number for number, entry in enumerate(entries) if entry.function in question.targets]
    if own and not question.via:
        path = Path(own[0], (), "unknown")
        others, groups, truncated = _others(cone, heads, routes, entries, question)
        moved = [replace(g, paths=tuple(n + 1 for n in g.paths)) for g in groups]
        return [path, *others], [Group("unknown", "", None, tuple(own), (0,), 1), *moved], truncated
    return _others(cone, heads, routes, entries, question)


def _others(
    cone: Cone, heads: Heads, routes: list[Route], entries: list[Entry], question: Question
) -> tuple[list[Path], list[Group], Truncation | None]:
    """Return the witnesses that have steps."""
    if not routes:
        return [], [], None
    if question.all_paths:
        return _all(routes, heads)
    paths: list[Path] = []
    groups: list[Group] = []
    group_by = question.group_by
    if group_by == "entry" and len({route[-1] for route in routes}) > _MANY_SITES:
        group_by = "folder"
    for members in _grouped(routes, group_by):
        homely = group_by in ("module", "folder") and members[0] is not routes[0]
        deciding = None if homely else _deciding(members[0], routes[0])
        shown = members[: question.paths]
        numbers = tuple(range(len(paths), len(paths) + len(shown)))
        paths.extend(Path(_entry_of(heads, r), r, "unknown") for r in shown)
        met = {_entry_of(heads, r) for r in members}
        joined = deciding or next((s for s in reversed(routes[0]) if s.kind in BOUNDARIES), None)
        if joined is not None and len(groups) < _WIDE_GROUPS and not question.via:
            met |= _entries_before(cone, entries, joined.caller)
        title = f"through {deciding.caller}" if deciding is not None else ""
        if homely:
            title = f"from {_home(members[0], group_by)}"
        groups.append(Group("unknown", title, deciding, tuple(sorted(met)), numbers, len(members)))
    return paths, groups, None


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


def _all(routes: list[tuple[Step, ...]], heads: Heads) -> tuple[list[Path], list[Group], Truncation | None]:
    shown = routes[:MAX_ALL]
    paths = [Path(_entry_of(heads, r), r, "unknown") for r in shown]
    truncated = Truncation("paths", len(shown), len(routes)) if len(shown) < len(routes) else None
    groups = []
    for number, path in enumerate(paths):
        deciding = _deciding(path.steps, routes[0])
        title = f"through {deciding.caller}" if deciding is not None else ""
        groups.append(Group("unknown", title, deciding, (path.entry,), (number,), 1))
    return paths, groups, truncated


def _entry_of(heads: Heads, route: tuple[Step, ...]) -> int:
    return heads.entry[route[0].caller]


def _routes(cone: Cone, heads: Heads, via: tuple[Through, ...]) -> list[tuple[Step, ...]]:
    """Return witnesses that together pass every step on some way from a way in to a target, the main one first."""
    found: dict[tuple[Step, ...], None] = {}
    starts = [name for name in heads.entry if heads.head(name) == () and cone.next_step[name] is not None]
    candidates = [cone.tail(name) for name in starts]
    for name in sorted(cone.steps_in):
        for step in sorted(cone.steps_in[name], key=_step_key):
            if heads.reached(step.caller):
                candidates += [(*heads.head(step.caller), step, *cone.tail(name))]
    for route in sorted(candidates, key=lambda r: _route_key(r, heads)):
        if _passes(route, via):
            found.setdefault(_without_loops(route), None)
    return list(found)


def _route_key(route: tuple[Step, ...], heads: Heads) -> tuple[object, ...]:
    cost = sum(_TIER_COST[s.resolution] for s in route)
    asked = sum(1 for s in route for g in s.guards if g.polarity and g.kind in ("if", "and", "ternary", "match"))
    return (heads.entry[route[0].caller], len(route) + cost, asked, [_step_key(s) for s in route])


def _without_loops(route: tuple[Step, ...]) -> tuple[Step, ...]:
    """Cut out detours that come back to a function."""
    kept: list[Step] = []
    for step in route:
        for position, earlier in enumerate(kept):
            if earlier.caller == step.caller:
                del kept[position:]
                break
        kept.append(step)
    return tuple(kept)


def _passes(route: Route, via: tuple[Through, ...]) -> bool:
    """Tell whether a route meets the parts of a call string in their order; steps between may be left out."""
    position = 0
    for part in via:
        while position < len(route) and not part.meets(route[position]):
            position += 1
        if position == len(route):
            return False
    return True


def _grouped(routes: list[Route], group_by: str) -> list[list[Route]]:
    """Put routes that the same thing decides together; the main route's group comes first, then by length."""
    main = routes[0]
    groups: dict[object, list[Route]] = {}
    for route in routes:
        groups.setdefault(_group_key(route, main, group_by), []).append(route)
    first, *others = groups.values()
    for members in groups.values():
        members[1:] = sorted(members[1:], key=len)
    return [first, *sorted(others, key=lambda members: min(map(len, members)))]


def _group_key(route: Route, main: Route, group_by: str) -> object:
    if group_by in ("module", "folder"):
        return "" if route is main else _home(route, group_by)
    deciding = _deciding(route, main)
    if group_by == "guard":
        return () if deciding is None else deciding.guards
    return deciding


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
    while shared < min(len(one), len(other)) and one[-1 - shared] == other[-1 - shared]:
        shared += 1
    return shared


def _common_guards(routes: list[Route]) -> tuple[Guard, ...]:
    """Return the guards that every witness has, in the order of the main one."""
    if not routes:
        return ()
    common = {g for s in routes[0] for g in s.guards}
    for route in routes[1:]:
        common &= {g for s in route for g in s.guards}
    return tuple(dict.fromkeys(g for s in routes[0] for g in s.guards if g in common))


def _incoming(cone: Cone, heads: Heads | None) -> tuple[Step, ...]:
    """Return the steps into the functions of the cone; where starts were named, those on a way from one."""
    steps = (step for name in sorted(cone.steps_in) for step in cone.steps_in[name])
    return tuple(step for step in steps if heads is None or heads.reached(step.caller))


# --- what is not known ---------------------------------------------------------------------------------------------------


def _nearest_miss(graph: CallGraph, cone: Cone, question: Question) -> NearestMiss:
    forward = _forward(graph, question.starts or tuple(e.function for e in question.entries))
    frontier: list[Unresolved] = []
    for name in forward:
        row = graph.function(name)
        if row is not None:
            frontier.extend(gaps_of(name, row))
    lasts = {name.rpartition(".")[2] for name in cone.functions()}
    frontier.sort(key=lambda u: (u.text.rpartition(".")[2] not in lasts, u.file, u.line, u.column))
    return NearestMiss(len(forward), len(list(cone.functions())), tuple(frontier[:3]), len(frontier))


def _forward(graph: CallGraph, starts: Iterable[str]) -> list[str]:
    seen = dict.fromkeys(starts)
    level = list(seen)
    while level:
        graph.fetch(level)
        following: dict[str, None] = {}
        for name in level:
            row = graph.function(name)
            for step in row.steps if row is not None else ():
                if step.resolution != "by-name" and step.callee not in seen:
                    seen[step.callee] = None
                    following[step.callee] = None
        level = list(following)
    return [name for name in seen if graph.function(name) is not None]


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
    order = list(_TIER_COST)
    for steps in cone.steps_in.values():
        for step in steps:
            key = (step.file, step.line, step.column)
            if key not in best or order.index(step.resolution) < order.index(best[key]):
                best[key] = step.resolution
    return best
