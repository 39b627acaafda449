"""Damage of every kind: what comes back is what was stored, or nothing."""

from __future__ import annotations

import functools
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from codepath.store import FactsRow, Failure, SolutionLost, Store
from codepath.store import database as database_module
from codepath.store.database import SCHEMA_VERSION

KEYS = [f"{i:032x}" for i in range(40)]
FACTS: dict[str, bytes | Failure] = {key: key.encode() * (5 * i) for i, key in enumerate(KEYS)}
FACTS[KEYS[7]] = Failure("invalid syntax", 1, 2)
WORDS = {key: frozenset(f"word{i}_{j}" for j in range(30)) for i, key in enumerate(KEYS)}
BLOBS = {f"{i:040x}": key for i, key in enumerate(KEYS)}
SNAPSHOT = tuple((f"pkg/mod{i}.py", key) for i, key in enumerate(KEYS))
ROWS = {f"pkg.mod{i}.f": str(i).encode() * 40 for i in range(300)}
STAMPS = [(f"/t/{i % 3}/m{i}.py", i, i, i, key) for i, key in enumerate(KEYS)]


def fill(store: Store) -> None:
    failures = {key: value for key, value in FACTS.items() if isinstance(value, Failure)}
    store.put_facts(FactsRow(key, value, None, False) for key, value in FACTS.items() if isinstance(value, bytes))
    store.put_facts(FactsRow(key, None, value, False) for key, value in failures.items())
    store.put_identifiers(WORDS.items())
    store.put_blob_keys(BLOBS.items())
    store.put_snapshot("tree", SNAPSHOT)
    store.put_solution("solved", b"meta", ROWS.items())
    store.hashes.put(STAMPS)
    store.hashes.put_listing("/w/a.whl", 1, 2, 3, b"listing")


def is_part(found: dict[str, object], whole: dict[str, object]) -> bool:
    return all(whole[key] == value for key, value in found.items())


def check_answers(store: Store) -> None:
    """Every answer is right or absent."""
    assert is_part({**store.facts(KEYS)}, {**FACTS})
    assert is_part({**store.identifiers(KEYS)}, {**WORDS})
    assert is_part({**store.blob_keys(BLOBS)}, {**BLOBS})
    assert store.snapshot("tree") in (None, SNAPSHOT)
    assert store.hashes.get_listing("/w/a.whl", 1, 2, 3) in (None, b"listing")
    assert all(store.hashes.get(*row[:4]) in (None, row[4]) for row in STAMPS)
    store.known(KEYS)
    store.snapshots()
    if store.solution_meta("solved") is not None:
        check_solution(store)


def check_solution(store: Store) -> None:
    try:
        assert store.solution_rows("solved", [*ROWS, "absent"]) == ROWS
        assert dict(store.solution_scan("solved")) == ROWS
    except SolutionLost:
        assert store.solution_meta("solved") is None


def check_whole(store: Store) -> None:
    assert store.facts(KEYS) == FACTS
    assert store.identifiers(KEYS) == WORDS
    assert store.blob_keys(BLOBS) == BLOBS
    assert store.snapshot("tree") == SNAPSHOT
    assert store.solution_meta("solved") == b"meta"
    assert store.solution_rows("solved", ROWS) == ROWS


@functools.cache
def intact() -> bytes:
    """The bytes of a filled database."""
    with tempfile.TemporaryDirectory() as folder:
        with Store.open(Path(folder), extractor_version=1) as store:
            fill(store)
        return database(folder).read_bytes()


def database(folder: str | Path) -> Path:
    return Path(folder) / "index" / "index.sqlite"


def check_damaged(data: bytes) -> None:
    """Open a database of these bytes, ask it everything, fill it again and find everything."""
    with tempfile.TemporaryDirectory() as folder:
        database(folder).parent.mkdir()
        database(folder).write_bytes(data)
        with Store.open(Path(folder), extractor_version=1) as store:
            check_answers(store)
            store.status()
            fill(store)
            check_answers(store)
        with Store.open(Path(folder), extractor_version=1) as store:
            fill(store)
            if store.note:  # mended on the way, with what was stored before
                fill(store)
            check_whole(store)


def flipped(data: bytes, places: list[tuple[int, int]]) -> bytes:
    changed = bytearray(data)
    for at, mask in places:
        changed[at % len(changed)] ^= mask
    return bytes(changed)


masks = st.integers(1, 255)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 2**31), masks), min_size=1, max_size=40))
def test_flipped_bytes(places: list[tuple[int, int]]) -> None:
    check_damaged(flipped(intact(), places))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 99), masks)
@example(18, 1)  # says "read-only"
@example(19, 1)
@example(59, 3)  # says UTF-16
def test_a_flipped_byte_in_the_header(at: int, mask: int) -> None:
    check_damaged(flipped(intact(), [(at, mask)]))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**31), st.integers(0, 31), masks)
def test_a_flipped_byte_in_the_head_of_a_page(page: int, at: int, mask: int) -> None:
    check_damaged(flipped(intact(), [(page % (len(intact()) // 4096) * 4096 + at, mask)]))


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**31))
@example(0)
@example(1)
@example(4096)
def test_a_truncated_file(length: int) -> None:
    check_damaged(intact()[: length % len(intact())])


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 2**31), st.integers(1, 2**31))
def test_swapped_pages(one: int, other: int) -> None:
    data = bytearray(intact())
    pages = len(data) // 4096
    a, b = (slice(i % pages * 4096, i % pages * 4096 + 4096) for i in (one, other))
    data[a], data[b] = data[b], data[a]
    check_damaged(bytes(data))


@settings(deadline=None, max_examples=20)
@given(st.binary(max_size=9000))
@example(b"# not a database\n" * 1000)
def test_a_file_that_is_no_database(data: bytes) -> None:
    check_damaged(data)


def damaged_store(folder: Path, damage: Callable[[Path], None]) -> Store:
    with Store.open(folder, extractor_version=1) as store:
        fill(store)
    damage(database(folder))
    return Store.open(folder, extractor_version=1)


def execute(*statements: str) -> Callable[[Path], None]:
    def damage(file: Path) -> None:
        with closing(sqlite3.connect(file, isolation_level=None)) as connection:
            for statement in statements:
                connection.execute(statement)

    return damage


def test_garbage_is_put_aside_and_only_the_last_is_kept(tmp_path: Path) -> None:
    for text in (b"one " * 1000, b"two " * 1000):
        with damaged_store(tmp_path, lambda file, t=text: file.write_bytes(t) and None) as store:  # type: ignore[misc]
            assert store.note == f"the cache in '{tmp_path}' was damaged and has been made anew"
            assert store.facts(KEYS) == {}
        assert (tmp_path / "index.damaged" / "index.sqlite").read_bytes() == text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["CACHEDIR.TAG", "index", "index.damaged"]


def test_another_schema_version_is_put_aside_without_a_word(tmp_path: Path) -> None:
    with damaged_store(tmp_path, execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")) as store:
        assert store.note == ""
        assert store.facts(KEYS) == {}
        fill(store)
    with Store.open(tmp_path, extractor_version=1) as store:
        check_whole(store)
    assert (tmp_path / "index.damaged" / "index.sqlite").exists()


def test_a_database_of_somebody_else_is_put_aside(tmp_path: Path) -> None:
    database(tmp_path).parent.mkdir()
    execute("CREATE TABLE theirs (x)")(database(tmp_path))
    with Store.open(tmp_path, extractor_version=1) as store:
        fill(store)
        check_whole(store)


def test_a_file_in_place_of_the_folder_is_put_aside(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("a file")
    with Store.open(tmp_path, extractor_version=1) as store:
        fill(store)
    assert (tmp_path / "index.damaged").read_text() == "a file"
    with Store.open(tmp_path, extractor_version=1) as store:
        check_whole(store)


def test_a_missing_table_is_damage(tmp_path: Path) -> None:
    with damaged_store(tmp_path, execute("DROP TABLE identifiers")) as store:
        assert store.identifiers(KEYS) == {}
        assert "made anew" in store.note
        fill(store)
        check_whole(store)


def test_a_damaged_row_of_facts_is_dropped(tmp_path: Path) -> None:
    change = f"UPDATE facts SET sealed = CAST('x' || substr(sealed, 2) AS BLOB) WHERE key = CAST('{KEYS[3]}' AS BLOB)"
    with damaged_store(tmp_path, execute(change)) as store:
        assert store.known([KEYS[3]]) == {KEYS[3]}
        assert set(store.facts(KEYS)) == set(KEYS) - {KEYS[3]}
        assert store.known([KEYS[3]]) == set()
        assert store.note == ""


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE facts SET sealed = NULL",
        "UPDATE OR IGNORE facts SET sealed = x'00'",
        "UPDATE facts SET sealed = 'text'",
        "UPDATE facts SET failed = 1 - failed",
        "UPDATE facts SET sealed = (SELECT sealed FROM facts LIMIT 1 OFFSET 9)",
    ],
)
def test_no_row_that_was_changed_is_believed(tmp_path: Path, change: str) -> None:
    statements = (change,) if "NULL" not in change else ("UPDATE facts SET sealed = 5",)
    with damaged_store(tmp_path, execute(*statements)) as store:
        assert len(store.facts(KEYS)) <= 1
        check_answers(store)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE solution_chunks SET sealed = x'00' WHERE chunk = 1",
        "DELETE FROM solution_chunks WHERE chunk = 0",
        "UPDATE solution_chunks SET chunk = chunk + 1 WHERE chunk = (SELECT max(chunk) FROM solution_chunks)",
        "UPDATE solutions SET directory = x'0000000000'",
        "UPDATE solutions SET number = number + 1",
    ],
)
def test_a_damaged_solution_is_lost_not_smaller(tmp_path: Path, change: str) -> None:
    with damaged_store(tmp_path, execute(change)) as store:
        assert store.solution_meta("solved") == b"meta"
        with pytest.raises(SolutionLost):
            store.solution_scan("solved")
        assert store.solution_meta("solved") is None
        assert store.status().solutions == 0


def test_a_damaged_meta_is_no_solution(tmp_path: Path) -> None:
    with damaged_store(tmp_path, execute("UPDATE solutions SET meta = x'616263'")) as store:
        assert store.solution_meta("solved") is None
        assert store.status().solutions == 0


def test_damage_that_appears_under_an_open_store(tmp_path: Path) -> None:
    with Store.open(tmp_path, extractor_version=1) as store:
        fill(store)
        store._database.run(lambda c: c.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
        size = database(tmp_path).stat().st_size
        with database(tmp_path).open("r+b") as file:
            file.seek(4096)
            file.write(b"\xa5" * (size - 4096))
    with Store.open(tmp_path, extractor_version=1) as store, Store.open(tmp_path, extractor_version=1) as other:
        check_answers(store)
        assert "made anew" in store.note
        fill(store)
        check_answers(other)
        check_whole(store)
        check_answers(other)
        other.put_facts([FactsRow("new", b"facts", None, False)])
    with Store.open(tmp_path, extractor_version=1) as store:
        check_whole(store)
        assert store.facts(["new"]) == {"new": b"facts"}


def test_gc_finds_damage_that_no_question_meets(tmp_path: Path) -> None:
    def damage(file: Path) -> None:
        # Fewer cells than the page holds: rows are silently absent.
        file.write_bytes(flipped(file.read_bytes(), [(2 * 4096 + 4, intact()[2 * 4096 + 4])]))

    with damaged_store(tmp_path, damage) as store:
        assert store.identifiers(KEYS) == {}
        assert store.note == ""
        store.gc()
        assert "made anew" in store.note
        fill(store)
        check_whole(store)


def test_a_file_that_is_replaced_while_it_is_opened_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = database_module._connect_patiently
    replaced: list[Path] = []

    def replacing(file: Path, schema: tuple[str, ...]) -> sqlite3.Connection:
        connection = connect(file, schema)
        if not replaced:
            replaced.append(file.parent.rename(tmp_path / "moved"))
            with Store.open(tmp_path, extractor_version=1) as other:
                fill(other)
        return connection

    with Store.open(tmp_path, extractor_version=1):
        pass
    monkeypatch.setattr(database_module, "_connect_patiently", replacing)
    with Store.open(tmp_path, extractor_version=1) as store:
        assert replaced
        assert store.note == ""
        check_whole(store)
