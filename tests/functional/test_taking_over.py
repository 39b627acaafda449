"""A tree that differs from a solved one in comments and blank lines alone takes over its solution."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

from codepath.app.opened import Opened
from codepath.app.opening import open_workspace
from codepath.app.options import Options
from codepath.app.solving import StoredRows
from codepath.app.taking_over import take_over
from codepath.app.workspace import Workspace
from tests.functional.running import EXAMPLE, write

_PLAIN = "def run(flag):\n    if flag:\n        return [stop(1), stop(2)]\n    return None\n\n\ndef stop(n): ...\n"


def _open(folder: Path, cache: Path) -> Workspace:
    return open_workspace(Options(source=str(folder), cache_dir=cache, workers=1), None, lambda said: None)


def _opened(workspace: Workspace) -> Opened:
    return workspace._opened


def _commented(text: str, every: int) -> str:
    """Return a text with comments and blank lines before some of its statements."""
    starts = {s.lineno for s in ast.walk(ast.parse(text)) if isinstance(s, ast.stmt)}
    found: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        is_inner = line.lstrip().startswith(("elif", "else", "except", "finally"))
        if number in starts and number % every == 0 and not is_inner:
            found += ["# a note", ""]
        found.append(line)
    return "\n".join(found)


@pytest.mark.parametrize("every", [2, 5])
def test_the_rows_are_those_of_solving(tmp_path: Path, every: int) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    for folder in (before, after):
        shutil.copytree(EXAMPLE, folder)
    for file in sorted(after.rglob("*.py"))[:30]:
        file.write_text(_commented(file.read_text("utf-8"), every), encoding="utf-8")
    with _open(before, tmp_path / "cache") as base, _open(after, tmp_path / "cache") as head:
        base.index()
        take_over(_opened(head), _opened(base))
        taken = _opened(head).stored
        assert taken is not None
        moved = dict(taken[0]._rows.scan())
        with _open(after, tmp_path / "cache") as solved:
            solved.index()
            opened = _opened(solved)
            assert moved == dict(StoredRows(opened.store, opened.solution, None).scan())
            assert opened.stored is not None and opened.stored[1] == taken[1]


@pytest.mark.parametrize(
    ("text", "is_taken"),
    [
        ("# why\n\n" + _PLAIN, True),
        (_PLAIN.replace("[stop(1), stop(2)]", "[stop(1),  stop(2)]  # both"), True),
        (_PLAIN.replace("[stop(1), stop(2)]", "[\n            stop(1),\n            stop(2),\n        ]"), False),
        (_PLAIN.replace("stop(2)", "stop(3)"), False),
        (_PLAIN.replace("if flag", "if not flag"), False),
        (_PLAIN + "\n\ndef more(): ...\n", False),
        (_PLAIN.replace("def stop(n)", "def stop(n=1)"), False),
        ("def (\n", False),
    ],
)
def test_what_counts(tmp_path: Path, text: str, is_taken: bool) -> None:
    before = write(tmp_path / "before", {"m.py": _PLAIN, "other.py": "import m\nm.run(1)\n"})
    after = write(tmp_path / "after", {"m.py": text, "other.py": "import m\nm.run(1)\n"})
    with _open(before, tmp_path / "cache") as base, _open(after, tmp_path / "cache") as head:
        base.index()
        take_over(_opened(head), _opened(base))
        assert (_opened(head).stored is not None) is is_taken
