"""The rows of a stored solution, brought up to date after a change that concerns the rows of its own statements alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import msgspec
from msgspec import structs

from codepath.model.solution import (
    StoredFunction,
    StoredGap,
    StoredGuard,
    StoredName,
    StoredStep,
    decode_function,
    decode_names,
    decode_strings,
    encode_function,
)
from codepath.program.changes.places import Places
from codepath.program.rows import CALLERS, FILE, FUNCTION, GAPS, NAME, STORES, last_of

_pack = msgspec.msgpack.encode
Get = Callable[[Iterable[str]], dict[str, bytes]]


@dataclass
class Patch:
    """What a change makes of the rows.

    Attributes:
        functions: By name the row of each function and module of the changed files.
        before: The same as they were.
        names: By file what stands in it now.
        globals: The globals of the changed modules.
        stores: By attribute the (function, class) that store it in the changed files.
        places: By file where what it held stands now.
    """

    functions: dict[str, StoredFunction] = field(default_factory=dict)
    before: dict[str, StoredFunction] = field(default_factory=dict)
    names: dict[str, list[StoredName]] = field(default_factory=dict)
    globals: list[StoredName] = field(default_factory=list)
    stores: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    places: dict[str, Places] = field(default_factory=dict)


class PatchedRows:
    """Rows of a solution with a patch over them."""

    def __init__(self, base: Get, scan: Callable[[], Iterable[tuple[str, bytes]]], patch: Patch) -> None:
        self._base = base
        self._scan = scan
        self._patch = patch
        self._marks = {path: path.encode() for path in patch.places}
        self._own = {*patch.functions, *patch.before}
        self._calls = _calls(patch)

    def get(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return the rows of keys, absent ones left out."""
        keys = list(keys)
        found = self._base(keys)
        result: dict[str, bytes] = {}
        for key in keys:
            row = self._row(key, found.get(key))
            if row is not None:
                result[key] = row
        return result

    def scan(self) -> Iterable[tuple[str, bytes]]:
        """Return all rows sorted by key."""
        keys = {key for key, _ in self._scan()}
        keys.update(FUNCTION + name for name in self._patch.functions)
        keys.update(CALLERS + callee for callee in self._calls)
        gaps = (gap for row in self._patch.functions.values() for gap in row.gaps)
        keys.update(GAPS + last_of(gap.text) for gap in gaps if not gap.outside)
        own = (one for found in self._patch.names.values() for one in found)
        keys.update(NAME + one.name.rpartition(".")[2] for one in (*own, *self._patch.globals))
        ordered = sorted(keys)
        rows = self.get(ordered)
        return [(key, rows[key]) for key in ordered if key in rows]

    def _row(self, key: str, blob: bytes | None) -> bytes | None:
        if key.startswith(FUNCTION):
            return self._function(key[len(FUNCTION) :], blob)
        if key.startswith(CALLERS):
            return self._callers(key[len(CALLERS) :], blob)
        if key.startswith(NAME):
            return self._named(key[len(NAME) :], blob)
        if key.startswith(FILE):
            found = self._patch.names.get(key[len(FILE) :])
            return _pack(found) if found is not None else blob
        if key.startswith(STORES):
            return self._stores(key[len(STORES) :], blob)
        if key.startswith(GAPS):
            return self._gaps(key[len(GAPS) :], blob)
        return blob

    def _function(self, name: str, blob: bytes | None) -> bytes | None:
        own = self._patch.functions.get(name)
        if own is not None:
            return encode_function(own)
        if name in self._patch.before or blob is None:
            return None
        if not any(mark in blob for mark in self._marks.values()):
            return blob
        return encode_function(moved(decode_function(blob), self._patch.places))

    def _callers(self, callee: str, blob: bytes | None) -> bytes | None:
        found = decode_strings(blob) if blob is not None else ()
        mine = self._calls.get(callee, frozenset())
        kept = [name for name in found if name not in self._own]
        names = sorted({*kept, *mine})
        return _pack(names) if names else None

    def _gaps(self, last: str, blob: bytes | None) -> bytes | None:
        found = decode_strings(blob) if blob is not None else ()
        names = {name for name in found if name not in self._own}
        for name, row in self._patch.functions.items():
            if any(not gap.outside and last_of(gap.text) == last for gap in row.gaps):
                names.add(name)
        return _pack(sorted(names)) if names else None

    def _named(self, last: str, blob: bytes | None) -> bytes | None:
        found = [n for n in decode_names(blob) if n.file not in self._patch.names] if blob is not None else []
        own = (n for names in self._patch.names.values() for n in names)
        found += [n for n in (*own, *self._patch.globals) if n.name.rpartition(".")[2] == last]
        return _pack(sorted(found, key=lambda n: (n.name, n.file, n.at))) if found else None

    def _stores(self, attribute: str, blob: bytes | None) -> bytes | None:
        rows = (tuple(row.partition("\0")[::2]) for row in decode_strings(blob)) if blob is not None else ()
        kept = {(row[0], row[1]) for row in rows if row[0] not in self._own}
        kept |= self._patch.stores.get(attribute, set())
        return _pack([f"{function}\0{owner}" for function, owner in sorted(kept)]) if kept else None


def _calls(patch: Patch) -> dict[str, frozenset[str]]:
    """Return, by callee, the functions of the changed files that step into it."""
    found: dict[str, set[str]] = {}
    for name, row in patch.functions.items():
        for step in row.steps:
            if not step.callee.startswith("builtins."):  # callers of builtins are not kept
                found.setdefault(step.callee, set()).add(name)
    return {callee: frozenset(names) for callee, names in found.items()}


def moved(row: StoredFunction, places: Mapping[str, Places]) -> StoredFunction:
    """Return the row of an unchanged function whose file did not change, with the places of others where they are now."""
    guards = tuple(guard_moved(guard, guard.file, places) for guard in row.guards)
    return structs.replace(row, guards=guards, steps=tuple(how_moved(step, row.file, places) for step in row.steps))


def guard_moved(guard: StoredGuard, file: str, places: Mapping[str, Places]) -> StoredGuard:
    """Return a guard with its line where it is now."""
    known = places.get(file)
    return structs.replace(guard, line=known.line(guard.line)) if known is not None else guard


def how_moved(step: StoredStep, file: str, places: Mapping[str, Places]) -> StoredStep:
    """Return a step with the place of how its callee was found where it is now."""
    known = places.get(step.how_file or file) if step.how else None
    return structs.replace(step, how_at=known.of(step.how_at)) if known is not None else step


def gap_moved(gap: StoredGap, places: Places) -> StoredGap:
    """Return an unresolved call site where it is now."""
    return structs.replace(gap, at=places.of(gap.at))
