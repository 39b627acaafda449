"""Solutions: the solved call graph of a snapshot, written whole and read by name.

The rows, sorted by name, lie in sealed chunks of a few thousand bytes, and a sealed directory holds the first name of
each chunk. That a name is absent is thus read from an intact chunk: a damaged index cannot make a row disappear.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from codepath.errors import StoreError
from codepath.store.database import Database
from codepath.store.spill import Spill
from codepath.store.tables import LOOKUP_CHUNK, chunks, decode_text, encode_text, marks, place_of, seal, unseal

KEPT = 12
"""Solved trees: branches, their bases, the releases that somebody compares; 7 MB for 100 thousand lines."""
_CHUNK_BYTES = 4000

SCHEMA = (
    "CREATE TABLE solutions (number INTEGER PRIMARY KEY AUTOINCREMENT, name BLOB UNIQUE NOT NULL,"
    " used INTEGER NOT NULL, meta BLOB NOT NULL, directory BLOB NOT NULL)",
    "CREATE TABLE solution_chunks (number INTEGER, chunk INTEGER, sealed BLOB NOT NULL, PRIMARY KEY (number, chunk))",
)

_Chunk = tuple[tuple[bytes, bytes], ...]
_encoder = msgspec.msgpack.Encoder()
_chunk_decoder = msgspec.msgpack.Decoder(tuple[tuple[bytes, bytes], ...])
_directory_decoder = msgspec.msgpack.Decoder(tuple[bytes, ...])


class SolutionLost(StoreError):
    """A solution is not, or no longer, stored whole.

    What was damaged is dropped, so that `solution_meta` gives None when asked again.

    Args:
        solution: Its id.
    """

    def __init__(self, solution: str) -> None:
        super().__init__(f"the solution '{solution}' is no longer in the cache", help=("ask again: it is solved anew",))
        self.solution = solution


class _Directory(NamedTuple):
    number: int
    firsts: tuple[bytes, ...]


class Solutions:
    """The tables of solutions."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._directories: dict[str, _Directory] = {}

    def put(self, solution: str, meta: bytes, rows: Iterable[tuple[str, bytes]] | Spill) -> None:
        """Store a solution in one transaction, in place of an older one, and drop those used least recently."""
        ordered = (
            rows.ordered
            if isinstance(rows, Spill)
            else sorted((encode_text(key), blob) for key, blob in dict(rows).items()).__iter__
        )
        name = encode_text(solution)

        def work(connection: sqlite3.Connection) -> None:
            _delete(connection, _numbers(connection, "WHERE name = ?", name))
            number = connection.execute(
                "INSERT INTO solutions (name, used, meta, directory) VALUES (?, ?, ?, ?)",
                (name, _next_use(connection), seal(place_of("meta", name), meta), b""),
            ).lastrowid
            assert number is not None
            firsts: list[bytes] = []

            def packed() -> Iterator[tuple[int, int, bytes]]:
                for chunk, (first, body) in enumerate(_pack(ordered())):
                    firsts.append(first)
                    yield number, chunk, seal(_place(name, number, chunk), body)

            connection.executemany(
                "INSERT OR REPLACE INTO solution_chunks (number, chunk, sealed) VALUES (?, ?, ?)", packed()
            )
            directory = seal(place_of("directory", name), _encoder.encode(tuple(firsts)))
            connection.execute("UPDATE solutions SET directory = ? WHERE number = ?", (directory, number))
            _delete(connection, _numbers(connection, "ORDER BY used DESC LIMIT -1 OFFSET ?", KEPT))

        self._directories.pop(solution, None)
        self._database.write(work)

    def meta(self, solution: str) -> bytes | None:
        """Return what was stored with a solution, or None where it is not stored whole; the solution counts as used."""
        name = encode_text(solution)
        query = "SELECT meta, used, (SELECT max(used) FROM solutions), number FROM solutions WHERE name = ?"
        row = self._database.run(lambda c: c.execute(query, (name,)).fetchone())
        if row is None:
            return None
        body = unseal(place_of("meta", name), row[0])
        if body is None:
            self._drop(solution, row[3])
        elif row[1] != row[2]:
            self._touch(name)
        return body

    def rows(self, solution: str, names: Iterable[str]) -> dict[str, bytes]:
        """Return the rows of those names that the solution has, in the order of `names`. Raises `SolutionLost`."""
        directory = self._directory(solution)
        wanted = {name: encode_text(name) for name in names}
        where = {name: bisect_right(directory.firsts, encoded) - 1 for name, encoded in wanted.items()}
        found: dict[bytes, bytes] = {}
        for chunk in self._chunks(solution, directory, sorted({at for at in where.values() if at >= 0})):
            found.update(chunk)
        return {name: found[encoded] for name, encoded in wanted.items() if encoded in found}

    def scan(self, solution: str, begun: str = "") -> Iterator[tuple[str, bytes]]:
        """Return the rows whose names begin so, sorted by name, all read and verified before the first is given.

        Raises `SolutionLost`.
        """
        directory, prefix = self._directory(solution), encode_text(begun)
        first = max(bisect_right(directory.firsts, prefix) - 1, 0)
        begins = bisect_right(directory.firsts, prefix, key=lambda name: name[: len(prefix)])
        read = list(self._chunks(solution, directory, range(first, begins)))
        return ((decode_text(name), blob) for chunk in read for name, blob in chunk if name.startswith(prefix))

    def forget(self) -> None:
        """Forget what is remembered of the tables."""
        self._directories.clear()

    def count(self) -> int:
        """Return how many solutions there are."""
        return self._database.run(lambda c: int(c.execute("SELECT count(*) FROM solutions").fetchone()[0]))

    def _directory(self, solution: str) -> _Directory:
        if solution not in self._directories:
            name = encode_text(solution)
            query = "SELECT number, directory FROM solutions WHERE name = ?"
            row = self._database.run(lambda c: c.execute(query, (name,)).fetchone())
            body = unseal(place_of("directory", name), row[1]) if row else None
            if body is None:
                raise self._lost(solution, row[0] if row else None)
            self._directories[solution] = _Directory(row[0], _directory_decoder.decode(body))
        return self._directories[solution]

    def _chunks(self, solution: str, directory: _Directory, wanted: Sequence[int]) -> Iterator[_Chunk]:
        for some in chunks(wanted, LOOKUP_CHUNK):
            query = f"SELECT chunk, sealed FROM solution_chunks WHERE number = ? AND chunk IN ({marks(len(some))})"
            parameters = (directory.number, *some)
            read = self._database.run(lambda c, q=query, p=parameters: dict(c.execute(q, p)))  # type: ignore[misc]
            for index in some:
                body = unseal(_place(encode_text(solution), directory.number, index), read.get(index))
                if body is None:
                    raise self._lost(solution, directory.number)
                yield _chunk_decoder.decode(body)

    def _lost(self, solution: str, number: int | None) -> SolutionLost:
        self._drop(solution, number)
        return SolutionLost(solution)

    def _drop(self, solution: str, number: int | None) -> None:
        """Delete the damaged solution `number`; one that was stored under the same id since then stays."""
        self._directories.pop(solution, None)
        if number is not None:
            with contextlib.suppress(StoreError):
                self._database.write(lambda c: _delete(c, (number,)))
            self._database.suspect()

    def _touch(self, name: bytes) -> None:
        update = "UPDATE solutions SET used = ? WHERE name = ?"
        self._database.write_if_free(lambda c: c.execute(update, (_next_use(c), name)))


def drop_unused(connection: sqlite3.Connection, seconds: float) -> int:
    """Delete the solutions last used before `seconds` (since 1970) and chunks of none; return how many solutions."""
    old = _numbers(connection, "WHERE used < ?", int(seconds * 1e9))
    _delete(connection, old)
    connection.execute("DELETE FROM solution_chunks WHERE number NOT IN (SELECT number FROM solutions)")
    return len(old)


def _next_use(connection: sqlite3.Connection) -> int:
    """Return the time in nanoseconds, later than every use so far whatever the clock says."""
    last = connection.execute("SELECT max(used) FROM solutions WHERE used < ?", (1 << 62,)).fetchone()[0]
    return max(time.time_ns(), int(last or 0) + 1)


def _numbers(connection: sqlite3.Connection, which: str, parameter: bytes | int) -> list[int]:
    rows = connection.execute(f"SELECT number FROM solutions {which}", (parameter,)).fetchall()
    return [number for (number,) in rows]


def _delete(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    for number in numbers:
        connection.execute("DELETE FROM solution_chunks WHERE number = ?", (number,))
        connection.execute("DELETE FROM solutions WHERE number = ?", (number,))


def _place(name: bytes, number: int, index: int) -> bytes:
    return place_of("chunk", name, number, index)


def _pack(rows: Iterable[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    """Yield (first name, encoded rows) a chunk."""
    some: list[tuple[bytes, bytes]] = []
    size = 0
    for row in rows:
        some.append(row)
        size += len(row[0]) + len(row[1])
        if size >= _CHUNK_BYTES:
            yield some[0][0], _encoder.encode(some)
            some, size = [], 0
    if some:
        yield some[0][0], _encoder.encode(some)
