"""A picture as DOT, the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codepath.model.pictures import Picture, PictureStep
from codepath.report.draw.flow import START, Flow
from codepath.report.draw.quoting import lines_of, quoted
from codepath.report.draw.words import KINDS, label, lane_title, legend, root_title, summary
from codepath.report.view import View

_SHAPES = {
    "event": {"shape": "doubleoctagon", "fillcolor": "#ffd8a8", "color": "#a33c00"},
    "step": {"shape": "box", "fillcolor": "#ffffff", "color": "#333333"},
    "maybe": {"shape": "box", "style": "filled,rounded", "fillcolor": "#eef4ff", "color": "#1d4f91"},
    "skipped": {"shape": "box", "style": "filled,dashed", "fillcolor": "#f1f1f1", "color": "#6b6b6b"},
    "repeats": {"shape": "note", "fillcolor": "#fafafa", "color": "#555555"},
    "later": {"shape": "tab", "fillcolor": "#f6efff", "color": "#5b2a86"},
    "starts": {"shape": "cds", "fillcolor": "#e3f7e8", "color": "#1b6b35"},
}
_ARROWS = {
    "then": {},
    "or": {"label": "one of", "style": "dashed"},
    "skipped": {"label": "skipped", "style": "dotted", "arrowhead": "tee"},
    "starts": {"label": "starts", "style": "bold", "arrowhead": "odot"},
}
_LANES = ("#333333", "#1b6b35", "#5b2a86", "#1d4f91", "#a33c00")


def picture_dot(picture: Picture, view: View) -> Iterator[str]:
    """Write a picture as a DOT graph."""
    import pydot

    graph = pydot.Dot("picture", graph_type="digraph")
    graph.obj_dict["attributes"].update(
        quoted(rankdir="TB", fontname="Helvetica", label=_caption(picture), labelloc="t")
    )
    graph.set_node_defaults(**quoted(fontname="Helvetica", fontsize="11", style="filled"))
    graph.set_edge_defaults(**quoted(fontname="Helvetica", fontsize="11"))
    name = root_title(picture)
    graph.add_node(pydot.Node(_id(START), **quoted(label=name, shape="ellipse", fillcolor="#ffffff")))
    flow = Flow(picture)
    _add(pydot, graph, START, flow, picture, view)
    for arrow in flow.arrows:
        graph.add_edge(pydot.Edge(_id(arrow.tail), _id(arrow.head), **quoted(**_ARROWS[arrow.form])))
    graph.add_subgraph(_legend(pydot, picture))
    yield graph.to_string()


def _add(pydot: Any, graph: Any, parent: int, flow: Flow, picture: Picture, view: View) -> None:
    """Add what runs in a step: a step that something of the picture runs in becomes a box around it."""
    for step in flow.inside.get(parent, ()):
        target = graph
        if step.number in flow.inside:
            color = _LANES[step.lane % len(_LANES)]
            target = pydot.Cluster(
                _id(step.number), **quoted(label=_heading(step, picture), color=color, fontsize="11")
            )
            graph.add_subgraph(target)
        target.add_node(pydot.Node(_id(step.number), **_attributes(step, picture, view)))
        _add(pydot, target, step.number, flow, picture, view)


def _heading(step: PictureStep, picture: Picture) -> str:
    return lane_title(picture.lanes[step.lane]) if step.how == "aside" else f"in {step.title}"


def _attributes(step: PictureStep, picture: Picture, view: View) -> dict[str, Any]:
    said = label(step, picture)
    sign = KINDS[said.kind][0]
    lines = [f"{step.number} {sign} {said.title}", *said.conditions, *said.remarks]
    if said.way:
        lines.insert(1, f"through {' > '.join(said.way)}")
    place = view.place(step.place.file, step.place.line)
    found = {**_SHAPES[said.kind], "label": lines_of([*lines, place.text.rpartition("/")[2]]), "tooltip": place.text}
    if place.link:
        found["URL"] = place.link
    return quoted(**found)


def _caption(picture: Picture) -> str:
    return f"{picture.root.name}: {summary(picture)}"


def _legend(pydot: Any, picture: Picture) -> Any:
    cluster = pydot.Cluster("legend", **quoted(label="legend", color="#999999", fontsize="11"))
    for kind, sign, meaning in legend(picture.steps):
        cluster.add_node(pydot.Node(f"legend_{kind}", **quoted(**_SHAPES[kind], label=f"{sign} {meaning}")))
    return cluster


def _id(number: int) -> str:
    return f"s{number}"
