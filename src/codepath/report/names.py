"""How names and guards read in text."""

from __future__ import annotations

from collections.abc import Iterable

from codepath.model.answers import Entry, Guard, Step, Symbol

_LOOPS = ("for ", "async for ")
_OPERATORS = frozenset("=<>!+-*/%&|^@~")
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


class Names:
    """Shortens dotted names by the files in which they stand."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}

    def learn(
        self, *, steps: Iterable[Step] = (), symbols: Iterable[Symbol] = (), entries: Iterable[Entry] = ()
    ) -> None:
        """Remember the files of functions."""
        for step in steps:
            self._files.setdefault(step.caller, step.file)
        for symbol in symbols:
            self._files.setdefault(symbol.name, symbol.place.file)
        for entry in entries:
            self._files.setdefault(entry.function, entry.place.file)

    def short(self, name: str) -> str:
        """Return a name without its module; in full where its file is not known."""
        file = self._files.get(name)
        return name if file is None else without_module(name, file)


def without_module(name: str, file: str) -> str:
    """Return a dotted name relative to the module in `file`; `<module>` for the module itself."""
    parts = name.split(".")
    path = file.removesuffix(".py").split("/")
    if path[-1] == "__init__":
        path.pop()
    best, cut = 0, 0
    for position in range(len(parts)):
        shared = _shared_end(parts[: position + 1], path)
        if shared > best:
            best, cut = shared, position + 1
    if not path:
        cut = 1
    if not cut:
        return name
    return ".".join(parts[cut:]) or "<module>"


def _shared_end(left: list[str], right: list[str]) -> int:
    shared = 0
    while shared < min(len(left), len(right)) and left[-1 - shared] == right[-1 - shared]:
        shared += 1
    return shared


def is_shown(guard: Guard) -> bool:
    """Tell whether text shows a guard: that a `try` body runs says nothing."""
    return guard.kind != "try" and guard.text != "try"


def shown_guards(guards: Iterable[Guard]) -> tuple[Guard, ...]:
    """Return the guards that text shows, each once."""
    return tuple(dict.fromkeys(g for g in guards if is_shown(g)))


def guard_text(guard: Guard) -> str:
    """Return a guard as a condition that holds where the step runs."""
    text = guard.text if guard.polarity else _negated(guard.text)
    if guard.when:
        text += f"   where {' and '.join(guard_text(g) for g in guard.when)}"
    return text


def _negated(text: str) -> str:
    if text.startswith(_LOOPS):
        return f"no break in `{text}`"
    if text.startswith(("case ", "except")):
        return f"not `{text}`"
    rest = text[4:].strip() if text.startswith("not ") else ""
    if rest and not _joined(rest):
        return rest
    return f"not {text}" if _atom(text) else f"not ({text})"


def _outside_brackets(text: str) -> str:
    """Return a text with what stands in brackets and strings blanked out."""
    depth, quote, escaped = 0, "", False
    kept: list[str] = []
    for character in text:
        if quote:
            ends = character == quote and not escaped
            escaped = character == "\\" and not escaped
            quote = "" if ends else quote
            kept.append("_")
            continue
        if character in "'\"":
            quote = character
        depth += _BRACKETS.get(character, 0)
        kept.append("_" if depth or character in "'\")]}" else character)
    return "".join(kept)


def _joined(text: str) -> bool:
    """Tell whether a condition holds operators that bind looser than `not`."""
    words = _outside_brackets(text).split()
    return any(word in ("and", "or", "if", "else", "lambda") or ":=" in word for word in words)


def _atom(text: str) -> bool:
    """Tell whether `not` in front of a condition needs no brackets to read well."""
    bare = _outside_brackets(text)
    return " " not in bare and not _OPERATORS.intersection(bare)
