"""What detectors see, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.model.detect import Detected
from codepath.report.pen import Span
from codepath.report.view import View

_MAX_GAPS = 12


def gap_lines(gaps: Sequence[Detected], view: View, everything: bool) -> Iterator[str]:
    """Write what detectors see, one block each: the sentence, where it shows, what it rests on."""
    shown = gaps if everything else gaps[:_MAX_GAPS]
    for gap in shown:
        yield view.pen.line()
        mark = "" if gap.precision == "high" else f"  ({gap.precision} precision)"
        yield view.pen.line(Span(gap.message, "warning"), Span(mark, "dim"))
        yield view.pen.line("  seen at   ", view.place(gap.place.file, gap.place.line))
        for note in gap.notes:
            yield view.pen.line("            ", view.place(note.place.file, note.place.line), "  ", note.text)
    if len(gaps) > len(shown):
        yield view.pen.line(f"... {len(gaps) - len(shown)} more: --all")
