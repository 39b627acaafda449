"""Which paths can happen: a search over functions and what is known in them, from the ways in to the targets.

A *state* is a function with the facts of one activation. States with equal facts are one, so that the number of states is
small where the number of paths is not. A step whose guard is certainly false under the facts of its state is blocked there,
with the place of the constant that makes it so.

Approximates: over for open (a guard that is not known may never hold), exact for blocked: no execution takes a blocked step
with those facts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from codepath.analysis.constants import NOTHING_KNOWN, Facts, Folding, Known
from codepath.analysis.passing import Passing
from codepath.model import ir
from codepath.model.answers import Contradiction, Guard, Step
from codepath.program.bodies import Bodies, Body
from codepath.program.guards import Literal

State = tuple[str, Facts]
MAX_STATES = 20_000
MAX_FUNCTIONS = 600
"""Functions on the ways to a target; beyond, which paths can happen is not worked out."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A step taken from a state, with the guards' values there; `blocked` where a guard is false."""

    step: Step
    source: State
    target: State | None
    blocked: Contradiction | None


class Search:
    """States reached from the ways in, and what each of their steps comes to."""

    def __init__(
        self, bodies: Bodies, folding: Folding, steps_in: Mapping[str, Sequence[Step]], starts: Iterable[State]
    ) -> None:
        self._bodies = bodies
        self._folding = folding
        self._passing = Passing(bodies, folding)
        self._steps_out: dict[str, list[Step]] = {}
        for steps in steps_in.values():
            for step in steps:
                self._steps_out.setdefault(step.caller, []).append(step)
        self.taken: list[Taken] = []
        self.starts: list[State] = []
        self.is_whole = True
        self._run(starts)

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
        facts = self._passing.facts(step, caller, callee, state[1]) if callee is not None else NOTHING_KNOWN
        return Taken(valued, state, (step.callee, facts), None)

    def _valued(self, caller: Body, facts: Facts, step: Step) -> tuple[Step, Contradiction | None]:
        """Return a step with the values of its guards, and the first that is false."""
        index = caller.at_place(step.line, step.column)
        if index is None or not step.guards:
            return step, None
        literals = caller.guards.of(index)
        here = Facts(facts.params, self._passing.attributes(caller, facts, index), facts.cls)
        guards: list[Guard] = []
        blocked: Contradiction | None = None
        for guard in step.guards:
            truth = self._truth(caller, here, guard, literals)
            if truth is None:
                guards.append(guard)
                continue
            valued = replace(guard, value="true" if truth.value else "false")
            guards.append(valued)
            if truth.value != guard.polarity and blocked is None:
                blocked = Contradiction(valued, truth.because)
        return replace(step, guards=tuple(guards)), blocked

    def _truth(self, caller: Body, facts: Facts, guard: Guard, literals: Sequence[Literal]) -> Known | None:
        """Return the truth of a guard's text; none for one of another scope, or that holds only under others."""
        if guard.choice or guard.when or guard.kind in _NOT_TESTED:
            return None
        for literal in literals:
            if (
                literal.text == guard.text
                and literal.polarity == guard.polarity
                and ir.line_of(literal.at) == guard.line
            ):
                return self._folding.truth(caller, literal.test, facts) if literal.test >= 0 else None
        return None


_NOT_TESTED = frozenset(["for", "while", "try", "except", "match", "comprehension"])


def _place_of(step: Step) -> tuple[object, ...]:
    return (step.file, step.line, step.column, step.callee, step.kind)
