"""The page on rules is the one that the schema gives."""

from __future__ import annotations

from tests.tools.write_reference import RULES, rules_page


def test_the_page_is_up_to_date() -> None:
    assert RULES.read_text(encoding="utf-8") == rules_page(), "run tests/tools/write_reference.py"
