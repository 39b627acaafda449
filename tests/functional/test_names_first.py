"""Names that mean nothing or several things are told of before a tree is solved."""

from __future__ import annotations

from pathlib import Path

import pytest

from codepath.app.opened import Opened
from tests.functional.running import EXAMPLE, Program


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("order", "initialize", "graph-capture"), "`initialize` names 2 things"),
        (("order", "graph-capture", "nowhere_at_all"), "named `nowhere_at_all`"),
        (("order", "run_scheduler_process,nowhere_at_all", "graph-capture"), "named `nowhere_at_all`"),
        (("callees", "initialize"), "`initialize` names 2 things"),
        (("callers", "nowhere_at_all", "--mismatch"), "named `nowhere_at_all`"),
        (("values", "nowhere_at_all"), "named `nowhere_at_all`"),
        (("hooks", "get_layout_confi"), "looks up or has an attribute `get_layout_confi`"),
        (("hooks", "NowhereAtAll.get_layout_config"), "named `NowhereAtAll`"),
        (("draw", "init-order", "--root", "nowhere_at_all"), "named `nowhere_at_all`"),
        (("draw", "classes", "nowhere_at_all"), "named `nowhere_at_all`"),
    ],
)
def test_a_wrong_name_is_told_before_the_tree_is_solved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    def solve(_: Opened) -> None:
        raise AssertionError("the tree is solved")

    monkeypatch.setattr(Opened, "solve", solve)
    assert message in Program(EXAMPLE, tmp_path).error(*arguments)


def test_a_name_that_is_right_is_answered_from_the_whole(tmp_path: Path, example: Program) -> None:
    asked = ("order", "set_expert_layout", "graph-capture")
    first = Program(EXAMPLE, tmp_path).document(*asked)
    whole = example.document(*asked)
    assert (first["verdict"], first["contexts"]) == (whole["verdict"], whole["contexts"])
