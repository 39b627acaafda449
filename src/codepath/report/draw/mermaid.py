"""A picture as a Mermaid flowchart, as comments and documents on code hosts show it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from codepath.errors import QueryError
from codepath.model.pictures import Picture, PictureStep
from codepath.report.draw.flow import START, Flow
from codepath.report.draw.quoting import mermaid_text
from codepath.report.draw.words import KINDS, label, legend, root_title, summary
from codepath.report.view import View

MAX_TEXT = 50_000
MAX_ARROWS = 500
"""What Mermaid draws by default; beyond, it shows an error instead."""
_SHAPES = {
    "event": ("{{", "}}"),
    "step": ("[", "]"),
    "maybe": ("(", ")"),
    "skipped": ("[/", "/]"),
    "repeats": ("[[", "]]"),
    "later": (">", "]"),
    "starts": ("([", "])"),
}
_ARROWS = {"then": "-->", "or": "-. one of .->", "skipped": "-. skipped .-x", "starts": "== starts ==>"}
_CLASSES = {
    "event": "fill:#ffd8a8,stroke:#a33c00,color:#000",
    "skipped": "fill:#f1f1f1,stroke:#6b6b6b,color:#333,stroke-dasharray:4",
    "starts": "fill:#e3f7e8,stroke:#1b6b35,color:#000",
    "added": "stroke:#1b6b35,stroke-width:4px",
    "dropped": "stroke:#a1160a,stroke-width:3px,stroke-dasharray:7",
    "changed": "stroke:#8a6100,stroke-width:4px",
    "moved": "stroke:#8a6100,stroke-width:4px",
}


def picture_mermaid(picture: Picture, view: View) -> Iterator[str]:
    """Write a picture as a Mermaid flowchart.

    Raises:
        QueryError: It is larger than Mermaid draws.
    """
    flow = Flow(picture)
    lines = ["flowchart TD", f"  %% {_comment(summary(picture))}"]
    name = root_title(picture)
    lines.append(f'  s{START}(["{mermaid_text(name)}"])')
    lines += _inside(START, flow, picture, "  ")
    lines += [f"  s{a.tail} {_ARROWS[a.form]} s{a.head}" for a in flow.arrows]
    lines += [f"  classDef {kind} {style}" for kind, style in _CLASSES.items()]
    said = "<br/>".join(mermaid_text(f"{sign} {meaning}") for _, sign, meaning in legend(picture.steps))
    lines.append(f'  legend["{said}"]')
    yield within_limits(lines, len(flow.arrows), "--limit 40")


def within_limits(lines: Sequence[str], arrows: int, less: str) -> str:
    """Return the text of a flowchart. Raises QueryError where it is larger than Mermaid draws."""
    text = "\n".join(lines) + "\n"
    if len(text) > MAX_TEXT or arrows > MAX_ARROWS:
        raise QueryError("this picture is larger than Mermaid draws", help=(f"show less: {less}", "or: -o order.dot"))
    return text


def _inside(parent: int, flow: Flow, picture: Picture, indent: str) -> Iterator[str]:
    for step in flow.inside.get(parent, ()):
        if step.number not in flow.inside:
            yield indent + _node(step, picture)
            continue
        yield f'{indent}subgraph g{step.number}["{mermaid_text(f"in {step.title}")}"]'
        yield f"{indent}  {_node(step, picture)}"
        yield from _inside(step.number, flow, picture, f"{indent}  ")
        yield f"{indent}end"


def _node(step: PictureStep, picture: Picture) -> str:
    said = label(step, picture)
    lines = [f"{step.number} {KINDS[said.kind][0]} {said.title}", *said.conditions, *said.remarks]
    place = step.place
    lines.append(f"{place.file.rpartition('/')[2]}:{place.line}")
    left, right = _SHAPES[said.kind]
    css = step.change or said.kind
    tag = f":::{css}" if css in _CLASSES else ""
    return f's{step.number}{left}"{"<br/>".join(mermaid_text(line) for line in lines)}"{right}{tag}'


def _comment(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9 ,]", "", text)
