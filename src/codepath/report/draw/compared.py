"""Two sheets as one: what the second adds, drops and changes; and a sheet cut to what matters most."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from codepath.model.sheets import Arrow, Box, Sheet
from codepath.report.draw.looks import CHANGES

_LINE = re.compile(r"(?<=\.py):\d+")


def joined(base: Sheet, head: Sheet, versions: tuple[str, str]) -> Sheet:
    """Return the second sheet, told what became of each part, with what only the first one has."""
    olds = {box.key: box for box in base.boxes}
    boxes = [_box(olds.get(box.key), box) for box in head.boxes]
    numbers = {box.key: n for n, box in enumerate(boxes)}
    for box in base.boxes:
        if box.key not in numbers:
            numbers[box.key] = len(boxes)
            boxes.append(replace(box, change="dropped"))
    waiting = [(_key(base, arrow), arrow) for arrow in base.arrows]
    arrows: list[Arrow] = []
    for arrow in head.arrows:
        match = next((pair for pair in waiting if pair[0] == _key(head, arrow)), None)
        if match is not None:
            waiting.remove(match)
        arrows.append(_arrow(match[1] if match is not None else None, arrow))
    for _, arrow in waiting:
        tail, head_ = numbers[base.boxes[arrow.tail].key], numbers[base.boxes[arrow.head].key]
        arrows.append(replace(arrow, tail=tail, head=head_, change="dropped"))
    found = replace(head, boxes=tuple(boxes), arrows=tuple(arrows))
    return replace(found, caption=f"what {versions[1]} changes of {versions[0]}: {_counts(found)}")


def _key(sheet: Sheet, arrow: Arrow) -> tuple[str, str, str]:
    return sheet.boxes[arrow.tail].key, sheet.boxes[arrow.head].key, arrow.key


def _box(old: Box | None, new: Box) -> Box:
    if old is None:
        return replace(new, change="added")
    if old.kind == new.kind and _bare(old.lines) == _bare(new.lines):
        return new
    return replace(new, change="changed", more=(*new.more, ("Before", old.lines)))


def _arrow(old: Arrow | None, new: Arrow) -> Arrow:
    if old is None:
        return replace(new, change="added")
    if old.kind == new.kind and _bare(old.lines) == _bare(new.lines):
        return new
    gone = [line for line in old.lines if line not in new.lines and not _LINE.search(line)]
    return replace(new, change="changed", lines=(*new.lines, *(f"was {line}" for line in gone)))


def _bare(lines: Sequence[str]) -> list[str]:
    """Return lines without numbers of source lines, which change with whatever stands above."""
    return [_LINE.sub("", line) for line in lines]


def _counts(sheet: Sheet) -> str:
    changes = [box.change for box in sheet.boxes] + [arrow.change for arrow in sheet.arrows]
    return ", ".join(f"{changes.count(c)} {c}" for c in CHANGES if c in changes) or "nothing"


def cut(sheet: Sheet, limit: int) -> Sheet:
    """Return a sheet with at most so many boxes: what changed first, then as they stand."""
    if len(sheet.boxes) <= limit:
        return sheet
    ends = {n for a in sheet.arrows if a.change for n in (a.tail, a.head)}
    order = sorted(
        range(len(sheet.boxes)), key=lambda n: (not sheet.boxes[n].change, n not in ends, _rank(sheet, n), n)
    )
    kept = sorted(order[:limit])
    numbers = {old: new for new, old in enumerate(kept)}
    arrows = tuple(
        replace(a, tail=numbers[a.tail], head=numbers[a.head])
        for a in sheet.arrows
        if a.tail in numbers and a.head in numbers
    )
    return replace(sheet, boxes=tuple(sheet.boxes[n] for n in kept), arrows=arrows, hidden=len(sheet.boxes) - limit)


def _rank(sheet: Sheet, number: int) -> int:
    """What was asked about comes before the rest."""
    return int(sheet.boxes[number].kind not in ("target", "entry"))
