"""Where the boxes of a graph stand on a page: our own layered layout, for pages that are written without Graphviz.

Boxes stand in rows, each below what leads to it; what is written at an arrow stands in a row of its own between them, so that
nothing can be written over anything else.

Source: Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures" (1981): rows by longest
path, order by barycentres; places in a row by isotonic regression (pool adjacent violators).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

Size = tuple[float, float]
Point = tuple[float, float]
MARGIN = 16.0
GAP_X = 18.0
GAP_Y = 26.0
_SWEEPS = 8
_LINE_WIDTH = 940.0
"""How wide a line of boxes without arrows may be."""
_PASS = 10.0
"""The width of the way of an arrow that passes a row."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A place on the page; `x`, `y` are its left and its top."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: Rectangle) -> bool:
        """Tell whether the two share more than an edge."""
        across = self.x < other.x + other.width and other.x < self.x + self.width
        return across and self.y < other.y + other.height and other.y < self.y + self.height


@dataclass(frozen=True, slots=True)
class Route:
    """The way of an arrow, and where its label stands; None where nothing is written at it."""

    points: tuple[Point, ...]
    label: Rectangle | None


@dataclass(frozen=True, slots=True)
class Placement:
    """Where everything stands, by the numbers that it came with, and the size of the page."""

    boxes: tuple[Rectangle, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


def place(boxes: Sequence[Size], arrows: Sequence[tuple[int, int, Size | None]]) -> Placement:
    """Place boxes of some sizes, and arrows between them with the sizes of their labels.

    Args:
        boxes: Width and height of each box.
        arrows: Tail, head and size of the label of each arrow; an arrow from a box to itself has a way of no length.
    """
    connected = sorted({n for tail, head, _ in arrows for n in (tail, head)})
    numbers = {old: new for new, old in enumerate(connected)}
    inner = [(numbers[tail], numbers[head], label) for tail, head, label in arrows]
    found = _Layers([boxes[n] for n in connected], inner).placed()
    return _with_others(found, connected, boxes)


def _with_others(found: Placement, connected: Sequence[int], boxes: Sequence[Size]) -> Placement:
    """Add the boxes that no arrow leads to or from, in lines below the rest."""
    places = dict(zip(connected, found.boxes, strict=True))
    x, y, height = MARGIN, found.height - MARGIN + GAP_Y if connected else MARGIN, 0.0
    room = max(found.width, _LINE_WIDTH)
    for number, (width, own) in enumerate(boxes):
        if number in places:
            continue
        if x > MARGIN and x + width + MARGIN > room:
            x, y, height = MARGIN, y + height + GAP_Y, 0.0
        places[number] = Rectangle(x, y, width, own)
        x += width + GAP_X
        height = max(height, own)
    right = max((p.x + p.width for p in places.values()), default=0.0) + MARGIN
    bottom = max((p.y + p.height for p in places.values()), default=0.0) + MARGIN
    ordered = tuple(places[n] for n in range(len(boxes)))
    return Placement(ordered, found.routes, max(right, found.width), max(bottom, found.height))


class _Layers:
    """Items in rows: boxes first, by their numbers, then labels and the ways of arrows through rows."""

    def __init__(self, boxes: Sequence[Size], arrows: Sequence[tuple[int, int, Size | None]]) -> None:
        self._boxes = boxes
        self._arrows = arrows
        self._sizes: list[Size] = list(boxes)
        self._back = _backward(len(boxes), [(t, h) for t, h, _ in arrows])
        self._rows: list[list[int]] = []
        self._up: dict[int, list[int]] = {}
        self._down: dict[int, list[int]] = {}
        self._chains: list[list[int]] = []
        self._labels: dict[int, int] = {}

    def placed(self) -> Placement:
        ranks = self._ranks()
        self._rows = [[] for _ in range(max(ranks, default=0) + 1)]
        for number, rank in enumerate(ranks):
            self._rows[rank].append(number)
        for number, (_, _, label) in enumerate(self._arrows):
            self._chains.append(self._chain(number, label, ranks))
        self._order()
        centres = self._centres()
        return self._page(centres)

    # --- rows --------------------------------------------------------------------------------------------------------

    def _ends(self, number: int) -> tuple[int, int]:
        """Return the upper and the lower box of an arrow."""
        tail, head, _ = self._arrows[number]
        return (head, tail) if number in self._back else (tail, head)

    def _ranks(self) -> list[int]:
        """Return the row of each box: two below the lowest that leads to it, labels stand between."""
        below: dict[int, list[int]] = {}
        waiting = [0] * len(self._boxes)
        for number in range(len(self._arrows)):
            upper, lower = self._ends(number)
            if upper != lower:
                below.setdefault(upper, []).append(lower)
                waiting[lower] += 1
        ranks = [0] * len(self._boxes)
        todo = [n for n, count in enumerate(waiting) if not count]
        while todo:
            one = todo.pop()
            for other in below.get(one, ()):
                ranks[other] = max(ranks[other], ranks[one] + 2)
                waiting[other] -= 1
                if not waiting[other]:
                    todo.append(other)
        return ranks

    def _chain(self, number: int, label: Size | None, ranks: Sequence[int]) -> list[int]:
        """Return the items that an arrow leads through, from above."""
        upper, lower = self._ends(number)
        if upper == lower:
            return [upper]
        chain = [upper]
        for rank in range(ranks[upper] + 1, ranks[lower]):
            self._sizes.append(label if label is not None and rank == ranks[lower] - 1 else (_PASS, 0.0))
            item = len(self._sizes) - 1
            if label is not None and rank == ranks[lower] - 1:
                self._labels[number] = item
            self._rows[rank].append(item)
            chain.append(item)
        chain.append(lower)
        for one, other in pairwise(chain):
            self._down.setdefault(one, []).append(other)
            self._up.setdefault(other, []).append(one)
        return chain

    def _order(self) -> None:
        """Order rows so that few arrows cross: by the mean position of what is above, then of what is below, and again."""
        position = {item: n for row in self._rows for n, item in enumerate(row)}
        for sweep in range(_SWEEPS):
            near = self._up if sweep % 2 == 0 else self._down
            for row in self._rows if sweep % 2 == 0 else reversed(self._rows):
                keys = {item: _mean([position[o] for o in near.get(item, ())], position[item]) for item in row}
                row.sort(key=lambda item: (keys[item], position[item]))
                position.update((item, n) for n, item in enumerate(row))

    # --- places ------------------------------------------------------------------------------------------------------

    def _centres(self) -> dict[int, float]:
        """Return the horizontal centre of each item: near what it is connected with, in the order of its row."""
        centres: dict[int, float] = {}
        for row in self._rows:
            x = 0.0
            for item in row:
                centres[item] = x + self._sizes[item][0] / 2
                x += self._sizes[item][0] + GAP_X
        for sweep in range(3 * _SWEEPS):
            for row in self._rows if sweep % 2 == 0 else reversed(self._rows):
                wanted = [_mean([centres[o] for o in self._pulling(i)], centres[i]) for i in row]
                centres.update(zip(row, self._apart(row, wanted), strict=True))
        self._straighten(centres)
        left = min((centres[i] - self._sizes[i][0] / 2 for i in centres), default=0.0)
        return {item: centre - left + MARGIN for item, centre in centres.items()}

    def _pulling(self, item: int) -> list[int]:
        """Return the items that draw an item to them: the way of an arrow through rows is kept straight."""
        near = [*self._up.get(item, ()), *self._down.get(item, ())]
        ways = [other for other in near if other >= len(self._boxes)] if item >= len(self._boxes) else []
        return ways or near

    def _straighten(self, centres: dict[int, float]) -> None:
        """Give the ways of an arrow through rows one place where there is room beside what else stands in them."""
        beside: dict[int, tuple[int | None, int | None]] = {}
        for row in self._rows:
            for before, item, after in zip([None, *row], row, [*row[1:], None], strict=False):
                beside[item] = (before, after)
        for number, chain in enumerate(self._chains):
            run: list[int] = []
            low, high = -inf, inf
            for item in chain[1:]:
                is_way = item >= len(self._boxes) and item != self._labels.get(number)
                free = self._free(item, beside[item], centres)
                if run and (not is_way or max(low, free[0]) > min(high, free[1])):
                    at = min(max(_mean([centres[i] for i in run], 0.0), low), high)
                    centres.update((i, at) for i in run)
                    run, low, high = [], -inf, inf
                if is_way:
                    run.append(item)
                    low, high = max(low, free[0]), min(high, free[1])

    def _free(self, item: int, beside: tuple[int | None, int | None], centres: dict[int, float]) -> tuple[float, float]:
        """Return between which centres an item can stand, all others staying where they are."""
        before, after = beside

        def room(other: int) -> float:
            return (self._sizes[other][0] + self._sizes[item][0]) / 2 + GAP_X

        low = centres[before] + room(before) if before is not None else -inf
        return low, centres[after] - room(after) if after is not None else inf

    def _apart(self, row: Sequence[int], wanted: Sequence[float]) -> list[float]:
        """Return the centres nearest to those that are wanted at which the items of a row do not overlap."""
        offsets, x = [], 0.0
        for before, item in zip([None, *row], row, strict=False):
            if before is not None:
                x += (self._sizes[before][0] + self._sizes[item][0]) / 2 + GAP_X
            offsets.append(x)
        blocks: list[tuple[float, int]] = []
        for want, offset in zip(wanted, offsets, strict=True):
            mean, size = want - offset, 1
            while blocks and blocks[-1][0] >= mean:
                before_mean, before_size = blocks.pop()
                mean = (mean * size + before_mean * before_size) / (size + before_size)
                size += before_size
            blocks.append((mean, size))
        bases = [mean for mean, size in blocks for _ in range(size)]
        return [base + offset for base, offset in zip(bases, offsets, strict=True)]

    def _page(self, centres: dict[int, float]) -> Placement:
        tops, bottoms, y = [], [], MARGIN
        for row in self._rows:
            height = max((self._sizes[i][1] for i in row), default=0.0)
            tops.append(y)
            bottoms.append(y + height)
            y += height + (GAP_Y if height else GAP_Y / 2)
        rows = {item: number for number, row in enumerate(self._rows) for item in row}

        def rectangle(item: int) -> Rectangle:
            width, height = self._sizes[item]
            return Rectangle(centres[item] - width / 2, tops[rows[item]], width, height)

        routes = []
        for number, chain in enumerate(self._chains):
            points = list(self._points(chain, centres, [(tops[rows[i]], bottoms[rows[i]]) for i in chain]))
            label = self._labels.get(number)
            points = [p for n, p in enumerate(points) if n == 0 or p != points[n - 1]]
            route = tuple(reversed(points)) if number in self._back else tuple(points)
            routes.append(Route(route, rectangle(label) if label is not None else None))
        right = max((centres[i] + self._sizes[i][0] / 2 for i in centres), default=0.0)
        boxes = tuple(rectangle(n) for n in range(len(self._boxes)))
        return Placement(boxes, tuple(routes), right + MARGIN, (bottoms[-1] if bottoms else 0.0) + MARGIN)

    def _points(
        self, chain: Sequence[int], centres: dict[int, float], rows: Sequence[tuple[float, float]]
    ) -> Iterator[Point]:
        """Yield the way of an arrow: straight down through rows, aslant between them."""
        for number, (item, (top, bottom)) in enumerate(zip(chain, rows, strict=True)):
            x = centres[item]
            if number == 0:
                yield x, top + self._sizes[item][1]
            else:
                yield x, top
            if number < len(chain) - 1:
                yield x, bottom


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _backward(count: int, arrows: Sequence[tuple[int, int]]) -> set[int]:
    """Return arrows without which no way leads back to where it started, found depth first; those to the box itself too."""
    out: dict[int, list[tuple[int, int]]] = {}
    for number, (tail, head) in enumerate(arrows):
        out.setdefault(tail, []).append((number, head))
    found: set[int] = set()
    state = [0] * count
    for start in range(count):
        if state[start]:
            continue
        state[start] = 1
        stack = [(start, iter(out.get(start, ())))]
        while stack:
            one, rest = stack[-1]
            for number, head in rest:
                if state[head] == 1:
                    found.add(number)
                elif not state[head]:
                    state[head] = 1
                    stack.append((head, iter(out.get(head, ()))))
                    break
            else:
                state[one] = 2
                stack.pop()
    return found
