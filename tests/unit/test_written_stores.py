"""Stores of an attribute as the bytes of a file show them."""

from __future__ import annotations

import pytest

from codepath.app.written_stores import may_store, written_stores

METHOD = """\
import os

class Outer:
    def other(self, size=0): ...

    class Runner(Base):
        \"\"\"Text.

        More.
        \"\"\"

        def load(
            self,
            model,
            rank: int = 0,
        ) -> None:
            if model:
                for x in model:
                    {}
"""


def _stores(line: str, text: str = METHOD) -> tuple[tuple[str, str], ...] | None:
    data = text.format(line).encode()
    return written_stores(data, "pkg.mod", b"rank") if may_store(data, b"rank") else ()


@pytest.mark.parametrize("line", ["self.rank = 1", "self.rank += 1", "self.rank: int = 1", "self.rank=1"])
def test_a_method_stores_on_its_object(line: str) -> None:
    assert _stores(line) == (("pkg.mod.Outer.Runner.load", "pkg.mod.Outer.Runner"),)


@pytest.mark.parametrize("line", ["x.rank = 1", "self.worker.rank = 1"])
def test_a_method_stores_on_another_object(line: str) -> None:
    assert _stores(line) == (("pkg.mod.Outer.Runner.load", ""),)


def test_a_function_stores() -> None:
    assert _stores("", "def load(self):\n    self.rank = 1\n{}") == (("pkg.mod.load", ""),)


@pytest.mark.parametrize(
    "line",
    [
        "if self.rank: pass",
        "while x.rank:",
        "print(self.rank)",
        "f(rank=1)",
        "self.rank == 1",
        "self.ranks = 1",
        "y = self.rank",
    ],
)
def test_what_stores_nothing(line: str) -> None:
    assert _stores(line) == ()


@pytest.mark.parametrize(
    "line",
    [
        "self.rank, y = 1, 2",
        "(\n    self.rank,\n    self.size,\n) = f()",
        "[self.rank,  # why\n y.size] = f()",
        "x[0].rank = 1",
        "del self.rank",
        "for self.rank in y: pass",
        "with f() as self.rank: pass",
        "self.rank: int",
        "setattr(self, 'rank', 1)",
        "self = x; self.rank = 1",
        "y = 1; x.rank = 2",
        "f(x.rank, size=1)",
    ],
)
def test_what_only_parsing_tells(line: str) -> None:
    assert _stores(line) is None


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def f(me):\n        me.rank = 1\n",
        "class A:\n    def f(self):\n        def g():\n            self.rank = 1\n",
        'class A:\n    """\nclass B:\n    """\n    def f(self):\n        self.rank = 1\n',
        "class A:\n\tdef f(self):\n\t\tself.rank = 1\n",
        "x.rank = 1\n",
    ],
)
def test_places_that_only_parsing_tells(text: str) -> None:
    assert _stores("", text) is None


def test_a_function_that_has_ended_stores_nothing() -> None:
    text = "class A:\n    def f(self):\n        def g(): ...\n        if x:\n            self.rank = 1\n"
    assert _stores("", text) == (("pkg.mod.A.f", "pkg.mod.A"),)
