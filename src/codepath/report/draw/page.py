"""A picture as one HTML file: an SVG with positions of our own, a style and a script in the page, no request at all.

The policy of the page allows the style and the script by their hashes and nothing else; what comes from the tree is text.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape
from importlib import resources

import msgspec

from codepath.model.pictures import Picture
from codepath.report.draw.layout import GAP, INDENT, LINE, MARGIN, PAD, Card, Layout, layout
from codepath.report.draw.words import conditions, label, lane_title, legend, root_title, summary
from codepath.report.names import guard_text, is_shown
from codepath.report.pen import harmless
from codepath.report.view import View

_HINT = "Choose a step to read all of it. Arrow keys go on, h hides."


def picture_page(picture: Picture, view: View) -> Iterator[str]:
    """Write a picture as one HTML file."""
    style, script = _resource("page.css"), _resource("page.js")
    placed = layout(picture)
    name = root_title(picture)
    allowed = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{_text(name)}: order of initialisation</title>\n<style>{style}</style>\n</head>\n<body>\n"
    yield from _header(name, picture, view)
    yield '<main>\n<div id="scroll">\n'
    yield from _svg(placed, picture)
    yield f'</div>\n<aside aria-live="polite" id="panel"><p>{_HINT}</p></aside>\n'
    yield f'</main>\n<script type="application/json" id="data">{_data(placed, picture, view)}</script>\n'
    yield f"<script>{script}</script>\n</body>\n</html>\n"


def _resource(name: str) -> str:
    return (resources.files("codepath.report.draw") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _text(text: str) -> str:
    """Return a text as HTML, harmless in a terminal too."""
    return escape(harmless(text))


def _header(name: str, picture: Picture, view: View) -> Iterator[str]:
    place = view.place(picture.root.place.file, picture.root.place.line).text
    left = picture.total - len(picture.steps)
    rest = (
        f" {left} more were found: codepath draw init-order --limit N, or --root on a step, shows them."
        if left > 0
        else ""
    )
    yield f"<header>\n<h1>{_text(name)}</h1>\n<p>{_text(place)}. {_text(summary(picture))}.{rest}</p>\n"
    if picture.assumed:
        yield f"<p>Assumed: {_text(', '.join(picture.assumed))}</p>\n"
    said = "   ".join(f"{sign} {meaning}" for _, sign, meaning in legend(picture.steps))
    yield f'<p id="legend">{_text(said)}</p>\n'
    yield '<form id="form">\n<label>Search <input id="search" type="search"></label>\n'
    yield '<label>Condition <input id="guard" type="search"></label>\n<label>Show <select id="kind">'
    yield '<option value="">all steps</option><option value="sure">without conditions</option>'
    yield '<option value="events">events</option></select></label>\n<label>Process <select id="lane">'
    yield '<option value="">all</option>'
    for number, lane in enumerate(picture.lanes):
        yield f'<option value="{number}">{_text(lane_title(lane))}</option>'
    yield '</select></label>\n<button id="all" type="button">Show all</button>\n<span id="count" role="status"></span>\n'
    yield "</form>\n</header>\n"


def _svg(placed: Layout, picture: Picture) -> Iterator[str]:
    width, height = _number(placed.width), _number(placed.height)
    yield f'<svg id="picture" xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
    yield f'viewBox="0 0 {width} {height}" role="list" aria-label="steps in run order">\n'
    for card in placed.cards:
        yield _frame(card, placed)
    for card in placed.cards:
        yield from _card(card, picture)
    yield "</svg>\n"


def _frame(card: Card, placed: Layout) -> str:
    """Return the frame around a step and what is inside it; the script leaves out that of a step with nothing inside."""
    inner = placed.cards[card.step.number - 1 : card.end]
    right = max(c.x + c.width + 4 * (max(k.depth for k in inner) - c.depth + 1) for c in inner)
    bottom = inner[-1].y + inner[-1].height + 6
    gone = ' class="frame gone"' if len(inner) == 1 else ' class="frame"'
    size = f'width="{_number(right - card.x + 12)}" height="{_number(bottom - card.y + 6)}"'
    return f'<rect id="f{card.step.number}"{gone} x="{_number(card.x - 6)}" y="{_number(card.y - 6)}" {size} rx="6"/>\n'


def _card(card: Card, picture: Picture) -> Iterator[str]:
    number = card.step.number
    said = ". ".join(card.lines)
    yield f'<g id="s{number}" class="step {card.kind}" transform="translate({_number(card.x)} {_number(card.y)})" '
    yield f'tabindex="0" role="listitem" aria-label="{_text(said)}">\n'
    top = -GAP + 1
    x = INDENT // 2
    arrow = f"M{x} {top}V-2M{x - 4} -7L{x} -2L{x + 4} -7"
    yield f'<path class="link link-{card.link}" d="{arrow}"/>\n'
    rounded = {"maybe": 12, "event": 0, "step": 3}.get(card.kind, 3)
    yield f'<rect class="card" width="{_number(card.width)}" height="{_number(card.height)}" rx="{rounded}"/>\n'
    for row, line in enumerate(card.lines):
        css = {0: "head", 1: "place"}.get(row, "said")
        yield f'<text class="{css}" x="{PAD}" y="{PAD + LINE * row + 13}">{_text(line)}</text>\n'
    yield "</g>\n"


def _number(value: float) -> str:
    return f"{value:.0f}"


def _data(placed: Layout, picture: Picture, view: View) -> str:
    """Return what the script needs as JSON in which no markup can stand."""
    steps = [_step(card, picture, view) for card in placed.cards]
    encoded = msgspec.json.encode({"margin": MARGIN, "gap": GAP, "steps": steps}).decode("utf-8", "replace")
    return encoded.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").replace("\u2028", "\\u2028")


def _step(card: Card, picture: Picture, view: View) -> dict[str, object]:
    step = card.step
    said = label(step, picture)
    guards = [harmless(guard_text(g)) for g in step.guards if is_shown(g)]
    calls = [f"{view.place(h.step.file, h.step.line).text} {h.step.callee}" for h in step.hops]
    return {
        "number": step.number,
        "parent": step.parent,
        "end": card.end,
        "x": round(card.x),
        "height": round(card.height),
        "lane": step.lane,
        "kind": card.kind,
        "title": harmless(step.title),
        "text": harmless(" ".join([*card.lines, *conditions(step.guards)])),
        "calls": [harmless(call) for call in calls],
        "guards": guards,
        "remarks": [harmless(remark) for remark in said.remarks],
        "url": view.place(step.place.file, step.place.line).link,
    }
