"""The command line, in this process, over a stand-in for the use cases."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

import codepath.report
from codepath.cli.root import root
from codepath.model.assumptions import Said
from codepath.model.requests import ReachRequest
from tests.functional import fake_app

SCHEMAS = Path(codepath.report.__file__).parent / "schemas"
SEPARATE: dict[str, Any] = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}
RUNNER = CliRunner(**SEPARATE)
COMMANDS = ("cache", "callees", "callers", "entries", "graph", "hooks", "index", "reach", "status", "symbols", "trace")


@pytest.fixture(autouse=True)
def app(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "codepath.app", fake_app)
    for name in ("NO_COLOR", "FORCE_COLOR", "CODEPATH_SOURCE", "CODEPATH_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    yield


def run(*args: str, status: int = 0, environment: dict[str, str] | None = None) -> Result:
    result = RUNNER.invoke(root, list(args), env=environment)
    assert result.exit_code == status, result.output
    return result


def document(command: str, *args: str) -> dict[str, Any]:
    """Return the JSON document of a command, checked against its schema."""
    found: dict[str, Any] = json.loads(run(*args, "--format", "json").stdout)
    schema = json.loads((SCHEMAS / f"{command}.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(found)
    return found


def test_every_document_fits_its_schema() -> None:
    document("reach", "reach", "f", "--from", "g", "--via", "a.py:1", "--paths", "3", "--all", "--group-by", "guard")
    document("reach", "reach", "unreached", "--all-matches")
    document("callers", "callers", "f")
    document("callees", "callees", "f")
    document("symbols", "symbols", "*layout*", "--limit", "5")
    document("entries", "entries")
    document("entries", "entries", "--uncalled")
    document("graph", "graph", "--only", "a.**")
    document("graph", "graph", "--unresolved", "--min-resolution", "exact")
    document("index", "index")
    document("index", "index", "server==1")
    document("status", "status", "--reasons")
    document("cache", "cache", "clear")
    document("cache", "cache", "gc")


def test_text_is_the_usual_format_and_remarks_go_to_stderr() -> None:
    result = run("reach", "set_layout")
    assert "REACHED when `not self.is_draft`." in result.stdout
    assert result.stderr == "index: 1 file re-parsed (0.3 s)\n"
    assert run("reach", "set_layout", "-q").stderr == ""


def test_reach_passes_its_options_on() -> None:
    words = [
        "--from",
        "g",
        "--via",
        "a,b",
        "--paths",
        "3",
        "--all",
        "--group-by",
        "module",
        "--all-matches",
        "--calls",
        "--group",
        "2",
        "--event",
        "e",
    ]
    run("reach", "f", *words, "--assume", "x=1", "--assume", "y!=2", "--launch-args", "--tp 8", "--launch-defaults")
    asked = ReachRequest(
        target="f",
        start="g",
        via="a,b",
        paths=3,
        all_paths=True,
        group_by="module",
        all_matches=True,
        calls=True,
        group=2,
        event="e",
        said=Said(("x=1", "y!=2"), "--tp 8", launch_defaults=True),
    )
    assert fake_app.Calls.last == (asked,)


def test_source_options_reach_the_app(tmp_path: Path) -> None:
    words = "graph --source git:HEAD --package-root src --include tests,vendored --with dist:a --with dist:b --only x.*"
    run(
        *words.split(),
        "--no-index",
        "-j",
        "2",
        "--no-respect-gitignore",
        "--python",
        "py",
        "--cache-dir",
        str(tmp_path),
    )
    assert fake_app.Calls.options == fake_app.Options(
        source="git:HEAD",
        cache_dir=tmp_path,
        package_root="src",
        include=("tests", "vendored"),
        only="x.*",
        no_index=True,
        workers=2,
        respect_gitignore=False,
        python="py",
        with_=("dist:a", "dist:b"),
    )


def test_environment_gives_defaults() -> None:
    run("reach", "f", environment={"CODEPATH_SOURCE": "server==1"})
    assert fake_app.Calls.options.source == "server==1"


def test_index_takes_its_tree_as_argument_or_option() -> None:
    assert "codepath reach NAME --source server==1" in run("index", "server==1").stdout
    assert fake_app.Calls.options.source == "server==1"
    run("index", "a", "--source", "b", status=2)


def test_suggestions_repeat_what_was_typed() -> None:
    result = run("reach", "set_layout", "--source", "my folder", "--include", "tests")
    assert "codepath callers set_layout --source 'my folder' --include tests" in result.stdout


def test_exit_code_tells_whether_it_is_reached() -> None:
    run("reach", "f", "--exit-code")
    run("reach", "unreached")
    run("reach", "unreached", "--exit-code", status=1)


def test_tree_view() -> None:
    assert "└─ Runner.start" in run("reach", "f", "--view", "tree", "--depth", "2").stdout


# --- outputs -------------------------------------------------------------------------------------------------------------


def test_several_outputs_from_one_run(tmp_path: Path) -> None:
    result = run("reach", "f", "-o", "a.json", "-o", "text:b.out", "-o", "json:-")
    assert json.loads(result.stdout)["query"]["target"] == "f"
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["query"]["target"] == "f"
    assert "REACHED" in (tmp_path / "b.out").read_text(encoding="utf-8")
    assert result.stderr.endswith("wrote a.json\nwrote b.out\n")


def test_format_of_an_output() -> None:
    run("graph", "-o", "rows.jsonl", "-o", "all.json")
    assert Path("rows.jsonl").read_text(encoding="utf-8").count("\n") == 6
    assert len(json.loads(Path("all.json").read_text(encoding="utf-8"))["steps"]) == 6
    run("reach", "f", "--format", "json", "-o", "plain")
    assert Path("plain").read_text(encoding="utf-8").startswith("{")
    assert run("reach", "f", "--format", "json", "-o", "-").stdout.startswith("{")


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        (["-o", "x.bin"], "Which format is -o 'x.bin'?"),
        (["-o", "sarif:x"], "No format 'sarif' here; there is 'text', 'json'."),
        (["-o", "json:"], "names no file"),
        (["-o", "a.json", "-o", "json:./a.json"], "go to the same place"),
        (["-o", "missing/a.json"], "there is no folder `missing`"),
        (["-o", "json:."], "it is a folder"),
    ],
)
def test_outputs_that_cannot_be(outputs: list[str], message: str) -> None:
    result = run("reach", "f", *outputs, status=2)
    assert message in result.stderr
    assert result.stdout == ""


def test_a_failed_question_leaves_an_older_file_alone() -> None:
    Path("a.json").write_text("old", encoding="utf-8")
    run("reach", "unknown", "-o", "a.json", status=2)
    assert Path("a.json").read_text(encoding="utf-8") == "old"


# --- colour --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "environment", "coloured"),
    [
        ([], {}, False),
        (["--color", "always"], {}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "0"}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
    ],
)
def test_colour(words: list[str], environment: dict[str, str], coloured: bool) -> None:
    shown = run("reach", "f", *words, environment=environment).stdout
    assert ("\x1b[1m" in shown) is coloured
    assert "\x1b]8" not in shown


def test_json_and_files_have_no_colour() -> None:
    assert "\x1b" not in run("reach", "f", "--color", "always", "--format", "json").stdout
    run("reach", "f", "--color", "always", "-o", "a.txt")
    assert "\x1b" not in Path("a.txt").read_text(encoding="utf-8")


# --- errors --------------------------------------------------------------------------------------------------------------


def test_an_unknown_name() -> None:
    assert run("reach", "unknown", status=2).stderr == (
        "error: no function, method, class or global named `unknown`\n"
        "  = did you mean\n"
        "      set_layout    src/server/layout.py:31\n"
    )


def test_a_wrong_file_is_shown_with_its_line() -> None:
    assert run("reach", "config", status=2).stderr == (
        "error: unknown key `exlude`\n"
        "  --> pyproject.toml:14:1\n"
        "   |\n"
        '14 | exlude = ["a"]\n'
        "   | ^\n"
        "   |\n"
        "  = keys: exclude\n"
    )


def test_a_fault_of_codepath_itself(tmp_path: Path) -> None:
    result = run("reach", "bug", "--cache-dir", str(tmp_path), status=2)
    first, second = result.stderr.splitlines()
    assert first == r"internal error: KeyError('T\x1b[31m') in codepath.cli.commands.reach, line " + first.split()[-1]
    saved = next(tmp_path.glob("crash-*.txt"))
    assert second == f"  = saved: {saved}   please report it with that file"
    assert "Traceback (most recent call last)" in saved.read_text(encoding="utf-8")
    assert "'bug'" in saved.read_text(encoding="utf-8")


def test_a_fault_without_a_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert str(tmp_path) in run("reach", "bug", status=2).stderr


def test_an_interruption_says_what_is_kept() -> None:
    result = run("reach", "interrupt", status=130)
    assert result.stderr == "Stopped: 502 files are kept; the next run goes on from there.\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rech", "f"], "No such command 'rech'. Did you mean 'reach'?"),
        (["../x"], "No such command '../x'."),
        (["reach", "f", "--grup-by", "entry"], "No such option"),
        (["reach", "f", "--format", "jsn"], "'jsn' is not one of 'text', 'json'. Did you mean 'json'?"),
        (["reach"], "Missing argument 'TARGET'."),
        (["reach", "f", "--paths", "0"], "0 is not in the range x>=1"),
        (["graph", "--format", "text"], "'text' is not one of 'jsonl', 'json', 'graphml'."),
        (["cache", "cleer"], "No such command 'cleer'"),
    ],
)
def test_wrong_usage(words: list[str], message: str) -> None:
    result = run(*words, status=2)
    assert message in result.stderr
    assert result.stdout == ""


# --- help ----------------------------------------------------------------------------------------------------------------


def test_help_teaches_by_example() -> None:
    shown = run("--help").stdout
    assert "codepath reach load_weights" in shown
    for command in COMMANDS:
        assert f"\n  {command} " in shown
    assert run("--version").stdout.startswith("codepath 0.")


@pytest.mark.parametrize("command", COMMANDS)
def test_each_help_has_two_examples(command: str) -> None:
    shown = run(command, "--help").stdout
    assert shown.count(f"\n    codepath {command}") == 2
    assert max(len(line) for line in shown.splitlines()) <= 100
