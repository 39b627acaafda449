"""The flow of None as the search for causes asks for it."""

from __future__ import annotations

from collections.abc import Sequence

from codepath.analysis.nulls.blame import Blame
from codepath.model.trace import Evidence
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph


class NoneFlows:
    """Gives the chains by which None gets to an expression."""

    def __init__(self, graph: CallGraph, bodies: Bodies) -> None:
        self._bodies = bodies
        self._blame = Blame(graph, bodies)

    def __call__(self, function: str, index: int) -> Sequence[Sequence[Evidence]] | None:
        """Return the chains to expression `index` of a function, shortest first; None where nothing is known of it."""
        info = self._bodies.scope(function)
        if info is None:
            return None
        found = self._blame.of(("value", info.sid, index, ()))
        if not found.chains and found.may_be_none is not False:
            return None
        return [[Evidence(hop.place, hop.reason) for hop in chain] for chain in found.chains]
