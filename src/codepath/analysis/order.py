"""Which of two things comes first: the frames that separate their first runs, from every start of a process.

Two runs are compared in the nearest frame that separates them; a frame that runs only one of them in an activation leaves
the question to its callers. Later runs do not count.

Approximates: over (outcomes that no execution has may make a verdict `either`; `before`, `after` and `exclusive` hold for
every execution of the calls that the graph knows).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from codepath.analysis.outcomes import (
    A_FIRST,
    APART,
    B_FIRST,
    NONE,
    ONLY_A,
    ONLY_B,
    ORDERED,
    SOME_A,
    SOME_B,
    bits,
    inside_a,
    inside_b,
    plain,
    then,
    verdict,
)
from codepath.analysis.sites import Code, Run, Site
from codepath.analysis.summaries import Frame, Summaries
from codepath.model.answers import Place
from codepath.model.orders import OrderContext

_ENDED = ORDERED | APART


@dataclass(slots=True)
class Separation:
    """A frame that separates the first runs of the two sides: the sites that run them, and in which orders.

    `nearest` are the orders of runs that no frame inside compares with others.
    """

    frame: int
    outcomes: int = 0
    nearest: int = 0
    first: dict[int, None] = field(default_factory=dict)
    second: dict[int, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Compared:
    """What comparing two sides comes to, over all starts: the outcomes, and what separates them.

    `is_skipped`: some activation that may run both may also run the one that comes later alone.
    """

    outcomes: int
    separations: tuple[Separation, ...]
    starts: tuple[str, ...]
    is_cut: bool
    is_skipped: bool

    @property
    def verdict(self) -> str:
        """The verdict on the first side relative to the second."""
        return verdict(self.outcomes)


class Comparison:
    """Compares the two sides of some summaries."""

    def __init__(self, summaries: Summaries) -> None:
        self.summaries = summaries
        self.contexts: dict[tuple[int, ...], OrderContext] = {}
        """What was said of separations, by their frames."""
        self._separated: dict[int, tuple[Separation, list[int]]] = {}
        self._separations: dict[int, Separation] = {}
        self._seen: set[int] = set()
        self._starts: tuple[str, ...] = ()

    def compare(self, starts: Iterable[str]) -> Compared:
        """Compare the sides in what some functions start; where these run neither, in what nothing calls."""
        self._forget()
        tried = self._starts = tuple(starts)
        outcomes = self._run(tried)
        if not outcomes & (SOME_A | SOME_B):
            others = self._uncalled(tried)
            outcomes |= self._run(others)
            tried += others
        return self._compared(outcomes, tried)

    def along(self, function: str, progress: int) -> Compared:
        """Compare one path, that has `progress` in the function where it starts, with the second side."""
        self._forget()
        return self._compared(self._run([function], progress), (function,))

    def _forget(self) -> None:
        """Forget what was compared before."""
        self._separations = {}
        self._seen = set()
        self._starts = ()

    def _compared(self, outcomes: int, tried: tuple[str, ...]) -> Compared:
        found = tuple(self._separations[number] for number in sorted(self._separations))
        skipped = any(self._is_skipping(number) for number in self._seen)
        return Compared(outcomes, found, tried, self.summaries.is_cut, skipped)

    def _is_skipping(self, number: int) -> bool:
        """Tell whether a frame that may run both may also run the later one alone."""
        found = self.summaries.whole[number]
        outcomes = plain(found.normal | found.raised)
        both = outcomes & ORDERED
        return bool(
            (both & A_FIRST and outcomes & ONLY_B) or (both & B_FIRST and outcomes & ONLY_A and not both & A_FIRST)
        )

    def _run(self, starts: Iterable[str], progress: int | None = None) -> int:
        outcomes = 0
        for function in starts:
            for number in self.summaries.processes(self.summaries.start(function, progress)):
                found = self.summaries.whole[number]
                whole = plain(found.normal | found.raised)
                outcomes |= self._as_side(self.summaries.frames[number].key.function, whole)
                self._visit(number)
        return outcomes

    def _as_side(self, function: str, outcomes: int) -> int:
        if function not in self._starts:
            return outcomes
        if self.summaries.second.starts_with(function)[1]:
            outcomes = inside_b(outcomes)
        if self.summaries.first.starts_with(function)[1]:
            outcomes = inside_a(outcomes)
        return outcomes

    def _uncalled(self, tried: Sequence[str]) -> tuple[str, ...]:
        """Return the functions from which both sides may be reached, and which none of these is called from."""
        first, second = self.summaries.first, self.summaries.second
        common = {f for f in first.functions if f in second.functions}
        graph = self.summaries.tools.graph
        tops = [f for f in sorted(common) if graph.function(f) and not common.intersection(graph.callers(f))]
        reached = {frame.key.function for frame in self.summaries.frames} | set(tried)
        if not tops and common:
            tops = sorted(common)
        return tuple(f for f in tops if f not in reached)

    # --- what separates them ---------------------------------------------------------------------------------------------

    def _visit(self, start: int) -> None:
        """Go down from a start to the frames that separate the first runs."""
        todo = [start]
        while todo:
            number = todo.pop()
            if number in self._seen:
                continue
            self._seen.add(number)
            found = self.summaries.whole[number]
            if plain(found.normal | found.raised) & _ENDED:
                todo.extend(self._separate(number))

    def _separate(self, number: int) -> list[int]:
        """Note what a frame itself separates; return the frames inside it that do so on their own."""
        if number not in self._separated:
            self._separated[number] = self._apart(number)
        here, inner = self._separated[number]
        if here.outcomes:
            self._separations[number] = here
        return inner

    def _apart(self, number: int) -> tuple[Separation, list[int]]:
        """Return what a frame itself separates, and the frames inside it that do so on their own."""
        frame = self.summaries.frames[number]
        inner: dict[int, None] = {}
        here = Separation(number)

        def observe(site: Site, run: Run, state: int) -> None:
            callee = frame.callees[run.number]
            if (
                state & NONE
                and callee.frame >= 0
                and self._both(callee.frame)
                and not (callee.is_first | callee.is_second)
            ):
                inner[callee.frame] = None

        def note(site: Site, state: int, own: int) -> None:
            self._note(frame, here, site, state, own)

        self.summaries.walk(number, observe, note)
        return here, list(inner)

    def _both(self, number: int) -> int:
        found = self.summaries.whole[number]
        return plain(found.normal | found.raised) & _ENDED

    def _note(self, frame: Frame, here: Separation, site: Site, state: int, tagged: int) -> None:
        own = plain(tagged)
        if state & NONE and own & ORDERED and not self._goes_down(frame, site):
            here.outcomes |= own & ORDERED
            here.nearest |= own & ORDERED
            here.first[site.index] = here.second[site.index] = None
        if state & NONE and own & ONLY_A:
            here.first[site.index] = None
        if state & NONE and own & ONLY_B:
            here.second[site.index] = None
        for one in bits(state):
            base = plain(one)
            if base & (ONLY_A if own & SOME_B else 0) or base & (ONLY_B if own & SOME_A else 0):
                found = plain(then(one, tagged)) & _ENDED
                here.outcomes |= found
                here.nearest |= found if one == base else 0
                if found:
                    (here.second if base & ONLY_A else here.first)[site.index] = None

    def _goes_down(self, frame: Frame, site: Site) -> bool:
        """Tell whether it is inside a call of the site that both run."""
        callees = [frame.callees[run.number] for run in site.runs]
        wraps = self.summaries.wraps(frame)(site.index) is not None
        own = wraps or any(c.is_first or c.is_second for c in callees)
        return not own and any(c.frame >= 0 and self._both(c.frame) for c in callees)

    # --- places ------------------------------------------------------------------------------------------------------------

    def place(self, code: Code, index: int) -> Place:
        """Return the place of a site."""
        line, column = code.place(index)
        return Place(code.body.info.module.path, line, column, code.body.info.name)
