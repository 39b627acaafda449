"""What some of several functions do and others do not; functions that stand for each other in them are compared in turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from codepath.analysis.detect.actions import CALL, Action, Actions, Way
from codepath.analysis.detect.alike import is_variant
from codepath.program.tree import ScopeInfo

_LEVELS = 2


class Row(NamedTuple):
    """Something that siblings do and others do not.

    Args:
        key: What it is.
        have: Who comes to it, and how.
        lack: Who does not.
        alike: How much those that lack it are like the others, from 0 to 1.
        level: 0 where siblings do it themselves, 1 where functions that stand for each other in them do, ...
    """

    key: tuple[str, str]
    have: Mapping[ScopeInfo, Way]
    lack: tuple[ScopeInfo, ...]
    alike: float
    level: int


Parts = Mapping[ScopeInfo, tuple[tuple[ScopeInfo, tuple[Action, ...]], ...]]
"""For each sibling, the functions of it that are compared, with the calls that lead there."""


class Comparison:
    """Compares functions."""

    def __init__(self, actions: Actions) -> None:
        self._actions = actions
        self._reached: dict[int, dict[tuple[str, str], Way]] = {}

    def rows(self, siblings: Sequence[ScopeInfo], levels: int = _LEVELS) -> list[Row]:
        """Return the differences of some functions, those of the functions themselves first."""
        own = {one: {a.key for a in self._actions.of(one)} for one in siblings}
        names = {one.id for one in siblings}
        rows: dict[tuple[str, str], Row] = {}
        for key, level in self._keys({one: ((one, ()),) for one in siblings}, 0, levels):
            if key not in rows and not (key[0] == CALL and key[1] in names):  # a sibling that calls another
                have = {one: way for one in siblings if (way := self.reached(one).get(key)) is not None}
                lack = tuple(one for one in siblings if one not in have)
                alike = sum(max(similarity(own[one], own[h]) for h in have) for one in lack) / max(len(lack), 1)
                rows[key] = Row(key, have, lack, alike, level)
        return [row for row in rows.values() if row.lack]

    def _keys(self, parts: Parts, level: int, levels: int) -> Iterator[tuple[tuple[str, str], int]]:
        """Yield what is done in some functions and not in others, and nothing in these stands for it."""
        direct = {one: self._direct(of) for one, of in parts.items()}
        standing: list[dict[ScopeInfo, Way]] = []
        for key in dict.fromkeys(key for found in direct.values() for key in found):
            having = {one: found[key] for one, found in direct.items() if key in found}
            lacking = [one for one in parts if one not in having and key not in self.reached(one)]
            partners = {one: way for one in lacking if (way := self._partner(key, one, direct, having)) is not None}
            if partners:
                standing.append({**having, **partners})
            if len(lacking) > len(partners):
                yield key, level
        for ways in standing if level < levels else ():
            inner = {one: found for one, way in ways.items() if (found := self._inside(one, way))}
            if len(inner) > 1:
                yield from self._keys(inner, level + 1, levels)

    def _direct(self, of: Sequence[tuple[ScopeInfo, tuple[Action, ...]]]) -> dict[tuple[str, str], Way]:
        found: dict[tuple[str, str], Way] = {}
        for info, calls in of:
            for action in self._actions.of(info):
                found.setdefault(action.key, Way(tuple(c.site for c in calls), action))
        return found

    def reached(self, info: ScopeInfo) -> dict[tuple[str, str], Way]:
        """Return all that a sibling comes to."""
        found = self._reached.get(info.sid)
        if found is None:
            found = self._reached[info.sid] = self._actions.reached(info)
        return found

    def _partner(
        self,
        key: tuple[str, str],
        one: ScopeInfo,
        direct: Mapping[ScopeInfo, Mapping[tuple[str, str], Way]],
        having: Mapping[ScopeInfo, Way],
    ) -> Way | None:
        """Return what stands for a call in a sibling that does not make it: one of a like name that those who make it lack."""
        for other, way in direct[one].items():
            is_own = other[0] == key[0] and other != key and not any(other in direct[h] for h in having)
            if is_own and is_variant(other[1], key[1]):
                return way
        return None

    def _inside(self, one: ScopeInfo, way: Way) -> tuple[tuple[ScopeInfo, tuple[Action, ...]], ...]:
        if way.action.what != CALL:
            return ()
        return tuple((callee, (way.action,)) for callee in self._actions.callees(way.action, one))


def similarity(one: set[tuple[str, str]], other: set[tuple[str, str]]) -> float:
    """Return the share of what two functions do that both do, from 0 to 1."""
    return len(one & other) / len(one | other) if one or other else 0.0
