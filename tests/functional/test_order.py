"""Which of two things comes first: `order`, and the order of the paths of `reach`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.functional.running import Program, guard_text, write

HEAD = """\
import asyncio
from contextlib import contextmanager, suppress
from sys import argv
from threading import Thread


def a():
    pass


def b():
    pass


"""
MAIN = '\n\nif __name__ == "__main__":\n    main(*argv)\n'
RUNNER = "mini_server/execution/model_runner.py"
SETTER = "set_expert_layout"


def program(tmp_path: Path, text: str) -> Program:
    return Program(write(tmp_path / "tree", {"m.py": HEAD + text + MAIN}), tmp_path / "cache")


def order(tmp_path: Path, text: str) -> dict[str, Any]:
    return program(tmp_path, text).document("order", "m.a", "m.b")


_SWALLOWED = "except ValueError"


def skips(document: dict[str, Any]) -> set[str]:
    found = (skip for context in document["contexts"] for skip in context["skips"])
    return {" and ".join(guard_text(guard) for guard in skip) for skip in found}


STRAIGHT = {
    "one after the other": ("def main(x, y):\n    a()\n    b()\n", "before"),
    "in different calls": ("def f():\n    a()\n\n\ndef main(x, y):\n    b()\n    f()\n", "after"),
    "an argument": ("def main(x, y):\n    print(b(), a())\n", "after"),
    "exclusive branches": ("def main(x, y):\n    if x:\n        a()\n    else:\n        b()\n", "exclusive"),
    "an early exit": ("def main(x, y):\n    if x:\n        a()\n        return\n    b()\n", "exclusive"),
    "one condition twice": (
        "def main(x: bool, y):\n    if x:\n        a()\n    if not x:\n        b()\n",
        "exclusive",
    ),
    "a condition that may change": (
        "def main(x, y):\n    if x:\n        a()\n    x = y\n    if not x:\n        b()\n",
        "before",
    ),
    "branches in a loop": (
        "def main(x, y):\n    for i in x:\n        if i:\n            a()\n        else:\n            b()\n",
        "either",
    ),
    "finally": ("def main(x, y):\n    try:\n        b()\n    finally:\n        a()\n", "after"),
    "a handler": ("def main(x, y):\n    try:\n        x()\n    except ValueError:\n        a()\n    b()\n", "before"),
    "else of a loop": (
        "def main(x, y):\n    for i in x:\n        if i:\n            break\n    else:\n        a()\n    b()\n",
        "before",
    ),
    "a context manager": (
        "class C:\n    def __enter__(self):\n        a()\n\n    def __exit__(self, *error):\n        b()\n\n\n"
        "def main(x, y):\n    with C():\n        pass\n",
        "before",
    ),
    "a generator as a context": (
        "@contextmanager\ndef c():\n    yield\n    a()\n\n\ndef main(x, y):\n    with c():\n        b()\n",
        "after",
    ),
    "a thread": ("def main(x, y):\n    t = Thread(target=a)\n    t.start()\n    b()\n", "concurrent"),
    "before a thread starts": (
        "def main(x, y):\n    t = Thread(target=b)\n    a()\n    t.start()\n",
        "before",
    ),
    "a thread that is joined": (
        "def main(x, y):\n    t = Thread(target=a)\n    t.start()\n    t.join()\n    b()\n",
        "before",
    ),
    "a coroutine": ("async def c():\n    a()\n\n\ndef main(x, y):\n    asyncio.run(c())\n    b()\n", "before"),
    "recursion": ("def f(n):\n    if n:\n        f(n - 1)\n    a()\n\n\ndef main(x, y):\n    b()\n    f(x)\n", "after"),
    "an exception that may be swallowed": (
        "def main(x, y):\n    with suppress(ValueError):\n        x()\n        a()\n    b()\n",
        "before",
    ),
}


@pytest.mark.parametrize(("text", "expected"), STRAIGHT.values(), ids=STRAIGHT.keys())
def test_a_verdict(tmp_path: Path, text: str, expected: str) -> None:
    assert order(tmp_path, text)["verdict"] == expected


def test_nothing_is_skipped_where_it_always_comes_first(tmp_path: Path) -> None:
    found = order(tmp_path, "def main(x, y):\n    if x:\n        a()\n        b()\n")
    assert [c["skips"] for c in found["contexts"]] == [[]]


def test_a_skip_is_a_condition_of_the_first_that_fails(tmp_path: Path) -> None:
    text = "def f(y):\n    if y:\n        a()\n\n\ndef main(x, y):\n    if x:\n        f(y)\n    b()\n"
    assert skips(order(tmp_path, text)) == {"not x", "not y"}


@pytest.mark.parametrize(
    ("leaving", "expected"),
    [
        ("raise", {"not x"}),
        ("if x:\n            return\n        raise", {"not x", _SWALLOWED}),
        ("return", {"not x", _SWALLOWED}),
    ],
)
def test_a_handler_that_raises_ends_the_callers_too(tmp_path: Path, leaving: str, expected: set[str]) -> None:
    text = f"def f(x, y):\n    try:\n        y()\n    except ValueError:\n        {leaving}\n    a()\n"
    assert skips(order(tmp_path, text + "\n\ndef main(x, y):\n    if x:\n        f(x, y)\n    b()\n")) == expected


def test_a_skip_needs_the_later_one_to_run(tmp_path: Path) -> None:
    text = "def main(x: bool, y: bool):\n    if x and y:\n        a()\n    if x:\n        b()\n"
    assert skips(order(tmp_path, text)) == {"not x and y"}


def test_the_constants_of_a_call_decide(tmp_path: Path) -> None:
    text = "def f(flag):\n    if flag:\n        a()\n    else:\n        b()\n\n\ndef main(x, y):\n    f(False)\n    f(True)\n"
    found = order(tmp_path, text)
    assert found["verdict"] == "after"
    assert [c["function"] for c in found["contexts"]] == ["m.main"]


def test_a_call_string_says_which(tmp_path: Path) -> None:
    text = "def f():\n    a()\n\n\ndef main(x, y):\n    f()\n    b()\n    f()\n"
    tree = program(tmp_path, text)
    lines = (HEAD + text).splitlines()
    first, last = (n for n, line in enumerate(lines, 1) if line == "    f()")
    inner = lines.index("    a()") + 1
    assert tree.document("order", f"m.py:{first},m.py:{inner}", "m.b")["verdict"] == "before"
    assert tree.document("order", f"m.py:{last},m.py:{inner}", "m.b")["verdict"] == "after"


def test_a_place_that_is_no_call(tmp_path: Path) -> None:
    text = "def main(x, y):\n    x.size = 1\n    if x.size:\n        y = 2\n"
    lines = (HEAD + text).splitlines()
    stores = [n for n, line in enumerate(lines, 1) if line.endswith((" = 1", " = 2"))]
    found = program(tmp_path, text).document("order", *(f"m.py:{n}" for n in stores))
    assert found["verdict"] == "before"


def test_one_inside_the_call_of_the_other(tmp_path: Path) -> None:
    text = "def f():\n    a()\n\n\ndef main(x, y):\n    f()\n"
    tree = program(tmp_path, text)
    assert tree.document("order", "m.f", "m.a")["verdict"] == "inside"
    assert tree.document("order", "m.a", "m.f")["verdict"] == "inside"


def test_errors(tmp_path: Path) -> None:
    tree = program(tmp_path, "def main(x, y):\n    a()\n")
    assert "are the same" in tree.error("order", "m.a", "m.a")
    assert "no function, method, class or global named `nothing`" in tree.error("order", "m.a", "nothing")
    assert "Name two things that run" in tree.error("order", "m.a")


# --- the example -----------------------------------------------------------------------------------------------------------


def test_the_setter_comes_before_capture(example: Program) -> None:
    found = example.document("order", SETTER, "cuda-graph-capture")
    assert found["verdict"] == "before"
    context = found["contexts"][0]
    assert context["function"].endswith("ModelRunner.initialize")
    assert (context["first_site"]["line"], context["then_site"]["line"]) == (51, 67)
    assert skips(found) == {"not not self.is_draft_worker"}


def test_the_answer_shows_the_lines_of_the_frame(example: Program) -> None:
    shown = example.text("order", SETTER, "init_device_graphs")
    assert shown.splitlines()[5] == "BEFORE: on every path where both run. Both are called from ModelRunner.initialize:"
    assert "  50  if not self.is_draft_worker:\n" in shown
    assert "<- A\n" in shown
    assert "      self.init_device_graphs()" in shown
    assert "B runs without A when `self.is_draft_worker` (model_runner.py:50)" in shown


def test_an_event_in_place_of_the_second(example: Program) -> None:
    assert example.document("order", SETTER, "--event", "cuda-graph-capture")["verdict"] == "before"


def test_each_open_path_has_its_order(example: Program) -> None:
    paths = example.document("reach", SETTER)["paths"]
    for path in paths:
        verdicts = [order["verdict"] for order in path["order"]]
        assert verdicts == ([] if path["feasible"] == "blocked" else ["before"])


def test_another_event(example: Program) -> None:
    found = example.document("reach", SETTER, "--event", "ModelRunner.load_model")["paths"][0]["order"]
    assert [order["verdict"] for order in found] == ["before"]
    assert [place["line"] for place in found[0]["witness"]] == [51, 61]


def test_a_custom_runner_bypasses_the_setter(example: Program) -> None:
    found = example.document("reach", SETTER)["bypasses"]
    assert [
        (b["function"].rpartition(".")[0].rpartition(".")[2], b["overrides"].rpartition(".")[2]) for b in found
    ] == [("StubRunner", "initialize")]


def test_the_guard_that_stops_every_path(example: Program) -> None:
    found = example.document("reach", SETTER, "--from", "LoneWorker")["nearest_miss"]
    assert found["guard"]["text"] == "not self.is_draft_worker"
    assert found["because"]["file"].endswith("lone_worker.py")
    shown = example.text("reach", SETTER, "--from", "LoneWorker")
    assert "Nearest miss: every path is stopped by" in shown
    assert "✗ not self.is_draft_worker" in shown


def test_what_would_teach_an_unknown_call(tmp_path: Path) -> None:
    text = "def start(hook):\n    hook.b()\n\n\ndef other():\n    b()\n\n\ndef main(x, y):\n    start(x)\n"
    found = program(tmp_path, text).document("reach", "m.b", "--from", "start")
    miss = found["nearest_miss"]
    assert miss is None or miss["teach"][:1] in ([], ["[[edges]]"])


BOTH = """\
def tune(wanted):
    if wanted:
        b()


def setup(wanted):
    tune(wanted)
    a()


def main(*wanted):
    setup(wanted)
    b()
"""


def test_where_both_orders_are_possible_each_is_shown(tmp_path: Path) -> None:
    tree = program(tmp_path, BOTH)
    (path,) = tree.document("reach", "m.a", "--event", "m.b")["paths"]
    (order,) = path["order"]
    assert order["verdict"] == "either"
    assert [place["line"] for place in order["witness"]] == [26, 27, 22, 21]
    text = tree.text("reach", "m.a", "--event", "m.b")
    assert "       before   m.py:26, then m.py:27   in main\n       after    m.py:21, then m.py:22   in setup\n" in text
    lines = tree.text("order", "m.a", "m.b").splitlines()
    assert {line for line in lines if line.startswith(("  before", "  after"))} == {
        "  before in main",
        "  after in setup",
    }


def test_what_most_ways_in_lead_to_is_shown_first(tmp_path: Path) -> None:
    text = """
def a(): ...


def b(): ...


def one_way():
    b()
    a()


def start():
    a()
    b()


def main():
    start()


def other():
    start()
"""
    entries = "".join(
        f'[[entry-points]]\nname = "{name}"\nfunction = "m.{name}"\n' for name in ("main", "other", "one_way")
    )
    tree = Program(write(tmp_path / "tree", {"m.py": text, "codepath.toml": entries}), tmp_path / "cache")
    found = tree.document("order", "m.a", "m.b")
    assert [c["function"] for c in found["contexts"]] == ["m.start", "m.one_way"]


_BRANCHES = """\
def first(): ...
def then(): ...


def main(flag):
    if flag:
        {taken}
    else:
        {other}
"""


@pytest.mark.parametrize(
    ("taken", "other", "remark"),
    [("pass", "first(); then()", "else"), ("first(); then()", "pass", ""), ("then()", "first(); then()", "")],
)
def test_a_condition_tells_in_which_branch_the_sides_stand(tmp_path: Path, taken: str, other: str, remark: str) -> None:
    text = _BRANCHES.format(taken=taken, other=other) + "\n\nimport sys\nmain(len(sys.argv) > 1)\n"
    folder = write(tmp_path / "tree", {"pkg/__init__.py": "", "pkg/__main__.py": text})
    program = Program(folder, tmp_path / "cache")
    (context,) = (c for c in program.document("order", "first", "then")["contexts"] if c["lines"])
    assert [line["remark"] for line in context["lines"] if line["line"] == 6] == [remark]
    assert ("<- its else" in program.text("order", "first", "then")) == (remark == "else")
