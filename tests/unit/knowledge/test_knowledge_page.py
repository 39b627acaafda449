"""The reference page of knowledge files is the one that the schema makes."""

from __future__ import annotations

from tests.tools.write_reference import KNOWLEDGE, knowledge_page


def test_the_page_is_current() -> None:
    assert KNOWLEDGE.read_text(encoding="utf-8") == knowledge_page(), "run tests/tools/write_reference.py"
