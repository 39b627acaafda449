"""Content keys of files on disk: read once, then trusted while the file's size, times and inode stay the same."""

from __future__ import annotations

import os
import time

from codepath.errors import SourceError
from codepath.source.listing import Listing
from codepath.source.tree import MAX_FILE, TOO_LARGE, UNREADABLE, HashCache, SourceFile, content_key

RACY_NS = 2 * 10**9
"""A file that changed less than this before it was looked at may change again within the same clock tick."""

Row = tuple[str, int, int, int, str]


class FolderReader:
    """Reads files below a folder and refuses those that are no longer what was listed."""

    def __init__(self, folder: str, keys: dict[str, str]) -> None:
        self._folder = folder
        self._keys = keys

    def __call__(self, path: str) -> bytes:
        """Return the bytes of a file."""
        key = self._keys.get(path)
        if key is None:
            raise SourceError(f"there is no file `{path}` in the tree", path=path)
        data = read_regular(f"{self._folder}/{path}", path)
        if content_key(data) != key:
            raise SourceError(f"`{path}` changed while it was read", path=path)
        return data

    def close(self) -> None:
        """Do nothing: files are closed once read."""


def hash_kept(
    base: str, kept: tuple[str, ...], listing: Listing, hashes: HashCache | None
) -> tuple[tuple[SourceFile, ...], FolderReader]:
    """Return the kept files with their keys; unreadable and enormous ones move to `listing.skipped`."""
    keys: dict[str, str] = {}
    rows: list[Row] = []
    for path in kept:
        status = listing.files[path]
        if status.st_size > MAX_FILE:
            listing.skip(path, TOO_LARGE)
            continue
        try:
            keys[path] = hash_file(f"{base}/{path}", path, status, hashes, rows)
        except SourceError as error:
            listing.skip(path, TOO_LARGE if error.message.endswith(TOO_LARGE) else UNREADABLE)
    if hashes is not None and rows:
        hashes.put(rows)
    return tuple(SourceFile(path, key) for path, key in keys.items()), FolderReader(base, keys)


def hash_file(path: str, name: str, status: os.stat_result, hashes: HashCache | None, rows: list[Row]) -> str:
    """Return the content key of a file, from the cache where it can be trusted; note new ones in `rows`.

    Raises:
        SourceError: The file cannot be read.
    """
    changed = change_time(status)
    settled = hashes is not None and is_settled(changed)
    if hashes is not None and settled:
        key = hashes.get(path, status.st_size, changed, status.st_ino)
        if key is not None:
            return key
    key = content_key(read_regular(path, name))
    if settled:
        rows.append((path, status.st_size, changed, status.st_ino, key))
    return key


def read_regular(path: str, name: str) -> bytes:
    """Return the bytes of a regular file of at most 20 MB; anything else would block, or fill the memory.

    Raises:
        SourceError: It is not one, or cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(descriptor, "rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as error:
        raise SourceError(f"`{name}` cannot be read ({error.strerror})", path=name) from error
    if len(data) > MAX_FILE:
        raise SourceError(f"`{name}` is {TOO_LARGE}", path=name)
    return data


def change_time(status: os.stat_result) -> int:
    """Return the later of the times of modification and of status change: programs that restore the first move it."""
    return max(status.st_mtime_ns, status.st_ctime_ns)


def is_settled(changed: int) -> bool:
    """Return whether a change, in nanoseconds since 1970, is old enough for a later one to be told from it."""
    return changed < time.time_ns() - RACY_NS
