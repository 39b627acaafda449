"""The answer to `family` as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.model.detect import Detected, FamilyAnswer, Member
from codepath.report.common import skipped_lines
from codepath.report.gaps_text import gap_lines
from codepath.report.pen import Span
from codepath.report.view import View, count

_MAX_REPLACED = 12


def family_text(answer: FamilyAnswer, view: View) -> Iterator[str]:
    """Write what a family loses, then what its classes replace."""
    yield view.pen.line(Span(answer.cls, "name"))
    yield view.pen.line("  defined  ", view.place(answer.place.file, answer.place.line))
    yield view.pen.line()
    everything = bool(view.query.get("all"))
    sure = [gap for gap in answer.gaps if gap.precision != "low"]
    gaps = answer.gaps if everything else sure
    yield from _verdict(answer, sure, view)
    yield from gap_lines(gaps, view, everything)
    if len(answer.gaps) > len(gaps):
        hidden = count(len(answer.gaps) - len(gaps), "more rests", "more rest")
        yield view.pen.line(Span(f"{hidden} on equal names alone: --all", "dim"))
    yield from _replaced(answer, view, everything)
    yield from skipped_lines(view)


def _verdict(answer: FamilyAnswer, gaps: Sequence[Detected], view: View) -> Iterator[str]:
    classes = count(len(answer.members), "class", "classes")
    if not gaps:
        yield view.pen.line(Span("NOTHING LOST", "answer"), f" that something is seen to read, in {classes}.")
        return
    names = sorted({gap.owner.rpartition(".")[2] for gap in gaps})
    yield view.pen.line(
        Span("LOST", "answer"), f": {count(len(gaps), 'attribute')} in {', '.join(names[:4])} of {classes}."
    )


def _replaced(answer: FamilyAnswer, view: View, everything: bool) -> Iterator[str]:
    rows = [(member, one) for member in answer.members for one in member.replaced if member.is_made]
    if not rows:
        return
    yield view.pen.line()
    yield view.pen.line(Span("replaced and never called", "answer"), f"  {count(len(rows), 'method')}")
    for member, one in rows if everything else rows[:_MAX_REPLACED]:
        base = one.base.rpartition(".")[2]
        where = one.by or one.place
        sets = f", which sets {', '.join(one.sets[:3])}{' ...' if len(one.sets) > 3 else ''}" if one.sets else ""
        yield view.pen.line(
            "  ", view.place(where.file, where.line), f"  {_named(member)} for {base}.{one.method}{sets}"
        )
    if not everything and len(rows) > _MAX_REPLACED:
        yield view.pen.line(f"  ... {len(rows) - _MAX_REPLACED} more: --all")


def _named(member: Member) -> str:
    return member.cls.rpartition(".")[2]
