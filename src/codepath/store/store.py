"""The cache: one object with everything that is kept between two runs."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import msgspec

from codepath.store import facts, solutions
from codepath.store.database import Database
from codepath.store.facts import RUNNING_MINOR, Facts, FactsRow, Failure
from codepath.store.hashes import Hashes
from codepath.store.solutions import Solutions
from codepath.store.spill import Spill
from codepath.store.tables import Table, decode_text, encode_text, place_of, unseal

_TABLES = ("identifiers", "git_blobs", "snapshots", "folders", "listings", "answers")
_SCHEMA = (*(Table.schema(name) for name in _TABLES), *facts.SCHEMA, *solutions.SCHEMA)
_DAY = 86_400.0
_ANSWERS = 400  # that are kept

_encoder = msgspec.msgpack.Encoder()
_pairs_decoder = msgspec.msgpack.Decoder(tuple[tuple[bytes, str], ...])


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """What the cache holds.

    Args:
        path: The cache folder; None in memory.
        size: Bytes on the disk.
        files: File contents with facts of this extractor version.
        failures: File contents that did not parse.
        snapshots: Trees seen.
        solutions: Solved call graphs.
        other_versions: Rows of facts that other extractor versions wrote.
    """

    path: Path | None
    size: int
    files: int
    failures: int
    snapshots: int
    solutions: int
    other_versions: int


@dataclass(frozen=True, slots=True)
class Removed:
    """What `Store.gc` removed: rows of facts, snapshots, solutions, and bytes of the disk."""

    facts: int
    snapshots: int
    solutions: int
    size: int


class Store:
    """The cache, as one process and thread sees it; several processes may use one folder at the same time.

    A damaged row counts as absent and is dropped; a damaged database is renamed with the suffix `.damaged` and made
    anew; neither ever becomes an answer. What a method has stored when it returns outlives a killed process. All
    methods raise `StoreError` where the disk is full or another process holds the write lock for 30 seconds.

    Attributes:
        hashes: The content keys of files on the disk, for `source.tree.OpenOptions`.
    """

    def __init__(self, database: Database, extractor_version: int) -> None:
        self._database = database
        self._version = extractor_version
        self._facts = Facts(database, extractor_version)
        self._solutions = Solutions(database)
        self._identifiers = Table(database, "identifiers")
        self._blobs = Table(database, "git_blobs")
        self._snapshots = Table(database, "snapshots")
        self._answers = Table(database, "answers")
        self.hashes = Hashes(database)

    @classmethod
    def open(cls, folder: Path | None, *, extractor_version: int) -> Store:
        """Open the cache in `folder`, made where it is missing; in memory for None or where it cannot be used."""
        return cls(Database(folder, _SCHEMA), extractor_version)

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database. A second call does nothing."""
        self._database.close()

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Close the database, and open it again afterwards: SQLite does not survive a `fork` otherwise."""
        self._database.close()
        try:
            yield
        finally:
            self._database.reopen()

    @property
    def note(self) -> str:
        """One sentence, without a full stop, on why the cache is kept in memory or was made anew; "" else."""
        return self._database.note

    # --- facts -------------------------------------------------------------------------------------------------------

    def facts(self, keys: Iterable[str], python_minor: str = RUNNING_MINOR) -> dict[str, bytes | Failure]:
        """Return the encoded facts, or why there are none, of the keys that are stored, in their order."""
        return self._facts.get_many(keys, python_minor)

    def known(self, keys: Iterable[str], python_minor: str = RUNNING_MINOR) -> set[str]:
        """Return the keys that `facts` has a row for; it still leaves out those that turn out damaged."""
        return self._facts.known(keys, python_minor)

    def put_facts(self, rows: Iterable[FactsRow], python_minor: str = RUNNING_MINOR) -> None:
        """Store what was extracted, 64 rows a transaction; `rows` may come slowly."""
        self._facts.put_many(rows, python_minor)

    def identifiers(self, keys: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return the identifiers in the bytes of each file that is stored, in the order of `keys`."""
        pool: dict[str, str] = {}  # one object a word: the same words stand in thousands of files
        return {key: _words(body, pool) for key, body in self._identifiers.get_many(keys).items()}

    def raw_identifiers(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the identifiers of each file that is stored, as UTF-8 words, each between two line breaks."""
        return {key: b"\n" + body + b"\n" for key, body in self._identifiers.get_many(keys).items()}

    def put_identifiers(self, rows: Iterable[tuple[str, Iterable[str]]]) -> None:
        """Store (content key, identifiers)."""
        self._identifiers.put_many((key, encode_text("\n".join(sorted(set(words))))) for key, words in rows)

    # --- trees -------------------------------------------------------------------------------------------------------

    def blob_keys(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the content keys of git blob ids."""
        return {blob: body.decode() for blob, body in self._blobs.get_many(ids).items()}

    def put_blob_keys(self, rows: Iterable[tuple[str, str]]) -> None:
        """Store (git blob id, content key)."""
        self._blobs.put_many((blob, key.encode()) for blob, key in rows)

    def put_snapshot(self, snapshot: str, rows: Iterable[tuple[str, str]]) -> None:
        """Store the (path, content key) of a tree under its id; what no snapshot names is what `gc` removes."""
        self._snapshots.put(snapshot, _encode_pairs(rows))

    def snapshot(self, snapshot: str) -> tuple[tuple[str, str], ...] | None:
        """Return the (path, content key) of a tree, or None."""
        body = self._snapshots.get(snapshot)
        if body is None:
            return None
        self._snapshots.touch(snapshot, older_than=_DAY)
        return _decode_pairs(body)

    def snapshots(self) -> tuple[str, ...]:
        """Return the ids of the stored snapshots, last used first."""
        return self._snapshots.names()

    # --- solutions ---------------------------------------------------------------------------------------------------

    def put_solution(self, solution: str, meta: bytes, rows: Iterable[tuple[str, bytes]] | Spill) -> None:
        """Store a solved call graph whole, in one transaction; of more than 6, the least recently used goes."""
        self._solutions.put(solution, meta, rows)

    def solution_meta(self, solution: str) -> bytes | None:
        """Return what was stored beside the rows, or None where the solution is not stored whole."""
        return self._solutions.meta(solution)

    def solution_rows(self, solution: str, names: Iterable[str]) -> dict[str, bytes]:
        """Return the rows of `names`; a name that is left out has no row. Raises `SolutionLost` on damage."""
        return self._solutions.rows(solution, names)

    def solution_scan(self, solution: str, begun: str = "") -> Iterator[tuple[str, bytes]]:
        """Return the rows whose names begin so, sorted, all verified before the first. Raises `SolutionLost` on damage."""
        return self._solutions.scan(solution, begun)

    # --- answers -----------------------------------------------------------------------------------------------------

    def answer(self, key: str) -> bytes | None:
        """Return a stored answer, or None."""
        body = self._answers.get(key)
        if body is not None:
            self._answers.touch(key, older_than=_DAY)
        return body

    def put_answer(self, key: str, body: bytes) -> None:
        """Store the answer to a question about a tree; of more than 400, those go that were not used for longest."""
        self._answers.put(key, body)
        self._answers.trim(_ANSWERS)

    def offer_answer(self, key: str, body: bytes) -> None:
        """Store what makes the next question faster, as `put_answer`; nothing waits for it, and nothing fails without."""
        self._answers.offer(key, body)
        self._answers.trim(_ANSWERS)

    # --- care --------------------------------------------------------------------------------------------------------

    def status(self) -> StoreStatus:
        """Return what the cache holds."""
        files, failures, others = self._facts.counts()
        return StoreStatus(
            path=self._database.folder,
            size=self._database.size(),
            files=files,
            failures=failures,
            snapshots=self._snapshots.count(),
            solutions=self._solutions.count(),
            other_versions=others,
        )

    def clear(self) -> None:
        """Remove everything, a database that was put aside included."""
        self._solutions.forget()
        self.hashes.forget()
        self._database.reset()

    def gc(self, max_age_days: int = 90) -> Removed:
        """Remove facts of other extractor versions and what no snapshot used in the last days names; check the rest.

        Files that are being extracted for a tree whose snapshot is not stored yet are removed too: store it first.
        """
        self._database.verify()
        before = self._database.size()
        oldest = time.time() - max_age_days * _DAY
        counts = self._database.write(lambda c: _collect(c, oldest, self._version))
        self._database.forget_damaged()
        self._database.shrink()
        return Removed(*counts, size=max(0, before - self._database.size()))


def _words(body: bytes, pool: dict[str, str]) -> frozenset[str]:
    words = decode_text(body).split("\n") if body else []
    return frozenset(map(pool.setdefault, words, words))


def _collect(connection: sqlite3.Connection, oldest: float, version: int) -> tuple[int, int, int]:
    """Delete what `Store.gc` removes; return how many rows of facts, snapshots and solutions went."""
    removed = {
        name: connection.execute(f"DELETE FROM {name} WHERE used < ?", (oldest,)).rowcount
        for name in ("snapshots", "folders", "listings", "answers")
    }
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS live (key BLOB PRIMARY KEY)")
    connection.execute("DELETE FROM temp.live")
    connection.executemany("INSERT OR IGNORE INTO temp.live VALUES (?)", ((key,) for key in _live_keys(connection)))
    dropped = facts.drop_other_facts(connection, version, "temp.live")
    connection.execute("DELETE FROM identifiers WHERE name NOT IN (SELECT key FROM temp.live)")
    key_of_blob = "substr(sealed, 1, length(sealed) - 4)"
    connection.execute(f"DELETE FROM git_blobs WHERE {key_of_blob} NOT IN (SELECT key FROM temp.live)")
    return dropped, removed["snapshots"], solutions.drop_unused(connection, oldest)


def _live_keys(connection: sqlite3.Connection) -> Iterator[bytes]:
    for name, sealed in connection.execute("SELECT name, sealed FROM snapshots").fetchall():
        body = unseal(place_of("snapshots", name), sealed)
        if body is not None:
            yield from (key.encode() for _, key in _pairs_decoder.decode(body))


def _encode_pairs(rows: Iterable[tuple[str, str]]) -> bytes:
    return _encoder.encode([(encode_text(path), key) for path, key in rows])


def _decode_pairs(body: bytes) -> tuple[tuple[str, str], ...]:
    return tuple((decode_text(path), key) for path, key in _pairs_decoder.decode(body))
