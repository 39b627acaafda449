"""The answer to `siblings`, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.siblings import Difference, Doing, SiblingsAnswer
from codepath.report.common import skipped_lines
from codepath.report.documents import Document, document
from codepath.report.encode import pretty
from codepath.report.pen import Span, pad
from codepath.report.view import View, count

_MOST = 12
_MOST_DOING = 2
_MOST_SIBLINGS = 16
_WIDE = 56
_FOUND = {
    "asked": "",
    "override": "overrides the same method",
    "alternative": "taken in its place",
    "body": "does much the same",
    "name": "named alike",
    "version": "another version of the class",
}


def siblings_json(answer: SiblingsAnswer, view: View) -> Iterator[str]:
    """Write the answer as a document."""
    own: Document = {"siblings": answer.siblings, "differences": [_difference(one) for one in answer.differences]}
    yield pretty(document(view, None, None, own))


def _difference(one: Difference) -> Document:
    return {
        "form": one.form,
        "what": one.what,
        "name": one.name,
        "beside": one.beside or None,
        "have": one.have,
        "lack": one.lack,
        "place": one.place,
        "have_total": one.have_total,
        "total": one.total,
        "precision": one.precision,
        "surprise": one.surprise,
        "message": one.message,
    }


def siblings_text(answer: SiblingsAnswer, view: View) -> Iterator[str]:
    """Write the siblings, then what some do and others do not."""
    everything = bool(view.query.get("all"))
    others = len(answer.siblings) - 1
    yield view.pen.line(Span("COMPARED", "answer"), f": {count(len(answer.siblings), 'function')}")
    for sibling in answer.siblings if everything else answer.siblings[:_MOST_SIBLINGS]:
        name = _short(sibling.function)
        where = view.place(sibling.place.file, sibling.place.line)
        yield view.pen.line("  ", name, pad(_WIDE, name), where, "  ", Span(_FOUND[sibling.found], "dim"))
    if not others:
        yield view.pen.line("  No sibling of it is seen; name several functions to compare them.")
    yield from _differences(answer, view, everything)
    yield from skipped_lines(view)


def _differences(answer: SiblingsAnswer, view: View, everything: bool) -> Iterator[str]:
    yield view.pen.line()
    if not answer.differences:
        yield view.pen.line(Span("ALIKE", "answer"), ": no call or store of one is missing in another.")
        return
    found = count(len(answer.differences), "difference")
    yield view.pen.line(Span(found, "answer"), ", the most surprising first")
    shown = answer.differences if everything else answer.differences[:_MOST]
    for one in shown:
        yield view.pen.line()
        mark = "" if one.precision == "high" else f"  ({one.precision} precision)"
        yield view.pen.line(Span(one.message, "warning"), Span(mark, "dim"))
        yield view.pen.line("  missing in ", view.place(one.place.file, one.place.line))
        for doing in one.have[:_MOST_DOING]:
            yield from _doing(doing, view)
        if len(one.lack) > 1:
            yield view.pen.line("  without it ", ", ".join(_short(name) for name in one.lack))
    if len(answer.differences) > len(shown):
        yield view.pen.line()
        yield view.pen.line(f"... {len(answer.differences) - len(shown)} more: --all")


def _doing(doing: Doing, view: View) -> Iterator[str]:
    way = f", over {count(len(doing.through), 'call')}" if doing.through else ""
    guards = [f"{'' if g.polarity else 'not '}{g.text}" for g in doing.guards]
    when = f"  where {' and '.join(guards)}" if guards else ""
    place = view.place(doing.place.file, doing.place.line)
    yield view.pen.line("  done at    ", place, f"  {_short(doing.function)}{way}", Span(when, "guard"))


def _short(name: str) -> str:
    parts = name.split(".")
    return ".".join(parts[-2:]) if len(parts) > 1 and parts[-2][:1].isupper() else parts[-1]
