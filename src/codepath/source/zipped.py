"""Members of a zip file, found through `zipfile` once and read by their offsets ever after."""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO

from codepath.errors import SourceError
from codepath.source.tree import ESCAPES, MAX_FILE, NOT_REGULAR, TOO_LARGE, content_key

Member = tuple[int, int, int, int]
"""Offset of the local header, bytes compressed, bytes, compression method."""

Read = Callable[[int], tuple[bytes | None, str]]
Entry = tuple[str, str, Member | None, Read]
"""Name with `/`, why it is not read or "", place, and a function from a limit to (bytes, "") or (None, reason)."""

MAX_MEMBERS = 500_000
DAMAGED = "damaged in the archive"
_HEADER = struct.Struct("<4s5H3I2H")


class ZipReader:
    """Reads members of a zip file without its directory."""

    def __init__(self, path: str, members: dict[str, Member], keys: dict[str, str]) -> None:
        self._path = path
        self._members = members
        self._keys = keys
        self._file: IO[bytes] | None = None
        self._owner = 0

    def __getstate__(self) -> tuple[str, dict[str, Member], dict[str, str]]:
        return self._path, self._members, self._keys

    def __setstate__(self, state: tuple[str, dict[str, Member], dict[str, str]]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def __call__(self, path: str) -> bytes:
        """Return the bytes of a file."""
        if path not in self._members:
            raise SourceError(f"there is no file `{path}` in the tree", path=path)
        try:
            data = read_member(self._opened(), self._members[path], MAX_FILE)
        except (OSError, ValueError, zlib.error, struct.error) as error:
            raise SourceError(f"`{path}` cannot be read from {self._path}", path=path) from error
        if data is None or content_key(data) != self._keys[path]:
            raise SourceError(f"{self._path} changed while `{path}` was read", path=path)
        return data

    def close(self) -> None:
        """Close the file; one that a fork inherited shares its position with the owner and is only let go."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __del__(self) -> None:
        self.close()

    def _opened(self) -> IO[bytes]:
        if self._file is None or self._owner != os.getpid():
            self.close()
            self._file = open(self._path, "rb")  # noqa: SIM115  # stays open over many reads
            self._owner = os.getpid()
        return self._file


def list_zip(path: str, spec: str) -> Iterator[Entry]:
    """Yield the members of a zip file, of several with one name only the last.

    Raises:
        SourceError: It is no zip file, or holds too many members.
    """
    try:
        with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
            last = {info.filename.replace("\\", "/"): info for info in archive.infolist()}
            if len(last) > MAX_MEMBERS:
                raise SourceError(f"`{spec}` holds more than {MAX_MEMBERS} files", path=spec)
            for name, info in last.items():
                if name and not name.endswith("/"):
                    yield _entry(name, info, file)
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError, EOFError) as error:
        raise SourceError(f"`{spec}` is not a readable zip file ({error})", path=spec) from error


def read_member(file: IO[bytes], member: Member, limit: int) -> bytes | None:
    """Return the bytes of a member, None where they are more than declared or than `limit`.

    Raises:
        ValueError: The header is damaged, or the compression neither deflate nor none.
        zlib.error: The bytes are damaged.
    """
    offset, compressed, size, method = member
    if size > limit or compressed > 2 * limit:
        return None
    file.seek(offset)
    header = _HEADER.unpack(file.read(_HEADER.size))
    if header[0] != b"PK\x03\x04":
        raise ValueError("no local header")
    file.seek(header[-2] + header[-1], os.SEEK_CUR)
    packed = file.read(compressed)
    if method == zipfile.ZIP_STORED:
        data = packed
    elif method == zipfile.ZIP_DEFLATED:
        data = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, size + 1)
    else:
        raise ValueError("unknown compression")
    return data if len(data) == size else None


def unsafe_name(name: str) -> bool:
    """Return whether a member's name leads out of the folder it would be unpacked into."""
    return name.startswith("/") or name[1:2] == ":" or ".." in name.split("/")


def _entry(name: str, info: zipfile.ZipInfo, file: IO[bytes]) -> Entry:
    member = (info.header_offset, info.compress_size, info.file_size, info.compress_type)

    def read(limit: int) -> tuple[bytes | None, str]:
        if info.file_size > limit:
            return None, TOO_LARGE
        try:
            data = read_member(file, member, limit)
        except (OSError, ValueError, zlib.error, struct.error):
            return None, DAMAGED
        if data is None or zlib.crc32(data) != info.CRC:
            return None, DAMAGED
        return data, ""

    return name, _reason(name, info), member, read


def _reason(name: str, info: zipfile.ZipInfo) -> str:
    mode = info.external_attr >> 16
    if unsafe_name(name):
        return ESCAPES
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return NOT_REGULAR
    if info.flag_bits & 1:
        return "encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "in an unknown compression"
    return ""
