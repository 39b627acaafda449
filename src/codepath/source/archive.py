"""Wheels, zip files and sdists as trees, read in place."""

from __future__ import annotations

import json
import os
import posixpath
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from codepath.errors import SourceError
from codepath.source.beside import in_archive
from codepath.source.hashing import change_time, is_settled
from codepath.source.manifests import MANIFESTS, entry_point_scripts, metadata_version
from codepath.source.roots import Layout, find_layout, inner_roots, inside_never, whole
from codepath.source.tarball import TarReader, list_tar
from codepath.source.tree import (
    MAX_FILE,
    MAX_TOTAL,
    NOT_UTF8,
    HashCache,
    OpenOptions,
    Reader,
    SourceFile,
    SourceTree,
    content_key,
    is_utf8,
    no_python,
    shown,
)
from codepath.source.zipped import Entry, Member, ZipReader, list_zip

ZIPS = (".whl", ".zip")
TARS = (".tar.gz", ".tgz")
_FORMAT = 1
_MAX_TEXT = 2**20
_MAX_TEXTS = 1000
_METADATA = ("METADATA", "PKG-INFO", "entry_points.txt", *MANIFESTS)


@dataclass(slots=True)
class ArchiveListing:
    """What is kept of an archive between runs.

    Args:
        keys: Path in the archive to content key, Python files only.
        members: Path to where a zip file holds the bytes; empty for a tar.
        texts: Path to text of manifests and metadata.
        skipped: Path to reason.
        names: The top folders and files of all members, at most two.
    """

    keys: dict[str, str] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)


def open_archive(path: str, spec: str, options: OpenOptions) -> SourceTree:
    """Return the tree of an archive.

    Args:
        path: The archive, absolute.
        spec: As the user gave it.
        options: How to open it.

    Raises:
        SourceError: It is no archive of its kind, damaged, too large, or holds no Python files.
    """
    listing = _cached_listing(path, spec, options.hashes)
    top = _top_folder(listing)
    names = {name[len(top) :]: name for name in sorted(listing.keys)}
    layout = _layout(listing, top, tuple(names), spec, options)
    if not layout.kept:
        raise no_python(spec, False, layout.left_out)
    kept = {name: names[name] for name in layout.kept}
    return SourceTree(
        spec=spec,
        root=spec,
        files=tuple(SourceFile(name, listing.keys[original]) for name, original in kept.items()),
        read_with=_reader(path, kept, listing),
        skipped=tuple(sorted((name.removeprefix(top), reason) for name, reason in listing.skipped.items())),
        package_roots=layout.roots,
        scripts=tuple(sorted({*layout.scripts, *_scripts(listing, top)})),
        version=_version(listing, top),
        beside_with=partial(in_archive, path, top),
    )


def is_wheel_metadata(name: str) -> bool:
    """Return whether a path lies in a wheel's `.dist-info` folder at the top."""
    return name.count("/") == 1 and name.split("/")[0].endswith(".dist-info")


def _cached_listing(path: str, spec: str, hashes: HashCache | None) -> ArchiveListing:
    try:
        status = os.stat(path)
    except OSError as error:
        raise SourceError(f"`{spec}` cannot be read ({error.strerror})", path=spec) from error
    changed = change_time(status)
    if hashes is None or not is_settled(changed):
        return _list(path, spec)
    data = hashes.get_listing(path, status.st_size, changed, status.st_ino)
    listing = None if data is None else _decode(data)
    if listing is None:
        listing = _list(path, spec)
        hashes.put_listing(path, status.st_size, changed, status.st_ino, _encode(listing))
    return listing


def _list(path: str, spec: str) -> ArchiveListing:
    """Read an archive once and return its listing."""
    listing = ArchiveListing()
    members = list_zip(path, spec) if path.lower().endswith(ZIPS) else list_tar(path, spec)
    tops: set[str] = set()
    total = 0
    for entry in members:
        name = entry[0]
        if len(tops) < 2 and name:
            tops.add(name.split("/")[0] + ("/" if "/" in name else ""))
        if not inside_never(name):
            total += _take(listing, entry)
        if total > MAX_TOTAL:
            raise SourceError(f"the Python files in `{spec}` are larger than 2 GB", path=spec)
    listing.names = sorted(tops)
    return listing


def _take(listing: ArchiveListing, entry: Entry) -> int:
    """Add a Python file or a text, the later of one name replacing the earlier, and return how many bytes it has."""
    name, reason, member, read = entry
    base = name.rpartition("/")[2]
    if base in _METADATA and not base.endswith(".py"):
        data, _ = (None, "") if reason else read(_MAX_TEXT)
        if data is not None and len(listing.texts) < _MAX_TEXTS:
            listing.texts[name] = data.decode("utf-8", "replace")
        return len(data or b"")
    if not base.endswith(".py"):
        return 0
    data, reason = (None, reason) if reason else read(MAX_FILE)
    listing.keys.pop(name, None)
    if data is None or not is_utf8(name):
        listing.skipped[shown(name)] = reason or NOT_UTF8
        return len(data or b"")
    listing.skipped.pop(name, None)
    listing.keys[name] = content_key(data)
    if member is not None:
        listing.members[name] = member
    if base in _METADATA and len(listing.texts) < _MAX_TEXTS:
        listing.texts[name] = data.decode("utf-8", "replace")
    return len(data)


def _encode(listing: ArchiveListing) -> bytes:
    fields = [listing.keys, listing.members, listing.texts, listing.skipped, listing.names]
    return json.dumps([_FORMAT, *fields], separators=(",", ":")).encode()


def _decode(data: bytes) -> ArchiveListing | None:
    """Return a listing, None where another version wrote it."""
    try:
        version, *fields = json.loads(data)
        if version != _FORMAT:
            return None
        keys, members, texts, skipped, names = fields
        return ArchiveListing(keys, {name: tuple(member) for name, member in members.items()}, texts, skipped, names)
    except (ValueError, TypeError, AttributeError):
        return None


def _top_folder(listing: ArchiveListing) -> str:
    """Return the single top folder of an sdist or a repository's archive, with a final `/`, else ""."""
    if len(listing.names) != 1 or not listing.names[0].endswith("/"):
        return ""
    top = listing.names[0]
    manifest = any(top + name in listing.texts for name in ("PKG-INFO", *MANIFESTS))
    package = top + "__init__.py" in listing.keys
    return top if manifest or not (package or top.rstrip("/").isidentifier()) else ""


def _layout(listing: ArchiveListing, top: str, python: tuple[str, ...], spec: str, options: OpenOptions) -> Layout:
    def read(path: str) -> bytes:
        return listing.texts[top + path].encode()

    if options.package_root is not None:
        root = posixpath.normpath(options.package_root)
        root = "" if root == "." else root
        if root and not any(path.startswith(root + "/") for path in python):
            raise SourceError(f"there is no folder `{root}` in {spec}", path=root)
        return whole(python, (root,))
    if any(is_wheel_metadata(name) for name in listing.texts):
        return _wheel_layout(python)
    manifests = [name[len(top) :] for name in listing.texts if name.rpartition("/")[2] in MANIFESTS]
    return find_layout(python, manifests, read, options.include, inner_roots(options.package_roots, python))


def _wheel_layout(python: tuple[str, ...]) -> Layout:
    """Return the layout of what an installation would put on the module path: all but scripts and data."""
    roots = {""}
    kept = []
    for path in python:
        data, *rest = path.split("/")
        if data.endswith(".data") and rest:
            if rest[0] not in ("purelib", "platlib"):
                continue
            roots.add(f"{data}/{rest[0]}")
        kept.append(path)
    return whole(tuple(kept), tuple(roots))


def _scripts(listing: ArchiveListing, top: str) -> set[tuple[str, str]]:
    """Return the console scripts of a wheel, or of an sdist's `.egg-info` folder."""
    found: set[tuple[str, str]] = set()
    for name, text in listing.texts.items():
        folder, _, base = name.removeprefix(top).rpartition("/")
        if base == "entry_points.txt" and (is_wheel_metadata(name) or folder.endswith(".egg-info")):
            found |= entry_point_scripts(text)
    return found


def _version(listing: ArchiveListing, top: str) -> str | None:
    for name, text in sorted(listing.texts.items()):
        if name == top + "PKG-INFO" or (is_wheel_metadata(name) and name.endswith("/METADATA")):
            return metadata_version(text)
    return None


def _reader(path: str, kept: dict[str, str], listing: ArchiveListing) -> Reader:
    keys: dict[str, Any] = {name: listing.keys[original] for name, original in kept.items()}
    if path.lower().endswith(ZIPS):
        return ZipReader(path, {name: listing.members[original] for name, original in kept.items()}, keys)
    return TarReader(path, kept, keys)
