"""Witnesses: paths that together pass every step which lies on some way from a way in to the targets.

They come from the states of a feasibility search where there is one, blocked ways included, else from functions alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush

from codepath.analysis.cone import Cone, Heads, Route, step_key
from codepath.analysis.feasibility import Search, State, Taken
from codepath.analysis.likelihood import NO_WEIGHT, Likelihood, Weight, added
from codepath.model.answers import Contradiction, Entry, Guard, Step


@dataclass(frozen=True, slots=True)
class Witness:
    """One path: its way in, steps and verdict."""

    entry: int
    steps: Route
    verdict: str
    contradiction: Contradiction | None = None


def identity(step: Step) -> Step:
    """Return a step without what its guards are worth on one path."""
    if all(g.value == "unknown" and g.changed_at is None for g in step.guards):
        return step
    return replace(step, guards=tuple(map(plain_guard, step.guards)))


def plain_guard(guard: Guard) -> Guard:
    """Return a guard without what it is worth on one path."""
    return replace(guard, value="unknown", changed_at=None)


Key = tuple[str, int, int, str, str]


def key_of(step: Step) -> Key:
    """Return what tells a step from others, on whatever path: its place, callee and kind."""
    return (step.file, step.line, step.column, step.callee, step.kind)


def plain_witnesses(cone: Cone, heads: Heads) -> list[Witness]:
    """Return witnesses over functions, nothing decided."""
    starts = [name for name in heads.entry if heads.head(name) == () and cone.next_step[name] is not None]
    routes = [cone.tail(name) for name in starts]
    for name in sorted(cone.steps_in):
        for step in sorted(cone.steps_in[name], key=step_key):
            if heads.reached(step.caller):
                routes += [(*heads.head(step.caller), step, *cone.tail(name))]
    return [Witness(heads.entry[r[0].caller], r, "unknown") for r in map(without_loops, routes)]


def without_loops(route: Route) -> Route:
    """Cut out detours that come back to a function; a wrapper is another one for each function that it wraps."""
    kept: dict[tuple[str, tuple[str, ...]], Step] = {}
    wraps: tuple[str, ...] = ()
    for step in route:
        key = (step.caller, wraps)
        if key in kept:
            keys = list(kept)
            for later in keys[keys.index(key) :]:
                del kept[later]
        kept[key] = step
        wraps = step.via.wraps if step.via is not None else ()
    return tuple(kept.values())


class StateWitnesses:
    """Witnesses over the states of a search."""

    def __init__(self, cone: Cone, search: Search, entries: Sequence[Entry], likelihood: Likelihood) -> None:
        self._cone = cone
        self._weights = {id(taken): likelihood.weight(taken.step) for taken in search.taken}
        self._search = search
        self._entry_of = {e.function: n for n, e in reversed(list(enumerate(entries)))}
        self._before: dict[State, Taken | None] = {}
        self._entry: dict[State, int] = {}
        self._doubtful: dict[Key, bool] = {}
        self._after = self._backwards(t for t in search.taken if t.target is not None and t.target[0] in cone.targets)
        self._to_block = self._backwards(t for t in search.taken if t.blocked is not None)
        self._reach_states()

    def all(self) -> list[Witness]:
        """Return the open witnesses, then the blocked ones."""
        found = [self._open(self._tail(s), self._entry[s]) for s in self._search.starts if s in self._after]
        blocked: list[Witness] = []
        opened: set[Key] = set()
        closed: set[Key] = set()
        for taken in self._search.taken:
            if taken.target is not None and (taken.target[0] in self._cone.targets or taken.target in self._after):
                route = (*self._head(taken.source), taken.step, *self._tail(taken.target))
                found.append(self._open(route, self._entry[taken.source]))
                opened.update(map(key_of, route))
            elif taken.blocked is not None:
                blocked.append(self._blocked(taken, ()))
                closed.update(map(key_of, blocked[-1].steps))
        for taken in self._search.taken:
            step = key_of(taken.step)
            if taken.blocked is None and taken.target in self._to_block and step not in opened and step not in closed:
                witness = self._blocked(taken, self._chain(taken.target))
                blocked.append(witness)
                closed.update(map(key_of, witness.steps))
        return [*found, *blocked]

    def _open(self, route: Route, entry: int) -> Witness:
        doubtful = any(step.resolution == "by-name" or self._is_doubtful(step) for step in route)
        return Witness(entry, without_loops(route), "unknown" if doubtful else "open")

    def _is_doubtful(self, step: Step) -> bool:
        """Tell whether a guard of a step asks what a call of unknown target gives."""
        key = key_of(step)
        if key not in self._doubtful:
            row = self._cone.graph.function(step.caller) if step.guards else None
            unknown = {gap.at for gap in row.gaps if not gap.outside} if row is not None else set()
            self._doubtful[key] = bool(unknown) and self._search.rests_on(step, unknown)
        return self._doubtful[key]

    def _blocked(self, taken: Taken, chain: Sequence[Taken]) -> Witness:
        last = chain[-1] if chain else taken
        steps = (*self._head(taken.source), taken.step, *(t.step for t in chain))
        route = (*steps, *self._cone.tail(last.step.callee))
        return Witness(self._entry[taken.source], without_loops(route), "blocked", last.blocked)

    def _reach_states(self) -> None:
        """Find the most ordinary way from a start to each state; of equal ones that of the first start."""
        outgoing: dict[State, list[Taken]] = {}
        for taken in self._search.taken:
            outgoing.setdefault(taken.source, []).append(taken)
        starts = list(dict.fromkeys(self._search.starts))
        queue: list[tuple[Weight, int, State, Taken | None]] = [(NO_WEIGHT, n, s, None) for n, s in enumerate(starts)]
        number = len(queue)
        while queue:
            weight, _, state, before = heappop(queue)
            if state in self._before:
                continue
            self._before[state] = before
            self._entry[state] = self._entry_of.get(state[0], 0) if before is None else self._entry[before.source]
            for taken in outgoing.get(state, ()):
                if taken.target is not None and taken.target not in self._before:
                    number += 1
                    heappush(queue, (added(weight, self._weights[id(taken)]), number, taken.target, taken))

    def _backwards(self, last: Iterable[Taken]) -> dict[State, Taken]:
        """Return, for each state from which one of the last steps is reached, the step to take on the most ordinary way."""
        into: dict[State, list[Taken]] = {}
        for taken in self._search.taken:
            if taken.target is not None:
                into.setdefault(taken.target, []).append(taken)
        following: dict[State, Taken] = {}
        queue = [(self._weights[id(taken)], number, taken) for number, taken in enumerate(last)]
        heapify(queue)
        number = len(queue)
        while queue:
            weight, _, taken = heappop(queue)
            if taken.source in following:
                continue
            following[taken.source] = taken
            for before in into.get(taken.source, ()):
                if before.source not in following:
                    number += 1
                    heappush(queue, (added(weight, self._weights[id(before)]), number, before))
        return following

    def _head(self, state: State) -> Route:
        steps: list[Step] = []
        taken = self._before[state]
        while taken is not None:
            steps.append(taken.step)
            taken = self._before[taken.source]
        return tuple(reversed(steps))

    def _tail(self, state: State) -> Route:
        steps: list[Step] = []
        while state in self._after and state[0] not in self._cone.targets:
            taken = self._after[state]
            steps.append(taken.step)
            assert taken.target is not None
            state = taken.target
        return tuple(steps)

    def _chain(self, state: State) -> list[Taken]:
        chain = []
        while True:
            taken = self._to_block[state]
            chain.append(taken)
            if taken.blocked is not None or taken.target is None:
                return chain
            state = taken.target
