"""Runs that are stopped, killed, or two at once, in processes of their own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from codepath.extract import EXTRACTOR_VERSION
from codepath.store import Store
from tests.functional.running import TOP, Program, write

FILES = 120
BODY = "\n\n".join(
    f"def f{n}(x, y=None):\n    if x == {n} and y:\n        return [f{n}(z, y=x) for z in y if z]\n    return x.m{n}(y)[{n}]"
    for n in range(40)
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree that takes some seconds to index; no two files are alike."""
    folder = tmp_path_factory.mktemp("long")
    write(folder, {f"pkg/m{n}.py": f"NUMBER = {n}\n{BODY}\n" for n in range(FILES)})
    write(folder, {"pkg/__init__.py": "", "pkg/last.py": "from pkg.m1 import f1\n\n\ndef target():\n    f1(1)\n"})
    return folder


def start(tree: Path, cache: Path, *words: str) -> subprocess.Popen[bytes]:
    """Start codepath in a process group of its own."""
    path = os.pathsep.join([str(TOP / "src"), str(TOP)])
    environment = {**os.environ, "CODEPATH_CACHE_DIR": str(cache), "PYTHONPATH": path}
    return subprocess.Popen(
        [sys.executable, "-c", "from codepath.cli import main; main()", *words],
        cwd=tree,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def interrupted(tree: Path, cache: Path, how: int, *, group: bool) -> tuple[int, str]:
    """Index with two workers until some files are parsed, send a signal; return the exit status and standard error."""
    with start(tree, cache, "index", "--workers", "2", "--progress", "bar") as process:
        assert process.stderr is not None
        seen = b""
        while not re.search(rb"parse .*[1-9]\d*/\d+ files", seen):
            read = os.read(process.stderr.fileno(), 4096)
            assert read, seen
            seen += read
        (os.killpg if group else os.kill)(process.pid, how)
        process.wait(timeout=60)
        return process.returncode, (seen + process.stderr.read()).decode()


def kept(cache: Path) -> int:
    with Store.open(cache, extractor_version=EXTRACTOR_VERSION) as store:
        return store.status().files


def parsed(tree: Path, cache: Path) -> int:
    return int(Program(tree, cache).document("index")["parsed"])


def test_ctrl_c_keeps_what_was_parsed(tree: Path, tmp_path: Path) -> None:
    status, shown = interrupted(tree, tmp_path, signal.SIGINT, group=True)
    assert status == 130
    assert "Traceback" not in shown
    last = shown.splitlines()[-1]
    told = re.search(r"Stopped: (\d+) files are kept; the next run goes on from there\.$", last)
    assert told is not None, last
    stored = kept(tmp_path)
    assert 0 < int(told[1]) <= stored < FILES
    assert f"incomplete ({stored} of {FILES + 2} files)" in Program(tree, tmp_path).text("status")
    assert parsed(tree, tmp_path) == FILES + 2 - stored


def test_kill_9_loses_nothing_that_was_stored(tree: Path, tmp_path: Path) -> None:
    status, _ = interrupted(tree, tmp_path, signal.SIGKILL, group=False)
    assert status == -signal.SIGKILL
    stored = kept(tmp_path)
    assert stored > 0
    assert parsed(tree, tmp_path) == FILES + 2 - stored
    assert Program(tree, tmp_path).document("callers", "pkg.m1.f1")["steps"]


def test_workers_end_with_a_killed_parent(tree: Path, tmp_path: Path) -> None:
    with start(tree, tmp_path, "index", "--workers", "2") as process:
        time.sleep(1.0)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
    for _ in range(200):
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    pytest.fail("workers outlived their parent by 20 s")


def test_two_runs_at_once_on_an_empty_cache(tree: Path, tmp_path: Path) -> None:
    runs = [start(tree, tmp_path / "both", "callers", "pkg.m1.f1", "--format", "json") for _ in range(2)]
    answers = []
    for process in runs:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        answers.append({k: v for k, v in json.loads(out).items() if k != "stats"})
    assert answers[0] == answers[1]
    assert answers[0]["steps"]
    assert kept(tmp_path / "both") > 0


@pytest.mark.parametrize("words", [["graph"], ["reach", "pkg.m1.f1", "--all"], ["symbols", "f*", "--limit", "100000"]])
def test_the_reader_goes_away(tree: Path, tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> None:
    cache = tmp_path_factory.getbasetemp() / "reader-cache"
    process = start(tree, cache, *words, "-q")
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    # a short answer may have gone in one piece before the reader did
    assert process.wait(timeout=120) in ((0, 141) if words[0] == "reach" else (141,))
