"""What the tree's own launch defaults make of guards.

Approximates: under (an option that a function of the tree stores again has no default here).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from codepath.analysis.conditions import Conditions
from codepath.analysis.known import NOTHING_KNOWN
from codepath.model.answers import Guard, ReachAnswer, Step


class Defaults:
    """Fills in `default` of guards; `conditions` fold under the defaults alone."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        self._known: dict[tuple[str, int, str, str], bool | None] = {}

    def answer(self, answer: ReachAnswer) -> ReachAnswer:
        """Return an answer to `reach` with the defaults of the guards on its paths."""
        paths = tuple(replace(path, steps=self.steps(path.steps)) for path in answer.paths)
        return replace(
            answer,
            paths=paths,
            call_sites=self.steps(answer.call_sites),
            guards_always=self.guards(answer.guards_always),
        )

    def steps(self, steps: Iterable[Step]) -> tuple[Step, ...]:
        """Return steps with the defaults of their guards."""
        return tuple(replace(s, guards=self.guards(s.guards)) if s.guards else s for s in steps)

    def guards(self, guards: Iterable[Guard]) -> tuple[Guard, ...]:
        """Return guards with their defaults."""
        return tuple(replace(g, default=self.of(g)) for g in guards)

    def of(self, guard: Guard) -> bool | None:
        """Return what the defaults make of a guard's condition."""
        key = (guard.file, guard.line, guard.text, guard.kind)
        if key not in self._known:
            body = self._conditions.at(guard.file, guard.line)
            truth = self._conditions.truth(body, NOTHING_KNOWN, replace(guard, when=())) if body is not None else None
            self._known[key] = bool(truth.value) if truth is not None else None
        return self._known[key]
