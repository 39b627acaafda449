"""The steps below a function that matter, in run order: those on the way to events, and those that set what is global.

Each call is followed with what is known of its arguments, so that a step may be blocked in one call and open in another. A
function that is run again with the same values is not followed again.

Approximates: over (a condition that is not known may never hold).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush

from codepath.analysis.feasibility import Search, State
from codepath.analysis.known import NOTHING_KNOWN, Facts
from codepath.analysis.pictures.frames import Placed, globals_set, part_of, placed, statements
from codepath.analysis.sites import ASIDE, CALLS, ENTER, EXIT, LATER, PARTIAL
from codepath.model.answers import Contradiction, Guard, Step
from codepath.program.bodies import Bodies, Body
from codepath.program.graph import CallGraph

MAX_FRAMES = 150
MAX_LOOKED_AT = 1500
"""Functions that are looked at for what they set."""
_SETTERS = 2
"""How many calls below the ways to events a function may be that sets a global."""
_FOLLOWED = frozenset([*CALLS, "callback", "context", "executor", "task"])

_LOOPS = frozenset(["for", "while", "comprehension", "except"])
_ASTRAY = 6
MAX_ANY = 3
"""How many callees of a call are shown that a family of classes or a dispatch may run; there may be a hundred."""
_MANY = frozenset(["dispatch", "registry"])

MARKED, SETS, HEAD, STATEMENT = 0, 1, 2, 3
"""What a step is: looked for or set where an event runs, a setter, on the way to such, a mere step of a stage."""


@dataclass(eq=False, slots=True)
class Node:
    """A step of the tree of steps.

    `rank` says how much it matters, the least first; `choice` and `choices` as in `Placed`. `denied` is the assumption that it
    contradicts, -1 for none. `doubt` counts the calls that lead to it of which it is one of several callees, but the first, or
    that a table or a family leads to; `distance` counts the calls that lead to it, those in loops and handlers for more.
    `facts` are what is known inside it, None where it cannot run; `rules` are the ids of rules that name it; `made` is the
    class of what it constructs, "" where that is not known or not below the constructor's own; `is_cut` tells that what is
    inside was not looked at, too much having been; `change` and `was` are as in `PictureStep`.
    """

    step: Step
    how: str
    guards: tuple[Guard, ...]
    blocked: Contradiction | None
    denied: int
    choice: int
    choices: int
    rank: int
    events: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    shown: bool = False
    repeats: Node | None = None
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    depth: int = 1
    doubt: int = 0
    distance: int = 0
    facts: Facts | None = None
    made: str = ""
    rules: tuple[str, ...] = ()
    is_cut: bool = False
    change: str = ""
    was: str = ""

    @property
    def ran(self) -> str:
        """What runs, by its dotted name: of a class that inherits its constructor, as if it were its own."""
        return f"{self.made}.__init__" if self.made else self.step.callee

    @property
    def is_open(self) -> bool:
        """Whether it can run, as far as is known and assumed."""
        return self.blocked is None and self.denied < 0

    def all(self) -> Iterator[Node]:
        """Yield it and every step inside it, in run order."""
        todo = [self]
        while todo:
            node = todo.pop()
            yield node
            todo.extend(reversed(node.children))


def _first_in_full(roots: list[Node]) -> None:
    """Let the first of several steps that run the same hold what is inside them: they were followed nearest first."""
    held: dict[int, Node] = {}
    seen: set[int] = set()
    todo = list(reversed(roots))
    while todo:
        node = todo.pop()
        seen.add(id(node))
        if node.repeats is not None:
            source = held.get(id(node.repeats), node.repeats)
            node.repeats = source
            if id(source) not in seen:
                _take_over(node, source)
                held[id(source)] = node
        todo.extend(reversed(node.children))


def _take_over(node: Node, source: Node) -> None:
    """Move what is inside one step to another that runs the same."""
    node.repeats, source.repeats = None, node
    node.children, source.children = source.children, []
    deeper, doubt = node.depth - source.depth, node.doubt - source.doubt
    for child in node.children:
        child.parent = node
        for inner in child.all():
            inner.depth += deeper
            inner.doubt += doubt


def is_any(step: Step) -> bool:
    """Tell whether a step is one of what a family of classes, a table or a dispatch may run."""
    return step.resolution == "family" or step.kind in _MANY


def _made(step: Step, target: State | None) -> str:
    """Return the class that a step constructs an object of, "" where the constructor is its own or that is not known."""
    owner, _, last = step.callee.rpartition(".")
    if step.kind != "construct" or last != "__init__" or target is None or target[1].cls == owner:
        return ""
    return target[1].cls


def _doubt(item: Placed) -> int:
    """Return how far a step is from being what runs at its call: the first of a few callees is as good as certain."""
    return (item.choice > 0) + 2 * (is_any(item.run.step) and item.choices > MAX_ANY)


def is_astray(node: Node) -> bool:
    """Tell whether a step stands in a loop or a handler, or runs in parts: a start hardly ever depends on such."""
    return node.how in (LATER, PARTIAL) or any(g.kind in _LOOPS for g in node.guards)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for.

    Args:
        events: The titles of the events that functions are.
        shown: Functions asked for by name.
        until: Functions at which the picture ends.
        leading: Every function from which one of all these is reached.
        ruled: Functions that rules name, with the ids of these; they are shown where they are met.
    """

    events: Mapping[str, tuple[str, ...]]
    shown: frozenset[str]
    until: frozenset[str]
    leading: Collection[str]
    ruled: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def is_mark(self, function: str) -> bool:
        """Tell whether a function itself is looked for."""
        return function in self.events or function in self.shown or function in self.until


@dataclass(frozen=True, slots=True)
class _Key:
    function: str
    facts: Facts
    left: int
    mode: str


def _any_file(file: str) -> bool:
    return True


class Explorer:
    """Finds the steps below a function. `declares` tells whether a file may declare a name `global`."""

    def __init__(
        self,
        graph: CallGraph,
        bodies: Bodies,
        search: Search,
        wanted: Wanted,
        when: Callable[[str], str],
        depth: int,
        declares: Callable[[str], bool] = _any_file,
    ) -> None:
        self._declares = declares
        self._graph = graph
        self._bodies = bodies
        self._search = search
        self._wanted = wanted
        self._when = when
        self._depth = depth
        self._frames: dict[_Key, Node | None] = {}
        self._setters: dict[tuple[str, int], bool] = {}
        self._sets: dict[str, tuple[str, ...]] = {}
        self._steps: dict[str, list[Step]] = {}
        self._queue: list[tuple[int, int, int, Node, _Key, tuple[str, ...]]] = []
        self._serial = 0
        self.is_cut = False

    def below(self, function: str) -> list[Node]:
        """Return the steps below a function, nothing being known of its arguments: what is nearest is followed first.

        A constructor makes an object of its own class.
        """
        key = _Key(function, self._facts_of(function), _SETTERS, "")
        self._frames[key] = None
        roots = self._frame(key, None, ())
        while self._queue:
            _, _, _, node, inner, around = heappop(self._queue)
            if inner in self._frames:
                node.repeats = self._frames[inner]
            elif len(self._frames) >= MAX_FRAMES:
                self.is_cut = node.is_cut = True
            else:
                self._frames[inner] = node
                node.children = self._frame(inner, node, around)
        _first_in_full(roots)
        return roots

    def _facts_of(self, function: str) -> Facts:
        info = self._bodies.scope(function) if function.endswith(".__init__") else None
        owner = self._bodies.tree.class_around(info) if info is not None else None
        return Facts(cls=owner.name) if owner is not None else NOTHING_KNOWN

    def _frame(self, key: _Key, within: Node | None, around: tuple[str, ...]) -> list[Node]:
        body = self._bodies.body(key.function)
        if body is None or (self._depth and within is not None and within.depth >= self._depth):
            return []
        followed = [(self._node(item, key, within), item) for item in self._items(body, key)]
        found = [(node, item) for node, item in followed if node is not None]
        is_stage = within is None or any(n.events and n.how != ASIDE for n, _ in found)
        for node, item in found:
            if is_stage and node.rank == SETS:
                node.rank = MARKED
            self._follow(node, item, key, (*around, key.function))
        return [node for node, _ in found if is_stage or node.rules or node.rank != STATEMENT]

    def _items(self, body: Body, key: _Key) -> list[Placed]:
        steps = self._out_of(key.function)
        whole = statements(body)
        wanted = self._wanted

        def relevant(step: Step) -> bool:
            if wanted.is_mark(step.callee) or step.callee in wanted.leading or step.callee in wanted.ruled:
                return True
            if step.kind not in _FOLLOWED:
                return False
            return self._leads_to_setter(step.callee, key.left - 1) or self._is_statement(step, body, whole)

        items = placed(self._bodies, body, steps, relevant, self._when, lambda step: self._nearness(body, step))
        return part_of(body, key.mode, items)

    def _nearness(self, body: Body, step: Step) -> tuple[int, int, int, str]:
        """Return what the callees of one call are ordered by: those of a near module first, then as they are written."""
        shared = 0
        for one, other in zip(body.info.module.name.split("."), step.callee.split("."), strict=False):
            if one != other:
                break
            shared += 1
        written = (step.via.place.line, step.via.place.column) if step.via is not None else (0, 0)
        return -shared, *written, step.callee

    def _out_of(self, function: str) -> list[Step]:
        if function not in self._steps:
            self._steps[function] = [s for s in self._graph.steps(function) if s.resolution != "by-name"]
        return self._steps[function]

    def _is_statement(self, step: Step, body: Body, whole: Collection[int]) -> bool:
        index = body.at_place(step.line, step.column)
        return index in whole and step.kind in CALLS and self._graph.function(step.callee) is not None

    def _node(self, item: Placed, key: _Key, within: Node | None) -> Node | None:
        step, wanted = item.run.step, self._wanted
        if item.run.how == EXIT and not wanted.is_mark(step.callee) and step.callee not in wanted.leading:
            return None
        events = wanted.events.get(step.callee, ())
        sets = self._sets_of(step.callee) if step.kind in _FOLLOWED else ()
        rank = self._rank(step.callee, sets, key.left - 1)
        is_whole = rank != STATEMENT or step.kind == "construct" or self._search.assumptions is not None
        taking = self._search.take if is_whole else self._search.weighed
        taken = taking((key.function, key.facts), step)
        node = Node(
            step=taken.step,
            how=item.run.how,
            guards=taken.step.guards,
            blocked=taken.blocked,
            denied=taken.denied,
            choice=item.choice,
            choices=item.choices,
            rank=rank,
            events=events,
            sets=sets,
            shown=step.callee in wanted.shown,
            parent=within,
            facts=taken.target[1] if taken.target is not None else None,
            made=_made(step, taken.target),
            rules=wanted.ruled.get(step.callee, ()),
            depth=within.depth + 1 if within is not None else 1,
            doubt=(within.doubt if within is not None else 0) + _doubt(item),
        )
        node.distance = (within.distance if within is not None else 0) + (_ASTRAY if is_astray(node) else 1)
        return node

    def _rank(self, callee: str, sets: tuple[str, ...], left: int) -> int:
        """Return what a step is, by its callee and the globals that it sets."""
        if self._wanted.is_mark(callee):
            return MARKED
        if sets:
            return SETS
        return HEAD if callee in self._wanted.leading or self._leads_to_setter(callee, left) else STATEMENT

    def _follow(self, node: Node, item: Placed, key: _Key, around: tuple[str, ...]) -> None:
        """Note what a step runs, to be followed in its turn, where it is not what was looked for itself."""
        step, wanted = item.run.step, self._wanted
        if not node.is_open or step.callee in wanted.events or item.run.how == LATER:
            return
        left = _SETTERS if step.callee in wanted.leading else key.left - 1
        if step.callee in around or node.rank == STATEMENT or not self._leads_on(step.callee, left):
            return
        facts = node.facts if node.facts is not None else NOTHING_KNOWN
        inner = _Key(step.callee, facts, left, item.run.how if item.run.how in (ENTER, EXIT) else "")
        self._serial += 1
        heappush(self._queue, (node.doubt, node.distance, self._serial, node, inner, around))

    # --- what is set ---------------------------------------------------------------------------------------------------

    def _sets_of(self, function: str) -> tuple[str, ...]:
        if function not in self._sets:
            body = None
            row = self._graph.function(function)
            if len(self._sets) < MAX_LOOKED_AT and row is not None and self._declares(row.file):
                body = self._bodies.body(function)
            self._sets[function] = globals_set(body) if body is not None else ()
        return self._sets[function]

    def _leads_to_setter(self, function: str, left: int) -> bool:
        """Tell whether running a function sets a global within so many calls."""
        if left < 0 or self._graph.function(function) is None:
            return False
        key = (function, left)
        if key not in self._setters:
            self._setters[key] = False
            self._setters[key] = bool(self._sets_of(function)) or self._leads_on(function, left)
        return self._setters[key]

    def _leads_on(self, function: str, left: int) -> bool:
        """Tell whether a step out of a function is on the way to anything that is looked for."""
        if function in self._wanted.leading:
            return True
        steps = (s for s in self._out_of(function) if s.kind in ("call", "construct", "super"))
        return left > 0 and any(self._leads_to_setter(step.callee, left - 1) for step in steps)
