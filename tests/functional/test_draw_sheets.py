"""`codepath draw paths`, `draw classes`, `draw arch` on the example server, and what a branch changes in pictures."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.functional.running import EXAMPLE, Program, write

ORDER = ("draw", "init-order", "--root", "Scheduler.__init__")
RUNNER = "mini_server/execution/model_runner.py"
WORKER = "mini_server/spec/chain_worker.py"


def box(document: dict[str, Any], title: str) -> dict[str, Any]:
    return next(b for b in document["boxes"] if b["title"] == title)


def arrows(document: dict[str, Any], tail: str, head: str) -> list[dict[str, Any]]:
    titles = [b["title"] for b in document["boxes"]]
    return [a for a in document["arrows"] if (titles[a["tail"]], titles[a["head"]]) == (tail, head)]


# --- one tree ----------------------------------------------------------------------------------------------------------


def test_paths_are_boxes_and_arrows(example: Program) -> None:
    found = example.document("draw", "paths", "set_expert_layout")
    assert box(found, "set_expert_layout")["kind"] == "target"
    assert {b["kind"] for b in found["boxes"]} == {"entry", "function", "target"}
    (last,) = arrows(found, "ModelRunner.initialize", "set_expert_layout")
    assert last["kind"] == "open"
    assert last["lines"] == ["model_runner.py:51", "if not self.is_draft_worker: holds"]
    (draft,) = arrows(found, "ChainWorker.__init__", "TpWorker.__init__")
    assert draft["kind"] == "blocked"


def test_a_sign_stands_before_each_name(example: Program) -> None:
    dot = example.text("draw", "paths", "set_expert_layout", "--format", "dot")
    assert "● Scheduler.__init__" in dot
    assert "xa0" not in dot


def test_a_family_has_its_bases_and_overrides(example: Program) -> None:
    found = example.document("draw", "classes", "TpWorker")
    titles = [b["title"] for b in found["boxes"]]
    assert titles == ["BaseWorker", "TpWorker", "ChainWorker", "LoneWorker"]
    assert box(found, "TpWorker")["kind"] == "target"
    (up,) = arrows(found, "ChainWorker", "TpWorker")
    assert up["kind"] == "extends"
    assert not arrows(found, "LoneWorker", "TpWorker")  # by way of ChainWorker
    assert "forward_step replaces that of BaseWorker, calls super" in box(found, "ChainWorker")["lines"]
    assert "__init__ replaces that of ChainWorker, does not call it" in box(found, "LoneWorker")["lines"]


def test_a_method_leaves_out_classes_that_do_not_define_it(example: Program) -> None:
    found = example.document("draw", "classes", "BaseWorker", "--method", "forward_step")
    assert [b["title"] for b in found["boxes"]] == ["BaseWorker", "ChainWorker", "TreeWorker"]
    assert arrows(found, "ChainWorker", "BaseWorker")
    assert "model_runner" not in str([b["lines"] for b in found["boxes"]])


def test_what_is_no_class_has_no_family(example: Program) -> None:
    assert "`set_expert_layout` is no class" in example.error("draw", "classes", "set_expert_layout")


def test_a_limit_of_classes_says_what_it_leaves_out(example: Program) -> None:
    found = example.document("draw", "classes", "BaseWorker", "--limit", "2")
    assert (len(found["boxes"]), found["hidden"]) == (2, 3)
    assert "+3 more: --limit N" in example.text("draw", "classes", "BaseWorker", "--limit", "2")


def test_architectures_have_a_box_for_each_gap(example: Program) -> None:
    found = example.document("draw", "arch", "--target", "sm120")
    table = box(found, "REDUCE_LIMITS")
    assert table["kind"] == "error"
    assert any("sm120 ✗ crash" in line and "sm103 ✓ covered" in line for line in table["lines"])
    assert any("KeyError: 12" in line for line in table["lines"])


FORMS = [("paths", "set_expert_layout"), ("classes", "BaseWorker"), ("arch",)]


@pytest.mark.parametrize("words", FORMS, ids=lambda words: words[0])
def test_every_form_is_written(example: Program, tmp_path: Path, words: tuple[str, ...]) -> None:
    names = [tmp_path / f"x.{end}" for end in ("dot", "mmd", "html", "json", "txt")]
    example.run("draw", *words, *(part for name in names for part in ("-o", str(name))))
    dot, mermaid, page, _, _ = (name.read_text(encoding="utf-8") for name in names)
    assert dot.startswith("digraph sheet {")
    assert mermaid.startswith("flowchart ")
    assert page.startswith("<!doctype html>")
    assert 'id="s1"' in page


def test_a_page_leads_to_the_source_beside_it(example: Program, tmp_path: Path) -> None:
    page = EXAMPLE / "x-test.html"
    try:
        example.run("draw", "classes", "BaseWorker", "-o", str(page))
        assert '"url":"mini_server/runtime/tp_worker.py#L18"' in page.read_text(encoding="utf-8")
    finally:
        page.unlink(missing_ok=True)
    other = tmp_path / "x.html"
    link = "https://code.example/blob/main/{file}#L{line}"
    example.run("draw", "classes", "BaseWorker", "--link", link, "-o", str(other))
    assert "https://code.example/blob/main/mini_server/runtime/tp_worker.py#L18" in other.read_text(encoding="utf-8")
    assert "--link needs {file}" in example.run("draw", "arch", "--link", "https://code.example", status=2).stderr


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_png_is_bytes(example: Program, tmp_path: Path) -> None:
    png = tmp_path / "x.png"
    example.run("draw", "classes", "BaseWorker", "-o", str(png))
    assert png.read_bytes().startswith(b"\x89PNG\r\n")


# --- two trees ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def branch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example server as a branch has it: one call moved, one dropped, one added, one under another condition."""
    folder = tmp_path_factory.mktemp("branch") / "head"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    _edit(folder / RUNNER, *_RUNNER_EDITS)
    _edit(folder / WORKER, ("    def forward_step", "    def forward_one_step"))
    return folder


_RECORDER = "            set_recorder(LoadRecorder.init_new(server_args, get_layout()))\n"
_LAYOUT = "            set_expert_layout(compute_initial_expert_layout(server_args, self.model_config))\n"
_RUNNER_EDITS = (
    (_RECORDER, ""),
    (_LAYOUT, f"            if server_args.model:\n    {_LAYOUT}"),
    ("    def load_model(self):", f"{_RECORDER[4:]}\n    def load_model(self):"),
    ("        set_global_args_for_scheduler(server_args)\n", ""),
    ("        self.initialize(free_bytes)\n", "        set_extra(1)\n        self.initialize(free_bytes)\n"),
    (
        "\n\nclass ModelRunner",
        "\n_extra = None\n\n\ndef set_extra(value):\n    global _extra\n    _extra = value\n\n\nclass ModelRunner",
    ),
)


def _edit(path: Path, *edits: tuple[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for old, new in edits:
        assert old in text, (path, old)
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def changes(document: dict[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for step in document["steps"]:
        if step["change"]:
            found.setdefault(step["change"], []).append(step["title"])
    return found


def test_an_order_shows_what_a_branch_adds_drops_and_moves(example: Program, branch: Path) -> None:
    found = example.document(*ORDER, "--diff", ".", str(branch))
    told = changes(found)
    assert set(told["added"]) == {"set_extra"}
    assert set(told["dropped"]) == {"set_global_args_for_scheduler"}
    assert set(told["moved"]) == {"set_recorder"}
    assert set(told["changed"]) == {"set_expert_layout"}
    steps = {s["title"]: s for s in reversed(found["steps"])}
    assert steps["set_expert_layout"]["was"] == "not self.is_draft_worker"
    assert steps["set_recorder"]["was"] == "after set_expert_layout"
    assert steps["set_global_args_for_scheduler"]["number"] < steps["set_extra"]["number"]
    assert found["versions"] == [".", str(branch)]
    assert len(found["steps"]) <= 40


def test_nothing_changed_says_so(example: Program) -> None:
    said = example.text(*ORDER, "--diff", ".", ".")
    assert "nothing changed" in said
    found = example.document(*ORDER, "--diff", ".", ".")
    plain = example.document(*ORDER)
    assert [s["title"] for s in found["steps"]] == [s["title"] for s in plain["steps"]]
    assert not changes(found)


def test_a_change_is_said_in_words_in_every_form(example: Program, branch: Path, tmp_path: Path) -> None:
    names = [tmp_path / f"x.{end}" for end in ("dot", "mmd", "html", "txt")]
    example.run(*ORDER, "--diff", ".", str(branch), *(part for name in names for part in ("-o", str(name))))
    for name in names:
        written = name.read_text(encoding="utf-8")
        for word in ("added", "dropped", "runs elsewhere in the order", "changed"):
            assert word in written, (name.name, word)


def test_paths_show_what_a_branch_changes(example: Program, branch: Path) -> None:
    found = example.document("draw", "paths", "set_expert_layout", "--diff", ".", str(branch))
    changed = [a for a in found["arrows"] if a["change"]]
    assert [a["change"] for a in changed] == ["changed"]
    assert any("server_args.model" in line for line in changed[0]["lines"])
    assert "1 changed" in found["caption"]
    assert not any(b["change"] for b in found["boxes"])


def test_classes_show_what_a_branch_changes(example: Program, branch: Path) -> None:
    found = example.document("draw", "classes", "BaseWorker", "--diff", ".", str(branch))
    assert {b["title"]: b["change"] for b in found["boxes"] if b["change"]} == {"ChainWorker": "changed"}
    said = example.text("draw", "classes", "BaseWorker", "--diff", ".", str(branch))
    assert "≠ changed" in said


def test_architectures_show_what_a_branch_changes(example: Program, branch: Path) -> None:
    found = example.document("draw", "arch", "--target", "sm120", "--diff", ".", str(branch))
    assert not any(b["change"] for b in found["boxes"])
    assert found["caption"].endswith(": nothing")


def test_many_callees_of_one_function_stand_in_rows_of_their_own(tmp_path: Path) -> None:
    makers = "\n".join(f"    if kind == {n}:\n        worker_{n}()" for n in range(6))
    workers = "\n".join(f"def worker_{n}():\n    start()\n\n" for n in range(6))
    source = f"def start():\n    pass\n\n\n{workers}\ndef main(kind):\n{makers}\n\n\nif __name__ == '__main__':\n    main(0)\n"
    program = Program(write(tmp_path / "tree", {"run.py": source}), tmp_path / "cache")
    dot = program.text("draw", "paths", "start", "--format", "dot", "--paths", "9")
    rows = re.findall(r'minlen="?(\d+)', dot)
    assert sorted(rows) == sorted([*map(str, range(1, 7)), *["1"] * (len(rows) - 6)])
