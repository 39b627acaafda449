"""The layered layout of pages: whatever the graph, nothing stands on anything else and everything is on the page."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from codepath.report.draw.layers import Rectangle, place

_SIZES = st.tuples(st.integers(10, 700).map(float), st.integers(10, 150).map(float))


@st.composite
def graphs(
    draw: st.DrawFn,
) -> tuple[list[tuple[float, float]], list[tuple[int, int, tuple[float, float] | None]]]:
    boxes = draw(st.lists(_SIZES, min_size=1, max_size=14))
    numbers = st.integers(0, len(boxes) - 1)
    arrows = draw(st.lists(st.tuples(numbers, numbers, st.none() | _SIZES), max_size=24))
    return boxes, arrows


def on_edge(x: float, y: float, box: Rectangle) -> bool:
    return box.x - 0.01 <= x <= box.x + box.width + 0.01 and min(abs(y - box.y), abs(y - box.y - box.height)) < 0.01


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(graphs())
def test_nothing_overlaps_and_arrows_end_at_their_boxes(
    graph: tuple[list[tuple[float, float]], list[tuple[int, int, tuple[float, float] | None]]],
) -> None:
    boxes, arrows = graph
    placed = place(boxes, arrows)
    labels = [route.label for route in placed.routes if route.label is not None]
    assert len(labels) == sum(1 for tail, head, label in arrows if label is not None and tail != head)
    for one, other in combinations([*placed.boxes, *labels], 2):
        assert not one.overlaps(other)
    for box in (*placed.boxes, *labels):
        assert box.x >= 0
        assert box.y >= 0
        assert box.x + box.width <= placed.width
        assert box.y + box.height <= placed.height
    for (tail, head, _), route in zip(arrows, placed.routes, strict=True):
        assert all(0 <= x <= placed.width and 0 <= y <= placed.height for x, y in route.points)
        if tail != head:
            assert on_edge(*route.points[0], placed.boxes[tail])
            assert on_edge(*route.points[-1], placed.boxes[head])
    assert [(b.width, b.height) for b in placed.boxes] == boxes
