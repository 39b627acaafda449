"""A path is blocked only by what its own steps pass on; what another function may have changed blocks nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functional.running import Program, write

HEAD = "from functools import partial\n\n\ndef target():\n    pass\n\n\n"
MAIN = '\n\nif __name__ == "__main__":\n    main()\n'
FLAG = "def run(flag=False):\n    if flag:\n        target()\n\n\n"


def verdicts(tmp_path: Path, text: str) -> set[str]:
    tree = Program(write(tmp_path / "tree", {"m.py": HEAD + text + MAIN}), tmp_path / "cache")
    return {path["feasible"] for path in tree.document("reach", "m.target", "--all")["paths"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FLAG + "def main():\n    run()\n", {"blocked"}),
        (FLAG + "def main():\n    run(True)\n", {"open"}),
        (FLAG + "def main():\n    run(flag=True)\n", {"open"}),
        (FLAG + "def main():\n    f = partial(run, True)\n    f()\n", {"open"}),
        (FLAG + 'def main():\n    table = {"flag": True}\n    run(**table)\n', {"open"}),
        (FLAG + 'def main():\n    table = {}\n    table["flag"] = True\n    run(**table)\n', {"open"}),
        (FLAG + "def main():\n    table = {}\n    table.update(flag=True)\n    run(**table)\n", {"open"}),
        (FLAG + "def main(*args):\n    run(*args)\n", {"open"}),
    ],
)
def test_arguments(tmp_path: Path, text: str, expected: set[str]) -> None:
    assert verdicts(tmp_path, text) == expected


CLASS = """\
class Base:
    def __init__(self, flag):
        self.flag = flag
{more}
    def go(self):
        if self.flag:
            target()


class Sub(Base):
    def __init__(self):
        super().__init__({flag})
        self.go()


def main():
    Sub()
"""


@pytest.mark.parametrize(
    ("flag", "more", "expected"),
    [
        ("False", "", {"blocked"}),
        ("True", "", {"open"}),
        ("False", "\n    def set(self):\n        self.flag = True\n", {"open"}),
        ("False", "        if flag is None:\n            self.flag = True\n", {"blocked"}),
    ],
)
def test_attributes_of_a_constructor(tmp_path: Path, flag: str, more: str, expected: set[str]) -> None:
    assert verdicts(tmp_path, CLASS.format(flag=flag, more=more)) == expected


GUARDED = """\
import os

TABLE = {{}}


def main(hook):
    {line}
    if {test}:
        target()


def known():
    return True
"""


@pytest.mark.parametrize(
    ("line", "test", "expected"),
    [
        ("pass", "hook()", {"unknown"}),
        ("ready = hook()", "ready and hook", {"unknown"}),
        ("pass", "hook", {"open"}),
        ("pass", "known()", {"open"}),
        ("pass", "os.path.exists('x')", {"open"}),
    ],
)
def test_a_guard_over_what_an_unknown_call_gives(tmp_path: Path, line: str, test: str, expected: set[str]) -> None:
    text = HEAD + GUARDED.format(line=line, test=test) + '\n\nif __name__ == "__main__":\n    main(TABLE["hook"])\n'
    tree = Program(write(tmp_path / "tree", {"m.py": text}), tmp_path / "cache")
    assert {path["feasible"] for path in tree.document("reach", "m.target", "--all")["paths"]} == expected


@pytest.mark.parametrize("place", ["module", "function"])
def test_a_class_elsewhere_that_inherits_its_constructor_gets_the_defaults(tmp_path: Path, place: str) -> None:
    base = HEAD + "class Worker:\n    def __init__(self, size, draft=False):\n        if draft:\n            target()\n"
    special = "from m import Worker\n\n\nclass Special(Worker):\n    pass\n"
    line = "from special import Special\n"
    inside = "    table = dict(size=1)\n    Special(**table)\n"
    body = f"{line}\n\ndef main():\n{inside}" if place == "module" else f"def main():\n    {line}{inside}"
    files: dict[str, str | bytes] = {"m.py": base, "special.py": special, "start.py": body + MAIN}
    tree = Program(write(tmp_path / "tree", files), tmp_path / "cache")
    tree.run("index", "-q")
    assert {path["feasible"] for path in tree.document("reach", "m.target", "--all")["paths"]} == {"blocked"}
