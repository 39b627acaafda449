"""What the tool says of a program holds in every run of it."""

from __future__ import annotations

import re
from enum import Enum

from hypothesis import given

from codepath.analysis.feasibility import Search, State
from codepath.analysis.known import NOTHING_KNOWN, Constant, Member
from codepath.model.answers import Guard
from codepath.model.assumptions import Assumption
from tests.property.asking import Answers
from tests.property.programs import FLAGS, programs
from tests.property.running import Activation, Chain, Run, chains, runs_of
from tests.property.solving import tried

EXAMPLES = 2000
_TARGETS = 2
_UNTESTED = frozenset(["try", "comprehension"])
_STALE = frozenset(["try", "for", "while", "else"])
"""Kinds under which another guard may hold, of which it is not noted that they hold no more."""


def check(source: str) -> None:
    runs = runs_of(source)
    answers = Answers(source)
    for run in runs:
        _follow(answers, run, answers.search)
    _assumed(answers, runs, source)
    seen = chains(runs)
    for target in sorted({chain[-1][2] for chain in seen if chain})[:_TARGETS]:
        _reached(answers, target, seen)


def _assumed(answers: Answers, runs: list[Run], source: str) -> None:
    """Follow the runs in which a flag of `main` is true under the assumption that it is."""
    number = len(source) % FLAGS
    if re.search(rf"\bflag{number}(, v\d+)? = |= flag{number} = |nonlocal flag{number}\b", source):
        return  # the name stands for more than the flag
    search = answers.under(Assumption(f"main.flag{number}", "=", True))
    for run in runs:
        if run.flags[number]:
            _follow(answers, run, search)


def _reached(answers: Answers, target: str, seen: set[Chain]) -> None:
    """Ask how a function that ran is reached: no chain of calls that happened is blocked, and one path is not."""
    answer = answers.reach(target)
    assert any(path.feasible != "blocked" for path in answer.paths), f"all blocked: {target}"
    for path in answer.paths:
        chain = tuple((s.caller, s.line, s.callee) for s in path.steps)
        if path.feasible == "blocked" and answers.is_plain(chain):
            assert chain not in seen, f"blocked path ran: {chain} {path.contradiction}"


def _follow(answers: Answers, run: Run, search: Search) -> None:
    """Take the steps of a run in the search: none may be blocked, and what is known behind each must be so."""
    states: dict[int, set[State]] = {}
    for activation in run.activations:
        if activation.caller is None:
            states[id(activation)] = {(activation.name, NOTHING_KNOWN)}
            continue
        where = f"{activation.caller.name}:{activation.line} -> {activation.name} with {run.flags}"
        steps = answers.of(activation)
        assert steps, f"no edge {where}"
        before = states[id(activation.caller)]
        ways = ((state, step) for state in before for step in steps if answers.makers.allows(step, state[1]))
        taken = {search.take(state, step) for state, step in ways}
        held = [s for s in steps if all(_holds(g, activation) for g in s.guards)]
        assert held, f"guards {where}: {[(g.text, g.polarity, g.kind, g.line) for s in steps for g in s.guards]}"
        after = {t.target for t in taken if t.target is not None}
        assert after, f"blocked {where}: {[t.blocked for t in taken]}"
        true = {state for state in after if _is_so(answers, state, activation)}
        assert true, f"wrong facts {where}: {after} {activation.variables} {activation.receiver}"
        states[id(activation)] = true


def _holds(guard: Guard, activation: Activation) -> bool:
    if guard.choice or guard.kind in _UNTESTED or guard.text == "try":
        return True
    tests = activation.tests_then
    if any(outer.kind in _STALE or not _holds(outer, activation) for outer in guard.when):
        return True
    return tests.get((guard.line, guard.text)) is guard.polarity


def _is_so(answers: Answers, state: State, activation: Activation) -> bool:
    params = all(_same(k.value, activation.variables[n]) for n, k in state[1].params if n in activation.variables)
    held = activation.receiver or {}
    attributes = (_same(k.value, held.get(n)) for n, k in state[1].attributes if answers.settled(state[1].cls, n))
    return params and all(attributes)


def _same(constant: Constant, value: object) -> bool:
    if isinstance(constant, Member):
        return isinstance(value, Enum) and type(value).__members__.get(constant.name) is value
    return type(constant) is type(value) and constant == value


@tried(EXAMPLES)
@given(programs())
def test_what_is_said_of_a_program_holds_in_every_run(source: str) -> None:
    check(source)
