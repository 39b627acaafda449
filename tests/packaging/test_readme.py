"""The first screen of the README, in a clone with an environment and a cache of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.blocks import blocks_of
from tests.packaging.test_install import ROOT, output

_FIRST, _BY_HAND, *_ = blocks_of((ROOT / "README.md").read_text(encoding="utf-8"))


def in_a_clone(folder: Path, *commands: str) -> str:
    """Run commands in a shell in a clone of this repository; return what they print."""
    output("git", "clone", "-q", str(ROOT), "clone", folder=folder)
    return output("sh", "-ec", "\n".join(commands), folder=folder / "clone", XDG_CACHE_HOME=str(folder / "cache"))


@pytest.mark.release
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the repository")
def test_one_command_answers(tmp_path: Path) -> None:
    commands = [command.text.partition("  #")[0].strip() for command in _FIRST.commands]
    assert commands == ["git clone <this repository> codepath && cd codepath", "make demo", "make test"]
    said = in_a_clone(tmp_path, "make demo")
    assert "REACHED when `not self.is_draft_worker`" in said


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the repository")
def test_installing_by_hand(tmp_path: Path) -> None:
    (command,) = _BY_HAND.commands
    said = in_a_clone(tmp_path, command.text, "cd examples/mini_server", "codepath reach set_expert_layout")
    assert "REACHED when `not self.is_draft_worker`" in said
