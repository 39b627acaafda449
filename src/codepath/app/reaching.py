"""`reach`: which paths lead to a thing, which of them can happen, and what they come before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from codepath.analysis.assuming import Assumptions
from codepath.analysis.cone import Cone
from codepath.analysis.constants import Folding
from codepath.analysis.feasibility import MAX_ASSUMED, MAX_FUNCTIONS, Search
from codepath.analysis.groups import SHOWN, only_group
from codepath.analysis.known import NOTHING_KNOWN
from codepath.analysis.makers import Makers
from codepath.analysis.reach import Question, Through, reach
from codepath.analysis.said import read
from codepath.analysis.settled import Settled
from codepath.app.meant import outside_calls
from codepath.errors import QueryError
from codepath.model import ir
from codepath.model.answers import (
    Entry,
    ReachAnswer,
    Symbol,
)
from codepath.model.requests import ReachRequest
from codepath.model.solution import StoredName
from codepath.program.for_tests import is_test
from codepath.program.graph import symbol_of
from codepath.program.names import is_place, place_of

if TYPE_CHECKING:
    from codepath.app.opened import Opened


class Reaching:
    """The question of one opened tree."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def reach(self, asked: ReachRequest) -> ReachAnswer:
        """Answer which paths reach a function, method or class, and in what order relative to an event."""
        opened = self._opened
        cut = None
        if self._names_model(asked):
            opened.whole_tree()
        elif asked.all_matches or asked.calls or asked.event is not None:
            opened.whole_or_changed()
        else:
            cut = opened.demand(asked.target, [asked.start] if asked.start else [])
        answer = self._reach(asked)
        if cut is not None and not answer.paths:
            cut = None
            opened.whole_tree()
            answer = self._reach(asked)
        answer = replace(
            answer, truncated=cut or answer.truncated, stored_value=opened.variables.stored_by(answer.target.name)
        )
        if all(path.feasible == "blocked" for path in answer.paths):
            answer = replace(answer, spelled=opened.spelled([answer.target.name]))
        return answer

    def _names_model(self, asked: ReachRequest) -> bool:
        """Tell whether a model is assumed: the classes of the registry, and which of them lack a hook, are the whole tree's."""
        said = (*asked.said.assume, *self._opened.config.assume)
        return any(read(text).kind == "model" for text in said)

    def _reach(self, asked: ReachRequest) -> ReachAnswer:
        start = asked.start
        symbol, targets = self._targets(asked)
        starts = self._opened.starts(start) if start is not None else ()
        entries = self._opened.entries
        if start is not None:
            entries = tuple(Entry(start, name, "declared", self._opened.place(name)) for name in starts)
        question = Question(
            symbol=symbol,
            targets=targets,
            entries=entries,
            starts=starts,
            via=tuple(self._through(part) for part in _parts(asked.via)),
            paths=max(asked.paths, SHOWN) if asked.group else asked.paths,
            all_paths=asked.all_paths,
            group_by=asked.group_by,
        )
        ways = self._opened.entries if start is not None else ()
        assuming = self._opened.assuming
        assumed = assuming.assumptions(asked.said, self._opened.config.assume)
        answer = reach(
            self._opened.graph,
            question,
            lambda cone, entries: self._decide(cone, entries, ways, assumed),
            assuming.defaults_of,
        )
        answer = assuming.told(assuming.with_defaults(answer))
        if asked.group:
            answer = _only(answer, asked.group)
        if self._opened.graph.is_partial:
            return replace(answer, bypasses=(), overridden=())  # files not read may hold more
        return replace(answer, paths=self._opened.ordering.with_orders(answer.paths, asked.event, assumed))

    def _targets(self, asked: ReachRequest) -> tuple[Symbol, tuple[str, ...]]:
        """Return what a question is about, and the functions that count as it."""
        opened = self._opened
        found = opened.names.find(asked.target) if asked.all_matches or asked.calls else ()
        if asked.calls and not found:
            return outside_calls(opened.graph, asked.target)
        found = found if asked.all_matches and found else (opened.one(asked.target),)
        if all(name.kind == "global" for name in found):
            raise self._not_run(found[0])
        if len(found) == 1 and (inherited := opened.inherited(found[0])):
            raise QueryError(
                f"`{found[0].name}` has no constructor of its own: it runs `{inherited}`",
                help=(f"codepath reach {inherited}    also counts the other classes that run it",),
            )
        return symbol_of(found[0]), tuple(name for one in found for name in opened.runs(one))

    def _decide(
        self, cone: Cone, entries: Sequence[Entry], ways: Sequence[Entry], assumed: Assumptions | None
    ) -> Search | None:
        """Search a cone from the ways in, or from some starts with what the ways in to them pass on."""
        self._opened.graph.tests_run = any(is_test(self._opened.place(e.function).file) for e in entries)
        most = MAX_ASSUMED if assumed is not None else MAX_FUNCTIONS
        if len(cone.next_step) > most:
            return None
        bodies = self._opened.bodies
        folding = Folding(bodies, Settled(self._opened.graph, bodies), assumed)
        makers = Makers(self._opened.graph, bodies, folding, cone.steps_in)
        starts = [(e.function, NOTHING_KNOWN) for e in entries]
        if ways:
            names = [e.function for e in entries]
            before = Cone(self._opened.graph, names, by_name=False)
            inside = [(e.function, NOTHING_KNOWN) for e in ways if e.function in before.next_step]
            if inside and len(before.next_step) <= most:
                starts = Search(bodies, folding, before.steps_in, inside, assumed, makers).states_of(names) or starts
        search = Search(bodies, folding, cone.steps_in, starts, assumed, makers)
        return search if search.is_whole else None

    def _through(self, part: str) -> Through:
        """Return what a part of a call string stands for: a place, or functions."""
        if is_place(part):
            path, line = place_of(part)
            return Through(path=path, line=line)
        return Through(functions=self._opened.runs(self._opened.one(part)))

    def _not_run(self, name: StoredName) -> QueryError:
        place = f"{self._opened.prefix}{name.file}:{ir.line_of(name.at)}"
        return QueryError(
            f"`{name.name}` is a global, which nothing calls", help=(f"it is assigned at {place}", "name what runs")
        )


def _only(answer: ReachAnswer, number: int) -> ReachAnswer:
    """Return an answer with the paths of one group alone."""
    last = max((group.number for group in answer.groups), default=0)
    if answer.paths and number > last:
        raise QueryError(f"there is no group {number}: the paths to `{answer.target.name}` form {last} groups")
    return only_group(answer, number)


def _parts(via: str | None) -> list[str]:
    """Return the parts of a call string, outermost first: `,` or `>` stands between."""
    return [part.strip() for part in (via or "").replace(">", ",").split(",") if part.strip()]
