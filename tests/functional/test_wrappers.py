"""One wrapper for all that a decorator decorates: paths and order go from it to what is wrapped at that call alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.functional.running import Program, solved

SOURCE = """\
import functools


def traced(name=None):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    return decorate


class Engine:
    @traced("engine")
    def __init__(self):
        self.load()

    @traced()
    def load(self):
        capture()


@traced("capture")
def capture():
    pass


@traced("serve")
def serve():
    pass


def main():
    serve()
    Engine()


if __name__ == "__main__":
    main()
"""


@pytest.fixture
def tree(tmp_path: Path) -> Program:
    return solved(tmp_path, {"app.py": SOURCE})


def lines(path: dict[str, Any]) -> list[int]:
    return [step["line"] for step in path["steps"]]


def test_a_path_goes_from_a_wrapper_to_what_it_wraps_there(tree: Program) -> None:
    document = tree.document("reach", "app.capture", "--all")
    assert [lines(path) for path in document["paths"]] == [[41, 37, 8, 18, 8, 22, 8]]
    wrapped = [step["via"] and step["via"]["wraps"][0] for step in document["paths"][0]["steps"]]
    assert wrapped == [None, "app.Engine.__init__", None, "app.Engine.load", None, "app.capture", None]


def test_so_does_the_order(tree: Program) -> None:
    assert tree.document("order", "app.serve", "app.capture")["verdict"] == "before"


def test_text_names_what_a_wrapper_wraps(tree: Program) -> None:
    assert "╞ traced.decorate.wrapper   ← a decorator of Engine.load, app.py:21" in tree.text("reach", "app.capture")
