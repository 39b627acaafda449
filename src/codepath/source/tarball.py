"""Members of a gzip-compressed tar, read as a stream with a limit on what it may unpack to."""

from __future__ import annotations

import gzip
import os
import tarfile
import zlib
from collections.abc import Iterator

from codepath.errors import SourceError
from codepath.source.tree import ESCAPES, MAX_FILE, MAX_TOTAL, NOT_REGULAR, TOO_LARGE, content_key
from codepath.source.zipped import DAMAGED, MAX_MEMBERS, Entry, unsafe_name

_BUFFER = 256 * 2**20
_CHUNK = 2**20
_ERRORS = (OSError, EOFError, ValueError, zlib.error, tarfile.TarError)


class TarReader:
    """Reads files of a tar in the order in which it holds them; others asked for later come from a buffer."""

    def __init__(self, path: str, members: dict[str, str], keys: dict[str, str]) -> None:
        self._path = path
        self._members = members
        self._keys = keys
        self._wanted = {original: name for name, original in members.items()}
        self._buffer: dict[str, bytes] = {}
        self._held = 0
        self._entries: Iterator[Entry] | None = None
        self._owner = 0

    def __getstate__(self) -> tuple[str, dict[str, str], dict[str, str]]:
        return self._path, self._members, self._keys

    def __setstate__(self, state: tuple[str, dict[str, str], dict[str, str]]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def __call__(self, path: str) -> bytes:
        """Return the bytes of a file."""
        if path not in self._members:
            raise SourceError(f"there is no file `{path}` in the tree", path=path)
        if self._owner != os.getpid():
            self.close()
            self._owner = os.getpid()
        if path in self._buffer:
            return self._buffer[path]
        for _ in range(2):
            if self._advance(path):
                return self._buffer[path]
        raise SourceError(f"{self._path} changed while `{path}` was read", path=path)

    def close(self) -> None:
        """Close the archive and drop the buffer."""
        self._entries = None
        self._buffer.clear()
        self._held = 0

    def _advance(self, path: str) -> bool:
        """Read on from where the last call stopped until a file is found; at the end, start anew with the next call."""
        if self._entries is None:
            self._entries = list_tar(self._path, self._path)
        for original, reason, _, read in self._entries:
            name = self._wanted.get(original)
            if name is None or reason:
                continue
            data, _ = read(MAX_FILE)
            if data is None or content_key(data) != self._keys[name]:
                continue  # an earlier member of the same name: the last one counts
            self._keep(name, data)
            if name == path:
                return True
        self._entries = None
        return False

    def _keep(self, name: str, data: bytes) -> None:
        self._held += len(data) - len(self._buffer.pop(name, b""))
        self._buffer[name] = data
        while self._held > _BUFFER and len(self._buffer) > 1:
            self._held -= len(self._buffer.pop(next(iter(self._buffer))))


class _Limited:
    """A stream that unpacks at most `MAX_TOTAL` bytes, and never many at once: headers of a tar give sizes too."""

    def __init__(self, file: gzip.GzipFile, spec: str) -> None:
        self._file = file
        self._spec = spec
        self._position = 0

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes."""
        if not 0 <= size <= MAX_FILE + _CHUNK:
            raise tarfile.ReadError("a header is too large")
        try:
            data = self._file.read(size)
        except _ERRORS as error:
            raise _unreadable(self._spec, error) from error
        self._position += len(data)
        if self._position > MAX_TOTAL:
            raise SourceError(f"`{self._spec}` unpacks to more than 2 GB", path=self._spec)
        return data

    def seek(self, position: int, whence: int = 0) -> int:
        """Skip to a later position; members are read in order."""
        if whence or position < self._position:
            raise tarfile.ReadError("members overlap")
        while self._position < position and self.read(min(_CHUNK, position - self._position)):
            pass
        return self._position

    def tell(self) -> int:
        """Return how many bytes were unpacked."""
        return self._position


def list_tar(path: str, spec: str) -> Iterator[Entry]:
    """Yield the members of a tar in its order, each to be read before the next is drawn; the last of one name counts.

    Raises:
        SourceError: It is no tar, damaged, or unpacks to too much.
    """
    try:
        with gzip.open(path, "rb") as unpacked:
            limited = _Limited(unpacked, spec)
            with tarfile.open(fileobj=limited, mode="r:", errorlevel=0) as archive:  # type: ignore[call-overload]
                count = 0
                while (member := archive.next()) is not None:
                    count += 1
                    if count > MAX_MEMBERS:
                        raise SourceError(f"`{spec}` holds more than {MAX_MEMBERS} files", path=spec)
                    if not member.isdir():
                        yield _entry(member, limited)
            while limited.read(_CHUNK):  # `tarfile` ends silently at a damaged header; gzip's check sum does not
                pass
    except _ERRORS as error:
        raise _unreadable(spec, error) from error


def _unreadable(spec: str, error: Exception) -> SourceError:
    return SourceError(f"`{spec}` is not a readable tar.gz file ({error})", path=spec)


def _entry(member: tarfile.TarInfo, limited: _Limited) -> Entry:
    name = member.name.removeprefix("./")

    def read(limit: int) -> tuple[bytes | None, str]:
        if member.size > limit:
            return None, TOO_LARGE
        limited.seek(member.offset_data)
        data = limited.read(member.size)
        return (data, "") if len(data) == member.size else (None, DAMAGED)

    regular = member.isreg() and not member.issparse()
    reason = ESCAPES if unsafe_name(name) else "" if regular else NOT_REGULAR
    return name, reason, None, read
