"""Questions about order: from what a person types to the sides of the question, and from what is found to an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count

from codepath.analysis.assuming import Assumptions
from codepath.analysis.constants import Assumed, Folding
from codepath.analysis.mentioned import functions_like, known, runs_on_line
from codepath.analysis.order import Compared, Comparison
from codepath.analysis.outcomes import always_before
from codepath.analysis.reach import Through
from codepath.analysis.remembered import Remembered
from codepath.analysis.settled import Settled
from codepath.analysis.sides import AlongPaths, Named, named
from codepath.analysis.skips import contexts_of
from codepath.analysis.summaries import Summaries
from codepath.analysis.tools import Tools
from codepath.app.assuming import DEFAULTS
from codepath.app.remembering import Memory
from codepath.errors import QueryError
from codepath.model import ir
from codepath.model.answers import Entry, EventOrder, Path, Place, Stats, Truncation
from codepath.model.assumptions import Met
from codepath.model.knowledge import Event, Knowledge
from codepath.model.orders import OrderAnswer, OrderContext, OrderSide, SourceLine
from codepath.model.solution import StoredName
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph
from codepath.program.names import Names, is_place, place_of

MAX_AGAIN = 10
MAX_ORDERED = 60
"""Paths of one answer whose order is worked out."""
MAX_SHARED = 300
"""Functions that lead to both of two places up to which it is worked out whether one has always run before the other."""
DEFAULT_EVENT = "cuda-graph-capture"


@dataclass(frozen=True, slots=True)
class Ordering:
    """Answers questions about order over one tree.

    Args:
        graph: Its call graph.
        bodies: Its functions.
        names: Looks names up.
        knowledge: The events of its project.
        entries: The ways in.
        one: Returns the one thing that a name means.
        runs: Returns the functions that count as a thing.
        line: Returns a line of a file.
        memory: What is stored of events; None where the call graph is not the whole.
    """

    graph: CallGraph
    bodies: Bodies
    names: Names
    knowledge: Knowledge
    entries: Sequence[Entry]
    one: Callable[[str], StoredName]
    runs: Callable[[StoredName], tuple[str, ...]]
    line: Callable[[str, int], str]
    memory: Memory | None = None

    def order(self, first: str, then: str, assumed: Assumptions | None = None) -> OrderAnswer:
        """Answer which of two things comes first, under what is assumed."""
        asked, side = self.side(first)
        other_asked, other = self.side(then)
        if side.before == other.before and (side.targets, side.places) == (other.targets, other.places):
            raise QueryError(f"`{first}` and `{then}` are the same", help=("name two things that run",))
        remembered = self._remembered(other_asked, other) if assumed is None else None
        summaries = Summaries(self.tools(assumed), side, other, remembered)
        comparison = Comparison(summaries)
        starts = [e.function for e in self.entries if e.function in side.functions and e.function in other.functions]
        found = comparison.compare(starts)
        self._remember(summaries)
        reached = tuple(any(e.function in s.functions for e in self.entries) for s in (side, other))
        return OrderAnswer(
            first=asked,
            then=other_asked,
            verdict=found.verdict,
            contexts=self._contexts(comparison, found, side, other),
            starts=len(found.starts),
            is_reached=(reached[0], reached[1]),
            stats=Stats(),
            truncated=Truncation("frames", len(comparison.summaries.frames), -1) if found.is_cut else None,
            assumptions=_met(assumed) if assumed is not None else (),
        )

    def is_before(self, firsts: Sequence[Place], then: Place) -> bool | None:
        """Tell whether one of some places has always run before another is reached, from ways in that lead to both.

        None: it is not known, or more functions than `MAX_SHARED` lead to both.
        """
        side = named(self.graph, (), (), self._runs_at(firsts))
        other = named(self.graph, (), (), self._runs_at([then]))
        shared = sum(1 for function in side.functions if function in other.functions)
        if not side.places or not other.places or shared > MAX_SHARED:
            return None
        comparison = Comparison(Summaries(self.tools(), side, other))
        found = comparison.compare(
            e.function for e in self.entries if e.function in side.functions and e.function in other.functions
        )
        return None if found.is_cut else always_before(found.outcomes)

    def _runs_at(self, places: Iterable[Place]) -> dict[str, frozenset[int]]:
        """Return the expressions that run on the lines of places, by function."""
        found: dict[str, frozenset[int]] = {}
        for place in places:
            body = self.bodies.body(place.function)
            runs = runs_on_line(body, place.line) if body is not None else frozenset()
            if runs:
                found[place.function] = found.get(place.function, frozenset()) | runs
        return found

    # --- paths ---------------------------------------------------------------------------------------------------------

    def with_orders(self, paths: Sequence[Path], asked: str | None, assumed: Assumed | None) -> tuple[Path, ...]:
        """Return paths with their order relative to an event: the one asked for, or the default one of the project."""
        event, side = self._event(asked)
        wanted = [n for n, path in enumerate(paths) if path.feasible != "blocked" and path.steps][:MAX_ORDERED]
        if side is None or not wanted:
            return tuple(paths)
        ways = AlongPaths([paths[n].steps for n in wanted])
        remembered = self._remembered(event, side) if assumed is None else None
        summaries = Summaries(self.tools(assumed), ways, side, remembered)
        comparison = Comparison(summaries)
        found = list(paths)
        for number, progress in zip(wanted, ways.first_of, strict=True):
            compared = comparison.along(paths[number].steps[0].caller, progress)
            found[number] = replace(paths[number], order=(_event_order(event, comparison, compared),))
        self._remember(summaries)
        return tuple(found)

    def _remembered(self, asked: OrderSide, side: Named) -> Remembered | None:
        """Return what is known of the functions that lead to a side that is an event."""
        is_event = bool(asked.functions) and not asked.places
        return self.memory.of(side) if self.memory is not None and is_event else None

    def _remember(self, summaries: Summaries) -> None:
        summaries.remember()
        if self.memory is not None:
            self.memory.save()

    def _event(self, asked: str | None) -> tuple[OrderSide, Named | None]:
        """Return the event that paths are compared with; no side where the tree has none."""
        if asked is not None:
            return self.side(asked)
        event = next((e for e in self.knowledge.events if e.name == DEFAULT_EVENT), None)
        if event is None or not self.event_functions(event):
            return OrderSide(DEFAULT_EVENT, "", (), ()), None
        return self._event_side(event.name, (), event)

    # --- contexts ------------------------------------------------------------------------------------------------------

    def _contexts(self, comparison: Comparison, found: Compared, side: Named, other: Named) -> tuple[OrderContext, ...]:
        """Return the contexts, those first that most ways in lead to, of these the nearest to one."""
        contexts = contexts_of(comparison, found)
        if len(contexts) > 1:
            ways = {c.function: self._ways_in(c.function, side, other) for c in contexts}
            contexts = tuple(sorted(contexts, key=lambda c: ways[c.function]))
        again = self._again(contexts, other) if found.verdict in ("before", "after") else ()
        return tuple(replace(c, lines=self._lines(c)) for c in (*contexts, *again))

    def _ways_in(self, function: str, side: Named, other: Named) -> tuple[int, int]:
        """Return how many ways in lead to a function, less than 0, and how many calls the nearest is away.

        Only functions that lead to both sides count.
        """
        starts = {entry.function for entry in self.entries}
        level, seen = [function], {function}
        found: list[int] = []
        for distance in count():
            found += [distance] * sum(1 for name in level if name in starts)
            level = list(dict.fromkeys(c for name in level for c in self.graph.callers(name) if c not in seen))
            level = [c for c in level if c in side.functions and c in other.functions]
            seen.update(level)
            if not level:
                break
        return -len(found), min(found, default=0)

    def _again(self, contexts: Sequence[OrderContext], other: Named) -> Iterable[OrderContext]:
        """Yield the calls of the later side that separate nothing, where the contexts name its other calls."""
        known = {(p.file, p.line) for c in contexts for p in c.then_sites}
        steps = [s for target in sorted(other.targets) for s in self.graph.steps_into(target)]
        if not contexts or other.before or not any((s.file, s.line) in known for s in steps):
            return
        for step in [s for s in steps if (s.file, s.line) not in known and s.resolution != "by-name"][:MAX_AGAIN]:
            place = Place(step.file, step.line, step.column, step.caller)
            first = contexts[0]
            yield replace(
                first,
                function=step.caller,
                then_site=place,
                then_sites=(place,),
                guards=step.guards,
                skips=(),
                again=True,
            )

    def _lines(self, context: OrderContext) -> tuple[SourceLine, ...]:
        """Return the lines of a frame that show an order: both sides, and the conditions above them."""
        if context.again:
            return ()
        file = context.then_site.file
        remarks: dict[int, str] = {}
        body = self.bodies.body(context.function)
        for sites, remark in ((context.first_sites, "first"), (context.then_sites, "then")):
            for place in sites:
                remarks[place.line] = remark if remarks.get(place.line, remark) in ("", "else", remark) else "both"
                index = body.at_place(place.line, place.column) if body is not None else None
                for guard in body.guards.of(index) if body is not None and index is not None else ():
                    if guard.kind in _AROUND:
                        line = ir.line_of(guard.at)
                        branch = "else" if guard.kind == "else" and not guard.polarity else ""
                        remarks[line] = (
                            branch if remarks.get(line, branch) == branch else remarks[line].replace("else", "")
                        )
        lines = sorted(remarks)
        return tuple(SourceLine(n, self.line(file, n), remarks[n]) for n in lines)

    def tools(self, assumed: Assumed | None = None) -> Tools:
        """Return what summaries are made with."""
        settled = Settled(self.graph, self.bodies)
        when = {c.function: c.when for c in self.knowledge.callbacks}
        return Tools(
            self.graph, self.bodies, Folding(self.bodies, settled, assumed), settled, lambda name: when.get(name, "")
        )

    # --- the sides -----------------------------------------------------------------------------------------------------

    def side(self, query: str) -> tuple[OrderSide, Named]:
        """Return what one side of a question means.

        Raises:
            QueryError: A part of it means nothing, or several things.
        """
        parts = parts_of(query)
        if not parts:
            raise QueryError(
                "a side of the question is empty", help=("name what runs: a function, an event, path.py:LINE",)
            )
        before = [self.through(part) for part in parts[:-1]]
        event = next((e for e in self.knowledge.events if e.name == parts[-1]), None)
        if event is not None and not self.names.find(parts[-1]):
            return self._event_side(query, before, event)
        if is_place(parts[-1]):
            return self._place_side(query, before, parts[-1])
        found = self.one(parts[-1])
        if found.kind == "global":
            raise QueryError(f"`{found.name}` is a global, which nothing calls", help=("name what runs",))
        targets = self.runs(found)
        place = Place(found.file, ir.line_of(found.at), ir.column_of(found.at), found.name)
        return OrderSide(query, found.name, targets, (place,)), named(self.graph, before, targets, {})

    def through(self, part: str) -> Through:
        """Return what a part of a call string but the last stands for."""
        if is_place(part):
            path, line = place_of(part)
            files = self.names.fitting(path)
            return Through(path=files[0] if len(files) == 1 else path, line=line)
        return Through(functions=self.runs(self.one(part)))

    def _event_side(self, query: str, before: Sequence[Through], event: Event) -> tuple[OrderSide, Named]:
        targets = self.event_functions(event)
        if not targets:
            raise QueryError(
                f"the event `{event.name}` happens nowhere in this tree",
                help=(f"it is {event.title}: a call of {', '.join(event.any)}",),
            )
        return OrderSide(query, event.title, tuple(targets), ()), named(self.graph, before, targets, {})

    def event_functions(self, event: Event) -> list[str]:
        """Return the functions of the tree, or called by it, that are an event."""
        return known(self.graph, (name for pattern in event.any for name in functions_like(self.graph, pattern)))

    def _place_side(self, query: str, before: Sequence[Through], part: str) -> tuple[OrderSide, Named]:
        path, line = place_of(part)
        files = self.names.fitting(path)
        if not files:
            self.names.find(part)  # says what is wrong with it
        places: dict[str, frozenset[int]] = {}
        targets: list[str] = []
        for file in files:
            inside = self.graph.in_file(file)
            defined = [n for n in inside if n.kind != "module" and ir.line_of(n.at) == line and n.kind != "lambda"]
            if defined:
                targets += self.runs(min(defined, key=lambda n: n.at))
                continue
            for function in _around(inside, line):
                body = self.bodies.body(function)
                found = runs_on_line(body, line) if body is not None else frozenset()
                if found:
                    places[function] = found
                    break
        if not places and not targets:
            self.names.find(part)
            raise QueryError(f"nothing runs at `{part}`", help=("give the line of a call, a store or a definition",))
        shown = tuple(self._shown(places))
        return OrderSide(query, part, tuple(targets), shown), named(self.graph, before, targets, places)

    def _shown(self, places: dict[str, frozenset[int]]) -> Iterable[Place]:
        for function, indices in places.items():
            body = self.bodies.body(function)
            for index in sorted(indices) if body is not None else ():
                assert body is not None
                at = body.scope.exprs[index].at
                yield Place(body.info.module.path, ir.line_of(at), ir.column_of(at), function)


_AROUND = frozenset(["if", "else", "for", "while", "except", "match"])


def parts_of(query: str) -> list[str]:
    """Return the parts of a call string, outermost first."""
    return [part.strip() for part in query.replace(">", ",").split(",") if part.strip()]


def _met(assumed: Assumptions) -> tuple[Met, ...]:
    """Return what was assumed with the variables that each met; defaults that met none are left out."""
    found = (
        Met(one, 0, tuple(sorted(met)), 0, 0, filled=tuple(sorted(filled, key=lambda f: (f.variable, f.setter))))
        for one, met, filled in zip(assumed.all, assumed.variables, assumed.filled, strict=True)
    )
    return tuple(met for met in found if met.variables or met.assumption.origin != DEFAULTS)


def _event_order(event: OrderSide, comparison: Comparison, compared: Compared) -> EventOrder:
    contexts = contexts_of(comparison, compared)
    told = ("before", "after") if compared.verdict == "either" else (compared.verdict,)
    shown = [found for verdict in told if (found := next((c for c in contexts if c.verdict == verdict), None))]
    shown = shown or list(contexts[:1])
    witness = tuple(place for context in shown for place in (context.first_site, context.then_site))
    skips = shown[0].skips if shown and compared.verdict in ("before", "either") else ()
    return EventOrder(event.query, event.title, compared.verdict, witness, skips)


def _around(inside: Sequence[StoredName], line: int) -> list[str]:
    """Return the functions around a line, inner ones first, then the module."""
    found = [n for n in inside if n.kind in ("function", "method", "lambda") and _covers(n, line)]
    modules = [n.name for n in inside if n.kind == "module"]
    return [n.name for n in sorted(found, key=lambda n: (-n.at, n.end))] + modules


def _covers(name: StoredName, line: int) -> bool:
    return ir.line_of(name.at) <= line <= ir.line_of(name.end)
