"""How far a long stage is, as it shows on standard error."""

from __future__ import annotations

import io

import pytest

from codepath.cli.progress import ProgressLine


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def shown(mode: str, moments: list[tuple[float, str, int, int]]) -> str:
    clock, stream = Clock(), io.StringIO()
    line = ProgressLine(stream, mode, clock)
    for at, stage, done, total in moments:
        clock.now = 100.0 + at
        line(stage, done, total)
    line.clear()
    return stream.getvalue()


def test_plain_lines_come_every_ten_seconds() -> None:
    moments = [(float(t), "parse", 100 * t, 1404) for t in range(26)]
    assert shown("plain", moments) == "parse 1000/1404 files\nparse 2000/1404 files\n"


def test_none_says_nothing_but_counts() -> None:
    assert shown("none", [(50.0, "parse", 7, 9)]) == ""
    line = ProgressLine(io.StringIO(), "none")
    line("parse", 7, 9)
    assert line.parsed == 7


def test_a_bar_is_redrawn_in_place_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    moments = [(0.1, "parse", 1, 10), (1.0, "parse", 2, 10), (1.05, "parse", 3, 10), (4.1, "parse", 5, 10)]
    drawn = shown("bar", moments).split("\r")
    assert drawn[0] == ""
    assert drawn[1] == "  parse    " + "█" * 8 + "░" * 32 + "  2/10 files\x1b[K"
    assert drawn[2] == "  parse    " + "█" * 20 + "░" * 20 + "  5/10 files   0:04 left\x1b[K"
    assert drawn[3:] == ["\x1b[K"]


def test_a_bar_fits_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    drawn = shown("bar", [(1.0, "parse", 2, 10)]).split("\r")[1]
    assert len(drawn.removesuffix("\x1b[K")) < 20


def test_a_stage_of_unknown_length() -> None:
    assert shown("plain", [(11.0, "link\x1b", 5, 0)]) == "link\\x1b 5\n"
