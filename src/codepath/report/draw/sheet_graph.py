"""A sheet as DOT, the language of Graphviz, and as a Mermaid flowchart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap
from typing import Any

from codepath.model.sheets import Arrow, Sheet
from codepath.report.draw.looks import ARROWS, BOXES, CHANGED, arrow_lines, box_lines, points_up, sheet_legend
from codepath.report.draw.mermaid import within_limits
from codepath.report.draw.quoting import FONT, lines_of, mermaid_text, quoted
from codepath.report.draw.words import short
from codepath.report.view import View

_MAX_LINE = 72
_MAX_AT_ARROW = 48
_WIDE_AT_ARROW = 24
"""Characters of a line at an arrow: arrows that run beside each other each need the width of their text."""
_WIDE = 40
"""The same of a box."""
_MAX_BESIDE = 2
"""How many of the boxes that one box leads to stand beside each other; of more than `_MAX_ROWS` rows each holds one."""
_MAX_ROWS = 2
_ABREAST = 2
"""How many boxes without arrows stand beside each other."""
_MAX_ARROWS_DOWN = 400
"""Boxes up to which a graph runs from top to bottom; a larger one runs from left to right."""
_STAYS = "\u00a0"  # stands for a space at which no line is broken; `short` leaves none in a text


def sheet_dot(sheet: Sheet, view: View) -> Iterator[str]:
    """Write a sheet as a DOT graph."""
    import pydot

    graph = pydot.Dot("sheet", graph_type="digraph")
    rank = "BT" if points_up(sheet) else "TB" if len(sheet.boxes) <= _MAX_ARROWS_DOWN else "LR"
    caption = lines_of([f"{sheet.about} {sheet.name}: {sheet.caption}", *_signs(sheet)])
    graph.obj_dict["attributes"].update(
        quoted(
            rankdir=rank,
            nodesep="0.1",
            ranksep="0.35",
            fontname=FONT,
            fontsize="12",
            labelloc="t",
            labeljust="l",
            label=caption,
        )
    )
    graph.set_node_defaults(**quoted(fontname=FONT, fontsize="12", style="filled", margin="0.08,0.04"))
    graph.set_edge_defaults(**quoted(fontname=FONT, fontsize="11"))
    files = _files(sheet)
    for number, box in enumerate(sheet.boxes):
        said = {
            **BOXES[box.kind].dot,
            **CHANGED.get(box.change, {}),
            "label": lines_of(_wrapped([*box_lines(box), *files.get(number, ())], _MAX_LINE, _WIDE)),
        }
        graph.add_node(pydot.Node(f"b{number}", **quoted(**said, **_linked(box.place, view))))
    before: Counter[int] = Counter()
    leaving = Counter(arrow.tail for arrow in sheet.arrows)
    for arrow in sheet.arrows:
        said = {**ARROWS[arrow.kind].dot, **CHANGED.get(arrow.change, {})}
        if lines := [_within_file(line, arrow, sheet, files) for line in arrow_lines(arrow)]:
            said["label"] = lines_of(_wrapped(lines, _MAX_AT_ARROW, _WIDE_AT_ARROW))
        if rank == "TB":
            said["minlen"] = str(1 + before[arrow.tail] // _beside(leaving[arrow.tail]))
            before[arrow.tail] += 1
        graph.add_edge(pydot.Edge(f"b{arrow.tail}", f"b{arrow.head}", **quoted(**said, **_linked(arrow.place, view))))
    connected = {n for a in sheet.arrows for n in (a.tail, a.head)}
    alone = [n for n in range(len(sheet.boxes)) if n not in connected]
    for one, other in zip(alone, alone[_ABREAST:], strict=False):
        graph.add_edge(pydot.Edge(f"b{one}", f"b{other}", **quoted(style="invis")))
    yield graph.to_string()


def _files(sheet: Sheet) -> dict[int, tuple[str, ...]]:
    """Return by box that says no place the file of the arrows that leave it, which then say the line alone."""
    found: dict[int, tuple[str, ...]] = {}
    for arrow in sheet.arrows:
        if arrow.place is not None and not sheet.boxes[arrow.tail].lines:
            found[arrow.tail] = (arrow.place.file.rpartition("/")[2],)
    return found


def _within_file(line: str, arrow: Arrow, sheet: Sheet, files: Mapping[int, tuple[str, ...]]) -> str:
    """Return what an arrow says, its own place without the file where that stands in the box that it leaves."""
    place = arrow.place
    file = place.file.rpartition("/")[2] if place is not None else ""
    shown = (*files.get(arrow.tail, ()), *(said.rpartition(":")[0] for said in sheet.boxes[arrow.tail].lines))
    is_own = place is not None and line == f"{file}:{place.line}" and file in shown
    return f"line {place.line}" if is_own and place is not None else line


def _wrapped(lines: Iterable[str], most: int, wide: int) -> Iterator[str]:
    """Yield lines cut to `most` characters, broken between words where they are wider than `wide`."""
    for line in lines:
        text = short(line, most)
        text = f"{text[0]}{_STAYS}{text[2:]}" if text[1:2] == " " else text  # a sign stays with its name
        broken = wrap(text, wide, break_long_words=False, break_on_hyphens=False) or [""]
        yield from (part.replace(_STAYS, " ", 1) for part in broken)


def _beside(count: int) -> int:
    """Return how many of the boxes that a box leads to stand in one row: a picture is to be read at the width of a page."""
    return _MAX_BESIDE if count <= _MAX_BESIDE * _MAX_ROWS else 1


def _linked(place: Any, view: View) -> dict[str, str]:
    if place is None:
        return {}
    found = {"tooltip": view.place(place.file, place.line).text}
    url = view.url(place.file, place.line)
    return {**found, "URL": url} if url else found


def _signs(sheet: Sheet) -> list[str]:
    """Return the legend in lines of a few signs each, and how much is left out."""
    said = [f"{sign} {meaning}" for _, sign, meaning in sheet_legend(sheet)]
    found = ["   ".join(said[n : n + 4]) for n in range(0, len(said), 4)]
    return [*found, *([f"+{sheet.hidden} more: {sheet.way_out}"] if sheet.hidden else [])]


def sheet_mermaid(sheet: Sheet, view: View) -> Iterator[str]:
    """Write a sheet as a Mermaid flowchart.

    Raises:
        QueryError: It is larger than Mermaid draws.
    """
    lines = [f"flowchart {'BT' if points_up(sheet) else 'TD'}"]
    for number, box in enumerate(sheet.boxes):
        left, right = BOXES[box.kind].mermaid
        text = "<br/>".join(mermaid_text(line) for line in box_lines(box))
        lines.append(f'  b{number}{left}"{text}"{right}')
    for arrow in sheet.arrows:
        said = "<br/>".join(mermaid_text(line) for line in arrow_lines(arrow))
        shaft = ARROWS[arrow.kind].mermaid[0]
        lines.append(f"  b{arrow.tail} {shaft}{f'|{chr(34)}{said}{chr(34)}|' if said else ''} b{arrow.head}")
    lines.append(f'  legend["{"<br/>".join(mermaid_text(line) for line in _signs(sheet)) or "no legend"}"]')
    yield within_limits(lines, len(sheet.arrows), sheet.way_out or "-o sheet.html")
