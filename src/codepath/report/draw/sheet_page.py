"""A sheet as one HTML file: boxes and arrows with positions of our own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from codepath.model.sheets import Arrow, Box, Sheet
from codepath.report.draw.layers import Placement, Rectangle, Route, Size, place
from codepath.report.draw.looks import BOXES, CHANGES, arrow_lines, box_lines, points_up, sheet_legend
from codepath.report.draw.shell import Shell, as_text, number
from codepath.report.draw.words import short
from codepath.report.pen import harmless
from codepath.report.view import View

_LINE = 17
_PAD = 9
_CHARACTER = 7.9
_MAX_CHARACTERS = 72
_MAX_AT_ARROW = 40


def sheet_page(sheet: Sheet, view: View) -> Iterator[str]:
    """Write a sheet as one HTML file."""
    boxes = [_cut(box_lines(box)) for box in sheet.boxes]
    labels = [_cut(arrow_lines(arrow), _MAX_AT_ARROW) for arrow in sheet.arrows]
    placed = _placed(sheet, [_size(li, _PAD) for li in boxes], [_size(li, 4) if li else None for li in labels])
    steps = [_step(n, sheet, view) for n in range(len(sheet.boxes))]
    arrows = [{"id": f"a{n}", "tail": a.tail + 1, "head": a.head + 1} for n, a in enumerate(sheet.arrows)]
    where = f"{view.place(sheet.place.file, sheet.place.line).text}. " if sheet.place is not None else ""
    rest = f" +{sheet.hidden} more: {sheet.way_out}" if sheet.hidden else ""
    shell = Shell(
        title=f"{sheet.about} {sheet.name}",
        name=f"{sheet.about} {sheet.name}",
        notes=[f"{where}{sheet.caption}{rest}"],
        legend=sheet_legend(sheet),
        choices={"kind": ("Show", _kinds(sheet))},
        width=placed.width,
        height=placed.height,
        has_conditions=any(step["guards"] for step in steps),
        data={"stacked": False, "steps": steps, "arrows": arrows},
    )
    yield from shell.page(_svg(sheet, placed, boxes, labels))


def _placed(sheet: Sheet, boxes: Sequence[Size], labels: Sequence[Size | None]) -> Placement:
    """Place a sheet; where arrows lead up, what they lead to stands above."""
    up = points_up(sheet)
    ends = [(a.head, a.tail) if up else (a.tail, a.head) for a in sheet.arrows]
    placed = place(boxes, [(*two, size) for two, size in zip(ends, labels, strict=True)])
    if not up:
        return placed
    return replace(placed, routes=tuple(Route(tuple(reversed(r.points)), r.label) for r in placed.routes))


def _cut(lines: Sequence[str], most: int = _MAX_CHARACTERS) -> list[str]:
    return [short(harmless(line), most) for line in lines]


def _size(lines: Sequence[str], pad: float) -> tuple[float, float]:
    return max(map(len, lines), default=0) * _CHARACTER + 2 * pad, len(lines) * _LINE + 2 * pad


def _kinds(sheet: Sheet) -> list[tuple[str, str]]:
    present = dict.fromkeys(box.kind for box in sheet.boxes)
    found = [("", "all"), *((f"={kind}", BOXES[kind].meaning) for kind in present)]
    changed = any(box.change for box in sheet.boxes) or any(arrow.change for arrow in sheet.arrows)
    return [*found, ("changes", "what changed")] if changed else found


def _svg(sheet: Sheet, placed: Placement, boxes: Sequence[list[str]], labels: Sequence[list[str]]) -> Iterator[str]:
    for n, (arrow, route, lines) in enumerate(zip(sheet.arrows, placed.routes, labels, strict=True)):
        yield from _arrow(n, arrow, route, lines)
    for n, (box, rectangle, lines) in enumerate(zip(sheet.boxes, placed.boxes, boxes, strict=True)):
        yield from _box(n, box, rectangle, lines)


def _arrow(n: int, arrow: Arrow, route: Route, lines: Sequence[str]) -> Iterator[str]:
    change = f" {arrow.change}" if arrow.change else ""
    yield f'<g id="a{n}" class="arrow {arrow.kind}{change}" aria-hidden="true">\n'
    if len(route.points) > 1:
        way = "L".join(f"{number(x)} {number(y)}" for x, y in route.points)
        (x0, y0), (x, y) = route.points[-2:]
        up = -6 if y >= y0 else 6
        yield f'<path class="link" d="M{way}"/><path class="tip" d="M{number(x - 4)} {number(y + up)}'
        yield f'L{number(x)} {number(y)}L{number(x + 4)} {number(y + up)}"/>\n'
        del x0
    if route.label is not None:
        at = route.label
        yield f'<rect class="label" x="{number(at.x)}" y="{number(at.y)}" '
        yield f'width="{number(at.width)}" height="{number(at.height)}" rx="3"/>\n'
        for row, line in enumerate(lines):
            left, top = number(at.x + 4), number(at.y + 4 + _LINE * row + 13)
            yield f'<text class="said" x="{left}" y="{top}">{as_text(line)}</text>\n'
    yield "</g>\n"


def _box(n: int, box: Box, at: Rectangle, lines: Sequence[str]) -> Iterator[str]:
    change = f" {box.change}" if box.change else ""
    yield f'<g id="s{n + 1}" class="step {box.kind}{change}" transform="translate({number(at.x)} {number(at.y)})" '
    yield f'tabindex="0" role="listitem" aria-label="{as_text(". ".join(lines))}">\n'
    rounded = 14 if BOXES[box.kind].dot["shape"] == "ellipse" else 3
    yield f'<rect class="card" width="{number(at.width)}" height="{number(at.height)}" rx="{rounded}"/>\n'
    for row, line in enumerate(lines):
        css = "head" if row == 0 else "said"
        yield f'<text class="{css}" x="{_PAD}" y="{_PAD + _LINE * row + 13}">{as_text(line)}</text>\n'
    yield "</g>\n"


def _step(n: int, sheet: Sheet, view: View) -> dict[str, object]:
    box = sheet.boxes[n]
    into = [f"{sheet.boxes[a.tail].title}: {'; '.join(arrow_lines(a))}" for a in sheet.arrows if a.head == n]
    out = [f"{sheet.boxes[a.head].title}: {'; '.join(arrow_lines(a))}" for a in sheet.arrows if a.tail == n]
    change = [CHANGES[box.change]] if box.change else []
    parts = [["Change", change], *([h, list(lines)] for h, lines in box.more), ["From", into], ["To", out]]
    place = box.place
    guards = [line for a in sheet.arrows if a.head == n for line in a.lines]
    return {
        "number": n + 1,
        "parent": 0,
        "end": n + 1,
        "lane": 0,
        "kind": box.kind,
        "change": box.change or next((a.change for a in sheet.arrows if n in (a.tail, a.head) and a.change), ""),
        "title": harmless(box.title),
        "text": harmless(" ".join(box_lines(box))),
        "guards": [harmless(g) for g in guards],
        "parts": [[harmless(str(heading)), [harmless(str(line)) for line in lines]] for heading, lines in parts],
        "place": harmless(view.place(place.file, place.line).text) if place is not None else "",
        "url": view.url(place.file, place.line) if place is not None else "",
    }
