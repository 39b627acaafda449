"""What a picture shows of a program holds in every run of it: the order of steps, what is skipped, what excludes what."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, settings

from codepath.analysis.cone import Cone
from codepath.analysis.feasibility import Search
from codepath.analysis.makers import Makers
from codepath.analysis.pictures.choose import Numbering, chosen
from codepath.analysis.pictures.explore import Explorer, Wanted
from codepath.model.pictures import PictureStep
from tests.property.order_programs import order_programs
from tests.property.test_order import Orders, plain
from tests.property.tracing import MODULE, Activation, Run, traced

EXAMPLES = 200
_REPEATED = frozenset(["for", "while", "comprehension"])


def drawn(orders: Orders) -> tuple[PictureStep, ...]:
    """Draw all steps below `main` that lead to the functions `a`, `b` and `c`."""
    graph, tools = orders.graph, orders.tools
    shown = frozenset(f"{MODULE}.{name}" for name in "abc")
    cone = Cone(graph, sorted(shown), by_name=False)
    makers = Makers(graph, tools.bodies, tools.folding, cone.steps_in)
    search = Search(tools.bodies, tools.folding, {}, (), None, makers)
    wanted = Wanted({}, shown, frozenset(), cone.next_step.keys())
    nodes = Explorer(graph, tools.bodies, search, wanted, tools.when, 0).below(f"{MODULE}.main")
    return Numbering(chosen(nodes, 10_000), "main", lambda name, kind: name, (), lambda name: ()).steps()


def is_plain(step: PictureStep) -> bool:
    """Tell whether a step runs in its turn and outside loops, so that its place says when it first runs."""
    hop = step.hops[0]
    return hop.how == "now" and not any(g.kind in _REPEATED for g in hop.step.guards)


def own_calls(run: Run) -> list[Activation]:
    """Return the calls that `main` makes itself, in the order in which they began."""
    return [a for a in run.activations if a.caller is not None and a.caller.name == f"{MODULE}.main"]


def callee(step: PictureStep) -> str:
    return plain(step.hops[0].step.callee)


def check(source: str) -> int:
    """Check a program; return how many pairs of steps were compared with a run."""
    runs = traced(source)
    orders = Orders(source)
    if not orders.knows(runs):
        return 0
    top = [s for s in drawn(orders) if s.parent == 0]
    names = [callee(s) for s in top]
    alone = {callee(s): s for s in top if names.count(callee(s)) == 1 and is_plain(s)}
    compared = 0
    for run in runs:
        calls = own_calls(run)
        ran = [name for name in dict.fromkeys(plain(a.name) for a in calls) if name in alone]
        for name in ran:
            step = alone[name]
            assert step.blocked is None, f"{name} is skipped, and ran with {run.flags}"
            for other in ran:
                if other == name:
                    continue
                compared += 1
                assert alone[other].number not in step.excludes, f"{name} and {other} ran with {run.flags}"
        numbers = [alone[name].number for name in ran]
        assert numbers == sorted(numbers), f"{ran} ran in this order with {run.flags}"
    return compared


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)
@given(order_programs())
def test_no_run_contradicts_a_picture(source: str) -> None:
    check(source)


def test_some_pairs_are_compared() -> None:
    compared = 0

    @settings(max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(order_programs())
    def count(source: str) -> None:
        nonlocal compared
        compared += check(source)

    count()
    assert compared > 50
