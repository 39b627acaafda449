"""From which ways in a row is reached, and under which options."""

from __future__ import annotations

from collections.abc import Sequence

from codepath.model.answers import Entry, Guard, Step
from codepath.model.arch import ArchRow, ArchUse
from codepath.program.graph import CallGraph

_MOST = 300  # functions that a search upwards may pass
_GUARDS = 4


class Uses:
    """Searches upwards, nearest callers first, for ways in; of several the first in their own order counts."""

    def __init__(self, graph: CallGraph, entries: Sequence[Entry]) -> None:
        self._graph = graph
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
        below: dict[str, Step | None] = {function: None}
        level = [function]
        while level and len(below) < _MOST:
            fresh: list[str] = []
            for name in level:
                for step in self._graph.steps_into(name):
                    if step.resolution != "by-name" and step.caller not in below:
                        below[step.caller] = step
                        fresh.append(step.caller)
            level = fresh
        met = next((name for name in self._entries if name in below), None)
        return (ArchUse(self._entries[met], self._guards(met, below)),) if met is not None else ()

    def _guards(self, entry: str, below: dict[str, Step | None]) -> tuple[Guard, ...]:
        """Return the guards on the way down from an entry that stand nearest to its end."""
        steps: list[Step] = []
        step = below[entry]
        while step is not None:
            steps.append(step)
            step = below.get(step.callee)
        found = [g for one in reversed(steps) for g in one.guards if g.kind in ("if", "and", "early-return", "else")]
        return tuple(dict.fromkeys(found))[:_GUARDS]
