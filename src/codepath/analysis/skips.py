"""The contexts of an answer about order, and their skips: under which conditions the later side runs without the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from codepath.analysis.order import Compared, Comparison, Separation
from codepath.analysis.outcomes import ONLY_B, SOME_A, ended, plain, verdict
from codepath.analysis.sites import Code, Site
from codepath.analysis.summaries import Frame
from codepath.model import ir
from codepath.model.answers import Guard, Skip
from codepath.model.orders import OrderContext
from codepath.program.bodies import Body
from codepath.program.guards import Literal
from codepath.program.regions import every_region

MAX_SKIPS = 8
UNKNOWN = "a condition that is not known"
_MAX_DEEP = 12
_DECIDING = frozenset(
    ["if", "else", "while", "ternary", "and", "or", "except", "match", "comprehension", "early-return", "early-raise",
     "early-continue", "early-break"]
)  # fmt: skip


def contexts_of(comparison: Comparison, found: Compared) -> tuple[OrderContext, ...]:
    """Return the contexts of a comparison, one for each function."""
    merged: dict[str, list[Separation]] = {}
    for separation in _telling(found.separations):
        function = comparison.summaries.frames[separation.frame].key.function
        merged.setdefault(function, []).append(separation)
    contexts = [_context_of(comparison, same) for same in merged.values()]
    return tuple(sorted(contexts, key=_order_of))


def _telling(separations: Sequence[Separation]) -> list[Separation]:
    """Leave out what says nothing of its own: other processes where one runs both, and what nearer frames say too."""
    inside = [s for s in separations if ended(s.outcomes)] or list(separations)
    said = 0
    for separation in inside:
        said |= separation.nearest
    return [s for s in inside if s.nearest or s.outcomes & ~said] or inside


def _order_of(context: OrderContext) -> tuple[object, ...]:
    return (context.again, context.first_site.file, context.first_site.line, context.function, context.verdict)


def _context_of(comparison: Comparison, same: Sequence[Separation]) -> OrderContext:
    """Return what is said of separations in one function; it is worked out once."""
    key = tuple(separation.frame for separation in same)
    if key not in comparison.contexts:
        comparison.contexts[key] = _context(comparison, same)
    return comparison.contexts[key]


def _context(comparison: Comparison, same: Sequence[Separation]) -> OrderContext:
    outcomes = 0
    for separation in same:
        outcomes |= separation.outcomes
    said = verdict(outcomes)
    frame = comparison.summaries.frames[same[0].frame]
    code = frame.code
    assert code is not None
    first = sorted({i for s in same for i in s.first})
    second = sorted({i for s in same for i in s.second})
    firsts = tuple(comparison.place(code, i) for i in first)
    seconds = tuple(comparison.place(code, i) for i in second)
    one, other = _nearest(said, first, second)
    guards = dict.fromkeys([*_guards(code, first[one]), *_guards(code, second[other])])
    skips = Skips(comparison, frame, code, said).found(first, second)
    return OrderContext(
        function=frame.key.function,
        verdict=said,
        first_site=firsts[one],
        then_site=seconds[other],
        guards=tuple(guards),
        skips=skips,
        first_sites=firsts,
        then_sites=seconds,
    )


def _nearest(said: str, first: Sequence[int], second: Sequence[int]) -> tuple[int, int]:
    """Return the positions of the sites that stand for all: the last of what comes first, the first of what follows."""
    if said == "after":
        other, one = _nearest("before", second, first)
        return one, other
    one = 0
    other = next((k for k, index in enumerate(second) if index > first[0]), 0)
    return one, other


def _guards(code: Code, index: int) -> list[Guard]:
    return [guard_of(code.body, literal) for literal in code.body.guards.of(index)]


def guard_of(body: Body, literal: Literal) -> Guard:
    """Return a condition of a function as an answer has it."""
    when = tuple(guard_of(body, inner) for inner in literal.when)
    file = body.info.module.path
    return Guard(literal.text, literal.polarity, literal.kind, file, ir.line_of(literal.at), when=when)


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to one side from a frame: its site there, the conditions there, and those in the functions below."""

    site: int
    here: tuple[Literal, ...]
    below: tuple[Guard, ...]


class Skips:
    """The skips of one context."""

    def __init__(self, comparison: Comparison, frame: Frame, code: Code, said: str) -> None:
        self._comparison = comparison
        self._summaries = comparison.summaries
        self._frame = frame
        self._code = code
        self._body = code.body
        self._said = said

    def found(self, first: Sequence[int], second: Sequence[int]) -> tuple[Skip, ...]:
        """Return the alternatives under which the later side runs although the other did not, simplest first."""
        if self._said not in ("before", "either") or not self._may_skip({}):
            return ()
        shared = self._shared(second)
        options = [self._options(self._way(index, shared)) for index in first]
        skips: dict[Skip, None] = {}
        for chosen in product(*options):
            skip = tuple(dict.fromkeys(guard for guard, _ in chosen))
            tests = {test: value for _, tested in chosen for test, value in tested}
            if self._may_skip(tests):
                skips[skip] = None
            if len(skips) >= MAX_SKIPS * 4:
                break
        if not skips:
            return ((self._unknown(first),),)
        return tuple(sorted(skips, key=lambda s: (len(s), _depth(s, self._body)))[:MAX_SKIPS])

    def _unknown(self, first: Sequence[int]) -> Guard:
        """Return what stands for a condition that is not known: an exception, another callee."""
        at = self._body.scope.exprs[first[0]].at if first else self._body.info.at
        return Guard(UNKNOWN, True, "if", self._body.info.module.path, ir.line_of(at))

    def _may_skip(self, tests: dict[int, bool]) -> bool:
        """Tell whether B may run without A before it, nothing being known but some tests."""
        conditions = self._summaries.conditions(self._code)
        atoms = {a: v for test, value in tests.items() for a, v in conditions.setting(test, value).items()}
        outcomes = 0
        for truths in conditions.assignments({}):
            if any(truths.get(test, value) != value for test, value in tests.items()):
                continue
            under = conditions.under(atoms, {**truths, **tests}) if atoms else {**truths, **tests}
            if under is None:
                continue
            effect = self._summaries.with_skips(self._frame, self._code, under)
            outcomes |= effect.normal | effect.raised
        return bool(plain(outcomes) & ONLY_B)

    def _shared(self, second: Sequence[int]) -> set[Literal]:
        """Return the conditions that all sites of B have."""
        found = [set(self._body.guards.of(index)) for index in second]
        return set.intersection(*found) if found else set()

    def _way(self, index: int, shared: set[Literal]) -> _Way:
        here = tuple(g for g in self._body.guards.of(index) if g not in shared and g.kind in _DECIDING)
        site = self._code.sites.get(index)
        chosen = (g for run in site.runs for g in run.step.guards if g.choice) if site is not None else ()
        below = tuple(dict.fromkeys([*chosen, *self._below(site)])) if site is not None else ()
        return _Way(index, here, below)

    def _below(self, site: Site) -> Iterable[Guard]:
        """Yield the conditions on the shortest way from a site to A in the functions below it."""
        for run in site.runs:
            callee = self._frame.callees[run.number]
            if callee.is_first or callee.frame < 0:
                continue
            yield from self._chain(callee.frame)
            return

    def _chain(self, number: int) -> Iterable[Guard]:
        frames = self._summaries.frames
        seen = {number}
        for _ in range(_MAX_DEEP):
            frame = frames[number]
            if frame.code is None:
                return
            following = self._next(frame, frame.code, seen)
            if following is None:
                return
            index, number, is_end = following
            body = frame.code.body
            for literal in body.guards.of(index):
                if literal.kind in _DECIDING and not _raises_otherwise(body.scope, literal):
                    yield guard_of(body, literal)
            if is_end:
                return
            seen.add(number)

    def _next(self, frame: Frame, code: Code, seen: set[int]) -> tuple[int, int, bool] | None:
        """Return the site of a frame that leads on to A, the frame inside it, and whether the site is A itself."""
        marks = self._summaries.first.marks(frame.key.function, frame.key.first)
        found: tuple[int, int, bool] | None = None
        for index in sorted(code.sites):
            if index in marks:
                return index, -1, True
            for run in code.sites[index].runs:
                callee = frame.callees[run.number]
                if callee.is_first:
                    return index, -1, True
                if found is None and callee.frame >= 0 and callee.frame not in seen and self._runs_first(callee.frame):
                    found = index, callee.frame, False
        return found

    def _runs_first(self, number: int) -> bool:
        effect = self._summaries.whole[number]
        return bool(plain(effect.normal | effect.raised) & SOME_A)

    def _options(self, way: _Way) -> list[tuple[Guard, tuple[tuple[int, bool], ...]]]:
        """Return each condition of a way that may fail, turned round, with what it makes of tests in the frame."""
        options: list[tuple[Guard, tuple[tuple[int, bool], ...]]] = []
        for literal in way.here:
            turned = guard_of(self._body, literal._replace(polarity=not literal.polarity))
            tested = ((literal.test, not literal.polarity),) if literal.test >= 0 and not literal.when else ()
            options.append((turned, tested))
        below = (replace(guard, polarity=not guard.polarity, value="unknown") for guard in way.below)
        return [*options, *((guard, ()) for guard in below)]


def _raises_otherwise(scope: ir.Scope, literal: Literal) -> bool:
    """Tell whether a function raises where a condition does not hold: then nothing behind its call runs either."""
    if literal.kind != "except" or literal.polarity:
        return literal.kind == "early-raise"
    tries = (region for region in every_region(scope.body) if isinstance(region, ir.Try))
    handler = next((h for region in tries for h in region.handlers if h.at == literal.at), None)
    if handler is None or not isinstance(handler.body[-1], ir.Raise):
        return False
    return not any(isinstance(region, (ir.Return, ir.Jump)) for region in every_region(handler.body))


def _depth(skip: Skip, body: Body) -> tuple[object, ...]:
    return tuple((g.file != body.info.module.path, g.file, g.line) for g in skip)
