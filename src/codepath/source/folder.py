"""A folder on disk as a tree."""

from __future__ import annotations

import os
from functools import partial

from codepath.errors import SourceError
from codepath.source.beside import in_folder
from codepath.source.hashing import hash_kept, read_regular
from codepath.source.listing import Listing, list_folder
from codepath.source.manifests import MANIFESTS, declared_scripts
from codepath.source.repository import find_work_tree
from codepath.source.roots import Layout, find_layout, imports_itself, package_prefix, whole
from codepath.source.tree import OpenOptions, SourceTree, no_python


def open_folder(folder: str, spec: str, given: str, options: OpenOptions) -> SourceTree:
    """Return the tree of a folder.

    Args:
        folder: Its absolute path.
        spec: As the user gave it.
        given: The folder as messages and `root` show it.
        options: How to open it.

    Raises:
        SourceError: There are no Python files, or the package root lies elsewhere.
    """
    base, prefix, layout_roots = _base(folder, given, options)
    listing = list_folder(folder, options.respect_gitignore)
    if layout_roots is None and not prefix and _is_namespace(folder, listing):
        base, prefix = os.path.dirname(folder), os.path.basename(folder) + "/"
    if prefix:
        moved = Listing()
        moved.add(prefix, listing)
        listing = moved
    layout = _layout(base, prefix, layout_roots, listing, options)
    files, reader = hash_kept(base, layout.kept, listing, options.hashes)
    if not files:
        raise no_python(given, options.respect_gitignore, layout.left_out)
    return SourceTree(
        spec=spec,
        root=_display(given, base, prefix, options),
        files=files,
        read_with=reader,
        skipped=tuple(sorted(listing.skipped.items())),
        package_roots=layout.roots,
        scripts=layout.scripts,
        work_tree_top=find_work_tree(base),
        folder=base,
        beside_with=partial(in_folder, base, frozenset(f.path.rpartition("/")[0].split("/")[0] for f in files)),
    )


def _base(folder: str, given: str, options: OpenOptions) -> tuple[str, str, tuple[str, ...] | None]:
    """Return the tree root, the folder's path below it ("" or with a final `/`), and the given package roots."""
    if options.package_root is not None:
        return _explicit_base(folder, given, options.package_root, options)
    for root in options.package_roots:
        above = options.absolute(root)
        if is_below(folder, above):
            return above, folder[len(above.rstrip("/")) + 1 :] + "/", None
    prefix = disk_prefix(folder)
    return (folder + "/").removesuffix(prefix).rstrip("/") or "/", prefix, None


def disk_prefix(folder: str) -> str:
    """Return the part of an absolute folder from its topmost package on, with a final `/`; "" outside packages."""
    top = "/" if folder.startswith("/") else ""
    parts = tuple(part for part in folder.split("/") if part)
    return package_prefix(parts, lambda path: os.path.exists(top + path))


def _explicit_base(folder: str, given: str, root: str, options: OpenOptions) -> tuple[str, str, tuple[str, ...]]:
    for candidate in (options.absolute(root), os.path.normpath(os.path.join(folder, root))):
        if not os.path.isdir(candidate):
            continue
        candidate = candidate.replace(os.sep, "/")
        if candidate == folder:
            return folder, "", ("",)
        if is_below(candidate, folder):
            return folder, "", (candidate[len(folder.rstrip("/")) + 1 :],)
        if is_below(folder, candidate):
            return candidate, folder[len(candidate.rstrip("/")) + 1 :] + "/", ("",)
    raise SourceError(f"the package root `{root}` is no folder in or above {given}", path=root)


def is_below(path: str, folder: str) -> bool:
    """Return whether an absolute path lies strictly inside an absolute folder."""
    return path.startswith(folder.rstrip("/") + "/") and path != folder


def _is_namespace(folder: str, listing: Listing) -> bool:
    """Return whether a folder without `__init__.py`, no project and no repository, is a package of its own name."""
    if any("/" not in path for path in listing.manifests) or os.path.exists(f"{folder}/.git"):
        return False

    def read(path: str) -> bytes:
        try:
            return read_regular(f"{folder}/{path}", path)
        except SourceError:
            return b""

    return imports_itself(os.path.basename(folder), tuple(sorted(listing.files)), read)


def _layout(base: str, prefix: str, explicit: tuple[str, ...] | None, listing: Listing, options: OpenOptions) -> Layout:
    def read(path: str) -> bytes:
        return read_regular(f"{base}/{path}", path)

    python = tuple(sorted(listing.files))
    if explicit is None and not prefix:
        roots = tuple(
            root for root in (_relative(path, base, options) for path in options.package_roots) if root is not None
        )
        return find_layout(python, listing.manifests, read, options.include, roots)
    manifests = frozenset(name for name in MANIFESTS if os.path.isfile(f"{base}/{name}"))
    return whole(python, explicit or ("",), tuple(sorted(declared_scripts("", manifests, read))))


def _relative(path: str, base: str, options: OpenOptions) -> str | None:
    """Return a configured package root relative to the tree root, None where it lies outside."""
    root = options.absolute(path)
    if root == base:
        return ""
    return root[len(base.rstrip("/")) + 1 :] if is_below(root, base) else None


def _display(given: str, base: str, prefix: str, options: OpenOptions) -> str:
    """Return the tree root as a person wrote it: `python` for the package `python/pkg`."""
    if not prefix:
        return given
    if os.path.isabs(given):
        return base
    return os.path.relpath(base, os.path.abspath(options.cwd)).replace(os.sep, "/")
