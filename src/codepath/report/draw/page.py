"""The order of what runs below a function as one HTML file: cards in run order, with positions of our own."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.pictures import Picture
from codepath.report.draw.layout import FRAME, GAP, INDENT, LINE, MARGIN, PAD, Card, Layout, layout
from codepath.report.draw.shell import Shell, as_text, number
from codepath.report.draw.words import conditions, label, lane_title, left_out, legend, root_title, summary
from codepath.report.names import guard_text, is_shown
from codepath.report.pen import harmless
from codepath.report.view import View


def picture_page(picture: Picture, view: View) -> Iterator[str]:
    """Write a picture as one HTML file."""
    placed = layout(picture)
    name = root_title(picture)
    data = {
        "stacked": True,
        "margin": MARGIN,
        "gap": GAP,
        "steps": [_step(card, picture, view) for card in placed.cards],
        "arrows": [],
    }
    shell = Shell(
        title=f"{name}: order of initialisation",
        name=name,
        notes=_notes(picture, view),
        legend=legend(picture.steps),
        choices=_choices(picture),
        width=placed.width,
        height=placed.height,
        has_conditions=True,
        data=data,
    )
    yield from shell.page(_svg(placed))


def _notes(picture: Picture, view: View) -> list[str]:
    place = view.place(picture.root.place.file, picture.root.place.line).text
    left = left_out(picture)
    more = "codepath draw init-order --limit N, or --root on a step, shows them."
    rest = f" +{left} more were found: {more}" if left > 0 else ""
    cut = picture.truncated
    stop = f" Cut off after {cut.shown} {cut.what}." if cut is not None else ""
    notes = [f"{place}. {summary(picture)}.{rest}{stop}"]
    if picture.versions:
        notes.append(f"What {picture.versions[1]} changes of {picture.versions[0]}.")
    return [*notes, *([f"Assumed: {', '.join(picture.assumed)}"] if picture.assumed else [])]


def _choices(picture: Picture) -> dict[str, tuple[str, list[tuple[str, str]]]]:
    kinds = [("", "all steps"), ("sure", "without conditions"), ("events", "events")]
    if picture.versions:
        kinds.append(("changes", "what changed"))
    lanes = [(str(n), lane_title(lane)) for n, lane in enumerate(picture.lanes)]
    return {"kind": ("Show", kinds), "lane": ("Process", [("", "all"), *lanes])}


def _svg(placed: Layout) -> Iterator[str]:
    for card in placed.cards:
        yield _frame(card, placed)
    for card in placed.cards:
        yield from _card(card)


def _frame(card: Card, placed: Layout) -> str:
    """Return the frame around a step and what is inside it; the script leaves out that of a step with nothing inside."""
    inner = placed.cards[card.step.number - 1 : card.end]
    deepest = max(c.depth for c in inner)
    right = max(c.x + c.width for c in inner) + FRAME * (deepest - card.depth + 1)
    bottom = inner[-1].y + inner[-1].height + 6
    gone = ' class="frame gone"' if len(inner) == 1 else ' class="frame"'
    size = f'width="{number(right - card.x + 6)}" height="{number(bottom - card.y + 6)}"'
    return f'<rect id="f{card.step.number}"{gone} x="{number(card.x - 6)}" y="{number(card.y - 6)}" {size} rx="6"/>\n'


def _card(card: Card) -> Iterator[str]:
    step = card.step
    said = ". ".join(card.lines)
    change = f" {step.change}" if step.change else ""
    yield f'<g id="s{step.number}" class="step {card.kind}{change}" '
    yield f'transform="translate({number(card.x)} {number(card.y)})" '
    yield f'tabindex="0" role="listitem" aria-label="{as_text(said)}">\n'
    top = -GAP + 1
    x = INDENT // 2
    arrow = f"M{x} {top}V-2M{x - 4} -7L{x} -2L{x + 4} -7"
    yield f'<path class="link link-{card.link}" d="{arrow}"/>\n'
    rounded = {"maybe": 12, "event": 0, "step": 3}.get(card.kind, 3)
    yield f'<rect class="card" width="{number(card.width)}" height="{number(card.height)}" rx="{rounded}"/>\n'
    for row, line in enumerate(card.lines):
        css = {0: "head", 1: "place"}.get(row, "said")
        yield f'<text class="{css}" x="{PAD}" y="{PAD + LINE * row + 13}">{as_text(line)}</text>\n'
    yield "</g>\n"


def _step(card: Card, picture: Picture, view: View) -> dict[str, object]:
    step = card.step
    said = label(step, picture)
    guards = [harmless(guard_text(g)) for g in step.guards if is_shown(g)]
    calls = [harmless(f"{view.place(h.step.file, h.step.line).text} {h.step.callee}") for h in step.hops]
    remarks = [harmless(remark) for remark in said.remarks]
    return {
        "number": step.number,
        "parent": step.parent,
        "end": card.end,
        "x": round(card.x),
        "height": round(card.height),
        "lane": step.lane,
        "kind": card.kind,
        "change": step.change,
        "title": harmless(f"{step.number} {step.title}"),
        "text": harmless(" ".join([*card.lines, *conditions(step.guards)])),
        "guards": guards,
        "parts": [["Calls", calls], ["Conditions", guards], ["Remarks", remarks]],
        "place": harmless(view.place(step.place.file, step.place.line).text),
        "url": view.url(step.place.file, step.place.line),
    }
