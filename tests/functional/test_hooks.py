"""`codepath hooks` on the example server. What is demanded was read in its sources; see examples/README.md."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.running import Program

HOOK = "get_layout_config"


@pytest.fixture(scope="module")
def asked(example: Program) -> dict[str, Any]:
    return example.document("hooks", HOOK)


def by_name(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {c["class"].rpartition(".")[2]: c for c in document["classes"]}


def test_the_look_up(asked: dict[str, Any]) -> None:
    (lookup,) = asked["lookups"]
    assert lookup["place"]["file"] == "mini_server/layout/expert_layout.py"
    assert (lookup["place"]["line"], lookup["style"], lookup["on"]) == (22, "hasattr", "class")
    assert (lookup["if_missing"], lookup["missing"], lookup["missing_place"]["line"]) == (
        "other-branch",
        "return None",
        25,
    )


def test_the_registered_classes_and_no_others(asked: dict[str, Any]) -> None:
    found = by_name(asked)
    lacking = {name for name, c in found.items() if c["has"] is False}
    assert asked["registry"] == "models"
    assert len(found) == 8
    assert lacking == {"WrappedForCausalLM", "ShellForCausalLM", "DenseForCausalLM"}
    assert (asked["have"], asked["lack"], asked["unknown"]) == (5, 3, 0)


def test_who_gives_it(asked: dict[str, Any]) -> None:
    found = by_name(asked)
    assert found["NextLiteForCausalLM"]["from"]["class"] == "mini_server.models.sparse.SparseForCausalLM"
    assert found["QuietForCausalLM"]["from"]["how"] == "classmethod"
    assert found["WrappedForCausalLM"]["wraps"] == "mini_server.models.sparse.SparseForCausalLM"


def test_only_those_that_lack_it(example: Program) -> None:
    found = example.document("hooks", HOOK, "--missing", "--family", "makes:sparse")
    assert sorted(by_name(found)) == ["ShellForCausalLM", "WrappedForCausalLM"]


def test_text_starts_with_the_answer(example: Program) -> None:
    lines = example.text("hooks", HOOK).splitlines()
    assert lines[0] == f"{HOOK}: 5 of 8 classes of the registry `models` have it, 3 do not"
    assert any("WrappedForCausalLM" in line and "mini_server/models/wrapped.py:28" in line for line in lines)


def test_all_hooks(example: Program) -> None:
    found = example.document("hooks")
    names = [row["hook"] for row in found["hooks"]]
    assert HOOK in names
    assert "embedding_only" in names
    assert example.document("hooks", "--missing", "--limit", "1")["truncated"]["shown"] == 1
    assert "looked up on classes that may lack them" in example.text("hooks").splitlines()[0]


def test_unknown_names(example: Program) -> None:
    assert f"    {HOOK}" in example.error("hooks", "get_layout_confg")
    assert "is no class" in example.error("hooks", "set_expert_layout.hook")


def test_one_class_and_those_below(example: Program) -> None:
    found = example.document("hooks", f"SparseForCausalLM.{HOOK}")
    assert all(c["has"] for c in found["classes"])


def test_the_count_is_of_all_classes_where_only_those_that_lack_it_are_listed(example: Program) -> None:
    line = example.text("hooks", HOOK, "--missing").splitlines()[0]
    assert line == f"{HOOK}: 5 of 8 classes of the registry `models` have it, 3 do not"
