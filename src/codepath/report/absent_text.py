"""The answer to `trace --absent` as text."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.trace import AbsentAnswer, AbsentLine
from codepath.report.common import cut_line, next_lines
from codepath.report.names import guard_text, shown_guards, without_module
from codepath.report.pen import Span, pad
from codepath.report.view import View, count

_RAISES = ("early-raise", "assert")
_SHOWN = 10
_WIDE = 56


def absent_text(answer: AbsentAnswer, view: View) -> Iterator[str]:
    """Write where a text would be printed, under which guards, and what they are by default."""
    if not answer.lines:
        yield view.pen.line(Span(f"Nothing in this tree is seen to print `{answer.text}`.", "answer"))
        yield view.pen.line(
            "A text that is put together elsewhere than in the call is found by its constant parts alone."
        )
        return
    guarded = [line for line in answer.lines if any(g.kind not in _RAISES for g in shown_guards(line.guards))]
    places = count(len(answer.lines), "place prints", "places print")
    if len(guarded) == len(answer.lines):
        said = f"{places} it, under guards only: that the line is not in a log proves nothing."
    else:
        said = f"{places} it, {len(answer.lines) - len(guarded)} whenever the function around gets there and raises nothing."
    yield view.pen.line(Span(said, "answer"))
    yield view.pen.line()
    for line in answer.lines[:_SHOWN]:
        yield from _line(line, view)
    if len(answer.lines) > _SHOWN:
        yield view.pen.line(f"... {len(answer.lines) - _SHOWN} more places: --format json")
    yield from cut_line(answer.truncated, view)
    place = answer.lines[0].place
    yield from next_lines(view, [(view.command("reach", f"{place.file}:{place.line}"), "which paths get there")])


def _line(line: AbsentLine, view: View) -> Iterator[str]:
    place = view.place(line.place.file, line.place.line)
    yield view.pen.line(place, pad(_WIDE, place), without_module(line.place.function, line.place.file))
    yield view.pen.line(f"     {line.level}: ", line.text)
    for guard in shown_guards(line.guards):
        where = view.place(guard.file, guard.line)
        yield view.pen.line("     where  ", where, pad(_WIDE - 12, where), Span(guard_text(guard), "guard"))
    for one in line.defaults:
        where = view.place(one.place.file, one.place.line)
        yield view.pen.line("            ", where, pad(_WIDE - 12, where), Span(one.reason, "dim"))
    yield view.pen.line()
