"""What stands around a word in the bytes of files: cheap answers about names, before anything is parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BEFORE = 80
_AFTER = 60
_OWN = re.compile(rb"\b(?:self|super\(\))\s*\.\s*$")
_DOT = re.compile(rb"\.[ \t]*$")
_QUOTE = re.compile(rb"[\"']$")
_SETATTR = re.compile(rb"setattr\([^,\n]+,\s*[\"']$")
_LOOK_UP = re.compile(rb"\b(?:hasattr|getattr|delattr)\s*\([^\"']*[\"']$")
_STORED = re.compile(rb"\s*(?::[^=\n]+)?=(?!=)")
_PROBE = re.compile(rb"(?:has|get|del)attr\([^()]*$")
_LETTER = re.compile(rb"\w")
_CLASS = re.compile(rb"\bclass\s+$")


def around(data: bytes, word: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield what stands before and behind each occurrence of a word."""
    for found in re.finditer(rb"\b" + re.escape(word).encode() + rb"\b", data):
        yield data[max(found.start() - _BEFORE, 0) : found.start()], data[found.end() : found.end() + _AFTER]


def is_set_elsewhere(data: bytes, word: str) -> bool:
    """Tell whether an attribute of a name is stored on something else than `self`."""
    for before, after in around(data, word):
        if _SETATTR.search(before):
            return True
        if _DOT.search(before) and not _OWN.search(before) and _STORED.match(after):
            return True
    return False


def is_read_elsewhere(data: bytes, word: str) -> bool:
    """Tell whether an attribute of a name is read of something else than `self`."""
    return any(
        _DOT.search(before) and not _OWN.search(before) and not _STORED.match(after)
        for before, after in around(data, word)
    )


def is_named_elsewhere(data: bytes, word: str) -> bool:
    """Tell whether a word stands as an attribute of something else than `self`, or as a string."""
    return any(
        (_DOT.search(before) and not _OWN.search(before)) or (_QUOTE.search(before) and after[:1] in (b'"', b"'"))
        for before, after in around(data, word)
    )


def is_called(data: bytes, word: str) -> bool:
    """Tell whether a word is called where it does not name a class that is defined."""
    return any(after[:1] == b"(" and not _CLASS.search(before) for before, after in around(data, word))


def is_used(data: bytes, word: str) -> bool:
    """Tell whether a word stands somewhere other than where a function of that name is defined."""
    wanted, at = word.encode(), -1
    while (at := data.find(wanted, at + 1)) >= 0:
        edges = data[at - 1 : at] + data[at + len(wanted) : at + len(wanted) + 1]
        if not _LETTER.search(edges) and data[max(at - 4, 0) : at] != b"def ":
            return True
    return False


def is_defined(data: bytes, word: str) -> bool:
    """Tell whether a function or class of a name is defined, with one blank before it."""
    for keyword in (b"def ", b"class "):
        wanted, at = keyword + word.encode(), -1
        while (at := data.find(wanted, at + 1)) >= 0:
            end = at + len(wanted)
            if not _LETTER.search(data[end : end + 1]):
                return True
    return False


def is_plain_read(before: bytes, after: bytes) -> bool:
    """Tell whether a word is an attribute that is read, or stands in a comment of its own line."""
    line = before.rpartition(b"\n")[2]
    if line.lstrip().startswith(b"#"):
        return True
    return _DOT.search(before) is not None and not _STORED.match(after)


def is_probe(before: bytes, after: bytes) -> bool:
    """Tell whether a word is the literal of a look-up by name."""
    return _LOOK_UP.search(before) is not None and after[:1] in (b'"', b"'")


def is_quoted(data: bytes, word: str) -> bool:
    """Tell whether a word stands as a string that is no argument of a probe: something may set what it names."""
    return any(
        _QUOTE.search(before) and after[:1] in (b'"', b"'") and not _PROBE.search(before)
        for before, after in around(data, word)
    )
