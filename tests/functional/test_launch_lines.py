"""Launch lines on trees whose options are made from tables of fields, as vLLM's are, asked through the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functional.running import Program, write
from tests.unit.analysis.test_launch import TABLES

SERVE = """\
from args import EngineArgs, FrontendArgs


def eager():
    pass


def split():
    pass


def logged():
    pass


class Worker:
    def __init__(self, engine_args: EngineArgs):
        self.engine_args = engine_args

    def start(self):
        if self.engine_args.eager:
            eager()
        if self.engine_args.tensor_parallel_size > 1:
            split()


def main(engine_args: EngineArgs, frontend: FrontendArgs):
    Worker(engine_args).start()
    if not frontend.disable_access_log:
        logged()


if __name__ == "__main__":
    main(EngineArgs(), FrontendArgs())
"""
KNOWLEDGE = '[[launch]]\nclass = ["args.EngineArgs", "args.FrontendArgs"]\n'


@pytest.fixture
def tree(tmp_path: Path) -> Program:
    files: dict[str, str | bytes] = {"args.py": TABLES, "serve.py": SERVE, "codepath.toml": KNOWLEDGE}
    return Program(write(tmp_path / "tree", files), tmp_path / "cache")


@pytest.mark.parametrize(
    ("target", "line", "expected"),
    [
        ("eager", "serve small --eager", "open"),
        ("eager", "serve small --no-eager", "blocked"),
        ("split", "-tp 2", "open"),
        ("split", "--tensor-parallel-size=1", "blocked"),
        ("logged", "--disable-access-log", "blocked"),
        ("logged", "--port 80", "open"),
    ],
)
def test_a_launch_line_prunes(tree: Program, target: str, line: str, expected: str) -> None:
    found = tree.document("reach", f"serve.{target}", "--all", "--launch-args", line)
    assert {path["feasible"] for path in found["paths"]} == {expected}
    assert all(met["origin"] == "--launch-args" and met["place"]["file"] == "args.py" for met in found["assumptions"])


def test_what_is_not_given_has_its_default_where_that_is_assumed(tree: Program) -> None:
    words = ("reach", "serve.split", "--all", "--launch-args", "--eager")
    assert {path["feasible"] for path in tree.document(*words)["paths"]} == {"open"}
    assert {path["feasible"] for path in tree.document(*words, "--launch-defaults")["paths"]} == {"blocked"}


def test_an_option_that_the_tree_does_not_define(tree: Program) -> None:
    shown = tree.error("reach", "serve.split", "--launch-args", "--tensor-paralel-size 2")
    assert "defines no launch option `--tensor-paralel-size`" in shown
    assert "did you mean `--tensor-parallel-size`" in shown
