"""Ways to a read of a variable before which nothing has to have written it.

Two kinds: an entry point from which a read is reached and no writer, and a write whose guards the way on to a read does not
share, unless order tells that some writer has run whenever the read does.

Approximates: under (a writer that is reachable is taken to run first unless a guard skips it); over (guards on the way to the
read may exclude it; order is asked about the first `MAX_ORDERED` reads only).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from codepath.analysis.cone import Cone, Heads
from codepath.model.answers import Entry, Guard, Place, Step
from codepath.model.values import Reader, UnsetRead, Writer
from codepath.program.graph import CallGraph

MAX_READERS = 40
MAX_ORDERED = 4
"""Reads about which order is asked."""
SKIPPING = frozenset(["if", "else", "early-return", "early-continue", "early-break", "and", "or", "match"])
"""Kinds of guards that skip a write and let what follows run: where one raises, it does not."""

_REGISTERED = frozenset(["custom-op", "route", "signal", "at-exit"])
"""Kinds of steps to code that is only registered there: that it runs is for others to say."""

IsBefore = Callable[[Sequence[Place], Place], bool | None]
"""Tells whether the code at one of some places has always run before that at another does; None where that is not known."""


def not_known(firsts: Sequence[Place], then: Place) -> bool | None:
    """Return None: nothing is known of the order of places."""
    return None


@dataclass(frozen=True, slots=True)
class Writes:
    """The writers of a variable, those that run at import left out, and what is known of their order to reads."""

    name: str
    writers: tuple[Writer, ...]
    is_before: IsBefore = not_known

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions that store it or call one that does, sorted."""
        return tuple(sorted({w.place.function for w in self.writers if w.how in ("store", "setter")}))

    def precede(self, reader: Place) -> bool:
        """Tell whether some store of a value, or call of a function that stores it, has always run before a read."""
        places = [w.place for w in self.writers if w.how in ("store", "setter") and w.value != "None"]
        return bool(places) and self.is_before(places, reader) is True

    def skipping(self, guards: Iterable[Guard]) -> tuple[Guard, ...]:
        """Return the guards that can skip a write; one that asks about the variable skips it where it is set."""
        itself = re.compile(rf"\b{re.escape(self.name)}\b")
        return tuple(g for g in guards if g.kind in SKIPPING and not g.choice and not itself.search(g.text))


class _Way(NamedTuple):
    """Steps to a read past a write, and the guards of the write that the way to the read does not share."""

    steps: tuple[Step, ...]
    guards: tuple[Guard, ...]


class UnsetReads:
    """Finds ways to reads."""

    def __init__(self, graph: CallGraph, entries: Sequence[Entry], writes: Writes) -> None:
        self._graph = graph
        self._entries = entries
        self._writes = writes
        self._written = Cone(graph, writes.functions, by_name=False)

    def of(self, readers: Iterable[Reader], getters: Iterable[str] = ()) -> tuple[UnsetRead, ...]:
        """Return the ways to readers that do not expect an unset variable, one a function and kind.

        Those are readers that require it to be set, and such as pass on untested what they get. What a function gives that
        sets it where it is not set is never unset.
        """
        readers = [r for r in readers if r.through not in self._writes.functions]
        expecting = {*getters, *(r.place.function for r in readers if r.how == "test")}
        needing: dict[str, Reader] = {}
        for reader in readers:
            passes_on = reader.how == "use" and reader.place.function not in expecting
            if (reader.requires_set or passes_on) and self._graph.function(reader.place.function) is not None:
                known = needing.get(reader.place.function)
                if known is None or _urgency(reader) < _urgency(known):
                    needing[reader.place.function] = reader
        chosen = dict(sorted(needing.items(), key=lambda item: _urgency(item[1]))[:MAX_READERS])
        chosen = {name: r for name, r in chosen.items() if name not in self._writes.functions}
        if not chosen:
            return ()
        cone = Cone(self._graph, tuple(chosen), by_name=False)
        for name, steps in cone.steps_in.items():
            cone.steps_in[name] = [step for step in steps if step.kind not in _REGISTERED]
        return (*self._unwritten(cone, chosen), *self._skipped(chosen))

    def _unwritten(self, cone: Cone, readers: dict[str, Reader]) -> Iterator[UnsetRead]:
        """Yield the shortest way to each reader from an entry point that leads to no writer."""
        entries = [e for e in self._entries if e.function not in self._written.next_step]
        heads = Heads(cone, entries)
        for name, reader in readers.items():
            if heads.reached(name):
                entry = entries[heads.entry[name]]
                why = "nothing that runs from there writes it"
                yield UnsetRead(entry.name, reader.place, heads.head(name), why, ())

    def _skipped(self, readers: dict[str, Reader]) -> Iterator[UnsetRead]:
        """Yield a way for each reader on which guards skip the writes and it still runs, the one with the fewest guards."""
        writers = sorted(self._writes.writers, key=lambda w: w.how != "setter")
        ordered = 0
        for name, reader in readers.items():
            cone = Cone(self._graph, (name,), by_name=False)
            entries = [e for e in self._entries if e.function in cone.next_step]
            heads = Heads(self._written, entries)
            ways = [(w, self._way(w, cone, heads)) for w in writers if heads.reached(w.place.function)]
            if any(way is not None and not way.guards for _, way in ways):
                continue
            skipped = [(writer, way) for writer, way in ways if way is not None]
            ordered += bool(skipped)
            if skipped and not (ordered <= MAX_ORDERED and self._writes.precede(reader.place)):
                writer, way = min(skipped, key=lambda pair: len(pair[1].guards))
                entry = entries[heads.entry[writer.place.function]]
                why = f"the write at {writer.place.file}:{writer.place.line} needs what this read does not"
                yield UnsetRead(entry.name, reader.place, way.steps, why, way.guards)

    def _way(self, writer: Writer, cone: Cone, heads: Heads) -> _Way | None:
        """Return the way to a read from the nearest function that leads to a writer too, None where there is none."""
        around = writer.place.function
        head = heads.head(around)
        guards = self._writes.skipping(writer.guards)
        for position in range(len(head), -1, -1):
            if around in cone.next_step:
                rest = cone.tail(around)
                shared = {(g.text, g.polarity) for step in rest for g in step.guards}
                missing = tuple(g for g in guards if (g.text, g.polarity) not in shared)
                return _Way((*head[:position], *rest), missing)
            if position:
                guards = (*self._writes.skipping(head[position - 1].guards), *guards)
                around = head[position - 1].caller
        return None


def _urgency(reader: Reader) -> tuple[object, ...]:
    """Return what orders readers: those that require it, assertions first, then dereferences, by place."""
    kind = {"assert": 0, "dereference": 1}.get(reader.how, 2)
    return (not reader.requires_set, kind, reader.place.file, reader.place.line)
