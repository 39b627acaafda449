"""Which paths can happen: a search over functions and what is known in them, from the ways in to the targets.

A *state* is a function with the facts of one activation. States with equal facts are one, so that the number of states is
small where the number of paths is not. A step whose guard is certainly false under the facts of its state is blocked there,
with the place of the constant that makes it so.

Approximates: over for open (a guard that is not known may never hold), exact for blocked: no execution takes a blocked step
with those facts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from codepath.analysis.assuming import Assumptions
from codepath.analysis.conditions import Conditions
from codepath.analysis.constants import Folding
from codepath.analysis.known import NOTHING_KNOWN, Facts, Known
from codepath.analysis.makers import Makers
from codepath.analysis.passing import Passing
from codepath.model.answers import Contradiction, Guard, Step
from codepath.program.bodies import Bodies, Body

State = tuple[str, Facts]
MAX_STATES = 20_000
MAX_FUNCTIONS = 1_500
"""Functions on the ways to a target; beyond, which paths can happen is not worked out."""
MAX_ASSUMED = 8_000
"""The same where something is assumed."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A step taken from a state, with the guards' values there; `blocked` where a guard is false.

    `denied` is the number of an assumption that does not hold on this path, -1 for none.
    """

    step: Step
    source: State
    target: State | None
    blocked: Contradiction | None
    denied: int = -1


class Search:
    """States reached from the ways in, and what each of their steps comes to."""

    def __init__(
        self,
        bodies: Bodies,
        folding: Folding,
        steps_in: Mapping[str, Sequence[Step]],
        starts: Iterable[State],
        assumptions: Assumptions | None = None,
        makers: Makers | None = None,
    ) -> None:
        self._bodies = bodies
        self.assumptions = assumptions
        self._makers = makers
        self._passing = Passing(bodies, folding, makers)
        self._folding = folding
        self._conditions = Conditions(bodies, folding)
        self._steps_out: dict[str, list[Step]] = {}
        for steps in steps_in.values():
            for step in steps:
                self._steps_out.setdefault(step.caller, []).append(step)
        self.taken: list[Taken] = []
        self.starts: list[State] = []
        self.is_whole = True
        self._run(starts)

    def rests_on(self, step: Step, places: Container[int]) -> bool:
        """Tell whether a guard of a step that is not known asks what a call gives at one of some packed places."""
        return any(g.value == "unknown" and self._conditions.rests_on(g, places) for g in step.guards)

    def states_of(self, functions: Iterable[str]) -> list[State]:
        """Return the states in which functions are reached."""
        wanted = frozenset(functions)
        reached = (t.target for t in self.taken if t.target is not None and t.target[0] in wanted)
        return list(dict.fromkeys(reached))

    def _run(self, starts: Iterable[State]) -> None:
        queue: deque[State] = deque()
        seen: set[State] = set()
        for state in starts:
            self.starts.append(state)
            if state not in seen:
                seen.add(state)
                queue.append(state)
        while queue:
            state = queue.popleft()
            for step in sorted(self._steps_out.get(state[0], ()), key=_place_of):
                if self._makers is not None and not self._makers.allows(step, state[1]):
                    continue  # another object of the class runs it
                taken = self.take(state, step)
                self.taken.append(taken)
                if taken.target is not None and taken.target not in seen:
                    if len(seen) >= MAX_STATES:
                        self.is_whole = False
                        continue
                    seen.add(taken.target)
                    queue.append(taken.target)

    def take(self, state: State, step: Step) -> Taken:
        """Return what taking a step from a state comes to."""
        caller = self._bodies.body(state[0])
        if caller is None:
            return Taken(step, state, (step.callee, NOTHING_KNOWN), None)
        valued, blocked = self._valued(caller, state[1], step)
        if blocked is not None:
            return Taken(valued, state, None, blocked)
        callee = self._bodies.body(step.callee)
        if callee is None:
            return Taken(valued, state, (step.callee, NOTHING_KNOWN), None)
        facts = self._passing.facts(step, caller, callee, state[1])
        denied = self._denied(step, callee, facts)
        return Taken(valued, state, None if denied >= 0 else (step.callee, facts), None, denied)

    def weighed(self, state: State, step: Step) -> Taken:
        """Return whether a step can be taken from a state, without what it passes on."""
        caller = self._bodies.body(state[0])
        if caller is None:
            return Taken(step, state, None, None)
        valued, blocked = self._valued(caller, state[1], step)
        return Taken(valued, state, None, blocked)

    def _denied(self, step: Step, callee: Body, facts: Facts) -> int:
        """Return the number of an assumption that a step, or what it passes on, contradicts, -1 for none."""
        if self.assumptions is None:
            return -1
        return max(self.assumptions.denied(callee, facts), self.assumptions.unchosen(step))

    def _truth(self, caller: Body, facts: Facts, guard: Guard) -> Known | None:
        """Return what a guard's text comes to, and note the assumption that decides it."""
        key = (guard.file, guard.line, guard.text)
        if self.assumptions is not None:
            self.assumptions.asking = key
        truth = self._conditions.truth(caller, facts, guard)
        if self.assumptions is not None:
            self.assumptions.asking = None
            if truth is not None and truth.assumed >= 0:
                self.assumptions.guards[truth.assumed].add(key)
        return truth

    def _valued(self, caller: Body, facts: Facts, step: Step) -> tuple[Step, Contradiction | None]:
        """Return a step with the values of its guards, and the first that is false."""
        index = caller.at_place(step.line, step.column)
        if index is None or not step.guards:
            return step, None
        here = self._passing.here(caller, facts, index)
        guards: list[Guard] = []
        blocked: Contradiction | None = None
        for guard in step.guards:
            self._folding.refused = None
            truth = self._truth(caller, here, guard)
            if truth is None:
                refused = self._folding.refused
                guards.append(replace(guard, changed_at=refused) if refused is not None else guard)
                continue
            valued = replace(guard, value="true" if truth.value else "false")
            guards.append(valued)
            if truth.value != guard.polarity and blocked is None:
                assumed = truth.assumed if truth.assumed >= 0 else None
                blocked = Contradiction(valued, truth.because, assumed)
        return replace(step, guards=tuple(guards)), blocked


def _place_of(step: Step) -> tuple[object, ...]:
    return (step.file, step.line, step.column, step.callee, step.kind)
