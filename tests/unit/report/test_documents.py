"""JSON documents against their schemas."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import codepath.report.documents as documents
from codepath.model.answers import EntriesAnswer, SymbolsAnswer, Unresolved
from codepath.report.encode import pretty, rows
from codepath.report.version import VERSION
from codepath.report.view import QueryValue, View
from tests.unit.report import report_samples as samples
from tests.unit.report.test_text import HOSTILE, hostile

REACH_QUERY: dict[str, QueryValue] = {
    "command": "reach",
    "target": "set_layout",
    "from": None,
    "via": None,
    "paths": 1,
    "all": False,
    "group_by": "entry",
    "all_matches": False,
    "event": None,
}
SCHEMAS = resources.files("codepath.report") / "schemas"
COMMANDS = (
    "cache",
    "callees",
    "callers",
    "draw",
    "draw-sheet",
    "entries",
    "graph",
    "hooks",
    "index",
    "reach",
    "status",
    "symbols",
    "trace",
)


def schema(command: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SCHEMAS / f"{command}.json").read_text(encoding="utf-8"))
    return found


def view(**query: QueryValue) -> View:
    return View(samples.SOURCE, query, 1.23456)


def read(command: str, chunks: Iterator[str]) -> dict[str, Any]:
    """Return a document, checked against the schema of its command and for what a terminal would obey."""
    written = "".join(chunks)
    assert written.isascii()
    assert written.replace("\n", "").isprintable()
    document: dict[str, Any] = json.loads(written)
    Draft202012Validator(schema(command)).validate(document)
    return document


def test_every_command_has_a_strict_schema() -> None:
    shared: dict[str, Any] = {}
    for command in COMMANDS:
        found = schema(command)
        Draft202012Validator.check_schema(found)
        assert found["additionalProperties"] is False
        for name, definition in found["$defs"].items():
            assert shared.setdefault(name, definition) == definition, f"{name} differs in {command}"


def test_version_is_that_of_the_project() -> None:
    root = next(p for p in Path(__file__).parents if (p / "pyproject.toml").exists())
    assert f'version = "{VERSION}"' in (root / "pyproject.toml").read_text(encoding="utf-8")


def test_reach_has_the_keys_of_the_contract() -> None:
    asked = View(samples.SOURCE, REACH_QUERY, 1.23456)
    document = read("reach", documents.reach_json(samples.reach(), asked))
    assert document["codepath"] == {"version": VERSION, "schema": 1}
    assert document["source"] == {
        "spec": "src/server",
        "root": "/home/me/src",
        "files": 5,
        "lines": 900,
        "skipped": [],
    }
    assert document["stats"]["seconds"] == 1.235
    assert document["paths"][0]["steps"][-1] == {
        "caller": "server.runner.Runner.start",
        "callee": "server.layout.set_layout",
        "file": "server/runner.py",
        "line": 58,
        "column": 4,
        "kind": "call",
        "resolution": "exact",
        "via": None,
        "guards": [
            {
                "text": "not self.is_draft",
                "polarity": True,
                "kind": "if",
                "file": "server/runner.py",
                "line": 57,
                "value": "unknown",
                "default": None,
                "when": [],
                "choice": False,
                "changed_at": None,
            }
        ],
    }
    assert document["bypasses"] == [] and document["stored_value"] is None
    read("reach", documents.reach_json(samples.miss(), asked))
    read("reach", documents.reach_json(samples.many(), asked))


def test_a_try_guard_stays_in_json() -> None:
    document = read("reach", documents.reach_json(samples.reach(), View(samples.SOURCE, REACH_QUERY)))
    assert document["paths"][0]["steps"][3]["guards"][0]["kind"] == "try"


def test_the_other_documents() -> None:
    read("callers", documents.steps_json(samples.callers(), view(command="callers", name="f")))
    read("callees", documents.steps_json(samples.callees(), view(command="callees", name="f")))
    read("symbols", documents.symbols_json(samples.symbols(), view(command="symbols", pattern="*", limit=2)))
    read("symbols", documents.symbols_json(SymbolsAnswer((), None), view(command="symbols", pattern="*", limit=2)))
    asked = view(command="entries", uncalled=False)
    assert read("entries", documents.entries_json(samples.entries(), asked))["uncalled"] is None
    asked = view(command="entries", uncalled=True)
    assert read("entries", documents.entries_json(EntriesAnswer((), (), ()), asked))["uncalled"] == []
    read("index", documents.index_json(samples.index(skipped=(samples.BROKEN,)), view(command="index")))
    asked = view(command="status", reasons=True, unresolved=False, only=None)
    read("status", documents.status_json(samples.status(stats=None), asked))
    asked = View(documents.NO_SOURCE, {"command": "cache gc"})
    read("cache", documents.cache_json("/home/me/.cache", 7, asked))


def test_graph_is_rows_or_one_document() -> None:
    lines = "".join(documents.graph_rows(samples.graph())).splitlines()
    row = Draft202012Validator({**schema("graph")["$defs"]["step"], "$defs": schema("graph")["$defs"]})
    for line in lines:
        row.validate(json.loads(line))
    asked = view(command="graph", min_resolution="by-name", unresolved=False, only=None)
    document = read("graph", documents.graph_json(samples.graph(), "steps", samples.STATS, asked))
    assert document["steps"] == [json.loads(line) for line in lines]
    asked = view(command="graph", min_resolution="by-name", unresolved=True, only="a.*")
    document = read("graph", documents.graph_json(iter(samples.GAPS), "unresolved", None, asked))
    assert len(document["unresolved"]) == 2
    nothing: Iterator[Unresolved] = iter(())
    assert read("graph", documents.graph_json(nothing, "unresolved", None, asked))["unresolved"] == []
    assert "".join(documents.graph_rows(iter(()))) == ""


def test_a_hostile_tree_is_escaped() -> None:
    asked = View(
        replace(samples.SOURCE, spec=HOSTILE, skipped=((HOSTILE, HOSTILE),)), {**REACH_QUERY, "target": HOSTILE}
    )
    document = read("reach", documents.reach_json(hostile(), asked))
    assert document["paths"][0]["steps"][0]["file"] == HOSTILE
    steps = hostile().incoming
    lines = "".join(documents.graph_rows(steps)).splitlines()
    assert [json.loads(line)["file"] for line in lines] == [HOSTILE] * len(steps)
    assert all(line.isascii() and line.isprintable() for line in lines)


anything: Callable[[], st.SearchStrategy[str]] = lambda: st.text(st.characters(codec=None, exclude_categories=()))  # noqa: E731


@given(st.dictionaries(anything(), anything()))
def test_any_text_comes_back(data: dict[str, str]) -> None:
    for written in (pretty(data), "".join(rows([data]))):
        assert written.replace("\n", "").isascii()
        assert json.loads(written) == json.loads(json.dumps(data))


@pytest.mark.parametrize("number", [0, 1, 499, 500, 501, 1500])
def test_rows_are_separated_across_chunks(number: int) -> None:
    written = "".join(rows(range(number), ","))
    assert [int(n) for n in written.split(",") if n] == list(range(number))
    assert not written.startswith(",") and not written.endswith(",")
