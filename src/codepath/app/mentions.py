"""Names in the bytes of files that have not been parsed: which files hold one, and whether more than by importing it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_INSIDE = frozenset(bytes([c]) for c in range(0x80) if chr(c).isalnum() or c == ord("_"))
_SPACED = bytes(c if c >= 0x80 or bytes([c]) in _INSIDE else ord(" ") for c in range(256))
_IMPORT = re.compile(rb"\n[ \t]*(?:from[ \t]+[\w.]+[ \t]+import[ \t]*(?:\([^)]*\)|[^\n]*)|import[ \t][^\n]*)")
_IDENTIFIER = rb"[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*"
_STRING = re.compile(
    rb"|".join(
        quote + rb"(?:(?<=(" + quote + rb"))(" + _IDENTIFIER + quote + rb")"  # kept, in two groups
        rb"|[^" + quote + rb"\\\n]*(?:\\.[^" + quote + rb"\\\n]*)*" + quote + rb")"
        for quote in (b'"', b"'")
    )
)
"""A string; its groups hold it where it is one identifier."""
_QUOTES = (b"'", b'"')
_BY_NAME = re.compile(rb"(?:attr|[iI]mport|[lL]azy)\w*\([^()]*$")
_STRIPPED = re.compile(rb"#[^\n]*|\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''", re.DOTALL)


def identifiers(data: bytes) -> frozenset[str]:
    """Return the words in the bytes of a file that can be names."""
    words = set(data.translate(_SPACED).split())
    return frozenset(word for word in b" ".join(words).decode("utf-8", "replace").split() if not word[0].isdigit())


def occurrences(data: bytes, word: bytes) -> Iterator[int]:
    """Yield where a word stands in bytes, not as a part of a longer one."""
    at = data.find(word)
    while at >= 0:
        end = at + len(word)
        if data[at - 1 : at] not in _INSIDE and data[end : end + 1] not in _INSIDE:
            yield at
        at = data.find(word, end)


def near(query: str, words: Iterable[str]) -> list[str]:
    """Return up to 20 words that look like the last part of a dotted name, most alike first; it is one of them."""
    from difflib import get_close_matches

    last = query.rpartition(".")[2]
    room = max(2, len(last) // 4)
    fitting = sorted(word for word in words if abs(len(word) - len(last)) <= room)
    return get_close_matches(last, fitting, n=20, cutoff=0.75)


def imported_as(data: bytes, name: str) -> set[str]:
    """Return the names under which a file imports `name`."""
    word = re.escape(name.encode())
    if name.encode() + b" as " not in data:
        return set()
    renamed = re.compile(rb"\b" + word + rb"[ \t]+as[ \t]+([A-Za-z_]\w*)")
    found = (
        match.group(1).decode() for line in _IMPORT.finditer(b"\n" + data) for match in renamed.finditer(line.group())
    )
    return set(found) - {name}


def defines(data: bytes, name: str) -> bool:
    """Tell whether the bytes may define a function, class or name `name`."""
    word = re.escape(name.encode())
    return (
        re.search(rb"\b(?:def|class)[ \t]+" + word + rb"\b|^[ \t]*" + word + rb"[ \t]*(?:=|:)", data, re.MULTILINE)
        is not None
    )


_BEHIND = rb"\b(?:def|class)[ \t]+" + _IDENTIFIER
_TARGETS = rb"(?:^|;)(?:(?:[\w\x80-\xff \t,*=]|\([\w\x80-\xff\s,*]*\))+=(?!=)|[ \t]*" + _IDENTIFIER + rb"[ \t]*:)"
_BINDING = re.compile(_BEHIND + rb"|" + _TARGETS, re.MULTILINE)


def bound(data: bytes) -> frozenset[str]:
    """Return the words in the bytes of a file that may be names of functions, of classes, or stored as globals."""
    return identifiers(b" ".join(_BINDING.findall(data)))


def code_of(data: bytes) -> bytes:
    """Return the bytes of a file without imports, comments and prose; strings that are one identifier stay."""
    code = _IMPORT.sub(b"\n", b"\n" + _STRIPPED.sub(b"", data))
    return b"".join(filter(None, _STRING.split(code)))


def mentioned(bare: bytes, names: Iterable[str]) -> set[str]:
    """Return those of the names that code (`code_of`) uses other than as a plain annotation."""
    return {name for name in names if _is_used(bare, name.encode())}


def _is_used(bare: bytes, word: bytes) -> bool:
    return any(_counts(bare, at, at + len(word)) for at in occurrences(bare, word))


def _counts(data: bytes, start: int, end: int) -> bool:
    """Tell whether a word is used: in quotes only where it is an argument of a look-up by name."""
    quote = data[end : end + 1]
    if quote in _QUOTES and quote == data[start - 1 : start]:
        return _BY_NAME.search(data[max(0, start - 121) : start - 1]) is not None
    return not _is_annotation(data, start, end)


def _is_annotation(data: bytes, start: int, end: int) -> bool:
    """Tell whether a word stands behind `name:` or `->` and nothing is done with it."""
    if data[end : end + 1] in (b"(", b"."):
        return False
    before = data[max(0, start - 80) : start].rstrip(b" \t\"'")
    if before.endswith(b"->"):
        return True
    if before.endswith(b"["):
        before = before.rstrip(b"[")
        before = before.rstrip(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.").rstrip(b" \t\"'")
        if before.endswith(b"->"):
            return True
    if not before.endswith(b":"):
        return False
    named = before[:-1].rstrip(b" \t")
    word = re.search(rb"[A-Za-z_]\w*$", named)
    return word is not None and word.group() not in (b"lambda", b"else", b"try", b"finally")
