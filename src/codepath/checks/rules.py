"""One rule folder, read and validated: rule.toml is data alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from codepath.checks.kinds import kinds
from codepath.checks.schema import Key, Kind
from codepath.errors import ConfigError, RuleError
from codepath.model.checks import PRECISIONS, SEVERITIES, Rule
from codepath.toml import Document, KeyPath, parse

_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
KEYS = (
    ("id", "the name of the folder"),
    (
        "kind",
        "the algorithm; a table of the same name holds its keys, or several do, each looked at for itself: `[[kind]]`",
    ),
    ("severity", "error, warning or info; `check` fails on the first two"),
    ("precision", "high, medium or low, as measured on real releases; medium where it is absent"),
    ("summary", "what it demands, in one sentence"),
    ("why", "why it matters"),
    ("applies-to", "the name of a project, or `any`, which holds where it is absent"),
)
"""The keys that all rules have, with what they mean."""
_COMMON = tuple(name for name, _ in KEYS)
_MAX_SAID = 80
_MAX_PATTERN = 300
_MAX_STARS = 6
HEADINGS = ("What it finds", "Why", "How to fix", "What it misses", "References")


def read_rule(text: bytes, path: str, folder: str, document: str = "") -> Rule:
    """Return the rule in a rule.toml.

    Args:
        text: The file.
        path: The file, as errors name it.
        folder: The last name of its folder, which the id must be.
        document: The text of rule.md.

    Raises:
        RuleError: It is no TOML, a key is unknown, missing or of the wrong form; with the place and the nearest key.
    """
    try:
        return _Reader(parse(text, path), folder, document).rule()
    except ConfigError as error:
        wrong = RuleError(error.message, path=error.path, line=error.line, column=error.column, help=error.help)
        lines = text.decode("utf-8", "replace").splitlines()
        if 0 < error.line <= len(lines):
            wrong.excerpt = lines[error.line - 1]
        raise wrong from None


class _Reader:
    def __init__(self, document: Document, folder: str, text: str) -> None:
        self._document = document
        self._folder = folder
        self._text = text

    def rule(self) -> Rule:
        data = self._document.data
        kind = self._kind(data)
        for name in data:
            if name not in _COMMON and name != kind.name:
                raise self._unknown((name,), name, [*_COMMON, kind.name], "the file")
        words = {name: self._text_of(data, name) for name in _COMMON}
        self._one_of("severity", words["severity"], SEVERITIES)
        self._one_of("precision", words["precision"], PRECISIONS)
        return Rule(
            id=self._id(words["id"]),
            kind=kind.name,
            severity=words["severity"],
            precision=words["precision"],
            summary=words["summary"],
            why=words["why"],
            applies_to=words["applies-to"] or "any",
            tables=tuple(self._tables(kind, data.get(kind.name))),
            origin=self._document.path.rpartition("/")[0],
            document=self._text,
        )

    def _kind(self, data: Mapping[str, Any]) -> Kind:
        known = kinds()
        name = data.get("kind")
        if not isinstance(name, str):
            raise self._document.error(("kind",), "`kind` is missing", help=(f"kinds: {', '.join(known)}",))
        if name not in known:
            help = (*nearest(name, list(known)), f"kinds: {', '.join(known)}")
            raise self._document.error(("kind",), f"there is no kind `{_cut(name)}`", help=help)
        return known[name]

    def _id(self, name: str) -> str:
        if not _ID.fullmatch(name):
            raise self._document.error(("id",), "`id` must be words of small letters and digits with `-` between them")
        if name != self._folder:
            raise self._document.error(("id",), f"`id` must be the name of the folder, `{self._folder}`")
        return name

    def _text_of(self, data: Mapping[str, Any], name: str) -> str:
        value = data.get(name, "")
        if not isinstance(value, str):
            raise self._document.error((name,), f"`{name}` must be a string")
        if not value.strip() and name in ("id", "severity", "summary"):
            raise self._document.error((name,), f"`{name}` is missing")
        return value if name != "precision" else value or "medium"

    def _one_of(self, name: str, value: str, words: Sequence[str]) -> None:
        if value not in words:
            help = (*nearest(value, words), f"`{name}` is one of {', '.join(words)}")
            raise self._document.error((name,), f"`{name}` cannot be `{_cut(value)}`", help=help)

    # --- the kind's own tables ---------------------------------------------------------------------------------------

    def _tables(self, kind: Kind, found: object) -> Iterator[dict[str, Any]]:
        many = isinstance(found, list) and bool(found) and all(isinstance(one, dict) for one in found)
        if isinstance(found, list) and many:
            for number, table in enumerate(found):
                yield self._settings(kind, table, (kind.name, number))
        elif isinstance(found, dict):
            yield self._settings(kind, found, (kind.name,))
        else:
            raise self._document.error((kind.name,), f"the table [{kind.name}] is missing", help=(_keys_of(kind),))

    def _settings(self, kind: Kind, table: Mapping[str, Any], place: KeyPath) -> dict[str, Any]:
        known = {key.name: key for key in kind.keys}
        for name in table:
            if name not in known:
                raise self._unknown((*place, name), name, list(known), f"[{kind.name}]")
        return {key.name: self._setting(kind, key, table, place) for key in kind.keys}

    def _setting(self, kind: Kind, key: Key, table: Mapping[str, Any], place: KeyPath) -> Any:
        where = (*place, key.name)
        help = (f"`{key.name}`: {key.meaning}",)
        if key.name not in table:
            if key.required:
                raise self._document.error(place, f"[{kind.name}] lacks `{key.name}`", help=help)
            return key.absent
        value = table[key.name]
        if key.form == "flag":
            if not isinstance(value, bool):
                raise self._document.error(where, f"`{key.name}` must be true or false", help=help)
            return value
        texts = [value] if isinstance(value, str) else value
        if key.form == "text" and not isinstance(value, str):
            raise self._document.error(where, f"`{key.name}` must be a string", help=help)
        if not isinstance(texts, list) or not all(isinstance(t, str) and t.strip() for t in texts):
            raise self._document.error(where, f"`{key.name}` must be a list of strings", help=help)
        for text in texts:
            if len(text) > _MAX_PATTERN or text.count("*") > _MAX_STARS:
                message = (
                    f"a pattern in `{key.name}` has more than {_MAX_PATTERN} characters or more than {_MAX_STARS} `*`"
                )
                raise self._document.error(where, message, help=help)
            if key.choices and text not in key.choices:
                near = (*nearest(text, key.choices), f"`{key.name}` is of {', '.join(key.choices)}")
                raise self._document.error(where, f"`{key.name}` cannot be `{_cut(text)}`", help=near)
        return value if key.form == "text" else tuple(texts)

    def _unknown(self, place: KeyPath, name: str, known: Sequence[str], title: str) -> ConfigError:
        help = (*nearest(name, known), f"keys of {title}: {', '.join(known)}")
        return self._document.error(place, f"unknown key `{_cut(name)}` in {title}", help=help)


def nearest(name: str, known: Sequence[str]) -> tuple[str, ...]:
    """Return a line of help that names the known word nearest to another, nothing where none is near."""
    from difflib import get_close_matches

    return tuple(f"did you mean `{word}`?" for word in get_close_matches(name[:_MAX_SAID], list(known), 1))


def _keys_of(kind: Kind) -> str:
    return f"keys of [{kind.name}]: {', '.join(key.name for key in kind.keys)}"


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SAID else f"{text[:_MAX_SAID]}..."
