"""The stored form of a solved call graph: one row a function, compact, decodable on its own."""

from __future__ import annotations

import msgspec


class StoredGuard(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A guard; `file` is "" where it is that of the function. `when` are positions in the row's `guards`."""

    text: str
    polarity: bool
    kind: str
    line: int
    file: str = ""
    when: tuple[int, ...] = ()
    choice: bool = False


DECORATOR = "a decorator"
"""How a wrapper was found (`StoredStep.how`); the place is that of the first of the functions that it wraps there (`wraps`)."""


class StoredStep(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A step out of the row's function. `at` is packed as in the IR; `guards` are positions in the row's `guards`."""

    callee: str
    at: int
    kind: str
    resolution: str
    guards: tuple[int, ...] = ()
    how: str = ""
    how_file: str = ""
    how_at: int = 0
    how_function: str = ""
    wraps: tuple[str, ...] = ()


class StoredGap(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A call site whose callee is not known; `outside` where it certainly leaves the tree."""

    at: int
    text: str
    reason: str
    outside: bool = False


class StoredFunction(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All that is known of one function or module: its place, the steps out of it, and who steps into it.

    `sites` counts its call sites by their best resolution: exact, inferred, family, by name, outside, unresolved.
    """

    kind: str
    file: str
    at: int
    end: int
    guards: tuple[StoredGuard, ...]
    steps: tuple[StoredStep, ...]
    gaps: tuple[StoredGap, ...]
    call_sites: int
    callers: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    sites: tuple[int, ...] = ()


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(StoredFunction).decode


def encode_function(row: StoredFunction) -> bytes:
    """Return the stored form of a row."""
    return _encode(row)


def decode_function(blob: bytes) -> StoredFunction:
    """Return the row that `encode_function` stored."""
    return _decode(blob)


class StoredName(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A named thing: full dotted name, kind as in `Symbol`, place and end, packed."""

    name: str
    kind: str
    file: str
    at: int
    end: int = 0


class StoredWhole(msgspec.Struct, frozen=True, array_like=True):
    """What is known of a whole solved tree.

    `counts` are the fields of `Stats` in order, `mains` modules run as programs, `lines` of all files that parse; `skipped`
    has (path, reason, line, column) of the others.
    """

    mains: tuple[str, ...]
    classes: int
    functions: int
    counts: tuple[int, ...]
    lines: int
    byte_order_marks: tuple[str, ...]
    skipped: tuple[tuple[str, str, int, int], ...]


_decode_names = msgspec.msgpack.Decoder(tuple[StoredName, ...]).decode
_decode_strings = msgspec.msgpack.Decoder(tuple[str, ...]).decode
_decode_whole = msgspec.msgpack.Decoder(StoredWhole).decode


def decode_names(blob: bytes) -> tuple[StoredName, ...]:
    """Return the names of a row."""
    return _decode_names(blob)


def decode_strings(blob: bytes) -> tuple[str, ...]:
    """Return a row of strings."""
    return _decode_strings(blob)


def encode_whole(whole: StoredWhole) -> bytes:
    """Return the stored form of a whole."""
    return _encode(whole)


def decode_whole(blob: bytes) -> StoredWhole:
    """Return the whole that `encode_whole` stored."""
    return _decode_whole(blob)
