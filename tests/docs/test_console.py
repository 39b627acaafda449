"""Every console block of the README and of the documentation does what the page shows."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.docs.blocks import TOP, Block, Reader, blocks_of, fits

_PAGES = [
    TOP / "README.md",
    TOP / "CONTRIBUTING.md",
    TOP / "examples" / "README.md",
    *sorted((TOP / "docs").rglob("*.md")),
]


def _pages(is_release: bool) -> list[object]:
    found: list[object] = []
    for page in _PAGES:
        blocks = [block for block in blocks_of(page.read_text(encoding="utf-8")) if not block.skipped]
        chosen = [block for block in blocks if block.needs_release == is_release]
        if any(block.commands for block in chosen):
            found.append(pytest.param(page, chosen, id=str(page.relative_to(TOP))))
    return found


def _follow(page: Path, blocks: list[Block], reader: Reader) -> None:
    for block in blocks:
        wrong = reader.follows(block)
        assert not wrong, "\n".join([str(page.relative_to(TOP)), *wrong])


@pytest.mark.parametrize(("page", "blocks"), _pages(is_release=False))
def test_page(page: Path, blocks: list[Block], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEPATH_CACHE_DIR", str(tmp_path / "cache"))
    _follow(page, blocks, Reader(tmp_path))


@pytest.mark.release
@pytest.mark.parametrize(("page", "blocks"), _pages(is_release=True))
def test_page_about_a_release(
    page: Path, blocks: list[Block], tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEPATH_CACHE_DIR", str(cache))
    _follow(page, blocks, Reader(tmp_path))


def test_skipped_blocks_say_why() -> None:
    for page in _PAGES:
        for block in blocks_of(page.read_text(encoding="utf-8")):
            assert block.commands or block.text, f"{page}:{block.line}"


def test_how_lines_are_compared() -> None:
    assert fits(("a", "...", "d 1.5 s"), ["a", "b", "c", "d 2.25 s"])
    assert fits(("a...c",), ["a b c"])
    assert not fits(("a", "c"), ["a", "b", "c"])
    assert not fits(("a",), ["a", "b"])


_TARGETS = sorted(
    {found for page in _PAGES for found in re.findall(r"(?m)^\$ make ([a-z-]+)", page.read_text("utf-8"))}
)


@pytest.mark.parametrize("target", _TARGETS)
def test_make_knows_what_the_pages_name(target: str) -> None:
    """What such a target does is what CI and the tests of packaging do; here it is only planned."""
    done = subprocess.run(["make", "-n", target], cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
