"""What a caller may set, and where the cache lives."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Options:
    """Which tree is asked, and how.

    Args:
        source: A SPEC (DESIGN.md section 5); None for the tree around the current folder.
        cache_dir: The cache folder; None for `CODEPATH_CACHE_DIR` or the user's cache folder.
        package_root: Where module names begin.
        include: Of `tests`, `vendored`: folders outside the packages that are read too.
        only: A pattern (`*` within a dotted part, `**` across) that callers must match in whole-tree listings.
        no_index: Answer from what is stored, parse nothing.
        workers: Processes that parse; None for one a core.
        respect_gitignore: Leave out what git ignores.
        python: The interpreter of the environment for `dist:NAME`.
        with_: More trees whose names are resolved but in which nothing is reported.
    """

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


class Progress(Protocol):
    """Told how far a long stage is."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take the number of things done of the total in a stage."""


def cache_folder(cache_dir: Path | None) -> Path:
    """Return the cache folder: the one given, `CODEPATH_CACHE_DIR`, or the user's."""
    if cache_dir is not None:
        return cache_dir
    named = os.environ.get("CODEPATH_CACHE_DIR")
    if named:
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("codepath")
