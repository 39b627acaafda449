"""Console blocks of the documentation, run as a reader would type them.

A block is fenced as `console`. A line that begins with `$ ` is a command for the shell; the lines up to the next one are what
it must say, where there are any. `...` alone on a line stands for any lines, `...` within a line for anything. A block that
is fenced as `LANGUAGE FILE` is written to that file, and one that is fenced as `diff` is applied. A comment on the line before
a console block says more:

    <!-- not run: REASON -->   it is only looked at
    <!-- release -->           it needs a published release
    <!-- in: FOLDER -->        from here on the commands run there, from the top of a copy of the repository
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^(`{3,})(\{?\w*\}?)(?: (\S+))?\s*$")
_REMARK = re.compile(r"<!-- (not run|release|in)(?:: (.*?))? -->")
_SECONDS = re.compile(r"\b\d+\.\d+ s\b")
_GIT = {
    "GIT_AUTHOR_NAME": "A Reader",
    "GIT_AUTHOR_EMAIL": "reader@example.com",
    "GIT_COMMITTER_NAME": "A Reader",
    "GIT_COMMITTER_EMAIL": "reader@example.com",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


@dataclass(frozen=True)
class Command:
    """A command line, where it stands, and what it must say; `said` is None where the page does not show it."""

    line: int
    text: str
    said: tuple[str, ...] | None


@dataclass(frozen=True)
class Block:
    """A block that a reader does something with: types it, or has it as a `file` or as a patch with `text`.

    `skipped` is why it is not typed, "" where it is.
    """

    line: int
    commands: tuple[Command, ...] = ()
    file: str = ""
    text: str = ""
    skipped: str = ""
    needs_release: bool = False
    folder: str | None = None


def blocks_of(page: str) -> Iterator[Block]:
    """Yield the blocks of a page that a reader does something with."""
    lines = page.splitlines()
    number = 0
    while number < len(lines):
        fence = _FENCE.match(lines[number])
        if fence is None:
            number += 1
            continue
        stop = next(n for n in range(number + 1, len(lines)) if lines[n] == fence[1])
        inner = lines[number + 1 : stop]
        text = "".join(f"{line}\n" for line in inner)
        if fence[2] == "console":
            remarks = dict(_REMARK.findall(lines[number - 1] if number else ""))
            yield Block(
                number + 1,
                tuple(_commands(inner, number + 2)),
                skipped=remarks.get("not run", ""),
                needs_release="release" in remarks,
                folder=remarks.get("in"),
            )
        elif fence[3] or fence[2] == "diff":
            yield Block(number + 1, file=fence[3] or "", text=text)
        number = stop + 1


def _commands(lines: list[str], first: int) -> Iterator[Command]:
    starts = [n for n, line in enumerate(lines) if line.startswith("$ ")]
    assert starts[:1] == [0], f"line {first} is no command"
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        said = tuple(lines[start + 1 : stop])
        yield Command(first + start, lines[start][2:], said or None)


@dataclass
class Reader:
    """Somebody who types what a page says, in a copy of the repository with a history of its own.

    `python` is the interpreter of an environment in which codepath is installed; without one it runs from the sources.
    """

    home: Path
    python: str = ""
    cwd: Path = field(init=False)

    def __post_init__(self) -> None:
        """Make the copy."""
        self.top = self.home / "codepath"
        for folder in ("examples", "queries"):
            ignored = shutil.ignore_patterns("__pycache__", ".codepath*")
            shutil.copytree(TOP / folder, self.top / folder, ignore=ignored)
        programs = self.home / "bin"
        programs.mkdir()
        python = self.python or sys.executable
        for name, module in (("codepath", "codepath"), ("python", "")):
            words = f"-m {module} " if module else ""
            (programs / name).write_text(f'#!/bin/sh\nexec {python} {words}"$@"\n')
            (programs / name).chmod(0o755)
        self.environment = {
            **os.environ,
            **_GIT,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": "" if self.python else str(TOP / "src"),
            "HOME": str(self.home),
            "COLUMNS": "100",
            "CODEPATH_PROGRESS": "none",
        }
        self.enter("examples/mini_server")
        self._shell("git init -q -b main && git add -A && git commit -qm 'The server'")

    def enter(self, folder: str) -> None:
        """Go to a folder of the copy."""
        self.cwd = self.top / folder

    def follows(self, block: Block) -> list[str]:
        """Do what a block says; return what is wrong with what came of it."""
        if block.folder is not None:
            self.enter(block.folder)
        if block.file:
            path = self.cwd / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.text:
            (self.home / "patch").write_text(block.text, encoding="utf-8")
            done = self._shell(f"git apply {self.home}/patch")
            return [f"line {block.line}: the patch does not fit", done.stderr] if done.returncode else []
        for command in block.commands:
            if wrong := self.types(command):
                return [f"line {command.line}: $ {command.text}", *wrong]
        return []

    def types(self, command: Command) -> list[str]:
        """Run a command; return what is wrong with what it said."""
        done = self._shell(f"{command.text}\npwd > {self.home}/cwd")
        if done.returncode not in (0, 1):
            return [f"exit status {done.returncode}", done.stderr]
        self.cwd = Path((self.home / "cwd").read_text().strip())
        if "Traceback" in done.stderr:
            return [done.stderr]
        if command.said is None or fits(command.said, (done.stdout + done.stderr).splitlines()):
            return []
        return ["it says", *(done.stdout + done.stderr).splitlines(), "the page says", *command.said]

    def _shell(self, script: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", script], cwd=self.cwd, env=self.environment, capture_output=True, text=True, check=False
        )


def fits(pattern: tuple[str, ...], lines: list[str]) -> bool:
    """Tell whether lines are as a page shows them; times are not compared."""
    parts = [r"(?:.*\n)*?" if line.strip() == "..." else _line_pattern(line) + r"\n" for line in pattern]
    said = "".join(_SECONDS.sub("0.0 s", line.rstrip()) + "\n" for line in lines)
    return re.fullmatch("".join(parts), said) is not None


def _line_pattern(line: str) -> str:
    return ".*".join(re.escape(part) for part in _SECONDS.sub("0.0 s", line.rstrip()).split("..."))
