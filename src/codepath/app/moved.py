"""Answers about a tree before a change, for the tree after it: places move with the lines around the change."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import NamedTuple, TypeVar

from codepath.model.answers import Place

T = TypeVar("T")


class Block(NamedTuple):
    """Lines that two texts share: where they start in each, 1-based, and how many they are: `length`."""

    before: int
    after: int
    length: int


Blocks = Mapping[str, tuple[Block, ...]]  # ascending, by file


def line_after(line: int, blocks: tuple[Block, ...]) -> int:
    """Return where a line stands after a change; one that is gone, where the lines before it end."""
    position = bisect_right(blocks, line, key=lambda block: block.before) - 1
    if position < 0:
        return 1
    block = blocks[position]
    return block.after + min(line - block.before, block.length)


def moved(value: T, blocks: Blocks) -> T:
    """Return data with every place in it as it is after a change."""
    found: object = value
    if isinstance(value, Place):
        if value.file in blocks:
            found = replace(value, line=line_after(value.line, blocks[value.file]))
    elif isinstance(value, tuple):
        parts = [moved(part, blocks) for part in value]
        found = tuple(parts) if any(a is not b for a, b in zip(parts, value, strict=True)) else value
    elif is_dataclass(value) and not isinstance(value, type):
        parts_of = {one.name: moved(getattr(value, one.name), blocks) for one in fields(value)}
        new = {name: part for name, part in parts_of.items() if part is not getattr(value, name)}
        found = replace(value, **new) if new else value
    return found  # type: ignore[return-value]
