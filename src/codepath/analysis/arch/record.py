"""What running a tree on one architecture shows: tests, raises, look-ups, kernels, each by scope and place."""

from __future__ import annotations

from dataclasses import dataclass, field

from codepath.analysis.arch.values import Trail, Truth, Val, join, truth
from codepath.program.values import ScopeId

Key = tuple[ScopeId, int]
"""A scope and an expression's index or a packed place in it."""


@dataclass(slots=True)
class Lookup:
    """One look-up in a table: `style` is `[]`, `get`, `in` or `not in`; `hit` tells whether the key is there.

    `default` is what `.get` gives for a key that is not there; `is_caught` tells whether a handler takes the KeyError.
    """

    style: str
    table: Key
    key: Val
    hit: Truth
    is_caught: bool = False
    default: Val | None = None


@dataclass(slots=True)
class Notes:
    """What was seen in one scope: `tests` by expression over all visits, the rest by packed place.

    `regions` are those that were entered; `raises` tell whether the exception is certain; `kernels` name those that run
    and that the architecture lacks.
    """

    tests: dict[int, Val] = field(default_factory=dict)
    regions: set[int] = field(default_factory=set)
    raises: dict[int, bool] = field(default_factory=dict)
    lookups: dict[int, Lookup] = field(default_factory=dict)
    kernels: dict[int, str] = field(default_factory=dict)

    def test(self, index: int, value: Val) -> None:
        """Note what a tested expression is."""
        found = truth(value)
        seen = Val(found, value.trail)
        before = self.tests.get(index)
        if before is not None and before.data is not found:
            seen = Val(None, value.trail or before.trail)
        elif before is not None and before.trail is not None:
            seen = before
        self.tests[index] = seen

    def lookup(self, at: int, found: Lookup) -> None:
        """Note a look-up; of several visits a miss counts."""
        before = self.lookups.get(at)
        if before is None or found.hit is False:
            self.lookups[at] = found


@dataclass(slots=True)
class Record:
    """What was seen on one architecture. `passed` are arguments that depend on it, by function and parameter."""

    notes: dict[ScopeId, Notes] = field(default_factory=dict)
    passed: dict[ScopeId, dict[str, Val]] = field(default_factory=dict)
    over_budget: set[ScopeId] = field(default_factory=set)

    def fresh(self, sid: ScopeId) -> Notes:
        """Return empty notes for a scope that runs again."""
        found = self.notes[sid] = Notes()
        return found

    def passing(self, sid: ScopeId, name: str, value: Val) -> None:
        """Note what a parameter is called with."""
        held = self.passed.setdefault(sid, {})
        before = held.get(name)
        held[name] = value if before is None else join((before, value))


def step(trail: Trail | None) -> tuple[Trail, ...]:
    """Return the steps of a trail, from the probe on."""
    found: list[Trail] = []
    while trail is not None:
        found.append(trail)
        trail = trail.before
    return tuple(reversed(found))
