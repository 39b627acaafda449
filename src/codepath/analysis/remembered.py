"""What running functions comes to where they can run only the second side of a question, kept from one question to the next.

It depends on the tree, on the second side, and on what is known in the function, not on the first side: where no call of a
function can lead to the first side, none below it can.

Approximates: exact (what is kept is what a walk over the function gives).
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from codepath.analysis.known import Facts

Pair = tuple[int, int]
"""The outcomes where a function returns, and those where it raises."""
_DIGEST_BYTES = 12
MOST = 20_000
"""Functions, with what is known in them, that are kept for one second side."""


class Remembered:
    """The outcomes of functions by what they depend on."""

    def __init__(self, known: dict[bytes, Pair]) -> None:
        self._known = known
        self._added: dict[bytes, Pair] = {}

    def get(self, function: str, facts: Facts, second: int, mode: int) -> Pair | None:
        """Return what running a function comes to, None where that is not kept."""
        return self._known.get(_key(function, facts, second, mode))

    def put(self, function: str, facts: Facts, second: int, mode: int, found: Pair) -> None:
        """Keep what running a function comes to."""
        self._added[_key(function, facts, second, mode)] = found

    def grown(self) -> dict[bytes, Pair] | None:
        """Return all that is to be kept, the newest first; None where nothing was added."""
        if not self._added:
            return None
        return dict(_first(MOST, (*self._added.items(), *self._known.items())))


def _first(count: int, items: Iterable[tuple[bytes, Pair]]) -> list[tuple[bytes, Pair]]:
    return [item for item, _ in zip(items, range(count), strict=False)]


def _key(function: str, facts: Facts, second: int, mode: int) -> bytes:
    text = repr((function, facts, second, mode))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()
