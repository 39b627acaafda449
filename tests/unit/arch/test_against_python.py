"""Generated conditions over a capability: Python's own answer for each architecture, or unknown."""

from __future__ import annotations

from types import SimpleNamespace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codepath.analysis.arch.values import truth
from tests.unit.arch.asking import evaluated

NUMBERS = st.sampled_from([0, 3, 8, 9, 10, 11, 12, 80, 90, 100, 103, 110, 120, 121])
OPERANDS = st.sampled_from(
    ["major", "minor", "major * 10 + minor", "cap[0]", "cap[-1]", "sm(major, minor)", "int(f'{major}{minor}')"]
)
COMPARES = st.builds("{} {} {}".format, OPERANDS, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), NUMBERS)
RANGES = st.builds("{} <= {} < {}".format, NUMBERS, OPERANDS, NUMBERS)
MEMBERS = st.builds(
    lambda left, op, items: f"{left} {op} {items!r}",
    OPERANDS,
    st.sampled_from(["in", "not in"]),
    st.one_of(
        st.lists(NUMBERS, max_size=4),
        st.lists(NUMBERS, min_size=1, max_size=4).map(tuple),
        st.sets(NUMBERS, min_size=1),
    ),
)
TUPLES = st.builds(
    "cap {} ({}, {})".format,
    st.sampled_from(["<", ">=", "==", "!="]),
    st.sampled_from([8, 9, 10, 12]),
    st.sampled_from([0, 1, 3]),
)
TEXTS = st.builds(
    "f'sm_{{major}}{{minor}}' {} {!r}".format, st.sampled_from(["==", "!="]), st.sampled_from(["sm_90", "sm_120"])
)
ATOMS = st.one_of(COMPARES, RANGES, MEMBERS, TUPLES, TEXTS)
CONDITIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("(not {})".format, inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
    ),
    max_leaves=6,
)
SOURCE = """
import torch


def sm(major, minor):
    return major * 10 + minor


def predicate():
    cap = torch.cuda.get_device_capability()
    major, minor = cap
    if {early}:
        return False
    return {condition}
"""


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ATOMS, CONDITIONS)
def test_a_predicate_is_evaluated_as_python_does(early: str, condition: str) -> None:
    source = SOURCE.format(early=early, condition=condition)
    evaluation = evaluated({"m.py": source})
    info = evaluation.world.bodies.scope("m.predicate")
    assert info is not None
    for machine in evaluation.spread.machines:
        capability = machine.arch.capability
        cuda = SimpleNamespace(get_device_capability=lambda capability=capability: capability)
        names: dict[str, object] = {}
        exec(source.replace("import torch", ""), names)  # the text is made here
        names["torch"] = SimpleNamespace(cuda=cuda)
        expected = bool(names["predicate"]())  # type: ignore[operator]
        run = machine.run_scope(info.sid)
        assert run is not None
        assert truth(run.value) in (expected, None)
        assert truth(run.value) is not None, "a pure condition over a capability is known"
