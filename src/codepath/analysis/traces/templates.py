"""Texts with holes: what a call prints, as far as its constants tell, and whether a line of a log can be that.

f-strings, `%` formats with and without arguments of a logger, `.format`, concatenation and the arguments of `print` are read.

Approximates: over (a hole holds any text); under (a text from elsewhere than the call or a local name is one hole).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from codepath.model import ir

Template = tuple["str | None", ...]
"""Constant parts and holes (None) in order."""

_PERCENT = re.compile(r"%(?:\(\w{1,80}\))?[-#0 +]{0,4}(?:\d{1,4}|\*)?(?:\.(?:\d{1,4}|\*))?[sdrfgxXieEaGouc%]")
_BRACES = re.compile(r"\{\{|\}\}|\{[^{}]{0,200}\}")
_FORMAT = re.compile(r"(?=.*[\w%])(?:.?[<>=^])?[+\- ]?#?0?\d{0,4}[,_]?(?:\.\d{1,4})?[bcdeEfFgGnosxX%]?")
_LEAST = 6  # letters and digits of constants that a line must say
_SHARE = 0.25  # of a line that constants must say
_TRIES = 12  # places of one constant in a line
_DEPTH = 24
_MOST_PARTS = 60


def templates_of(scope: ir.Scope, call: ir.Call, is_print: bool) -> Iterator[Template]:
    """Yield what a call prints, each line of it by itself; of a logger's arguments the first that is a text is formatted."""
    values = [a.value for a in call.args if a.name is None and not a.star]
    if is_print:
        shown = [p for value in values for p in (" ", *_parts(scope, value, 0))][1:]
        yield from _lines(shown[:_MOST_PARTS])
        return
    for number, value in enumerate(values):
        expr = scope.exprs[value]
        if isinstance(expr, ir.Const) and not isinstance(expr.value, str):
            continue  # a level
        for parts in _texts(scope, value):
            if any(part is not None and part.strip() for part in parts):
                has_more = number + 1 < len(values)
                yield from _lines((_filled(parts, _PERCENT) if has_more else parts)[:_MOST_PARTS])
                number = len(values)
        if number >= len(values):
            return


def _texts(scope: ir.Scope, index: int) -> Iterator[list[str | None]]:
    """Yield what an argument can be: for a local name each value that is assigned to it, and what is added later."""
    expr = scope.exprs[index]
    reaching = scope.uses[expr.use] if isinstance(expr, ir.Name) else ()
    binds = [scope.definitions[d].bind for d in reaching if d >= 0]
    if len(reaching) < 2 or len(binds) < len(reaching):
        yield _parts(scope, index, 0)
        return
    for bind in (scope.exprs[b] for b in binds if b >= 0):
        if isinstance(bind, ir.Bind) and not bind.how and bind.value >= 0:
            yield [*_parts(scope, bind.value, 0), None]


def said(template: Template, text: str) -> int:
    """Return how many letters and digits of a template's constants a text says, 0 where it is no part of what it gives.

    The text can begin and end anywhere in what the template gives.
    """
    fit = _Fit(template, text)
    best = max((fit.begun(k) for k in range(len(template))), default=0)
    words = _letters(text)
    return best if best >= max(1, min(_LEAST, words), _SHARE * words) else 0


class _Fit:
    """Fits one text to one template; what is known of a part at a place of the text is kept."""

    def __init__(self, template: Template, text: str) -> None:
        self._template = template
        self._text = text
        self._known: dict[tuple[int, int], int] = {}

    def begun(self, k: int) -> int:
        """Return how many letters of constants the text says where it begins inside part `k`; -1 for no fit."""
        part = self._template[k]
        if part is None:
            return self._rest(k, 0)
        if self._text in part:
            return _letters(self._text)
        best = -1
        for offset in range(len(part)):
            if self._text.startswith(part[offset:]):
                rest = self._rest(k + 1, len(part) - offset)
                best = max(best, rest + _letters(part[offset:]) if rest >= 0 else -1)
        return best

    def _rest(self, k: int, at: int) -> int:
        """Return how many letters of constants the text says from a place on, which part `k` and those behind it give."""
        if at == len(self._text) or k == len(self._template):
            return 0 if at == len(self._text) else -1
        if (k, at) not in self._known:
            self._known[k, at] = self._ask(k, at)
        return self._known[k, at]

    def _ask(self, k: int, at: int) -> int:
        part = self._template[k]
        if part is None:
            return max(self._rest(k + 1, spot) for spot in self._ends(k, at))
        if self._text.startswith(part, at):
            rest = self._rest(k + 1, at + len(part))
            return rest + _letters(part) if rest >= 0 else -1
        left = self._text[at:]
        return _letters(left) if part.startswith(left) else -1

    def _ends(self, k: int, at: int) -> list[int]:
        """Return where a hole can end: where the next constant stands, where the text breaks off in it, or with the text."""
        text = self._text
        following = self._template[k + 1] if k + 1 < len(self._template) else None
        if following is None:
            return [len(text)]
        spots: list[int] = []
        spot = text.find(following, at)
        while spot >= 0 and len(spots) < _TRIES:
            spots.append(spot)
            spot = text.find(following, spot + 1)
        lengths = range(min(len(following), len(text) - at), 0, -1)
        broken = next((n for n in lengths if text.endswith(following[:n])), 0)
        return [*spots, len(text) - broken, len(text)]


def _letters(text: str) -> int:
    return sum(ch.isalnum() for ch in text)


# --- the parts of a text ---------------------------------------------------------------------------------------------


def _parts(scope: ir.Scope, index: int, depth: int) -> list[str | None]:
    expr = scope.exprs[index]
    if depth > _DEPTH:
        return [None]
    if isinstance(expr, ir.Const):
        cut = [None] if expr.form == "cut" else []
        return [expr.value, *cut] if isinstance(expr.value, str) and expr.form in ("", "cut") else [str(expr.value)]
    if isinstance(expr, ir.Joined):
        return _joined(scope, expr)
    if isinstance(expr, ir.Binary) and expr.op in ("+", "+="):
        return [*_parts(scope, expr.left, depth + 1), *_parts(scope, expr.right, depth + 1)]
    if isinstance(expr, ir.Binary) and expr.op == "%":
        return _filled(_parts(scope, expr.left, depth + 1), _PERCENT)
    if isinstance(expr, ir.Call):
        func = scope.exprs[expr.func]
        if isinstance(func, ir.Attr) and func.id == "format":
            return _filled(_parts(scope, func.value, depth + 1), _BRACES)
    return _of_name(scope, expr, depth) if isinstance(expr, ir.Name) else [None]


def _of_name(scope: ir.Scope, name: ir.Name, depth: int) -> list[str | None]:
    """Return the parts of what is assigned to a local name first, and a hole where something else may be later."""
    reaching = scope.uses[name.use]
    binds = [scope.exprs[b] for d in reaching if d >= 0 and (b := scope.definitions[d].bind) >= 0]
    first = next((b for b in binds if isinstance(b, ir.Bind) and not b.how and b.value >= 0), None)
    if first is None or len(binds) < len(reaching):
        return [None]
    return [*_parts(scope, first.value, depth + 1), *([None] if len(binds) > 1 else [])]


def _joined(scope: ir.Scope, joined: ir.Joined) -> list[str | None]:
    """Return the parts of an f-string; what looks like the format of the hole before it belongs to the hole."""
    found: list[str | None] = []
    for part in joined.parts:
        expr = scope.exprs[part]
        text = expr.value if isinstance(expr, ir.Const) and isinstance(expr.value, str) else None
        if text is None or not (found and found[-1] is None and _FORMAT.fullmatch(text)):
            found.append(text)
    return found


def _filled(parts: Sequence[str | None], places: re.Pattern[str]) -> list[str | None]:
    """Return parts with the places of a format as holes."""
    found: list[str | None] = []
    for part in parts:
        if part is None:
            found.append(None)
            continue
        last = 0
        for match in places.finditer(part):
            doubled = match[0] in ("%%", "{{", "}}")
            found += [part[last : match.start()] + (match[0][0] if doubled else ""), *([] if doubled else [None])]
            last = match.end()
        found.append(part[last:])
    return found


def _lines(parts: Sequence[str | None]) -> Iterator[Template]:
    """Yield the lines of a text, neighbouring constants as one and neighbouring holes too."""
    line: list[str | None] = []
    for part in parts:
        pieces = part.split("\n") if part is not None else [None]
        for number, piece in enumerate(pieces):
            if number:
                yield from _told(line)
                line = []
            if piece is None and (not line or line[-1] is not None):
                line.append(None)
            elif piece and line and line[-1] is not None:
                line[-1] += piece
            elif piece:
                line.append(piece)
    yield from _told(line)


def _told(line: Sequence[str | None]) -> Iterator[Template]:
    if any(part is not None and part.strip() for part in line):
        yield tuple(line)
