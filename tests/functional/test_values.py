"""`values` on the example server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.functional.running import EXAMPLE, Program

CHAIN = [22, 25, 64, 65, 66, 46, 47, 48, 94]


@pytest.fixture(scope="module")
def layout(example: Program) -> dict[str, Any]:
    return example.document("values", "_layout")


def lines(document: dict[str, Any], key: str, **wanted: object) -> list[tuple[str, int]]:
    rows = [row for row in document[key] if all(row[name] == value for name, value in wanted.items())]
    return [(row["place"]["file"].rpartition("/")[2], row["place"]["line"]) for row in rows]


def test_the_writers_of_a_global(layout: dict[str, Any]) -> None:
    assert layout["variable"] == "mini_server.layout.expert_layout._layout"
    assert lines(layout, "writers", how="store") == [("expert_layout.py", 75), ("expert_layout.py", 87)]
    assert lines(layout, "writers", how="setter") == [("model_runner.py", 51)]
    assert lines(layout, "writers", how="mutate") == [("rebalance.py", 30)]


def test_the_way_of_none(layout: dict[str, Any]) -> None:
    setter = next(w for w in layout["writers"] if w["how"] == "setter")
    assert setter["may_be_none"] is True
    shortest = setter["none_causes"]["shown"][0]
    assert [hop["line"] for hop in shortest if hop["file"].endswith("expert_layout.py")] == CHAIN
    assert {hop["line"] for hop in shortest} <= {hop["line"] for hop in setter["none_chain"]}
    assert [guard["text"] for guard in setter["guards"]] == ["not self.is_draft_worker"]


def test_the_readers_that_need_it(layout: dict[str, Any]) -> None:
    assert lines(layout, "readers", how="assert", requires_set=True) == [("load_recorder.py", 14), ("route.py", 22)]
    assert ("rebalance.py", 27) in lines(layout, "readers", how="dereference", requires_set=True)
    assert ("moe.py", 38) in lines(layout, "readers", how="test")


def test_reads_before_the_write(layout: dict[str, Any]) -> None:
    found = {row["reader"]["line"]: row for row in layout["unset_reads"]}
    assert [guard["text"] for guard in found[22]["guards"]] == ["not self.is_draft_worker"]
    assert found[22]["steps"][-1]["callee"].endswith("RouteInfo.init_new")


@pytest.mark.parametrize("name", ["set_expert_layout", "get_layout", "expert_layout._layout", "expert_layout.py:87"])
def test_other_ways_to_name_a_global(example: Program, layout: dict[str, Any], name: str) -> None:
    document = example.document("values", name)
    assert document["variable"] == layout["variable"]
    assert document["writers"] == layout["writers"]


def test_reach_notes_what_a_setter_stores(example: Program, layout: dict[str, Any]) -> None:
    stored = example.document("reach", "set_expert_layout")["stored_value"]
    assert stored == next(w for w in layout["writers"] if w["how"] == "setter")
    assert example.document("reach", "ModelRunner.initialize")["stored_value"] is None


def test_reach_counts_the_classes_that_lack_the_hook(example: Program) -> None:
    (asked,) = example.document("reach", "set_expert_layout")["hooks"]
    counts = {"have": 5, "lack": 3, "unknown": 0}
    assert asked["hook"] == "get_layout_config"
    assert {name: asked[name] for name in counts} == counts
    assert (asked["place"]["line"], asked["model"], asked["has"], asked["defined"]) == (22, "", None, None)
    assert example.document("reach", "ModelRunner.initialize")["hooks"] == []


@pytest.mark.parametrize(
    ("model", "has", "place", "said"),
    [
        ("WrappedForCausalLM", False, ("wrapped.py", 28), "can be None, as for WrappedForCausalLM:"),
        ("QuietForCausalLM", True, ("quiet.py", 11), "can be None for other models than QuietForCausalLM:"),
    ],
)
def test_reach_says_whether_the_assumed_model_lacks_the_hook(
    example: Program, model: str, has: bool, place: tuple[str, int], said: str
) -> None:
    words = ("reach", "set_expert_layout", "--assume", f"model={model}")
    document = example.document(*words)
    (asked,) = document["hooks"]
    assert (asked["model"].rpartition(".")[2], asked["has"]) == (model, has)
    assert (asked["defined"]["file"].rpartition("/")[2], asked["defined"]["line"]) == place
    assert [assumption["used"] for assumption in document["assumptions"]] == [True]
    assert said in example.text(*words)


def test_a_first_question_may_assume_a_model(example: Program, tmp_path: Path) -> None:
    words = ("reach", "set_expert_layout", "--assume", "model=WrappedForCausalLM")
    first = Program(EXAMPLE, tmp_path / "cache").document(*words)
    assert (first["hooks"], first["truncated"]) == (example.document(*words)["hooks"], None)


def test_an_attribute(example: Program) -> None:
    document = example.document("values", "ModelRunner.is_draft_worker")
    assert document["kind"] == "instance-attribute"
    assert all(w["may_be_none"] is False for w in document["writers"])


def test_text_says_the_answer_first(example: Program) -> None:
    text = example.text("values", "_layout")
    assert text.splitlines()[3].startswith(
        "CAN BE NONE: it can be stored as None at mini_server/execution/model_runner.py:51."
    )
    assert all(len(line) <= 100 for line in text.splitlines())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ModelRunner", "is a class, no variable"),
        ("no_such_name", "no function, method, class or global named `no_such_name`"),
        ("server_args", "is an attribute of"),
    ],
)
def test_what_is_no_variable(example: Program, name: str, said: str) -> None:
    assert said in example.error("values", name)
