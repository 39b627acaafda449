"""Texts in DOT and Mermaid in which nothing has a meaning of its own.

Ids in pictures are made here and not from names, and every text is quoted here: pydot writes some names as ports or leaves
them bare.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from codepath.report.pen import harmless

_PLAIN = re.compile(r"[^A-Za-z0-9 _.,:+\u00a1-\U0010ffff]")
_MAX_LABEL = 120
FONT = "Helvetica,Arial,sans-serif"


class Ready(str):
    """A text in which line breaks are already those of DOT."""


def lines_of(lines: Iterable[str]) -> str:
    """Return lines of a label, each aligned to the left."""
    return Ready("".join(f"{escaped(line)}\\l" for line in lines))


def quoted(**values: str) -> dict[str, Any]:
    """Return attributes for pydot, each value quoted."""
    return {key: f'"{value if isinstance(value, Ready) else escaped(value)}"' for key, value in values.items()}


def escaped(text: str) -> str:
    """Return a text in which nothing has a meaning of its own in a quoted string of DOT."""
    return harmless(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")


def mermaid_text(text: str) -> str:
    """Return a text for a quoted label of Mermaid: all but letters, digits and a few signs as entities."""
    shown = text if len(text) <= _MAX_LABEL else f"{text[: _MAX_LABEL - 1]}…"
    return _PLAIN.sub(lambda m: f"#{ord(m[0])};", harmless(shown))
