"""Scopes as they last ran, for whoever asks once a tree is solved: what each ran is told again without running it.

Source: docs/decisions/0032-rows-are-told-from-what-solving-noted.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.program import cells as c
from codepath.program.frame import Frame, Recorder
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId, Values

if TYPE_CHECKING:
    from codepath.program.solver import Solver

Ran = tuple[int, "ScopeId | str", str, bool]
"""What a recorder is told: expression, callee, kind, whether of a family."""


class Retelling:
    """What short scopes ran, whole; longer ones keep it by expression (`kept.Kept`)."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._short: dict[ScopeId, tuple[list[Values], list[Ran]]] = {}

    def keep(self, frame: Frame, ran: list[Ran]) -> None:
        """Keep what a short scope ran."""
        self._short[frame.info.sid] = (frame.values, ran)

    def begin(self) -> None:
        """Mark what reads the elements of collections whose annotation tells what they can be: it counts from now on."""
        for made in self._solver.annotations.element_classes:
            self._solver.cells.doubt_table((c.ELEMENT, made))

    def of(self, info: ScopeInfo, scope: ir.Scope, record: Recorder) -> Frame | None:
        """Return a scope as it last ran, with what ran then told to `record`, once all is final; once for each scope.

        None where its values are not kept, or something more is known of it now.
        """
        solver = self._solver
        live = solver.calls.instantiated
        if not solver.cells.is_frozen or live is None or live.knows_self(info):
            return None
        doubts = solver.cells.doubts.get(info.sid, 0)
        kept = solver.runs.take(info.sid)
        if kept is not None:
            frame = Frame(solver, info, scope, None, kept)
            return frame if frame.retell(doubts, record) else None
        short = self._short.pop(info.sid, None)
        return self._tell(Frame(solver, info, scope), *short, record) if short is not None and not doubts else None

    def _tell(self, frame: Frame, values: list[Values], ran: list[Ran], record: Recorder) -> Frame:
        for one in ran:
            record(*one)
        frame.values = values
        frame.is_retold = True
        return frame
