"""What every kind of source comes to: files with content keys, where module names begin, and a reader of bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Protocol

from codepath.errors import SourceError
from codepath.source.roots import module_name

MAX_FILE = 20 * 2**20
"""Bytes; a larger file is skipped."""

MAX_TOTAL = 2 * 2**30
"""Bytes that the Python files of an archive, or a whole unpacked tar, may hold."""

UNREADABLE = "unreadable"
TOO_LARGE = "larger than 20 MB"
NOT_REGULAR = "not a regular file"
LOOP = "symlink loop"
ESCAPES = "escapes the root"
NOT_UTF8 = "its name is not valid UTF-8"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A Python file of a tree.

    Args:
        path: Relative to the tree root, with `/`.
        key: `content_key` of its bytes, or `git:` and the blob id.
    """

    path: str
    key: str


class Reader(Protocol):
    """Reads files of a tree by path. Picklable: a copy opens what it needs anew, also after a fork. Not for threads."""

    def __call__(self, path: str) -> bytes:
        """Return the bytes of a file of the tree.

        Raises:
            SourceError: The file cannot be read, or is no longer what was listed.
        """

    def close(self) -> None:
        """Release files and processes; reading opens them again."""


class HashCache(Protocol):
    """Remembers content keys and archive listings between runs; the store implements it.

    In all methods `path` is absolute, `size` in bytes, and `mtime_ns` the later of the times of modification and of
    status change, in nanoseconds. A row is only put when that time lies at least `RACY_NS` back.
    """

    def get(self, path: str, size: int, mtime_ns: int, inode: int) -> str | None:
        """Return the content key that was put for exactly these values."""

    def put(self, rows: Iterable[tuple[str, int, int, int, str]]) -> None:
        """Keep rows of (path, size, mtime_ns, inode, key); a newer row of a path replaces the older."""

    def get_listing(self, path: str, size: int, mtime_ns: int, inode: int) -> bytes | None:
        """Return the listing that was put for an archive with exactly these values."""

    def put_listing(self, path: str, size: int, mtime_ns: int, inode: int, listing: bytes) -> None:
        """Keep the listing of an archive: bytes without meaning to the store, some 100 a file."""


@dataclass(frozen=True, slots=True)
class OpenOptions:
    """The arguments of `open_tree` apart from the spec; `cwd` is absolute."""

    cwd: Path
    cache: Path
    package_root: str | None = None
    package_roots: tuple[str, ...] = ()
    include: frozenset[str] = frozenset()
    respect_gitignore: bool = True
    hashes: HashCache | None = None
    python: str | None = None
    progress: Callable[[str], None] | None = None

    def absolute(self, path: str) -> str:
        """Return a path of the user as an absolute one with `/`; links stay as they are."""
        return os.path.normpath(os.path.join(self.cwd, os.path.expanduser(path))).replace(os.sep, "/")


@dataclass(frozen=True)
class SourceTree:
    """A tree of Python files; the kinds of spec differ only in their reader.

    Args:
        spec: As the user gave it; the found folder where none was given.
        root: What `path` of a file is relative to, for display: a folder relative to the working directory or absolute
            as it was given (its parent packages taken off: `python` for `python/pkg`), else the spec.
        files: Sorted by path.
        skipped: Sorted (path, reason) of Python files that cannot be read.
        package_roots: Sorted folders inside the tree where module names begin, "" for the tree root.
        scripts: Sorted console scripts, (name, "pkg.mod:func").
        version: Of a wheel, sdist or distribution.
        work_tree_top: The absolute top folder of the git work tree around a folder or revision.
        folder: The absolute tree root where its files lie on disk: `folder/path` is a file.
        read_with: Gives the bytes.
        beside_with: Gives the paths of the `.json` files and compiled modules, in any order.
    """

    spec: str
    root: str
    files: tuple[SourceFile, ...]
    read_with: Reader = field(repr=False)
    skipped: tuple[tuple[str, str], ...] = ()
    package_roots: tuple[str, ...] = ("",)
    scripts: tuple[tuple[str, str], ...] = ()
    version: str | None = None
    work_tree_top: str | None = None
    folder: str | None = None
    beside_with: Callable[[], Iterable[str]] = field(default=tuple, repr=False)

    def beside(self) -> tuple[str, ...]:
        """Return the sorted paths of the `.json` files in the folders of the tree. None of them is ever read."""
        return tuple(sorted(name for name in self.beside_with() if is_utf8(name) and name.endswith(".json")))

    def compiled(self) -> tuple[str, ...]:
        """Return the sorted paths of the compiled modules in the folders of the tree. None of them is ever read."""
        return tuple(sorted(name for name in self.beside_with() if is_utf8(name) and not name.endswith(".json")))

    def read(self, path: str) -> bytes:
        """Return the bytes of a file.

        Raises:
            SourceError: It cannot be read, or changed since the tree was opened.
        """
        return self.read_with(path)

    def reader(self) -> Reader:
        """Return a picklable callable from path to bytes, for other processes."""
        return self.read_with

    def module_name(self, path: str) -> str | None:
        """Return the dotted name of a file's module, None where a folder or file name holds a dot."""
        return module_name(path, self.package_roots)

    def close(self) -> None:
        """Release what reading opened."""
        self.read_with.close()

    def __enter__(self) -> SourceTree:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def no_python(given: str, respect_gitignore: bool, left_out: int) -> SourceError:
    """Return the error for a tree without Python files."""
    ignoring = "looked for *.py, honouring .gitignore; `--no-respect-gitignore` includes ignored files"
    lines = [ignoring if respect_gitignore else "looked for *.py"]
    if left_out:
        lines.append(f"{left_out} files of tests, docs or vendored code were left out; `--include tests,vendored`")
    return SourceError(f"no Python files under {given}", path=given, help=tuple(lines))


def content_key(data: bytes) -> str:
    """Return the 32 hex digits of the 128-bit BLAKE2b of `data`."""
    return blake2b(data, digest_size=16).hexdigest()


def shown(name: str) -> str:
    """Return a file name that can be printed and stored; bytes that are not UTF-8 appear as `\\xNN`."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def is_utf8(name: str) -> bool:
    """Return whether a file name, as the os module gives it, was valid UTF-8."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
