"""From which ways in a row is reached, and under which options."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from codepath.analysis.agreeing import Agreeing
from codepath.model.answers import Entry, Guard, Step
from codepath.model.arch import ArchRow, ArchUse
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph

_MOST = 300  # functions that a search upwards may pass
_GUARDS = 4
_TRIES = 5  # ways whose conditions do not agree that are passed over


class Uses:
    """Searches upwards, nearest callers first, for ways in; of several the first in their own order counts."""

    def __init__(self, graph: CallGraph, bodies: Bodies, entries: Sequence[Entry]) -> None:
        self._graph = graph
        self._agreeing = Agreeing(graph, bodies)
        self._entries = {e.function: e.name for e in entries}
        self._found: dict[str, tuple[ArchUse, ...]] = {}

    def of(self, row: ArchRow) -> tuple[ArchUse, ...]:
        """Return a way in of a row's first use, with the guards nearest to the row; none where none is met."""
        function = self._function(row)
        known = self._found.get(function)
        if known is None:
            known = self._found[function] = self._search(function) if function else ()
        return known

    def _function(self, row: ArchRow) -> str:
        """Return the function that uses a row: that of its first look-up where the row itself is module code."""
        places = [row.place, *(lookup.place for lookup in row.lookups)]
        if row.kind == "table":
            places = places[1:] + places[:1]
        found = (p.function for p in places if self._graph.function(p.function) is not None)
        return next(found, "")

    def _search(self, function: str) -> tuple[ArchUse, ...]:
        barred: set[Step] = set()
        for _ in range(_TRIES):
            found = self._way(function, barred)
            if found is None:
                break
            entry, steps = found
            odd = self._agreeing.at_odds(steps)
            if odd is None:
                return (ArchUse(self._entries[entry], _guards(steps)),)
            barred.add(odd)
        return ()

    def _way(self, function: str, barred: Collection[Step]) -> tuple[str, list[Step]] | None:
        """Return a way in with the steps down from it, without some steps; None where none is met."""
        below: dict[str, Step | None] = {function: None}
        level = [function]
        while level and len(below) < _MOST:
            fresh: list[str] = []
            for name in level:
                for step in self._graph.steps_into(name):
                    if step.resolution != "by-name" and step.caller not in below and step not in barred:
                        below[step.caller] = step
                        fresh.append(step.caller)
            level = fresh
        met = next((name for name in self._entries if name in below), None)
        if met is None:
            return None
        steps: list[Step] = []
        following = below[met]
        while following is not None:
            steps.append(following)
            following = below[following.callee]
        return met, steps


def _guards(steps: Sequence[Step]) -> tuple[Guard, ...]:
    """Return the guards on a way down that stand nearest to its end."""
    found = [g for one in reversed(steps) for g in one.guards if g.kind in ("if", "and", "early-return", "else")]
    return tuple(dict.fromkeys(found))[:_GUARDS]
