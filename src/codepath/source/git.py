"""A git revision as a tree, read from the object store and never checked out."""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from codepath.errors import SourceError
from codepath.source.beside import WANTED
from codepath.source.manifests import MANIFESTS, declared_scripts
from codepath.source.repository import GitMissingError, find_work_tree, git_command, git_environment, run_git
from codepath.source.roots import Layout, find_layout, imports_itself, inner_roots, inside_never, package_prefix, whole
from codepath.source.tree import (
    ESCAPES,
    LOOP,
    MAX_FILE,
    NOT_REGULAR,
    NOT_UTF8,
    TOO_LARGE,
    UNREADABLE,
    OpenOptions,
    SourceFile,
    SourceTree,
    is_utf8,
    no_python,
    shown,
)

_MAX_BRANCHES = 10
_MAX_LINKS = 100
_SHALLOW = "in GitHub Actions the checkout is shallow: add `fetch-depth: 0` to actions/checkout"
_TWO_FOLDERS = "compare two folders instead: codepath diff path/to/old path/to/new"


class GitReader:
    """Reads blobs through one `git cat-file --batch` process, started when first needed."""

    def __init__(self, repository: str, blobs: dict[str, str]) -> None:
        self._repository = repository
        self._blobs = blobs
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def __getstate__(self) -> tuple[str, dict[str, str]]:
        return self._repository, self._blobs

    def __setstate__(self, state: tuple[str, dict[str, str]]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def __call__(self, path: str) -> bytes:
        """Return the bytes of a file."""
        if path not in self._blobs:
            raise SourceError(f"there is no file `{path}` in the tree", path=path)
        return self.blob(self._blobs[path], path)

    def blob(self, blob: str, path: str) -> bytes:
        """Return the bytes of a blob, which `path` names in errors."""
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(blob.encode() + b"\n")
            process.stdin.flush()
            header = process.stdout.readline().split()
            size = int(header[2]) if len(header) == 3 and header[1] == b"blob" else -1
            if 0 <= size <= MAX_FILE:
                data = process.stdout.read(size + 1)
                if len(data) == size + 1:
                    return data[:-1]
        except OSError:
            size = -1
        self.close()
        reason = f"is {TOO_LARGE}" if size > MAX_FILE else "is not in this clone"
        raise SourceError(f"`{path}` {reason}", path=path)

    def close(self) -> None:
        """End the git process; one that a fork inherited is left to its owner."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        process.kill()
        process.wait()

    def __del__(self) -> None:
        self.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid():
            self._owner = os.getpid()
            self._process = subprocess.Popen(
                git_command(self._repository, ("cat-file", "--batch")),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=git_environment(),
            )
        return self._process


@dataclass(slots=True)
class _Revision:
    """The entries of a revision's tree, by path from the repository's top.

    Args:
        blobs: Path to blob id, regular files only.
        sizes: Path to bytes.
        links: Path to the blob that holds a link's target.
        skipped: Path to reason.
        beside: Paths of `.json` files and compiled modules.
    """

    blobs: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    beside: list[str] = field(default_factory=list)


def open_revision(spec: str, options: OpenOptions, default_folder: str) -> SourceTree:
    """Return the tree of `git:REV` or `git:REV@FOLDER`.

    Args:
        spec: As the user gave it.
        options: How to open it.
        default_folder: The absolute folder whose counterpart in the revision is meant where the spec names none.

    Raises:
        SourceError: There is no repository, revision, folder or Python file of this name.
    """
    try:
        return _open(spec, options, default_folder)
    except GitMissingError as error:
        help = "install git, or give a folder instead of a revision"
        raise SourceError("git is not installed", path=spec, help=(help,)) from error


def _open(spec: str, options: OpenOptions, default_folder: str) -> SourceTree:
    revision, named = _split(spec.removeprefix("git:"), options)
    folder = options.absolute(named or ".")
    start = default_folder if named is None else _existing(folder)
    repository = find_work_tree(start) or (start if _is_bare(start) else None)
    if repository is None:
        raise SourceError(f"{_home(start)} is not in a git repository", path=spec, help=(_TWO_FOLDERS,))
    content = _list(repository, revision, spec)
    reader = GitReader(repository, content.blobs)
    try:
        _follow_links(content, reader)
        inner = _inner_folder(content, repository, folder if named is not None else start, named, spec)
        return _assemble(spec, inner, content, reader, options, repository)
    finally:
        reader.close()


def _split(text: str, options: OpenOptions) -> tuple[str, str | None]:
    """Return the revision and the folder of `REV@FOLDER`; revisions such as `HEAD@{1}` and `a@b` hold an @ too."""
    cuts = [match.start() for match in re.finditer(r"(?<!^)@(?![{]|$)", text)]
    if not cuts:
        return text.removesuffix("@") or "HEAD", None
    repository = find_work_tree(options.absolute("."))
    if repository is not None and _tree_id(repository, text) is not None:
        return text, None
    return text[: cuts[-1]], text[cuts[-1] + 1 :]


def _existing(folder: str) -> str:
    """Return the folder, or the nearest above it that is on the disk: a revision may hold folders that are gone."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return folder


def _is_bare(folder: str) -> bool:
    return all(os.path.exists(f"{folder}/{name}") for name in ("HEAD", "objects", "refs"))


def _tree_id(repository: str, revision: str) -> str | None:
    if revision.startswith("-") or not revision.isprintable():
        return None
    status, output, _ = run_git(repository, "rev-parse", "--verify", "--quiet", f"{revision}^{{tree}}")
    return output.decode().strip() if status == 0 else None


def _list(repository: str, revision: str, spec: str) -> _Revision:
    tree = _tree_id(repository, revision)
    if tree is None:
        raise _unknown(repository, revision, spec)
    status, output, error = run_git(repository, "ls-tree", "-r", "-z", "-l", "--full-tree", tree)
    if status:
        raise SourceError(f"git cannot list `{revision}`: {_last_line(error)}", path=spec)
    content = _Revision()
    for entry in os.fsdecode(output).split("\0"):
        head, _, path = entry.partition("\t")
        if path and not inside_never(path):
            _add(content, head.split(), path)
    return content


def _add(content: _Revision, head: list[str], path: str) -> None:
    mode, kind, blob, size = head
    name = path.rpartition("/")[2]
    python = name.endswith(".py")
    if name.endswith(WANTED):
        content.beside.append(path)
    if mode == "120000" and (python or "." not in name):
        content.links[path] = blob
    elif python and not is_utf8(path):
        content.skipped[shown(path)] = NOT_UTF8
    elif kind == "blob" and mode != "120000" and (python or name in MANIFESTS):
        content.blobs[path] = blob
        content.sizes[path] = int(size) if size.isdigit() else 0
    elif python:
        content.skipped[path] = NOT_REGULAR


def _follow_links(content: _Revision, reader: GitReader) -> None:
    """Give the files that links in the revision lead to, under the links' paths."""
    paths = sorted(content.blobs)
    for path, blob in sorted(content.links.items())[:_MAX_LINKS]:
        try:
            target = _target(path, reader.blob(blob, path), content, reader)
        except SourceError:
            content.skipped[path] = UNREADABLE
            continue
        if target in content.blobs and path.endswith(".py"):
            content.blobs[path] = content.blobs[target]
            content.sizes[path] = content.sizes[target]
        elif target in (".", LOOP) or path.startswith(target + "/") or path == target:
            content.skipped[path] = LOOP
        elif target == ESCAPES or target.startswith("../"):
            if path.endswith(".py"):
                content.skipped[path] = ESCAPES
        else:
            for inner in [inner for inner in paths if inner.startswith(target + "/")]:
                copy = path + inner[len(target) :]
                content.blobs[copy] = content.blobs[inner]
                content.sizes[copy] = content.sizes[inner]


def _target(path: str, text: bytes, content: _Revision, reader: GitReader) -> str:
    """Return the path that a link leads to through further links, or `LOOP` or `ESCAPES`."""
    for _ in range(_MAX_LINKS):
        target = os.fsdecode(text)
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if target.startswith("/") or joined.split("/")[0] == "..":
            return ESCAPES
        if joined not in content.links:
            return joined
        path, text = joined, reader.blob(content.links[joined], joined)
    return LOOP


def _inner_folder(content: _Revision, repository: str, folder: str, named: str | None, spec: str) -> str:
    """Return the wanted folder from the repository's top, "" for the top.

    Where the working directory's own folder does not exist in the revision, the top is meant.
    """
    relative = os.path.relpath(folder, repository).replace(os.sep, "/")
    candidates = ["" if relative == "." else relative]
    candidates.append("" if named is None else posixpath.normpath(named).removeprefix("./"))
    for candidate in candidates:
        if not candidate or any(path.startswith(candidate + "/") for path in content.blobs):
            return "" if candidate == "." else candidate
    help = (f"git ls-tree -d -r --name-only {spec.removeprefix('git:').rpartition('@')[0]}",)
    raise SourceError(f"there is no folder with Python files `{named}` in the revision", path=spec, help=help)


def _assemble(
    spec: str, inner: str, content: _Revision, reader: GitReader, options: OpenOptions, repository: str
) -> SourceTree:
    below = inner + "/" if inner else ""
    python = tuple(sorted(path for path in content.blobs if path.endswith(".py") and path.startswith(below)))
    base = below.removesuffix(_prefix(inner, below, python, content, reader, options))
    names = {path[len(base) :]: path for path in python}
    layout = _layout(base, below, tuple(names), content, reader, options)
    skipped = {path[len(base) :]: reason for path, reason in content.skipped.items() if path.startswith(below)}
    kept: dict[str, str] = {}
    for path in layout.kept:
        if content.sizes[names[path]] > MAX_FILE:
            skipped[path] = TOO_LARGE
        else:
            kept[path] = content.blobs[names[path]]
    if not kept:
        raise no_python(spec, False, layout.left_out)
    return SourceTree(
        spec=spec,
        root=spec,
        files=tuple(SourceFile(path, f"git:{blob}") for path, blob in kept.items()),
        read_with=GitReader(repository, kept),
        skipped=tuple(sorted(skipped.items())),
        package_roots=layout.roots,
        scripts=layout.scripts,
        work_tree_top=find_work_tree(repository),
        beside_with=partial(_inside, tuple(content.beside), base, below),
    )


def _inside(paths: Sequence[str], base: str, below: str) -> list[str]:
    """Return the paths below a folder, relative to the root of the tree."""
    return [path[len(base) :] for path in paths if path.startswith(below)]


def _prefix(
    inner: str, below: str, python: tuple[str, ...], content: _Revision, reader: GitReader, options: OpenOptions
) -> str:
    """Return the part of `below` that belongs to the module names."""
    if options.package_root is not None or not inner:
        return ""
    prefix = package_prefix(tuple(inner.split("/")), content.blobs.__contains__)
    if prefix or any(below + name in content.blobs for name in MANIFESTS):
        return prefix
    name = inner.rpartition("/")[2]
    relative = tuple(path[len(below) :] for path in python)
    return name + "/" if imports_itself(name, relative, lambda path: reader(below + path)) else ""


def _layout(
    base: str, below: str, python: tuple[str, ...], content: _Revision, reader: GitReader, options: OpenOptions
) -> Layout:
    manifests = tuple(path[len(base) :] for path in content.blobs if path.startswith(below) and not path.endswith("/"))
    manifests = tuple(path for path in manifests if path.rpartition("/")[2] in MANIFESTS)

    def read(path: str) -> bytes:
        return reader(base + path)

    own = frozenset(name for name in MANIFESTS if base + name in content.blobs)
    if options.package_root is not None:
        root = posixpath.normpath(options.package_root)
        found = "" if root == "." else root.removeprefix(below)
        if found and not any(path.startswith(found + "/") for path in python):
            raise SourceError(f"there is no folder `{root}` in the tree", path=root)
        return whole(python, (found,), tuple(sorted(declared_scripts("", own, read))))
    if base != below:
        return whole(python, ("",), tuple(sorted(declared_scripts("", own, read))))
    return find_layout(python, manifests, read, options.include, inner_roots(options.package_roots, python))


def _unknown(repository: str, revision: str, spec: str) -> SourceError:
    """Return the error for a revision that git does not know."""
    status, output, error = run_git(repository, "rev-parse", "--is-shallow-repository")
    if status:
        return SourceError(f"git cannot read the repository {_home(repository)}: {_last_line(error)}", path=spec)
    import difflib

    lines = [_SHALLOW] if output.strip() == b"true" else []
    heads, others = _names(repository, "refs/heads"), _names(repository, "refs/remotes", "refs/tags")
    near = difflib.get_close_matches(revision, heads + others, n=3)
    if near:
        lines.append("did you mean " + ", ".join(f"`{name}`" for name in near))
    if heads:
        more = f" and {len(heads) - _MAX_BRANCHES} more" if len(heads) > _MAX_BRANCHES else ""
        lines.append(f"branches here: {', '.join(heads[:_MAX_BRANCHES])}{more}")
    return SourceError(f"git does not know the revision `{revision}`", path=spec, help=tuple(lines))


def _names(repository: str, *kinds: str) -> list[str]:
    _, output, _ = run_git(repository, "for-each-ref", "--format=%(refname:short)", *kinds)
    return output.decode("utf-8", "backslashreplace").split()


def _last_line(error: str) -> str:
    return error.splitlines()[-1] if error else "it gives no reason"


def _home(folder: str) -> str:
    """Return a folder with `~` for the home folder."""
    home = os.path.expanduser("~").rstrip("/")
    return "~" + folder[len(home) :] if home and (folder + "/").startswith(home + "/") else folder
