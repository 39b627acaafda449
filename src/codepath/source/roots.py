"""Where module names begin, and which files of a project belong to it: pure functions over lists of paths."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from codepath.source.manifests import MANIFESTS, declared_roots, declared_scripts

_TESTS = (
    "test tests unittest unittests testdata benchmark benchmarks bench doc docs example examples sample samples demo"
    " demos tutorial tutorials"
)
_VENDORED = (
    "vendor vendors vendored _vendor third_party third-party thirdparty 3rdparty 3rd-party external extern submodules"
)
OUTSIDE: dict[str, frozenset[str]] = {"tests": frozenset(_TESTS.split()), "vendored": frozenset(_VENDORED.split())}
"""Names of folders that are left out where they lie outside the packages, by the word that includes them."""

_CACHES = (
    "__pycache__ node_modules site-packages .git .hg .svn .bzr .jj .venv .tox .nox .eggs .direnv .pixi .cache"
    " .mypy_cache .ruff_cache .pytest_cache .hypothesis .ipynb_checkpoints"
)
_NEVER = frozenset(_CACHES.split())
_SAMPLE = 256

Read = Callable[[str], bytes]


@dataclass(frozen=True, slots=True)
class Layout:
    """What of a listing makes the tree.

    Args:
        roots: Sorted folders where module names begin.
        kept: Sorted paths.
        scripts: Sorted console scripts.
        left_out: How many files were left out by the names of their folders.
    """

    roots: tuple[str, ...]
    kept: tuple[str, ...]
    scripts: tuple[tuple[str, str], ...] = ()
    left_out: int = 0


def never_source(folder: str) -> bool:
    """Return whether a folder of this name holds no sources of a project: caches, installed packages, git's own."""
    return folder in _NEVER


def inside_never(path: str) -> bool:
    """Return whether a file lies in a folder that holds no sources, or in setuptools' `build/lib` copy."""
    *folders, _ = path.split("/")
    return any(map(never_source, folders)) or (
        len(folders) > 1 and folders[0] == "build" and folders[1].startswith("lib")
    )


def module_name(path: str, roots: Iterable[str]) -> str | None:
    """Return the dotted module name of a `.py` path below the longest root that holds it, else below the tree root.

    A package is named by its `__init__.py`; a root's own `__init__.py` is `__init__`. None where a part holds a dot.
    """
    relative = path[len(_owner(path, roots)) :]
    parts = relative.removesuffix(".py").split("/")
    if any("." in part or not part for part in parts):
        return None
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def package_prefix(parts: tuple[str, ...], has: Callable[[str], bool]) -> str:
    """Return the trailing part of a folder, with a final `/`, from its topmost package on; "" outside packages.

    Args:
        parts: The folder's names, from a base.
        has: Whether a file exists, given relative to that base.
    """
    top = len(parts)
    for depth in range(len(parts), 0, -1):
        folder = "/".join(parts[:depth])
        if not parts[depth - 1].isidentifier() or any(has(f"{folder}/{name}") for name in (*MANIFESTS, ".git")):
            break
        if has(f"{folder}/__init__.py"):
            top = depth - 1
    return "".join(f"{part}/" for part in parts[top:])


def imports_itself(name: str, python: tuple[str, ...], read: Read) -> bool:
    """Return whether modules in a folder import each other by the folder's own name: a namespace package.

    At most 256 files, evenly spread, are read.
    """
    children = {path.split("/")[0].removesuffix(".py") for path in python}
    if not name.isidentifier() or name in children:
        return False
    own = re.escape(name.encode())
    pattern = re.compile(
        rb"^[ \t]*(?:from|import)[ \t]+" + own + rb"(?:\.|[ \t]+import[ \t]+\(?\s*)(\w+)", re.MULTILINE
    )
    names = {child.encode() for child in children}
    for path in python[:: len(python) // _SAMPLE + 1]:
        data = read(path)
        if name.encode() in data and any(match[1] in names for match in pattern.finditer(data)):
            return True
    return False


def whole(python: tuple[str, ...], roots: tuple[str, ...], scripts: tuple[tuple[str, str], ...] = ()) -> Layout:
    """Return the layout that keeps every file, with names that begin at `roots`."""
    return Layout(roots=tuple(sorted(set(roots))), kept=python, scripts=scripts)


def find_layout(
    python: tuple[str, ...],
    manifests: Iterable[str],
    read: Read,
    include: frozenset[str] = frozenset(),
    roots: tuple[str, ...] = (),
) -> Layout:
    """Return the package roots of a project or of a repository with several, and the files that belong to them.

    Args:
        python: Sorted paths of the Python files.
        manifests: Paths of pyproject.toml, setup.cfg and setup.py files.
        read: Gives the bytes of a manifest.
        include: Keys of `OUTSIDE` whose folders are kept.
        roots: Where configuration says that names begin; nothing is searched then.
    """
    outside = frozenset().union(*(names for word, names in OUTSIDE.items() if word not in include))
    packages = frozenset(path.removesuffix("__init__.py") for path in python if path.endswith("/__init__.py"))
    projects = _projects(manifests, packages, outside)
    found = [(root, True) for root in map(_slash, roots)]
    for project, names in projects.items() if not roots else ():
        found += _project_roots(project, names, python, packages, outside, read)
    installed = {root for root, strict in found if strict}
    ordered = _longest_first(root for root, _ in found)
    owners = {path: _owner(path, ordered) for path in python}
    kept = tuple(path for path in python if _belongs(path, owners[path], installed, packages, outside))
    used = {owners[path].rstrip("/") for path in kept}
    scripts = {script for project, names in projects.items() for script in declared_scripts(project, names, read)}
    return Layout(tuple(sorted(used)), kept, tuple(sorted(scripts)), len(python) - len(kept))


def inner_roots(roots: tuple[str, ...], python: tuple[str, ...]) -> tuple[str, ...]:
    """Return the configured package roots, as far as they are folders of a tree that is not on the disk."""
    normal = [posixpath.normpath(root.replace(os.sep, "/")) for root in roots]
    found = (
        next((part for part in _tails(root) if any(p.startswith(part + "/") for p in python)), None) for root in normal
    )
    return tuple(dict.fromkeys(root for root in found if root is not None))


def _tails(path: str) -> list[str]:
    """Return `a/b/c`, `b/c`, `c`: a configured root may be absolute or relative to another folder."""
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    return ["/".join(parts[start:]) for start in range(len(parts))]


def _projects(manifests: Iterable[str], packages: frozenset[str], outside: frozenset[str]) -> dict[str, frozenset[str]]:
    """Return project folders ("" or with a final `/`) and their manifests; the tree root is always one."""
    projects: dict[str, set[str]] = {"": set()}
    for path in sorted(manifests):
        folder, _, name = path.rpartition("/")
        if not inside_never(path) and not any(_step(step, packages, outside) for step in _steps(_slash(folder))):
            projects.setdefault(_slash(folder), set()).add(name)
    return {folder: frozenset(names) for folder, names in projects.items()}


def _step(folder: str, packages: frozenset[str], outside: frozenset[str]) -> bool:
    return folder in packages or _is_outside(folder, outside)


def _project_roots(
    project: str,
    names: frozenset[str],
    python: tuple[str, ...],
    packages: frozenset[str],
    outside: frozenset[str],
    read: Read,
) -> list[tuple[str, bool]]:
    """Return (root, whether all below it is installed) of one project, each root "" or with a final `/`."""
    declared = [_slash(root) for root in declared_roots(project, names, read)]
    roots = [root for root in declared if any(path.startswith(root) for path in python)]
    if not roots:
        usual = (project + "src/", project + "python/")
        roots = [root for root in usual if root not in packages and any(path.startswith(root) for path in python)]
    own = {package for package in packages if package.count("/") == project.count("/") + 1}
    if not roots or any(package.startswith(project) and not _is_outside(package, outside) for package in own):
        roots.append(project)
    return [(root, root != project) for root in roots]


def _belongs(path: str, root: str, installed: set[str], packages: frozenset[str], outside: frozenset[str]) -> bool:
    """Return whether a file is in a package, or in no folder whose name says that it is outside."""
    if inside_never(path):
        return False
    if root in installed:
        return True
    for folder in _steps(path[len(root) :].rpartition("/")[0] + "/"):
        if _is_outside(folder, outside):
            return False
        if root + folder in packages:
            return True
    return True


def _is_outside(folder: str, outside: frozenset[str]) -> bool:
    """Return whether a folder is left out outside packages: by its name, or because it is hidden."""
    name = folder.rstrip("/").rpartition("/")[2].lower()
    return name in outside or name.startswith(".")


def _steps(folder: str) -> Iterable[str]:
    """Yield `a/`, `a/b/` for `a/b/`, and nothing for the root."""
    end = folder.find("/")
    while end > 0:
        yield folder[: end + 1]
        end = folder.find("/", end + 1)


def _owner(path: str, roots: Iterable[str]) -> str:
    """Return the longest root that holds a path, "" or with a final `/`."""
    best = ""
    for root in map(_slash, roots):
        if len(root) > len(best) and path.startswith(root):
            best = root
    return best


def _longest_first(roots: Iterable[str]) -> list[str]:
    return sorted(set(roots), key=lambda root: (-len(root), root))


def _slash(folder: str) -> str:
    return folder if not folder or folder.endswith("/") else folder + "/"
