"""The Python files below a folder on disk, by a walk of its own or as git lists them."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from codepath.source.manifests import MANIFESTS
from codepath.source.repository import find_work_tree, ignores, list_work_tree
from codepath.source.roots import inside_never, never_source
from codepath.source.tree import ESCAPES, LOOP, NOT_REGULAR, NOT_UTF8, UNREADABLE, is_utf8, shown

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    _Rules = tuple[tuple[str, GitIgnoreSpec], ...]

MAX_LINKS = 100
"""Links to folders that one walk follows; links between many folders would otherwise multiply."""

TOO_MANY_LINKS = "behind too many links to folders"
BROKEN = "broken link"


@dataclass(slots=True)
class Listing:
    """Files below a folder, by their paths relative to it.

    Args:
        files: Path to what `os.stat` says.
        manifests: Paths of pyproject.toml, setup.cfg and setup.py files.
        skipped: Path to reason.
    """

    files: dict[str, os.stat_result] = field(default_factory=dict)
    manifests: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)

    def skip(self, path: str, reason: str) -> None:
        """Note a file that cannot be read."""
        self.skipped[shown(path)] = reason

    def add(self, prefix: str, other: Listing) -> None:
        """Take over the listing of a folder within this one."""
        self.files.update((prefix + path, status) for path, status in other.files.items())
        self.manifests += (prefix + path for path in other.manifests)
        self.skipped.update((prefix + path, reason) for path, reason in other.skipped.items())


def list_folder(folder: str, respect_gitignore: bool) -> Listing:
    """Return the Python files below a folder, links followed inside it.

    Args:
        folder: An absolute path.
        respect_gitignore: Whether ignored files are left out: by git inside a work tree, else by the .gitignore files
            in the folder. A folder that is itself ignored was asked for by name, and is listed whole.
    """
    if respect_gitignore and find_work_tree(os.path.realpath(folder)) is not None:
        names = list_work_tree(folder)
        if names is not None and (names or not ignores(folder)):
            return _from_git(folder, names)
        respect_gitignore = names is None
    return Walk(folder, respect_gitignore).run()


def _from_git(folder: str, names: list[str]) -> Listing:
    """Return the listing of the paths that git names; submodules and repositories within are listed in turn."""
    listing = Listing()
    for name in names:
        base = name[name.rstrip("/").rfind("/") + 1 :]
        if not base.endswith(".py"):
            if base in MANIFESTS:
                listing.manifests.append(name)
            if "." in base or inside_never(name.rstrip("/") + "/"):
                continue
        elif inside_never(name):
            continue
        elif not is_utf8(name):
            listing.skip(name, NOT_UTF8)
            continue
        _add_named(listing, folder, name.rstrip("/"))
    return listing


def _add_named(listing: Listing, folder: str, name: str) -> None:
    """Add what git names: a file, a link, or the folder of another repository."""
    try:
        status = os.lstat(f"{folder}/{name}")
    except OSError:
        return  # removed from the disk, not yet from the index
    python = name.endswith(".py")
    if stat.S_ISREG(status.st_mode):
        if python:
            listing.files[name] = status
    elif stat.S_ISDIR(status.st_mode):
        listing.add(f"{name}/", list_folder(f"{folder}/{name}", True))
    elif stat.S_ISLNK(status.st_mode):
        listing.add("", Walk(folder, True).link(name))
    elif python:
        listing.skip(name, NOT_REGULAR)


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder to walk: its path, the real paths of the folders from which links led here, and ignore rules."""

    relative: str
    real: str
    chain: tuple[str, ...] = ()
    rules: _Rules = ()


class Walk:
    """A walk below a root folder that never leaves it."""

    def __init__(self, root: str, respect_gitignore: bool) -> None:
        self._root = root
        self._real_root = os.path.realpath(root)
        self._respect = respect_gitignore
        self._links = 0
        self._todo: list[_Place] = []
        self._listing = Listing()

    def run(self) -> Listing:
        """Return the listing of the whole root."""
        self._todo.append(_Place("", self._real_root))
        return self._finish()

    def link(self, relative: str) -> Listing:
        """Return the listing of what one link in the root leads to."""
        parent = os.path.dirname(relative)
        self._link(_Place(f"{parent}/" if parent else "", os.path.realpath(f"{self._root}/{parent}")), relative, ())
        return self._finish()

    def _finish(self) -> Listing:
        while self._todo:
            self._folder(self._todo.pop())
        return self._listing

    def _folder(self, place: _Place) -> None:
        try:
            with os.scandir(f"{self._root}/{place.relative}") as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            self._listing.skip(place.relative or ".", UNREADABLE)
            return
        names = {entry.name for entry in entries}
        if "pyvenv.cfg" in names and place.relative:
            return
        rules = place.rules
        if self._respect and ".gitignore" in names:
            rules = (*rules, *_read_rules(f"{self._root}/{place.relative}", place.relative))
        for entry in entries:
            self._entry(place, entry, rules)

    def _entry(self, place: _Place, entry: os.DirEntry[str], rules: _Rules) -> None:
        relative = place.relative + entry.name
        if entry.is_dir(follow_symlinks=False):
            if not never_source(entry.name) and not (rules and _ignored(rules, relative + "/")):
                self._todo.append(_Place(f"{relative}/", os.path.join(place.real, entry.name), place.chain, rules))
            return
        python = entry.name.endswith(".py")
        if not python and entry.name not in MANIFESTS and not entry.is_symlink():
            return
        if rules and _ignored(rules, relative):
            return
        if not python and entry.name in MANIFESTS:
            self._listing.manifests.append(relative)
        elif python and not is_utf8(relative):
            self._listing.skip(relative, NOT_UTF8)
        elif entry.is_symlink():
            self._link(place, relative, rules)
        elif not entry.is_file(follow_symlinks=False):
            self._listing.skip(relative, NOT_REGULAR)
        else:
            self._file(relative, entry)

    def _file(self, relative: str, entry: os.DirEntry[str]) -> None:
        try:
            self._listing.files[relative] = entry.stat(follow_symlinks=False)
        except OSError:
            self._listing.skip(relative, UNREADABLE)

    def _link(self, place: _Place, relative: str, rules: _Rules) -> None:
        python = relative.endswith(".py")
        target = os.path.realpath(f"{self._root}/{relative}")
        try:
            status = os.stat(f"{self._root}/{relative}")
        except OSError as error:
            if python:
                self._listing.skip(relative, BROKEN if isinstance(error, FileNotFoundError) else LOOP)
            return
        folder = stat.S_ISDIR(status.st_mode)
        if not python and not folder:
            return
        if not _within(target, self._real_root):
            self._listing.skip(relative, ESCAPES)
        elif not folder:
            self._linked_file(relative, target, status)
        elif not never_source(os.path.basename(relative)):
            self._linked_folder(place, relative, target, rules)

    def _linked_file(self, relative: str, target: str, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            self._listing.skip(relative, NOT_REGULAR)
        elif not inside_never(target[len(self._real_root) + 1 :]):
            self._listing.files[relative] = status

    def _linked_folder(self, place: _Place, relative: str, target: str, rules: _Rules) -> None:
        chain = (*place.chain, place.real.rstrip("/"))
        if any(_within(step, target) for step in chain):
            self._listing.skip(relative, LOOP)
        elif self._links >= MAX_LINKS:
            self._listing.skip(relative, TOO_MANY_LINKS)
        else:
            self._links += 1
            self._todo.append(_Place(f"{relative}/", target, chain, rules))


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _read_rules(folder: str, relative: str) -> _Rules:
    """Return the rules of a folder's .gitignore with the folder they are relative to; () where there are none."""
    from pathspec import GitIgnoreSpec

    try:
        with open(f"{folder}/.gitignore", encoding="utf-8", errors="surrogateescape") as file:
            spec = GitIgnoreSpec.from_lines(file.read(2**20).splitlines())
    except (OSError, ValueError):
        return ()
    return ((relative, spec),)


def _ignored(rules: _Rules, path: str) -> bool:
    """Return what the deepest .gitignore with a matching line says of a path; folders end with `/`."""
    for relative, spec in reversed(rules):
        include = spec.check_file(path[len(relative) :]).include
        if include is not None:
            return bool(include)
    return False
