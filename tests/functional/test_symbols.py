"""Names are found without solving the tree, the same ones as on a tree that is solved."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functional.running import EXAMPLE, Program

_BINDINGS = """
import os as osx
A, BETA = 1, 2
(GAMMA) = 3
(
    LONG,
    LONGER,
) = 4, 5
DELTA: int
if True:
    EPS = ETA = (
        ZETA
    ) = 6
AUG = "x"; TWO = 7


class Outer:
    class Inner:
        async def method(self):
            def local(): ...
"""


@pytest.mark.parametrize(
    "pattern",
    ["*", "layout", "*layout*", "ModelRunner.init", "mini_server.layout.*", "runner.[A-Z]*", "_layout", "*.*er.*init*"],
)
def test_a_first_question_finds_all(example: Program, pattern: str, tmp_path: Path) -> None:
    words = ("symbols", pattern, "--limit", "10000")
    first = Program(EXAMPLE, tmp_path).document(*words)
    assert first["symbols"] and first["truncated"] is None
    assert first["symbols"] == example.document(*words)["symbols"]


def test_every_way_to_bind_a_name(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(_BINDINGS, encoding="utf-8")
    program = Program(tmp_path, tmp_path / "first")
    names = [s["name"] for s in program.document("symbols", "*", "--limit", "100")["symbols"]]
    assert len(names) == 16
    for number, name in enumerate(names):
        alone = Program(tmp_path, tmp_path / str(number)).document("symbols", name)["symbols"]
        assert name in [s["name"] for s in alone], name
