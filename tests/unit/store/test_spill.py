"""Rows on their way into the store."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codepath.errors import StoreError
from codepath.store import Spill, Store


def test_the_last_row_of_a_key_counts(tmp_path: Path) -> None:
    spill = Spill(tmp_path)
    spill.add("b", b"1")
    spill.add("a\udc80", b"")
    spill.add("b", b"22")
    assert spill.get("b") == b"22"
    assert spill.get("c") is None
    spill.add("0", b"x" * 600_000)
    spill.add("z", b"z")
    assert [(key, len(row)) for key, row in spill.ordered()] == [
        (b"0", 600_000),
        (b"a\xed\xb2\x80", 0),
        (b"b", 2),
        (b"z", 1),
    ]
    spill.close()


def test_it_leaves_no_file(tmp_path: Path) -> None:
    spill = Spill(tmp_path, parts=3)
    spill.add("a", b"1")
    assert not list(tmp_path.iterdir())
    spill.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_hands_over(tmp_path: Path) -> None:
    spill = Spill(tmp_path, parts=2)
    spill.add("a", b"first")
    child = os.fork()
    if child == 0:
        spill.begin(1)
        spill.add("b", b"second")
        spill.hand_over(b"done")
        os._exit(0)
    spill.add("c", b"third")
    assert os.waitpid(child, 0)[1] == 0
    assert spill.take_over(1) == b"done"
    assert list(spill.ordered()) == [(b"a", b"first"), (b"b", b"second"), (b"c", b"third")]
    spill.close()


def test_what_is_cut_short_is_an_error(tmp_path: Path) -> None:
    spill = Spill(tmp_path, parts=2)
    with pytest.raises(StoreError, match="cannot be read"):
        spill.take_over(1)
    spill.close()


def test_no_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="temporary files in"):
        Spill(tmp_path / "none")


def test_a_solution_is_stored_from_a_spill(tmp_path: Path) -> None:
    with Store.open(tmp_path, extractor_version=1) as store:
        spill = Spill(tmp_path)
        rows = {f"f{number}": bytes(number) for number in range(300)}
        for key, row in rows.items():
            spill.add(key, row)
        store.put_solution("s", b"meta", spill)
        spill.close()
        assert dict(store.solution_scan("s")) == rows


def test_a_store_is_closed_for_a_while(tmp_path: Path) -> None:
    with Store.open(tmp_path, extractor_version=1) as store:
        store.put_solution("s", b"meta", [("a", b"1")])
        with store.closed():
            pass
        assert store.solution_rows("s", ["a"]) == {"a": b"1"}
