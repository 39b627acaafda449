"""Content keys of files and listings of archives, remembered by what `stat` says of them."""

from __future__ import annotations

import os
from collections.abc import Iterable

import msgspec

from codepath.store.database import Database
from codepath.store.tables import Table, decode_text, encode_text

_Stamp = tuple[int, int, int, str]  # size, mtime_ns, inode, key

_encoder = msgspec.msgpack.Encoder()
_folder_decoder = msgspec.msgpack.Decoder(tuple[tuple[bytes, int, int, int, str], ...])
_listing_decoder = msgspec.msgpack.Decoder(tuple[int, int, int, bytes])


class Hashes:
    """What `source.tree.HashCache` asks for; paths are absolute.

    One row of the database holds the files of one folder, and is read when the first of them is asked for.
    """

    def __init__(self, database: Database) -> None:
        self._folders = Table(database, "folders")
        self._listings = Table(database, "listings")
        self._read: dict[str, dict[str, _Stamp]] = {}
        self._asked: set[str] = set()

    def get(self, path: str, size: int, mtime_ns: int, inode: int) -> str | None:
        """Return the content key that was put for exactly these values."""
        self._asked.add(path)
        stamp = self._folder(os.path.dirname(path)).get(path)
        return stamp[3] if stamp is not None and stamp[:3] == (size, mtime_ns, inode) else None

    def put(self, rows: Iterable[tuple[str, int, int, int, str]]) -> None:
        """Keep rows of (path, size, mtime_ns, inode, key).

        Other files of the same folders stay if they were asked for; those that were not are gone from the disk.
        """
        changed: dict[str, dict[str, _Stamp]] = {}
        for path, *stamp in rows:
            name = os.path.dirname(path)
            changed[name] = folder = self._folder(name)
            folder[path] = (stamp[0], stamp[1], stamp[2], stamp[3])  # type: ignore[assignment]
            self._asked.add(path)
        self._folders.put_many((name, self._encoded(folder)) for name, folder in sorted(changed.items()))

    def get_listing(self, path: str, size: int, mtime_ns: int, inode: int) -> bytes | None:
        """Return the listing that was put for an archive with exactly these values."""
        body = self._listings.get(path)
        if body is None:
            return None
        *stamp, listing = _listing_decoder.decode(body)
        return listing if stamp == [size, mtime_ns, inode] else None

    def put_listing(self, path: str, size: int, mtime_ns: int, inode: int, listing: bytes) -> None:
        """Keep the listing of an archive."""
        self._listings.put(path, _encoder.encode((size, mtime_ns, inode, listing)))

    def forget(self) -> None:
        """Forget what is remembered of the tables."""
        self._read.clear()
        self._asked.clear()

    def _folder(self, name: str) -> dict[str, _Stamp]:
        if name not in self._read:
            body = self._folders.get(name)
            rows = _folder_decoder.decode(body) if body is not None else ()
            self._read[name] = {os.path.join(name, decode_text(row[0])): row[1:] for row in rows}
        return self._read[name]

    def _encoded(self, folder: dict[str, _Stamp]) -> bytes:
        kept = sorted((path, stamp) for path, stamp in folder.items() if path in self._asked)
        return _encoder.encode([(encode_text(os.path.basename(path)), *stamp) for path, stamp in kept])
