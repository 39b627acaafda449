"""Sheets: pictures that are boxes and arrows, as plain data that every form of them is made from."""

from __future__ import annotations

from dataclasses import dataclass

from codepath.model.answers import Place, Truncation


@dataclass(frozen=True, slots=True)
class Box:
    """A thing on a sheet.

    Args:
        key: What it is known by in another tree.
        kind: What it is: how it looks, and which sign and meaning the legend gives.
        title: Its name.
        lines: What is written below.
        place: Where it stands, None for what stands nowhere in the tree.
        more: All that is known of it: headings, each with lines.
        change: What became of it between two trees: `added`, `dropped`, `changed`, "" for nothing.
    """

    key: str
    kind: str
    title: str
    lines: tuple[str, ...]
    place: Place | None
    more: tuple[tuple[str, tuple[str, ...]], ...] = ()
    change: str = ""


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow from one box to another, by their positions; `kind`, `lines`, `key` and `change` as for a box."""

    tail: int
    head: int
    key: str
    kind: str
    lines: tuple[str, ...]
    place: Place | None
    change: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Boxes and arrows.

    `about` says what kind of picture it is, `name` what it shows, `caption` what it holds, in a line. `hidden` counts boxes
    that are left out, and `way_out` says how to see them.
    """

    about: str
    name: str
    place: Place | None
    caption: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    hidden: int = 0
    way_out: str = ""
    truncated: Truncation | None = None
