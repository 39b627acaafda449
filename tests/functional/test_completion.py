"""What a shell completes, asked as the shell's script asks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.functional.running import EXAMPLE, Program


def completed(program: Program, line: str, cwd: Path = EXAMPLE) -> list[str]:
    """Return what is offered for the last word of a command line."""
    words = line.split(" ")
    environment = {
        **os.environ,
        "CODEPATH_CACHE_DIR": str(program.cache),
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "_CODEPATH_COMPLETE": "bash_complete",
    }
    done = subprocess.run(
        [sys.executable, "-m", "codepath"], cwd=cwd, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("codepath reach set_expert_l", ["set_expert_layout"]),
        ("codepath reach ModelRunner.initi", ["ModelRunner.initialize"]),
        (
            "codepath values mini_server.layout.expert_layout._la",
            ["mini_server.layout.expert_layout._layout"],
        ),
        ("codepath order set_expert_layout set_expert_l", ["set_expert_layout"]),
        ("codepath reach x --from set_expert_l", ["set_expert_layout"]),
        ("codepath callers mini_server.layout.r", ["mini_server.layout.rebalance", "mini_server.layout.route"]),
        ("codepath reach nothing_begins_s", []),
        ("codepath reach --source absent-folder set_expert_l", []),
        ("codepath reach --source absent==1.0 set_expert_l", []),
        ("codepath check --select capture-o", ["capture-order"]),
        ("codepath rule explain capture-o", ["capture-order"]),
    ],
)
def test_names_of_the_tree(example: Program, line: str, offered: list[str]) -> None:
    assert completed(example, line) == offered


def test_a_changed_tree_has_the_names_of_before(tmp_path: Path) -> None:
    server = tmp_path / "server"
    shutil.copytree(EXAMPLE, server, ignore=shutil.ignore_patterns("__pycache__"))
    program = Program(server, tmp_path / "cache")
    assert completed(program, "codepath reach set_expert_l", server) == []
    program.run("index", "-q")
    with (server / "mini_server" / "launch.py").open("a") as file:
        file.write("\n\ndef more():\n    return 1\n")
    assert completed(program, "codepath reach set_expert_l", server) == ["set_expert_layout"]
