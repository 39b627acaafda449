"""Why calls have no known target, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.model.answers import Reason, Receiver
from codepath.report.pen import Piece, Span, pad
from codepath.report.view import View, count

_LESSONS = 3


def reasons_text(reasons: Sequence[Reason], view: View) -> Iterator[str]:
    """Write reasons with the commonest callees; with their receivers, and lines that teach the tool, where they are known."""
    if not reasons:
        return
    yield view.pen.line()
    if any(reason.receivers for reason in reasons):
        yield from _with_receivers(reasons, view)
        return
    yield view.pen.line("Why calls have no known target, and the commonest of them:")
    end = min(max(len(r.reason) for r in reasons), 50) + 3
    for reason in reasons:
        examples = ", ".join(f"{text} ({n})" for text, n in reason.examples)
        head: Piece = f"{reason.count:7}  "
        yield view.pen.line(head, reason.reason, pad(end, reason.reason), Span(examples, "dim"))


def _with_receivers(reasons: Sequence[Reason], view: View) -> Iterator[str]:
    yield view.pen.line("Why calls have no known target, and what they are made on:")
    for reason in reasons:
        yield view.pen.line(f"{reason.count:7}  ", Span(reason.reason, "name"))
        for receiver in reason.receivers:
            yield from _receiver(receiver, view)
    yield view.pen.line()
    yield view.pen.line("To tell what one of them runs, in codepath.toml (codepath takes your word for it):")
    best = sorted(
        (r for reason in reasons for r in reason.receivers),
        key=lambda r: ("package.module." in r.teach, -r.count, r.text, r.owner),
    )
    for receiver in best[:_LESSONS]:
        yield view.pen.line()
        for line in receiver.teach.splitlines():
            yield view.pen.line("  ", line)


def _receiver(receiver: Receiver, view: View) -> Iterator[str]:
    calls = ", ".join(f"{text} ({n})" for text, n in receiver.calls)
    owner = f" of {receiver.owner}" if receiver.owner else ""
    spread = f" in {count(receiver.functions, 'function')}" if receiver.functions > 1 else ""
    first = receiver.places[0]
    where = view.place(first.file, first.line)
    yield view.pen.line(f"{receiver.count:11}  ", receiver.text, Span(f"{owner}{spread}: {calls}   ", "dim"), where)
