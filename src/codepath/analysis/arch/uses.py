"""From which ways in a row is reached, and under which options."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from heapq import heappop, heappush

from codepath.analysis.agreeing import Agreeing
from codepath.analysis.arch.options import LaunchOptions
from codepath.analysis.likelihood import DefaultOf, nothing_known
from codepath.model import ir
from codepath.model.answers import Entry, Guard, Place, Step
from codepath.model.arch import ArchRow, ArchUse
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph

_MOST = 4000  # functions that a search upwards may pass
_GUARDS = 4
_OPTIONS = 4
_STARTED = "__name__ == "
"""Begins the condition under which a module runs as a program: that is what a way in says."""
_KINDS = frozenset(["if", "and", "early-return", "else"])
_UNLIKELY = 20  # steps that a way may be longer to go without an option that is off by default
_TRIES = 5  # ways whose conditions do not agree that are passed over


class Uses:
    """Searches upwards, nearest callers first, for ways in; of several the first in their own order counts.

    Args:
        graph: The call graph.
        bodies: The functions of the tree.
        entries: The ways in, in their order.
        options: Gives what finds launch options, which is not made before a row is reached.
        defaults: Gives what the launch options of the tree are by default makes of guards.
    """

    def __init__(
        self,
        graph: CallGraph,
        bodies: Bodies,
        entries: Sequence[Entry],
        options: Callable[[], LaunchOptions],
        defaults: Callable[[Sequence[Guard]], DefaultOf],
    ) -> None:
        self._graph = graph
        self._bodies = bodies
        self._agreeing = Agreeing(graph, bodies)
        self._entries = {e.function: e.name for e in entries}
        self._options = options
        self._defaults = defaults
        self._default_of: DefaultOf = nothing_known
        self._found: dict[str, tuple[str, list[Step]] | None] = {}

    def of(self, rows: Sequence[ArchRow]) -> list[tuple[ArchUse, ...]]:
        """Return for each row a way in of its first use, with the guards nearest to the row; none where none is met."""
        places = [self._place(row) for row in rows]
        ways = [self._found_for(place.function) if place is not None else None for place in places]
        around = [
            self._around(place) if place is not None and way is not None else []
            for place, way in zip(places, ways, strict=True)
        ]
        guards = [(*own, *(_guards(way[1]) if way is not None else ())) for own, way in zip(around, ways, strict=True)]
        self._default_of = self._defaults([guard for some in guards for guard in some])
        return [
            (self._use(place, way, some),) if place is not None and way is not None else ()
            for place, way, some in zip(places, ways, guards, strict=True)
        ]

    def _use(self, place: Place, way: tuple[str, list[Step]], guards: Sequence[Guard]) -> ArchUse:
        told = [replace(guard, default=self._default_of(guard)) for guard in dict.fromkeys(guards)]
        asked = [guard for guard in told if guard.default is not guard.polarity]
        kept = frozenset((guard.file, guard.line) for guard in told if guard.default is guard.polarity)
        body = self._bodies.body(place.function)
        index = self._index(place)
        own = self._options().at(body, index, kept) if body is not None and index >= 0 else ()
        options = dict.fromkeys((*own, *self._options().on_way(way[1], kept)))
        return ArchUse(self._entries[way[0]], tuple(asked)[:_GUARDS], tuple(options)[:_OPTIONS])

    def _found_for(self, function: str) -> tuple[str, list[Step]] | None:
        if function not in self._found:
            self._found[function] = self._search(function)
        return self._found[function]

    def _place(self, row: ArchRow) -> Place | None:
        """Return where a row is used: at its first look-up where the row itself is module code."""
        places = [row.place, *(lookup.place for lookup in row.lookups)]
        if row.kind == "table":
            places = places[1:] + places[:1]
        return next((p for p in places if self._graph.function(p.function) is not None), None)

    def _index(self, place: Place) -> int:
        """Return the first expression on the line of a place, -1 where none is."""
        body = self._bodies.body(place.function)
        if body is None:
            return -1
        on_line = (
            i for i, e in enumerate(body.scope.exprs) if ir.line_of(e.at) == place.line and body.guards.covers(i)
        )
        return next(on_line, -1)

    def _around(self, place: Place) -> list[Guard]:
        """Return the guards of a place in its own function, innermost first."""
        body, index = self._bodies.body(place.function), self._index(place)
        if body is None or index < 0:
            return []
        return [
            Guard(one.text, one.polarity, one.kind, place.file, ir.line_of(one.at))
            for one in reversed(body.guards.of(index))
            if one.kind in _KINDS and not one.when and ir.line_of(one.at) != place.line
        ]

    def _unlikely(self, step: Step) -> int:
        """Return what a step costs more for options that must be on though they are off by default."""
        off = self._options().off
        words = (g.text.rpartition(".")[2] for g in step.guards if g.polarity and "." in g.text)
        return _UNLIKELY * sum(word in off for word in words)

    def _search(self, function: str) -> tuple[str, list[Step]] | None:
        barred: set[Step] = set()
        for _ in range(_TRIES):
            found = self._way(function, barred)
            if found is None:
                return None
            odd = self._agreeing.at_odds(found[1])
            if odd is None:
                return found
            barred.add(odd)
        return None

    def _way(self, function: str, barred: Collection[Step]) -> tuple[str, list[Step]] | None:
        """Return a way in with the steps down from it, without some steps; None where none is met.

        Of the ways in, those count less for which an option must be on that is off by default.
        """
        below: dict[str, Step | None] = {}
        todo: list[tuple[int, int, str, Step | None]] = [(0, 0, function, None)]
        met_later = 0
        while todo and len(below) < _MOST:
            cost, _, name, following = heappop(todo)
            if name in below:
                continue
            below[name] = following
            for step in self._graph.steps_into(name):
                if step.resolution != "by-name" and step.caller not in below and step not in barred:
                    met_later += 1
                    heappush(todo, (cost + 1 + self._unlikely(step), met_later, step.caller, step))
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
    found = [g for one in reversed(steps) for g in one.guards if g.kind in _KINDS and not g.text.startswith(_STARTED)]
    return tuple(dict.fromkeys(found))
