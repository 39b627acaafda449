"""The HTML file around a picture: one file, no request; its own style and script alone run, what comes from a tree is text.

The policy of the page allows the style and the script by their hashes and nothing else.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib import resources

import msgspec

from codepath.report.pen import harmless

_HINT = "Choose a box to read all of it. Arrow keys go on, h hides it, / searches."


@dataclass(frozen=True, slots=True)
class Shell:
    """What stands around a picture.

    Args:
        title: What the page is called in a browser.
        name: What is drawn.
        notes: Paragraphs below the name.
        legend: (kind, sign, meaning) of what is in the picture.
        choices: Lists of the form by id: a heading, and values with their texts, the first of which means all.
        width: Of the picture, in CSS pixels.
        height: Of the picture.
        has_conditions: Whether boxes can be chosen by their conditions.
        data: What the script is told.
    """

    title: str
    name: str
    notes: Sequence[str]
    legend: Sequence[tuple[str, str, str]]
    choices: Mapping[str, tuple[str, Sequence[tuple[str, str]]]]
    width: float
    height: float
    has_conditions: bool
    data: Mapping[str, object]

    def page(self, inside: Iterable[str], beside: Iterable[str] = ()) -> Iterator[str]:
        """Write the page; `inside` is what stands in the SVG, `beside` what stands below it."""
        style, script = _resource("page.css"), _resource("page.js")
        allowed = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
        policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
        yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        yield '<meta name="referrer" content="no-referrer">\n'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        yield f"<title>{as_text(self.title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        yield from self._header()
        yield '<main>\n<div id="scroll">\n'
        width, height = number(self.width), number(self.height)
        yield f'<svg id="picture" xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        yield f'viewBox="0 0 {width} {height}" role="list" aria-label="{as_text(self.title)}">\n'
        yield from inside
        yield "</svg>\n"
        yield from beside
        yield f'</div>\n<aside aria-live="polite" aria-label="Details" id="panel"><p>{_HINT}</p></aside>\n'
        yield f'</main>\n<script type="application/json" id="data">{_encoded(self.data)}</script>\n'
        yield f"<script>{script}</script>\n</body>\n</html>\n"

    def _header(self) -> Iterator[str]:
        yield f"<header>\n<h1>{as_text(self.name)}</h1>\n"
        for note in self.notes:
            yield f"<p>{as_text(note)}</p>\n"
        said = "   ".join(f"{sign} {meaning}" for _, sign, meaning in self.legend)
        yield f'<p id="legend">{as_text(said)}</p>\n<form id="form">\n'
        yield '<label>Search <input id="search" type="search"></label>\n'
        if self.has_conditions:
            yield '<label>Condition <input id="guard" type="search"></label>\n'
        for name, (heading, options) in self.choices.items():
            yield f'<label>{as_text(heading)} <select id="{name}">'
            yield "".join(f'<option value="{as_text(value)}">{as_text(text)}</option>' for value, text in options)
            yield "</select></label>\n"
        yield '<button id="all" type="button">Show all</button>\n<span id="count" role="status"></span>\n'
        yield "</form>\n</header>\n"


def _resource(name: str) -> str:
    return (resources.files("codepath.report.draw") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def as_text(text: str) -> str:
    """Return a text as HTML, harmless in a terminal too."""
    return escape(harmless(text))


def number(value: float) -> str:
    """Return a length in whole pixels."""
    return f"{value:.0f}"


def _encoded(data: Mapping[str, object]) -> str:
    """Return what the script needs as JSON in which no markup can stand."""
    encoded = msgspec.json.encode(data).decode("utf-8", "replace")
    return encoded.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").replace("\u2028", "\\u2028")
