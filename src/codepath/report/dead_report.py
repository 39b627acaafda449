"""The answer to `hooks --dead`, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.detect import DeadLookups
from codepath.report.common import skipped_lines
from codepath.report.detect_json import detected_document
from codepath.report.documents import document
from codepath.report.encode import pretty
from codepath.report.gaps_text import gap_lines
from codepath.report.pen import Span
from codepath.report.view import View, count


def dead_json(answer: DeadLookups, view: View) -> Iterator[str]:
    """Write the answer as a document."""
    yield pretty(document(view, None, None, {"lookups": [detected_document(one) for one in answer.lookups]}))


def dead_text(answer: DeadLookups, view: View) -> Iterator[str]:
    """Write the look-ups that can never find anything; those on objects of other packages only where all are asked for."""
    everything = bool(view.query.get("all"))
    sure = tuple(one for one in answer.lookups if one.precision != "low")
    shown = answer.lookups if everything else sure
    if sure:
        yield view.pen.line(Span("DEAD", "answer"), f": {count(len(sure), 'look-up')} that can never find anything.")
    else:
        yield view.pen.line(Span("NONE DEAD", "answer"), " of the look-ups on objects that the tree knows.")
    yield from gap_lines(shown, view, everything)
    if len(answer.lookups) > len(shown):
        hidden = count(len(answer.lookups) - len(shown), "more look-up is", "more look-ups are")
        yield view.pen.line(Span(f"{hidden} on objects that another package may give the attribute: --all", "dim"))
    yield from skipped_lines(view)
