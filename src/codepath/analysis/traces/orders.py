"""Whether something ran before a failure: what the functions of the traceback call above the lines on which they stand.

Approximates: under (functions more than `_DEPTH` calls away from a frame are not looked at; a call in a loop is neither before
nor after); over (guards of the call that came before are listed, not decided).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from codepath.analysis.traces.site import Ground, Site, conditions_said, plain_function
from codepath.model.answers import Guard, Place, Step
from codepath.model.trace import Evidence

_DEPTH = 4
_MOST = 400
_CERTAIN = ("exact", "inferred")
_LOOPS = ("for", "while", "comprehension")


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a place stands to a failure: `before` or after what the functions of the traceback were doing.

    `place` is the call in such a function that leads there, or the place itself; `guards` are those of that call.
    """

    before: bool
    place: Place
    guards: tuple[Guard, ...]
    says: str

    @property
    def evidence(self) -> Evidence:
        """The call as a place of an answer."""
        conditions = [g for g in self.guards if g.kind != "try"]
        under = f", where {conditions_said(conditions)}" if conditions else ""
        return Evidence(self.place, f"{self.says} {'before' if self.before else 'only after'} this{under}")


def standing(ground: Ground, function: str, place: Place, guards: Sequence[Guard] = ()) -> Standing | None:
    """Return where a place of a function stands to the failure, None where the traceback does not tell."""
    leading = None
    for frame, line in reversed(ground.stack):
        if frame == function:
            if any(g.kind in _LOOPS for g in guards) or place.line == line:
                return None
            return Standing(place.line < line, place, tuple(guards), f"`{plain_function(frame)}` gets here")
        leading = leading or _leading(ground, function)
        found = list(_beside(leading.get(frame, ()), line))
        if found:
            return next((s for s in found if s.before), found[0])
    return None


def _beside(steps: Iterable[tuple[Step, str]], line: int) -> Iterator[Standing]:
    """Yield where calls stand to the line on which their function stands."""
    for step, target in steps:
        if step.line == line:
            continue
        place = Place(step.file, step.line, step.column, step.caller)
        through = "calls" if step.callee == target else "leads to"
        says = f"`{plain_function(step.caller)}` {through} `{plain_function(target)}`"
        if not any(guard.kind in _LOOPS for guard in step.guards):
            yield Standing(step.line < line, place, step.guards, says)


def _leading(ground: Ground, function: str) -> dict[str, list[tuple[Step, str]]]:
    """Return the calls that lead to a function, by the function they stand in."""
    found: dict[str, list[tuple[Step, str]]] = {}
    level, seen = [function], {function}
    for _ in range(_DEPTH):
        following: list[str] = []
        for name in level:
            for step in ground.graph.steps_into(name):
                if step.resolution not in _CERTAIN:
                    continue
                found.setdefault(step.caller, []).append((step, function))
                if step.caller not in seen:
                    seen.add(step.caller)
                    following.append(step.caller)
        level = following
        if len(seen) > _MOST:
            break
    return found


def stack_of(sites: Iterable[Site]) -> tuple[tuple[str, int], ...]:
    """Return the functions of a traceback with the lines on which they stand, outermost first."""
    return tuple(reversed([(site.function, site.line) for site in sites]))
