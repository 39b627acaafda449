"""The reference is what the code gives, and the links of every page hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import TOP
from tests.tools.pages import pages
from tests.tools.write_reference import REFERENCE

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
_PAGES = [*TOP.glob("*.md"), TOP / "examples" / "README.md", *sorted((TOP / "docs").rglob("*.md"))]


def test_the_reference_is_up_to_date() -> None:
    made = {name: text.rstrip("\n") + "\n" for name, text in pages().items()}
    assert {path.name: path.read_text(encoding="utf-8") for path in REFERENCE.glob("*.md")} == made, "make docs"


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_links_hold(page: Path) -> None:
    text = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`\n]*`", "", text)
    for link, picture in _LINK.findall(text):
        target = (link or picture).partition("#")[0]
        if target and "://" not in target:
            assert (page.parent / target).exists(), f"{page.relative_to(TOP)}: {target}"
