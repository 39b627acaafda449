from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from codepath.source import SourceTree, open_tree


class Hashes:
    """A `HashCache` in memory that counts what it is asked."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, int, int, int], str] = {}
        self.listings: dict[tuple[str, int, int, int], bytes] = {}
        self.hits = 0

    def get(self, path: str, size: int, mtime_ns: int, inode: int) -> str | None:
        key = self.rows.get((path, size, mtime_ns, inode))
        self.hits += key is not None
        return key

    def put(self, rows: Iterable[tuple[str, int, int, int, str]]) -> None:
        self.rows.update(((path, size, mtime_ns, inode), key) for path, size, mtime_ns, inode, key in rows)

    def get_listing(self, path: str, size: int, mtime_ns: int, inode: int) -> bytes | None:
        listing = self.listings.get((path, size, mtime_ns, inode))
        self.hits += listing is not None
        return listing

    def put_listing(self, path: str, size: int, mtime_ns: int, inode: int, listing: bytes) -> None:
        self.listings[path, size, mtime_ns, inode] = listing


Open = Callable[..., SourceTree]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Opens a spec from `tmp_path`, or from `cwd`."""

    def opened(spec: str | None, **options: Any) -> SourceTree:
        options.setdefault("cwd", tmp_path)
        return open_tree(spec, cache=tmp_path / "cache", **options)

    return opened


@pytest.fixture
def hashes() -> Hashes:
    return Hashes()


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets files written just now pass for old ones."""
    monkeypatch.setattr("codepath.source.hashing.RACY_NS", -(10**12))


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def paths(tree: SourceTree) -> list[str]:
    return [file.path for file in tree.files]


def git(folder: Path, *arguments: str) -> str:
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    environment = {**os.environ, **names, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def commit(folder: Path, message: str = "x") -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    return folder
