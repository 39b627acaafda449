"""Comments that silence findings, written into files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codepath.app.ignoring import Ignored, add_ignores
from codepath.errors import QueryError
from codepath.model.answers import Place
from codepath.model.checks import Finding


def finding(path: str, line: int, rule: str = "r") -> Finding:
    return Finding(rule, "error", "m", Place(path, line, 0, ""), (rule,), rule)


@pytest.mark.parametrize(
    ("before", "line", "after"),
    [
        ("x = 1\n", 1, "# codepath: ignore[r] why\nx = 1\n"),
        ("def f():\n\treturn 1  # noqa\n", 2, "def f():\n\t# codepath: ignore[r] why\n\treturn 1  # noqa\n"),
        ("x = [\n    1,\n]\n", 2, "# codepath: ignore[r] why\nx = [\n    1,\n]\n"),
        ("x = '''\n1\n'''\n", 2, "# codepath: ignore[r] why\nx = '''\n1\n'''\n"),
        ("x = 1 + \\\n    2\n", 2, "# codepath: ignore[r] why\nx = 1 + \\\n    2\n"),
        ("@a\ndef f(): ...\n", 2, "@a\n# codepath: ignore[r] why\ndef f(): ...\n"),
        ("x = 1\r\ny = 2\r\n", 2, "x = 1\r\n# codepath: ignore[r] why\r\ny = 2\r\n"),
        ("\ufeffx = 1\n", 1, "\ufeff# codepath: ignore[r] why\nx = 1\n"),
        ("x = 1", 1, "# codepath: ignore[r] why\nx = 1"),
    ],
)
def test_a_comment_stands_above_the_statement(tmp_path: Path, before: str, line: int, after: str) -> None:
    (tmp_path / "a.py").write_bytes(before.encode())
    assert add_ignores(str(tmp_path), [finding("a.py", line)], " why ") == Ignored(1, 1, ())
    assert (tmp_path / "a.py").read_bytes() == after.encode()


def test_rules_of_one_statement_share_a_comment(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = [\n    1,\n]\ny = 2\n", encoding="utf-8")
    found = [finding("a.py", 1, "b"), finding("a.py", 2, "a"), finding("a.py", 4, "c")]
    assert add_ignores(str(tmp_path), found, "why").comments == 3
    said = (tmp_path / "a.py").read_text(encoding="utf-8")
    assert said == "# codepath: ignore[a, b] why\nx = [\n    1,\n]\n# codepath: ignore[c] why\ny = 2\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"def f(:\n", "why"), (b"# coding: nothing\nx = 1\n", "why"), (b"# coding: latin-1\nx = 1\n", "\u2603")],
)
def test_what_cannot_be_read_is_left_as_it_is(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "a.py").write_bytes(data)
    assert add_ignores(str(tmp_path), [finding("a.py", 2)], reason) == Ignored(0, 0, ("a.py:2",))
    assert (tmp_path / "a.py").read_bytes() == data


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_links_are_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "out.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").symlink_to(tmp_path / "out.py")
    (tmp_path / "tree" / "b").symlink_to(tmp_path)
    found = [finding("a.py", 1), finding("b/out.py", 1), finding("../out.py", 1)]
    assert add_ignores(str(tmp_path / "tree"), found, "why").comments == 0
    assert (tmp_path / "out.py").read_text(encoding="utf-8") == "x = 1\n"


@pytest.mark.parametrize("reason", ["", "  ", "a\nb", "a\x1b[31m"])
def test_a_reason_is_needed(tmp_path: Path, reason: str) -> None:
    with pytest.raises(QueryError):
        add_ignores(str(tmp_path), [], reason)
