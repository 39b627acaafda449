"""One knowledge file, read and validated against `schema`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codepath.errors import ConfigError
from codepath.knowledge.kinds import WrongError
from codepath.knowledge.schema import BY_NAME, Key, Row, Table, keys_of
from codepath.model.knowledge import Knowledge, Project
from codepath.toml import Document, KeyPath, parse

_MAX_SAID = 80


@dataclass(frozen=True, slots=True)
class Removal:
    """A row of an earlier file that is taken away: its table, its key, and where that is asked."""

    table: str
    key: tuple[str, ...]
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Model:
    """One knowledge file: the rows that it gives, in the order of the file, and those that it takes away."""

    path: str
    holds: Knowledge
    removals: tuple[Removal, ...] = ()

    @property
    def project(self) -> Project | None:
        """What the file is about, None where it holds for every tree."""
        return self.holds.projects[0] if self.holds.projects else None


def load(text: str | bytes, path: str) -> Model:
    """Return the knowledge in a TOML text.

    Raises:
        ConfigError: It is no TOML, or not what `schema` allows; with the place and the nearest key.
    """
    return read(parse(text, path))


def read(document: Document, at: tuple[str, ...] = (), others: Collection[str] = ()) -> Model:
    """Return the knowledge in a file that may hold other things too.

    Args:
        document: The file.
        at: The table of the file under which the knowledge stands, such as `("tool", "codepath")`.
        others: Keys beside the knowledge that are not looked at.

    Raises:
        ConfigError: A table or key is unknown, missing, given twice or of the wrong type.
    """
    return _Reader(document, at).model(others)


class _Reader:
    def __init__(self, document: Document, at: tuple[str, ...]) -> None:
        self.document = document
        self.at = at
        self.removals: list[Removal] = []

    def model(self, others: Collection[str]) -> Model:
        data: Any = self.document.data
        for part in self.at:
            data = data.get(part, {}) if isinstance(data, dict) else data
        if not isinstance(data, dict):
            raise self._error(self.at, f"`{'.'.join(self.at)}` must be a table")
        rows: dict[str, tuple[Any, ...]] = {}
        for name, value in data.items():
            table = BY_NAME.get(name)
            if table is not None:
                rows[table.field] = self._rows(table, value)
            elif name not in others:
                raise self._unknown((*self.at, name), name, sorted([*BY_NAME, *others]), self._around())
        return Model(self.document.path, Knowledge(**rows), tuple(self.removals))

    def _around(self) -> str:
        return f"[{'.'.join(self.at)}]" if self.at else "the file"

    def _rows(self, table: Table, value: object) -> tuple[Any, ...]:
        where: KeyPath = (*self.at, table.name)
        if not table.is_list:
            return tuple(self._row(table, where, value))
        if not isinstance(value, list):
            raise self._error(where, f"`{table.name}` must be a list of tables, written {table.title}")
        found: list[Any] = []
        seen: set[tuple[str, ...]] = set()
        for position, entry in enumerate(value):
            place = (*where, position)
            for row in self._row(table, place, entry):
                key = row.key if isinstance(row, Removal) else table.key_of(row)
                if key in seen:
                    raise self._error(place, f"{table.title} says `{_joined(key)}` twice")
                seen.add(key)
                found.append(row)
        self.removals += [row for row in found if isinstance(row, Removal)]
        return tuple(row for row in found if not isinstance(row, Removal))

    def _row(self, table: Table, place: KeyPath, entry: object) -> list[Any]:
        """Return what one table says: rows of data, or removals."""
        given = self._given(entry, keys_of(table), place, table.title)
        if given.get("remove"):
            return self._removed(table, given, place)
        row = self._completed(given, table.keys, place, table.title)
        try:
            return table.build(row)
        except WrongError as error:
            raise self._error(
                (*place, *error.within), f"`{error.within[0]}` in {table.title} {error.message}"
            ) from None

    def _removed(self, table: Table, given: Row, place: KeyPath) -> list[Any]:
        needed = tuple(key for key in table.keys if key.name in table.identity)
        row = self._completed(given, needed, place, table.title)
        line, column = self.document.place(place)
        parts = [row[name] if isinstance(row[name], tuple) else (row[name],) for name in table.identity]
        return [Removal(table.name, (name, *(p[0] for p in parts[1:])), line, column) for name in parts[0]]

    # --- keys --------------------------------------------------------------------------------------------------------

    def _given(self, entry: object, keys: Sequence[Key], place: KeyPath, title: str) -> Row:
        """Return the keys that are there, each read by its kind."""
        if not isinstance(entry, dict):
            raise self._error(place, f"{title} must be a table")
        known = {key.name: key for key in keys}
        for name in entry:
            if name not in known:
                raise self._unknown((*place, name), name, list(known), title)
        return {name: self._value(known[name], value, place, title) for name, value in entry.items()}

    def _value(self, key: Key, value: object, place: KeyPath, title: str) -> Any:
        where = (*place, key.name)
        if key.kind is None:
            inner = f"`{key.name}` in {title}"
            return self._completed(self._given(value, key.inner, where, inner), key.inner, where, inner)
        try:
            return key.kind.read(value)
        except WrongError as error:
            message = f"`{key.name}` in {title} {_cut(error.message)}"
            raise self._error((*where, *error.within), message, help=(f"`{key.name}`: {key.meaning}",)) from None

    def _completed(self, given: Mapping[str, Any], keys: Sequence[Key], place: KeyPath, title: str) -> Row:
        """Return all keys, absent ones with their defaults."""
        row = {}
        for key in keys:
            if key.name not in given and key.required:
                raise self._error(place, f"{title} lacks `{key.name}`", help=(f"`{key.name}`: {key.meaning}",))
            row[key.name] = given.get(key.name, key.default)
        return row

    # --- errors ------------------------------------------------------------------------------------------------------

    def _error(self, place: KeyPath, message: str, *, help: tuple[str, ...] = ()) -> ConfigError:
        return self.document.error(place, message, help=help)

    def _unknown(self, place: KeyPath, name: str, known: Sequence[str], title: str) -> ConfigError:
        help = (*nearest(name, known), f"keys of {title}: {', '.join(known)}")
        return self._error(place, f"unknown key `{_cut(name)}` in {title}", help=help)


def nearest(name: str, known: Collection[str]) -> tuple[str, ...]:
    """Return a line of help that names the known word nearest to another, nothing where none is near."""
    from difflib import get_close_matches  # only an error pays for the import

    return tuple(f"did you mean `{word}`?" for word in get_close_matches(name[:_MAX_SAID], sorted(known), 1))


def _joined(key: tuple[str, ...]) -> str:
    return " ".join(key)


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SAID else f"{text[:_MAX_SAID]}..."
