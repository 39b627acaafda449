"""The hooks of `.pre-commit-hooks.yaml`, each run as pre-commit runs it: entry and arguments at the top of a repository."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.functional.running import TOP, Program, write
from tests.functional.test_check import git

_BASE = "class Worker:\n    def __init__(self):\n        self.size = 1\n\n    def run(self):\n        return self.old\n"
_MORE = (
    "\n\nclass Other:\n    def __init__(self):\n        self.size = 1\n\n    def run(self):\n        return self.new\n"
)


def hooks() -> dict[str, list[str]]:
    """Return the command line of each hook, without the program, by id."""
    found: dict[str, list[str]] = {}
    for block in re.split(r"(?m)^- id: ", (TOP / ".pre-commit-hooks.yaml").read_text("utf-8"))[1:]:
        entry = re.search(r"(?m)^  entry: codepath (.*)$", block)
        args = re.search(r"(?m)^  args: \[(.*)\]$", block)
        assert entry is not None
        found[block.split()[0]] = [*shlex.split(entry[1]), *(args[1].split(", ") if args is not None else ())]
    return found


@pytest.fixture
def branch(tmp_path: Path) -> Program:
    """A branch that adds a finding, with a remote branch that has moved on."""
    folder = write(tmp_path / "repository", {"pyproject.toml": '[project]\nname = "jobs"\n', "jobs/worker.py": _BASE})
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    git(folder, "checkout", "-qb", "branch")
    write(folder, {"jobs/other.py": _MORE})
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "second")
    git(folder, "checkout", "-q", "main")
    write(folder, {"jobs/third.py": "x = 1\n"})
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "third")
    git(folder, "update-ref", "refs/remotes/origin/main", "main")
    git(folder, "checkout", "-q", "branch")
    return Program(folder, tmp_path / "cache")


def test_the_hook_of_a_commit_finds_all(branch: Program) -> None:
    found = branch.run(*hooks()["codepath-check"], status=1).stdout
    assert "self.old" in found
    assert "self.new" in found


def test_the_hook_of_a_push_finds_what_the_branch_adds(branch: Program) -> None:
    found = branch.run(*hooks()["codepath-diff"], status=1).stdout
    assert "self.new" in found
    assert "self.old" not in found
    assert "1 file changed" in found
