"""The decoded bodies of scopes, while a tree is small enough that all of them fit into memory, and what is known of bodies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from codepath.model import ir
from codepath.program.values import ScopeId

MOST: Final = 1_500_000
"""Expressions of decoded bodies, at about 150 bytes each."""


class Decoded:
    """Bodies by scope: all that were decoded, or none once they have more than `most` expressions.

    Work comes to each scope in turn, so that to keep the newest of more than fit would help none.
    """

    def __init__(self, most: int | None = MOST) -> None:
        self._most = most
        self._count = 0
        self._scopes: dict[ScopeId, ir.Scope] = {}

    @property
    def is_whole(self) -> bool:
        """Tell whether all that was decoded is kept, in a tree with a bound."""
        return self._most is not None and self._count <= self._most

    def get(self, sid: ScopeId) -> ir.Scope | None:
        """Return a body that is kept."""
        return self._scopes.get(sid)

    def all_of(self, sids: Iterable[ScopeId]) -> list[ir.Scope] | None:
        """Return some bodies, None where not all of them are kept."""
        found = [self._scopes.get(sid) for sid in sids]
        return None if None in found else found  # type: ignore[return-value]

    def keep(self, bodies: Mapping[ScopeId, ir.Scope]) -> None:
        """Keep bodies, or drop all where they are too many."""
        if self._most is None or self._count <= self._most:
            self._scopes.update(bodies)
            self._count += sum(len(scope.exprs) for scope in bodies.values())
            if self._most is not None and self._count > self._most:
                self._scopes.clear()


class Marks:
    """A set of scopes, most of a tree: one byte for each scope up to the last one."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, sid: ScopeId) -> None:
        """Add a scope."""
        if sid >= len(self._bytes):
            self._bytes.extend(bytes(sid + 1 - len(self._bytes)))
        self._bytes[sid] = 1

    def __contains__(self, sid: ScopeId) -> bool:
        """Tell whether a scope is in the set."""
        return sid < len(self._bytes) and self._bytes[sid] == 1
