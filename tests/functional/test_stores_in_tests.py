"""What only tests store changes nothing in a run of the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functional.running import Program, write

APP = """\
def target():
    pass


class Runner:
    def __init__(self, is_draft=False):
        self.is_draft = is_draft
        self.initialize()

    def initialize(self):
        if not self.is_draft:
            target()


def main():
    Runner(is_draft=True)


if __name__ == "__main__":
    main()
"""
CHANGES = """\
from pkg.app import Runner


def configure(runner):
    runner.is_draft = False


def check():
    configure(Runner())
"""
IMPORTS = "from pkg.test.{} import configure\n"


def verdicts(tmp_path: Path, files: dict[str, str], *, is_indexed: bool, start: str = "pkg.app.main") -> set[str]:
    every = {"pkg/__init__.py": "", "pkg/app.py": APP, "pkg/test/__init__.py": "", **files}
    tree = Program(write(tmp_path / "tree", every), tmp_path / "cache")
    if is_indexed:
        tree.run("index", "-q")
    return {path["feasible"] for path in tree.document("reach", "pkg.app.target", "--from", start, "--all")["paths"]}


@pytest.mark.parametrize("is_indexed", [True, False])
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pkg/test/changing.py": CHANGES}, {"blocked"}),
        ({"pkg/test/changing.py": CHANGES, "pkg/test/test_a.py": IMPORTS.format("changing")}, {"blocked"}),
        ({"pkg/test/changing.py": CHANGES, "pkg/tool.py": IMPORTS.format("changing")}, {"open"}),
        (
            {
                "pkg/test/changing.py": CHANGES,
                "pkg/test/more.py": IMPORTS.format("changing"),
                "pkg/tool.py": IMPORTS.format("more"),
            },
            {"open"},
        ),
        ({"pkg/changing.py": CHANGES}, {"open"}),
    ],
)
def test_of_tests_that_no_other_file_imports(
    tmp_path: Path, files: dict[str, str], expected: set[str], is_indexed: bool
) -> None:
    assert verdicts(tmp_path, files, is_indexed=is_indexed) == expected


def test_a_question_about_a_test_counts_them(tmp_path: Path) -> None:
    files = {"pkg/test/changing.py": CHANGES.replace("Runner()", "Runner(is_draft=True)")}
    assert verdicts(tmp_path, files, is_indexed=True, start="pkg.test.changing.check") == {"open"}


def test_what_tests_override_bypasses_nothing(tmp_path: Path) -> None:
    stub = "from pkg.app import Runner\n\n\nclass Stub(Runner):\n    def initialize(self):\n        pass\n"
    files = {
        "pkg/__init__.py": "",
        "pkg/app.py": APP.replace("Runner(is_draft=True)", "Runner()"),
        "pkg/stub.py": stub,
        "pkg/test/__init__.py": "",
        "pkg/test/stubs.py": stub,
    }
    tree = Program(write(tmp_path / "tree", files), tmp_path / "cache")
    tree.run("index", "-q")
    found = tree.document("reach", "pkg.app.target")["bypasses"]
    assert [one["function"] for one in found] == ["pkg.stub.Stub.initialize"]
