"""The answer to `order` as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.model.answers import Guard, Skip
from codepath.model.orders import OrderAnswer, OrderContext, OrderSide
from codepath.report.assumed import assumed_of
from codepath.report.common import LINE, cut_line, next_lines, spelled_lines
from codepath.report.names import guard_text, is_shown, without_module
from codepath.report.pen import Piece, Span, pad
from codepath.report.view import View

MAX_CONTEXTS = 4
MAX_SKIPS = 4
_MAX_SITES = 8
_SAID = {
    "before": "on every path where both run",
    "after": "on every path where both run",
    "either": "both orders are possible",
    "inside": "one runs inside the call of the other",
    "exclusive": "no path runs both",
    "concurrent": "they run in different processes or threads",
    "unreached": "no path runs both, and one is not reached at all",
}
_REMARKS = {"first": "<- A", "then": "<- B", "both": "<- A, B", "else": "<- its else"}


def order_text(answer: OrderAnswer, view: View) -> Iterator[str]:
    """Write which of two things comes first, with the lines that show it."""
    yield from _sides(answer, view)
    yield from assumed_of(answer.assumptions, view)
    yield view.pen.line()
    own = _each_verdict_first([c for c in answer.contexts if not c.again])
    yield view.pen.line(Span(answer.verdict.upper(), "answer"), f": {_SAID[answer.verdict]}.{_called_from(own)}")
    yield from spelled_lines(answer.spelled, view)
    for number, context in enumerate(own[:MAX_CONTEXTS]):
        yield view.pen.line()
        yield from _context(context, answer, view, titled=len(own) > 1 or number > 0)
    if len(own) > MAX_CONTEXTS:
        yield view.pen.line(f"  ... {len(own) - MAX_CONTEXTS} more frames: --format json")
    yield from _again([c for c in answer.contexts if c.again], view)
    yield from cut_line(answer.truncated, view)
    yield view.pen.line()
    yield from _next(answer, view)


def _each_verdict_first(contexts: Sequence[OrderContext]) -> list[OrderContext]:
    """Return contexts so that one of each verdict is among the first, which are shown."""
    first = {context.verdict: number for number, context in reversed(list(enumerate(contexts)))}
    return [contexts[n] for n in sorted(range(len(contexts)), key=lambda n: (n not in first.values(), n))]


def _sides(answer: OrderAnswer, view: View) -> Iterator[str]:
    for letter, side in (("A", answer.first), ("B", answer.then)):
        pieces: list[Piece] = [f"{letter}  ", Span(side.title, "name")]
        if side.title != side.query and side.query not in side.title:
            pieces.append(f"   asked as {side.query}")
        yield view.pen.line(*pieces)
        yield from _side_places(side, view)


def _side_places(side: OrderSide, view: View) -> Iterator[str]:
    for place in side.places[:1]:
        yield view.pen.line(
            "   ", view.place(place.file, place.line), "   in ", without_module(place.function, place.file)
        )
    if not side.places:
        yield view.pen.line(
            "   ", Span(", ".join(side.functions[:3]) + (", ..." if len(side.functions) > 3 else ""), "dim")
        )


def _called_from(own: Sequence[OrderContext]) -> str:
    if len(own) != 1:
        return f" {len(own)} frames separate them:" if own else ""
    return f" Both are called from {without_module(own[0].function, own[0].then_site.file)}:"


def _context(context: OrderContext, answer: OrderAnswer, view: View, *, titled: bool) -> Iterator[str]:
    if titled:
        name = without_module(context.function, context.then_site.file)
        yield view.pen.line("  ", Span(context.verdict, "answer"), f" in {name}")
    yield view.pen.line("  ", view.place(context.then_site.file, 0))
    indent = min((len(line.text) - len(line.text.lstrip()) for line in context.lines), default=0)
    width = len(str(max((line.line for line in context.lines), default=0)))
    texts = [(line, _cut(line.text[indent:].rstrip())) for line in context.lines]
    end = min(max((len(text) for _, text in texts), default=0), LINE - 24) + width + 7
    for line, text in texts:
        lead = f"  {line.line:>{width}}  "
        pieces: list[Piece] = [lead, text]
        if line.remark:
            pieces += [pad(end, lead, text), Span(_REMARKS.get(line.remark, line.remark), "mark")]
        yield view.pen.line(*pieces)
    yield from _skips(context.skips, view, context.then_site.file)


def _cut(text: str) -> str:
    room = LINE - 24
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _skips(skips: Sequence[Skip], view: View, near: str) -> Iterator[str]:
    for skip in skips[:MAX_SKIPS]:
        pieces: list[Piece] = ["  B runs without A when "]
        for number, guard in enumerate(_shown(skip)):
            pieces += [" and " if number else "", Span(f"`{guard_text(guard)}`", "guard"), " ("]
            pieces += [view.short_place(guard.file, guard.line, near), ")"]
        yield view.pen.line(*pieces)
    if len(skips) > MAX_SKIPS:
        yield view.pen.line(f"  ... {len(skips) - MAX_SKIPS} more ways: --format json")


def _shown(skip: Skip) -> list[Guard]:
    return [g for g in skip if is_shown(g)] or list(skip)


def _again(again: Sequence[OrderContext], view: View) -> Iterator[str]:
    if again:
        yield view.pen.line()
    for context in again[:_MAX_SITES]:
        place = context.then_site
        shown = [g for g in context.guards if is_shown(g)]
        under = _cut(f"when `{guard_text(shown[-1])}`") if shown else ""
        name = without_module(place.function, place.file)
        yield view.pen.line("  B also runs, later, at ", view.place(place.file, place.line), f" ({name})")
        if under:
            yield view.pen.line("      ", under)


def _next(answer: OrderAnswer, view: View) -> Iterator[str]:
    function = answer.first.functions[0] if answer.first.functions else answer.first.query
    yield from next_lines(view, [(view.command("reach", function), "the paths that lead to A")])
