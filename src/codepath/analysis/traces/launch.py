"""What a log says of the run itself: printed settings, the launch command, names of registered classes.

Approximates: under (only plain values are read; a setting printed in two forms counts once, the first).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from codepath.model.trace import Assumed

_PRINTED = re.compile(r"\b([A-Z]\w{2,60})\((?=[a-z_]\w{0,60}=)")
_KEY = re.compile(r"\s*([A-Za-z_]\w{0,80})=")
_FLAG = re.compile(
    r"(?:^|\s)--([a-z][a-z0-9-]{1,60})(?:[= ]+(?!--)(\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|[^\s\"']{1,300}))?"
)
_WORD = re.compile(r"[A-Za-z_]\w{5,120}")
_MOST_SETTINGS = 600
_LONGEST = 40_000
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def settings_in(text: str, is_settings: Callable[[str], bool]) -> list[Assumed]:
    """Return the settings of objects that a log prints as `Name(key=value, ...)`; `is_settings` knows the classes."""
    for match in _PRINTED.finditer(text):
        if is_settings(match[1]):
            found = _pairs(text[match.end() : match.end() + _LONGEST])
            if len(found) > 1:
                line = text.count("\n", 0, match.start()) + 1
                return [Assumed(name, value, f"{match[1]}(...) on line {line} of the log") for name, value in found]
    return []


def _pairs(text: str) -> list[tuple[str, str]]:
    """Return the `key=value` pairs up to the bracket that closes them; values as written."""
    found: list[tuple[str, str]] = []
    position = 0
    while len(found) < _MOST_SETTINGS:
        key = _KEY.match(text, position)
        if key is None:
            break
        end = _value_end(text, key.end())
        found.append((key[1], text[key.end() : end].strip()))
        if end >= len(text) or text[end] != ",":
            break
        position = end + 1
    return found


def _value_end(text: str, start: int) -> int:
    """Return where a value ends: at a comma or bracket that is not inside its own brackets or strings."""
    closers: list[str] = []
    quote = ""
    position = start
    while position < len(text):
        character = text[position]
        if quote:
            position += character == "\\"
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in _CLOSING:
            closers.append(_CLOSING[character])
        elif closers and character == closers[-1]:
            closers.pop()
        elif not closers and character in ",)\n":
            return position
        position += 1
    return len(text)


def flags_in(text: str, source: str) -> list[Assumed]:
    """Return the flags of a command line, names with underscores; a flag without a value is `True`."""
    found: dict[str, str] = {}
    for match in _FLAG.finditer(text[:_LONGEST]):
        found.setdefault(match[1].replace("-", "_"), (match[2] or "True").strip("\"'"))
        if len(found) >= _MOST_SETTINGS:
            break
    return [Assumed(name, value, source) for name, value in found.items()]


def command_in(text: str) -> list[Assumed]:
    """Return the flags of the line of a log that has the most, two at the least."""
    best: list[Assumed] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(" --") >= max(2, len(best)):
            found = flags_in(line, f"the command on line {number} of the log")
            best = found if len(found) > max(1, len(best)) else best
    return best


def names_in(text: str, names: Iterable[str]) -> list[tuple[str, int]]:
    """Return those of some names that stand in a text as words, with the line of the first mention."""
    wanted = frozenset(names)
    found: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        for word in _WORD.findall(line[:_LONGEST]):
            if word in wanted:
                found.setdefault(word, number)
    return sorted(found.items(), key=lambda item: item[1])


def class_for(value: str, names: Iterable[str]) -> list[str]:
    """Return the class names that begin like the last part of a model's path, of the longest beginning that any has."""
    tail = value.strip("'\"/").replace("\\", "/").rpartition("/")[2]
    parts = [p for p in re.split(r"[^A-Za-z0-9]+", tail[:200].lower()) if p]
    lowered = [(name.lower().replace("_", ""), name) for name in names]
    for length in range(len(parts), 0, -1):
        begin = "".join(parts[:length])
        if len(begin) < 4:
            return []
        found = sorted(name for lower, name in lowered if lower.startswith(begin))
        if found:
            return found
    return []
