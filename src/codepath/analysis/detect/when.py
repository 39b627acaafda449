"""Under which condition a place runs, the calls of its method on the same object included.

Approximates: over (beyond a few levels of calls, callers are taken to ask for nothing).
"""

from __future__ import annotations

from collections.abc import Container

from codepath.analysis.detect.families import Families, Family
from codepath.analysis.detect.formulas import Formula, conjunction, disjunction, of_guards
from codepath.analysis.detect.runs import Runs
from codepath.analysis.detect.tables import Method, Site
from codepath.model import ir
from codepath.program.guards import Literal
from codepath.program.regions import every_region

_LEVELS = 3


class When:
    """Says when sites run."""

    def __init__(self, families: Families, runs: Runs) -> None:
        self._families = families
        self._runs = runs

    def of(
        self, family: Family, method: Method, site: Site, *, left_out: Container[str] = (), levels: int = _LEVELS
    ) -> Formula:
        """Return under which condition a site of a method runs on objects of a class.

        Args:
            family: The class.
            method: The method.
            site: A place in it.
            left_out: Kinds of guards that do not count.
            levels: Of how many levels of calls the guards count too.
        """
        own = self.own(site, left_out)
        if levels <= 0 or self._runs.is_way_in(family, method):
            return own
        calling = self._runs.asking(family, method)
        around = disjunction(
            self.of(family, caller, asked.site, left_out=left_out, levels=levels - 1) for caller, asked in calling
        )
        return conjunction([own, around]) if around.op != "or" else conjunction([own, Formula("and", parts=(around,))])

    def own(self, site: Site, left_out: Container[str] = ()) -> Formula:
        """Return under which condition a site runs inside its function.

        Where guards by an early `raise` do not count, neither do those whose other arm raises.
        """
        body = self._families.tree.bodies.of(self._families.tree.info(site.sid))
        guards = body.guards.of(site.expr)
        if "early-raise" in left_out:
            guards = tuple(one for one in guards if not _raises_otherwise(body.scope, one))
        return of_guards(body.scope, guards, left_out=left_out)


def _raises_otherwise(scope: ir.Scope, literal: Literal) -> bool:
    """Tell whether a function raises where a condition of an `if` is not what it must be."""
    for region in every_region(scope.body):
        if isinstance(region, ir.If) and region.test == literal.test:
            other = region.orelse if literal.polarity else region.body
            returns = any(isinstance(inner, ir.Return) for inner in every_region(other))
            return bool(other) and isinstance(other[-1], ir.Raise) and not returns
    return False
