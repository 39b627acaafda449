"""What summaries are made with, and what they would work out again for each question though it depends on no side of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from codepath.analysis.constants import Folding
from codepath.analysis.known import Facts
from codepath.analysis.passing import Passing
from codepath.analysis.sites import Placing
from codepath.model import ir
from codepath.program.bodies import Bodies, Body
from codepath.program.graph import CallGraph
from codepath.program.regions import every_region


@dataclass
class Tools:
    """The tools of questions about one tree under the same assumptions.

    Args:
        graph: Its call graph.
        bodies: Its functions.
        folding: What evaluates tests.
        is_settled: Tells whether an attribute of a class is stored by constructors alone.
        when: Tells when an outside function runs what is handed to it.
    """

    graph: CallGraph
    bodies: Bodies
    folding: Folding
    is_settled: Callable[[str, str], bool]
    when: Callable[[str], str]
    _placings: dict[str, Placing] = field(default_factory=dict)
    _swallowing: dict[str, bool] = field(default_factory=dict)
    _truths: dict[tuple[str, Facts, int], bool | None] = field(default_factory=dict)

    @cached_property
    def passing(self) -> Passing:
        """What is known where expressions stand."""
        return Passing(self.bodies, self.folding)

    def placing(self, function: str, body: Body) -> Placing:
        """Return what places the steps out of a function."""
        found = self._placings.get(function)
        if found is None:
            steps = [s for s in self.graph.steps(function) if s.resolution != "by-name"]
            found = self._placings[function] = Placing(body, steps, self._forms, self._swallows, self.when)
        return found

    def truth(self, body: Body, facts: Facts, test: int) -> bool | None:
        """Return what a test of a function is under what is known in it, None where that is not known."""
        key = (body.info.name, facts, test)
        if key not in self._truths:
            found = self.folding.truth(body, test, self.passing.here(body, facts, test))
            self._truths[key] = bool(found.value) if found is not None else None
        return self._truths[key]

    def _forms(self, function: str) -> tuple[bool, bool]:
        info = self.bodies.scope(function)
        return (info.is_generator, info.is_async) if info is not None else (False, False)

    def _swallows(self, function: str) -> bool:
        """Tell whether an `__exit__` may return what is true, or a generator catches around its `yield`."""
        if function not in self._swallowing:
            body = self.bodies.body(function)
            self._swallowing[function] = body is not None and may_swallow(body)
        return self._swallowing[function]


def may_swallow(body: Body) -> bool:
    """Tell whether a function that ends a `with` may swallow an exception."""
    exprs = body.scope.exprs
    if body.scope.is_generator:
        tries = (r for r in every_region(body.scope.body) if isinstance(r, ir.Try))
        return any(region.handlers for region in tries)
    returned = [r.value for r in every_region(body.scope.body) if isinstance(r, ir.Return) and r.value >= 0]
    return not all(isinstance(e := exprs[i], ir.Const) and not e.value for i in returned)
