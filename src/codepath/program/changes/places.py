"""Where the unchanged statements of a changed file stand now."""

from __future__ import annotations

from codepath.model import ir
from codepath.program.changes.alike import Pair
from codepath.program.changes.shapes import Unclear
from codepath.program.changes.units import Source


class Places:
    """Maps places of a file as it was to where the same stands now. `gone` are those in statements that changed."""

    def __init__(self, old: Source, new: Source, pairs: list[Pair]) -> None:
        self._at: dict[int, int] = {}
        self._lines: dict[int, int] = {}
        self.gone: set[int] = set()
        for pair in pairs:
            if pair.old is not None and pair.new is not None:
                self._note(old.heads[pair.old.index].at, new.heads[pair.new.index].at)
                self._note_units(pair)
            elif pair.old is not None:
                self.gone.add(old.heads[pair.old.index].at)
        self._lines.update((before >> 16, after >> 16) for before, after in self._at.items())

    def _note(self, before: int, after: int) -> None:
        self._at[before] = after

    def _note_units(self, pair: Pair) -> None:
        assert pair.old is not None and pair.new is not None
        for number, before in pair.same.items():
            one, other = pair.old.units[before], pair.new.units[number]
            if number in pair.new.changed:
                continue
            self._note(one.at, other.at)
            for offset in range(one.stop - one.start):
                left, right = pair.old.scope.exprs[one.start + offset], pair.new.scope.exprs[other.start + offset]
                self._note(left.at, right.at)
        for unit in pair.old.changed_units():
            self.gone.update(e.at for e in pair.old.scope.exprs[unit.start : unit.stop])

    def of(self, at: int) -> int:
        """Return where what stood at a place stands now.

        Raises:
            Unclear: It changed, or is not told by its place.
        """
        found = self._at.get(at)
        if found is None or at in self.gone:
            raise Unclear(f"nothing unchanged stood at line {ir.line_of(at)}")
        return found

    def line(self, number: int) -> int:
        """Return the line of what stood on a line.

        Raises:
            Unclear: It changed.
        """
        found = self._lines.get(number)
        if found is None:
            raise Unclear(f"nothing unchanged stood on line {number}")
        return found
