"""From a launch line to assumptions, by the options that the tree defines; read as `argparse` reads it.

Source: the behaviour of `argparse.ArgumentParser` (unique prefixes of long options, `--x=v`, `-xv`, `--`), Python 3.10.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from codepath.errors import QueryError
from codepath.model.assumptions import Assumption, Option, Scalar

ORIGIN = "--launch-args"
_CHOICES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Given:
    """An option as it was given: as typed, with its words; `negated` for `--no-x`."""

    option: Option
    typed: str
    words: tuple[str, ...]
    negated: bool = False


def assumptions_of(options: Sequence[Option], line: str) -> tuple[Assumption, ...]:
    """Return what a launch line makes of the attributes behind its options; the last one given counts.

    Raises:
        QueryError: An option that the tree does not define, a value that its definition refuses, a quote left open.
    """
    found: dict[tuple[str, str], Assumption] = {}
    for given in _read(options, _words(line)):
        assumption = _assumption(given)
        if assumption is not None:
            found[assumption.holder, assumption.name] = assumption
    return tuple(found.values())


def _words(line: str) -> list[str]:
    """Return the words of a line; the program and its own words in front of the first option are left out."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise QueryError(f"the launch line cannot be read: {error}", help=(line,)) from None
    if not words or words[0].startswith("-"):
        return words
    long = next((k for k, word in enumerate(words) if word.startswith("--")), len(words))
    start = words.index("-m") + 2 if "-m" in words[:long] else 1  # `python -m MODULE`
    return words[next((k for k in range(start, len(words)) if words[k].startswith("-")), len(words)) :]


def _read(options: Sequence[Option], words: Sequence[str]) -> Iterator[Given]:
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if not word.startswith("-") or word in ("-", "--"):
            raise QueryError(f"`{word}` in the launch line belongs to no option", help=("options start with `--`",))
        option, typed, inline, negated = _find(options, word)
        if inline is not None:
            yield Given(option, typed, (inline,), negated)
            continue
        stop = position
        if option.form in ("value", "optional", "list", "other"):
            limit = len(words) if option.form in ("list", "other") else position + 1
            while stop < min(limit, len(words)) and not _is_option(words[stop]):
                stop += 1
        taken = tuple(words[position:stop])
        if option.form == "value" and not taken:
            raise QueryError(f"`{typed}` in the launch line has no value", help=(_defined(option),))
        position = stop
        yield Given(option, typed, taken, negated)


def _is_option(word: str) -> bool:
    return word.startswith("-") and len(word) > 1 and not _is_number(word)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _find(options: Sequence[Option], word: str) -> tuple[Option, str, str | None, bool]:
    """Return the option that a word gives, its string in full, a value in the same word, and whether it is negated."""
    typed, has_value, value = word.partition("=")
    inline = value if has_value else None
    by_string = {string: option for option in options for string in option.strings}
    for spelled in (typed, typed.replace("_", "-")):
        if spelled in by_string:
            return by_string[spelled], typed, inline, False
        positive = f"--{spelled[5:]}" if spelled.startswith("--no-") else ""
        if positive in by_string and by_string[positive].form == "switch":
            return by_string[positive], typed, inline, True
    if typed.startswith("--"):
        near = {id(o): (s, o) for s, o in by_string.items() if s.startswith(typed)}
        if len(near) == 1:
            string, option = next(iter(near.values()))
            return option, string, inline, False
        if near:
            names = ", ".join(sorted(s for s, _ in near.values()))
            raise QueryError(f"`{typed}` in the launch line could be several options", help=(names,))
    elif typed[:2] in by_string and len(typed) > 2:
        return by_string[typed[:2]], typed[:2], word[2:], False
    raise _unknown(typed, list(by_string))


def _unknown(typed: str, strings: list[str]) -> QueryError:
    from difflib import get_close_matches

    if not strings:
        return QueryError(
            "no launch options are known in this tree",
            help=('name the class that holds them: codepath.toml  [[launch]] class = "..."',),
        )
    near = get_close_matches(typed, strings, n=3, cutoff=0.5)
    help = (f"did you mean {', '.join(f'`{name}`' for name in near)}?",) if near else ()
    return QueryError(f"the tree defines no launch option `{typed}`", help=help)


def _assumption(given: Given) -> Assumption | None:
    """Return what an option given makes of its attribute, None where that is not a plain value."""
    option = given.option
    if not option.attribute or option.form == "other":
        return None
    if option.form in ("flag", "switch") and not given.words:
        value: Scalar = option.constant if option.form == "flag" else not given.negated
    elif len(given.words) != 1 or option.form == "list":
        return None
    else:
        converted = _converted(given, given.words[0])
        if converted is None:
            return None
        value = converted[0]
    return Assumption(option.attribute, "=", value, "attribute", ORIGIN, option.holder, option.place)


def _converted(given: Given, word: str) -> tuple[Scalar] | None:
    option = given.option
    value: Scalar = word
    if option.type in ("int", "float"):
        try:
            value = int(word) if option.type == "int" else float(word)
        except ValueError:
            if not option.is_whole:
                return None
            kind = "a whole number" if option.type == "int" else "a number"
            raise QueryError(f"`{given.typed}` wants {kind}, not `{word}`", help=(_defined(option),)) from None
    elif option.type == "bool" or option.form == "switch":
        value = word.lower() in ("1", "true", "yes", "on")
    elif option.type != "str":
        return None
    if option.choices is not None and value not in option.choices:
        shown = ", ".join(str(choice) for choice in option.choices[:_CHOICES_SHOWN])
        more = ", ..." if len(option.choices) > _CHOICES_SHOWN else ""
        raise QueryError(f"`{given.typed}` does not allow `{word}`", help=(f"one of: {shown}{more}", _defined(option)))
    return (value,)


def _defined(option: Option) -> str:
    return f"it is defined at {option.place.file}:{option.place.line}"
