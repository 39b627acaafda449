"""The kinds of rules about variables: `never-none` and `set-before-read`, as functions from an answer to findings."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.nulls.cells import INITIAL
from codepath.analysis.variables.question import is_initial
from codepath.model.values import Reader, ValuesAnswer, VariableFinding, Writer


def never_none(answer: ValuesAnswer) -> Iterator[VariableFinding]:
    """Yield a finding for each place that can store None in a variable that must not hold it, with the way of the None.

    The None that a module or class body starts a variable with is no finding: `set_before_read` asks about that. Of a setter
    only the calls count, unless nothing is seen to call it. Stores of which nothing is known are none.
    """
    called = {w.through for w in answer.writers if w.how == "setter"}
    for writer in answer.writers:
        stands_for_calls = writer.how == "store" and writer.place.function in called
        if writer.may_be_none and not is_initial(writer) and not stands_for_calls and not _restores(writer):
            message = f"`{answer.variable}` can be stored as None here"
            yield VariableFinding("never-none", message, writer.place, (), writer.none_chain, writer.guards)


def _restores(writer: Writer) -> bool:
    """Tell whether all that a writer can store as None is what some variable started with."""
    return bool(writer.causes) and all(chain[0].reason.startswith(INITIAL) for chain in writer.causes)


def set_before_read(answer: ValuesAnswer) -> Iterator[VariableFinding]:
    """Yield a finding for each way on which a read that needs a variable runs though nothing has to have written it."""
    needing: dict[object, Reader] = {reader.place: reader for reader in answer.readers if reader.requires_set}
    for way in answer.unset_reads:
        if way.reader in needing:
            message = f"`{answer.variable}` can be read here before it is written: {way.why}"
            yield VariableFinding("set-before-read", message, way.reader, way.steps, (), way.guards)
