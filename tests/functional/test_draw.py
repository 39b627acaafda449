"""`codepath draw` on the example server and on a tree that tries to break pictures."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from codepath.report.draw import graphviz
from tests.functional.running import Program, write

GOLDEN = Path(__file__).parent / "goldens" / "draw.txt"
ROOT = ("--root", "Scheduler.__init__")
HOSTILE = {
    "app/__init__.py": "",
    "app/main.py": """
import torch

NAME = None


def set_name(value):
    global NAME
    NAME = value


def graph():
    with torch.cuda.graph(None):
        pass


def start(mode):
    if mode == '"];end</script><script>alert(1)</script>':
        set_name("x")
    if mode == "a\\\\" or mode == "#quot; --> s0[%%{init: {}}%%]":
        set_name("y")
    if mode in {"]": "}}", "\\n": "&lt;"}:
        graph()
    else:
        set_name("\\N")
""",
}


@pytest.fixture(scope="module")
def drawn(example: Program) -> dict[str, Any]:
    return example.document("draw", "init-order", *ROOT)


def named(document: dict[str, Any], title: str) -> list[dict[str, Any]]:
    return [s for s in document["steps"] if s["title"] == title]


def bare(dot: str) -> str:
    """Return DOT with the contents of its quoted strings left out."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', "", dot)


def under(document: dict[str, Any], step: dict[str, Any]) -> list[str]:
    """Return the titles of the steps around a step, inner ones first."""
    by_number = {s["number"]: s for s in document["steps"]}
    found = []
    while step["parent"]:
        step = by_number[step["parent"]]
        found.append(step["title"])
    return found


def test_what_is_set_comes_before_capture_and_the_target_before_the_draft(drawn: dict[str, Any]) -> None:
    titles = [s["title"] for s in drawn["steps"]]
    layout, capture = titles.index("set_expert_layout"), titles.index("GraphRunner.capture")
    assert layout < capture < titles.index("TreeWorker()")
    first = named(drawn, "GraphRunner.capture")[0]
    assert first["kind"] == "event"
    assert first["events"] == ["graph capture"]
    assert named(drawn, "set_expert_layout")[0]["sets"] == ["mini_server.layout.expert_layout._layout"]


def test_a_draft_worker_skips_what_the_target_sets(drawn: dict[str, Any]) -> None:
    target, draft = named(drawn, "set_expert_layout")
    assert (target["kind"], draft["kind"]) == ("step", "skipped")
    assert "TreeWorker()" in under(drawn, draft)
    because = draft["blocked"]["because"]
    assert (because["file"], because["line"]) == ("mini_server/spec/tree_worker.py", 16)
    assert target["guards"][-1]["value"] == "true"


def test_a_class_is_drawn_as_its_own_constructor(example: Program) -> None:
    found = example.document("draw", "init-order", "--root", "ChainWorker")
    assert {s["kind"] for s in named(found, "set_expert_layout")} == {"skipped"}


def test_callees_of_one_call_exclude_each_other(drawn: dict[str, Any]) -> None:
    tree, chain = named(drawn, "TreeWorker()")[0], named(drawn, "ChainWorker()")[0]
    assert tree["number"] in chain["excludes"]
    assert chain["choices"] == 4


def test_steps_are_numbered_in_run_order_inside_their_parents(drawn: dict[str, Any]) -> None:
    assert [s["number"] for s in drawn["steps"]] == list(range(1, len(drawn["steps"]) + 1))
    assert all(s["parent"] < s["number"] for s in drawn["steps"])
    assert all(s["repeats"] is None or s["repeats"] < s["number"] for s in drawn["steps"])
    assert len(drawn["steps"]) <= 40


def test_the_text_is_the_golden(example: Program) -> None:
    """`CODEPATH_WRITE_GOLDENS=1 pytest tests/functional/test_draw.py` writes it anew."""
    shown = example.text("draw", "init-order", *ROOT)
    if os.environ.get("CODEPATH_WRITE_GOLDENS"):
        GOLDEN.write_text(shown, encoding="utf-8")
    assert shown == GOLDEN.read_text(encoding="utf-8")
    assert max(len(line) for line in shown.splitlines()[:-1]) <= 100


def test_a_limit_says_what_it_leaves_out(example: Program) -> None:
    found = example.document("draw", "init-order", *ROOT, "--limit", "5")
    assert len(found["steps"]) <= 5
    assert found["hidden"] + sum(s["hidden"] for s in found["steps"]) > 0
    assert "more" in example.text("draw", "init-order", *ROOT, "--limit", "5")


def test_until_ends_the_picture(example: Program) -> None:
    found = example.document("draw", "init-order", *ROOT, "--until", "set_recorder")
    assert found["steps"][-1]["title"] == "set_recorder", [s["title"] for s in found["steps"]]
    said = example.error("draw", "init-order", *ROOT, "--until", "run_server")
    assert "nothing below `Scheduler.__init__` runs `run_server`" in said


def test_an_assumption_leaves_out_what_it_denies(example: Program) -> None:
    found = example.document("draw", "init-order", *ROOT, "--assume", "device=cpu")
    graphs = named(found, "ModelRunner.init_device_graphs")
    assert graphs[0]["kind"] == "skipped"
    assert found["assumed"] == ["device = 'cpu'"]


def test_what_an_assumption_denies_is_shown_as_left_out(example: Program) -> None:
    found = example.document("draw", "init-order", *ROOT, "--assume", "is_draft_worker=True")
    denied = [s for s in found["steps"] if s["denied"]]
    assert {s["denied"] for s in denied} == {"is_draft_worker = True"}
    assert {s["kind"] for s in denied} == {"skipped"}
    assert not any(s["parent"] == d["number"] for d in denied for s in found["steps"])


def test_what_lies_too_deep_still_says_what_it_leads_to(example: Program) -> None:
    found = example.document("draw", "init-order", "--root", "ModelRunner.initialize", "--depth", "1")
    graphs = named(found, "ModelRunner.init_device_graphs")
    assert len(graphs) == 2
    assert all("graph capture" in s["inside"] for s in graphs)
    assert {s["parent"] for s in found["steps"]} == {0}


def test_processes_are_lanes(example: Program) -> None:
    found = example.document("draw", "init-order", "--root", "mini_server.launch")
    assert [lane["kind"] for lane in found["lanes"]][:2] == ["start", "spawn-process"]
    spawned = named(found, "run_scheduler_wrapped")[0]
    inner = next(s for s in found["steps"] if s["parent"] == spawned["number"])
    assert spawned["kind"] == "starts"
    assert (spawned["lane"], inner["lane"]) == (1, 1)


def test_every_form_is_written(example: Program, tmp_path: Path) -> None:
    dot, mermaid = tmp_path / "order.dot", tmp_path / "order.mmd"
    example.run("draw", "init-order", *ROOT, "-o", str(dot), "-o", str(mermaid))
    assert set(re.findall(r"^(s\d+) \[", bare(dot.read_text(encoding="utf-8")), re.M)) == {f"s{n}" for n in range(41)}
    assert mermaid.read_text(encoding="utf-8").startswith("flowchart TD\n")


def test_svg_without_graphviz_says_the_way_out(
    example: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(graphviz, "find_spec", lambda name: None)
    said = example.error("draw", "init-order", *ROOT, "-o", str(tmp_path / "order.svg"))
    assert said.startswith("error: making SVG needs Graphviz, and `dot` is not on PATH\n")
    assert "pip install 'codepath[svg]'" in said
    assert "picture.dot" in said
    assert not (tmp_path / "order.svg").exists()


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_svg_with_graphviz(example: Program, tmp_path: Path) -> None:
    example.run("draw", "init-order", *ROOT, "-o", str(tmp_path / "order.svg"))
    assert "<svg" in (tmp_path / "order.svg").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Program:
    folder = write(tmp_path_factory.mktemp("hostile"), HOSTILE)
    return Program(folder, tmp_path_factory.mktemp("hostile-cache"))


def test_text_of_the_tree_cannot_break_a_picture(hostile: Program) -> None:
    dot = hostile.text("draw", "init-order", "--root", "start", "--format", "dot")
    rest = bare(dot)
    assert re.fullmatch(r"[\w\s={}\[\],;>-]*", rest)
    assert set(re.findall(r"^(s\d+) \[", rest, re.M)) == {"s0", "s1", "s2", "s3", "s4"}
    assert rest.count("{") == rest.count("}")
    mermaid = hostile.text("draw", "init-order", "--root", "start", "--format", "mermaid")
    for line in mermaid.splitlines():
        labels = re.findall(r'"([^"]*)"', line)
        assert len(labels) <= 1
        assert not re.search(r"[<>\[\]{}()|`\\]", "".join(labels).replace("<br/>", ""))
    assert "<script" not in mermaid


def test_nothing_to_draw_is_an_error(example: Program) -> None:
    said = example.error("draw", "init-order", "--root", "SpecAlgorithm.is_none")
    assert "nothing that matters runs below" in said


def test_paths_are_a_graph_with_what_is_blocked(example: Program) -> None:
    dot = example.text("draw", "paths", "set_expert_layout", "--format", "dot")
    lines = dot.splitlines()
    drafts = [line for line in lines if "->" in line and "tree_worker.py:21" in line]
    assert drafts
    assert all("dotted" in line for line in drafts)
    assert any("->" in line and "model_runner.py:51" in line and "#1b6b35" in line for line in lines)
    assert re.fullmatch(r"[\w\s={}\[\],;>-]*", bare(dot))


def test_a_way_in_of_blocked_paths_alone_is_not_blocked_itself(example: Program) -> None:
    dot = example.text("draw", "paths", "set_expert_layout", "--format", "dot")
    (arrow,) = (line for line in dot.splitlines() if "->" in line and '"line 29' in line)
    assert "dotted" not in arrow


def test_paths_as_mermaid(example: Program) -> None:
    mermaid = example.text("draw", "paths", "set_expert_layout", "--format", "mermaid")
    assert mermaid.startswith("flowchart TD\n")
    assert any("-.-x" in line and "tree_worker.py:21" in line for line in mermaid.splitlines())


INHERITED = """
import torch


class Base:
    def __init__(self):
        self.capture()

    def capture(self):
        with torch.cuda.graph(None):
            pass


class Special(Base):
    pass


def start(special):
    if special:
        Special()
    else:
        Base()
"""


def test_a_class_that_inherits_its_constructor_is_drawn_under_its_own_name(tmp_path: Path) -> None:
    tree = Program(write(tmp_path / "tree", {"app.py": INHERITED}), tmp_path / "cache")
    shown = tree.text("draw", "init-order", "--root", "start")
    assert "Special() > " in shown
    assert "Base() > " in shown


_SET = "set_it()\n"
_DEEP = "".join(
    f"def f{n}():\n    {_SET}    other{n}()\n    f{n + 1}()\n\ndef other{n}():\n    {_SET}" for n in range(12)
)
DEEP = f"""
import torch
IT = None
def set_it():
    global IT
    IT = 1
{_DEEP}
def f12():
    with torch.cuda.graph(None):
        pass
"""


def test_an_event_is_shown_however_deep_it_lies(tmp_path: Path) -> None:
    tree = Program(write(tmp_path / "tree", {"app.py": DEEP}), tmp_path / "cache")
    for limit in ("20", "40"):
        found = tree.document("draw", "init-order", "--root", "f0", "--limit", limit)
        assert any(s["kind"] == "event" for s in found["steps"])
        assert len(found["steps"]) <= int(limit)


STATE = """
NAME = None


def set_name(value):
    global NAME
    NAME = value


def get_name():
    return NAME


def use():
    set_other(get_name())


def maybe(flag):
    if flag:
        set_other(get_name())


def set_other(value):
    global OTHER
    OTHER = (value, NAME)


def start():
    use()
    set_name(1)
    use()
    maybe(1)
"""


def test_a_step_says_which_state_it_reads_once_that_is_set(tmp_path: Path) -> None:
    tree = Program(write(tmp_path / "tree", {"app.py": STATE}), tmp_path / "cache")
    found = tree.document("draw", "init-order", "--root", "start", "--show", "use", "--show", "maybe")
    told = [(s["title"], [r.rpartition(".")[2] for r in s["reads"]]) for s in found["steps"] if s["parent"] == 0]
    before, after = (reads for title, reads in told if title == "use")
    assert (before, after) == ([], ["NAME"])
    assert [reads for title, reads in told if title == "maybe"] == [[]]
    assert "reads NAME" in tree.text("draw", "init-order", "--root", "start", "--show", "use")


RULE = """
id = "first-things-first"
kind = "must-precede"
severity = "error"
summary = "The name comes before the plain step."
why = "It is read there."

[must-precede]
first = ["set_name"]
second = ["plain"]
in = ["start"]
"""
RULED = """
NAME = None


def set_name(value):
    global NAME
    NAME = value


def plain():
    print("no event, no state")


def start():
    set_name(1)
    plain()
"""


def test_what_a_rule_names_is_shown_with_the_rule(tmp_path: Path) -> None:
    rule = "queries/first-things-first/"
    files: dict[str, str | bytes] = {
        "app.py": RULED,
        f"{rule}rule.toml": RULE,
        f"{rule}rule.md": "# first-things-first\n",
    }
    tree = Program(write(tmp_path / "tree", files), tmp_path / "cache")
    found = tree.document("draw", "init-order", "--root", "start")
    assert {s["title"]: s["rules"] for s in found["steps"]} == {
        "set_name": ["first-things-first"],
        "plain": ["first-things-first"],
    }
    assert "rule first-things-first" in tree.text("draw", "init-order", "--root", "start")
    (tmp_path / "tree" / rule / "rule.toml").write_text("id = 1", encoding="utf-8")
    assert not any(s["rules"] for s in tree.document("draw", "init-order", "--root", "start")["steps"])


def test_what_a_method_is_handed_is_one_step(tmp_path: Path) -> None:
    text = """
from concurrent.futures import ThreadPoolExecutor

STATE = None


def work(): ...


def ended(future):
    global STATE
    STATE = future


def start():
    pool = ThreadPoolExecutor()
    future = pool.submit(work)
    future.add_done_callback(ended)
    pool.submit(work).add_done_callback(ended)
"""
    program = Program(write(tmp_path / "tree", {"app.py": text}), tmp_path / "cache")
    document = program.document("draw", "init-order", "--root", "app.start", "--show", "ended")
    assert [s["place"]["line"] for s in named(document, "ended")] == [18, 19]
