"""`codepath values`: writes that precede reads, ways on which order tells that one ran, and call strings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.functional.running import Program, write

FILES: dict[str, str | bytes] = {
    "pkg/__init__.py": "",
    "pkg/state.py": """\
POOL = None


def set_pool(value):
    global POOL
    POOL = value


def get_pool():
    return POOL
""",
    "pkg/server.py": """\
from pkg import state
from pkg.state import get_pool, set_pool


class Part:
    def __init__(self, is_draft=False):
        self.is_draft = is_draft
        self.later = None
        if not self.is_draft:
            set_pool([1])

    def start(self):
        self.fill()
        self.later.append(1)

    def fill(self):
        self.later = []

    def swap(self):
        self.later = self.later.copy()


def serve(flags):
    part = Part()
    use()
    draft = Part(is_draft=True)
    part.start()
    part.swap()


def serve_late(flags):
    if flags.fast:
        set_pool([2])
    late()


def use():
    get_pool().append(3)


def late():
    get_pool().append(4)


def again():
    set_pool([5])
    get_pool().append(6)


def main(flags):
    serve(flags)
    again()


if __name__ == "__main__":
    main(None)
""",
    "pkg/other.py": """\
import sys

from pkg.server import serve_late

if __name__ == "__main__":
    serve_late(sys)
""",
}


def program(folder: Path) -> Program:
    write(folder / "tree", FILES)
    return Program(folder / "tree", folder / "cache")


def required(found: dict[str, Any]) -> set[int]:
    return {r["place"]["line"] for r in found["readers"] if r["requires_set"]}


def test_a_read_behind_a_write_of_its_activation_does_not_require_it(tmp_path: Path) -> None:
    found = program(tmp_path).document("values", "Part.later")
    assert required(found) == {20}  # the right side of a store runs before it
    found = program(tmp_path).document("values", "POOL")
    assert 47 not in required(found)
    assert {38, 42} <= required(found)


def test_order_tells_that_a_write_has_run(tmp_path: Path) -> None:
    found = program(tmp_path).document("values", "POOL")
    assert {way["reader"]["line"] for way in found["unset_reads"]} == {42}


def test_a_call_string_tells_which_writes_and_reads(tmp_path: Path) -> None:
    tree = program(tmp_path)
    whole = tree.document("values", "Part.is_draft")
    assert {w["value"] for w in whole["writers"] if w["how"] == "store"} == {"False or True"}
    one = tree.document("values", "server.py:26,Part.is_draft")
    assert [(w["how"], w["value"]) for w in one["writers"] if w["how"] == "store"] == [("store", "True")]
    assert {w["place"]["line"] for w in one["writers"]} == {7, 26}
    tree.error("values", "server.py:40,Part.is_draft")


def test_the_line_of_a_call_that_stores_names_the_variable(tmp_path: Path) -> None:
    found = program(tmp_path).document("values", "server.py:10")
    assert found["variable"] == "pkg.state.POOL"
