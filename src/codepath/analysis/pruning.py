"""What assumptions came to in an answer: the guards and variables they met, and the paths they pruned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from codepath.analysis.feasibility import Search
from codepath.analysis.witnesses import Witness
from codepath.model.assumptions import Met


def met(search: Search | None, witnesses: Sequence[Witness]) -> tuple[Met, ...]:
    """Return what each assumption of a search met, in their order."""
    if search is None or search.assumptions is None:
        return ()
    assumptions = search.assumptions
    blocked = Counter(w.contradiction.assumed for w in witnesses if w.contradiction is not None)
    denied = Counter(taken.denied for taken in search.taken)
    return tuple(
        Met(
            assumption=assumption,
            guards=len(assumptions.guards[number]),
            variables=tuple(sorted(assumptions.variables[number])),
            pruned=blocked[number],
            conflicts=denied[number],
            filled=tuple(sorted(assumptions.filled[number])),
        )
        for number, assumption in enumerate(assumptions.all)
    )
