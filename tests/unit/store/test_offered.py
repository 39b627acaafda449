"""What is stored only where it costs no waiting."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from codepath.store import Store


def test_what_is_offered_is_stored(tmp_path: Path) -> None:
    with Store.open(tmp_path, extractor_version=1) as store:
        store.offer_answer("a", b"body")
        store.offer_answer("a", b"other")
        assert store.answer("a") == b"other"


def test_another_process_that_writes_is_not_waited_for(tmp_path: Path) -> None:
    with Store.open(tmp_path, extractor_version=1) as store:
        other = sqlite3.connect(_database(tmp_path), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        store.offer_answer("a", b"body")
        other.execute("ROLLBACK")
        other.close()
        assert store.answer("a") is None


def _database(folder: Path) -> Path:
    files = (path for path in folder.rglob("*") if path.is_file())
    return next(path for path in files if path.read_bytes().startswith(b"SQLite format 3"))
