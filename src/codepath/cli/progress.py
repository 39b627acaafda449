"""How far a long stage is, on standard error."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TextIO

from codepath.report.pen import harmless

_BAR = 40
_EVERY = {"bar": 0.1, "plain": 10.0}
_FIRST = {"bar": 0.3, "plain": 10.0}
_FILES = frozenset(["parse", "read"])


class ProgressLine:
    """Shows a stage, redrawn in one line (mode `bar`), as a line every 10 s (`plain`) or not at all (`none`).

    `parsed` is how many files the stage `parse` has done.
    """

    def __init__(self, stream: TextIO, mode: str, clock: Callable[[], float] = monotonic) -> None:
        self._stream = stream
        self._mode = mode
        self._clock = clock
        self._due = clock() + _FIRST.get(mode, 0.0)
        self._stage = ""
        self._began = clock()
        self._drawn = False
        self.parsed = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take the number of things done of the total in a stage."""
        if stage == "parse":
            self.parsed = done
        if self._mode == "none":
            return
        now = self._clock()
        if stage != self._stage:
            self._stage, self._began = stage, now
        if now < self._due:
            return
        self._due = now + _EVERY[self._mode]
        counted = _counted(stage, done, total)
        if self._mode == "bar":
            self._draw(stage, done, total, counted, now)
        else:
            self._write(f"{harmless(stage)} {counted}\n")

    def _draw(self, stage: str, done: int, total: int, counted: str, now: float) -> None:
        left = _left(done, total, now - self._began)
        head, tail = f"  {harmless(stage):<8} ", f"  {counted}{left}"
        columns = _columns()
        room = min(_BAR, columns - len(head) - len(tail) - 1)
        full = room * done // total if total > 0 else 0
        bar = "█" * full + "░" * (room - full) if room > 4 and total > 0 else ""
        self._write("\r" + (head + bar + tail)[: columns - 1] + "\x1b[K")
        self._drawn = True

    def clear(self) -> None:
        """Take the bar away."""
        if self._drawn:
            self._drawn = False
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._mode = "none"


def _counted(stage: str, done: int, total: int) -> str:
    number = f"{done}/{total}" if total > 0 else f"{done}"
    return f"{number} files" if stage in _FILES else number


def _left(done: int, total: int, seconds: float) -> str:
    """Return how long a stage will still take, once that can be told."""
    if done <= 0 or total <= done or seconds < 1:
        return ""
    rest = round(seconds * (total - done) / done)
    return f"   {rest // 60}:{rest % 60:02} left"


def _columns() -> int:
    from shutil import get_terminal_size

    return get_terminal_size().columns
