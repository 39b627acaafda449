"""A picture as text, a step a line."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.pictures import Picture, PictureStep
from codepath.report.common import LINE, cut_line, next_lines
from codepath.report.draw.words import KINDS, Label, depths, label, left_out, legend, root_title, short, summary
from codepath.report.pen import Piece, Span, pad, width
from codepath.report.view import View

_MAX_PLACE = 26
_STYLES = {"event": "mark", "skipped": "warning", "maybe": "", "step": "", "repeats": "dim", "later": "dim"}


def picture_text(picture: Picture, view: View) -> Iterator[str]:
    """Write the steps of a picture in run order, what runs inside a step below it."""
    root = picture.root
    name = root_title(picture)
    place = view.place(root.place.file, root.place.line)
    yield view.pen.line(Span(name, "name"), "   ", place)
    if picture.versions:
        yield view.pen.line(f"  what {picture.versions[1]} changes of {picture.versions[0]}")
    if picture.assumed:
        yield view.pen.line("  assumed  ", ", ".join(picture.assumed))
    yield view.pen.line()
    levels = depths(picture)
    column = min(_MAX_PLACE, max((len(_place_text(s)) for s in picture.steps), default=0)) + 1
    for step in picture.steps:
        yield from _step(step, label(step, picture), levels[step.number], column, view)
    yield from _rest(picture, view)


def _place_text(step: PictureStep) -> str:
    name, line = step.place.file.rpartition("/")[2], f":{step.place.line}"
    room = _MAX_PLACE - len(line)
    return (name if len(name) <= room else f"…{name[1 - room :]}") + line


def _step(step: PictureStep, said: Label, depth: int, column: int, view: View) -> Iterator[str]:
    text = _place_text(step)
    link = view.place(step.place.file, step.place.line).link
    lead = " " * max(0, column - len(text) - 1)
    indent = "│ " * (depth - 1)
    sign = KINDS[said.kind][0]
    room = LINE - column - 6 - len(indent)
    title = f"{'or ' if said.is_other else ''}{_way(said, room - len(said.title))}{said.title}"
    pieces: list[Piece] = [lead, Span(text, "place", link), " ", Span(f"{step.number:>3} ", "dim"), Span(indent, "dim")]
    head: list[Piece] = [*pieces, Span(f"{sign} {title}", _STYLES.get(said.kind, ""))]
    remarks = "; ".join(said.remarks)
    under = " and ".join(
        c if n == 0 else c.removeprefix("if ").removeprefix("and ") for n, c in enumerate(said.conditions)
    )
    one = [*head, *_tail(under, remarks)]
    if width(*one) <= LINE or not (under or remarks):
        yield view.pen.line(*one)
        return
    hanging: list[Piece] = [" " * (column + 4), Span(indent + "  ", "dim")]
    room = max(30, LINE - width(*hanging) - 2)
    if under and width(*head, *_tail("", remarks)) <= LINE:
        yield view.pen.line(*head, *_tail("", remarks))
        yield view.pen.line(*hanging, "  ", Span(short(under, room), "guard"))
        return
    yield view.pen.line(*head)
    if under:
        yield view.pen.line(*hanging, "  ", Span(short(under, room), "guard"))
    for remark in [remarks] if len(remarks) <= room else said.remarks:
        if remark:
            yield view.pen.line(*hanging, "  ", Span(short(remark, room), "mark"))


def _way(said: Label, room: int) -> str:
    """Return the calls on the way, the first alone where they do not fit."""
    shown = "".join(f"{name} > " for name in said.way)
    return shown if len(shown) <= room or len(said.way) < 2 else f"{said.way[0]} > … > "


def _tail(under: str, remarks: str) -> list[Piece]:
    pieces: list[Piece] = []
    if under:
        pieces += ["   ", Span(under, "guard")]
    if remarks:
        pieces += ["   ", Span(remarks, "mark")]
    return pieces


def _rest(picture: Picture, view: View) -> Iterator[str]:
    yield view.pen.line()
    if picture.hidden:
        yield view.pen.line(f"  +{picture.hidden} more in {picture.root.name.rpartition('.')[2]} itself")
    for kind, sign, meaning in legend(picture.steps):
        yield view.pen.line("  ", Span(sign, _STYLES.get(kind, "")), pad(3, sign), Span(meaning, "dim"))
    left = left_out(picture)
    rest = f", {left} more left out: --limit, --depth, --show, --root" if left > 0 else ""
    yield view.pen.line(f"  {summary(picture)}{rest}")
    yield from cut_line(picture.truncated, view, "--root on one of the steps goes on from there")
    yield view.pen.line()
    root = picture.root.name
    yield from next_lines(
        view, [(view.command("draw", "init-order", "--root", root, "-o", "order.svg"), "the picture")]
    )
