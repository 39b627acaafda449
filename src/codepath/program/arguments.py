"""The arguments of a call as sets of values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from codepath.program.tree import ScopeInfo
from codepath.program.values import Values

WRITTEN: Final = ("call", "construct")
"""Kinds of steps whose arguments stand in the call."""
_NO_KEYWORDS: Mapping[str, Values] = MappingProxyType({})


class Arguments(NamedTuple):
    """Positional values in order, keywords by name, and the collections given as `*x` and `**x`.

    Positional arguments behind a `*x` are in `tail`: their position is not known. `is_made`: the first is what a decorator is
    applied to, thus there. `has_more`: others were given before, by `functools.partial`.
    """

    positional: Sequence[Values] = ()
    keywords: Mapping[str, Values] = _NO_KEYWORDS
    stars: Sequence[Values] = ()
    double_stars: Sequence[Values] = ()
    tail: Sequence[Values] = ()
    is_made: bool = False
    has_more: bool = False

    def given_to(self, callee: ScopeInfo, number: int, skip: int) -> Values | None:
        """Return what a call gives parameter `number`, None where it does not; the receiver takes the first `skip` of them."""
        position = number - skip
        if 0 <= position < len(self.positional):
            return self.positional[position]
        return self.keywords.get(callee.params[number].id)

    def get(self, key: str) -> Values | None:
        """Return the argument named `key`, or at that position where `key` is a decimal number."""
        if key.isdigit():
            index = int(key)
            return self.positional[index] if index < len(self.positional) else None
        return self.keywords.get(key)

    def fit(self, callee: ScopeInfo, skip: int) -> bool:
        """Tell whether a function can be called so: otherwise Python raises a TypeError before any of it runs.

        Args:
            callee: the function.
            skip: how many of its first parameters the receiver takes.

        Approximates: over (what `*x` and `**x` bring is not counted).
        """
        params = callee.params[skip:]
        plain = [p for p in params if p.form in ("positional", "normal")]
        forms = {p.form for p in params}
        if len(self.positional) > len(plain) and "star" not in forms:
            return False
        if not takes(callee, skip, self.keywords):
            return False
        if self.stars or self.double_stars or self.tail:
            return True
        missing = [p for p in plain[len(self.positional) :] if p.default < 0]
        missing += [p for p in params if p.form == "keyword" and p.default < 0]
        return all(p.id in self.keywords and p.form != "positional" for p in missing)


def takes(callee: ScopeInfo, skip: int, names: Iterable[str]) -> bool:
    """Tell whether a function takes arguments of these names; `skip` as for `Arguments.fit`."""
    params = callee.params[skip:]
    if any(p.form == "double-star" for p in params):
        return True
    named = {p.id for p in params if p.form in ("normal", "keyword")}
    return all(name in named for name in names)
