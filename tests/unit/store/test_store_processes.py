"""Several processes at once, and processes that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import codepath
from codepath.store import SolutionLost, Store

PREAMBLE = """
import sys, pathlib
from codepath.store import FactsRow, Store
store = Store.open(pathlib.Path(sys.argv[1]), extractor_version=1)
name = sys.argv[2]
def say(word):
    print(word, flush=True)
"""


def start(program: str, folder: Path, name: str) -> subprocess.Popen[str]:
    root = str(Path(codepath.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
    return subprocess.Popen(
        [sys.executable, "-c", PREAMBLE + program, str(folder), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


def wait_for(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == word + "\n"


def finish(process: subprocess.Popen[str]) -> None:
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    program = """
assert store.note == "", store.note
for i in range(300):
    store.put_facts([FactsRow(f"{name}{i}", bytes(2000), None, False)])
store.put_solution(name, b"meta", [(f"f{i}", bytes(300)) for i in range(2000)])
store.close()
"""
    processes = [start(program, tmp_path / "cache", name) for name in "abc"]
    for process in processes:
        finish(process)
    with Store.open(tmp_path / "cache", extractor_version=1) as store:
        assert store.note == ""
        assert len(store.facts(f"{name}{i}" for name in "abc" for i in range(300))) == 900
        for name in "abc":
            assert sum(1 for _ in store.solution_scan(name)) == 2000


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_killed_writer_keeps_what_it_stored(tmp_path: Path) -> None:
    program = """
def rows():
    i = 0
    while True:
        yield FactsRow(str(i), str(i).encode() * 1000, None, False)
        i += 1
        if i == 1000:
            say("1000")
store.put_facts(rows())
"""
    process = start(program, tmp_path, "a")
    wait_for(process, "1000")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with Store.open(tmp_path, extractor_version=1) as store:
        assert store.note == ""
        stored = store.facts(map(str, range(1000)))
        assert len(stored) >= 1000 - 64
        assert all(blob == key.encode() * 1000 for key, blob in stored.items())
        assert store.status().files >= len(stored)


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_writer_killed_inside_a_solution_leaves_none(tmp_path: Path) -> None:
    program = """
store.put_solution("whole", b"meta", [("f", b"1")])
def stop(*_):
    say("inside")
    sys.stdin.read()
connection = store._database._connection
connection.set_trace_callback(lambda sql: stop() if sql.startswith("INSERT INTO solutions") else None)
store.put_solution("whole", b"meta", [("f", b"2")])
"""
    process = start(program, tmp_path, "a")
    wait_for(process, "inside")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with Store.open(tmp_path, extractor_version=1) as store:
        assert dict(store.solution_scan("whole")) == {"f": b"1"}
        store.put_solution("next", b"meta", [])
        assert store.solution_meta("next") == b"meta"


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_process_killed_while_it_makes_the_database_does_no_harm(tmp_path: Path) -> None:
    program = """
import sqlite3
store.close()
def stop(sql):
    if "user_version = " in sql:
        say("inside")
        sys.stdin.read()
connect = sqlite3.connect
def tracing(*a, **k):
    connection = connect(*a, **k)
    connection.set_trace_callback(stop)
    return connection
sqlite3.connect = tracing
Store.open(pathlib.Path(sys.argv[1]) / "made", extractor_version=1)
"""
    process = start(program, tmp_path, "a")
    wait_for(process, "inside")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with Store.open(tmp_path / "made", extractor_version=1) as store:
        assert store.note == ""
        assert store.status().files == 0


def test_a_reader_goes_on_beside_a_damaged_file_that_another_mends(tmp_path: Path) -> None:
    with Store.open(tmp_path, extractor_version=1) as reader:
        reader.put_solution("s", b"meta", [("f", b"1")])
        assert dict(reader.solution_scan("s")) == {"f": b"1"}
        program = """
import sqlite3
store.close()
file = pathlib.Path(sys.argv[1]) / "index" / "index.sqlite"
connection = sqlite3.connect(file)
connection.execute("PRAGMA user_version = 999")
connection.close()
store = Store.open(pathlib.Path(sys.argv[1]), extractor_version=1)
store.put_facts([FactsRow("new", b"facts", None, False)])
store.close()
"""
        finish(start(program, tmp_path, "a"))
        assert dict(reader.solution_scan("s")) == {"f": b"1"}
        reader.put_solution("t", b"meta", [])
    with Store.open(tmp_path, extractor_version=1) as store:
        assert store.facts(["new"]) == {"new": b"facts"}
        with pytest.raises(SolutionLost):
            store.solution_rows("s", ["f"])
