"""`callers --mismatch`, and the rules about names that drifted apart, on small trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functional.running import Program

_SOURCE = """\
class Base:
    def __init__(self):
        self.prepare(1)

    def prepare(self, size):
        self.size = size


class Lower(Base):
    def prepare(self, size, kind):
        self.size = size, kind


def send(rows, columns, *, group="all"):
    return rows, columns, group


def swap(rows, columns):
    return send(columns, rows)


def main():
    send(1)
    send(1, 2, team=3)
    send(1, 2, group="rows")
    send(*[1, 2])
    try:
        send(1, 2, 3)
    except TypeError:
        send(1, 2)
    return Lower()
"""


@pytest.fixture
def small(tmp_path: Path) -> Program:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "m.py").write_text(_SOURCE, encoding="utf-8")
    return Program(tree, tmp_path / "cache")


def test_calls_that_do_not_fit(small: Program) -> None:
    found = small.document("callers", "send", "--mismatch")
    assert found["calls"] == 7
    assert [(gap["form"], gap["place"]["line"], gap["precision"]) for gap in found["gaps"]] == [
        ("missing", 23, "high"),
        ("keyword", 24, "high"),
        ("position", 19, "medium"),
    ]
    text = small.run("callers", "send", "--mismatch").stdout
    assert "MISMATCH: 3 do not fit, of 7 call sites that are seen." in text
    assert "`send` requires `columns`, which is not passed" in text
    assert "`send` takes `rows` before `columns`, and they are passed the other way round" in text


def test_an_override_that_a_call_in_its_base_does_not_fit(small: Program) -> None:
    (gap,) = small.document("callers", "Lower.prepare", "--mismatch")["gaps"]
    assert (gap["form"], gap["place"]["line"], gap["evidence"][0]["place"]["line"]) == ("override", 10, 3)
    assert "requires `kind`, which is not passed, by `Base.__init__`" in gap["message"]


def test_nothing_that_does_not_fit(small: Program) -> None:
    assert small.document("callers", "swap", "--mismatch")["gaps"] == []
    assert "NO MISMATCH in 0 call sites that are seen." in small.run("callers", "swap", "--mismatch").stdout


def test_stale_names_of_a_package(tmp_path: Path) -> None:
    package = tmp_path / "tree" / "pkg"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "_fast.cpython-312-x86_64-linux-gnu.so").write_bytes(b"")
    (package / "a.py").write_text("from unknown import *\n", encoding="utf-8")
    (package / "b.py").write_text(
        "from pkg import _fast, a, c\nfrom pkg.a import anything\nfrom pkg.gone import x\n\n\n"
        "def patched(patch):\n    patch('pkg.b.missing')\n    return a.anything, c\n",
        encoding="utf-8",
    )
    program = Program(tmp_path / "tree", tmp_path / "cache")
    found = program.document("check", "--select", "stale-name", "--exit-zero")["findings"]
    assert sorted((f["place"]["line"], f["message"]) for f in found) == [
        (1, "`pkg` provides no `c`"),
        (3, "`pkg` has no module `gone`"),
        (7, "`pkg.b` provides no `missing` that could be patched"),
    ]
