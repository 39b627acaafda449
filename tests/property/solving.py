"""One module solved in this process, and how often properties are tried."""

from __future__ import annotations

from functools import lru_cache

from hypothesis import HealthCheck, Phase, settings

from codepath.analysis.constants import Folding
from codepath.analysis.settled import Settled
from codepath.extract import extract
from codepath.knowledge import choose, shipped
from codepath.model import ir
from codepath.model.knowledge import Knowledge
from codepath.program.bodies import Bodies
from codepath.program.build import SolutionBuilder
from codepath.program.graph import CallGraph
from codepath.program.solver import Solver
from codepath.program.tree import Tree
from tests.property.tracing import MODULE
from tests.support import DictRows


@lru_cache
def knowledge() -> Knowledge:
    return choose(shipped(), (), frozenset([MODULE]))


def tried(examples: int) -> settings:
    """Return the settings under which the same programs are tried in every run."""
    return settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


class Solved:
    """The call graph and the bodies of a program."""

    def __init__(self, source: str) -> None:
        facts = extract(source.encode(), f"{MODULE}.py")
        blob = ir.encode_facts(facts)
        tree = Tree([MODULE])
        solver = Solver(tree, knowledge(), lambda _: ir.decode_bodies(blob))
        tree.load(MODULE, f"{MODULE}.py", facts)
        solver.declare()
        solver.solve()
        builder = SolutionBuilder(solver)
        self.graph = CallGraph(DictRows(builder.every_row()), builder.whole(()).mains)
        self.bodies = Bodies({MODULE: f"{MODULE}.py"}, lambda _: facts)
        self.settled = Settled(self.graph, self.bodies)
        self.folding = Folding(self.bodies, self.settled)
