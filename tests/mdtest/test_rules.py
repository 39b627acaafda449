"""Shapes of known faults: each is found by the rule that it names, and by no other place of the same snippet.

`SPURIOUS` before a tag: what is found is known to be wrong. The test fails once it is no longer found.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codepath.app.config import Config, read_file
from codepath.app.rule_tests import test_rule as tested
from codepath.app.rules import all_rules, on_disk
from codepath.checks.examples import examples
from codepath.model.checks import Rule

_PATHS = sorted((Path(__file__).parent / "rules").glob("*.md"))
_DOCUMENTS = {path: path.read_text("utf-8").replace("# SPURIOUS finding:", "# finding:") for path in _PATHS}
_SHIPPED = all_rules(Config(), str(Path(__file__).parent), read_file, on_disk)
_CASES = [(path, rule) for path, text in _DOCUMENTS.items() for rule in _SHIPPED if list(examples(text, rule.id))]


@pytest.mark.parametrize(("path", "rule"), _CASES, ids=[f"{path.stem}:{rule.id}" for path, rule in _CASES])
def test_shapes(path: Path, rule: Rule) -> None:
    told = tested(replace(rule, document=_DOCUMENTS[path]))
    problems = [f"{path.name}:{one.line} {problem}" for one in told if one.line for problem in one.problems]
    assert not problems, "\n".join(problems)


def test_every_document_is_tagged() -> None:
    assert {path for path, _ in _CASES} == set(_DOCUMENTS)
