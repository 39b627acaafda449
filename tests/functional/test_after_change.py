"""Questions about a tree of which one file has changed since it was solved: the answers of the tree solved anew."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from codepath.app.changed import _Change
from tests.functional.running import EXAMPLE, Program

RUNNER = "mini_server/execution/model_runner.py"
SETTER = "set_expert_layout"
QUESTIONS = [
    ("reach", SETTER),
    ("reach", SETTER, "--all"),
    ("callers", SETTER),
    ("callees", "ModelRunner.initialize"),
    ("order", SETTER, "cuda-graph-capture"),
]


LOAD = "        self.load_model()\n        self.init_memory_pool"


def _changed(text: str, lines: str) -> str:
    assert text.count(LOAD) == 1
    return text.replace(LOAD, lines + "        self.init_memory_pool")


def _comment(text: str) -> str:
    return "# one line more\n" + text


def _note(text: str) -> str:
    return _changed(text, '        logger.info("the model comes next")\n        self.load_model()\n')


def _guard(text: str) -> str:
    return _changed(text, "        if self.tp_rank == 0:\n            self.load_model()\n")


def answer(program: Program, words: tuple[str, ...]) -> dict[str, Any]:
    document = program.document(*words)
    document["stats"].pop("seconds")
    return document


@pytest.mark.parametrize("change", [_comment, _note, _guard])
def test_answers_are_those_of_the_tree_solved_anew(
    tmp_path: Path, change: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(EXAMPLE, tree)
    Program(tree, tmp_path / "cache").run("index", "-q")
    path = tree / RUNNER
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    followed: list[object] = []
    real = _Change.graph

    def graph(self: _Change) -> object:
        followed.append(real(self))
        return followed[-1]

    monkeypatch.setattr(_Change, "graph", graph)
    changed = [answer(Program(tree, tmp_path / "cache"), words) for words in QUESTIONS]
    assert followed and all(one is not None for one in followed)
    monkeypatch.undo()
    fresh = Program(tree, tmp_path / "fresh")
    fresh.run("index", "-q")
    assert changed == [answer(fresh, words) for words in QUESTIONS]


def test_a_change_that_touches_the_hook_is_solved(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(EXAMPLE, tree)
    program = Program(tree, tmp_path / "cache")
    program.run("index", "-q")
    before = program.document("reach", SETTER)["hooks"]
    (hook,) = {one["hook"] for one in before}
    path = tree / RUNNER
    path.write_text(path.read_text(encoding="utf-8") + f"\n# {hook}\n", encoding="utf-8")
    after = program.document("reach", SETTER)
    assert after["hooks"] == before
    assert after["truncated"] is None
