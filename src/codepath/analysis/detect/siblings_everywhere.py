"""The differences of siblings in a whole tree: only where nearly all do something, and the one that does not is like them.

Pairs are never more than `low`: most functions that call the one without the other mean to.

Approximates: under (groups of fewer than four, and those that have little in common, are left out).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from codepath.analysis.detect.actions import CALL, Actions
from codepath.analysis.detect.alike import Alike, is_alike
from codepath.analysis.detect.compared import Comparison, Row, similarity
from codepath.analysis.detect.mentions import is_used
from codepath.analysis.detect.siblings import KIND, Siblings
from codepath.model.checks import PRECISIONS, Note
from codepath.model.detect import Detected
from codepath.model.siblings import Difference
from codepath.program.for_tests import is_test
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId

_FEWEST = 4
_MOST = 24
_SHARE = 0.75
_ALIKE = 0.5
_FEWEST_PAIRS = 6
_SHARE_PAIRS = 0.85
_MOST_NOTES = 3
_PAIRS = "low"
"""The precision of pairs."""
_ASKING = re.compile(r"_*(?:is|has|get|should|can|check|need|needs|use|uses|to|make|create)_")
"""Names of functions that tell or make something: leaving one out changes nothing by itself."""


class SiblingsEverywhere:
    """Compares all functions of a tree with their siblings, of a change those that it touches.

    What would be below the precision `least` is not looked for: pairs are looked for in the whole tree.
    """

    def __init__(self, siblings: Siblings, least: str = PRECISIONS[-1]) -> None:
        self._siblings = siblings
        self._actions: Actions = siblings.actions
        self._alike: Alike = siblings.alike
        self._tree = siblings.tree
        self._used: dict[str, bool] = {}
        self._are_pairs_asked = least == _PAIRS

    def everywhere(self) -> Iterator[Detected]:
        """Yield what one of several siblings leaves out, the most surprising first."""
        if self._tree.within is None:
            self._actions.read_all()
        functions = [info for module in self._tree.everything() for info in self._tree.asked(module)]
        functions = [i for i in functions if i.form == "function" and not i.id.startswith("__") and self._is_meant(i)]
        found: dict[tuple[str, str, tuple[str, ...]], Difference] = {}
        for group in self._groups(functions):
            for one in self._of_group(group):
                found.setdefault((one.what, one.name, one.lack), one)
        for info in self._tree.each(functions) if self._are_pairs_asked else ():
            for pair in self._siblings.together.pairs(info, _SHARE_PAIRS, _FEWEST_PAIRS):
                if not _ASKING.match(pair.with_it):
                    one = replace(self._siblings.pair(info, pair), precision=_PAIRS)
                    found.setdefault((one.what, one.name, one.lack), one)
        yield from (detected(one) for one in found.values())

    def _is_meant(self, info: ScopeInfo) -> bool:
        """Tell whether a function is no test, and something names it other than its definition."""
        if is_test(info.module.path) or info.id.startswith("test_"):
            return False
        if info.id not in self._used:
            paths = self._tree.words.holding(info.id)
            self._used[info.id] = any(is_used(self._tree.text(path), info.id) for path in paths)
        return self._used[info.id]

    # --- groups ------------------------------------------------------------------------------------------------------

    def _groups(self, functions: list[ScopeInfo]) -> Iterator[list[ScopeInfo]]:
        """Yield groups of siblings."""
        seen: set[frozenset[int]] = set()
        for group in (*self._overrides(functions), *self._named(functions)):
            kept = [one for one in group if not self._alike.is_stub(one)]
            key = frozenset(one.sid for one in kept)
            if _FEWEST <= len(kept) <= _MOST and key not in seen:
                seen.add(key)
                yield kept

    def _overrides(self, functions: list[ScopeInfo]) -> Iterator[list[ScopeInfo]]:
        seen: set[int] = set()
        for info in functions:
            if info.sid not in seen:
                group = list(self._alike.overrides(info))
                seen.update(one.sid for one in group)
                yield group

    def _named(self, functions: list[ScopeInfo]) -> Iterator[list[ScopeInfo]]:
        asked = {info.sid for info in functions}
        for infos in self._beside(functions):
            rest = list(infos)
            while rest:
                first = rest.pop(0)
                group = [first, *(one for one in rest if one.id != first.id and is_alike(first.id, one.id))]
                rest = [one for one in rest if one not in group]
                if any(one.sid in asked for one in group):
                    yield group

    def _beside(self, functions: Iterable[ScopeInfo]) -> Iterator[list[ScopeInfo]]:
        """Yield, for what is around some functions, all functions in it."""
        seen: set[ScopeId] = set()
        for info in functions:
            if info.outer not in seen:
                seen.add(info.outer)
                beside = (one for one in info.module.scopes if one.outer == info.outer and one.form == "function")
                yield [one for one in beside if not one.id.startswith("__") and self._is_meant(one)]

    def _of_group(self, group: list[ScopeInfo]) -> Iterator[Difference]:
        if sum(1 for one in group if self._actions.of(one)) < _FEWEST:
            return
        comparison = Comparison(self._actions)
        for row in comparison.rows(group, levels=0):
            if self._is_deviant(row, group):
                yield self._siblings.difference(row, len(group))

    def _is_deviant(self, row: Row, group: list[ScopeInfo]) -> bool:
        """Tell whether one sibling alone leaves out what others do themselves, and is like them."""
        if len(row.lack) != 1 or len(row.have) < _SHARE * len(group) or _ASKING.match(row.key[1]):
            return False
        if row.key[1][:1].isupper():  # which class is made differs on purpose
            return False
        own = {a.key for a in self._actions.of(row.lack[0])}
        others = [{a.key for a in self._actions.of(one)} for one in row.have]
        direct = [keys for keys in others if row.key in keys]
        alike = sorted((similarity(own, keys - {row.key}) for keys in direct), reverse=True)
        return len(direct) >= _FEWEST - 1 and len(alike) > 1 and alike[len(alike) // 2] >= _ALIKE


def detected(one: Difference) -> Detected:
    """Return a difference as rules have it."""
    does = "calls it" if one.what == CALL else "stores it"
    return Detected(
        kind=KIND,
        form=one.form,
        owner=one.lack[0],
        name=one.name,
        message=one.message,
        place=one.place,
        precision=one.precision,
        surprise=one.surprise,
        notes=tuple(Note(d.place, f"{d.function.rpartition('.')[2]} {does}") for d in one.have[:_MOST_NOTES]),
        method=one.beside,
    )
