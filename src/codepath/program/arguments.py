"""The arguments of a call as sets of values."""

from __future__ import annotations

from dataclasses import dataclass, field

from codepath.program.values import Values


@dataclass(slots=True)
class Arguments:
    """Positional values in order, keywords by name, and the collections given as `*x` and `**x`.

    Positional arguments behind a `*x` are in `tail`: their position is not known.
    """

    positional: list[Values] = field(default_factory=list)
    keywords: dict[str, Values] = field(default_factory=dict)
    stars: list[Values] = field(default_factory=list)
    double_stars: list[Values] = field(default_factory=list)
    tail: list[Values] = field(default_factory=list)
    call: int = -1

    def get(self, key: str) -> Values | None:
        """Return the argument named `key`, or at that position where `key` is a decimal number."""
        if key.isdigit():
            index = int(key)
            return self.positional[index] if index < len(self.positional) else None
        return self.keywords.get(key)
