"""Guards over what a setter stored from an option, over what constructors alone store, and over what may change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.functional.running import Program, write

OPTIONS = """\
import argparse
import dataclasses


@dataclasses.dataclass
class ServerArgs:
    backend: str = "none"
    draft_backend: str = None

    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--backend", type=str, default=ServerArgs.backend)
        parser.add_argument("--draft-backend", type=str, default=ServerArgs.draft_backend)

    @classmethod
    def from_cli_args(cls, args):
        return cls(**{f.name: getattr(args, f.name) for f in dataclasses.fields(cls)})
"""
KINDS = """\
from contextlib import contextmanager
from enum import Enum

from options import ServerArgs


class Kind(Enum):
    NONE = "none"
    FAST = "fast"
    SLOW = "slow"

    @property
    def is_slow(self):
        return self is Kind.SLOW

    def is_fast(self):
        return self == Kind.FAST


KIND = None
DRAFT_KIND = None


def set_up(server_args: ServerArgs):
    global KIND, DRAFT_KIND
    KIND = Kind(server_args.backend)
    DRAFT_KIND = Kind(server_args.draft_backend) if server_args.draft_backend is not None else KIND


def get_kind():
    global KIND
    if KIND is None:
        KIND = Kind.NONE
    return KIND


@contextmanager
def draft_kind():
    global KIND
    before = KIND
    try:
        KIND = DRAFT_KIND
        yield
    finally:
        KIND = before
{more}
"""
RUN = """\
from kinds import draft_kind, get_kind, set_up
from options import ServerArgs


def fast():
    pass


def slow():
    pass


def drafted():
    if get_kind().is_fast():
        fast()


def plain():
    if get_kind().is_fast():
        fast()


class Layer:
    def __init__(self):
        self.is_slow = get_kind().is_slow

    def forward(self):
        if self.is_slow:
            slow()


def main(args: ServerArgs):
    set_up(args)
    plain()
    with draft_kind():
        drafted()
    Layer().forward()


if __name__ == "__main__":
    main(ServerArgs())
"""
KNOWLEDGE = '[[launch]]\nclass = "options.ServerArgs"\n'


def program(folder: Path, more: str = "") -> Program:
    kinds = KINDS.replace("{more}", more)
    files: dict[str, str | bytes] = {
        "options.py": OPTIONS,
        "kinds.py": kinds,
        "run.py": RUN,
        "codepath.toml": KNOWLEDGE,
    }
    return Program(write(folder / "tree", files), folder / "cache")


def by_caller(answer: dict[str, Any]) -> dict[str, str]:
    """Return by the function that calls the target whether the path is blocked."""
    last = ((path["steps"][-1]["caller"].rpartition(".")[2], path["feasible"]) for path in answer["paths"])
    return {caller: "blocked" if verdict == "blocked" else "open" for caller, verdict in last}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--backend fast", {"plain": "open", "drafted": "open"}),
        ("--backend slow", {"plain": "blocked", "drafted": "open"}),
        ("--backend slow --draft-backend fast", {"plain": "blocked", "drafted": "open"}),
        ("--backend slow --draft-backend slow", {"plain": "blocked", "drafted": "blocked"}),
    ],
)
def test_a_getter_gives_what_a_setter_stored_from_an_option(
    tmp_path: Path, line: str, expected: dict[str, str]
) -> None:
    answer = program(tmp_path).document("reach", "run.fast", "--all", "--launch-args", line)
    assert by_caller(answer) == expected
    filled = [filled for met in answer["assumptions"] for filled in met["filled"]]
    assert {"variable": "kinds.KIND", "setter": "kinds.set_up"} in filled


def test_the_context_in_which_an_object_was_made_is_not_known(tmp_path: Path) -> None:
    tree = program(tmp_path)
    tree.run("index", "-q")
    for line, verdict in (("--backend fast", "open"), ("--backend fast --draft-backend fast", "blocked")):
        answer = tree.document("reach", "run.slow", "--all", "--launch-args", line)
        assert by_caller(answer) == {"forward": verdict}


@pytest.mark.parametrize(
    "more",
    [
        "\n\ndef change(other):\n    global KIND\n    KIND = other\n",
        "\n\ndef change():\n    import kinds\n\n    kinds.KIND = Kind.FAST\n",
    ],
)
def test_a_global_that_others_store_is_not_followed(tmp_path: Path, more: str) -> None:
    answer = program(tmp_path, more).document("reach", "run.fast", "--all", "--launch-args", "--backend slow")
    assert by_caller(answer)["plain"] == "open"


CLASS = """\
def target():
    pass


class Worker:
{body}
    def go(self):
        if self.flag:
            target()

{more}

def run(worker: Worker):
    worker.go()


if __name__ == "__main__":
    run(Worker())
"""
MADE = "    def __init__(self):\n        self.flag = False\n"


@pytest.mark.parametrize(
    ("body", "more", "expected"),
    [
        (MADE, "", "blocked"),
        (MADE.replace("False", "True"), "", "open"),
        (MADE, "    def set(self):\n        self.flag = True\n", "open"),
        (MADE, "class Other(Worker):\n    def __init__(self):\n        self.flag = True\n", "open"),
        (MADE, "class Other(Worker):\n    flag = True\n\n    def __init__(self):\n        pass\n", "open"),
        (MADE, "def change(worker):\n    worker.flag = True\n", "open"),
        (MADE, "def change(worker):\n    setattr(worker, 'flag', True)\n", "open"),
        (MADE, "class Other(Worker):\n    def set(self, name):\n        setattr(self, name, True)\n", "open"),
        (MADE, "def change(worker):\n    object.__setattr__(worker, 'flag', True)\n", "open"),
        (MADE, "def change(worker):\n    worker.__dict__['flag'] = True\n", "open"),
        (MADE, "    def set(self, **more):\n        self.__dict__.update(more)\n", "open"),
        (MADE, "    def set(self, **more):\n        vars(self).update(more)\n", "open"),
        (MADE, "    def __setattr__(self, name, value):\n        super().__setattr__(name, True)\n", "open"),
        (MADE.replace("self):", "self, flag=True):").replace("= False", "= flag"), "", "open"),
        ("    def __init__(self, on=True):\n        if on:\n            self.flag = False\n", "", "open"),
    ],
)
def test_an_attribute_that_constructors_alone_store(tmp_path: Path, body: str, more: str, expected: str) -> None:
    tree = Program(write(tmp_path / "tree", {"m.py": CLASS.format(body=body, more=more)}), tmp_path / "cache")
    assert {path["feasible"] for path in tree.document("reach", "m.target", "--all")["paths"]} == {expected}


@pytest.mark.parametrize(
    ("body", "more", "line"),
    [
        (MADE, "    def set(self):\n        self.flag = True\n", 14),
        (MADE, "def change(worker):\n    worker.flag = True\n", 14),
        (MADE, "", None),
    ],
)
def test_a_guard_says_where_what_it_asks_may_change(tmp_path: Path, body: str, more: str, line: int | None) -> None:
    tree = Program(write(tmp_path / "tree", {"m.py": CLASS.format(body=body, more=more)}), tmp_path / "cache")
    guards = tree.document("reach", "m.target")["paths"][0]["steps"][-1]["guards"]
    assert [guard["changed_at"] and guard["changed_at"]["line"] for guard in guards] == [line]
    if line is not None:
        assert f"may change: m.py:{line}" in tree.run("reach", "m.target").stdout
