"""What was extracted from files, by the content of each: the encoded facts, or why there are none."""

from __future__ import annotations

import contextlib
import sqlite3
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from codepath.errors import StoreError
from codepath.store.database import Database
from codepath.store.tables import (
    LOOKUP_CHUNK,
    WRITE_CHUNK,
    chunks,
    decode_text,
    encode_text,
    insert,
    marks,
    place_of,
    seal,
    unseal,
)

SCHEMA = (
    "CREATE TABLE facts (key BLOB, version INTEGER, minor BLOB, failed INTEGER NOT NULL, sealed BLOB NOT NULL,"
    " PRIMARY KEY (key, version, minor))",
)
RUNNING_MINOR = f"{sys.version_info[0]}.{sys.version_info[1]}"

_encoder = msgspec.msgpack.Encoder()
_failure_decoder = msgspec.msgpack.Decoder(tuple[bytes, int, int])


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a file has no facts.

    Args:
        message: One sentence.
        line: From 1, or 0 where there is none.
        column: From 0 in code points.
    """

    message: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class FactsRow:
    """What extraction made of one file.

    Args:
        key: The content key: blake2b-128 of the bytes, in hex.
        blob: The encoded facts; None where `failure` is given.
        failure: Why there are no facts.
        ast_refused: Whether `ast` of the running Python did not parse the file; the row then holds for that Python
            only, as a failure always does.
    """

    key: str
    blob: bytes | None
    failure: Failure | None
    ast_refused: bool


_Row = tuple[bytes, bytes, int, bytes]  # key, Python minor or b"", 1 for a failure, sealed


class Facts:
    """The table of facts, as one version of the extractor sees it."""

    def __init__(self, database: Database, extractor_version: int) -> None:
        self._database = database
        self._version = extractor_version

    def get_many(self, keys: Iterable[str], python_minor: str) -> dict[str, bytes | Failure]:
        """Return what is stored, in the order of `keys`; damaged rows are dropped and left out.

        A row that holds for `python_minor` alone goes before one that holds for all, so that what another Python stores
        later changes no answer.
        """
        found: dict[str, bytes | Failure] = {}
        damaged: list[_Row] = []
        for chunk in chunks(dict.fromkeys(keys), LOOKUP_CHUNK):
            bodies: dict[bytes, bytes | Failure] = {}
            for row in self._select("key, minor, failed, sealed", chunk, python_minor):
                value = self._value(row)
                if value is None:
                    damaged.append(row)
                else:
                    bodies[row[0]] = value
            found.update((key, bodies[encode_text(key)]) for key in chunk if encode_text(key) in bodies)
        self._drop(damaged)
        return found

    def known(self, keys: Iterable[str], python_minor: str) -> set[str]:
        """Return the keys that have a row; its content is not verified, so that `get_many` may still leave one out."""
        found: set[str] = set()
        for chunk in chunks(dict.fromkeys(keys), LOOKUP_CHUNK):
            rows = {row[0] for row in self._select("key", chunk, python_minor)}
            found.update(key for key in chunk if encode_text(key) in rows)
        return found

    def put_many(self, rows: Iterable[FactsRow], python_minor: str) -> None:
        """Store rows, in transactions of a few each; the write lock is not held while `rows` is drawn from."""
        columns = ("key", "version", "minor", "failed", "sealed")
        for chunk in chunks(rows, WRITE_CHUNK):
            encoded = [self._encoded(row, python_minor) for row in chunk]
            self._database.write(lambda c, e=encoded: insert(c, "facts", columns, e))  # type: ignore[misc]

    def counts(self) -> tuple[int, int, int]:
        """Return how many files have facts, how many failed, and how many rows other extractor versions wrote."""
        query = (
            "SELECT count(DISTINCT CASE WHEN version = :v AND NOT failed THEN key END),"
            " count(DISTINCT CASE WHEN version = :v AND failed THEN key END),"
            " count(CASE WHEN version != :v THEN 1 END) FROM facts"
        )
        files, failures, others = self._database.run(lambda c: c.execute(query, {"v": self._version}).fetchone())
        return files, failures, others

    def _select(self, columns: str, keys: Sequence[str], python_minor: str) -> list[_Row]:
        query = (
            f"SELECT {columns} FROM facts WHERE key IN ({marks(len(keys))}) AND version = ? AND minor IN (?, ?)"
            " ORDER BY key, minor"
        )
        parameters = [*map(encode_text, keys), self._version, b"", encode_text(python_minor)]
        return self._database.run(lambda c: c.execute(query, parameters).fetchall())

    def _value(self, row: _Row) -> bytes | Failure | None:
        key, minor, failed, sealed = row
        body = unseal(self._place(key, minor, failed), sealed)
        if body is None or not failed:
            return body
        message, line, column = _failure_decoder.decode(body)
        return Failure(decode_text(message), line, column)

    def _encoded(self, row: FactsRow, python_minor: str) -> tuple[bytes, int, bytes, int, bytes]:
        key, minor = encode_text(row.key), b""
        if row.ast_refused or row.failure is not None:
            minor = encode_text(python_minor)
        if row.failure is not None:
            body = _encoder.encode((encode_text(row.failure.message), row.failure.line, row.failure.column))
        elif row.blob is not None:
            body = row.blob
        else:
            raise ValueError(f"neither facts nor a failure for {row.key}")
        failed = int(row.failure is not None)
        return key, self._version, minor, failed, seal(self._place(key, minor, failed), body)

    def _place(self, key: bytes, minor: bytes, failed: int) -> bytes:
        return place_of("facts", key, self._version, minor, failed)

    def _drop(self, rows: Sequence[_Row]) -> None:
        if rows:
            statement = "DELETE FROM facts WHERE key = ? AND version = ? AND minor = ?"
            parameters = [(key, self._version, minor) for key, minor, _, _ in rows]
            with contextlib.suppress(StoreError):
                self._database.write(lambda c: c.executemany(statement, parameters))
            self._database.suspect()


def drop_other_facts(connection: sqlite3.Connection, version: int, live: str) -> int:
    """Delete facts of other extractor versions and of keys that are not in the table `live`; return how many."""
    statement = f"DELETE FROM facts WHERE version != ? OR key NOT IN (SELECT key FROM {live})"
    return connection.execute(statement, (version,)).rowcount
