"""Whether a value can be None, and the chains of places by which a None gets there."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from codepath.analysis.nulls.arguments import Arguments
from codepath.analysis.nulls.cells import Cells
from codepath.analysis.nulls.expressions import Expressions
from codepath.analysis.nulls.nodes import Flows, Hop, Hops, Inflow, Made, Node, Something, Unknown
from codepath.analysis.nulls.receivers import Receivers
from codepath.analysis.nulls.world import World
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph
from codepath.program.values import ScopeId

MAX_NODES = 3000
MAX_CHAINS = 12
MAX_PASSED = 300


@dataclass(frozen=True, slots=True)
class Nullness:
    """What is known of a value.

    `may_be_none` is None where a value arrives of which nothing is known, and no None that is. `chains` lead from each cause
    to the value, shortest first; `total` counts the causes, `passed` are all places that a None passes, causes first.
    `labels` say what else it can be, `unknown` why not all is known.
    """

    may_be_none: bool | None
    chains: tuple[Hops, ...] = ()
    total: int = 0
    labels: tuple[str, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    passed: Hops = ()


@dataclass(slots=True)
class _Explored:
    inflows: dict[Node, tuple[Inflow, ...]] = field(default_factory=dict)
    none: set[Node] = field(default_factory=set)
    unknown: set[Node] = field(default_factory=set)


class Blame:
    """Answers about values of one tree.

    Approximates: over (paths that exclude each other are not told apart); `may_be_none` False holds for every execution in
    which attributes and globals are stored only where the tree is seen to store them.
    Source: blame chains as in Casper (Cornu, Barr, Seinturier, Monperrus, JSS 2016), found backwards and on demand.
    """

    def __init__(self, graph: CallGraph, bodies: Bodies) -> None:
        self.world = World(graph, bodies)
        self.receivers = Receivers(self.world)
        self.expressions = Expressions(self.world, self.receivers)
        self.cells = Cells(self.world, self.receivers, self.expressions)
        self.arguments = Arguments(self.world, self.receivers, self.expressions)
        self._inflows: dict[Node, tuple[Inflow, ...]] = {}

    def of(self, root: Node) -> Nullness:
        """Answer about a node."""
        explored = self._explore(root)
        self._spread(explored)
        chains = self._chains(root, explored)
        may: bool | None = root in explored.none
        if not may and root in explored.unknown:
            may = None
        labels, unknown = self._leaves(root, explored)
        return Nullness(may, tuple(chains[:MAX_CHAINS]), len(chains), labels, unknown, self._passed(root, explored))

    # --- exploring ---------------------------------------------------------------------------------------------------

    def inflows(self, node: Node) -> tuple[Inflow, ...]:
        """Return what arrives at a node."""
        found = self._inflows.get(node)
        if found is None:
            found = self._inflows[node] = tuple(dict.fromkeys(self._ask(node)))
        return found

    def _ask(self, node: Node) -> Iterable[Inflow]:
        kind, sid, *rest = node
        if kind == "value":
            return self.expressions.value(sid, *rest)
        if kind == "held":
            return self.cells.held(sid, *rest)
        if kind == "part":
            return self.cells.part(sid, *rest)
        if kind == "gate":
            return self._gate(node)
        if kind == "param":
            return self.arguments.param(sid, *rest)
        if kind == "return":
            return self.arguments.returned(sid, (), rest[0])
        if kind == "returned-part":
            return self.arguments.returned(sid, *rest)
        if kind == "entered":
            return self.arguments.yielded(sid, *rest)
        if kind == "global":
            return self.cells.global_(sid, *rest)
        if kind == "local":
            return self.cells.local(sid, *rest)
        if kind == "field":
            return self.fields(sid, *rest)
        return self.cells.attribute(sid, *rest)

    def _gate(self, node: Node) -> Iterator[Inflow]:
        _, sid, key, origins, context = node
        for origin in origins:
            if origin >= 0:
                yield Flows(("held", sid, origin, context))
            else:
                yield from self.expressions.entry(sid, key, context)

    def fields(self, sid: ScopeId, name: str) -> Iterator[Inflow]:
        """Yield what a field of a class whose constructor is generated gets."""
        from codepath.analysis.nulls.fields import field_inflows

        return field_inflows(self.world, sid, name)

    def _explore(self, root: Node) -> _Explored:
        found = _Explored()
        queue: deque[Node] = deque([root])
        while queue:
            node = queue.popleft()
            if node in found.inflows:
                continue
            if len(found.inflows) >= MAX_NODES:
                found.inflows[node] = (self._given_up(node),)
                continue
            inflows = self.inflows(node)
            found.inflows[node] = inflows
            queue.extend(n for inflow in inflows for n in _nodes(inflow) if n not in found.inflows)
        return found

    def _given_up(self, node: Node) -> Unknown:
        info = self.world.info(node[1])
        return Unknown("too much leads here to follow all of it", self.world.place(info.sid, info.at))

    # --- what is None ------------------------------------------------------------------------------------------------

    def _spread(self, explored: _Explored) -> None:
        """Find the least sets of nodes that can be None, and that can be of unknown value."""
        users: dict[Node, list[Node]] = {}
        for node, inflows in explored.inflows.items():
            for inflow in inflows:
                for source in _nodes(inflow):
                    users.setdefault(source, []).append(node)
        todo = deque(explored.inflows)
        while todo:
            node = todo.popleft()
            inflows = explored.inflows[node]
            none = node in explored.none or any(_is_none(i, explored) for i in inflows)
            unknown = node in explored.unknown or any(_is_unknown(i, explored) for i in inflows)
            if none != (node in explored.none) or unknown != (node in explored.unknown):
                if none:
                    explored.none.add(node)
                if unknown:
                    explored.unknown.add(node)
                todo.extend(users.get(node, ()))

    # --- chains ------------------------------------------------------------------------------------------------------

    def _chains(self, root: Node, explored: _Explored) -> list[Hops]:
        """Return the shortest chain from each cause to the root, shortest first."""
        best: dict[tuple[str, int], Hops] = {}
        behind: dict[Node, Hops] = {root: ()}
        queue: deque[Node] = deque([root])
        while queue:
            node = queue.popleft()
            for inflow in explored.inflows[node]:
                if not _is_none(inflow, explored):
                    continue
                hops = (*_hops(inflow), *behind[node])
                following = _causes(inflow, explored)
                for source in following:
                    if source not in behind:
                        behind[source] = hops
                        queue.append(source)
                if not following and hops:
                    best.setdefault(_cause_of(inflow), hops)
        chains = [_each_once(hops) for hops in best.values()]
        return sorted(chains, key=lambda hops: (len(hops), [(h.place.file, h.place.line) for h in hops]))

    def _passed(self, root: Node, explored: _Explored) -> Hops:
        """Return every place that a None passes on its ways to the root, each once, what it passes first before."""
        found: dict[tuple[str, int], Hop] = {}
        entered: set[Node] = {root}
        stack: list[tuple[Node, list[Inflow]]] = [(root, self._none_inflows(root, explored))]
        pending: list[list[Hop]] = [[]]
        while stack:
            rest = stack[-1][1]
            if not rest:
                stack.pop()
                for hop in pending.pop():
                    _keep(found, hop)
                continue
            inflow = rest.pop()
            pending[-1].extend(_hops(inflow))
            for source in _causes(inflow, explored):
                if source not in entered:
                    entered.add(source)
                    stack.append((source, self._none_inflows(source, explored)))
                    pending.append([])
        return tuple(found.values())[:MAX_PASSED]

    def _none_inflows(self, node: Node, explored: _Explored) -> list[Inflow]:
        return [inflow for inflow in reversed(explored.inflows[node]) if _is_none(inflow, explored)]

    def _leaves(self, root: Node, explored: _Explored) -> tuple[tuple[str, ...], tuple[Unknown, ...]]:
        """Return what the root can be beside None, and what is not known of it, following plain flows only."""
        labels: dict[str, None] = {}
        unknown: dict[Unknown, None] = {}
        seen = {root}
        queue = deque([root])
        while queue:
            for inflow in explored.inflows[queue.popleft()]:
                if isinstance(inflow, Something) and inflow.label:
                    labels[inflow.label] = None
                elif isinstance(inflow, Unknown):
                    unknown[inflow] = None
                elif isinstance(inflow, Flows) and inflow.node not in seen:
                    seen.add(inflow.node)
                    queue.append(inflow.node)
        ordered = sorted(unknown, key=lambda u: (u.place.file, u.place.line, u.reason))
        return tuple(sorted(labels)), tuple(ordered)


def _nodes(inflow: Inflow) -> tuple[Node, ...]:
    if isinstance(inflow, Flows):
        return (inflow.node,)
    return inflow.gates if isinstance(inflow, Made) else ()


def _is_none(inflow: Inflow, explored: _Explored) -> bool:
    if isinstance(inflow, Flows):
        return inflow.node in explored.none
    if isinstance(inflow, Made):
        return all(gate in explored.none or gate in explored.unknown for gate in inflow.gates)
    return False


def _is_unknown(inflow: Inflow, explored: _Explored) -> bool:
    return isinstance(inflow, Unknown) or (isinstance(inflow, Flows) and inflow.node in explored.unknown)


def _hops(inflow: Inflow) -> Hops:
    return inflow.hops if isinstance(inflow, (Flows, Made)) else ()


def _causes(inflow: Inflow, explored: _Explored) -> tuple[Node, ...]:
    """Return the nodes whose None is the cause of one that arrives; none where it is made."""
    if isinstance(inflow, Flows):
        return (inflow.node,)
    gates = inflow.gates if isinstance(inflow, Made) else ()
    return tuple(gate for gate in gates if gate in explored.none)[-1:]


def _cause_of(inflow: Inflow) -> tuple[str, int]:
    hop = inflow.hops[-1] if isinstance(inflow, Made) else Hop(inflow.place, "")  # type: ignore[union-attr]
    return hop.place.file, hop.place.line


def _each_once(hops: Hops) -> Hops:
    """Return the hops with each line once."""
    seen: dict[tuple[str, int], Hop] = {}
    for hop in hops:
        _keep(seen, hop)
    return tuple(seen.values())


def _keep(found: dict[tuple[str, int], Hop], hop: Hop) -> None:
    """Add a hop; of several on one line the first is kept that is no condition."""
    line = (hop.place.file, hop.place.line)
    if line not in found or (found[line].is_condition and not hop.is_condition):
        found[line] = hop
