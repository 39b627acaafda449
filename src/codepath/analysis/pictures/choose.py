"""Which steps a picture shows, and how they are numbered: what matters most, with what leads to it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from codepath.analysis.pictures.explore import HEAD, MARKED, MAX_ANY, SETS, STATEMENT, Node, is_any, is_astray
from codepath.analysis.sites import ASIDE
from codepath.model.answers import Guard
from codepath.model.pictures import Hop, Lane, PictureStep

_MAX_HOPS = 8
_RANKS = {MARKED: 0, SETS: 2, HEAD: 2, STATEMENT: 12}
_DOUBT = 6
"""What being one of several callees weighs, in levels of calls that branch."""
_RULED = 4
"""How much more a mere step of a stage matters that a rule names."""
_EVENTS_SHARE = 0.7
"""How much of a picture the first of each event may take, with what leads to them."""
_CHANGE = 20
"""How much more a step matters that is not the same in two trees."""
_CHECKS = frozenset(["assert", "early-raise", "try"])
_FIRST_LANE = "start"


def chosen(roots: Sequence[Node], limit: int) -> list[list[Node]]:
    """Return the steps to show in run order, at most `limit`; each with the calls that lead to it, outermost first."""
    everything = [n for root in roots for n in root.all()]
    ranked = _ranked(everything)
    branches = _branches(roots, everything)

    def shown(nodes: Sequence[Node]) -> list[list[Node]]:
        return list(_merged(roots, _with_parents(nodes, branches)))

    first: list[Node] = []
    for node in _one_of_each_event(ranked):
        if len(shown([*first, node])) <= limit * _EVENTS_SHARE:
            first.append(node)
    kept = {id(node) for node in first}
    ranked = [*first, *(node for node in ranked if id(node) not in kept)]

    def rows(number: int) -> list[list[Node]]:
        return shown(ranked[:number])

    number = bisect_right(range(len(ranked) + 1), limit, key=lambda k: len(rows(k))) - 1
    while number > 0 and len(rows(number)) > limit:
        number -= 1
    return rows(number)


def _one_of_each_event(ranked: Iterable[Node]) -> Iterable[Node]:
    """Yield, of the steps that are an event, those that matter most of each title: what a picture must show, however deep."""
    met: set[str] = set()
    for node in ranked:
        if node.is_open and not met.issuperset(node.events):
            met.update(node.events)
            yield node


def _ranked(nodes: Iterable[Node]) -> list[Node]:
    """Sort steps by how much they matter."""
    depth: dict[int, int] = {}
    keyed: list[tuple[tuple[int, ...], Node]] = []
    for number, node in enumerate(nodes):
        parent = node.parent
        is_branch = parent is None or sum(1 for n in parent.children if n.rank != STATEMENT) > 1
        depth[id(node)] = (depth[id(parent)] if parent is not None else 0) + is_branch + _unsure(node)
        is_head = node.choices > 1 and parent is not None and node.doubt == parent.doubt + (node.choice > 0)
        doubt = parent.doubt if parent is not None and is_head else node.doubt
        weight = (
            depth[id(node)]
            + _RANKS[node.rank]
            - 4 * bool(node.events)
            - 2 * (not node.is_open and node.rank == MARKED)
            - _CHANGE * bool(node.change)
            - _RULED * bool(node.rules and node.rank == STATEMENT)
            + 3 * (node.repeats is not None)
        )
        if node.choice >= MAX_ANY and is_any(node.step):
            continue
        keyed.append(((weight + _DOUBT * doubt, node.rank, node.depth, number), node))
    return [node for _, node in sorted(keyed, key=lambda k: k[0])]


def _unsure(node: Node) -> int:
    """Return what the conditions of a step weigh that are not known to hold: a loop is hardly ever part of a start."""
    kinds = {g.kind for g in node.guards if g.value == "unknown"} - _CHECKS
    return 4 if is_astray(node) else int(bool(kinds))


def up_to(roots: Sequence[Node], is_end: Callable[[Node], bool]) -> list[Node] | None:
    """Return the steps up to the first that ends the picture, with what is around it; None where nothing ends it."""
    end = next((n for root in roots for n in root.all() if is_end(n)), None)
    inner: Node | None = None
    here = end
    while here is not None:
        if inner is not None:
            del here.children[here.children.index(inner) + 1 :]
        inner, here = here, here.parent
    return list(roots[: roots.index(inner) + 1]) if inner is not None else None


def _branches(roots: Sequence[Node], nodes: Iterable[Node]) -> dict[int, list[Node]]:
    """Return, for each step, those of the other branch beside it: shown alone, one would look as if nothing else ran."""
    found: dict[int, list[Node]] = {}
    for children in (list(roots), *(n.children for n in nodes)):
        telling = [n for n in children if n.rank != STATEMENT and n.choices == 1 and n.is_open]
        tests = [{(g.text, g.file, g.line): g.polarity for g in n.guards if not g.when} for n in telling]
        for node, own in zip(telling, tests, strict=True):
            others = [
                n for n, its in zip(telling, tests, strict=True) if any(its.get(k, p) != p for k, p in own.items())
            ]
            if others:
                found[id(node)] = others[:MAX_ANY]
    return found


def _with_parents(nodes: Iterable[Node], branches: Mapping[int, Sequence[Node]]) -> set[int]:
    found: set[int] = set()
    for node in nodes:
        here: Node | None = node
        while here is not None and id(here) not in found:
            found.add(id(here))
            found.update(id(n) for n in branches.get(id(here), ()))
            here = here.parent
    return found


def _merged(nodes: Iterable[Node], shown: Collection[int]) -> Iterable[list[Node]]:
    """Yield the shown steps, calls that do nothing else of note joined with the step that they lead to."""
    todo: list[Node] = list(reversed([n for n in nodes if id(n) in shown]))
    while todo:
        row = [todo.pop()]
        while True:
            inner = [n for n in row[-1].children if id(n) in shown]
            if len(inner) != 1 or len(row) == _MAX_HOPS or not _joins(row[-1], inner[0]):
                break
            row.append(inner[0])
        yield row
        todo.extend(reversed([n for n in row[-1].children if id(n) in shown]))


def _joins(outer: Node, inner: Node) -> bool:
    says_more = outer.events or outer.sets or outer.rules or outer.shown
    is_plain = not (says_more or outer.choices > 1 or outer.change or inner.change)
    is_only = all(n is inner or n.rank == STATEMENT or not n.is_open for n in outer.children)
    return is_plain and is_only and inner.is_open and outer.how != ASIDE and inner.how != ASIDE and inner.choices == 1


def _inside(nodes: Iterable[Node]) -> tuple[tuple[str, ...], tuple[Node, ...]]:
    """Return the titles of the events that steps run, and what is blocked in them, what is run again counted."""
    events: dict[str, None] = {}
    blocked: dict[str, Node] = {}
    seen: set[int] = set()
    todo = list(reversed(list(nodes)))
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if not node.is_open:
            if node.rank in (MARKED, SETS):
                blocked.setdefault(node.step.callee, node)
            continue
        events.update(dict.fromkeys(node.events))
        todo += [*([node.repeats] if node.repeats is not None else []), *reversed(node.children)]
    return tuple(sorted(events)), tuple(blocked.values())


LeadsTo = Callable[[str], "tuple[str, ...]"]
"""Returns the titles of the events that a function leads to."""


class Numbering:
    """Makes the steps and lanes of a picture out of rows of calls."""

    def __init__(
        self,
        rows: Sequence[Sequence[Node]],
        title: str,
        titled: Callable[[str, str], str],
        assumed: Sequence[str],
        leads_to: LeadsTo,
    ) -> None:
        self._rows = rows
        self._titled = titled
        self._assumed = assumed
        self._leads_to = leads_to
        self._number: dict[int, int] = {}
        self._lanes: dict[int, int] = {}
        self.lanes: list[Lane] = [Lane(title, _FIRST_LANE, 0)]
        for number, row in enumerate(rows, 1):
            self._number.update((id(n), number) for n in row)

    def steps(self) -> tuple[PictureStep, ...]:
        """Return the steps."""
        found: list[PictureStep] = []
        for number, row in enumerate(self._rows, 1):
            found.append(self._step(number, row, found))
        return tuple(found)

    def hidden(self, roots: Iterable[Node]) -> int:
        """Return how many steps are shown by no row and inside none."""
        return sum(1 for root in roots if id(root) not in self._number for _ in root.all())

    def _step(self, number: int, row: Sequence[Node], before: Sequence[PictureStep]) -> PictureStep:
        last = row[-1]
        parent = self._number[id(row[0].parent)] if row[0].parent is not None else 0
        guards = tuple(dict.fromkeys(g for n in row for g in n.guards))
        hidden = [n for node in row for child in node.children if id(child) not in self._number for n in child.all()]
        excludes = tuple(s.number for s in before if s.parent == parent and self._excludes(s, row, guards))
        repeated = last.repeats if last.repeats is not None and last.repeats.children else None
        events, blocked = _inside(hidden if repeated is None else [repeated, *hidden])
        if last.is_open and not last.events and not last.children and repeated is None:
            events = self._leads_to(last.step.callee)
        return PictureStep(
            number=number,
            parent=parent,
            hops=tuple(Hop(n.step, n.how, n.ran) for n in row),
            title=self._titled(last.ran, last.step.kind),
            guards=guards,
            lane=self._lane(number, row, parent),
            how=next((n.how for n in row if n.how not in ("now", "enter")), "now"),
            events=last.events,
            inside=events,
            skips=tuple(self._titled(n.ran, n.step.kind) for n in blocked),
            sets=last.sets,
            shown=last.shown,
            blocked=next((n.blocked for n in row if n.blocked is not None), None),
            excludes=excludes,
            denied=next((self._assumed[n.denied] for n in row if n.denied >= 0), ""),
            choices=row[0].choices,
            repeats=self._number.get(id(repeated), 0) if repeated is not None else 0,
            hidden=len(hidden),
            change=last.change,
            was=last.was,
            rules=last.rules,
        )

    def _lane(self, number: int, row: Sequence[Node], parent: int) -> int:
        lane = self._lanes.get(parent, 0)
        if row[0].how == ASIDE:
            callee = row[0].step.callee
            self.lanes.append(Lane(self._titled(callee, ""), row[0].step.kind, number))
            lane = len(self.lanes) - 1
        self._lanes[number] = lane
        return lane

    def _excludes(self, step: PictureStep, row: Sequence[Node], guards: Sequence[Guard]) -> bool:
        """Tell whether a step cannot run where a row does: callees of one call, or guards that contradict."""
        first, other = row[0], self._rows[step.number - 1][0]
        if first.choices > 1 and first.choice != other.choice:
            place = (first.step.file, first.step.line, first.step.column)
            if place == (other.step.file, other.step.line, other.step.column):
                return True
        known = {(g.text, g.file, g.line, g.polarity) for g in step.guards if not g.when}
        return any((g.text, g.file, g.line, not g.polarity) in known for g in guards if not g.when)
