"""Files that differ from earlier ones in nothing but where things stand: comments, blank lines, how lines are broken.

What was solved of the earlier files holds for the later ones, with every place moved. Nothing rests on a comparison of texts:
the extracted facts of both must be the same but for their places, and each place of the one has one in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from codepath.model import ir
from codepath.model.hooks import (
    StoredClass,
    StoredLookup,
    StoredMember,
    decode_classes,
    decode_lookups,
    decode_members,
    encode_row,
)
from codepath.model.solution import StoredFunction, StoredGuard, StoredName, StoredStep, decode_function, decode_names
from codepath.program.graph import Rows
from codepath.program.rows import CLASSES, FILE, FUNCTION, LOOKUPS, MEMBERS, NAME

_PLACES = ("at", "end")
"""The fields of facts that are places."""


class Moves:
    """Where the places of one file stand in the file that replaces it; `at` and `end` are those of its module."""

    def __init__(self, places: Mapping[int, int], lines: Mapping[int, int], at: int, end: int) -> None:
        self._places = places
        self._lines = lines
        self.at = at
        self.end = end

    def place(self, at: int) -> int:
        """Return where a packed place stands now."""
        found = self._places.get(at)
        return found if found is not None else ir.pack(self.line(ir.line_of(at)), ir.column_of(at))

    def line(self, line: int) -> int:
        """Return where a line with a place stands now."""
        return self._lines[line] if line else 0


def moves_between(before: ir.ModuleFacts, after: ir.ModuleFacts) -> Moves | None:
    """Return where the places of a file stand in another one; None where the two differ in more, or a line became several."""
    if (before.encoding, before.bom, before.ast_refused) != (after.encoding, after.bom, after.ast_refused):
        return None
    if before.postings != after.postings or len(before.scopes) != len(after.scopes):
        return None
    places: dict[int, int] = {}
    same = _alike(before.heads[1:], after.heads[1:], places) and all(
        _alike(ir.decode_scope(one), ir.decode_scope(other), places)
        for one, other in zip(before.scopes, after.scopes, strict=True)
    )
    lines: dict[int, int] = {}
    for old, new in places.items() if same else ():
        if lines.setdefault(ir.line_of(old), ir.line_of(new)) != ir.line_of(new):
            return None
    top = after.heads[0]
    return Moves(places, lines, top.at, top.end) if same else None


def _alike(one: Any, other: Any, places: dict[int, int]) -> bool:
    """Tell whether facts are the same but for places, and note where each place of the one stands in the other."""
    if one.__class__ is not other.__class__:
        return False
    if isinstance(one, tuple):
        return len(one) == len(other) and all(_alike(a, b, places) for a, b in zip(one, other, strict=True))
    if not isinstance(one, msgspec.Struct):
        return bool(one == other)
    for name in one.__struct_fields__:
        old, new = getattr(one, name), getattr(other, name)
        if name in _PLACES:
            if places.setdefault(old, new) != new:
                return False
        elif not _alike(old, new, places):
            return False
    return True


class MovedRows:
    """The rows of a solution for a tree some files of which replace others.

    Args:
        rows: The rows of the tree before.
        moves: Where the places of the replaced files stand now, by file.
        file_of: Gives the file of the module that a dotted name is in, "" where there is none.
    """

    def __init__(self, rows: Rows, moves: Mapping[str, Moves], file_of: Callable[[str], str]) -> None:
        self._rows = rows
        self._moves = moves
        self._file_of = file_of
        self._needles = tuple(path.encode("utf-8", "surrogatepass") for path in moves)

    def get(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the rows of keys, absent ones left out."""
        return {key: self._moved(key, row) for key, row in self._rows.get(keys).items()}

    def scan(self) -> Iterator[tuple[str, bytes]]:
        """Yield all rows sorted by key."""
        for key, row in self._rows.scan():
            yield key, self._moved(key, row)

    def _moved(self, key: str, row: bytes) -> bytes:
        kind = f"{key.partition(':')[0]}:"
        if kind == MEMBERS:
            return encode_row(tuple(map(self._member, decode_members(row))))
        if kind not in _HOLDING or not any(needle in row for needle in self._needles):
            return row
        if kind == FUNCTION:
            return encode_row(self._function(decode_function(row)))
        if kind in (NAME, FILE):
            return encode_row(tuple(map(self._name, decode_names(row))))
        if kind == LOOKUPS:
            return encode_row(tuple(map(self._lookup, decode_lookups(row))))
        return encode_row(tuple(map(self._class, decode_classes(row))))

    def _at(self, file: str, at: int) -> int:
        moves = self._moves.get(file)
        return moves.place(at) if moves is not None and at else at

    def _function(self, row: StoredFunction) -> StoredFunction:
        replace = msgspec.structs.replace
        at, end = self._extent(row)
        return replace(
            row,
            at=at,
            end=end,
            guards=tuple(self._guard(row.file, guard) for guard in row.guards),
            steps=tuple(self._step(row, step, at) for step in row.steps),
            gaps=tuple(replace(gap, at=self._at(row.file, gap.at)) for gap in row.gaps),
        )

    def _step(self, row: StoredFunction, step: StoredStep, at: int) -> StoredStep:
        if row.kind == "module" and step.how == "told":  # which stands where the module does
            own = at if step.at == row.at else self._at(row.file, step.at)
            return msgspec.structs.replace(step, at=own, how_at=at)
        how_at = self._at(step.how_file or row.file, step.how_at)
        return msgspec.structs.replace(step, at=self._at(row.file, step.at), how_at=how_at)

    def _extent(self, row: StoredFunction | StoredName) -> tuple[int, int]:
        """Return where something begins and ends now: a module may begin where its first statement does, and now does not."""
        moves = self._moves.get(row.file)
        if moves is not None and row.kind == "module":
            return moves.at, moves.end
        return self._at(row.file, row.at), self._at(row.file, row.end)

    def _guard(self, file: str, guard: StoredGuard) -> StoredGuard:
        moves = self._moves.get(guard.file or file)
        return msgspec.structs.replace(guard, line=moves.line(guard.line)) if moves is not None else guard

    def _name(self, name: StoredName) -> StoredName:
        at, end = self._extent(name)
        return msgspec.structs.replace(name, at=at, end=end)

    def _lookup(self, row: StoredLookup) -> StoredLookup:
        at, missing = self._at(row.file, row.at), self._at(row.file, row.missing_at)
        return msgspec.structs.replace(row, at=at, missing_at=missing)

    def _class(self, row: StoredClass) -> StoredClass:
        return msgspec.structs.replace(row, at=self._at(row.file, row.at))

    def _member(self, row: StoredMember) -> StoredMember:
        return msgspec.structs.replace(row, at=self._at(self._file_of(row.owner), row.at))


_HOLDING = frozenset([FUNCTION, NAME, FILE, LOOKUPS, CLASSES])
