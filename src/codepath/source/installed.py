"""An installed distribution as a tree, found by its metadata and never imported."""

from __future__ import annotations

import difflib
import inspect
import json
import os
import re
import stat
import subprocess
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

from codepath.errors import SourceError
from codepath.source import describe
from codepath.source.beside import in_folder
from codepath.source.folder import open_folder
from codepath.source.hashing import hash_kept
from codepath.source.listing import Listing, list_folder
from codepath.source.manifests import parse_scripts
from codepath.source.roots import inside_never, whole
from codepath.source.tree import NOT_REGULAR, NOT_UTF8, OpenOptions, SourceTree, is_utf8, no_python

_SECONDS = 60
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


def open_installed(spec: str, options: OpenOptions) -> SourceTree:
    """Return the tree of `dist:NAME`, an editable installation as its project folder.

    Raises:
        SourceError: It is not installed, its files are not recorded, or `options.python` cannot be run.
    """
    name = spec.removeprefix("dist:")
    if not _NAME.fullmatch(name):
        raise SourceError(f"`{name}` is no name of a distribution", path=spec)
    facts: dict[str, Any] = (
        describe.describe(name) if options.python is None else _ask(options.python, name, spec, options)
    )
    if "names" in facts:
        raise _not_installed(name, facts["names"], spec, options.python)
    project = _editable(facts["direct_url"])
    if project is not None:
        return open_folder(project, spec, project, options)
    return _open_recorded(facts, spec, options)


def _ask(python: str, name: str, spec: str, options: OpenOptions) -> dict[str, Any]:
    """Return what `describe` says in another Python, which runs nothing but that module."""
    program = options.absolute(python) if "/" in python or os.sep in python else python
    command = [program, "-I", "-S", "-c", inspect.getsource(describe), name]
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=_SECONDS, check=False)
        facts = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        help = "`--python` takes the interpreter of the environment, such as .venv/bin/python"
        raise SourceError(f"`{python}` cannot be run as a Python from 3.8", path=spec, help=(help,)) from error
    return facts if isinstance(facts, dict) else {"names": []}


def _not_installed(name: str, names: list[str], spec: str, python: str | None) -> SourceError:
    near = difflib.get_close_matches(name, names, n=5)
    lines = ["did you mean " + ", ".join(f"`dist:{other}`" for other in near)] if near else []
    if python is None:
        lines.append("`--python PATH` looks in another environment")
    lines.append(f"`{name}==VERSION` takes a published release")
    return SourceError(
        f"no distribution `{name}` is installed for {python or 'this Python'}", path=spec, help=tuple(lines)
    )


def _editable(direct_url: str | None) -> str | None:
    """Return the project folder of an editable installation."""
    try:
        data = json.loads(direct_url or "{}")
        url = urlsplit(data["url"]) if data["dir_info"].get("editable") else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return unquote(url.path) if url is not None and url.scheme == "file" and os.path.isdir(unquote(url.path)) else None


def _open_recorded(facts: dict[str, Any], spec: str, options: OpenOptions) -> SourceTree:
    root = str(facts["root"]).replace(os.sep, "/")
    listing = Listing()
    if facts["files"] is None:
        for name in facts["top_level"]:
            _add_unrecorded(listing, root, name)
    for path in facts["files"] or ():
        _add(listing, root, str(path).replace(os.sep, "/"))
    layout = whole(
        tuple(sorted(listing.files)), ("",), tuple(sorted(parse_scripts(["=".join(s) for s in facts["scripts"]])))
    )
    files, reader = hash_kept(root, layout.kept, listing, options.hashes)
    if not files:
        raise no_python(spec, False, 0)
    return SourceTree(
        spec=spec,
        root=spec,
        files=files,
        read_with=reader,
        skipped=tuple(sorted(listing.skipped.items())),
        scripts=layout.scripts,
        version=facts["version"],
        folder=root,
        beside_with=partial(in_folder, root, frozenset(f.path.rpartition("/")[0].split("/")[0] for f in files)),
    )


def _add(listing: Listing, root: str, path: str) -> None:
    """Add a recorded file; records of scripts and data point out of the folder and are left out."""
    if path.startswith(("../", "/")) or "/../" in path or inside_never(path):
        return
    if not is_utf8(path):
        listing.skip(path, NOT_UTF8)
        return
    try:
        status = os.stat(f"{root}/{path}")
    except OSError:
        return  # removed after the installation
    if stat.S_ISREG(status.st_mode):
        listing.files[path] = status
    else:
        listing.skip(path, NOT_REGULAR)


def _add_unrecorded(listing: Listing, root: str, name: str) -> None:
    """Add a top-level package or module of a distribution that keeps no record, as Debian's do."""
    if not name.isidentifier():
        return
    if os.path.isdir(f"{root}/{name}"):
        listing.add(f"{name}/", list_folder(f"{root}/{name}", False))
    else:
        _add(listing, root, f"{name}.py")
