"""The call graph for other tools: as a networkx graph, and as GraphML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from codepath.model.answers import Step

if TYPE_CHECKING:
    import networkx

    Graph: TypeAlias = networkx.MultiDiGraph[str]

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_networkx(steps: Iterable[Step]) -> Graph:
    """Return steps as a directed graph of functions by dotted name, an edge for each call and callee.

    An edge has `file`, `line`, `column`, `kind`, `resolution` and `guards`: the conditions in run order, joined by " and ".
    """
    import networkx

    graph: Graph = networkx.MultiDiGraph()
    for step in steps:
        guards = " and ".join(f"{'' if g.polarity else 'not '}({g.text})" for g in step.guards)
        graph.add_edge(
            step.caller,
            step.callee,
            file=step.file,
            line=step.line,
            column=step.column,
            kind=step.kind,
            resolution=step.resolution,
            guards=guards,
        )
    return graph


def graphml(steps: Iterable[Step]) -> Iterator[str]:
    """Yield the lines of steps as GraphML; what XML cannot hold is replaced."""
    from networkx import generate_graphml

    graph = to_networkx(steps)
    for _caller, _callee, data in graph.edges(data=True):
        data.update((key, _NOT_XML.sub("\ufffd", value)) for key, value in data.items() if isinstance(value, str))
    for line in generate_graphml(graph):
        yield line + "\n"
