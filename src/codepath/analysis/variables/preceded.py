"""Reads that a write in the same activation precedes: what is read there is what was just written.

A write precedes a read of its function that stands behind it under the same conditions or more. It is a store, or a call of a
function that stores the variable whatever it is called with.

Approximates: under (what runs between the two, and changes the variable from outside, is not asked).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from codepath.analysis.variables.unset import Writes
from codepath.model.answers import Guard, Place
from codepath.model.values import Reader, Writer

Located = tuple[int, "Sequence[Guard]"]
Locate = Callable[[Place], "Located | None"]
"""Gives the number of what runs at a place, counted in its function in the order of running, and its guards."""


def with_preceded(readers: Iterable[Reader], writers: Sequence[Writer], name: str, locate: Locate) -> Iterator[Reader]:
    """Yield readers; those of which a write precedes that cannot store None do not require it to be set."""
    here: dict[str, list[Writer]] = {}
    for writer in writers:
        if writer.how in ("store", "setter"):
            here.setdefault(writer.place.function, []).append(writer)
    stored = _sure_setters(writers, name)
    for reader in readers:
        near = here.get(reader.place.function, ()) if reader.requires_set else ()
        is_set = bool(near) and _is_set(reader, near, stored, locate)
        yield replace(reader, requires_set=False) if is_set else reader


def _sure_setters(writers: Sequence[Writer], name: str) -> frozenset[str]:
    """Return the functions that store the variable whenever they are called, unless it is set already."""
    writes = Writes(name, tuple(writers))
    stores = (w for w in writers if w.how == "store" and w.may_be_none is False)
    return frozenset(w.place.function for w in stores if not writes.skipping(w.guards) and not _is_tried(w.guards))


def _is_set(reader: Reader, near: Iterable[Writer], stored: frozenset[str], locate: Locate) -> bool:
    """Tell whether the last write before a read that holds there cannot store None."""
    read = locate(reader.place)
    if read is None:
        return False
    known = {(g.text, g.polarity, g.line) for g in read[1]}
    placed = ((locate(writer.place), writer) for writer in near)
    before = [(found[0], writer) for found, writer in placed if found is not None and found[0] < read[0]]
    for _, writer in sorted(before, key=lambda pair: -pair[0]):
        if writer.may_be_none is not False:
            return False
        is_sure = writer.how == "store" or writer.through in stored
        if is_sure and all((g.text, g.polarity, g.line) in known for g in writer.guards):
            return True
    return False


def _is_tried(guards: Iterable[Guard]) -> bool:
    return any(guard.kind in ("try", "except", "for", "while") for guard in guards)
