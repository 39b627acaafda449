"""What is known to be wrong. Each test fails; one that passes must lose its mark (or move)."""

from __future__ import annotations

import builtins
from pathlib import Path

import pytest

from tests.functional.running import EXAMPLE, Program, guard_text, places, write

TARGET = "set_expert_layout"


def program(tmp_path: Path, text: str, **more: str) -> Program:
    files: dict[str, str | bytes] = {"m.py": text, **{f"{name}.py": content for name, content in more.items()}}
    tree = Program(write(tmp_path / "tree", files), tmp_path / "cache")
    tree.run("index")
    return tree


def callees(tree: Program, name: str) -> set[str]:
    return {step["callee"] for step in tree.document("callees", name)["steps"]}


# --- honesty -------------------------------------------------------------------------------------------------------------


def test_a_module_imported_by_name_may_be_of_the_tree(tmp_path: Path) -> None:
    text = "import importlib\n\n\ndef make(name):\n    return importlib.import_module(name).Entry(1)\n"
    tree = program(tmp_path, text, n="class Entry:\n    def __init__(self, x):\n        pass\n")
    document = tree.document("callees", "make")
    assert document["unresolved"] or "n.Entry.__init__" in {step["callee"] for step in document["steps"]}


def test_a_function_kept_by_argparse(example: Program) -> None:
    assert example.document("reach", TARGET, "--from", "mini-server")["paths"]


def test_every_call_site_has_a_tier(example: Program) -> None:
    stats = example.document("status")["stats"]
    tiers = sum(count for tier, count in stats.items() if tier not in ("call_sites", "seconds"))
    assert tiers == stats["call_sites"]


def test_guards_that_only_the_shown_path_has(example: Program) -> None:
    document = example.document("reach", TARGET, "--via", "_launch_group")  # with DP attention, and without
    assert "server_args.enable_dp_attention" not in {guard_text(g) for g in document["guards_always"]}


def test_entries_join_a_path_where_they_lead_to_it(example: Program) -> None:
    document = example.document("reach", TARGET)
    first = document["groups"][0]
    starts = {document["entries"][number]["function"] for number in first["entries"]}
    assert document["paths"][0]["steps"][0]["caller"] in starts
    assert "mini_server.launch" not in starts  # starts a scheduler, which is another group


def test_paths_that_are_not_shown_are_counted(example: Program) -> None:
    every = len(example.document("reach", TARGET, "--all")["paths"])
    document = example.document("reach", TARGET)
    assert len(document["paths"]) < every
    assert sum(group["total"] for group in document["groups"]) == every


# --- options -------------------------------------------------------------------------------------------------------------


def test_via_a_call_string(example: Program) -> None:
    document = example.document("reach", TARGET, "--via", "dp_controller.py:36,scheduler.py:75")
    for path in document["paths"]:
        assert {"dp_controller.py:36 spawn-thread", "scheduler.py:75 call"} <= set(places(path))


def test_the_tree_starts_where_it_was_asked_to(example: Program) -> None:
    assert "load_runner" not in example.text("reach", TARGET, "--from", "Engine", "--view", "tree")


def test_the_users_own_knowledge(tmp_path: Path) -> None:
    tree = program(tmp_path, "def f():\n    g()\n\n\ndef g():\n    pass\n")
    write(tree.cwd, {"codepath.toml": '[[entry-points]]\nname = "by hand"\nfunction = "m.f"\n'})
    assert [entry["name"] for entry in tree.document("reach", "m.g")["entries"]] == ["by hand"]


def test_an_unknown_key_of_the_configuration(tmp_path: Path) -> None:
    tree = program(tmp_path, "def f():\n    pass\n")
    write(tree.cwd, {"pyproject.toml": '[tool.codepath]\nexlude = ["a"]\n'})
    assert "unknown key `exlude`" in tree.error("callers", "f")


# --- names ---------------------------------------------------------------------------------------------------------------

INHERITED = """\
class A:
    def __init__(self):
        f()


class B(A):
    pass


def f():
    pass


if __name__ == "__main__":
    B()
"""


def test_a_class_that_inherits_its_constructor_is_no_target(tmp_path: Path) -> None:
    assert "it runs `m.A.__init__`" in program(tmp_path, INHERITED).error("reach", "B")


def test_a_class_that_inherits_its_constructor_is_a_start(tmp_path: Path) -> None:
    assert program(tmp_path, INHERITED).document("reach", "m.f", "--from", "B")["paths"]


def test_an_entry_point_as_the_target(example: Program) -> None:
    assert "NOT REACHED" not in example.text("reach", "mini_server.launch")


WHOLE_TREE = (
    "Cut off",
    "Not worked out",
    "Order: ",
    "       CUDA",
    "Bypassed by",
    "Nothing in this tree",
    "No override",
    "  which overrides",
    "    = 3 of 8 classes of the registry",
)
"""How lines begin that a question about a part of the tree leaves out, or has instead."""
ORDERED = ", and before CUDA graph capture.\n"


@pytest.mark.parametrize("words", [["torch.cuda.CUDAGraph"], [TARGET, "--from", "mini-server"], ["mini_server.launch"]])
def test_a_first_question_understands_the_same_names(example: Program, tmp_path: Path, words: list[str]) -> None:
    def said(program: Program) -> str:
        try:
            shown = program.text("reach", *words)
        except AssertionError as error:
            return str(error)
        kept = (line for line in shown.splitlines(True) if not line.startswith(WHOLE_TREE))
        return "".join(kept).replace(ORDERED, ".\n")

    assert said(Program(EXAMPLE, tmp_path)) == said(example)


# --- calls ---------------------------------------------------------------------------------------------------------------


def test_an_operator_runs_a_method(tmp_path: Path) -> None:
    text = "class T:\n    def __add__(self, other):\n        return self\n\n\ndef main():\n    return T() + T()\n"
    assert "m.T.__add__" in callees(program(tmp_path, text), "main")


def test_what_a_function_returns_is_narrower_than_its_annotation(tmp_path: Path) -> None:
    text = """\
class A:
    def __init__(self):
        pass


class B(A):
    def __init__(self):
        pass


def pick() -> type[A]:
    return B


def main():
    pick()()
"""
    assert callees(program(tmp_path, text), "main") == {"m.pick", "m.B.__init__"}


def test_a_method_called_through_its_class_with_another_self(tmp_path: Path) -> None:
    text = """\
class G:
    def capture(self):
        self.one()

    def one(self):
        pass


class D:
    def __init__(self):
        G.capture(self)

    def one(self):
        pass
"""
    assert "m.D.one" in callees(program(tmp_path, text), "G.capture")


@pytest.mark.parametrize("way", ["a if flag else b", "pick(flag)"])
def test_the_guard_that_chose_a_callee(tmp_path: Path, way: str) -> None:
    text = f"""\
def a():
    pass


def b():
    pass


def pick(flag):
    if flag:
        return a
    return b


def main(flag):
    f = {way}
    f()
"""
    steps = program(tmp_path, text).document("callees", "main")["steps"]
    (chosen,) = [step for step in steps if step["callee"] == "m.a"]
    assert [(g["text"], g["polarity"], g["choice"]) for g in chosen["guards"]] == [("flag", True, True)]


def test_arguments_keep_their_places_through_stars(example: Program) -> None:
    assert "builtins.list.attend" not in callees(example, "Attention.forward")


def test_what_a_class_of_the_tree_lacks_is_not_its_outside_base_s(tmp_path: Path) -> None:
    text = (
        "import abc\n\n\nclass Base(abc.ABC):\n    def go(self):\n        self.thing.forward()\n        self.other()\n"
    )
    tree = program(tmp_path, text)
    assert tree.document("callees", "Base.go")["steps"] == []
    stats = tree.document("status")["stats"]
    assert (stats["call_sites"], stats["outside"]) == (2, 2)  # names that no class of the tree has


def test_a_method_of_a_string_in_a_loop_is_one_callee(tmp_path: Path) -> None:
    text = (
        'def main(name: str):\n    for a in "abc":\n        name = name.replace(a, "")\n    return name.endswith("x")\n'
    )
    assert callees(program(tmp_path, text), "main") == {"builtins.str.replace", "builtins.str.endswith"}


def test_a_deque_is_no_list(tmp_path: Path) -> None:
    text = "import collections\n\n\ndef main():\n    late = collections.deque()\n    late.popleft()\n"
    assert callees(program(tmp_path, text), "main") == {"collections.deque", "collections.deque.popleft"}


def test_methods_of_builtin_types_exist(example: Program) -> None:
    named = {row["callee"] for row in example.rows() if row["callee"].startswith("builtins.")}
    assert {name for name in named if not exists(name.split(".")[1:])} <= {
        "builtins.vars.items",
        "builtins.vars.values",
    }


def exists(parts: list[str]) -> bool:
    found: object = builtins
    for part in parts:
        found = getattr(found, part, None)
    return found is not None
