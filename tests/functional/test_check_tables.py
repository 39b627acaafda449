"""`check --diff` of a change of tables and predicates: what it finds is what the whole tree has and the base has not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.functional import test_arch_changed as arch
from tests.functional.running import Program, write
from tests.functional.test_check import git

_ASKED = ("--select", "arch-*", "--exit-zero")


@pytest.fixture
def devices(tmp_path: Path) -> Program:
    """A repository with tables, and its base checked."""
    folder = write(tmp_path / "repository", {"pyproject.toml": '[project]\nname = "app"\n', **arch.TREE})
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    program = Program(folder, tmp_path / "cache")
    program.document("check", *_ASKED)
    return program


def _told(document: dict[str, Any], status: str) -> dict[str, tuple[str, object]]:
    found = (f for f in document["findings"] if f["status"] == status)
    return {f["fingerprint"]: (f["message"], f["place"]) for f in found}


@pytest.mark.parametrize(
    "what", ["a table", "a row less", "another predicate", "a look-up with a default", "a method", "an object"]
)
def test_what_is_new_is_what_the_base_has_not(devices: Program, tmp_path: Path, what: str) -> None:
    before = _told(devices.document("check", *_ASKED), "new")
    arch.EDITS[what](devices.cwd)
    found = devices.document("check", "--diff", "main", *_ASKED)
    whole = _told(Program(devices.cwd, tmp_path / "other-cache").document("check", *_ASKED), "new")
    assert _told(found, "new") == {key: told for key, told in whole.items() if key not in before}
    assert _told(found, "existing") == {key: told for key, told in whole.items() if key in before}


_TABLE = (
    "import torch\n\nROWS = {9: 1, 10: 2}\n\n\ndef rows():\n    return ROWS[torch.cuda.get_device_capability()[0]]\n"
)


@pytest.mark.skipif(os.name != "posix", reason="names of files")
@pytest.mark.parametrize("name", ["below:a.py", "a@.py", "a<.py", "a\nb.py", "calls.py"])
def test_no_name_of_a_file_hides_a_table(devices: Program, name: str) -> None:
    (devices.cwd / "app" / name).write_text(_TABLE, encoding="utf-8")
    found = _told(devices.document("check", "--diff", "main", *_ASKED), "new")
    assert any("ROWS does not cover sm120" in message for message, _ in found.values())
