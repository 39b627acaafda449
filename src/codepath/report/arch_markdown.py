"""The answer to `arch` as Markdown: one table a severity."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.arch import MISSES, ArchAnswer, ArchRow, ExplainAnswer
from codepath.report.arch_text import MARKS, explain_text
from codepath.report.markdown import block, shown
from codepath.report.view import View

_TITLES = (("error", "Crashes"), ("warning", "Silently wrong"), ("info", "Falls back"))


def arch_markdown(answer: ArchAnswer, view: View) -> Iterator[str]:
    """Write the rows that miss a target."""
    yield f"## Architectures: {', '.join(answer.targets)}\n"
    missed = [row for row in answer.rows if any(row.verdict(t) in MISSES for t in answer.targets)]
    yield f"\n{len(missed)} of {len(answer.rows)} tables and branches miss a target.\n"
    for severity, title in _TITLES:
        rows = [row for row in missed if row.severity == severity]
        if rows:
            yield f"\n### {title}\n\n"
            yield f"| table or branch | place | {' | '.join(answer.columns)} | why |\n"
            yield f"|---|---|{'---|' * len(answer.columns)}---|\n"
            yield from (_row(row, answer) for row in rows)


def _row(row: ArchRow, answer: ArchAnswer) -> str:
    marks = " | ".join(MARKS[row.verdict(column)] for column in answer.columns)
    reasons = dict(row.reasons)
    why = next(reasons[t] for t in answer.targets if row.verdict(t) in MISSES)
    return f"| {shown(row.name)} | {shown(f'{row.place.file}:{row.place.line}')} | {marks} | {shown(why)} |\n"


def explain_markdown(answer: ExplainAnswer, view: View) -> Iterator[str]:
    """Write what text says of one construct."""
    yield block(explain_text(answer, view))
