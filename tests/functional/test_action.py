"""The script of action.yml, run as the host runs it, with codepath in place of its installation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from tests.functional.running import TOP, write

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the script is for bash")

_RULE = """
id = "first-things-first"
kind = "must-precede"
severity = "error"
summary = "One thing must run before another."

[must-precede]
first = ["one"]
second = ["two"]
in = ["start"]
"""
_GOOD = "def one(): ...\n\n\ndef two(): ...\n\n\ndef start():\n    one()\n    two()\n"
_BAD = _GOOD.replace("    one()\n    two()", "    two()\n    one()")


def script() -> str:
    """Return what the action runs."""
    text = (TOP / "action.yml").read_text(encoding="utf-8")
    return dedent(text.partition("      run: |\n")[2])


@dataclass(frozen=True)
class Action:
    """A repository on a branch, and the files that the host gives a step."""

    folder: Path

    def run(self, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Run the script with some inputs."""
        environment = {
            **os.environ,
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(TOP / "src"),
            "CODEPATH_CACHE_DIR": str(self.folder / "cache"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "GITHUB_OUTPUT": str(self.folder / "outputs"),
            "CP_ARGS": "",
            "CP_BASE": "main",
            "CP_SARIF": "codepath.sarif",
            "CP_VERSION": "",
            "CP_ACTION": str(TOP),
            **inputs,
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script()]
        return subprocess.run(
            command, cwd=self.folder / "tree", env=environment, capture_output=True, text=True, check=False
        )

    def outputs(self) -> dict[str, str]:
        """Return the outputs of the step."""
        lines = (self.folder / "outputs").read_text(encoding="utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def action(tmp_path: Path) -> Action:
    """A branch that breaks a rule; `python -m pip` says what it was asked to install."""
    tools = {
        "bin/python": f'#!/bin/sh\nif [ "$2" = pip ]; then echo "$@" >> "{tmp_path}/installed"; exit 0; fi\n',
        "bin/codepath": f'#!/bin/sh\nexec "{sys.executable}" -m codepath "$@"\n',
    }
    write(tmp_path, tools)
    for name in tools:
        (tmp_path / name).chmod(0o755)
    tree = tmp_path / "tree"
    write(tree, {"server/__init__.py": "", "server/run.py": _GOOD, "queries/first-things-first/rule.toml": _RULE})
    git(tree, "init", "-q", "-b", "main")
    git(tree, "config", "user.email", "a@example.com")
    git(tree, "config", "user.name", "a")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "base")
    git(tree, "checkout", "-qb", "branch")
    write(tree, {"server/run.py": _BAD})
    git(tree, "commit", "-qam", "head")
    return Action(tmp_path)


def test_a_finding(action: Action) -> None:
    done = action.run()
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error title=codepath (first-things-first),file=server/run.py,line=9")
    assert action.outputs() == {"sarif": str(action.folder / "tree" / "codepath.sarif"), "exit-code": "1"}
    sarif = json.loads((action.folder / "tree" / "codepath.sarif").read_text(encoding="utf-8"))
    assert [r["ruleId"] for r in sarif["runs"][0]["results"]] == ["first-things-first"]
    assert "| error |" in (action.folder / "summary").read_text(encoding="utf-8")
    assert (action.folder / "installed").read_text(encoding="utf-8") == f"-m pip install -q {TOP}\n"


def test_nothing_new(action: Action) -> None:
    git(action.folder / "tree", "checkout", "-q", "main")
    assert action.run(CP_VERSION="1.2").returncode == 0
    assert action.outputs()["exit-code"] == "0"
    assert (action.folder / "installed").read_text(encoding="utf-8") == "-m pip install -q codepath==1.2\n"


def test_it_could_not_be_checked(action: Action) -> None:
    done = action.run(CP_BASE="no-such-revision")
    assert (done.returncode, action.outputs()["exit-code"]) == (2, "2")
    assert "git does not know the revision `no-such-revision" in done.stderr


def test_inputs_are_no_code(action: Action) -> None:
    done = action.run(CP_BASE="main$(touch forged)", CP_ARGS="--select $(touch${IFS}forged) ;touch forged")
    assert done.returncode == 2
    assert not (action.folder / "tree" / "forged").exists()


def test_arguments(action: Action) -> None:
    assert action.run(CP_ARGS="--exit-zero --select first-*").returncode == 0
