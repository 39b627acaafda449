"""The rows of a solved tree, whoever makes them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codepath.app import emitting
from codepath.model import ir
from codepath.program import solver as solver_module
from codepath.program.build import SolutionBuilder
from codepath.program.frame import Frame, Recorder
from codepath.program.retelling import Retelling
from codepath.program.tree import ScopeInfo
from codepath.store import Spill, Store
from tests.support import solved, solver_of

SERVER = Path(__file__).parents[2] / "examples" / "mini_server"


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return {str(path.relative_to(SERVER)): path.read_text() for path in sorted(SERVER.rglob("*.py"))}


def emitted(files: dict[str, str], folder: Path, workers: int) -> dict[str, bytes]:
    with Store.open(folder, extractor_version=1) as store:
        spill = Spill(folder, parts=workers)
        emitting.emit(SolutionBuilder(solver_of(files), hooks=True), spill, store, workers)
        rows = {key.decode(): row for key, row in spill.ordered()}
        spill.close()
    return rows


def test_rows_are_those_of_scopes_that_run_again(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    retell = Retelling.of

    def listen(retelling: Retelling, info: ScopeInfo, scope: ir.Scope, record: Recorder) -> Frame | None:
        frame = retell(retelling, info, scope, record)
        if frame is not None:
            told.append(info.name)
        return frame

    monkeypatch.setattr(Retelling, "of", listen)
    rows = solved(files)[0]
    monkeypatch.setattr(Retelling, "of", lambda *_: None)
    assert told
    assert rows == solved(files)[0]


@pytest.mark.parametrize("bound", [0, 1_000])
def test_rows_do_not_depend_on_the_bodies_that_are_kept(
    files: dict[str, str], bound: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = solved(files)[0]
    monkeypatch.setattr(solver_module, "MOST", bound)
    assert rows == solved(files)[0]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_rows_do_not_depend_on_the_workers(files: dict[str, str], tmp_path: Path, workers: int) -> None:
    assert emitted(files, tmp_path, workers) == solved(files)[0]


def test_rows_of_a_helper_that_died_are_made_again(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(builder: SolutionBuilder, spill: Spill, part: int, blocks: object, queue: int) -> None:
        os.read(queue, 4)
        os._exit(1)

    monkeypatch.setattr(emitting, "_BLOCK", 1)
    monkeypatch.setattr(emitting, "_help", die)
    assert emitted(files, tmp_path, 2) == solved(files)[0]


def test_rows_are_made_alone_where_no_process_can_be_made(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> int:
        raise OSError("no more processes")

    monkeypatch.setattr(os, "fork", refuse)
    assert emitted(files, tmp_path, 2) == solved(files)[0]
