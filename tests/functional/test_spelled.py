"""Names that are handed on as strings: an answer does not claim that nothing leads to what they may call."""

from __future__ import annotations

from pathlib import Path

from tests.functional.running import solved

_FILES = {
    "pkg/__init__.py": "",
    "pkg/worker.py": """\
class Worker:
    def load(self): ...

    def warm(self): ...

    def idle(self): ...

    def probed(self): ...
""",
    "pkg/rpc.py": """\
def call(queue, method):
    queue.put(method)
""",
    "pkg/__main__.py": """\
import queue
from pkg.rpc import call
from pkg.worker import Worker


def main(found):
    call(queue.Queue(), "load")
    call(queue.Queue(), method="warm")
    print("idle", getattr(found, "probed", None))
    if False:
        Worker().warm()


main(object())
""",
}


def test_a_name_that_is_handed_on_may_be_called_after_all(tmp_path: Path) -> None:
    program = solved(tmp_path, _FILES)
    for name, line in (("load", 7), ("warm", 8)):
        document = program.document("reach", f"Worker.{name}")
        assert [(p["file"], p["line"], p["function"]) for p in document["spelled"]] == [
            ("pkg/__main__.py", line, "pkg.__main__.main")
        ]
        text = program.text("reach", f"Worker.{name}")
        assert "that codepath can follow" in text
        assert "its name is handed on as a string" in text


def test_what_only_libraries_and_probes_are_given_is_no_call(tmp_path: Path) -> None:
    program = solved(tmp_path, _FILES)
    for name in ("idle", "probed"):
        assert program.document("reach", f"Worker.{name}")["spelled"] == []
        assert "handed on as a string" not in program.text("reach", f"Worker.{name}")


def test_an_order_with_such_a_side_says_so(tmp_path: Path) -> None:
    program = solved(tmp_path, _FILES)
    document = program.document("order", "call", "Worker.load")
    assert document["verdict"] == "unreached"
    assert [p["line"] for p in document["spelled"]] == [7]
    assert "its name is handed on as a string" in program.text("order", "call", "Worker.load")


_GROUPS = {
    "pkg/__init__.py": "",
    "pkg/__main__.py": """\
def target(): ...


def first(flag):
    if flag:
        target()


def second(mode):
    if mode:
        target()


first(False)
second(0)
""",
}


def test_one_group_of_blocked_paths_is_shown_alone(tmp_path: Path) -> None:
    program = solved(tmp_path, _GROUPS)
    whole = program.document("reach", "target")
    groups = [group["number"] for group in whole["groups"]]
    assert len(groups) == 2
    for number in groups:
        assert "NOT REACHED" in program.text("reach", "target", "--group", str(number))
