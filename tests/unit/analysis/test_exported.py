"""The call graph for other tools."""

from __future__ import annotations

import io

import networkx

from codepath.analysis.exported import graphml, to_networkx
from codepath.model.answers import Guard
from tests.unit.report.report_samples import step

_GUARD = Guard('a < "b" & \x0c\x1b c', False, "if", "m.py", 3)
_STEPS = [step("m.f", "m.g", "m.py", 4, _GUARD), step("m.f", "m.g", "m.py", 5), step("m.g", "<lambda>", "m.py", 9)]


def test_each_call_is_an_edge() -> None:
    graph = to_networkx(_STEPS)
    assert sorted(graph.nodes) == ["<lambda>", "m.f", "m.g"]
    assert [data["line"] for data in graph["m.f"]["m.g"].values()] == [4, 5]
    assert graph.get_edge_data("m.f", "m.g", 0)["guards"] == 'not (a < "b" & \x0c\x1b c)'
    assert networkx.has_path(graph, "m.f", "<lambda>")


def test_graphml_is_read_back_whatever_a_guard_holds() -> None:
    text = "".join(graphml(_STEPS))
    back = networkx.read_graphml(io.BytesIO(text.encode()), force_multigraph=True)
    assert sorted(back.nodes) == ["<lambda>", "m.f", "m.g"]
    assert back.number_of_edges() == 3
    assert sorted(data["guards"] for _, _, data in back.edges(data=True))[-1] == 'not (a < "b" & \ufffd\ufffd c)'
