"""The real program over real trees, in this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from inspect import signature
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

import codepath.report
from codepath.cli.root import root

TOP = Path(__file__).parent.parent.parent
EXAMPLE = TOP / "examples" / "mini_server"
SCHEMAS = Path(codepath.report.__file__).parent / "schemas"
_SEPARATE: dict[str, Any] = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}
_CLEARED = ("NO_COLOR", "FORCE_COLOR", "CODEPATH_SOURCE", "CODEPATH_PROGRESS")


@dataclass(frozen=True)
class Program:
    """codepath as a user has it, in a folder, with a cache of its own. It parses in this process alone."""

    cwd: Path
    cache: Path

    def run(self, *words: str, status: int = 0, typed: str = "") -> Result:
        """Run a command, with what a person types to it, and demand its exit status."""
        environment: dict[str, str | None] = dict.fromkeys(_CLEARED)
        environment.update(CODEPATH_CACHE_DIR=str(self.cache), CODEPATH_WORKERS="1")
        with _inside(self.cwd):
            result = CliRunner(**_SEPARATE).invoke(root, list(words), input=typed, env=environment)
        assert result.exit_code == status, result.output
        return result

    def text(self, *words: str) -> str:
        """Return what a command says."""
        return self.run(*words).stdout

    def document(self, *words: str, status: int = 0) -> dict[str, Any]:
        """Return the JSON document of a command, checked against its schema."""
        found: dict[str, Any] = json.loads(self.run(*words, "--format", "json", status=status).stdout)
        validator(_schema_of(words)).validate(found)
        return found

    def rows(self, *words: str) -> list[dict[str, Any]]:
        """Return the rows of `graph`, each checked against the schema of a step or an unresolved call."""
        rows = [json.loads(line) for line in self.run("graph", *words).stdout.splitlines()]
        what = "call" if "--unresolved" in words else "step"
        checker = row_validator(what)
        for row in rows:
            checker.validate(row)
        return rows

    def error(self, *words: str, status: int = 2) -> str:
        """Return what a command that gives no answer says; it is on standard error alone."""
        result = self.run(*words, status=status)
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        return result.stderr


def _schema_of(words: Sequence[str]) -> str:
    """Return the schema of a command.

    `draw` has one for the order of initialisation and one for boxes and arrows, `values` one for conditions and instances,
    `hooks` one for look-ups that can never find anything, `callers` one for what does not fit, `siblings` one for families.
    """
    if words[0] == "hooks" and "--dead" in words:
        return "hooks-dead"
    if words[0] == "siblings" and "--family" in words:
        return "siblings-family"
    if words[0] == "callers" and "--mismatch" in words:
        return "mismatch"
    if words[0] == "values" and {"--guards", "--instances"} & set(words):
        return "uses"
    return "draw-sheet" if words[0] == "draw" and words[1] != "init-order" else words[0]


def outside(*words: str, cache: Path, cwd: Path = TOP) -> subprocess.CompletedProcess[str]:
    """Run codepath in a process of its own, with as many workers as it likes."""
    environment = {k: v for k, v in os.environ.items() if k not in _CLEARED and k != "CODEPATH_WORKERS"}
    environment |= {"CODEPATH_CACHE_DIR": str(cache), "PYTHONPATH": str(TOP / "src")}
    command = [sys.executable, "-c", "from codepath.cli import main; main()", *words]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@lru_cache
def schema(command: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SCHEMAS / f"{command}.json").read_text(encoding="utf-8"))
    return found


@lru_cache
def validator(command: str) -> Draft202012Validator:
    return Draft202012Validator(schema(command))


@lru_cache
def row_validator(what: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{what}", "$defs": schema("graph")["$defs"]})


def places(path: dict[str, Any]) -> list[str]:
    """Return `file name:line kind` of each step of a path."""
    return [f"{step['file'].rpartition('/')[2]}:{step['line']} {step['kind']}" for step in path["steps"]]


def guards(path: dict[str, Any]) -> list[str]:
    """Return the conditions of a path in run order, `not` before those that must be false; `try` is none."""
    return [guard_text(guard) for step in path["steps"] for guard in step["guards"] if guard["kind"] != "try"]


def guard_text(guard: dict[str, Any]) -> str:
    return ("" if guard["polarity"] else "not ") + str(guard["text"])


def solved(folder: Path, files: Mapping[str, str]) -> Program:
    """Return the program in a tree of some files, indexed, in a folder."""
    program = Program(write(folder / "tree", files), folder / "cache")
    program.run("index", "-q")
    return program


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write a tree of files and return its folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder
