"""`codepath status --unresolved`: what is not known, on what it hangs, and the lines that teach the tool."""

from __future__ import annotations

from pathlib import Path

from tests.functional.running import Program, write

PARTS = "".join(f"class P{n}:\n    def go(self):\n        pass\n\n\n" for n in range(7))
TEXT = f"""\
{PARTS}class Box:
    def first(self):
        self.part.go()

    def second(self):
        self.part.go()


def run(job):
    job()
"""


def program(tmp_path: Path) -> Program:
    return Program(write(tmp_path / "tree", {"m.py": TEXT}), tmp_path / "cache")


def test_receivers_are_counted_across_the_methods_of_a_class(tmp_path: Path) -> None:
    document = program(tmp_path).document("status", "--unresolved")
    (known,) = [r for r in document["reasons"] if r["reason"] == "no known type for the receiver"]
    (receiver,) = known["receivers"]
    assert (receiver["receiver"], receiver["owner"], receiver["count"]) == ("self.part", "m.Box", 2)
    assert receiver["calls"] == [{"text": "go", "count": 2}]
    assert [place["function"] for place in receiver["places"]] == ["m.Box.first", "m.Box.second"]
    assert "# or m.P1.go, m.P2.go, ... (7 in all)" in receiver["teach"]


def test_what_is_taught_is_known_where_the_call_stands(tmp_path: Path) -> None:
    tree = program(tmp_path)
    before = tree.document("status", "--unresolved")
    lessons = [r["teach"] for reason in before["reasons"] for r in reason["receivers"] if r["receiver"] == "self.part"]
    write(tree.cwd, {"codepath.toml": "\n".join(lessons)})
    steps = tree.document("callees", "Box.first")["steps"]
    assert [(step["callee"], step["line"], step["via"]["how"]) for step in steps] == [("m.P0.go", 38, "told")]
    after = tree.document("status", "--unresolved")
    assert after["stats"]["unresolved"] == before["stats"]["unresolved"] - 1
    assert after["stats"]["call_sites"] == before["stats"]["call_sites"]


def test_the_text_says_how_to_teach(tmp_path: Path) -> None:
    text = program(tmp_path).text("status", "--unresolved", "--receivers", "1")
    assert "self.part of m.Box in 2 functions: go (2)   m.py:38" in text
    assert '[[edges]]\n  from = "m.Box.first"\n  to = "m.P0.go"' in text
    assert "job of m.run: job (1)" in text


def test_reasons_alone_list_no_receivers(tmp_path: Path) -> None:
    document = program(tmp_path).document("status", "--reasons")
    assert document["reasons"]
    assert not any(reason["receivers"] for reason in document["reasons"])
