"""Rows on their way into the store: in files without a name, so that memory holds only where each of them lies.

Several processes made by `fork` write at once, each to a part of its own, and hand over what they wrote to the first one.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from codepath.errors import StoreError
from codepath.store.tables import encode_text

_BUFFER = 1 << 18  # bytes
_LENGTH_BITS = 32
_PART_BITS = 8

_encoder = msgspec.msgpack.Encoder()
_handed_decoder = msgspec.msgpack.Decoder(tuple[dict[bytes, int], bytes])


class Spill:
    """Rows by key, of which the last counts; all are read back from the disk.

    Args:
        folder: Where the files are made; None for the folder that the system has for them.
        parts: How many processes write.

    Raises:
        StoreError: A file cannot be made; also from the methods, where the disk is full.
    """

    def __init__(self, folder: Path | None, parts: int = 1) -> None:
        self._folder = folder
        self._files: list[IO[bytes]] = []
        try:
            for _ in range(parts):
                self._files.append(tempfile.TemporaryFile(dir=folder, buffering=0))  # noqa: SIM115 - `close` does
        except OSError as error:
            self.close()
            raise self._error(error) from error
        self._part = 0
        self._places: dict[bytes, int] = {}
        self._buffer = bytearray()
        self._flushed = 0

    def close(self) -> None:
        """Give the disk back."""
        for file in self._files:
            file.close()

    def add(self, key: str, row: bytes) -> None:
        """Add a row."""
        offset = self._flushed + len(self._buffer)
        self._places[encode_text(key)] = (offset << _LENGTH_BITS | len(row)) << _PART_BITS | self._part
        self._buffer += row
        if len(self._buffer) >= _BUFFER:
            self._flush()

    def get(self, key: str) -> bytes | None:
        """Return a row, None where there is none."""
        place = self._places.get(encode_text(key))
        return self._read(place) if place is not None else None

    def ordered(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield (encoded key, row) pairs sorted by key."""
        for key in sorted(self._places):
            yield key, self._read(self._places[key])

    # --- other processes ---------------------------------------------------------------------------------------------

    def begin(self, part: int) -> None:
        """Write to a part from now on: called in the process that was forked."""
        self._part, self._places, self._flushed = part, {}, 0
        self._buffer.clear()

    def hand_over(self, message: bytes) -> None:
        """Write down where the rows lie, for `take_over` in the first process, and a message to it."""
        end = self._flushed + len(self._buffer)
        self._buffer += _encoder.encode((self._places, message))
        self._buffer += end.to_bytes(8, "big")
        self._flush()

    def take_over(self, part: int) -> bytes:
        """Take the rows that another process has handed over; return its message."""
        file = self._files[part]
        try:
            end = file.seek(0, os.SEEK_END) - 8
            start = int.from_bytes(self._read_at(part, end, 8), "big")
            places, message = _handed_decoder.decode(self._read_at(part, start, end - start))
        except (OSError, ValueError, msgspec.DecodeError) as error:
            raise StoreError("what another process wrote cannot be read") from error
        self._places.update(places)
        return message

    # --- files -------------------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        data = memoryview(bytes(self._buffer))
        file = self._files[self._part]
        try:
            file.seek(self._flushed)
            while data:
                data = data[file.write(data) :]
        except OSError as error:
            raise self._error(error) from error
        self._flushed += len(self._buffer)
        self._buffer.clear()

    def _read(self, place: int) -> bytes:
        part = place & ((1 << _PART_BITS) - 1)
        place >>= _PART_BITS
        offset, length = place >> _LENGTH_BITS, place & ((1 << _LENGTH_BITS) - 1)
        if part == self._part and offset + length > self._flushed:
            self._flush()
        return self._read_at(part, offset, length)

    def _read_at(self, part: int, offset: int, length: int) -> bytes:
        file = self._files[part]
        file.seek(offset)
        data = file.read(length)
        if len(data) != length:
            raise StoreError(f"a temporary file in '{self._folder}' was cut short")
        return data

    def _error(self, error: OSError) -> StoreError:
        return StoreError(f"temporary files in '{self._folder}' cannot be written: {error.strerror}")
