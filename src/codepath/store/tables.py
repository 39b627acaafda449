"""Sealed rows: tables from a name to bytes in which a damaged row is found out and dropped.

SQLite notices a broken page structure, not a flipped bit in a row. Hence every value is stored *sealed*: followed by a
CRC-32 over its table, its name and itself, so that neither a changed value nor one under a wrong name is believed.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from codepath.errors import StoreError
from codepath.store.database import Database

LOOKUP_CHUNK = 500  # below the 999 parameters that old builds of SQLite allow
WRITE_CHUNK = 64  # rows a transaction: what a killed writer loses at most

Item = TypeVar("Item")


def place_of(*parts: object) -> bytes:
    """Return a place for `seal`: the table and the other columns; a damaged row may hold anything in them."""
    return repr(parts).encode()


def seal(place: bytes, body: bytes) -> bytes:
    """Return `body` followed by its check sum, which also covers the place where it is stored."""
    return body + zlib.crc32(body, zlib.crc32(place)).to_bytes(4, "big")


def unseal(place: bytes, sealed: object) -> bytes | None:
    """Return the body that `seal` took, or None where anything is damaged."""
    if not isinstance(sealed, bytes) or len(sealed) < 4:
        return None
    body = sealed[:-4]
    return body if zlib.crc32(body, zlib.crc32(place)).to_bytes(4, "big") == sealed[-4:] else None


def encode_text(text: str) -> bytes:
    """Return UTF-8; lone surrogates, as in file names that are not UTF-8, survive."""
    return text.encode("utf-8", "surrogatepass")


def decode_text(data: bytes) -> str:
    """Return the text that `encode_text` took."""
    return data.decode("utf-8", "surrogatepass")


def chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield the items in lists of at most `size`."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def marks(count: int) -> str:
    """Return `count` SQL parameter marks."""
    return ",".join("?" * count)


def insert(
    connection: sqlite3.Connection, table: str, columns: Sequence[str], rows: Sequence[tuple[bytes | int, ...]]
) -> None:
    """Write a few rows, whose first column is a name, and look whether they are found again.

    Raises:
        sqlite3.DatabaseError: They are not, since the index is damaged.
    """
    connection.executemany(f"INSERT OR REPLACE INTO {table} ({','.join(columns)}) VALUES ({marks(len(columns))})", rows)
    names = list({row[0] for row in rows})
    query = f"SELECT count(DISTINCT {columns[0]}) FROM {table} WHERE {columns[0]} IN ({marks(len(names))})"
    if connection.execute(query, names).fetchone()[0] != len(names):
        raise sqlite3.DatabaseError(f"rows written to {table} are not found")


class Table:
    """A table from names to sealed values, with the second since 1970 in which each was last written or touched."""

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self.name = name

    @staticmethod
    def schema(name: str) -> str:
        """Return the SQL that makes the table."""
        return f"CREATE TABLE {name} (name BLOB PRIMARY KEY NOT NULL, used INTEGER NOT NULL, sealed BLOB NOT NULL)"

    def get(self, name: str) -> bytes | None:
        """Return one value, or None."""
        return self.get_many((name,)).get(name)

    def get_many(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the values that are there, in the order of `names`; drop the damaged ones."""
        found: dict[str, bytes] = {}
        damaged: list[bytes] = []
        for chunk in chunks(dict.fromkeys(names), LOOKUP_CHUNK):
            rows = self._database.run(lambda c, n=chunk: self._select(c, n))  # type: ignore[misc]
            for name in chunk:
                encoded = encode_text(name)
                if encoded not in rows:
                    continue
                body = unseal(place_of(self.name, encoded), rows[encoded])
                if body is None:
                    damaged.append(encoded)
                else:
                    found[name] = body
        self._drop(damaged)
        return found

    def put(self, name: str, body: bytes) -> None:
        """Store one value."""
        self.put_many(((name, body),))

    def offer(self, name: str, body: bytes) -> None:
        """Store one value, unless another process is writing or writing fails."""
        row = self._sealed(name, int(time.time()), body)
        self._database.write_if_free(lambda c: insert(c, self.name, ("name", "used", "sealed"), [row]))

    def put_many(self, rows: Iterable[tuple[str, bytes]]) -> None:
        """Store values, in transactions of a few rows each; the write lock is not held while `rows` is drawn from."""
        for chunk in chunks(rows, WRITE_CHUNK):
            now = int(time.time())
            sealed = [self._sealed(name, now, body) for name, body in chunk]
            self._database.write(lambda c, s=sealed: insert(c, self.name, ("name", "used", "sealed"), s))  # type: ignore[misc]

    def names(self) -> tuple[str, ...]:
        """Return all names, last used first."""
        query = f"SELECT name FROM {self.name} ORDER BY used DESC, name"
        rows = self._database.run(lambda c: c.execute(query).fetchall())
        return tuple(decode_text(name) for (name,) in rows if isinstance(name, bytes))

    def count(self) -> int:
        """Return how many rows there are."""
        query = f"SELECT count(*) FROM {self.name}"
        return self._database.run(lambda c: int(c.execute(query).fetchone()[0]))

    def touch(self, name: str, older_than: float) -> None:
        """Note that a row is used, where that was last noted more than `older_than` seconds ago."""
        now = int(time.time())
        query = f"SELECT 1 FROM {self.name} WHERE name = ? AND used < ?"
        if self._database.run(lambda c: c.execute(query, (encode_text(name), now - older_than)).fetchone()):
            update = f"UPDATE {self.name} SET used = ? WHERE name = ?"
            self._database.write_if_free(lambda c: c.execute(update, (now, encode_text(name))))

    def trim(self, kept: int) -> None:
        """Delete all rows but the last used ones."""
        newest = f"SELECT name FROM {self.name} ORDER BY used DESC, name LIMIT ?"
        delete = f"DELETE FROM {self.name} WHERE name NOT IN ({newest})"
        self._database.write_if_free(lambda c: c.execute(delete, (kept,)))

    def _select(self, connection: sqlite3.Connection, names: Sequence[str]) -> dict[bytes, object]:
        query = f"SELECT name, sealed FROM {self.name} WHERE name IN ({marks(len(names))})"
        return dict(connection.execute(query, [encode_text(name) for name in names]))

    def _sealed(self, name: str, now: int, body: bytes) -> tuple[bytes, int, bytes]:
        encoded = encode_text(name)
        return encoded, now, seal(place_of(self.name, encoded), body)

    def _drop(self, names: Sequence[bytes]) -> None:
        if names:
            statement = f"DELETE FROM {self.name} WHERE name = ?"
            with contextlib.suppress(StoreError):
                self._database.write(lambda c: c.executemany(statement, [(name,) for name in names]))
            self._database.suspect()
