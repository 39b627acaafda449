"""What the tool says of the order of two functions of a program holds in every run of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations

from hypothesis import given

from codepath.analysis.order import Compared, Comparison
from codepath.analysis.remembered import Pair, Remembered
from codepath.analysis.sides import Named, named
from codepath.analysis.skips import contexts_of
from codepath.analysis.summaries import Summaries
from codepath.analysis.tools import Tools
from codepath.model.orders import OrderContext
from tests.property.order_programs import order_programs
from tests.property.programs import programs
from tests.property.solving import Solved, knowledge, tried
from tests.property.tracing import MODULE, Activation, Run, traced

EXAMPLES = 1000  # of each of the two kinds of programs
_PAIRS = 6


class Orders(Solved):
    """The tool over one program."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self._steps: dict[str, set[str]] = {}
        self._kept: dict[str, dict[bytes, Pair]] = {}
        when = {c.function: c.when for c in knowledge().callbacks}
        self.tools = Tools(self.graph, self.bodies, self.folding, self.settled, lambda name: when.get(name, ""))

    def knows(self, runs: list[Run]) -> bool:
        """Tell whether the call graph holds every call that was made: what it does not hold has no order."""
        made = {(a.caller.name, a.name) for run in runs for a in run.activations if a.caller is not None}
        return all(plain(callee) in self._callees(plain(caller)) for caller, callee in made)

    def _callees(self, name: str) -> set[str]:
        if not self._steps:
            for caller, row in self.graph.everything():
                self._steps.setdefault(plain(caller), set()).update(plain(step.callee) for step in row.steps)
        return self._steps.get(name, set())

    def order(self, first: str, then: str) -> tuple[Compared, tuple[OrderContext, ...]] | None:
        """Compare two functions in what `main` runs; None where it leads not to both."""
        sides = [named(self.graph, (), [name], {}) for name in (first, then)]
        if any(f"{MODULE}.main" not in side.functions for side in sides):
            return None
        comparison = Comparison(Summaries(self.tools, sides[0], sides[1]))
        found = comparison.compare([f"{MODULE}.main"])
        contexts = contexts_of(comparison, found)
        for _ in range(2):  # with what questions about `then` left, and with what this one left too
            assert self._again(sides, then) == (found.verdict, found.is_skipped, contexts)
        return found, contexts

    def _again(self, sides: list[Named], then: str) -> tuple[str, bool, tuple[OrderContext, ...]]:
        """Compare with what earlier questions about the same second function left."""
        remembered = Remembered(self._kept.get(then, {}))
        summaries = Summaries(self.tools, sides[0], sides[1], remembered)
        comparison = Comparison(summaries)
        found = comparison.compare([f"{MODULE}.main"])
        summaries.remember()
        self._kept[then] = remembered.grown() or self._kept.get(then, {})
        return found.verdict, found.is_skipped, contexts_of(comparison, found)


def plain(name: str) -> str:
    """Return a name with the numbers of lambdas left out."""
    return re.sub(r"<lambda\d+>", "<lambda>", name)


def is_inside(inner: Activation, outer: Activation) -> bool:
    """Tell whether a call was made, at some depth, by another."""
    here = inner.caller
    while here is not None and here is not outer:
        here = here.caller
    return here is outer


def seen_in(activations: list[Activation], first: str, then: str) -> str:
    """Return what happened first: `A`, `B`, `AB`, `BA`, or `A(B)` where B began in the call of A."""
    one = next((a for a in activations if a.name == first), None)
    other = next((a for a in activations if a.name == then), None)
    if one is None or other is None:
        return "A" if one is not None else "B" if other is not None else ""
    if is_inside(other, one):
        return "A(B)"
    if is_inside(one, other):
        return "B(A)"
    return "AB" if activations.index(one) < activations.index(other) else "BA"


def check_pair(orders: Orders, runs: list[Run], first: str, then: str) -> None:
    answer = orders.order(first, then)
    if answer is None:
        return
    found, contexts = answer
    for run in runs:
        seen = seen_in(run.activations, first, then)
        where = f"{first} / {then}: {found.verdict}, but {seen} with {run.flags}"
        if not is_left_to_a_context(contexts, run.activations, first, then):
            assert seen in ALLOWED[found.verdict], where
        assert found.verdict != "before" or found.is_skipped or seen != "B", where
        for context in contexts:
            for activation in first_calls(run, context.function, first, then):
                within = [a for a in run.activations if is_inside(a, activation)]
                if not is_left_to_a_context([c for c in contexts if c is not context], within, first, then):
                    check_context(context, within, activation, first, then)


def first_calls(run: Run, function: str, first: str, then: str) -> list[Activation]:
    """Return the calls of a function that began before either of the two had run."""
    ran = next((n for n, a in enumerate(run.activations) if a.name in (first, then)), len(run.activations))
    return [a for a in run.activations[:ran] if a.name == function]


ALLOWED = {
    "before": ("", "A", "B", "AB"),
    "after": ("", "A", "B", "BA"),
    "inside": ("", "A", "B", "A(B)", "B(A)"),
    "exclusive": ("", "A", "B"),
    "unreached": ("", "A", "B"),
    "either": ("", "A", "B", "AB", "BA", "A(B)", "B(A)"),
    "concurrent": ("", "A", "B", "AB", "BA", "A(B)", "B(A)"),
}


def is_left_to_a_context(
    contexts: Sequence[OrderContext], activations: list[Activation], first: str, then: str
) -> bool:
    """Tell whether both began in different activations of one function that says what their order is."""
    one = next((a for a in activations if a.name == first), None)
    other = next((a for a in activations if a.name == then), None)
    if one is None or other is None:
        return False
    frames = [(around(c, one), around(c, other)) for c in contexts]
    return any(a is not None and b is not None and a is not b for a, b in frames)


def around(context: OrderContext, activation: Activation) -> Activation | None:
    """Return the innermost call of the context's function around another."""
    here = activation.caller
    while here is not None and here.name != context.function:
        here = here.caller
    return here


def call_of(within: list[Activation], name: str, outer: Activation) -> Activation:
    """Return the call that an activation makes itself and in which a function first began."""
    here = next(a for a in within if a.name == name)
    while here.caller is not outer:
        assert here.caller is not None
        here = here.caller
    return here


def check_context(
    context: OrderContext, within: list[Activation], activation: Activation, first: str, then: str
) -> None:
    seen = seen_in(within, first, then)
    if len(seen) > 1 and call_of(within, first, activation) is call_of(within, then, activation):
        return  # a frame inside separates them
    where = f"{first} / {then}: {context.verdict} in {context.function}, but {seen}"
    if context.verdict == "before":
        allowed = ("", "A", "B", "AB") if context.skips else ("", "A", "AB")
        assert seen in allowed, where
    if context.verdict == "after":
        assert seen in ("", "A", "B", "BA"), where


def check(source: str) -> None:
    runs = traced(source)
    names = sorted({a.name for run in runs for a in run.activations} - {f"{MODULE}.main"})
    pairs = list(permutations(names, 2))
    check_pairs(source, runs, pairs[:: max(1, len(pairs) // _PAIRS)])


def check_pairs(source: str, runs: list[Run], pairs: list[tuple[str, str]]) -> None:
    orders = Orders(source)
    if orders.knows(runs):
        for first, then in pairs:
            check_pair(orders, runs, first, then)


@tried(EXAMPLES)
@given(programs())
def test_what_is_said_of_an_order_holds_in_every_run(source: str) -> None:
    check(source)


@tried(EXAMPLES)
@given(order_programs())
def test_what_runs_aside_later_or_on_the_way_out_is_in_its_order(source: str) -> None:
    check_pairs(source, traced(source), [(f"{MODULE}.{one}", f"{MODULE}.{other}") for one, other in ("ab", "ca", "bc")])
