"""Text of an analysed tree inside Markdown: shown as it is, whatever it holds."""

from __future__ import annotations

from collections.abc import Iterable

from codepath.report.pen import harmless

_MARKS = frozenset("\\`*_{}[]<>()#+!|~&:@.=-'\"/")
_SPLIT = "<!-- -->"  # ends a run of text: hosts look for addresses after they have decoded entities


def shown(text: str) -> str:
    """Return a text as code on one line: it starts no markup, ends no cell, mentions nobody and links nowhere."""
    return f"<code>{''.join(_letter(c) for c in harmless(text))}</code>" if text else ""


def _letter(letter: str) -> str:
    if letter == "@":
        return f"&#{ord(letter)};{_SPLIT}"
    return f"&#{ord(letter)};" if letter in _MARKS else letter


def block(lines: Iterable[str]) -> str:
    """Return lines of plain text as a block of code; its fence is longer than any run of backticks in them."""
    body = "".join(lines)
    fence = "```"
    while fence in body:
        fence += "`"
    return f"{fence}text\n{body}{'' if body.endswith(chr(10)) else chr(10)}{fence}\n"
