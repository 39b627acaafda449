"""A sheet as a JSON document and as text."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.sheets import Sheet
from codepath.report.common import cut_line
from codepath.report.documents import document
from codepath.report.draw.looks import CHANGES, box_lines, sheet_legend
from codepath.report.encode import pretty
from codepath.report.pen import Piece, Span
from codepath.report.view import View


def sheet_json(sheet: Sheet, view: View) -> Iterator[str]:
    """Write a sheet; arrows name boxes by their position."""
    boxes = [
        {
            "key": box.key,
            "kind": box.kind,
            "title": box.title,
            "lines": box.lines,
            "place": box.place,
            "more": [{"heading": heading, "lines": lines} for heading, lines in box.more],
            "change": box.change or None,
        }
        for box in sheet.boxes
    ]
    arrows = [
        {
            "tail": a.tail,
            "head": a.head,
            "kind": a.kind,
            "lines": a.lines,
            "place": a.place,
            "change": a.change or None,
        }
        for a in sheet.arrows
    ]
    own = {
        "name": sheet.name,
        "place": sheet.place,
        "caption": sheet.caption,
        "boxes": boxes,
        "arrows": arrows,
        "hidden": sheet.hidden,
    }
    yield pretty(document(view, None, sheet.truncated, own))


def sheet_text(sheet: Sheet, view: View) -> Iterator[str]:
    """Write a sheet as an outline: each box below the first box that an arrow leads to it from, arrows up for `extends`."""
    head: list[Piece] = [Span(sheet.name, "name")]
    if sheet.place is not None:
        head += ["   ", view.place(sheet.place.file, sheet.place.line)]
    yield view.pen.line(*head)
    yield view.pen.line(f"  {sheet.caption}")
    yield view.pen.line()
    for depth, number in _outline(sheet):
        yield from _box(sheet, number, depth, view)
    yield view.pen.line()
    if sheet.hidden:
        yield view.pen.line(f"  +{sheet.hidden} more: {sheet.way_out}")
    for _, sign, meaning in sheet_legend(sheet):
        yield view.pen.line("  ", f"{sign}  ", Span(meaning, "dim"))
    yield from cut_line(sheet.truncated, view)


def _box(sheet: Sheet, number: int, depth: int, view: View) -> Iterator[str]:
    box = sheet.boxes[number]
    lead = "│ " * depth
    lines = box_lines(box)
    place = view.place(box.place.file, box.place.line) if box.place is not None else ""
    style = "mark" if box.change else "name" if depth == 0 else ""
    yield view.pen.line("  ", Span(lead, "dim"), Span(lines[0], style), "   ", place)
    skip = f":{box.place.line}" if box.place is not None else "\0"
    for line in lines[1:]:
        if not line.endswith(skip) or line in CHANGES.values():
            yield view.pen.line(
                "  ", Span(lead, "dim"), "    ", Span(line, "mark" if line in CHANGES.values() else "dim")
            )


def _outline(sheet: Sheet) -> Iterator[tuple[int, int]]:
    """Yield each box once, with its depth below the boxes that stand before it."""
    below: dict[int, list[int]] = {}
    has_upper: set[int] = set()
    for arrow in sheet.arrows:
        upper, lower = (arrow.head, arrow.tail) if arrow.kind == "extends" else (arrow.tail, arrow.head)
        below.setdefault(upper, []).append(lower)
        has_upper.add(lower)
    seen: set[int] = set()
    for first in [*(n for n in range(len(sheet.boxes)) if n not in has_upper), *range(len(sheet.boxes))]:
        todo = [(0, first)]
        while todo:
            depth, number = todo.pop()
            if number in seen:
                continue
            seen.add(number)
            yield depth, number
            todo += [(depth + 1, n) for n in sorted(set(below.get(number, ())), reverse=True)]
