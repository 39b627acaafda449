"""The command line in a process of its own: pipes, terminals, imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import codepath

TOP = Path(__file__).parent.parent.parent
SOURCES = Path(codepath.__file__).parent.parent
HEAVY = ("libcst", "networkx", "pydot", "rich", "jsonschema", "ast", "sqlite3", "msgspec", "concurrent.futures")


def environment(**more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "TERM")}
    return {**kept, "PYTHONPATH": os.pathsep.join([str(SOURCES), str(TOP)]), **more}


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "tests.functional.fake_app", *words]


def test_the_reader_goes_away() -> None:
    process = subprocess.Popen(
        command("graph"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(FAKE_ROWS="20000")
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141


def test_the_reader_of_help_goes_away() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command("--help"), stdout=writing, stderr=subprocess.PIPE, env=environment())
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command("callers", "f"), stdout=full, stderr=subprocess.PIPE, env=environment())
    assert done.returncode == 2
    assert done.stderr == b"error: standard output cannot be written: No space left on device\n"


def test_an_interruption() -> None:
    done = subprocess.run(command("reach", "interrupt"), capture_output=True, env=environment())
    assert done.returncode == 130
    assert done.stderr == b"Stopped: 502 files are kept; the next run goes on from there.\n"


def test_drawing_falls_back_to_ascii() -> None:
    done = subprocess.run(command("reach", "f"), capture_output=True, env=environment(PYTHONIOENCODING="ascii"))
    assert done.returncode == 0
    assert b"      > new process: worker_main   <- default, engine.py:9\n" in done.stdout


def test_text_is_the_same_under_any_hash_seed() -> None:
    seen = {
        subprocess.run(command("reach", "f"), capture_output=True, env=environment(PYTHONHASHSEED=seed)).stdout
        for seed in "012"
    }
    assert len(seen) == 1


def test_a_question_imports_nothing_heavy() -> None:
    code = (
        "import sys; from tests.functional import fake_app; fake_app.install()\n"
        "from codepath.cli.root import run\n"
        "assert run(['reach', 'f', '-q']) == 0\n"
        f"print('loaded', sorted(set(sys.modules) & set({HEAVY!r}) - {{'ast'}}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    assert done.stdout.endswith("loaded []\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_gets_colour_and_links(tmp_path: Path) -> None:
    (tmp_path / "src" / "server").mkdir(parents=True)
    (tmp_path / "src" / "server" / "layout.py").write_text("", encoding="utf-8")
    shown = on_a_terminal(command("reach", "f", "-q"), tmp_path, environment(TERM="xterm"))
    assert b"\x1b[1mserver.layout.set_layout\x1b[0m" in shown
    assert b"\x1b]8;;file://" in shown and b"/src/server/layout.py\x1b\\" in shown
    plain = on_a_terminal(command("reach", "f", "-q"), tmp_path, environment(TERM="dumb"))
    assert b"\x1b" not in plain
    plain = on_a_terminal(command("reach", "f", "-q"), tmp_path, environment(TERM="xterm", NO_COLOR="1"))
    assert b"\x1b[" not in plain


def on_a_terminal(words: list[str], folder: Path, env: dict[str, str]) -> bytes:
    """Return what a command writes to a pseudo-terminal."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=env)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait() == 0
    return shown
