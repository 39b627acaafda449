"""Data to JSON text in pure ASCII: what could forge a report in a terminal is a JSON escape."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

_encoder = msgspec.json.Encoder()
_ESCAPED = re.compile(r"[^\n -~]")
_BATCH = 500


def pretty(data: object) -> str:
    """Return data (dicts, tuples, dataclasses) as JSON text with an indent of 2, ending in a line break."""
    try:
        encoded = _encoder.encode(data)
    except UnicodeEncodeError:  # a lone surrogate, as in the name of a file that is not UTF-8
        import json

        return json.dumps(msgspec.to_builtins(data), indent=2) + "\n"
    return _ascii(msgspec.json.format(encoded, indent=2)) + "\n"


def _row(item: object) -> bytes:
    """Return one item as JSON on one line."""
    try:
        encoded = _encoder.encode(item)
    except UnicodeEncodeError:
        import json

        return json.dumps(msgspec.to_builtins(item), separators=(",", ":")).encode()
    if encoded.isascii() and b"\x7f" not in encoded:
        return encoded
    return _ascii(encoded).encode()


def rows(items: Iterable[object], separator: str = "\n") -> Iterator[str]:
    """Yield items as JSON, one a line, many lines a chunk; `separator` stands between two items."""
    between = separator.encode()
    batch: list[bytes] = []
    first = True
    for item in items:
        batch.append(_row(item))
        if len(batch) == _BATCH:
            yield ("" if first else separator) + between.join(batch).decode("ascii")
            first = False
            batch.clear()
    if batch:
        yield ("" if first else separator) + between.join(batch).decode("ascii")


def _ascii(encoded: bytes) -> str:
    text = encoded.decode("utf-8")
    return _ESCAPED.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
