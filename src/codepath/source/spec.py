"""What a SPEC of the command line means."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from codepath.errors import SourceError
from codepath.source.folder import disk_prefix, open_folder
from codepath.source.manifests import MANIFESTS
from codepath.source.tree import HashCache, OpenOptions, SourceTree

_ARCHIVES = (".whl", ".zip", ".tar.gz", ".tgz")
_PINNED = re.compile(r"[A-Za-z0-9][\w.-]*(\[[^\]]*\])?==.*")
_FORMS = "a SPEC is a folder, git:REV, git:REV@FOLDER, a .whl, .zip or .tar.gz, dist:NAME or NAME==VERSION"


def open_tree(
    spec: str | None,
    *,
    cwd: Path,
    cache: Path,
    package_root: str | None = None,
    package_roots: tuple[str, ...] = (),
    include: frozenset[str] = frozenset(),
    respect_gitignore: bool = True,
    hashes: HashCache | None = None,
    python: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> SourceTree:
    """Return the tree that a SPEC names; nothing of it is executed.

    Args:
        spec: A folder, `git:REV`, `git:REV@FOLDER`, an archive, `dist:NAME`, `NAME==VERSION`, or None for the project
            or package around `cwd`.
        cwd: What relative paths are relative to.
        cache: Where downloads are kept, under `wheels/`.
        package_root: A folder in or above the source where names begin; every Python file below the source is then in
            the tree.
        package_roots: Folders where configuration says that names begin; absolute, or relative to `cwd`. They replace
            the search for roots and leave out what lies outside as usual.
        include: `tests` keeps folders of tests, benchmarks, docs and examples outside the packages, `vendored` those of
            vendored code.
        respect_gitignore: Whether ignored files are left out.
        hashes: Spares reading files that did not change.
        python: The interpreter of the environment that `dist:NAME` looks in.
        progress: Told in a few words what takes long.

    Raises:
        SourceError: There is no such tree, it cannot be read, or it holds no Python files.
    """
    options = OpenOptions(
        Path(os.path.abspath(cwd)),
        cache,
        package_root,
        package_roots,
        include,
        respect_gitignore,
        hashes,
        python,
        progress,
    )
    if spec is None:
        folder = find_project(options.absolute("."))
        given = os.path.relpath(folder, options.cwd).replace(os.sep, "/")
        return open_folder(folder, given, given, options)
    return _open_given(spec, options)


def find_project(folder: str) -> str:
    """Return the nearest folder, from an absolute one upwards, that is a project or repository, else the package.

    A project holds a pyproject.toml, setup.py or setup.cfg, a repository `.git`. Outside of both it is the topmost
    package around, or the folder itself.
    """
    here = folder
    while True:
        if any(os.path.exists(os.path.join(here, name)) for name in (*MANIFESTS, ".git")):
            return here
        parent = os.path.dirname(here)
        if parent == here:
            break
        here = parent
    prefix = disk_prefix(folder)
    return (folder + "/").removesuffix(prefix) + prefix.split("/")[0] if prefix else folder


def _open_given(spec: str, options: OpenOptions) -> SourceTree:
    if spec.startswith("git:"):
        from codepath.source.git import open_revision

        return open_revision(spec, options, find_project(options.absolute(".")))
    if spec.startswith("dist:"):
        from codepath.source.installed import open_installed

        return open_installed(spec, options)
    path = options.absolute(spec)
    if os.path.isdir(path):
        return open_folder(path, spec, spec.rstrip("/") or "/", options)
    if spec.lower().endswith(_ARCHIVES) and (os.path.exists(path) or not _PINNED.fullmatch(spec)):
        from codepath.source.archive import open_archive

        return open_archive(path, spec, options)
    if _PINNED.fullmatch(spec):
        return _open_published(spec, options)
    raise _no_source(spec, path)


def _open_published(spec: str, options: OpenOptions) -> SourceTree:
    from codepath.source.archive import open_archive
    from codepath.source.published import fetch_wheel

    return open_archive(str(fetch_wheel(spec, options.cache, options.progress)), spec, options)


def _no_source(spec: str, path: str) -> SourceError:
    if os.path.exists(path):
        return SourceError(f"`{spec}` is neither a folder nor an archive", path=spec, help=(_FORMS,))
    return SourceError(f"there is no folder `{spec}`", path=spec, help=(_FORMS,))
