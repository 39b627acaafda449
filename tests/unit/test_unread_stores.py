"""What files that were not read may bind in the bodies of classes, by their bytes."""

from __future__ import annotations

from typing import Any

import pytest

from codepath.app.mentions import identifiers
from codepath.app.unread_stores import UnreadStores
from codepath.program.for_tests import ForTests

FILES = {
    "middle.py": b"class Middle(app.Runner, metaclass=make(Meta)): ...\n",
    "lines.py": b"class Late(\n    Mixin,\n    Middle,\n):\n    def late(self): ...\n",
    "leaf.py": b"class Leaf(Middle):\n    rank = 1\n    rate: int\n",
    "other.py": b"from app import Runner\nclass Other(Base[Runner2]):\n    alone: int\n    def size(self): ...\n",
    "read.py": b"class Known(Runner):\n    known = 1\n",
}


class Files:
    """Files by the words in their bytes, as `UnreadFiles` gives them."""

    loaded = ("read.py",)

    def data(self, path: str) -> bytes:
        return FILES[path]

    def with_any(self, names: frozenset[str]) -> list[str]:
        return [path for path, data in FILES.items() if not names.isdisjoint(identifiers(data))]

    def holding(self, name: str) -> list[str]:
        return self.with_any(frozenset([name]))


@pytest.mark.parametrize(
    ("name", "anywhere", "below"),
    [
        ("rank", True, True),
        ("rate", True, True),
        ("late", True, True),
        ("alone", True, False),
        ("size", True, False),
        ("known", False, False),
        ("absent", False, False),
    ],
)
def test_a_name_bound_below_a_class(name: str, anywhere: bool, below: bool) -> None:
    files: Any = Files()
    unread = UnreadStores(files, {path: path[:-3] for path in FILES}, {}, ForTests(files.holding))
    assert unread.binds(name, frozenset()) is anywhere
    assert unread.binds(name, frozenset(["Runner"])) is below
    assert unread.joins(frozenset(["Runner"]), frozenset(["Meta"]))
    assert not unread.joins(frozenset(["Runner"]), frozenset(["Mixin"]))
