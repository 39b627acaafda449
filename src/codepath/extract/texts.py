"""Source slices as they are shown: white space folded to one blank, comments and line breaks dropped."""

from __future__ import annotations

import re

from codepath.extract.places import Place

_PIECE = re.compile(
    r"(?P<string>\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<blank>(?:\s|\\\n|\#[^\n]*(?=\n|\Z))+)",
    re.DOTALL,
)
_PLAIN = re.compile(r"(?:\S ?)*\Z")


def fold(text: str) -> str:
    """Return a slice of source on one line; strings that span lines keep theirs as `\\n`."""
    if "\n" not in text and "  " not in text and "\t" not in text and "\\" not in text:
        return text
    return _PIECE.sub(lambda match: _replaced(match, text), text).strip()


def _replaced(match: re.Match[str], text: str) -> str:
    string = match["string"]
    if string is not None:
        return string.replace("\n", "\\n")
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    beside_bracket = "\n" in match[0] and (before in "([{" or after in ")]}")
    return "" if beside_bracket else " "


class Lines:
    """The lines of a file, for slices by place."""

    __slots__ = ("lines",)

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")

    def slice(self, place: Place) -> str:
        """Return the folded source of a node, without parentheses around it."""
        return self.between(place.lineno, place.col_offset, place.end_lineno, place.end_col_offset)

    def between(self, line: int, column: int, end_line: int, end_column: int) -> str:
        """Return the folded source from a place to a place; lines from 1, columns in code points, the end exclusive."""
        if line == end_line:
            return fold(self.lines[line - 1][column:end_column])
        middle = self.lines[line : end_line - 1]
        return fold("\n".join((self.lines[line - 1][column:], *middle, self.lines[end_line - 1][:end_column])))
