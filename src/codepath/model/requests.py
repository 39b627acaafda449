"""What a caller asks of a tree, where that is more than a name."""

from __future__ import annotations

from dataclasses import dataclass

from codepath.model.assumptions import NOTHING_SAID, Said


@dataclass(frozen=True, slots=True)
class ReachRequest:
    """One question of `reach`.

    Args:
        target: What is to be reached; with `calls` it may be a name outside the tree: then what reaches calls of it.
        start: Where paths begin, None for every way in.
        via: A call string.
        paths: Paths for each group.
        all_paths: Every path.
        group_by: What groups go by, "" for what decides the paths.
        all_matches: Everything that the name means.
        calls: Whether calls of a name outside the tree are meant.
        group: The number of the one group whose paths are shown, None for all.
        event: The event that paths are ordered against, None for the project's.
        said: What is taken for granted.
    """

    target: str
    start: str | None = None
    via: str | None = None
    paths: int = 1
    all_paths: bool = False
    group_by: str = ""
    all_matches: bool = False
    calls: bool = False
    group: int | None = None
    event: str | None = None
    said: Said = NOTHING_SAID
