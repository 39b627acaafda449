"""Summaries of functions for two sides: what running each comes to, with what is known of its parameters.

A *frame* is a function with the facts of one activation and the progress of both sides. Frames are found first, forwards from
the starts; then each is walked once its callees are, components of mutual recursion together until nothing changes. So the
must-run and may-run of both sides, and their order, are one summary: a set of outcomes.

Approximates: over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from codepath.analysis.correlated import Conditions
from codepath.analysis.known import NOTHING_KNOWN, Facts, without_places
from codepath.analysis.makers import Makers
from codepath.analysis.outcomes import (
    NONE,
    SOME_A,
    SOME_B,
    TAGGED,
    apart,
    beside,
    bits,
    during_a,
    during_b,
    inside_a,
    inside_b,
    originating,
    tagged,
)
from codepath.analysis.passing import Passing
from codepath.analysis.remembered import Remembered
from codepath.analysis.sides import OFF, Side
from codepath.analysis.sites import ASIDE, Code, Run, Site
from codepath.analysis.tools import Tools
from codepath.analysis.walking import NOTHING, Effect, Note, Observe, Walk, Wrap, mode_of
from codepath.model import ir
from codepath.model.answers import Step
from codepath.program.bodies import Bodies, Body

MAX_FRAMES = 4000
BLOCKED = -2
MAX_FACTS = 64
"""Different facts for which one function is looked at; beyond, nothing is taken to be known in it."""
_MAIN_TEST = '__name__ == "__main__"'


class Key(NamedTuple):
    """What tells frames apart. `main` is a module that is run as a program."""

    function: str
    facts: Facts
    first: int
    second: int
    mode: int
    main: bool = False


class Callee(NamedTuple):
    """What a run comes to: the frame that it enters, and whether it is itself a side.

    The frame is -1 for none, `BLOCKED` where a guard keeps it from running.
    """

    frame: int
    is_first: bool
    is_second: bool


@dataclass(slots=True)
class Frame:
    """A frame with what is known in it; `code` is None where the function cannot be read.

    `reached` are the frames that its sites enter where they can run, `processes` those that they start as processes. `kept`
    is what running it comes to where an earlier question worked that out.
    """

    key: Key
    code: Code | None
    truths: dict[int, bool] = field(default_factory=dict)
    callees: dict[int, Callee] = field(default_factory=dict)
    reached: set[int] = field(default_factory=set)
    processes: set[int] = field(default_factory=set)
    kept: Effect | None = None


class Summaries:
    """Summaries of the functions that are reached from some starts.

    What functions come to that can run the second side alone is taken from `remembered`, and added to it by `remember`.
    """

    def __init__(self, tools: Tools, first: Side, second: Side, remembered: Remembered | None = None) -> None:
        self.tools = tools
        self._remembered = remembered
        leading: dict[str, list[Step]] = {}
        for side in (first, second):
            for callee, steps in side.steps_in.items():
                leading.setdefault(callee, []).extend(steps)
        both = Makers(tools.graph, tools.bodies, tools.folding, leading)
        alone = Makers(tools.graph, tools.bodies, tools.folding, second.steps_in)
        self._makers = {False: both, True: alone}
        self._passing = Passing(tools.bodies, tools.folding, both, like=tools.passing)
        self.first = first
        self.second = second
        self.frames: list[Frame] = []
        self.effects: list[Effect] = []
        self.whole: list[Effect] = []
        self.is_cut = False
        self._is_bounded = False
        self._numbers: dict[Key, int] = {}
        self._codes: dict[tuple[str, bool], Code | None] = {}
        self._facts: dict[tuple[str, int, int], set[Facts]] = {}
        self._truths: dict[tuple[str, Facts, bool, bool], dict[int, bool]] = {}
        self._passed: dict[tuple[str, Facts, bool, bool, int], Facts | int | None] = {}
        self._conditions: dict[str, Conditions] = {}
        self._fixed: dict[tuple[str, str], bool] = {}
        self._origins: dict[str, int] = {}

    # --- frames --------------------------------------------------------------------------------------------------------

    def start(self, function: str, progress: int | None = None) -> int:
        """Return the frame of a function that starts a process, with all that it leads to summed up.

        Args:
            function: Its name; a module is run as a program.
            progress: That of the first side, where its start does not tell.
        """
        first = self.first.starts_with(function)[0] if progress is None else progress
        second, _ = self.second.starts_with(function)
        known = len(self.frames)
        number = self._number(Key(function, NOTHING_KNOWN, first, second, 0, True))
        self._explore(known)
        self._solve(known)
        return number

    def _number(self, key: Key) -> int:
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.frames)
            self.frames.append(Frame(key, None, kept=self._known(key)))
        return found

    def _known(self, key: Key) -> Effect | None:
        """Return what running a frame that can run the second side alone came to in an earlier question."""
        if self._remembered is None or key.first != OFF:
            return None
        found = self._remembered.get(key.function, key.facts, key.second, key.mode)
        return Effect(*found) if found is not None else None

    def remember(self) -> None:
        """Keep for later questions what the frames that can run the second side alone come to."""
        if self._remembered is None or self.is_cut or self._is_bounded:
            return
        for frame, effect in zip(self.frames, self.whole, strict=False):
            key = frame.key
            if key.first == OFF and frame.kept is None and frame.code is not None:
                self._remembered.put(key.function, key.facts, key.second, key.mode, (effect.normal, effect.raised))

    def _explore(self, known: int) -> None:
        number = known
        while number < len(self.frames):
            if number >= MAX_FRAMES:
                self.is_cut = True
            elif self.frames[number].kept is None:
                self._open(self.frames[number])
            number += 1

    def _open(self, frame: Frame) -> None:
        key = frame.key
        code = frame.code = self.code(key.function, key.first == OFF)
        if code is None:
            return
        self._learn(frame, code)
        for sites in (code.sites, code.exits):
            for site in sites.values():
                for run in site.runs:
                    frame.callees[run.number] = self._callee(frame, code, site, run)

    def _callee(self, frame: Frame, code: Code, site: Site, run: Run) -> Callee:
        key, step = frame.key, run.step
        if not self._makers[key.first == OFF].allows(step, key.facts):
            return Callee(-1, False, False)  # another object of the class runs it
        first, is_first = self.first.enter(key.first, step)
        second, is_second = self.second.enter(key.second, step)
        if not self.first.is_relevant(step.callee, first):
            first = OFF
        if not self.second.is_relevant(step.callee, second):
            second = OFF
        inner = -1
        if first != OFF or second != OFF:
            facts = self._passed_on(frame, code, site, run)
            if facts is BLOCKED:
                return Callee(BLOCKED, is_first, is_second)
            if isinstance(facts, Facts):
                facts = self._bounded(step.callee, facts, first, second)
                inner = self._number(Key(step.callee, facts, first, second, mode_of(run)))
        return Callee(inner, is_first, is_second)

    def _passed_on(self, frame: Frame, code: Code, site: Site, run: Run) -> Facts | int | None:
        """Return what the callee of a run knows, `BLOCKED` where a guard keeps it from running, None where it is outside."""
        key = (frame.key.function, frame.key.facts, frame.key.main, frame.key.first == OFF, run.number)
        if key not in self._passed:
            callee = self.tools.bodies.body(run.step.callee)
            if callee is None:
                self._passed[key] = None
            elif self._is_blocked(frame, code, site):
                self._passed[key] = BLOCKED
            else:
                self._passed[key] = without_places(self._passing.facts(run.step, code.body, callee, frame.key.facts))
        return self._passed[key]

    def _is_blocked(self, frame: Frame, code: Code, site: Site) -> bool:
        """Tell whether a guard of a site is certainly false in a frame."""
        truths = frame.truths
        guards = code.body.guards.of(site.index) if truths else ()
        return any(truths.get(g.test, g.polarity) != g.polarity and not g.when for g in guards)

    def _bounded(self, function: str, facts: Facts, first: int, second: int) -> Facts:
        seen = self._facts.setdefault((function, first, second), set())
        if facts not in seen and len(seen) >= MAX_FACTS:
            self._is_bounded = True
            return NOTHING_KNOWN
        seen.add(facts)
        return facts

    def code(self, function: str, is_off: bool = False) -> Code | None:
        """Return the sites of a function, of the second side alone where it `is_off`; None where it cannot be read."""
        key = (function, is_off)
        if key not in self._codes:
            body = self.tools.bodies.body(function)
            sides = (self.second,) if is_off else (self.first, self.second)
            self._codes[key] = self._code(function, body, sides) if body is not None else None
        return self._codes[key]

    def _code(self, function: str, body: Body, sides: Sequence[Side]) -> Code:
        marked = frozenset[int]().union(*(s.marks(function, len(getattr(s, "before", ()))) for s in sides))

        def matters(step: Step) -> bool:
            return any(step.callee in s.functions or step.callee in getattr(s, "targets", ()) for s in sides)

        return self.tools.placing(function, body).code_of(matters, marked)

    # --- what is known -------------------------------------------------------------------------------------------------

    def _learn(self, frame: Frame, code: Code) -> None:
        """Work out the tests on the ways to the sites of a frame."""
        key = (frame.key.function, frame.key.facts, frame.key.main, frame.key.first == OFF)
        if key in self._truths:
            frame.truths = self._truths[key]
            return
        self._truths[key] = frame.truths
        body, facts = code.body, frame.key.facts
        for test, text in self._tests(code):
            if text.replace("'", '"') == _MAIN_TEST:
                frame.truths[test] = frame.key.main
                continue
            truth = self.tools.truth(body, facts, test)
            if truth is not None:
                frame.truths[test] = truth

    def _tests(self, code: Code) -> Iterator[tuple[int, str]]:
        seen: set[int] = set()
        for index in (*code.sites, *code.exits):
            for literal in code.body.guards.of(index):
                for part in (literal, *literal.when):
                    if part.test >= 0 and part.test not in seen:
                        seen.add(part.test)
                        yield part.test, part.text

    def conditions(self, code: Code) -> Conditions:
        """Return the tests of a function that may be correlated."""
        name = code.body.info.name
        found = self._conditions.get(name)
        if found is None:
            owner = self.tools.bodies.tree.class_around(code.body.info)
            cls = owner.name if owner is not None else ""
            tests = [test for test, _ in self._tests(code)]
            found = self._conditions[name] = Conditions(code.body, tests, lambda attr: self._is_fixed(cls, attr))
        return found

    def _is_fixed(self, cls: str, attribute: str) -> bool:
        """Tell whether an attribute of a class is a bool that constructors alone store."""
        key = (cls, attribute)
        if key not in self._fixed:
            self._fixed[key] = self.tools.is_settled(cls, attribute) and is_flag(self.tools.bodies, cls, attribute)
        return self._fixed[key]

    def processes(self, start: int) -> list[int]:
        """Return a start and the frames that it, and what it starts, start as processes."""
        found = [start]
        seen = {start}
        todo = [start]
        while todo:
            frame = self.frames[todo.pop()]
            for inner in sorted(frame.reached | frame.processes):
                if inner in frame.processes and inner not in found:
                    found.append(inner)
                if inner not in seen:
                    seen.add(inner)
                    todo.append(inner)
        return found

    # --- outcomes ------------------------------------------------------------------------------------------------------

    def _solve(self, known: int) -> None:
        self.effects.extend(Effect(0, 0) for _ in range(len(self.frames) - known))
        self.whole.extend(Effect(0, 0) for _ in range(len(self.frames) - known))
        for component in _components(known, len(self.frames), self._inner):
            self._settle(component)

    def _inner(self, number: int) -> list[int]:
        return [c.frame for c in self.frames[number].callees.values() if c.frame >= 0]

    def _settle(self, component: Sequence[int]) -> None:
        """Walk the frames of a component until nothing changes; what callers see leaves out what is a mere skip."""
        changed = True
        while changed:
            changed = False
            for number in component:
                found = self.walk(number)
                if found != self.whole[number]:
                    old = self.whole[number]
                    self.whole[number] = Effect(old.normal | found.normal, old.raised | found.raised)
                    self.effects[number] = self.whole[number]
                    changed = len(component) > 1 or number in self._inner(number)
        for number in component:
            self.effects[number] = self._originating(number)

    def _originating(self, number: int) -> Effect:
        function = self.frames[number].key.function
        origin = self._origins.setdefault(function, len(self._origins))
        found = self.whole[number]
        whole = originating(found.normal | found.raised, origin)
        if whole == found.normal | found.raised:
            return found
        return Effect(_kept(found.normal, whole, origin), _kept(found.raised, whole, origin))

    def walk(self, number: int, observe: Observe | None = None, note: Note | None = None) -> Effect:
        """Return what a frame comes to, shared conditions taken in each way in which they can be true."""
        frame = self.frames[number]
        if frame.kept is not None:
            return frame.kept
        if frame.code is None:
            return NOTHING if number < MAX_FRAMES else _ANY
        normal = raised = 0
        for truths in self._ways(frame, frame.code):
            found = self.walk_under(frame, frame.code, truths, observe, note)
            normal |= found.normal
            raised |= found.raised
        return Effect(normal, raised)

    def _ways(self, frame: Frame, code: Code) -> Iterable[Mapping[int, bool]]:
        if frame.key.first == OFF or frame.key.second == OFF:
            return (frame.truths,)
        return self.conditions(code).assignments(frame.truths)

    def walk_under(
        self,
        frame: Frame,
        code: Code,
        truths: Mapping[int, bool],
        observe: Observe | None = None,
        note: Note | None = None,
    ) -> Effect:
        """Return what a frame comes to under what is known of its tests."""
        walk = Walk(
            code, truths, lambda run: self._effect_of(frame, run, self.effects), self.wraps(frame), observe, note
        )
        return walk.run(frame.key.mode)

    def with_skips(self, frame: Frame, code: Code, truths: Mapping[int, bool]) -> Effect:
        """Return what a frame comes to under what is known of its tests, mere skips of its callees counted."""
        walk = Walk(code, truths, lambda run: self._effect_of(frame, run, self.whole), self.wraps(frame))
        return walk.run(frame.key.mode)

    def wraps(self, frame: Frame) -> Callable[[int], Wrap | None]:
        """Return how the expressions of a frame that are themselves a side wrap what they run."""
        key = frame.key
        first, second = self.first.marks(key.function, key.first), self.second.marks(key.function, key.second)
        return lambda index: during_a if index in first else during_b if index in second else None

    def _effect_of(self, frame: Frame, run: Run, effects: Sequence[Effect]) -> Effect:
        """Return what a run in a frame comes to."""
        callee = frame.callees[run.number]
        if callee.frame >= 0:
            is_process = run.how == ASIDE and run.step.kind == "spawn-process"
            (frame.processes if is_process else frame.reached).add(callee.frame)
        found = effects[callee.frame] if callee.frame >= 0 else _FIXED[callee.frame]
        if callee.is_second:
            found = Effect(inside_b(found.normal), inside_b(found.raised | NONE))
        if callee.is_first:
            found = Effect(inside_a(found.normal), inside_a(found.raised | NONE))
        if run.how == ASIDE:
            started = apart if run.step.kind == "spawn-process" else beside
            return Effect(started(found.normal | found.raised), NONE)
        return found


def _kept(outcomes: int, whole: int, origin: int) -> int:
    """Return one way's part of the outcomes of a function that bear its number."""
    found = 0
    for bit in bits(outcomes):
        moved = tagged(bit, origin) if bit in TAGGED else 0
        found |= moved if moved & whole else bit
    return found


_ANY = Effect(NONE | SOME_A | SOME_B, NONE | SOME_A | SOME_B)
_FIXED = {-1: NOTHING, BLOCKED: _ANY}


def is_flag(bodies: Bodies, cls: str, attribute: str) -> bool:
    """Tell whether what the constructors of a class store as an attribute is a bool."""
    info = bodies.scope(cls)
    stored = False
    for sid in bodies.classes.mro(info.sid) if info is not None else ():
        body = bodies.body(f"{bodies.tree.scopes[sid].name}.__init__")
        for expr in body.scope.exprs if body is not None else ():
            if isinstance(expr, ir.StoreAttr) and expr.id == attribute:
                if body is None or expr.how or not _is_bool(body, expr.value):
                    return False
                stored = True
    return stored


def _is_bool(body: Body, index: int) -> bool:
    from codepath.analysis.correlated import is_bool

    expr = body.scope.exprs[index] if index >= 0 else None
    if isinstance(expr, ir.Name):
        reaching = body.scope.uses[expr.use]
        if len(reaching) == 1 and reaching[0] >= 0 and body.scope.definitions[reaching[0]].bind < 0:
            param = body.scope.params[reaching[0]]
            return body.around is not None and is_bool(body.around.exprs, param.annotation, param.default)
        return False
    if isinstance(expr, ir.Const):
        return isinstance(expr.value, bool)
    return isinstance(expr, ir.Compare) or (isinstance(expr, ir.Unary) and expr.op == "not")


def _components(start: int, stop: int, inner: Callable[[int], Sequence[int]]) -> Iterator[list[int]]:
    """Yield the strongly connected components of frames from `start` on, callees first.

    Source: R. Tarjan, Depth-first search and linear graph algorithms, 1972; with an explicit stack.
    """
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    for root in range(start, stop):
        if root in order:
            continue
        stack = [(root, iter(_of(inner(root), start)))]
        order[root] = low[root] = len(order)
        path.append(root)
        on_path.add(root)
        while stack:
            number, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[number])
                if low[number] == order[number]:
                    yield _taken(path, on_path, number)
            elif following not in order:
                order[following] = low[following] = len(order)
                path.append(following)
                on_path.add(following)
                stack.append((following, iter(_of(inner(following), start))))
            elif following in on_path:
                low[number] = min(low[number], order[following])


def _of(numbers: Sequence[int], start: int) -> list[int]:
    return [n for n in dict.fromkeys(numbers) if n >= start]


def _taken(path: list[int], on_path: set[int], number: int) -> list[int]:
    component: list[int] = []
    while not component or component[-1] != number:
        component.append(path.pop())
        on_path.discard(component[-1])
    return component[::-1]
