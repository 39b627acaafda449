"""The same bytes, whatever the hash seed, the number of workers, the order of questions and of files, and the cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codepath.program.graph import CallGraph
from codepath.program.rows import FUNCTION
from tests.functional.running import EXAMPLE, TOP
from tests.support import DictRows, solved

TRUNCATED = ('"truncated": {', " of 61 files", "truncated")


def asked(cache: Path, seed: str, *words: str) -> dict[str, str]:
    """Return the answers of a process of its own by question."""
    cleared = ("NO_COLOR", "FORCE_COLOR", "CODEPATH_SOURCE", "PYTHONHASHSEED")
    environment = {k: v for k, v in os.environ.items() if k not in cleared}
    path = os.pathsep.join([str(TOP / "src"), str(TOP)])
    done = subprocess.run(
        [sys.executable, "-m", "tests.functional.asking", str(cache), *words],
        cwd=EXAMPLE,
        env={**environment, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The answers on a warm cache, under hash seed 0, with one worker, in order."""
    cache = tmp_path_factory.mktemp("warm")
    asked(cache, "0")
    return asked(cache, "0")


def shown(rows: dict[str, bytes], mains: tuple[str, ...]) -> Iterator[object]:
    """Yield all that answers can show of a call graph; guards have other numbers in other orders."""
    graph = CallGraph(DictRows(rows), mains)
    yield mains
    for caller, row in graph.everything():
        yield caller, row.kind, row.file, row.at, row.end, row.gaps, row.call_sites
        yield from graph.steps_of(caller, row)
    yield from ((key, blob) for key, blob in sorted(rows.items()) if not key.startswith(FUNCTION))


def differing(found: dict[str, str], expected: dict[str, str]) -> list[str]:
    return [question for question in expected if found[question] != expected[question]]


def test_answers_are_answers(expected: dict[str, str]) -> None:
    assert all(answer.startswith("[0]\n") for question, answer in expected.items() if "initiali" not in question)
    assert all(len(answer) > 50 for answer in expected.values())


@pytest.mark.parametrize("seed", ["1", "2"])
def test_hash_seeds_workers_and_the_order_of_questions(tmp_path: Path, expected: dict[str, str], seed: str) -> None:
    warm = asked(tmp_path, seed, "--workers", "2", "--reversed")  # fills the cache with the last question first
    again = asked(tmp_path, seed, "--reversed")
    assert not differing(again, expected)
    changed = differing(warm, expected)
    assert not [question for question in changed if not any(word in warm[question] for word in TRUNCATED)]


def test_each_question_on_an_empty_cache(tmp_path: Path, expected: dict[str, str]) -> None:
    cold = asked(tmp_path / "cache", "1", "--cold", "--workers", "1")
    changed = differing(cold, expected)
    assert not [question for question in changed if not any(word in cold[question] for word in TRUNCATED)]


def test_the_order_of_files() -> None:
    paths = [path for path in EXAMPLE.rglob("*.py") if "__pycache__" not in path.parts]
    files = {path.relative_to(EXAMPLE).as_posix(): path.read_bytes() for path in sorted(paths)}
    forwards, backwards = (list(shown(*solved(files, backwards=way))) for way in (False, True))
    assert len(forwards) > 1000
    assert forwards == backwards
