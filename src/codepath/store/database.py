"""The SQLite file: opening it, running work on it, and putting a damaged one out of the way.

The file and its two companions (`-wal`, `-shm`) have a folder of their own inside the cache folder, so that one rename
moves all three: a database that meets the write-ahead log of another one is corrupted by it. A process that still has
the moved file open goes on with it unharmed, since SQLite neither deletes nor checkpoints a file that was moved.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from codepath.errors import StoreError

SCHEMA_VERSION = 2
BUSY_SECONDS = 30.0
WAY_OUT = ("`--cache-dir FOLDER` or CODEPATH_CACHE_DIR keeps the cache in another folder",)

_FOLDER = "index"
_FILE = "index.sqlite"
_TAG = (
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This file marks a cache folder of codepath, which may be deleted at any time.\n"
    "# See https://bford.info/cachedir/\n"
)
_ATTEMPTS = 5
_PAUSE = 0.01  # seconds
_JOURNAL_BYTES = 32 << 20

SQL_ERRORS = (sqlite3.Error, UnicodeDecodeError)  # the latter where a message quotes damaged text

Result = TypeVar("Result")
Work = Callable[[sqlite3.Connection], Result]


class _OtherSchemaError(Exception):
    """The file is a database of another layout."""


class Database:
    """A connection for the thread that made it. All work runs through `run` and `write`.

    Args:
        folder: The cache folder, made with mode 0700 where it is missing; None keeps everything in memory.
        schema: SQL statements that make the tables.

    Attributes:
        note: One sentence on why the cache is not what was asked for, or "".
    """

    def __init__(self, folder: Path | None, schema: tuple[str, ...]) -> None:
        self.folder = folder
        self.note = ""
        self._schema = schema
        self._identity: tuple[int, int] | None = None
        self._checked = False
        self._connection = self._open()

    @property
    def file(self) -> Path | None:
        """The database file; None in memory."""
        return self.folder / _FOLDER / _FILE if self.folder is not None else None

    def close(self) -> None:
        """Close the connection. A second call does nothing."""
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()

    def reopen(self) -> None:
        """Open a connection of this process, where the last one was closed."""
        self._connection = self._open()

    def run(self, work: Work[Result], retries: int = 2) -> Result:
        """Return what `work` makes of the connection; on damage, of a new and empty database.

        `work` may be run again, and returns no cursor.

        Raises:
            StoreError: The file is locked or cannot be read or written.
        """
        try:
            return work(self._connection)
        except SQL_ERRORS as error:
            if retries == 0:
                raise _store_error(error, self.folder) from error
            self._recover(error)
        return self.run(work, retries - 1)

    def write(self, work: Work[Result]) -> Result:
        """Run `work` in one transaction that takes the write lock first. As `run` otherwise."""

        def transaction(connection: sqlite3.Connection) -> Result:
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                _roll_back(connection)
                raise
            return result

        return self.run(transaction)

    def write_if_free(self, work: Work[object]) -> None:
        """Run `work` as `write` does, but leave it where another process is writing or writing fails."""
        self._connection.execute("PRAGMA busy_timeout = 0")
        try:
            with contextlib.suppress(StoreError):
                self.write(work)
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")

    def verify(self) -> None:
        """Check the whole file, which takes about a second per 300 MB, and mend it where anything is wrong."""
        self.run(_check)

    def suspect(self) -> None:
        """Check the whole file because a row was damaged; once in the life of this object."""
        if not self._checked:
            self._checked = True
            with contextlib.suppress(StoreError):
                self.verify()

    def size(self) -> int:
        """Return the bytes that the database takes, its log included."""
        if self.file is None:
            return self.run(_memory_size)
        return sum(path.stat().st_size for path in self.file.parent.glob(_FILE + "*") if path.is_file())

    def shrink(self) -> None:
        """Give free pages back to the disk, as far as other processes let it."""

        def vacuum(connection: sqlite3.Connection) -> None:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

        with contextlib.suppress(StoreError):
            self.run(vacuum)

    def reset(self) -> None:
        """Throw the database away, with what was put aside, and make a new one."""
        self.close()
        if self.folder is not None:
            try:
                _set_aside(self.folder)
                _remove_damaged(self.folder)
            except OSError as error:
                self._connection = self._open()
                raise StoreError(f"the cache in '{self.folder}' cannot be removed: {_reason(error)}") from error
        self._connection = self._open()

    def forget_damaged(self) -> None:
        """Delete the database that was put aside, if there is one."""
        if self.folder is not None:
            _remove_damaged(self.folder)

    def _open(self) -> sqlite3.Connection:
        if self.folder is None:
            return self._open_in_memory()
        reason = "it is damaged and cannot be put aside"
        for _ in range(_ATTEMPTS):
            try:
                return self._open_file(self.folder)
            except (_OtherSchemaError, FileExistsError):
                pass
            except SQL_ERRORS as error:
                if not _is_damage(error):  # perhaps another process is replacing the file
                    reason = _reason(error)
                    time.sleep(_PAUSE)
                    continue
                self.note = _mended(self.folder)
            except OSError as error:
                return self._fall_back(_reason(error))
            try:
                self._put_aside()
            except OSError as error:
                return self._fall_back(_reason(error))
        return self._fall_back(reason)

    def _open_file(self, folder: Path) -> sqlite3.Connection:
        _make_folder(folder)
        file = folder / _FOLDER / _FILE
        self._identity = _identity(file)
        connection = _connect_patiently(file, self._schema)
        now = _identity(file)
        if self._identity not in (None, now):
            # Another process replaced the file meanwhile: this may be the old file with the log of the new one.
            connection.close()
            raise sqlite3.OperationalError("the file was replaced while it was opened")
        self._identity = now
        if not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)):
            connection.close()
            raise PermissionError(0, "it is read-only")
        return connection

    def _open_in_memory(self) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        _prepare(connection, self._schema)
        return connection

    def _fall_back(self, reason: str) -> sqlite3.Connection:
        self.note = f"the cache in '{self.folder}' cannot be used and nothing is kept: {reason}"
        self.folder = None
        return self._open_in_memory()

    def _recover(self, error: Exception) -> None:
        """Replace a damaged database by an empty one; raise for every other error."""
        if self.folder is None or not (_is_damage(error) or self._claims_read_only(error)):
            raise _store_error(error, self.folder) from error
        note = _mended(self.folder)
        self.close()
        with contextlib.suppress(OSError):
            self._put_aside()
        self._connection = self._open()
        self.note = self.note or note

    def _claims_read_only(self, error: Exception) -> bool:
        """Tell whether SQLite takes a writable file for a read-only one, as a damaged header makes it do."""
        return "readonly" in str(error) and self.file is not None and os.access(self.file, os.W_OK)

    def _put_aside(self) -> None:
        """Rename the damaged database, unless another process has already replaced it."""
        file = self.file
        if self.folder is not None and file is not None and _identity(file) == self._identity:
            _set_aside(self.folder)


def _check(connection: sqlite3.Connection) -> None:
    found = connection.execute("PRAGMA integrity_check(1)").fetchall()
    if found != [("ok",)]:
        raise sqlite3.DatabaseError("the integrity check failed")


def _memory_size(connection: sqlite3.Connection) -> int:
    pages, page = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    return int(pages) * int(page)


def _make_folder(folder: Path) -> None:
    """Make the cache folder and the database's own; raises `FileExistsError` only for the latter."""
    if not folder.is_dir():
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except FileExistsError as error:
            raise NotADirectoryError(0, "it is not a folder") from error
    tag = folder / "CACHEDIR.TAG"
    if not tag.exists():
        tag.write_text(_TAG, encoding="ascii")
    own = folder / _FOLDER
    if not own.is_dir():
        own.mkdir(mode=0o700, exist_ok=True)


def _connect_patiently(file: Path, schema: tuple[str, ...]) -> sqlite3.Connection:
    """Connect; while others make the file, SQLite answers "locked" at once instead of waiting, so wait here."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        connection = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            _prepare(connection, schema)
        except BaseException as error:
            connection.close()
            if not (isinstance(error, sqlite3.OperationalError) and "locked" in str(error)):
                raise
            if time.monotonic() > deadline:
                raise TimeoutError(0, f"it has been locked for {BUSY_SECONDS:.0f} seconds") from error
            time.sleep(_PAUSE)
        else:
            return connection


def _prepare(connection: sqlite3.Connection, schema: tuple[str, ...]) -> None:
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute(f"PRAGMA journal_size_limit = {_JOURNAL_BYTES}").fetchall()
    if _schema_version(connection) == 0:
        _create(connection, schema)
    if _schema_version(connection) != SCHEMA_VERSION:
        raise _OtherSchemaError


def _create(connection: sqlite3.Connection, schema: tuple[str, ...]) -> None:
    """Make the tables of an empty file; a file that others have filled in the meantime is left as it is."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if _schema_version(connection) == 0 and tables == 0:
            for statement in schema:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise


def _schema_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _roll_back(connection: sqlite3.Connection) -> None:
    with contextlib.suppress(sqlite3.Error):
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _damaged(folder: Path) -> Path:
    return folder / (_FOLDER + ".damaged")


def _set_aside(folder: Path) -> None:
    """Rename the database's folder, in place of the one put aside before."""
    _remove_damaged(folder)
    with contextlib.suppress(FileNotFoundError):
        (folder / _FOLDER).rename(_damaged(folder))


def _remove_damaged(folder: Path) -> None:
    path = _damaged(folder)
    if path.is_dir() and not path.is_symlink():
        import shutil  # slow to import, hardly ever needed

        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _is_damage(error: Exception) -> bool:
    """Tell whether the file's content, rather than the way to it, is at fault."""
    if isinstance(error, sqlite3.ProgrammingError | sqlite3.DataError):
        return False
    if isinstance(error, sqlite3.OperationalError):
        return str(error).startswith(("no such ", "Could not decode", "unsupported file format", "table "))
    return isinstance(error, sqlite3.DatabaseError | UnicodeDecodeError)


def _mended(folder: Path) -> str:
    return f"the cache in '{folder}' was damaged and has been made anew"


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error)


def _store_error(error: Exception, folder: Path | None) -> StoreError:
    where = f"the cache in '{folder}'" if folder is not None else "the cache in memory"
    if "locked" in str(error):
        return StoreError(f"{where} has been locked by another process for {BUSY_SECONDS:.0f} seconds", help=WAY_OUT)
    return StoreError(f"{where} cannot be used: {error}", help=WAY_OUT)
