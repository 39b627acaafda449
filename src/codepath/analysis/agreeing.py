"""Whether the conditions along one path agree: one that says what a name equals may make another false.

Approximates: under (only `name == constant` is taken for granted; conditions that are not known agree).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from codepath.analysis.assuming import Assumptions
from codepath.analysis.constants import Folding
from codepath.analysis.feasibility import Search, State
from codepath.analysis.known import NOTHING_KNOWN
from codepath.analysis.settled import Settled
from codepath.model.answers import Guard, Step
from codepath.model.assumptions import Assumption
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph

_EQUAL = re.compile(r"([A-Za-z_]\w*(?:\.\w+)+) == (.+)", re.DOTALL)


class Agreeing:
    """Looks along paths of one tree."""

    def __init__(self, graph: CallGraph, bodies: Bodies) -> None:
        self._bodies = bodies
        self._settled = Settled(graph, bodies)

    def at_odds(self, steps: Sequence[Step]) -> Step | None:
        """Return the step of a path whose condition makes that of another false, None where all agree."""
        said = [(step, one) for step in steps for guard in step.guards if (one := _equality(guard)) is not None]
        assumptions = Assumptions(self._bodies, [one for _, one in said])
        search = Search(self._bodies, Folding(self._bodies, self._settled, assumptions), {}, (), assumptions)
        state: State = (steps[0].caller, NOTHING_KNOWN) if said else ("", NOTHING_KNOWN)
        for step in steps if said else ():
            taken = search.take(state, step)
            if taken.blocked is not None and taken.blocked.assumed is not None:
                return said[taken.blocked.assumed][0]
            if taken.target is None:
                return None
            state = taken.target
        return None


def _equality(guard: Guard) -> Assumption | None:
    """Return what a condition says that a dotted name equals, None for any other."""
    found = _EQUAL.fullmatch(guard.text) if guard.polarity and not guard.when and not guard.choice else None
    if found is None or found[1].startswith("self."):
        return None
    try:
        value = ast.literal_eval(found[2])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return Assumption(found[1], "=", value, origin="") if isinstance(value, (bool, int, float, str)) else None
