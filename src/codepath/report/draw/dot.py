"""A picture as DOT, the language of Graphviz: one column in run order, so that it can be read at the width of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from codepath.model.pictures import Picture, PictureStep
from codepath.report.draw.flow import START, Flow, groups
from codepath.report.draw.looks import CHANGED
from codepath.report.draw.quoting import FONT, lines_of, quoted
from codepath.report.draw.words import KINDS, Label, label, lane_title, left_out, legend, root_title, short, summary
from codepath.report.view import View

_SHAPES = {
    "event": {"shape": "box3d", "fillcolor": "#ffd8a8", "color": "#a33c00", "penwidth": "2.5"},
    "step": {"shape": "box", "fillcolor": "#ffffff", "color": "#333333"},
    "maybe": {"shape": "box", "style": "filled,rounded", "fillcolor": "#eef4ff", "color": "#1d4f91"},
    "skipped": {"shape": "box", "style": "filled,dashed", "fillcolor": "#f1f1f1", "color": "#6b6b6b"},
    "repeats": {"shape": "note", "fillcolor": "#fafafa", "color": "#555555"},
    "later": {"shape": "tab", "fillcolor": "#f6efff", "color": "#5b2a86"},
    "starts": {
        "shape": "cds",
        "fillcolor": "#e3f7e8",
        "color": "#1b6b35",
        "margin": "0.12,0.16",
    },  # its arrow takes room
}
_ARROWS = {
    "then": {},
    "or": {"style": "dashed"},
    "skipped": {"style": "dotted", "arrowhead": "tee"},
    "starts": {"style": "bold", "arrowhead": "odot"},
}
_LANES = ("#333333", "#1b6b35", "#5b2a86", "#1d4f91", "#a33c00")
_MAX_LINE = 84


def picture_dot(picture: Picture, view: View) -> Iterator[str]:
    """Write a picture as a DOT graph."""
    import pydot

    graph = pydot.Dot("picture", graph_type="digraph")
    caption = lines_of(_caption(picture))
    graph.obj_dict["attributes"].update(
        quoted(rankdir="TB", nodesep="0.15", ranksep="0.2", fontname=FONT, fontsize="12")
        | quoted(label=caption, labelloc="t", labeljust="l")
    )
    graph.set_node_defaults(**quoted(fontname=FONT, fontsize="12", style="filled", margin="0.1,0.04", height="0.2"))
    graph.set_edge_defaults(**quoted(fontname=FONT, fontsize="11", arrowsize="0.7"))
    graph.add_node(pydot.Node(_id(START), **quoted(label=root_title(picture), shape="ellipse", fillcolor="#ffffff")))
    flow = Flow(picture, in_column=True)
    _Writer(pydot, flow, picture, view).add(graph, START)
    drawn = set()
    for arrow in flow.arrows:
        drawn.add((arrow.tail, arrow.head))
        graph.add_edge(pydot.Edge(_id(arrow.tail), _id(arrow.head), **quoted(**_ARROWS[arrow.form])))
    for number in range(len(picture.steps)):  # in one column, each below the one before
        if (number, number + 1) not in drawn:
            graph.add_edge(pydot.Edge(_id(number), _id(number + 1), **quoted(style="invis", weight="20")))
    _add_legend(pydot, graph, picture)
    yield graph.to_string()


@dataclass(frozen=True, slots=True)
class _Writer:
    """Adds the steps of a picture to a graph of pydot."""

    pydot: Any
    flow: Flow
    picture: Picture
    view: View

    def add(self, graph: Any, parent: int) -> None:
        """Add what runs in a step: around those of which one runs stands a dashed frame."""
        for group in groups(self.flow.inside.get(parent, ())):
            target = graph
            if len(group) > 1:
                said = quoted(label="one of these runs", labeljust="l", style="dashed", color="#6b6b6b", fontsize="11")
                target = self.pydot.Cluster(f"of{group[0].number}", **said)
                graph.add_subgraph(target)
            for step in group:
                self._step(target, step)

    def _step(self, graph: Any, step: PictureStep) -> None:
        """Add a step: one that something of the picture runs in stands at the top of a frame around it all."""
        target = graph
        if step.number in self.flow.inside:
            heading = lane_title(self.picture.lanes[step.lane]) if step.how == "aside" else ""
            color = _LANES[step.lane % len(_LANES)]
            said = quoted(label=heading, labeljust="l", style="solid", color=color, fontsize="11")
            target = self.pydot.Cluster(_id(step.number), **said)
            graph.add_subgraph(target)
        target.add_node(self.pydot.Node(_id(step.number), **self._attributes(step)))
        self.add(target, step.number)

    def _attributes(self, step: PictureStep) -> dict[str, Any]:
        said = label(step, self.picture)
        place = self.view.place(step.place.file, step.place.line)
        found = {**_SHAPES[said.kind], **CHANGED.get(step.change, {})}
        found |= {"label": lines_of(_lines(step, said)), "tooltip": place.text}
        url = self.view.url(step.place.file, step.place.line)
        return quoted(**found, **({"URL": url} if url else {}))


def _lines(step: PictureStep, said: Label) -> Iterator[str]:
    """Yield what a box says: a remark goes on the line of the one before where there is room."""
    other = "or " if said.is_other else ""
    place = f"{step.place.file.rpartition('/')[2]}:{step.place.line}"
    yield f"{step.number} {KINDS[said.kind][0]} {other}{said.title}    {place}"
    if said.way:
        yield short(f"through {' > '.join(said.way)}", _MAX_LINE)
    yield from said.conditions
    yield from _joined(said.remarks)


def _joined(remarks: Sequence[str]) -> Iterator[str]:
    line = ""
    for remark in remarks:
        if line and len(line) + len(remark) + 2 > _MAX_LINE:
            yield line
            line = ""
        line = f"{line}; {remark}" if line else remark
    if line:
        yield line


def _caption(picture: Picture) -> list[str]:
    left = left_out(picture)
    lines = [f"{picture.root.name}: {summary(picture)}"]
    if picture.versions:
        lines.append(f"what {picture.versions[1]} changes of {picture.versions[0]}")
    if picture.assumed:
        lines.append(f"assumed: {', '.join(picture.assumed)}")
    return [*lines, *([f"+{left} more: --limit, --depth, --show, --root on a step"] if left else [])]


def _add_legend(pydot: Any, graph: Any, picture: Picture) -> None:
    """Add the legend: a column of its own beside the first steps."""
    cluster = pydot.Cluster("legend", **quoted(label="legend", labeljust="l", color="#999999", fontsize="11"))
    names = []
    for kind, sign, meaning in legend(picture.steps):
        cluster.add_node(pydot.Node(f"legend_{kind}", **quoted(**_SHAPES[kind], label=f"{sign} {meaning}")))
        names.append(f"legend_{kind}")
    graph.add_subgraph(cluster)
    for one, other in pairwise(names):
        graph.add_edge(pydot.Edge(one, other, **quoted(style="invis")))


def _id(number: int) -> str:
    return f"s{number}"
