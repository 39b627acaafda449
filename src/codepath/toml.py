"""TOML text to plain data with the place of each key.

tomli gives data without places, so a scan of the text finds where each key stands. The scan accepts more than TOML and
stops at what it does not understand; tomli then says what is wrong. It also keeps tomli from what would cost it
quadratic time or the stack: keys of very many parts and deep nesting.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import tomli

from codepath.errors import ConfigError

KeyPath: TypeAlias = "tuple[str | int, ...]"

MAX_SIZE: Final = 1 << 20
"""The longest text that is read, in code points."""
MAX_DEPTH: Final = 64
"""The deepest nesting of arrays and inline tables, and the most parts of a dotted key."""

_AT = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)\Z", re.DOTALL)
_SPACE = re.compile(r"[ \t]*")
_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_LINE_END = re.compile(r"[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)")
_BARE_KEY = re.compile(r"[^\s.=\[\]{}#\"',]+")
_BARE_VALUE = re.compile(r"[^,\]}#\n]+")
_STRING_STOP = {
    '"': re.compile(r'["\\\n]'),
    "'": re.compile(r"['\n]"),
    '"""': re.compile(r'"""|\\'),
    "'''": re.compile("'''"),
}


@dataclass(slots=True)
class _Node:
    """A key: where it stands, and the keys and elements in it. `array` tells an array from a table."""

    offset: int
    inner: dict[str | int, _Node] = field(default_factory=dict)
    array: bool = False

    def enter(self, key: str | int, offset: int) -> _Node:
        found = self.inner.get(key)
        if found is None:
            found = self.inner[key] = _Node(offset)
        return found


@dataclass(frozen=True, slots=True)
class Document:
    """One TOML file.

    Attributes:
        path: The file, as it is named in errors.
        data: Tables as dicts, arrays as lists, dates as `datetime` objects.
    """

    path: str
    data: dict[str, Any]
    _root: _Node
    _line_starts: tuple[int, ...]

    def place(self, key_path: KeyPath) -> tuple[int, int]:
        """Return where a key stands: line from 1, column from 0 in code points.

        Args:
            key_path: Keys, and positions from 0 in arrays, from the top. Where a part is not in the file, the place is
                that of the part before it; (1, 0) for the file itself.
        """
        node = self._root
        for key in key_path:
            inner = node.inner.get(key)
            if inner is None:
                break
            node = inner
        line = bisect_right(self._line_starts, node.offset)
        return line, node.offset - self._line_starts[line - 1]

    def error(self, key_path: KeyPath, message: str, *, help: tuple[str, ...] = ()) -> ConfigError:
        """Return an error about a key."""
        line, column = self.place(key_path)
        return ConfigError(message, path=self.path, line=line, column=column, help=help)


def parse(text: str | bytes, path: str) -> Document:
    """Return the data of a TOML text and where its keys stand.

    Args:
        text: Bytes are UTF-8; a byte-order mark is skipped.
        path: The file, for errors.

    Raises:
        ConfigError: The text is no UTF-8 or no TOML, longer than `MAX_SIZE`, or deeper than `MAX_DEPTH`.
    """
    if isinstance(text, bytes):
        text = _decoded(text, path)
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_SIZE:
        raise ConfigError(f"the file is longer than {MAX_SIZE:,} characters", path=path)
    starts = (0, *(found.end() for found in re.finditer("\n", text)))
    root = _Node(0)
    deep = _Scan(text, root).run()
    if deep >= 0:
        line = bisect_right(starts, deep)
        message = f"keys or values are nested more than {MAX_DEPTH} deep"
        raise ConfigError(message, path=path, line=line, column=deep - starts[line - 1])
    return Document(path, _data(text, path, starts), root, starts)


def _decoded(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8"))
        line = before.count(b"\n") + 1
        raise ConfigError("the file is not UTF-8", path=path, line=line, column=column) from None


def _data(text: str, path: str, starts: tuple[int, ...]) -> dict[str, Any]:
    try:
        return tomli.loads(text)
    except RecursionError:
        raise ConfigError("values are nested too deeply", path=path) from None
    except ValueError as error:
        found = _AT.match(str(error))
        said = found[1] if found is not None else str(error)
        line, column = 0, 0
        if found is not None:
            at_end = (len(starts), len(text) - starts[-1])
            line, column = (int(found[2]), int(found[3]) - 1) if found[2] is not None else at_end
        message = f"not valid TOML: {said[:1].lower()}{said[1:]}"
        raise ConfigError(message, path=path, line=line, column=column) from None


# --- the scan --------------------------------------------------------------------------------------------------------


class _StopError(Exception):
    """The text is no TOML from here on."""


class _DeepError(Exception):
    """The text is deeper than `MAX_DEPTH` at `offset`."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


_Open: TypeAlias = "tuple[_Node, Literal[']', '}']]"


class _Scan:
    """One pass over the text that fills the tree of keys."""

    def __init__(self, text: str, root: _Node) -> None:
        self.text = text
        self.pos = 0
        self.root = root
        self.table = root

    def run(self) -> int:
        """Scan to the end, or to what is no TOML. Return the offset of what is too deep, -1 where nothing is."""
        try:
            while True:
                self._skip(_BLANK)
                if self.pos >= len(self.text):
                    return -1
                self._statement()
                self._skip(_LINE_END)
        except _StopError:
            return -1
        except _DeepError as error:
            return error.offset

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.text, self.pos)
        if found is None:
            raise _StopError
        self.pos = found.end()

    def _take(self, mark: str) -> None:
        if not self.text.startswith(mark, self.pos):
            raise _StopError
        self.pos += len(mark)

    def _statement(self) -> None:
        if self.text.startswith("[[", self.pos):
            self._header("[[", "]]")
        elif self.text.startswith("[", self.pos):
            self._header("[", "]")
        else:
            self._value(self._assigned(self.table))

    def _header(self, opening: str, closing: str) -> None:
        self._take(opening)
        parts = self._key()
        self._take(closing)
        node = self.root
        for number, (name, offset) in enumerate(parts):
            node = node.enter(name, offset)
            if number == len(parts) - 1 and opening == "[[":
                node.array = True
                node = node.enter(len(node.inner), offset)
            elif node.array and node.inner:
                node = node.inner[len(node.inner) - 1]
        self.table = node

    def _assigned(self, table: _Node) -> _Node:
        """Read `key =` and return the key's node."""
        node = table
        for name, offset in self._key():
            node = node.enter(name, offset)
        self._take("=")
        self._skip(_SPACE)
        return node

    def _key(self) -> list[tuple[str, int]]:
        """Read a dotted key and the white space around it; return its parts and where they stand."""
        parts: list[tuple[str, int]] = []
        while True:
            self._skip(_SPACE)
            start = self.pos
            if self.text[start : start + 1] in ('"', "'"):
                self._string()
                parts.append((_unquoted(self.text[start : self.pos]), start))
            else:
                self._skip(_BARE_KEY)
                parts.append((self.text[start : self.pos], start))
            if len(parts) > MAX_DEPTH:
                raise _DeepError(start)
            self._skip(_SPACE)
            if not self.text.startswith(".", self.pos):
                return parts
            self.pos += 1

    def _value(self, node: _Node) -> None:
        """Read a value with all that it holds."""
        stack: list[_Open] = []
        self._open(node, stack)
        while stack:
            self._skip(_BLANK)
            holder, closing = stack[-1]
            if self.text.startswith(closing, self.pos):
                stack.pop()
                self.pos += 1
            elif self.text.startswith(",", self.pos):
                self.pos += 1
            elif closing == "]":
                self._open(holder.enter(len(holder.inner), self.pos), stack)
            else:
                self._open(self._assigned(holder), stack)

    def _open(self, node: _Node, stack: list[_Open]) -> None:
        """Enter an array or inline table, or pass a scalar."""
        first = self.text[self.pos : self.pos + 1]
        if first in ("[", "{") and first:
            if len(stack) == MAX_DEPTH:
                raise _DeepError(self.pos)
            stack.append((node, "]" if first == "[" else "}"))
            self.pos += 1
        elif first in ('"', "'") and first:
            self._string()
        else:
            self._skip(_BARE_VALUE)

    def _string(self) -> None:
        quote = self.text[self.pos]
        if self.text.startswith(quote * 3, self.pos):
            quote *= 3
        stop = _STRING_STOP[quote]
        self.pos += len(quote)
        while True:
            found = stop.search(self.text, self.pos)
            if found is None or found[0] == "\n":
                raise _StopError
            self.pos = found.end()
            if found[0] == "\\":
                self.pos += 1
            else:
                break
        for _ in range(2 if len(quote) == 3 else 0):
            # A multi-line string may end in up to two quotes of its own.
            if self.text.startswith(quote[0], self.pos):
                self.pos += 1


def _unquoted(quoted: str) -> str:
    if quoted[0] == "'" or "\\" not in quoted:
        return quoted[1:-1]
    try:
        value = tomli.loads(f"key = {quoted}")["key"]
    except ValueError:
        raise _StopError from None
    return str(value)
