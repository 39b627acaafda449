"""The text of a file's bytes: byte-order mark, PEP 263 encoding, line ends."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from codepath.errors import SourceError

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")


@dataclass(frozen=True, slots=True)
class Text:
    """A file's text, every line end a line feed, without the byte-order mark."""

    text: str
    encoding: str
    bom: bool


def decode(data: bytes, path: str) -> Text:
    """Return the text of a file as Python would read it.

    Raises:
        SourceError: The encoding is unknown or the bytes are not in it, or there is a null byte.
    """
    bom = data.startswith(codecs.BOM_UTF8)
    if bom:
        data = data[3:]
    encoding = _declared(data, bom, path)
    try:
        text = data.decode(encoding)
        text.encode()
    except UnicodeDecodeError as error:
        line, column = _place(data, error.start, encoding)
        message = f"byte 0x{data[error.start]:02x} is not {encoding}" if error.start < len(data) else f"not {encoding}"
        raise SourceError(message, path=path, line=line, column=column) from None
    except ValueError:
        raise SourceError(f"the bytes are not {encoding}", path=path, line=1) from None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    null = text.find("\0")
    if null >= 0:
        line = text.count("\n", 0, null) + 1
        column = null - (text.rfind("\n", 0, null) + 1)
        raise SourceError("the file has a null byte", path=path, line=line, column=column)
    return Text(text, encoding, bom)


def _declared(data: bytes, bom: bool, path: str) -> str:
    """Return the normal name of the encoding that the first two lines declare, else `utf-8`."""
    for number, line in enumerate(re.split(rb"\r\n?|\n", data[:4096], maxsplit=2)[:2], start=1):
        match = _COOKIE.match(line)
        if match:
            return _known(match[1].decode("ascii", "replace"), bom, path, number)
        if not _BLANK.match(line):
            break
    return "utf-8"


def _known(name: str, bom: bool, path: str, line: int) -> str:
    try:
        info = codecs.lookup(name)
        "".encode(name)
    except Exception:  # a codec's look-up may run into anything
        raise SourceError(f"the encoding '{name}' is unknown", path=path, line=line) from None
    if bom and info.name != "utf-8":
        raise SourceError(f"the encoding '{name}' contradicts the byte-order mark", path=path, line=line)
    return "utf-8" if info.name == "utf-8-sig" else info.name


def _place(data: bytes, offset: int, encoding: str) -> tuple[int, int]:
    before = data[:offset].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    start = before.rfind(b"\n") + 1
    return before.count(b"\n") + 1, len(before[start:].decode(encoding, "replace"))
