"""Stands in for `codepath.app`: answers at once, and fails on request. See `install`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from codepath.errors import ConfigError, QueryError
from codepath.model.answers import (
    EntriesAnswer,
    IndexAnswer,
    ReachAnswer,
    SourceInfo,
    StatusAnswer,
    Step,
    StepsAnswer,
    SymbolsAnswer,
    Unresolved,
)
from codepath.model.requests import ReachRequest
from tests.unit.report import report_samples as samples


@dataclass(frozen=True)
class Options:
    source: str | None = None
    cache_dir: Path | None = None
    package_root: str | None = None
    include: tuple[str, ...] = ()
    only: str | None = None
    no_index: bool = False
    workers: int | None = None
    respect_gitignore: bool = True
    python: str | None = None
    with_: tuple[str, ...] = ()


class Calls:
    """What the command line asked for."""

    options: Options = Options()
    last: tuple[Any, ...] = ()


class Workspace:
    def __init__(self, note: Callable[[str], None], progress: Callable[[str, int, int], None]) -> None:
        self._note = note
        self._progress = progress

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    @property
    def source(self) -> SourceInfo:
        return samples.SOURCE

    def reach(self, asked: ReachRequest) -> ReachAnswer:
        target = asked.target
        Calls.last = (asked,)
        if target == "unknown":
            near = ("did you mean", f"    set_layout    {samples.SOURCE.prefix}{samples.LAYOUT}:31")
            raise QueryError("no function, method, class or global named `unknown`", help=near)
        if target == "config":
            raise misspelt()
        if target == "bug":
            raise KeyError("T\x1b[31m")
        if target == "interrupt":
            self._progress("parse", 502, 1404)
            os.kill(os.getpid(), signal.SIGINT)
        self._note("index: 1 file re-parsed (0.3 s)")
        return samples.miss() if target == "unreached" else samples.reach()

    def callers(self, name: str) -> StepsAnswer:
        return samples.callers()

    def callees(self, name: str) -> StepsAnswer:
        return samples.callees()

    def symbols(self, pattern: str, limit: int) -> SymbolsAnswer:
        return samples.symbols()

    def entries(self, uncalled: bool) -> EntriesAnswer:
        return samples.entries(uncalled)

    def graph(self, min_resolution: str) -> Iterator[Step]:
        for number in range(int(os.environ.get("FAKE_ROWS", "1"))):
            yield from (replace(s, line=number + 1) for s in samples.graph())

    def unresolved(self) -> Iterator[Unresolved]:
        return iter(samples.GAPS)

    def index(self) -> IndexAnswer:
        return samples.index()

    def status(self, reasons: bool, receivers: int = 0) -> StatusAnswer:
        return samples.status(unresolved=samples.status().unresolved if reasons else ())


def misspelt() -> ConfigError:
    error = ConfigError("unknown key `exlude`", path="pyproject.toml", line=14, column=0, help=("keys: exclude",))
    error.excerpt = 'exlude = ["a"]'  # type: ignore[attr-defined]
    return error


def open_workspace(
    options: Options, progress: Callable[[str, int, int], None], note: Callable[[str], None]
) -> Workspace:
    Calls.options = options
    return Workspace(note, progress)


def clear_cache(cache_dir: Path | None) -> tuple[str, int]:
    return str(cache_dir or "/home/me/.cache/codepath"), 1_000


def gc_cache(cache_dir: Path | None) -> tuple[str, int]:
    return str(cache_dir or "/home/me/.cache/codepath"), 0


def cache_folder(cache_dir: Path | None) -> Path:
    return cache_dir or Path("/nowhere/codepath")


def install() -> ModuleType:
    """Return this module, and make it what `codepath.app` is from now on."""
    module = sys.modules[__name__]
    sys.modules["codepath.app"] = module
    return module


if __name__ == "__main__":
    install()
    from codepath.cli import main

    main()
