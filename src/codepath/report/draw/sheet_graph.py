"""A sheet as DOT, the language of Graphviz, and as a Mermaid flowchart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codepath.model.sheets import Sheet
from codepath.report.draw.looks import ARROWS, BOXES, CHANGED, arrow_lines, box_lines, points_up, sheet_legend
from codepath.report.draw.mermaid import within_limits
from codepath.report.draw.quoting import FONT, lines_of, mermaid_text, quoted
from codepath.report.draw.words import short
from codepath.report.view import View

_MAX_LINE = 72
_MAX_AT_ARROW = 48
_ABREAST = 2
"""How many boxes without arrows stand beside each other."""
_MAX_ARROWS_DOWN = 40
"""Boxes up to which a graph runs from top to bottom; a larger one runs from left to right."""


def sheet_dot(sheet: Sheet, view: View) -> Iterator[str]:
    """Write a sheet as a DOT graph."""
    import pydot

    graph = pydot.Dot("sheet", graph_type="digraph")
    rank = "BT" if points_up(sheet) else "TB" if len(sheet.boxes) <= _MAX_ARROWS_DOWN else "LR"
    caption = lines_of([f"{sheet.about} {sheet.name}: {sheet.caption}", *_signs(sheet)])
    graph.obj_dict["attributes"].update(
        quoted(
            rankdir=rank,
            nodesep="0.2",
            ranksep="0.35",
            fontname=FONT,
            fontsize="12",
            labelloc="t",
            labeljust="l",
            label=caption,
        )
    )
    graph.set_node_defaults(**quoted(fontname=FONT, fontsize="12", style="filled", margin="0.12,0.05"))
    graph.set_edge_defaults(**quoted(fontname=FONT, fontsize="11"))
    for number, box in enumerate(sheet.boxes):
        said = {
            **BOXES[box.kind].dot,
            **CHANGED.get(box.change, {}),
            "label": lines_of(short(line, _MAX_LINE) for line in box_lines(box)),
        }
        graph.add_node(pydot.Node(f"b{number}", **quoted(**said, **_linked(box.place, view))))
    for arrow in sheet.arrows:
        said = {**ARROWS[arrow.kind].dot, **CHANGED.get(arrow.change, {})}
        if lines := arrow_lines(arrow):
            said["label"] = lines_of(short(line, _MAX_AT_ARROW) for line in lines)
        graph.add_edge(pydot.Edge(f"b{arrow.tail}", f"b{arrow.head}", **quoted(**said, **_linked(arrow.place, view))))
    connected = {n for a in sheet.arrows for n in (a.tail, a.head)}
    alone = [n for n in range(len(sheet.boxes)) if n not in connected]
    for one, other in zip(alone, alone[_ABREAST:], strict=False):
        graph.add_edge(pydot.Edge(f"b{one}", f"b{other}", **quoted(style="invis")))
    yield graph.to_string()


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
