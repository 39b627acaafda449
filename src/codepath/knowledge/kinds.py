"""The kinds of values in a knowledge file: how each is said in the reference, and how it is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

_PART = r"(?:[^\W\d]\w*|<lambda\d+>)"
_NAME = re.compile(rf"{_PART}(?:\.{_PART})*")
_PATTERN_PART = r"(?:[\w*]+|<lambda\d+>)"
_PATTERN = re.compile(rf"{_PATTERN_PART}(?:\.{_PATTERN_PART})*")
_KEYWORD = re.compile(r"[^\W\d]\w*|\d{1,3}")


class WrongError(Exception):
    """A value is not of its kind. `within` is where in the value, `message` continues "`key` "."""

    def __init__(self, message: str, within: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.within = within


Read: TypeAlias = "Callable[[Any], Any]"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value. `text` says it in the reference; `read` gives the value as it is kept or raises `WrongError`."""

    text: str
    read: Read


def _said(value: object) -> str:
    """Return the TOML type of a value."""
    names = {bool: "a boolean", int: "an integer", float: "a float", str: "a string", list: "a list", dict: "a table"}
    return names.get(type(value), "a date or time")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise WrongError(f"must be a string, not {_said(value)}")
    if not value:
        raise WrongError("must not be empty")
    return value


def _spelled(pattern: re.Pattern[str], what: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        text = _text(value)
        if pattern.fullmatch(text) is None:
            raise WrongError(f"must be {what}, not `{text}`")
        return text

    return read


_dotted = _spelled(_NAME, "a dotted name")
_pattern = _spelled(_PATTERN, "a dotted name or pattern")


def _each(read: Callable[[object], Any], least: int = 0) -> Callable[[object], tuple[Any, ...]]:
    def read_all(value: object) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise WrongError(f"must be a list, not {_said(value)}")
        if len(value) < least:
            raise WrongError("must not be empty")
        found = []
        for position, item in enumerate(value):
            try:
                found.append(read(item))
            except WrongError as error:
                raise WrongError(f"element {position + 1} {error.message}", (position,)) from None
        return tuple(found)

    return read_all


def _one_or_more(value: object) -> tuple[str, ...]:
    return _each(_dotted, 1)(value) if isinstance(value, list) else (_dotted(value),)


def _argument(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1000:
        return str(value)
    if not isinstance(value, str) or _KEYWORD.fullmatch(value) is None:
        raise WrongError("must be a keyword or a position from 0")
    return value


def _arguments(value: object) -> tuple[str, ...]:
    found = _each(_argument, 1)(value) if isinstance(value, list) else (_argument(value),)
    if len(found) > 2:
        raise WrongError("must be at most two spellings of one argument")
    return found


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise WrongError(f"must be an integer, not {_said(value)}")
    if value < 0:
        raise WrongError("must not be negative")
    return value


def _capability(value: object) -> tuple[int, ...]:
    found = _each(_integer)(value)
    if len(found) != 2:
        raise WrongError("must be the major and the minor number")
    return found


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise WrongError(f"must be true or false, not {_said(value)}")
    return value


def _scalar(value: object) -> bool | int | float | str:
    if not isinstance(value, (bool, int, float, str)):
        raise WrongError(f"must be a string, a number or a boolean, not {_said(value)}")
    return value


def _words(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict):
        raise WrongError(f"must be a table, not {_said(value)}")
    return tuple(sorted((str(key), _text(held)) for key, held in value.items()))


def _returns(value: object) -> str:
    text = _text(value)
    if text not in _ARCHITECTURE_FORMS and not (text.startswith("bool:") and text[5:].strip()):
        raise WrongError(f"must be {_either(_ARCHITECTURE_FORMS)} or `bool:EXPR`, not `{text}`")
    return text


_ARCHITECTURE_FORMS = ("capability", "major", "minor", "sm", "sm-string", "device-name", "properties")

TEXT = Kind("string", _text)
TEXTS = Kind("list of strings", _each(_text))
NAME = Kind("dotted name", _dotted)
NAMES = Kind("list of dotted names", _each(_dotted))
ONE_OR_MORE = Kind("dotted name, or a list of them", _one_or_more)
PATTERN = Kind("dotted name, may hold `*`", _pattern)
PATTERNS = Kind("list of dotted names, may hold `*`", _each(_pattern, 1))
ARGUMENT = Kind("keyword or position from 0", _argument)
ARGUMENTS = Kind("keyword or position from 0, or a list of two spellings", _arguments)
INTEGER = Kind("integer", _integer)
CAPABILITY = Kind("[major, minor]", _capability)
FLAG = Kind("boolean", _flag)
SCALAR = Kind("string, number or boolean", _scalar)
WORDS = Kind("table of strings", _words)
ARCHITECTURE_FORM = Kind(f"{', '.join(f'`{form}`' for form in _ARCHITECTURE_FORMS)} or `bool:EXPR`", _returns)


def one_of(words: Sequence[str]) -> Kind:
    """Return the kind of one word of several."""

    def read(value: object) -> str:
        text = _text(value)
        if text not in words:
            raise WrongError(f"must be {_either(words)}, not `{text}`")
        return text

    return Kind(_either(words), read)


def list_of(words: Sequence[str]) -> Kind:
    """Return the kind of a list of some words."""
    return Kind(f"list of {_either(words)}", _each(one_of(words).read, 1))


def _either(words: Sequence[str]) -> str:
    quoted = [f"`{word}`" for word in words]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
