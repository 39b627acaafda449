"""Stores of an attribute as the bytes of a file show them: where each is a plain assignment, the file need not be parsed.

Approximates: over (code in a string counts).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from codepath.app.mentions import occurrences

Store = tuple[str, str]
"""The storing function, and its class where it stores on its `self`, else ""."""
_BY_NAME = re.compile(rb"\b(?:setattr|__setattr__|__dict__|vars)\b")
_PLAIN = re.compile(rb"[ \t]*(?:=(?!=)|[-+*/%&|^@]=|//=|\*\*=|<<=|>>=|:[^=\n]*=(?!=))")
_ASSIGNED = re.compile(rb"\s*(?:=(?!=)|[-+*/%&|^@]=|//=|\*\*=|<<=|>>=|,?\s*[\])][\s,\])]*=(?!=))")
_CLOSED = re.compile(rb",?\s*[\])][\s,\])]*=(?!=)")
_NEXT = re.compile(rb",\s*(?:#[^\n]*\n\s*)?\*?[\w.]+(?:\[[^\[\]\n]*\])?\s*")
_BEFORE = re.compile(rb"[ \t]*[\w.]+|[ \t(\[]*[\w.\[\], \t()*]*|.*\b(?:for|del|as)\b.*")
_BEHIND = re.compile(rb"[ \t]*:|[\w.\[\], \t()*]*=(?!=)")
_TEST = re.compile(rb"[ \t]*(?:if|elif|while|case)\b")
_TARGET = re.compile(rb"( *)([\w.]+)")
_HEADER = re.compile(rb"(class|(?:async[ \t]+)?def)[ \t]+(\w+)(?:[ \t]*\(\s*(\w*))?")
_BOUND_SELF = re.compile(
    rb"\bself[ \t]*:?=(?!=)|^[ \t]*self[ \t]*,[^\n:=]*=(?!=)[^\n]*[^,\n]$|\b(?:for|as)[ \t]+self\b", re.MULTILINE
)


def may_store(data: bytes, name: bytes, methods: Iterable[bytes] = ()) -> bool:
    """Tell whether the bytes of a file may store an attribute: an assignment, a loop, `del`, or a look-up by name.

    Args:
        data: The bytes.
        name: The attribute.
        methods: Methods that store the attribute whose name they are given.
    """
    return _by_name(data, name, methods) or any(True for _ in _targets(data, name))


def written_stores(data: bytes, module: str, name: bytes, methods: Iterable[bytes] = ()) -> tuple[Store, ...] | None:
    """Return the stores of an attribute in a file, None where only parsing it tells.

    Args:
        data: The bytes of the file.
        module: Its dotted name.
        name: The attribute.
        methods: Methods that store the attribute whose name they are given.
    """
    if _by_name(data, name, methods) or _BOUND_SELF.search(data):
        return None
    found: list[Store] = []
    for at in _targets(data, name):
        store = _store_at(data, module, at, at + 1 + len(name))
        if store is None:
            return None
        found.append(store)
    return tuple(found)


def _by_name(data: bytes, name: bytes, methods: Iterable[bytes]) -> bool:
    is_quoted = b'"%s"' % name in data or b"'%s'" % name in data
    return is_quoted and (_BY_NAME.search(data) is not None or any(method in data for method in methods))


def _targets(data: bytes, name: bytes) -> Iterator[int]:
    """Yield where an attribute may be stored: the places of the points before it."""
    for at in occurrences(data, name):
        if data[at - 1 : at] == b"." and _is_target(data, at - 1, at + len(name)):
            yield at - 1


def _is_target(data: bytes, start: int, end: int) -> bool:
    """Tell whether an attribute that stands between two places may be stored there."""
    if _ASSIGNED.match(data, end) or _CLOSED.match(data, _behind_others(data, end)):
        return True
    stop = data.find(b"\n", end)
    line = data[data.rfind(b"\n", 0, start) + 1 : start]
    behind = data[end : stop if stop >= 0 else len(data)]
    before = _BEFORE.fullmatch(line)
    if before is None:
        return False
    if _BEHIND.match(behind) is not None:
        return _TEST.match(line) is None
    return re.search(rb"\b(?:for|del|as)\b", line) is not None


def _behind_others(data: bytes, end: int) -> int:
    """Return the end of the names that stand behind one in a tuple, each on the same line or one of its own."""
    for _ in range(_MOST_NAMES):
        following = _NEXT.match(data, end)
        if following is None:
            break
        end = following.end()
    return end


def _store_at(data: bytes, module: str, start: int, end: int) -> Store | None:
    """Return the store of an attribute that stands between two places, None where it is no plain one in a function."""
    begin = data.rfind(b"\n", 0, start) + 1
    target = _TARGET.fullmatch(data, begin, start)
    if target is None or not target[1] or not _PLAIN.match(data, end):
        return None
    headers = _headers(data, begin, len(target[1]))
    if (
        not headers
        or not headers[0][3]
        or headers[0][1] == b"class"
        or any(header[1] != b"class" for header in headers[1:])
    ):
        return None
    names = [header[2].decode("utf-8", "replace") for header in reversed(headers)]
    function, owner = ".".join((module, *names)), ".".join((module, *names[:-1]))
    if target[2] != headers[0][3]:
        return function, ""
    if target[2] != b"self":
        return None
    return function, owner if len(headers) > 1 else ""


def _headers(data: bytes, begin: int, indent: int) -> list[re.Match[bytes]]:
    """Return the headers of the functions and classes around a line, the innermost first; none where that is not plain."""
    found: list[re.Match[bytes]] = []
    lowest = indent
    while begin > 0 and lowest > 0:
        end, begin = begin - 1, data.rfind(b"\n", 0, begin - 1) + 1
        text = data[begin:end].strip()
        if not text or text[0] in _CLOSING:
            continue
        depth = data.index(text, begin) - begin
        if b"\t" in data[begin : begin + depth]:
            return []
        if depth < lowest:
            lowest = depth
            if (header := _HEADER.match(data, begin + depth)) is not None:
                if _is_quoted(data, header.start()):
                    return []
                found.append(header)
    return (
        found if found and (found[-1].start() == 0 or data[found[-1].start() - 1 : found[-1].start()] == b"\n") else []
    )


_MOST_NAMES = 100
_CLOSING = frozenset(b"#)]}")


def _is_quoted(data: bytes, at: int) -> bool:
    """Tell whether a place may stand in a string of several lines."""
    return bool(data.count(b'"""', 0, at) % 2 or data.count(b"'''", 0, at) % 2)
