"""Which lines of two texts differ, and what they name."""

from __future__ import annotations

from codepath.app.moved import Block, line_after, moved
from codepath.app.touched import differing, telling
from codepath.model.answers import Place
from codepath.model.checks import Note


def _lines(text: str) -> list[bytes]:
    return text.encode().split()


def test_equal_texts_have_no_differing_lines() -> None:
    assert differing(_lines("a b c"), _lines("a b c")) == ([], [])


def test_a_changed_line_stands_in_both() -> None:
    assert differing(_lines("a b c"), _lines("a x c")) == ([range(1, 2)], [range(1, 2)])


def test_a_line_that_is_taken_out_leaves_a_place() -> None:
    assert differing(_lines("a b c"), _lines("a c")) == ([range(1, 2)], [range(1, 1)])


def test_changes_at_both_ends_are_two() -> None:
    removed, added = differing(_lines("a b c d"), _lines("x b c d e"))
    assert removed == [range(1), range(4, 4)]
    assert added == [range(1), range(4, 5)]


def test_a_line_tells_what_it_defines_stores_imports_and_passes() -> None:
    lines = [
        b"def load(path, again=True):",
        b"class Runner(Base):",
        b"    self.state: int = 1",
        b"    if self.state == 2:",
        b"    setattr(layer, 'scale', 1)",
        b"LIMIT = 2",
        b"from a import first, second",
        b"    third,",
        b"    run(path)",
        b"    def __init__(self):",
    ]
    told = set(telling(lines))
    assert told == {b"load", b"again", b"Runner", b"state", b"scale", b"LIMIT", b"first", b"second", b"third"}


def test_places_move_with_the_lines_around_a_change() -> None:
    blocks = (Block(1, 1, 3), Block(6, 5, 10))
    assert [line_after(line, blocks) for line in (1, 3, 4, 5, 6, 9)] == [1, 3, 4, 4, 5, 8]
    note = Note(Place("a.py", 9, 0, "a"), "here")
    assert moved((note, "text"), {"a.py": blocks}) == (Note(Place("a.py", 8, 0, "a"), "here"), "text")
    assert moved(note, {"b.py": blocks}) is note
