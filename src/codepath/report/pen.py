"""Lines of text for a terminal: harmless, coloured, linked.

Whatever comes from an analysed tree passes `Pen.line`, which shows what could forge a report (control characters, escape
sequences, bidirectional controls, line breaks) as escapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

STYLES = {
    "answer": "1",
    "error": "1;31",
    "warning": "1;33",
    "name": "1",
    "place": "36",
    "guard": "33",
    "mark": "35",
    "dim": "2",
}
_ASCII = str.maketrans(
    {
        "│": "|",
        "╞": ">",
        "├": "|",
        "└": "`",
        "─": "-",
        "←": "<-",
        "…": "...",
        "✗": "x",
        "✓": "v",
        "\u2013": "-",
        "█": "#",
        "░": ".",
        "·": "-",
        "●": "*",
        "○": "o",
        "■": "#",
        "◌": "~",
        "↺": "@",
        "▶": ">",
    }
)
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Span:
    """Text in a style (a key of `STYLES`); `link` is the URL that it leads to."""

    text: str
    style: str = ""
    link: str = ""


Piece: TypeAlias = str | Span


def harmless(text: str) -> str:
    """Return a text with every character that does not print shown as a Python escape."""
    return text if text.isprintable() else "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    code = ord(character)
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def width(*pieces: Piece) -> int:
    """Return how many columns pieces take."""
    return sum(len(harmless(p if isinstance(p, str) else p.text)) for p in pieces)


def pad(columns: int, *pieces: Piece) -> str:
    """Return the blanks that fill pieces up to a width; at least one, so that a longer text pushes what follows."""
    return " " * max(1, columns - width(*pieces))


@dataclass(frozen=True, slots=True)
class Pen:
    """How lines are written.

    Args:
        colour: Whether styles are written.
        links: Whether `Span.link` is written (OSC 8).
        ascii_only: Whether drawing characters are replaced by ASCII ones.
    """

    colour: bool = False
    links: bool = False
    ascii_only: bool = False

    def line(self, *pieces: Piece) -> str:
        """Return one line of text with its line break."""
        return "".join(self._written(p) for p in pieces).rstrip(" ") + "\n"

    def _written(self, piece: Piece) -> str:
        if isinstance(piece, str):
            return self._plain(piece)
        text = self._plain(piece.text)
        if self.colour and piece.style:
            text = f"\x1b[{STYLES[piece.style]}m{text}\x1b[0m"
        if self.links and piece.link and piece.link.isprintable():
            text = f"\x1b]8;;{piece.link}\x1b\\{text}\x1b]8;;\x1b\\"
        return text

    def _plain(self, text: str) -> str:
        text = harmless(text)
        return text.translate(_ASCII) if self.ascii_only else text
