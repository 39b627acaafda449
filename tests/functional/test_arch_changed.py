"""`arch` after a change: the answer of the tree solved anew, though the call graph is not solved where a change tells all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.functional.running import Program, write

_DEVICES = """
import torch
from functools import lru_cache, partial

LIMITS = {9: {2: 64}, 10: {2: 128}}


def capability(device: int = 0):
    major, minor = torch.cuda.get_device_capability(device)
    return major, minor


def _has_major(majors):
    return torch.cuda.get_device_capability()[0] in majors


is_hopper = lru_cache(maxsize=1)(partial(_has_major, majors=[9]))
is_blackwell = lru_cache(maxsize=1)(partial(_has_major, majors=[10, 12]))
"""
_RUNNER = """
import logging

from app.devices import LIMITS, capability, is_blackwell, is_hopper

logger = logging.getLogger(__name__)


class Runner:
    def __init__(self, args):
        self.args = args
        self.major = capability()[0]

    def limit(self, world):
        if self.major < 9:
            return None
        return LIMITS[self.major][world]

    def kernel(self):
        if is_blackwell():
            return "tiles"
        if self.args.fast and is_hopper():
            return "fast"
        raise ValueError("no kernel")


class Pool:
    def __init__(self):
        self.made = []

    def make(self, kind):
        self.made.append(kind())
"""
_MAIN = """
from app.runner import Pool, Runner


def main():
    runner = Runner(None)
    runner.limit(2)
    runner.kernel()
    Pool().make(Pool)


if __name__ == "__main__":
    main()
"""
TREE = {"app/devices.py": _DEVICES, "app/runner.py": _RUNNER, "app/main.py": _MAIN}
_Edit = Callable[[Path], None]


def _behind(name: str, text: str) -> _Edit:
    def edit(folder: Path) -> None:
        path = folder / "app" / name
        path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")

    return edit


def _instead(name: str, old: str, new: str) -> _Edit:
    def edit(folder: Path) -> None:
        path = folder / "app" / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    return edit


def _both(*edits: _Edit) -> _Edit:
    def edit(folder: Path) -> None:
        for one in edits:
            one(folder)

    return edit


_NEW_PREDICATE = "\n\ndef is_consumer() -> bool:\n    return capability()[0] == 12\n"
_HARMLESS = {
    "a comment": _instead("runner.py", "class Runner", "# a comment\n\nclass Runner"),
    "a table": _behind(
        "devices.py", "\nMORE_LIMITS = {9: 1, 10: 2}\n\n\ndef more():\n    return MORE_LIMITS[capability()[0]]\n"
    ),
    "a row of a table": _instead("devices.py", "10: {2: 128}", "10: {2: 128}, 12: {2: 32}"),
    "a row less": _instead("devices.py", "{9: {2: 64}, 10: {2: 128}}", "{9: {2: 64}}"),
    "a predicate": _behind("devices.py", _NEW_PREDICATE),
    "a partial": _behind("devices.py", "is_next = lru_cache(maxsize=1)(partial(_has_major, majors=[13]))\n"),
    "another predicate": _instead("devices.py", "majors=[10, 12]", "majors=[10]"),
    "a negation": _instead("devices.py", "[0] in majors", "[0] not in majors"),
    "a bound": _instead("runner.py", "self.major < 9", "self.major < 9 or self.major == 12"),
    "a look-up with a default": _instead(
        "runner.py", "LIMITS[self.major][world]", "LIMITS.get(self.major, LIMITS[9])[2]"
    ),
    "a condition": _instead("runner.py", "self.args.fast and is_hopper()", "is_hopper() and self.args.fast"),
    "a caller": _behind(
        "main.py", "\n\ndef asked():\n    from app.devices import is_hopper\n\n    return is_hopper()\n"
    ),
    "a message": _instead("runner.py", '"no kernel"', '"no kernel for this device"'),
    "two files": _both(
        _behind("devices.py", _NEW_PREDICATE),
        _instead("runner.py", "is_blackwell, is_hopper", "is_blackwell, is_consumer, is_hopper"),
        _instead("runner.py", "if is_blackwell():", "if is_blackwell() and not is_consumer():"),
    ),
}
_OTHER = {
    "an object": _instead("main.py", "Pool().make(Pool)", "Pool().make(Runner)"),
    "a method": _instead(
        "runner.py", "    def kernel(self)", "    def close(self):\n        pass\n\n    def kernel(self)"
    ),
    "a base": _instead("runner.py", "class Pool:", "class Pool(Runner):"),
    "a name taken away": _instead("devices.py", "is_hopper =", "is_hopper_too ="),
}


EDITS = _HARMLESS | _OTHER


def _program(folder: Path) -> Program:
    write(folder / "tree", TREE)
    program = Program(folder / "tree", folder / "cache")
    program.run("index", "-q")
    return program


def _answers(program: Program) -> list[object]:
    found = [program.document("arch", "--target", "sm120"), program.document("arch", "--explain", "is_blackwell")]
    for answer in found:
        answer["stats"].pop("seconds")
    return [*found, program.text("arch", "--target", "sm120")]


def _is_solved(program: Program) -> bool:
    return bool(program.document("status")["solved"])


@pytest.mark.parametrize("what", [*_HARMLESS, *_OTHER])
def test_the_answer_is_that_of_the_tree_solved_anew(what: str, tmp_path: Path) -> None:
    program = _program(tmp_path)
    EDITS[what](program.cwd)
    found = _answers(program)
    assert _is_solved(program) is (what in _OTHER)
    assert found == _answers(Program(program.cwd, tmp_path / "other-cache"))


def test_a_change_taken_back_and_made_again(tmp_path: Path) -> None:
    program = _program(tmp_path)
    before = _answers(program)
    _HARMLESS["a row less"](program.cwd)
    after = _answers(program)
    assert before != after
    write(program.cwd, TREE)
    assert _answers(program) == before
    _HARMLESS["a row less"](program.cwd)
    assert _answers(program) == after


def test_changes_one_after_another(tmp_path: Path) -> None:
    program = _program(tmp_path)
    for what in ("a table", "a predicate", "another predicate", "a caller"):
        _HARMLESS[what](program.cwd)
        _answers(program)
    assert not _is_solved(program)
    assert _answers(program) == _answers(Program(program.cwd, tmp_path / "other-cache"))


def test_a_file_that_does_not_parse(tmp_path: Path) -> None:
    program = _program(tmp_path)
    _behind("devices.py", "def (:\n")(program.cwd)
    found = program.document("arch")
    assert found["source"]["skipped"][0]["path"] == "app/devices.py"
    assert _is_solved(program)
