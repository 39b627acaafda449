"""Which statements of two versions of a file are the same: those that read the same and get what they read from the same.

Approximates: under (a statement that counts as changed may do the same as before).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from codepath.model import ir
from codepath.program.changes.runs import shared_runs
from codepath.program.changes.units import Path, Source, Unit, units

Key = tuple[str, str, int]
"""A scope of a file: form, dotted name from the module, how many of that name stand before it."""


@dataclass
class Side:
    """One version of a scope. `changed` are the numbers of the units that differ from the other version."""

    index: int
    scope: ir.Scope
    units: list[Unit]
    changed: set[int] = field(default_factory=set)
    _of_expr: dict[int, int] = field(default_factory=dict)

    def unit_of(self, expr: int) -> int:
        """Return the number of the unit that holds an expression, -1 where none does."""
        if not self._of_expr:
            self._of_expr.update((i, u.number) for u in self.units for i in range(u.start, u.stop))
        return self._of_expr.get(expr, -1)

    def changed_units(self) -> Iterator[Unit]:
        """Yield the units that differ."""
        return (unit for unit in self.units if unit.number in self.changed)


@dataclass
class Pair:
    """A scope before and after; None where it was not, or is no longer. `same` gives the old number of a unit by the new."""

    key: Key
    old: Side | None
    new: Side | None
    same: dict[int, int] = field(default_factory=dict)

    @property
    def is_changed(self) -> bool:
        """Whether something of the scope differs other than its place."""
        return self.old is None or self.new is None or bool(self.old.changed or self.new.changed)


def compare(old: Source, new: Source) -> list[Pair]:
    """Return the scopes of two versions of a file, those that both have side by side."""
    before, after = old.names(), new.names()
    pairs = []
    for key in (*after, *(key for key in before if key not in after)):
        pair = Pair(key, _side(old, before.get(key)), _side(new, after.get(key)))
        if pair.old is not None and pair.new is not None:
            _align(pair, pair.old, pair.new)
        else:
            for side in (pair.old, pair.new):
                if side is not None:
                    side.changed.update(range(len(side.units)))
        pairs.append(pair)
    return pairs


def _side(source: Source, index: int | None) -> Side | None:
    if index is None:
        return None
    return Side(index, source.scopes[index], units(source, source.scopes[index]))


def _align(pair: Pair, old: Side, new: Side) -> None:
    pair.same = _matching([u.key for u in old.units], [u.key for u in new.units])
    same = {before: after for after, before in pair.same.items()}
    old.changed.update(u.number for u in old.units if u.number not in same)
    new.changed.update(u.number for u in new.units if u.number not in pair.same)
    again = True
    while again:
        again = False
        for number, before in pair.same.items():
            if number not in new.changed and not _reads_alike(pair, old, new, before, number):
                old.changed.add(before)
                new.changed.add(number)
                again = True


def _matching(before: Sequence[Hashable], after: Sequence[Hashable]) -> dict[int, int]:
    """Return the positions in the first sequence of what both share, by the position in the second."""
    return {other + k: one + k for one, other, size in shared_runs(before, after) for k in range(size)}


def _reads_alike(pair: Pair, old: Side, new: Side, before: int, after: int) -> bool:
    """Tell whether a unit stands below the same unchanged ones, and the same definitions reach what it reads."""
    one, other = old.units[before], new.units[after]
    kept = [(pair.same[n], way) for n, way in other.path if n not in new.changed]
    if kept != [(n, way) for n, way in one.path if n not in old.changed]:
        return False
    for offset in range(one.stop - one.start):
        left, right = old.scope.exprs[one.start + offset], new.scope.exprs[other.start + offset]
        if isinstance(left, ir.Name) and isinstance(right, ir.Name):
            sources = sorted(_source(old, number) for number in old.scope.uses[left.use])
            meant = sorted(_source(new, number) for number in new.scope.uses[right.use])
            if [_before(pair, new, source) for source in meant] != sources:
                return False
    return True


_GONE = (-3, 0)
"""What reaches a name that does so in one version alone."""


def _source(side: Side, number: int) -> tuple[int, int]:
    """Return what a definition is: unit and position in it; (-1, n) for parameter n, (-2, 0) for none."""
    if number < 0:
        return (-2, 0)
    bind = side.scope.definitions[number].bind
    if bind < 0:
        return (-1, number)
    unit = side.unit_of(bind)
    return (unit, bind - side.units[unit].start) if unit >= 0 and unit not in side.changed else _GONE


def _before(pair: Pair, new: Side, source: tuple[int, int]) -> tuple[int, int]:
    unit, offset = source
    return (pair.same[unit], offset) if unit >= 0 else (source if source != _GONE else (-4, 0))


def inside(path: Path, numbers: set[int]) -> bool:
    """Tell whether a path leads through one of some units."""
    return any(number in numbers for number, _ in path)
