"""What two sequences share."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher

Run = tuple[int, int, int]
"""Where a shared run starts in the first and in the second sequence, and its length."""


def shared_runs(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Run]:
    """Return the runs that two sequences share, in order; beginnings and ends are taken off before the rest is compared."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    middle = SequenceMatcher(None, before[start : len(before) - end], after[start : len(after) - end], autojunk=False)
    inner = ((start + one, start + other, size) for one, other, size in middle.get_matching_blocks())
    runs = [(0, 0, start), *inner, (len(before) - end, len(after) - end, end)]
    return [run for run in runs if run[2]]
