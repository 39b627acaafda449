"""What `reach` takes for its target, and how much of the answer it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from codepath.cli import choosing
from tests.functional.running import Program, write

PROGRAM = """\
import torch


class Mixin:
    def warm(self):
        self.step()

    def step(self):
        return torch.cuda.CUDAGraph()


class Worker(Mixin):
    def __init__(self):
        self.warm()


class Special(Worker):
    def step(self):
        return None


class Other:
    def step(self):
        return torch.cuda.CUDAGraph.capture_begin(self)


def main(flag=False):
    if flag:
        Other().step()
    Worker()


if __name__ == "__main__":
    main()
"""


@pytest.fixture
def tree(tmp_path: Path) -> Program:
    return Program(write(tmp_path / "tree", {"m.py": PROGRAM}), tmp_path / "cache")


def test_a_method_of_a_base_is_found_by_the_class_that_inherits_it(tree: Program) -> None:
    for _ in range(2):  # as a first question, then on the solved tree
        found = tree.document("reach", "Worker.step")
        assert found["target"]["name"] == "m.Mixin.step"
        text = tree.text("reach", "Worker.step")
        assert "  asked as `Worker.step`, which inherits it; other classes that run it are counted too" in text
        assert tree.document("reach", "Special.step")["target"]["name"] == "m.Special.step"
        assert tree.document("callers", "Special.warm")["target"]["name"] == "m.Mixin.warm"
        tree.run("index", "-q")
    assert "no function, method, class or global named `Worker.stop`" in tree.error("reach", "Worker.stop")


def test_what_reaches_calls_of_a_name_outside_the_tree(tree: Program) -> None:
    found = tree.document("reach", "--calls", "torch.cuda.CUDAGraph", "--all")
    assert found["target"] == {
        "name": "torch.cuda.CUDAGraph",
        "kind": "outside",
        "place": {"file": "m.py", "line": 9, "column": 15, "function": "m.Mixin.step"},
    }
    assert [(s["line"], s["callee"]) for s in found["call_sites"]] == [
        (9, "torch.cuda.CUDAGraph"),
        (24, "torch.cuda.CUDAGraph.capture_begin"),
    ]
    assert {path["steps"][-1]["line"] for path in found["paths"]} == {9, 24}
    assert "  outside  this tree, which calls it" in tree.text("reach", "--calls", "torch.cuda.CUDAGraph")
    assert "nothing in this tree calls `torch.cuda.Graph`" in tree.error("reach", "--calls", "torch.cuda.Graph")


def test_a_name_of_the_tree_is_its_own_target_with_calls(tree: Program) -> None:
    assert tree.document("reach", "--calls", "Mixin.step")["target"]["kind"] == "method"


def test_one_group_alone(tree: Program) -> None:
    whole = tree.document("reach", "--calls", "torch.cuda.CUDAGraph")
    numbers = [group["number"] for group in whole["groups"]]
    assert numbers == [1, 2]
    for group in whole["groups"]:
        alone = tree.document("reach", "--calls", "torch.cuda.CUDAGraph", "--group", str(group["number"]))
        assert [one["number"] for one in alone["groups"]] == [group["number"]]
        assert [p["steps"] for p in alone["paths"]][:1] == [whole["paths"][group["paths"][0]]["steps"]]
        assert all(0 <= n < len(alone["paths"]) for one in alone["groups"] for n in one["paths"])
    error = tree.error("reach", "--calls", "torch.cuda.CUDAGraph", "--group", "3")
    assert "there is no group 3: the paths to `torch.cuda.CUDAGraph` form 2 groups" in error


def test_long_paths_are_shown_in_full_when_asked(tmp_path: Path) -> None:
    chain = "\n\n".join(f"def f{n}(x):\n    if x:\n        f{n + 1}(x)\n" for n in range(22))
    text = f'{chain}\n\ndef f22(x):\n    pass\n\n\nif __name__ == "__main__":\n    f0(1)\n'
    tree = Program(write(tmp_path / "tree", {"m.py": text}), tmp_path / "cache")
    short = tree.text("reach", "f22")
    assert "      … 7 hops under 7 guards: --full" in short
    assert [f"f{n}" for n in range(22) if f" f{n}\n" in short] == [f"f{n}" for n in (*range(8), *range(15, 22))]
    full = tree.text("reach", "f22", "--full")
    assert "hops under" not in full
    assert all(f" f{n}\n" in full for n in range(22))


def test_a_person_chooses_among_several_things(tree: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "`step` names 3 things" in tree.run("reach", "step", "--interactive", status=2, typed="1\n").stderr
    monkeypatch.setattr(choosing, "is_watched", lambda: True)
    chosen = tree.run("reach", "step", "--interactive", typed="7\n2\n")
    assert "  2  m.Other.step" in chosen.stderr
    assert chosen.stdout.startswith("m.Other.step\n")


ORDINARY = """\
import argparse
import dataclasses

from ready import is_ready


@dataclasses.dataclass
class ServerArgs:
    special: bool = False

    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--special", action="store_true")


def target():
    pass


def long_way():
    other_way()


def other_way():
    target()


def main(args: ServerArgs):
    if not is_ready():
        return
    if args.special:
        target()
    else:
        long_way()


if __name__ == "__main__":
    main(ServerArgs())
"""


def test_the_way_that_the_defaults_leave_open_comes_first(tmp_path: Path) -> None:
    ready = "def is_ready():\n    return bool(input())\n"
    files: dict[str, str | bytes] = {
        "m.py": ORDINARY,
        "ready.py": ready,
        "codepath.toml": '[[launch]]\nclass = "m.ServerArgs"\n',
    }
    tree = Program(write(tmp_path / "tree", files), tmp_path / "cache")
    for _ in range(2):  # as a first question, which leaves ready.py out, then on the solved tree
        found = tree.document("reach", "m.target", "--all")
        assert [s["caller"] for s in found["paths"][0]["steps"]] == ["m", "m.main", "m.long_way", "m.other_way"]
        assert {path["feasible"] for path in found["paths"]} == {"open"}
        tree.run("index", "-q")
