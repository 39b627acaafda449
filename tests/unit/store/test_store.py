"""Round trips, what counts as known, the least recently used solutions, and the care of the cache."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codepath.errors import StoreError
from codepath.store import FactsRow, Failure, SolutionLost, Store
from codepath.store.solutions import KEPT

FAILURE = Failure("invalid syntax", 3, 4)


def facts_row(key: str, blob: bytes = b"facts", *, ast_refused: bool = False) -> FactsRow:
    return FactsRow(key, blob, None, ast_refused)


def failure_row(key: str) -> FactsRow:
    return FactsRow(key, None, FAILURE, False)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "cache", extractor_version=1) as opened:
        yield opened


def age(folder: Path, days: int) -> None:
    """Make everything in the cache look last used `days` earlier."""
    with sqlite3.connect(folder / "index" / "index.sqlite") as connection:
        for table in ("identifiers", "git_blobs", "snapshots", "folders", "listings", "answers"):
            connection.execute(f"UPDATE {table} SET used = used - ?", (days * 86_400,))
        connection.execute("UPDATE solutions SET used = used - ?", (days * 86_400 * 10**9,))
    connection.close()


# --- facts -----------------------------------------------------------------------------------------------------------


def test_facts_come_back_in_the_order_of_the_question(store: Store) -> None:
    store.put_facts([facts_row("a", b"1"), failure_row("b"), facts_row("c", b"")])
    assert list(store.facts(["c", "absent", "b", "a", "c"]).items()) == [("c", b""), ("b", FAILURE), ("a", b"1")]
    assert store.known(["c", "absent", "b", "a"]) == {"a", "b", "c"}


def test_more_keys_than_one_query_takes(store: Store) -> None:
    rows = [facts_row(f"{i:032x}", str(i).encode()) for i in range(1203)]
    store.put_facts(iter(rows))
    keys = [row.key for row in rows]
    assert store.facts(keys) == {row.key: row.blob for row in rows}
    assert store.known(keys) == set(keys)


def test_facts_outlive_the_store(tmp_path: Path) -> None:
    for version, expected in ((1, {"a": b"1"}), (2, {})):
        with Store.open(tmp_path, extractor_version=1) as store:
            store.put_facts([facts_row("a", b"1")])
        with Store.open(tmp_path, extractor_version=version) as store:
            assert store.facts(["a"]) == expected
            assert store.note == ""


def test_what_ast_refused_holds_for_that_python_only(store: Store) -> None:
    store.put_facts([facts_row("a", b"old", ast_refused=True), failure_row("b")], python_minor="3.10")
    assert store.facts(["a", "b"], "3.10") == {"a": b"old", "b": FAILURE}
    assert store.facts(["a", "b"], "3.12") == {}
    assert store.known(["a", "b"], "3.12") == set()


def test_what_another_python_stores_later_changes_no_answer(store: Store) -> None:
    store.put_facts([facts_row("a", b"old", ast_refused=True)], python_minor="3.10")
    store.put_facts([facts_row("a", b"new")], python_minor="3.12")
    assert store.facts(["a"], "3.10") == {"a": b"old"}
    assert store.facts(["a"], "3.12") == {"a": b"new"}


def test_a_newer_row_replaces_the_older(store: Store) -> None:
    store.put_facts([failure_row("a")])
    store.put_facts([FactsRow("a", b"facts", None, True)])
    assert store.facts(["a"]) == {"a": b"facts"}


def test_a_row_without_content_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="neither facts nor a failure"):
        store.put_facts([FactsRow("a", None, None, False)])


def test_rows_before_a_failing_producer_are_kept(store: Store) -> None:
    def produce() -> Iterator[FactsRow]:
        for i in range(64):
            yield facts_row(str(i))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.put_facts(produce())
    assert len(store.known(map(str, range(64)))) == 64


# --- identifiers and trees -------------------------------------------------------------------------------------------


@given(st.dictionaries(st.text("ab", min_size=1), st.frozensets(st.from_regex(r"\A[^\W\d]\w*\Z")), max_size=5))
def test_identifiers_come_back(rows: dict[str, frozenset[str]]) -> None:
    with Store.open(None, extractor_version=1) as store:
        store.put_identifiers(rows.items())
        assert store.identifiers([*rows, "absent"]) == rows


def test_git_blobs_come_back(store: Store) -> None:
    store.put_blob_keys([("1" * 40, "a"), ("2" * 64, "b")])
    assert store.blob_keys(["2" * 64, "1" * 40, "3" * 40]) == {"2" * 64: "b", "1" * 40: "a"}


def test_snapshots_come_back(store: Store) -> None:
    rows = (("a.py", "k1"), ("b/ä.py", "k2"), ("c/\udcff.py", "k3"))
    store.put_snapshot("s1", rows)
    store.put_snapshot("s2", ())
    assert store.snapshot("s1") == rows
    assert store.snapshot("s2") == ()
    assert store.snapshot("s3") is None
    assert store.snapshots() == ("s1", "s2")


def test_a_key_is_found_only_for_the_same_stat(tmp_path: Path) -> None:
    big = 2**63 + 5
    rows = [("/t/a.py", 10, -5, big, "k1"), ("/t/b.py", 11, 21, 31, "k2"), ("/t/sub/\udcff.py", 12, 22, 32, "git:k3")]
    with Store.open(tmp_path, extractor_version=1) as store:
        assert store.hashes.get("/t/a.py", 10, -5, big) is None
        store.hashes.put(rows)
        assert store.hashes.get("/t/a.py", 10, -5, big) == "k1"
    with Store.open(tmp_path, extractor_version=1) as store:
        assert [store.hashes.get(*row[:4]) for row in rows] == ["k1", "k2", "git:k3"]
        assert store.hashes.get("/t/a.py", 11, -5, big) is None
        assert store.hashes.get("/t/a.py", 10, 5, big) is None
        assert store.hashes.get("/t/a.py", 10, -5, 1) is None
        assert store.hashes.get("/t/c.py", 10, -5, big) is None


def test_files_that_are_gone_are_forgotten_with_the_next_change(tmp_path: Path) -> None:
    with Store.open(tmp_path, extractor_version=1) as store:
        store.hashes.put([("/t/a.py", 1, 1, 1, "a"), ("/t/b.py", 1, 1, 1, "b"), ("/t/c.py", 1, 1, 1, "c")])
    with Store.open(tmp_path, extractor_version=1) as store:
        assert store.hashes.get("/t/a.py", 1, 1, 1) == "a"
        store.hashes.put([("/t/b.py", 2, 2, 2, "b2")])
    with Store.open(tmp_path, extractor_version=1) as store:
        assert store.hashes.get("/t/a.py", 1, 1, 1) == "a"
        assert store.hashes.get("/t/b.py", 2, 2, 2) == "b2"
        assert store.hashes.get("/t/c.py", 1, 1, 1) is None


def test_a_listing_is_found_only_for_the_same_stat(store: Store) -> None:
    store.hashes.put_listing("/w/a.whl", 1, 2, 3, b"listing")
    assert store.hashes.get_listing("/w/a.whl", 1, 2, 3) == b"listing"
    assert store.hashes.get_listing("/w/a.whl", 1, 2, 4) is None
    assert store.hashes.get_listing("/w/b.whl", 1, 2, 3) is None


# --- solutions -------------------------------------------------------------------------------------------------------

ROWS = [(f"pkg.mod{i % 7}.f{i}", bytes([i % 256]) * (i % 500)) for i in range(1000)]


def test_a_solution_comes_back(store: Store) -> None:
    store.put_solution("s", b"meta", reversed(ROWS))
    assert store.solution_meta("s") == b"meta"
    assert list(store.solution_scan("s")) == sorted(ROWS)
    assert list(store.solution_scan("s", "pkg.mod3")) == sorted(row for row in ROWS if row[0].startswith("pkg.mod3"))
    assert store.solution_rows("s", ["pkg.mod3.f3", "pkg.absent", "", "zzz", "pkg.mod0.f0"]) == {
        "pkg.mod3.f3": b"\x03" * 3,
        "pkg.mod0.f0": b"",
    }
    assert store.solution_rows("s", [name for name, _ in ROWS]) == dict(ROWS)


@given(st.dictionaries(st.text(max_size=8), st.binary(max_size=3000), max_size=12), st.lists(st.text(max_size=8)))
def test_any_solution_comes_back(rows: dict[str, bytes], others: list[str]) -> None:
    with Store.open(None, extractor_version=1) as store:
        store.put_solution("s", b"", rows.items())
        assert list(store.solution_scan("s")) == sorted(rows.items())
        assert store.solution_rows("s", [*rows, *others]) == rows
        for begun in (*others, *(name[:1] for name in rows)):
            fitting = sorted(row for row in rows.items() if row[0].startswith(begun))
            assert list(store.solution_scan("s", begun)) == fitting


def test_an_unknown_solution(store: Store) -> None:
    assert store.solution_meta("s") is None
    with pytest.raises(SolutionLost, match="'s'"):
        store.solution_rows("s", ["f"])
    with pytest.raises(SolutionLost):
        store.solution_scan("s")


def test_a_solution_replaces_the_one_of_the_same_id(store: Store) -> None:
    store.put_solution("s", b"1", ROWS)
    assert store.solution_rows("s", ["new"]) == {}
    store.put_solution("s", b"2", [("new", b"row")])
    assert store.solution_meta("s") == b"2"
    assert list(store.solution_scan("s")) == [("new", b"row")]
    assert store.status().solutions == 1


def test_the_least_recently_used_solutions_go(store: Store) -> None:
    for i in range(KEPT):
        store.put_solution(f"s{i}", str(i).encode(), ROWS[:10])
    assert store.solution_meta("s0") == b"0"
    store.put_solution("new", b"", ROWS[:10])
    store.put_solution("newer", b"", ROWS[:10])
    names = [f"s{i}" for i in range(KEPT)] + ["new", "newer"]
    assert [name for name in names if store.solution_meta(name) is None] == ["s1", "s2"]
    assert store.status().solutions == KEPT


def test_a_solution_that_another_process_drops_is_lost_for_the_reader(tmp_path: Path) -> None:
    with Store.open(tmp_path, extractor_version=1) as reader, Store.open(tmp_path, extractor_version=1) as writer:
        reader.put_solution("s", b"", ROWS)
        assert reader.solution_rows("s", ["absent"]) == {}
        writer.put_solution("s", b"", ROWS)
        with pytest.raises(SolutionLost):
            reader.solution_rows("s", ["pkg.mod0.f0"])
        assert reader.solution_rows("s", ["pkg.mod0.f0"]) == {"pkg.mod0.f0": b""}


def test_a_failing_producer_leaves_no_solution(store: Store) -> None:
    def produce() -> Iterator[tuple[str, bytes]]:
        yield "f", b""
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.put_solution("s", b"", produce())
    assert store.solution_meta("s") is None


# --- care ------------------------------------------------------------------------------------------------------------


def test_status_counts(tmp_path: Path) -> None:
    with Store.open(tmp_path, extractor_version=1) as store:
        store.put_facts([facts_row("old")])
    with Store.open(tmp_path, extractor_version=2) as store:
        store.put_facts([facts_row("a"), facts_row("b"), failure_row("c")])
        store.put_facts([facts_row("b", ast_refused=True)], "3.10")
        store.put_snapshot("s", [("a.py", "a")])
        store.put_solution("s", b"", [])
        status = store.status()
    assert (status.files, status.failures, status.other_versions) == (2, 1, 1)
    assert (status.snapshots, status.solutions, status.path) == (1, 1, tmp_path)
    assert status.size > 0


def test_clear_removes_everything(tmp_path: Path) -> None:
    (tmp_path / "index.damaged").mkdir()
    with Store.open(tmp_path, extractor_version=1) as store:
        store.put_facts([facts_row("a")])
        store.put_solution("s", b"", ROWS)
        store.hashes.put([("/t/a.py", 1, 1, 1, "a")])
        assert store.solution_rows("s", []) == {}
        store.clear()
        assert store.facts(["a"]) == {}
        assert store.solution_meta("s") is None
        assert store.hashes.get("/t/a.py", 1, 1, 1) is None
        store.put_facts([facts_row("b")])
        assert store.status().files == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["CACHEDIR.TAG", "index"]


def test_another_process_survives_a_clear(tmp_path: Path) -> None:
    with Store.open(tmp_path, extractor_version=1) as one, Store.open(tmp_path, extractor_version=1) as other:
        other.put_facts([facts_row("a")])
        one.clear()
        other.put_facts([facts_row("b")])
        assert other.facts(["a", "b"]) == {"a": b"facts", "b": b"facts"}
        one.put_facts([facts_row("c")])
    with Store.open(tmp_path, extractor_version=1) as store:
        assert store.known(["a", "b", "c"]) == {"c"}


def test_gc_keeps_what_a_recent_snapshot_names(tmp_path: Path) -> None:
    with Store.open(tmp_path, extractor_version=1) as store:
        store.put_facts([facts_row("live", b"of another version")])
    with Store.open(tmp_path, extractor_version=2) as store:
        store.put_facts([facts_row("live"), facts_row("dead"), failure_row("lost")])
        store.put_identifiers([("live", ["a"]), ("dead", ["b"])])
        store.put_blob_keys([("1" * 40, "live"), ("2" * 40, "dead")])
        store.put_snapshot("old", [("a.py", "dead")])
        store.put_solution("old", b"", ROWS)
        store.put_answer("old", b"")
        store.hashes.put_listing("/w/old.whl", 1, 1, 1, b"")
        age(tmp_path, 91)
        store.put_snapshot("new", [("a.py", "live")])
        store.put_solution("new", b"", ROWS)
        store.hashes.put_listing("/w/new.whl", 1, 1, 1, b"")
        removed = store.gc()
        assert (removed.facts, removed.snapshots, removed.solutions) == (3, 1, 1)
        assert store.facts(["live", "dead", "lost"]) == {"live": b"facts"}
        assert set(store.identifiers(["live", "dead"])) == {"live"}
        assert set(store.blob_keys(["1" * 40, "2" * 40])) == {"1" * 40}
        assert store.snapshots() == ("new",)
        assert store.answer("old") is None
        assert list(store.solution_scan("new")) == sorted(ROWS)
        assert store.solution_meta("old") is None
        assert store.hashes.get_listing("/w/new.whl", 1, 1, 1) == b""
        assert store.hashes.get_listing("/w/old.whl", 1, 1, 1) is None


def test_reading_a_snapshot_keeps_it_from_gc(tmp_path: Path) -> None:
    with Store.open(tmp_path, extractor_version=1) as store:
        store.put_snapshot("s", [("a.py", "a")])
        store.put_facts([facts_row("a")])
        age(tmp_path, 91)
        assert store.snapshot("s") is not None
        assert store.gc().facts == 0


def test_gc_gives_the_space_back(tmp_path: Path) -> None:
    (tmp_path / "index.damaged").mkdir()
    with Store.open(tmp_path, extractor_version=1) as store:
        store.put_facts(facts_row(str(i), os.urandom(10_000)) for i in range(100))
        before = store.status().size
        removed = store.gc()
        assert removed.facts == 100
        assert store.status().size == before - removed.size < 200_000
    assert not (tmp_path / "index.damaged").exists()


def test_gc_in_memory() -> None:
    with Store.open(None, extractor_version=1) as store:
        store.put_facts([facts_row("a")])
        assert store.gc().facts == 1
        assert store.status().path is None
        store.clear()
        assert store.status().size > 0


# --- answers ---------------------------------------------------------------------------------------------------------


def test_answers_come_back(store: Store) -> None:
    assert store.answer("a") is None
    store.put_answer("a", b"1")
    store.put_answer("a", b"2")
    assert store.answer("a") == b"2"


def test_only_the_last_answers_are_kept(tmp_path: Path) -> None:
    with Store.open(tmp_path, extractor_version=1) as store:
        store.put_answer("old", b"")
        age(tmp_path, 1)
        for number in range(400):
            store.put_answer(str(number), b"")
        assert store.answer("old") is None
        assert all(store.answer(str(number)) == b"" for number in range(400))


# --- opening ---------------------------------------------------------------------------------------------------------


def test_the_folder_is_private_and_tagged(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "cache"
    with Store.open(folder, extractor_version=1):
        pass
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    if os.name == "posix":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_made_keeps_the_cache_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "cache"):
        with Store.open(folder, extractor_version=1) as store:
            assert store.note.startswith(f"the cache in '{folder}' cannot be used and nothing is kept: ")
            store.put_facts([facts_row("a")])
            assert store.facts(["a"]) == {"a": b"facts"}
            assert store.status().path is None
    assert (tmp_path / "file").read_text() == ""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_keeps_the_cache_in_memory(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with Store.open(tmp_path / "cache", extractor_version=1) as store:
        assert "Permission denied" in store.note
    tmp_path.chmod(0o700)


def test_a_read_only_cache_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path, extractor_version=1) as store:
        store.put_facts([facts_row("a")])
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda path, mode: False)
        with Store.open(tmp_path, extractor_version=1) as store:
            assert store.note.endswith("it is read-only")
            store.put_facts([facts_row("b")])
            assert store.known(["a", "b"]) == {"b"}
    with Store.open(tmp_path, extractor_version=1) as store:
        assert store.known(["a", "b"]) == {"a"}


def test_a_full_disk_is_an_error_with_a_way_out(store: Store) -> None:
    store.put_facts([facts_row("a")])
    store._database.run(lambda c: c.execute("PRAGMA max_page_count = 1").fetchone())
    with pytest.raises(StoreError, match="full") as caught:
        store.put_facts([facts_row("b", bytes(1_000_000))])
    assert "--cache-dir" in caught.value.help[0]
    assert "CODEPATH_CACHE_DIR" in caught.value.help[0]
    assert store.facts(["a", "b"]) == {"a": b"facts"}


def test_a_lock_that_stays_is_an_error_and_readers_do_not_wait(tmp_path: Path) -> None:
    with Store.open(tmp_path, extractor_version=1) as store, Store.open(tmp_path, extractor_version=1) as other:
        store.put_facts([facts_row("a")])
        store.put_solution("s", b"meta", [])
        store.put_solution("t", b"meta", [])
        store.put_snapshot("p", [])
        age(tmp_path, 2)
        store._database.run(lambda c: c.execute("PRAGMA busy_timeout = 1").fetchone())
        other._database.run(lambda c: c.execute("BEGIN IMMEDIATE").fetchone())
        with pytest.raises(StoreError, match="locked by another process"):
            store.put_facts([facts_row("b")])
        assert store.facts(["a"]) == {"a": b"facts"}
        assert store.solution_meta("s") == b"meta"
        assert store.snapshot("p") == ()
        other._database.run(lambda c: c.execute("ROLLBACK").fetchone())
        store.put_facts([facts_row("b")])
