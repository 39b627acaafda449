"""Groups of paths by number, as text lists them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from codepath.model.answers import Group, Path, ReachAnswer, Truncation

SHOWN = 10
"""Paths of one group that are shown where it is asked for alone."""


def numbered(groups: Sequence[Group]) -> list[Group]:
    """Return groups with their numbers from 1; those that read the same have the same."""
    numbers: dict[object, int] = {}
    return [replace(g, number=numbers.setdefault(_reading(g, not n), len(numbers) + 1)) for n, g in enumerate(groups)]


def _reading(group: Group, is_main: bool) -> object:
    decided = group.decided_by
    place = (decided.file, decided.line) if decided is not None else None
    return (is_main, group.verdict, group.title, place)


def only_group(answer: ReachAnswer, number: int) -> ReachAnswer:
    """Return an answer with the paths of one group alone; the same answer where there is no such."""
    groups = [group for group in answer.groups if group.number == number]
    if not groups:
        return answer
    paths: list[Path] = []
    kept: list[Group] = []
    for group in groups:
        kept.append(replace(group, paths=tuple(range(len(paths), len(paths) + len(group.paths)))))
        paths.extend(answer.paths[n] for n in group.paths)
    total = sum(group.total for group in groups)
    cut = Truncation("paths", len(paths), total) if len(paths) < total else answer.truncated
    miss = answer.nearest_miss
    stops = {path.contradiction.guard for path in paths if path.contradiction is not None}
    if miss is not None and miss.guard is not None and miss.guard not in stops:
        miss = None  # it is a path of another group
    return replace(answer, paths=tuple(paths), groups=tuple(kept), truncated=cut, nearest_miss=miss)
