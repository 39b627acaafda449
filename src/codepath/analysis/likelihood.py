"""How ordinary a step is: what the tree's own defaults close is less ordinary than what they leave open.

Of two ways to a place the one is shown that fewer unlikely guards stand on, then the one with fewer steps; a condition of
which nothing is known counts as one step where it must be false, as three where it must be true or chose the callee.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from codepath.analysis.cone import MAIN_TEST, TIER_COST
from codepath.model.answers import Guard, Step

Weight = tuple[int, int]
"""Unlikely guards, then steps and what counts as steps."""
NO_WEIGHT: Weight = (0, 0)
DefaultOf = Callable[[Guard], "bool | None"]
"""What the tree's own defaults make of a guard's condition, None where they tell nothing."""
MAX_GUARDS = 1500
"""Guards up to which defaults are asked about."""
_ASKED = frozenset(["if", "and", "or", "else", "ternary", "match"])


def nothing_known(_: Guard) -> bool | None:
    """Know no default."""
    return None


class Likelihood:
    """Weighs steps."""

    def __init__(self, default_of: DefaultOf = nothing_known) -> None:
        self._default_of = default_of

    def weight(self, step: Step) -> Weight:
        """Return the weight of one step."""
        unlikely, cost = 0, 1 + TIER_COST[step.resolution]
        for guard in step.guards:
            if guard.value != "unknown" or guard.text.replace("'", '"') == MAIN_TEST:
                continue
            default = self._default_of(guard)
            if default is not None:
                unlikely += default != guard.polarity
            elif guard.kind in _ASKED:
                cost += 3 if guard.polarity or guard.choice else 1
            elif guard.kind == "early-return":
                cost += 1
        return unlikely, cost

    def of(self, route: Iterable[Step]) -> Weight:
        """Return the weight of a path."""
        total = NO_WEIGHT
        for step in route:
            total = added(total, self.weight(step))
        return total


def added(one: Weight, other: Weight) -> Weight:
    """Return the weight of two parts of a way."""
    return one[0] + other[0], one[1] + other[1]
