"""What the tool makes of one module, in this process: its call graph, and the search for what can happen."""

from __future__ import annotations

from collections.abc import Sequence

from codepath.analysis.assuming import Assumptions
from codepath.analysis.cone import Cone
from codepath.analysis.constants import Folding
from codepath.analysis.feasibility import Search
from codepath.analysis.known import NOTHING_KNOWN
from codepath.analysis.makers import Makers
from codepath.analysis.reach import Question, reach
from codepath.model.answers import Entry, Place, ReachAnswer, Step, Symbol
from codepath.model.assumptions import Assumption
from tests.property.running import MODULE, Activation, Chain
from tests.property.solving import Solved


class Answers(Solved):
    """What the tool makes of a program."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.steps: dict[tuple[str, int, str], list[Step]] = {}
        steps_in: dict[str, list[Step]] = {}
        for caller, row in self.graph.everything():
            for step in self.graph.steps_of(caller, row):
                self.steps.setdefault((caller, step.line, step.callee), []).append(step)
                steps_in.setdefault(step.callee, []).append(step)
        self.makers = Makers(self.graph, self.bodies, self.folding, steps_in)
        self.search = Search(self.bodies, self.folding, {}, (), makers=self.makers)

    def under(self, *assumptions: Assumption) -> Search:
        """Return a search under some assumptions, to take steps with."""
        assumed = Assumptions(self.bodies, assumptions)
        return Search(self.bodies, Folding(self.bodies, self.settled, assumed), {}, (), assumed, self.makers)

    def decide(self, cone: Cone, entries: Sequence[Entry]) -> Search:
        """Search a cone from the ways in."""
        starts = [(e.function, NOTHING_KNOWN) for e in entries]
        makers = Makers(self.graph, self.bodies, self.folding, cone.steps_in)
        return Search(self.bodies, self.folding, cone.steps_in, starts, makers=makers)

    def is_plain(self, chain: Chain) -> bool:
        """Tell whether each call of a chain can be one step alone."""
        return all(len(self.steps[link]) == 1 for link in chain)

    def of(self, activation: Activation) -> list[Step]:
        """Return the steps that a call may be."""
        assert activation.caller is not None
        found = self.steps.get((activation.caller.name, activation.line, activation.name), [])
        return [s for s in found if s.column == activation.column] or found

    def reach(self, target: str) -> ReachAnswer:
        """Ask how a function is reached from `main`."""
        place = Place(f"{MODULE}.py", 1, 0, target)
        entry = Entry("main", f"{MODULE}.main", "declared", place)
        question = Question(Symbol(target, "function", place), (target,), (entry,), all_paths=True)
        return reach(self.graph, question, self.decide)
