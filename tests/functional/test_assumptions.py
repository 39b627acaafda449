"""Assumptions: by name, environment, call, model and launch line; what they prune, and what is said of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.functional.running import Program, write

SERVER = """\
import argparse
import dataclasses
import os
from typing import List, Optional

KINDS = ["none", "fast"]


@dataclasses.dataclass
class ServerArgs:
    model_path: str
    tp_size: int = 1
    dp_size: int = 1
    backend: str = "none"
    fraction: Optional[float] = None
    graphs: bool = True
    names: Optional[List[str]] = None
    grows: int = 0

    def __post_init__(self):
        if self.tp_size > 4:
            self.grows = 2

    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--model-path", "--model", type=str, required=True)
        parser.add_argument("--tensor-parallel-size", "--tp-size", type=int, default=ServerArgs.tp_size)
        parser.add_argument("--dp-size", "-d", type=int, default=ServerArgs.dp_size)
        parser.add_argument("--backend", type=str, choices=KINDS, default=ServerArgs.backend)
        parser.add_argument("--fraction", type=float, default=ServerArgs.fraction)
        parser.add_argument("--no-graphs", action="store_false", dest="graphs")
        parser.add_argument("--names", nargs="+")
        parser.add_argument("--grows", type=int)

    @classmethod
    def from_cli_args(cls, args):
        args.tp_size = args.tensor_parallel_size
        return cls(**{f.name: getattr(args, f.name) for f in dataclasses.fields(cls)})


def get_args() -> ServerArgs:
    return None


def target():
    pass


def view(args):
    return args


def is_fast():
    return os.path.exists("fast")


class Runner:
    def __init__(self, server_args, is_draft=False):
        self.server_args = server_args
        self.is_draft = is_draft

    def many(self):
        if self.server_args.dp_size > 1:
            target()

    def single(self):
        if self.server_args.dp_size == 1:
            target()

    def fast(self):
        if get_args().backend == "fast":
            target()

    def graphs(self, args: ServerArgs):
        if args.graphs:
            target()

    def growing(self):
        if self.server_args.grows == 0:
            target()

    def viewed(self):
        config = view(self)
        if config.part.names is None:
            target()

    def called(self):
        if is_fast():
            target()

    def switched(self):
        if os.environ.get("FAST") == "1":
            target()

    def present(self):
        if "FAST" in os.environ:
            target()

    def drafting(self):
        if not self.is_draft:
            target()


def main(server_args, args):
    runner = Runner(server_args)
    runner.many()
    runner.single()
    runner.fast()
    runner.graphs(args)
    runner.growing()
    runner.viewed()
    runner.called()
    runner.switched()
    runner.present()
    runner.drafting()


if __name__ == "__main__":
    main(None, None)
"""
CONFIG = '[[launch]]\nclass = "server.ServerArgs"\nviews = ["server.view"]\n'


@pytest.fixture
def tree(tmp_path: Path) -> Program:
    folder = write(tmp_path / "tree", {"server.py": SERVER, "codepath.toml": CONFIG})
    return Program(folder, tmp_path / "cache")


def ask(tree: Program, *words: str) -> dict[str, Any]:
    return tree.document("reach", "server.target", "--all", *words)


def verdicts(document: dict[str, Any]) -> dict[str, str]:
    """Return the verdict of the path through each method that calls the target."""
    return {path["steps"][-1]["caller"].rpartition(".")[2]: path["feasible"] for path in document["paths"]}


def blocked(document: dict[str, Any]) -> set[str]:
    return {name for name, verdict in verdicts(document).items() if verdict == "blocked"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], set()),
        (["--assume", "server_args.dp_size=2"], {"single"}),
        (["--assume", "dp_size=1"], {"many"}),
        (["--assume", "server_args.dp_size!=1"], {"single"}),
        (["--assume", "server_args.dp_size<2"], {"many"}),
        (["--assume", "server_args.dp_size in [2, 4]"], {"single"}),
        (["--assume", "Runner.dp_size=1"], {"many"}),
        (["--assume", "Other.dp_size=1"], set()),
        (["--assume", "server_args.backend=none"], {"fast"}),
        (["--assume", "backend='none'"], {"fast"}),
        (["--assume", "call:is_fast=False"], {"called"}),
        (["--assume", "env:FAST=0"], {"switched"}),
        (["--assume", "env:FAST=None"], {"switched", "present"}),
        (["--assume", "is_draft=True"], {"drafting"}),
        (["--launch-args", "--dp-size 2"], {"single"}),
        (["--launch-args", "-d2 --no-graphs"], {"single", "graphs"}),
        (["--launch-args", "python -m server --model x --backend=none"], {"fast"}),
        (["--launch-args", "--fraction 0.5"], set()),
        (["--assume", "server_args.names=x"], {"viewed"}),
        (["--launch-defaults"], {"many", "fast"}),
        (["--launch-defaults", "--launch-args", "--backend fast"], {"many"}),
        (["--launch-args", "--grows 1"], {"growing"}),
    ],
)
def test_what_is_blocked(tree: Program, words: list[str], expected: set[str]) -> None:
    assert blocked(ask(tree, *words)) == expected


def test_what_each_assumption_came_to(tree: Program) -> None:
    document = ask(tree, "--assume", "dp_size=2", "--assume", "nothing=1", "--launch-args", "--tp 8 --grows 1")
    found = {a["text"]: a for a in document["assumptions"]}
    assert found["dp_size = 2"]["used"] and found["dp_size = 2"]["guards"] == 2
    assert found["dp_size = 2"]["variables"] == ["server_args.dp_size"]
    assert not found["nothing = 1"]["used"]
    assert not found["tp_size = 8"]["used"]
    assert found["tp_size = 8"]["place"]["line"] == 27
    assert found["grows = 1"]["rewritten"] == ["server.ServerArgs.__post_init__"]
    texts = [a["text"] for a in document["assumptions"]]
    pruned = {texts[p["assumption"]]: (p["reason"], p["paths"]) for p in document["pruned"]}
    assert pruned == {"dp_size = 2": ("guard", 1), "grows = 1": ("guard", 1)}
    (path,) = (
        p for p in document["paths"] if p["feasible"] == "blocked" and p["steps"][-1]["caller"].endswith(".single")
    )
    assert texts[path["contradiction"]["assumed"]] == "dp_size = 2"


def test_text_says_what_was_assumed(tree: Program) -> None:
    shown = tree.text("reach", "server.target", "--assume", "dp_size=2", "--assume", "nothing=1")
    assert "  assumed  dp_size = 2" in shown
    assert "blocks 1 path\n" in shown
    assert "  unused   nothing = 1   no guard on these paths mentions it\n" in shown


def test_a_way_that_passes_on_another_value_is_left_out(tmp_path: Path) -> None:
    text = """\
def target():
    pass


def run(flag):
    if flag:
        target()


def one():
    run(True)


def other(flag):
    run(flag)


if __name__ == "__main__":
    one()
    other(input())
"""
    tree = Program(write(tmp_path / "tree", {"m.py": text}), tmp_path / "cache")
    document = tree.document("reach", "m.target", "--all", "--assume", "run.flag=False")
    assert {path["steps"][-2]["caller"]: path["feasible"] for path in document["paths"]} == {"m.other": "blocked"}
    assert sorted((p["reason"], p["paths"]) for p in document["pruned"]) == [("denied", 1), ("guard", 1)]


def test_guards_carry_what_the_defaults_make_of_them(tree: Program) -> None:
    found = {}
    for path in ask(tree)["paths"]:
        step = path["steps"][-1]
        found[step["caller"].rpartition(".")[2]] = step["guards"][0]["default"]
    assert found["single"] is True and found["many"] is False and found["fast"] is False and found["graphs"] is True
    assert found["growing"] is None  # `__post_init__` stores it again
    assert found["called"] is None
    assert "default: true" in tree.text("reach", "server.target", "--from", "Runner.single")


@pytest.mark.parametrize(
    ("line", "said", "help"),
    [
        ("--bakend fast", "defines no launch option `--bakend`", "did you mean `--backend`"),
        ("--backend slow", "`--backend` does not allow `slow`", "one of: none, fast"),
        ("--dp-size two", "`--dp-size` wants a whole number, not `two`", "server.py:28"),
        ("--dp-size", "`--dp-size` in the launch line has no value", "server.py:28"),
        ("--dp-size 1 2", "`2` in the launch line belongs to no option", "options start with"),
        ("--names 'x", "the launch line cannot be read", "--names 'x"),
    ],
)
def test_launch_lines_that_the_tree_does_not_take(tree: Program, line: str, said: str, help: str) -> None:
    shown = tree.error("reach", "server.target", "--launch-args", line)
    assert said in shown and help in shown


def test_an_assumption_that_cannot_be_read(tree: Program) -> None:
    assert "`x` is no assumption" in tree.error("reach", "server.target", "--assume", "x")


def test_configured_assumptions(tmp_path: Path) -> None:
    config = CONFIG + '[assume]\n"server_args.dp_size" = 2\nbackend = ["none", "slow"]\n"tp_size !=" = 1\n'
    tree = Program(write(tmp_path / "tree", {"server.py": SERVER, "codepath.toml": config}), tmp_path / "cache")
    document = ask(tree)
    assert blocked(document) == {"single", "fast"}
    assert {a["origin"] for a in document["assumptions"]} == {"codepath.toml"}
    assert blocked(ask(tree, "--assume", "server_args.dp_size=1")) == {"many", "fast"}


@pytest.mark.parametrize("entry", ["a = {b = 1}", '"a ?" = 1', "a = [[1]]"])
def test_a_wrong_configured_assumption(tmp_path: Path, entry: str) -> None:
    config = f"[assume]\n{entry}\n"
    tree = Program(write(tmp_path / "tree", {"server.py": SERVER, "codepath.toml": config}), tmp_path / "cache")
    assert "codepath.toml:2" in tree.error("reach", "server.target")


MODELS = {
    "app/models/one.py": "class One:\n    def run(self):\n        hook()\n\n\ndef hook():\n    pass\n\n\nEntryClass = One\n",
    "app/models/two.py": "from app.models.one import hook\n\n\nclass Two:\n    def run(self):\n        hook()\n\n\n"
    "EntryClass = [Two]\n",
    "app/main.py": "from app.registry import find\n\n\ndef main(name):\n    find(name)().run()\n\n\n"
    'if __name__ == "__main__":\n    main("One")\n',
    "app/registry.py": "def find(name):\n    return eval(name)\n",
    "codepath.toml": '[[registries]]\nname = "models"\n'
    'members = { variable = "EntryClass", modules = "app.models.*" }\nlooked-up-by = ["app.registry.find"]\n',
}


def test_the_model(tmp_path: Path) -> None:
    tree = Program(write(tmp_path / "tree", dict(MODELS)), tmp_path / "cache")
    assert len(tree.document("reach", "one.hook", "--all")["paths"]) == 2
    document = tree.document("reach", "one.hook", "--all", "--assume", "model=Two")
    assert [p["steps"][-1]["caller"] for p in document["paths"]] == ["app.models.two.Two.run"]
    assert [(p["reason"], p["paths"]) for p in document["pruned"]] == [("denied", 1)]
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"architectures": ["One"]}), encoding="utf-8")
    document = tree.document("reach", "one.hook", "--all", "--assume", f"model={config}")
    assert [p["steps"][-1]["caller"] for p in document["paths"]] == ["app.models.one.One.run"]
    assert "did you mean `One`?" in tree.error("reach", "one.hook", "--assume", "model=Onee")
    config.write_text("{}", encoding="utf-8")
    assert "names no `architectures`" in tree.error("reach", "one.hook", "--assume", f"model={config}")


# --- the GPU ---------------------------------------------------------------------------------------------------------

GPU = """\
from functools import lru_cache, partial

import torch


def has_major(majors):
    return torch.cuda.get_device_capability()[0] in majors


is_blackwell = lru_cache(maxsize=1)(partial(has_major, majors=[10]))


class Runner:
    def __init__(self):
        self.wide = is_blackwell()

    def start(self):
        if self.wide:
            fast()
        major, minor = torch.cuda.get_device_capability()
        if (major, minor) == (12, 1):
            spark()
        if major < 9:
            return
        modern()


def fast():
    print("fast")


def spark():
    print("spark")


def modern():
    print("modern")


if __name__ == "__main__":
    Runner().start()
"""


@pytest.fixture(scope="module")
def gpu(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """A program that asks for the capability of its GPU."""
    folder = tmp_path_factory.mktemp("gpu")
    write(folder / "tree", {"server/__init__.py": "", "server/run.py": GPU})
    return Program(folder / "tree", folder / "cache")


@pytest.mark.parametrize(
    ("target", "word", "verdict"),
    [
        ("fast", "sm100", "open"),
        ("fast", "10.3", "open"),
        ("fast", "sm120", "blocked"),
        ("spark", "sm121", "open"),
        ("spark", "120", "blocked"),
        ("modern", "sm89", "blocked"),
        ("modern", "'RTX 5090'", "open"),
    ],
)
def test_a_gpu_decides_predicates(gpu: Program, target: str, word: str, verdict: str) -> None:
    found = gpu.document("reach", target, "--assume", f"gpu={word}")
    assert [path["feasible"] for path in found["paths"]] == [verdict]
    (assumed,) = found["assumptions"]
    assert (assumed["kind"], assumed["name"]) == ("gpu", "gpu")


def test_what_a_gpu_blocks_begins_at_the_probe(gpu: Program) -> None:
    (path,) = gpu.document("reach", "fast", "--assume", "gpu=sm120")["paths"]
    assert path["contradiction"]["guard"]["text"] == "self.wide"
    assert path["contradiction"]["because"]["function"] == "server.run.has_major"


def test_an_unknown_gpu_is_an_error(gpu: Program) -> None:
    assert "no architecture is called `sm1200`" in gpu.error("reach", "fast", "--assume", "gpu=sm1200")


def test_an_order_is_told_under_assumptions(example: Program) -> None:
    words = ("order", "set_expert_layout", "GraphRunner.capture")
    plain = example.document(*words)
    assert plain["assumptions"] == []
    (met,) = example.document(*words, "--assume", "server_args.tp_size=1")["assumptions"]
    assert met["used"] and met["variables"] == ["server_args.tp_size"]
    assert "nothing that was looked at asks for it" in example.text(*words, "--assume", "no_such_name=1")
    gpu = example.document(*words, "--assume", "gpu=sm120")
    assert [one["kind"] for one in gpu["assumptions"]] == ["gpu"]
