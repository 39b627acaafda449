"""Rules on published releases: a finding where the fault is, none where it was repaired."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codepath.app.rules import shipped_rules
from tests.functional.running import outside, validator

pytestmark = pytest.mark.release

_RUNNER = "sglang/srt/model_executor/model_runner.py"
_FIRST = "sglang==0.4.0.post1"
_SECOND = "sglang==0.4.0.post2"
_MAIN = "sglang==0.5.9"
_TOP = Path(__file__).resolve().parents[2]
_STRICT = ",".join(rule.id for rule in shipped_rules() if rule.severity == "error")


def findings(cache: Path, *words: str, status: int) -> list[tuple[str, str, int]]:
    done = outside(*words, "--format", "json", cache=cache)
    assert done.returncode == status, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    validator(words[0]).validate(document)
    return [(f["rule"], f["place"]["file"], f["place"]["line"]) for f in document["findings"] if f["status"] == "new"]


@pytest.mark.parametrize(
    ("rule", "faulty", "line", "repaired"),
    [
        ("torchao-before-tensor-parallel", _FIRST, 165, _SECOND),
        ("sparsity-after-weights", _SECOND, 158, _MAIN),
    ],
)
def test_a_pair(cache: Path, rule: str, faulty: str, line: int, repaired: str) -> None:
    assert findings(cache, "check", "--source", faulty, "--select", rule, status=1) == [(rule, _RUNNER, line)]
    assert findings(cache, "check", "--source", repaired, "--select", rule, status=0) == []


def test_layers_that_are_set_after_the_graphs(cache: Path) -> None:
    rule = "capture-layers-before-graphs"
    assert findings(cache, "check", "--source", _MAIN, "--select", rule, status=1) == [(rule, _RUNNER, 622)]


def test_an_order_that_a_release_flipped(cache: Path) -> None:
    rule = "start-up-order"
    found = findings(cache, "diff", _SECOND, _FIRST, "--select", rule, "--gate", status=1)
    assert [(f[0], f[1]) for f in found] == [(rule, _RUNNER)]


@pytest.mark.parametrize("release", [_MAIN, "sglang==0.5.23"])
def test_every_error_was_judged(cache: Path, release: str) -> None:
    """Each finding of severity error has its judgement in docs/explain/errors.json, and none that is there is gone."""
    done = outside("check", "--source", release, "--select", _STRICT, "--format", "json", cache=cache)
    assert done.returncode == 1, done.stderr
    told = {
        (f["rule"], f["place"]["file"], f["place"]["line"])
        for f in json.loads(done.stdout)["findings"]
        if f["severity"] == "error"
    }
    judged = json.loads((_TOP / "docs" / "explain" / "errors.json").read_text("utf-8"))
    own = [row for row in judged if row["release"] == release]
    assert told == {(row["rule"], row["file"], row["line"]) for row in own}
    wrong = sum(1 for row in judged if not row["judged"].startswith("right"))
    assert wrong * 10 <= len(judged)
