"""The Python API as data: what is exported, that it is whole and documented, and that it answers."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import codepath
from tests.functional.running import EXAMPLE, TOP


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[codepath.Index]:
    with codepath.Index.open(EXAMPLE, cache_dir=tmp_path_factory.mktemp("cache"), workers=1) as opened:
        yield opened


def _methods() -> dict[str, Any]:
    return {name: value for name, value in vars(codepath.Index).items() if not name.startswith("_")}


def test_each_name_is_there_and_documented() -> None:
    assert list(codepath.__all__) == sorted(set(codepath.__all__))
    for name in codepath.__all__:
        assert inspect.getdoc(getattr(codepath, name)), name
    for name, method in _methods().items():
        assert inspect.getdoc(method.fget if isinstance(method, property) else method), name


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(codepath.__file__).read_text(encoding="utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname: node.module for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert seen == {name: getattr(codepath, name).__module__ for name in codepath.__all__}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Indx'"):
        codepath.Indx  # noqa: B018


def _classes_of(annotation: Any) -> Iterator[type]:
    for part in typing.get_args(annotation):
        yield from _classes_of(part)
    if isinstance(annotation, type) and annotation.__module__.startswith("codepath.model"):
        yield annotation


def _names_of(path: str) -> dict[str, Any]:
    return dict(vars(sys.modules[path]))


_EXPORTED: dict[str, Any] = {name: getattr(codepath, name) for name in codepath.__all__}
_EXPORTED["Graph"] = object  # networkx's own


def _answers() -> Iterator[type]:
    for method in [*_methods().values(), codepath.check, codepath.diff, codepath.rules]:
        function = method.fget if isinstance(method, property) else getattr(method, "__func__", method)
        hints = typing.get_type_hints(function, _names_of(function.__module__), _EXPORTED)
        yield from _classes_of(hints["return"])


def test_every_class_in_an_answer_is_exported_and_frozen() -> None:
    todo, seen, missing = list(_answers()), set(), set()
    while todo:
        found = todo.pop()
        if found in seen:
            continue
        seen.add(found)
        if getattr(codepath, found.__name__, None) is not found:
            missing.add(f"{found.__module__}.{found.__name__}")
        assert dataclasses.is_dataclass(found)
        assert found.__dataclass_params__.frozen  # type: ignore[attr-defined]
        for hint in typing.get_type_hints(found, _names_of(found.__module__), _EXPORTED).values():
            todo.extend(_classes_of(hint))
    assert not missing
    classes = {getattr(codepath, name) for name in codepath.__all__ if name.endswith("Answer")}
    assert classes <= seen


def test_the_import_is_light() -> None:
    script = (
        "import sys, codepath; print(sorted({'click', 'libcst', 'sqlite3', 'msgspec', 'networkx'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=TOP / "src", capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_reach_and_order(index: codepath.Index) -> None:
    answer = index.reach("set_expert_layout", all_paths=True)
    assert {path.feasible for path in answer.paths} == {"open", "blocked"}
    assert answer.target.name == "mini_server.layout.expert_layout.set_expert_layout"
    denied = index.reach("set_expert_layout", assume=["is_draft_worker=True"])
    assert [met.assumption.name for met in denied.assumptions] == ["is_draft_worker"]
    assert index.order("set_expert_layout", "graph-capture").verdict == "before"


def test_values_hooks_and_logs(index: codepath.Index) -> None:
    assert any(writer.none_chain for writer in index.values("_layout").writers)
    assert index.uses("ModelRunner.is_draft_worker", instances=False).uses
    hook = index.hook("get_layout_config", missing=True)
    assert "WrappedForCausalLM" in {holder.cls.rpartition(".")[2] for holder in hook.classes}
    assert "get_layout_config" in {row.hook for row in index.hooks().hooks}
    log = (EXAMPLE / "logs" / "start_failure_full.log").read_bytes()
    assert index.trace(log).causes
    assert index.arch(["sm120"]).rows


def test_lists(index: codepath.Index) -> None:
    assert index.callers("set_expert_layout").steps
    assert index.callees("ModelRunner.initialize").steps
    assert index.symbols("set_*", limit=1).truncated is not None
    assert index.entries().entries
    assert next(index.steps("exact")).resolution == "exact"
    assert next(index.unresolved()).reason
    assert "mini_server.layout.expert_layout.set_expert_layout" in index.networkx()
    assert index.init_order("ModelRunner.initialize").steps
    assert index.source.files == index.status().files == index.index().files


def test_errors(index: codepath.Index, tmp_path: Path) -> None:
    with pytest.raises(codepath.QueryError, match="no function"):
        index.reach("set_expert_layot")
    with pytest.raises(codepath.CodepathError):
        codepath.Index.open(tmp_path / "missing", cache_dir=tmp_path)


def test_rules() -> None:
    assert {"capture-order", "unset-read"} <= {rule.id for rule in codepath.rules(EXAMPLE)}


def test_check_and_diff(tmp_path: Path) -> None:
    answer = codepath.check(EXAMPLE, select=["arch-table-gap"], cache_dir=tmp_path)
    assert {finding.rule for finding in answer.findings} == {"arch-table-gap"}
    same = codepath.diff(EXAMPLE, EXAMPLE, symbols=["set_expert_layout"], cache_dir=tmp_path)
    assert not same.changes
    assert not same.findings
