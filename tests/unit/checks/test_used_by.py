"""Which functions of a tree another one uses."""

from __future__ import annotations

from textwrap import dedent

import pytest

from codepath.app.used_by import Files, used_names
from codepath.extract import extract
from codepath.model import ir

_TREE = """
    class Base:
        def start(self): ...
        def stop(self): ...

    class Runner(Base):
        def __init__(self): ...
        def start(self): ...

    def make(): ...

    LIMIT = 3
"""


def _files(texts: dict[str, str]) -> Files:
    def read(path: str) -> ir.ModuleFacts | None:
        found = extract(dedent(texts[path]).encode(), path)
        return found if isinstance(found, ir.ModuleFacts) else None

    return Files({path: path.removesuffix(".py") for path in texts}, read)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import tree\ntree.make()\n", ["tree.make"]),
        ("from tree import make as m\nm()\n", ["tree.make"]),
        ("from tree import make\ncall = [make]\n", ["tree.make"]),
        ("import tree\ntree.make = print\n", ["tree.make"]),
        ("import tree\nsetattr(tree, 'make', print)\n", ["tree.make"]),
        ("from tree import Runner\nRunner()\n", ["tree.Runner.__init__"]),
        ("from tree import Runner\nRunner.start = print\n", ["tree.Runner.start"]),
        ("from tree import Runner\nclass Own(Runner):\n    def stop(self): ...\n", ["tree.Base.stop"]),
        (
            "from tree import Runner\nclass Own(Runner):\n    def more(self):\n        self.start()\n",
            ["tree.Runner.start"],
        ),
        (
            "from tree import Runner\nclass Own(Runner):\n    def more(self):\n        super().stop()\n",
            ["tree.Base.stop"],
        ),
        ("from tree import Runner\ndef f(one: Runner):\n    one.stop()\n", ["tree.Base.stop"]),
        (
            "from tree import Runner\ndef f():\n    one = Runner()\n    one.start()\n",
            ["tree.Runner.__init__", "tree.Runner.start"],
        ),
        ("from tree import LIMIT\nprint(LIMIT)\n", []),
        ("import json\njson.dumps(1)\n", []),
    ],
)
def test_what_is_used(text: str, expected: list[str]) -> None:
    assert list(used_names(_files({"tree.py": _TREE}), _files({"own.py": text}))) == expected


def test_files_of_the_tree_are_no_own_ones() -> None:
    tree = {"tree.py": _TREE, "caller.py": "import tree\ntree.make()\n"}
    assert used_names(_files(tree), _files(tree)) == ()
