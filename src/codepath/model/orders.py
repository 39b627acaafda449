"""Answers about order: plain data as `model.answers`."""

from __future__ import annotations

from dataclasses import dataclass

from codepath.model.answers import Guard, Place, Skip, Stats, Truncation
from codepath.model.assumptions import Met


@dataclass(frozen=True, slots=True)
class OrderSide:
    """One side of the question: as it was asked, its title, and the functions or places that count as a run of it."""

    query: str
    title: str
    functions: tuple[str, ...]
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a frame; `remark` is what it does: `first`, `then`, the title of an event, "" for a condition,
    or `else` for one in whose other branch a side stands."""

    line: int
    text: str
    remark: str


@dataclass(frozen=True, slots=True)
class OrderContext:
    """A frame that separates the two sides.

    `first_site` and `then_site` are where the frame runs them; `first_sites` and `then_sites` all such places. `guards` are
    the conditions of both in the frame, `skips` alternatives under which the later one runs although the other did not.
    `again`: a run of the later one that is not its first. `lines` are the frame's own lines that show it.
    """

    function: str
    verdict: str
    first_site: Place
    then_site: Place
    guards: tuple[Guard, ...]
    skips: tuple[Skip, ...]
    again: bool = False
    first_sites: tuple[Place, ...] = ()
    then_sites: tuple[Place, ...] = ()
    lines: tuple[SourceLine, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderAnswer:
    """The answer to `order`. `is_reached` tells for each side whether a start leads to it.

    Of what is assumed it tells which variables it met. `spelled` are calls that hand the name of a side that is not
    reached on as a string.
    """

    first: OrderSide
    then: OrderSide
    verdict: str
    contexts: tuple[OrderContext, ...]
    starts: int
    is_reached: tuple[bool, bool]
    stats: Stats
    truncated: Truncation | None = None
    assumptions: tuple[Met, ...] = ()
    spelled: tuple[Place, ...] = ()
