"""The answer to `callers --mismatch`, as text and as a JSON document."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.detect import MismatchAnswer
from codepath.report.common import next_lines, skipped_lines, target_lines
from codepath.report.detect_json import detected_document
from codepath.report.documents import document
from codepath.report.encode import pretty
from codepath.report.gaps_text import gap_lines
from codepath.report.pen import Span
from codepath.report.view import View, count


def mismatch_text(answer: MismatchAnswer, view: View) -> Iterator[str]:
    """Write the call sites that the parameters of a function do not fit."""
    yield from target_lines(answer.target, view)
    yield view.pen.line()
    sites = count(answer.calls, "call site")
    if answer.gaps:
        wrong = count(len(answer.gaps), "does not fit", "do not fit")
        yield view.pen.line(Span("MISMATCH", "answer"), f": {wrong}, of {sites} that {_are(answer.calls)} seen.")
    else:
        yield view.pen.line(Span("NO MISMATCH", "answer"), f" in {sites} that {_are(answer.calls)} seen.")
    yield from gap_lines(answer.gaps, view, True)
    yield from skipped_lines(view)
    name = str(view.query.get("name") or answer.target.name)
    yield from next_lines(view, [(view.command("callers", name), "all its call sites")])


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def mismatch_json(answer: MismatchAnswer, view: View) -> Iterator[str]:
    """Write the answer to `callers --mismatch`."""
    own = {
        "target": answer.target,
        "calls": answer.calls,
        "gaps": [detected_document(gap) for gap in answer.gaps],
    }
    yield pretty(document(view, None, None, own))
