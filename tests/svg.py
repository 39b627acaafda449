"""What an SVG of Graphviz shows, measured: where its texts stand, how large they are, how wide the picture is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree

_SVG = "{http://www.w3.org/2000/svg}"
_WIDE = 0.5
"""The mean width of a character of Helvetica, as a share of its size."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text with the box that it takes, in units of the picture."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float

    def overlaps(self, other: Text) -> bool:
        across = min(self.right, other.right) - max(self.left, other.left)
        return across > 1 and min(self.bottom, other.bottom) - max(self.top, other.top) > 1


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture: its size in its own units, its texts, and the boxes of its nodes as (left, top, right, bottom)."""

    width: float
    height: float
    texts: tuple[Text, ...]
    boxes: tuple[tuple[float, float, float, float], ...]

    @property
    def smallest(self) -> float:
        """The size of the smallest text in CSS pixels where the picture is 1,280 wide, or its own width if that is less."""
        natural = self.width * 4 / 3
        return min(t.size for t in self.texts) * 4 / 3 * min(1.0, 1280 / natural)


def read_svg(svg: str) -> Drawn:
    """Measure an SVG that Graphviz wrote."""
    root = ElementTree.fromstring(svg)
    left, top, width, height = (float(v) for v in root.attrib["viewBox"].split())
    assert (left, top) == (0, 0)
    (graph,) = root.findall(f"{_SVG}g")
    shift = re.search(r"translate\(([\d.-]+)[ ,]([\d.-]+)\)", graph.attrib["transform"])
    assert shift is not None
    dx, dy = float(shift[1]), float(shift[2])
    texts = [_text(e, dx, dy) for e in graph.iter(f"{_SVG}text")]
    nodes = [g for g in graph.iter(f"{_SVG}g") if g.attrib.get("class") == "node"]
    return Drawn(width, height, tuple(texts), tuple(_box(g, dx, dy) for g in nodes))


def _text(element: ElementTree.Element, dx: float, dy: float) -> Text:
    text = element.text or ""
    size = float(element.attrib["font-size"])
    x, y = float(element.attrib["x"]) + dx, float(element.attrib["y"]) + dy
    width = len(text) * size * _WIDE
    left = {"start": x, "middle": x - width / 2, "end": x - width}[element.attrib.get("text-anchor", "start")]
    return Text(text, left, y - size * 0.8, left + width, y + size * 0.2, size)


def _box(group: ElementTree.Element, dx: float, dy: float) -> tuple[float, float, float, float]:
    points: list[tuple[float, float]] = []
    for shape in group.iter():
        if shape.tag == f"{_SVG}polygon":
            points += [(float(x), float(y)) for x, y in (p.split(",") for p in shape.attrib["points"].split())]
        elif shape.tag == f"{_SVG}ellipse":
            x, y, rx, ry = (float(shape.attrib[k]) for k in ("cx", "cy", "rx", "ry"))
            points += [(x - rx, y - ry), (x + rx, y + ry)]
        elif shape.tag == f"{_SVG}path":
            numbers = [float(n) for n in re.findall(r"-?\d+\.?\d*", shape.attrib["d"])]
            points += list(zip(numbers[::2], numbers[1::2], strict=True))
    xs, ys = [x + dx for x, _ in points], [y + dy for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)
