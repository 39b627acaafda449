"""The example server runs, fails where it should, and stands where its README says."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLE = REPOSITORY / "examples" / "mini_server"
PACKAGE = EXAMPLE / "mini_server"
TIMEOUT = 60.0


def run_server(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MINI_", "PYTHON"))}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "CUDA_VISIBLE_DEVICES": ""} | variables
    command = [sys.executable, "-m", "mini_server.launch", *words]
    return subprocess.run(command, cwd=EXAMPLE, env=environment, capture_output=True, text=True, timeout=TIMEOUT)


def source_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8-sig").splitlines()


def test_help_needs_no_tensor_library() -> None:
    done = run_server("--help")
    assert done.returncode == 0
    assert "--dry-run" in done.stdout


def test_dry_run_starts_a_scheduler_and_captures() -> None:
    done = run_server("--dry-run")
    assert done.returncode == 0, done.stderr
    assert "[scheduler gpu=0 dp=None] INFO mini_server.execution.model_runner: graphs:" in done.stderr
    assert "scheduler 0 is ready" in done.stderr
    assert "answer: <1> <1>" in done.stderr


@pytest.mark.parametrize(
    "words",
    [("--dp", "2"), ("--spec", "tree"), ("--rpc-mode",), ("--encoder-only",)],
    ids=lambda words: " ".join(words),
)
def test_other_ways_to_start(words: tuple[str, ...]) -> None:
    done = run_server("--dry-run", *words)
    assert done.returncode == 0, done.stderr


def test_the_wrapped_model_runs_without_exchange() -> None:
    done = run_server("--dry-run", "--model", "WrappedForCausalLM")
    assert done.returncode == 0, done.stderr


def test_the_missing_hook_fails_during_capture() -> None:
    done = run_server("--dry-run", "--model", "WrappedForCausalLM", "--a2a", "flash")
    assert done.returncode != 0
    assert "in init_device_graphs" in done.stderr
    assert re.search(r"in init_new\n    assert layout is not None\n(?: +\^+\n)?AssertionError\n", done.stderr)


@pytest.mark.parametrize(
    ("words", "capability", "message"),
    [
        ("--model QuietForCausalLM --a2a flash", "9.0", "AssertionError"),
        ("--tp 2 --enable-symm-mem", "12.0", "KeyError: 12"),
        ("--attention-backend flash", "12.0", "ValueError: no tile for capability 12"),
        ("--device cpu --spec chain", "9.0", "KeyError: 'cpu'"),
        ("--model WideForCausalLM --enable-rebalance", "9.0", "'LazyValue' object has no attribute 'keys'"),
        ("--runner stub --spec chain", "9.0", "'NoneType' object has no attribute 'walk'"),
    ],
)
def test_other_planted_faults_show(words: str, capability: str, message: str) -> None:
    done = run_server("--dry-run", *words.split(), MINI_FAKE_CAPABILITY=capability)
    assert done.returncode != 0
    assert message in done.stderr


def test_the_layout_log_line_needs_its_flag() -> None:
    words = ("--dry-run", "--model", "WrappedForCausalLM")
    assert "layout at start" not in run_server(*words).stderr
    assert "layout at start: None" in run_server(*words, MINI_LOG_LAYOUT="1").stderr


def test_the_logs_match_the_tree() -> None:
    full = (EXAMPLE / "logs" / "start_failure_full.log").read_text(encoding="utf-8")
    cut = (EXAMPLE / "logs" / "start_failure.log").read_text(encoding="utf-8")
    frames = re.findall(r'File "/opt/mini-server/(\S+)", line (\d+), in \S+\n    (.+)\n', full)
    assert len(frames) >= 18
    for file, line, text in frames:
        assert source_lines(EXAMPLE / file)[int(line) - 1].strip() == text, f"{file}:{line}"
    assert cut in full
    assert not cut.endswith("\n")


def readme_rows() -> list[tuple[str, int, str]]:
    text = (REPOSITORY / "examples" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|.*\| `(mini_server/\S+\.py):(\d+)` \| `(.+)` \|$", text, flags=re.MULTILINE)
    return [(file, int(line), shown.replace("\\|", "|")) for file, line, shown in rows]


def test_every_place_of_the_readme_is_right() -> None:
    rows = readme_rows()
    assert len(rows) > 150
    wrong = []
    for file, line, shown in rows:
        lines = source_lines(EXAMPLE / file)
        if line > len(lines) or shown not in lines[line - 1]:
            now = [number for number, each in enumerate(lines, 1) if shown in each]
            wrong.append(f"{file}:{line} `{shown}` now stands at {now}")
    assert not wrong, "\n".join(wrong)


def test_the_tree_keeps_its_odd_files() -> None:
    assert (PACKAGE / "models" / "quiet.py").read_bytes().startswith(b"\xef\xbb\xbf")
    crlf = (PACKAGE / "layers" / "activation.py").read_bytes()
    assert crlf.count(b"\r\n") == crlf.count(b"\n") > 20
    without = {folder.name for folder in PACKAGE.iterdir() if folder.is_dir() and not (folder / "__init__.py").exists()}
    assert without - {"__pycache__"} == {"cli", "entry", "execution", "layers", "models", "spec"}


def load_recorder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("record_calls", REPOSITORY / "tests" / "tools" / "record_calls.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code objects have no qualified name before 3.11")
def test_observed_calls_hold_what_a_run_shows() -> None:
    recorder = load_recorder()
    known = [tuple(edge) for edge in json.loads((EXAMPLE / "observed_calls.json").read_text(encoding="utf-8"))]
    assert known == sorted(set(known))
    runs = tuple(recorder.RUNS[number] for number in (0, 8))
    seen = {tuple(edge) for edge in recorder.rows_of(recorder.record(runs), "edge")}
    assert len(seen) > 200
    assert not seen - set(known)
    assert (
        "mini_server.execution.model_runner.ModelRunner.initialize",
        "mini_server.layout.expert_layout.set_expert_layout",
    ) in seen
