"""Questions on a tree that is not solved: what is said of a part is what is said of the whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.functional.running import EXAMPLE, Program, write


def _sites(document: dict[str, Any]) -> list[tuple[str, str, int, str, str]]:
    return [(s["caller"], s["file"], s["line"], s["kind"], s["resolution"]) for s in document["steps"]]


@pytest.mark.parametrize(
    "name", ["get_layout", "run_scheduler_process", "ModelRunner.initialize", "GraphRunner.capture"]
)
def test_callers_of_a_part_are_those_of_the_whole(tmp_path: Path, example: Program, name: str) -> None:
    first = Program(EXAMPLE, tmp_path).document("callers", name)
    whole = example.document("callers", name)
    assert whole["truncated"] is None
    assert first["truncated"] is None or first["truncated"]["what"] == "files"
    assert _sites(first) == [site for site in _sites(whole) if site[-1] != "by-name" or first["truncated"] is None]


def test_that_nothing_calls_a_function_rests_on_the_whole_tree(tmp_path: Path) -> None:
    folder = write(tmp_path / "tree", {"pkg/__init__.py": "", "pkg/a.py": "def lonely(): ...\n", "pkg/b.py": "x = 1\n"})
    document = Program(folder, tmp_path / "cache").document("callers", "lonely")
    assert (document["steps"], document["truncated"]) == ([], None)


def test_a_test_is_read_where_other_code_leads_to_it(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/core.py": "def target(): ...\ndef middle():\n    target()\n",
        "pkg/test/__init__.py": "",
        "pkg/test/helper.py": "from pkg.core import middle\ndef assist():\n    middle()\n",
        "pkg/test/other.py": "from pkg.core import middle\nif __name__ == '__main__':\n    middle()\n",
        "pkg/__main__.py": "from pkg.test.helper import assist\nassist()\n",
        **{f"pkg/more{n}.py": f"x = {n}\n" for n in range(40)},
    }
    folder = write(tmp_path / "tree", files)
    document = Program(folder, tmp_path / "cache").document("reach", "target", "--all")
    assert [entry["name"] for entry in document["entries"]] == ["python -m pkg"]
    assert [step["line"] for path in document["paths"] for step in path["steps"]] == [2, 3, 3]
    assert document["truncated"]["shown"] < 10


_RUNNER = """\
def target(): ...


class Runner:
    def __init__(self, is_draft=False):
        self.is_draft = is_draft

    def go(self):
        if not self.is_draft:
            target()


class Draft(Runner):
    def __init__(self, more):
        Runner.__init__(self, is_draft=True)
        self.more = more
        self.go()


def main(more):
    Draft(more)


if __name__ == "__main__":
    main(1)
"""
_UNRELATED = (
    "from pkg.app import Runner\n\n\nclass Sizes:\n    is_draft: bool = False\n\n\ndef size(runner: Runner): ...\n"
)
_MIDDLE = "from pkg.app import Draft\n\n\nclass Middle(Draft): ...\n"
_LEAF = """\
from pkg.middle import Middle


class Leaf(Middle):
    @property
    def is_draft(self):
        return False


Leaf(2)
"""


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pkg/sizes.py": _UNRELATED}, {"blocked"}),
        ({"pkg/middle.py": _MIDDLE, "pkg/leaf.py": _LEAF}, {"blocked", "unknown", "open"}),
    ],
)
def test_what_a_file_that_is_not_read_binds(tmp_path: Path, files: dict[str, str], expected: set[str]) -> None:
    folder = write(tmp_path / "tree", {"pkg/__init__.py": "", "pkg/app.py": _RUNNER, **files})
    words = ("reach", "pkg.app.target", "--all")
    first = {p["feasible"] for p in Program(folder, tmp_path / "first").document(*words)["paths"]}
    assert first <= expected
    program = Program(folder, tmp_path / "whole")
    program.run("index", "-q")
    whole = {p["feasible"] for p in program.document(*words)["paths"]}
    assert first == whole or "unknown" in first


def test_a_name_of_another_class_is_told_without_the_whole_tree(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/app.py": "class Runner:\n    def start(self): ...\n",
        "pkg/pool.py": "class Pool:\n    def make(self): ...\n",
        "pkg/user.py": "from pkg.pool import Pool\n\n\ndef use(runner):\n    Pool().make()\n    runner.make()\n",
    }
    program = Program(write(tmp_path / "tree", files), tmp_path / "cache")
    result = program.run("reach", "Runner.make", status=2)
    assert "Pool.make" in result.stderr
    document = program.document("status")
    assert (document["stored"], document["solved"]) == (2, False)


def test_a_method_of_a_far_base_is_found(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/base.py": "class Base:\n    def make(self): ...\n",
        "pkg/middle.py": "from pkg.base import Base\n\n\nclass Middle(Base): ...\n",
        "pkg/app.py": "from pkg.middle import Middle\n\n\nclass Runner(Middle): ...\n\n\ndef use():\n    Runner().make()\n",
    }
    program = Program(write(tmp_path / "tree", files), tmp_path / "cache")
    assert program.document("callers", "Runner.make")["target"]["name"] == "pkg.base.Base.make"
