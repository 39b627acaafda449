"""The answers to `values --guards` and `values --instances`, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.detect import AttributeUse, InstanceWrite, UsesAnswer
from codepath.report.common import skipped_lines
from codepath.report.detect_json import detected_document
from codepath.report.documents import Document, document
from codepath.report.encode import pretty
from codepath.report.gaps_text import gap_lines
from codepath.report.pen import Span, pad
from codepath.report.view import View, count

_MAX_USES = 40
_PLACE_END = 56


def uses_json(answer: UsesAnswer, view: View) -> Iterator[str]:
    """Write the answer as a document."""
    own: Document = {
        "variable": answer.variable,
        "place": answer.place,
        "uses": answer.uses,
        "instances": [_instance(one) for one in answer.instances] if answer.instances is not None else None,
        "gaps": [detected_document(gap) for gap in answer.gaps],
    }
    yield pretty(document(view, None, None, own))


def _instance(one: InstanceWrite) -> Document:
    return {
        "class": one.cls,
        "holder": one.holder or None,
        "writer": one.writer,
        "flag": one.flag,
        "shared": one.shared,
        "passing": one.passing,
    }


def uses_text(answer: UsesAnswer, view: View) -> Iterator[str]:
    """Write when an attribute is set and used, then who writes shared state twice."""
    yield view.pen.line(Span(answer.variable, "name"))
    if answer.uses is not None:
        yield from _uses(answer.uses, view)
        yield from gap_lines(answer.gaps, view, bool(view.query.get("all")))
    for one in answer.instances or ():
        yield from _written(one, view)
    yield from skipped_lines(view)


def _uses(uses: tuple[AttributeUse, ...], view: View) -> Iterator[str]:
    groups = (("set", [u for u in uses if u.what == "store"]), ("used", [u for u in uses if u.what != "store"]))
    for title, found in groups:
        yield view.pen.line()
        yield view.pen.line(Span(title, "answer"), f"  {count(len(found), 'place')}")
        shown = found if view.query.get("all") else found[:_MAX_USES]
        for use in shown:
            place = view.place(use.place.file, use.place.line)
            what = "" if use.what in ("store", "read") else f"calls {use.what}  "
            yield view.pen.line("  ", place, pad(_PLACE_END, place), "  ", what, Span(use.when, "guard"))
        if len(found) > len(shown):
            yield view.pen.line(f"  ... {len(found) - len(shown)} more: --all")


def _written(one: InstanceWrite, view: View) -> Iterator[str]:
    yield view.pen.line()
    name = one.cls.rpartition(".")[2]
    said = f"every {name} writes it" if one.shared else f"a {name} with `{one.flag}` does not write it, or only once"
    yield view.pen.line(Span("SHARED" if one.shared else "ONE WRITER", "answer"), f": {said}")
    yield view.pen.line("  written   ", view.place(one.writer.file, one.writer.line))
    for place in one.passing:
        yield view.pen.line("  made with ", view.place(place.file, place.line), f"  {one.flag}=True")
