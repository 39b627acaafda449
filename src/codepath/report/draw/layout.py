"""Where the steps of a picture stand on a page: our own layout, in run order from top to bottom, calls inside calls.

A step is a card; the steps inside it stand below it, further right, in a frame that is drawn around them all. Lengths are in
CSS pixels. Nothing overlaps, by construction: a card starts below the end of the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codepath.model.pictures import Picture, PictureStep
from codepath.report.draw.words import KINDS, depths, label, short
from codepath.report.pen import harmless

FONT = 13
LINE = 17
PAD = 9
GAP = 16
INDENT = 22
FRAME = 4
"""How much further right each frame ends than the one inside it."""
MARGIN = 16
_CHARACTER = 7.9
"""The width of a character of a fixed font of 13 pixels, and some room."""
_MAX_CHARACTERS = 96


@dataclass(frozen=True, slots=True)
class Card:
    """A step on the page.

    `link` is how it follows what stands above: `then`, `or`, `skipped`, `starts`, or `first` inside a step. `end` is the last
    step inside it, its own number for none.
    """

    step: PictureStep
    kind: str
    depth: int
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    link: str
    end: int


@dataclass(frozen=True, slots=True)
class Layout:
    """All cards, and the size of the page."""

    cards: tuple[Card, ...]
    width: float
    height: float


def layout(picture: Picture) -> Layout:
    """Return where the steps of a picture stand."""
    levels = depths(picture)
    ends = _ends(picture.steps)
    cards: list[Card] = []
    y = float(MARGIN)
    for step in picture.steps:
        lines = tuple(_lines(step, picture))
        depth = levels[step.number] - 1
        width = max(len(line) for line in lines) * _CHARACTER + 2 * PAD
        height = len(lines) * LINE + 2 * PAD
        x = MARGIN + depth * INDENT
        kind = label(step, picture).kind
        cards.append(Card(step, kind, depth, x, y, width, height, lines, _link(step, kind, cards), ends[step.number]))
        y += height + GAP
    deepest = max((c.depth for c in cards), default=0)
    right = max((c.x + c.width for c in cards), default=0) + MARGIN + FRAME * (deepest + 1)
    return Layout(tuple(cards), right, y + MARGIN)


def _ends(steps: Sequence[PictureStep]) -> dict[int, int]:
    """Return the last step inside each step."""
    ends = {step.number: step.number for step in steps}
    for step in reversed(steps):
        if step.parent:
            ends[step.parent] = max(ends[step.parent], ends[step.number])
    return ends


def _link(step: PictureStep, kind: str, before: Sequence[Card]) -> str:
    if step.change == "dropped":
        return "skipped"
    if kind in ("skipped", "starts", "later"):
        return {"later": "starts"}.get(kind, kind)
    if step.excludes:
        return "or"
    return "first" if before and before[-1].step.number == step.parent else "then"


def _lines(step: PictureStep, picture: Picture) -> list[str]:
    """Return the lines of a card: what runs, where it is called, under which conditions, what it does."""
    said = label(step, picture)
    place = step.place
    way = "".join(f"{name} > " for name in said.way)
    head = f"{step.number} {KINDS[said.kind][0]} {'or ' if said.is_other else ''}{way}{said.title}"
    lines = [head, f"{place.file}:{place.line}", *said.conditions, *said.remarks]
    return [short(harmless(line), _MAX_CHARACTERS) for line in lines]
