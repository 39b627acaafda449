"""Generated programs are run; what the runs store is held against what `values` says of each store."""

from __future__ import annotations

import random

import pytest

from codepath.model.values import NoneHop, Writer
from tests.asking import Asked
from tests.property.values_programs import FLAGS, N_FLAGS, Run, program, run

SEEDS = range(40)
RUNS = 8


def _runs(source: str, seed: int) -> list[Run]:
    chooser = random.Random(seed)
    choices = [set(), set(range(N_FLAGS))]
    choices += [{n for n in range(N_FLAGS) if chooser.random() < 0.5} for _ in range(RUNS - 2)]
    return [run(source, chosen) for chosen in choices]


def _writers(source: str) -> dict[tuple[str, int], Writer]:
    asked = Asked({"program.py": source, "flags.py": FLAGS})
    found: dict[tuple[str, int], Writer] = {}
    for owner, name in [("program", f"g{n}") for n in range(3)] + [("program.C", n) for n in ("a", "b")]:
        shown = name if owner == "program" else f"C.{name}"
        for writer in asked.values.of(asked.variable(owner, name)).writers:
            if writer.how == "store":
                found[shown, writer.place.line] = writer
    return found


def _is_explained(writer: Writer, done: Run) -> bool:
    """Tell whether a run passed the cause of a chain that is listed, with the conditions of that, and the whole way ran."""
    if writer.unknown:
        return True
    ran = [hop for hop in writer.none_chain if hop.place.line in done.lines]
    return any(all(hop in ran for hop in _cause(chain)) for chain in writer.causes) and writer.none_chain[-1] in ran


def _cause(chain: tuple[NoneHop, ...]) -> tuple[NoneHop, ...]:
    """Return the hops of a chain up to where the None is made: conditions, then the place."""
    end = next(n for n, hop in enumerate(chain) if not hop.reason.startswith("when "))
    return chain[: end + 1]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_none_that_is_stored_is_foreseen_and_explained(seed: int) -> None:
    source = program(seed)
    writers = _writers(source)
    for done in _runs(source, seed):
        for name, line, is_none in done.stores:
            writer = writers[name, line]
            if is_none:
                assert writer.may_be_none is not False, f"line {line} stores None:\n{source}"
                assert _is_explained(writer, done) or writer.total > len(writer.causes), f"line {line}:\n{source}"


def test_most_stores_are_decided() -> None:
    decided = [w.may_be_none for seed in SEEDS for w in _writers(program(seed)).values()]
    assert sum(1 for answer in decided if answer is not None) > 0.9 * len(decided)
    assert sum(1 for answer in decided if answer is False) > 0.15 * len(decided)
