"""Text of a tree inside Markdown."""

from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from codepath.report.markdown import block, shown
from codepath.report.pen import harmless


def test_marks_are_written_as_entities() -> None:
    assert shown("a|b") == "<code>a&#124;b</code>"
    assert shown("") == ""


def test_a_backslash_before_a_bar_does_not_end_a_cell() -> None:
    assert "|" not in shown("x == '\\|' or '\\\\|'")


def test_nobody_is_mentioned_and_nothing_linked() -> None:
    said = shown("@someone www.example.com http://example.com a@example.com #12 <img src=x> ![x](y)")
    assert not re.search(r"[@:.#!\[\]()]", re.sub(r"&#\d+;|<!-- -->|</?code>", "", said))


@given(st.text())
def test_only_letters_digits_blanks_and_entities_stand_there(text: str) -> None:
    said = shown(text)
    inner = said.removeprefix("<code>").removesuffix("</code>")
    assert not set("|`<>[]()*_\\\n\r@").intersection(re.sub(r"&#\d+;|<!-- -->", "", inner))
    assert html.unescape(inner.replace("<!-- -->", "")) == harmless(text)


@given(st.lists(st.text(alphabet="`a\n")))
def test_nothing_ends_a_block(lines: list[str]) -> None:
    first, *body, last = block(lines).splitlines()
    fence = first.removesuffix("text")
    assert last == fence
    assert all(fence not in line for line in body)
