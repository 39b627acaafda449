"""Places in the tree."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the tree: line from 1, column from 0 in code points; `function` is the full dotted name around it."""

    file: str
    line: int
    column: int
    function: str
