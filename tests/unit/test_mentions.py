"""Words in the bytes of files that are not parsed."""

from __future__ import annotations

import pytest

from codepath.app.mentions import code_of, identifiers, mentioned, occurrences
from codepath.app.unread_stores import binds


def test_identifiers_are_words_that_can_be_names() -> None:
    assert identifiers("x1 = _y.größe + 12 if a else 'b c'  # d".encode()) == frozenset(
        ["x1", "_y", "größe", "if", "a", "else", "b", "c", "d"]
    )


def test_bytes_that_are_no_text_have_words_too() -> None:
    assert "name" in identifiers(b"name \xff\xfe = 1")


def test_a_word_stands_alone() -> None:
    assert list(occurrences(b"run rerun run_all run", b"run")) == [0, 18]


@pytest.mark.parametrize(
    ("text", "is_used"),
    [
        ("run()", True),
        ("f(run)", True),
        ("from a import run", False),
        ("def f(x: run) -> None: ...", False),
        ("def f() -> run: ...", False),
        ("'run'", False),
        ("getattr(x, 'run')", True),
        ("# run", False),
        ("prerun()", False),
        ("x = {1: run()}", True),
    ],
)
def test_what_counts_as_a_use(text: str, is_used: bool) -> None:
    assert mentioned(code_of(text.encode()), ["run"]) == ({"run"} if is_used else set())


@pytest.mark.parametrize(
    ("text", "is_bound"),
    [
        ("class A:\n    def rank(self): ...\n", True),
        ("class A:\n    rank = 1\n", True),
        ("class A:\n    rank: int\n", True),
        ("class A:\n\trank = 1\n", True),
        ("rank = 1\n", False),
        ("class A:\n    rank == 1\n", False),
        ("f(\n    rank=1,\n)\n", False),
        ("class A:\n    x = rank\n", False),
        ("class A:\n    def ranks(self): ...\n", False),
    ],
)
def test_what_may_bind_a_name_in_a_class_body(text: str, is_bound: bool) -> None:
    assert binds(text.encode(), b"rank") is is_bound
