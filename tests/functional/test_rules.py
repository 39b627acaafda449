"""The shipped rules: their folders, and the examples in their documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codepath.app.rule_tests import test_rule
from codepath.app.rules import shipped_rules
from codepath.checks.kinds import kinds
from codepath.model.checks import Rule
from tests.functional.running import TOP, Program, validator

_RULES = shipped_rules()


def test_every_folder_is_a_rule() -> None:
    folders = {path.parent.name for path in (TOP / "queries").rglob("rule.toml")}
    assert {rule.id for rule in _RULES} == folders
    documented = {path.parent.name for path in (TOP / "queries").rglob("rule.md")}
    assert documented == folders


@pytest.mark.parametrize("rule", _RULES, ids=lambda rule: rule.id)
def test_the_examples_of(rule: Rule) -> None:
    wrong = [(tested.line, tested.problems) for tested in test_rule(rule) if tested.problems]
    assert wrong == []


@pytest.fixture
def nowhere(tmp_path: Path) -> Program:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "m.py").write_text("x = 1\n")
    return Program(folder, tmp_path / "cache")


def test_list(nowhere: Program) -> None:
    document = json.loads(nowhere.run("rule", "list", "--format", "json").stdout)
    validator("rule").validate(document)
    assert [rule["id"] for rule in document["rules"]] == [rule.id for rule in _RULES]
    assert {kind["name"] for kind in document["kinds"]} == set(kinds())
    assert "must-precede" in nowhere.text("rule", "list", "--kinds")


def test_explain(nowhere: Program) -> None:
    text = nowhere.text("rule", "explain", "arch-table-gap")
    assert text.startswith("# arch-table-gap (error)\n") and "ignore[arch-table-gap]" in text
    assert "did you mean `arch-table-gap`?" in nowhere.error("rule", "explain", "arch-table-gab")


def test_new_and_test(nowhere: Program) -> None:
    nowhere.run("rule", "new", "own-rule", "--kind", "never-reach")
    assert "cannot be written" in nowhere.error("rule", "new", "own-rule", "--kind", "never-reach")
    assert "did you mean `never-reach`?" in nowhere.error("rule", "new", "x", "--kind", "never-reech")
    assert "cannot be the id" in nowhere.error("rule", "new", "../x", "--kind", "never-reach")
    result = nowhere.run("rule", "test", "own-rule", status=1)
    assert "a finding is expected, and there is none" in result.stdout
    document = json.loads(nowhere.run("rule", "test", "own-rule", "--format", "json", status=1).stdout)
    validator("rule").validate(document)


def test_an_example_cannot_reach_out(nowhere: Program, tmp_path: Path) -> None:
    nowhere.run("rule", "new", "own-rule", "--kind", "never-reach")
    document = nowhere.cwd / "queries" / "own-rule" / "rule.md"
    document.write_text("```py ../../out.py\nx = 1  # ok: own-rule\n```\n\x1b[31m")
    said = nowhere.run("rule", "explain", "own-rule").stdout
    assert "\x1b" not in said
    nowhere.run("rule", "test", "own-rule", status=1)
    assert not (tmp_path / "out.py").exists()


def test_rules_for_other_projects_do_not_run(nowhere: Program) -> None:
    document = nowhere.document("check")
    states = {rule["id"]: rule["state"] for rule in document["rules"]}
    assert states["capture-order"] == "other-project" and states["arch-table-gap"] == "ran"
