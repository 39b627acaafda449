"""What depends on the GPU architecture as a sheet: a box a table or branch that misses a target, with all its verdicts."""

from __future__ import annotations

from codepath.model.arch import MISSES, ArchAnswer, ArchRow
from codepath.model.sheets import Box, Sheet
from codepath.report.arch_text import MARKS
from codepath.report.names import guard_text
from codepath.report.view import count

_SEVERITIES = ("error", "warning", "info")
_MAX_USES = 2


def arch_sheet(answer: ArchAnswer) -> Sheet:
    """Return the rows that miss a target, worst first."""
    missed = [row for row in answer.rows if any(row.verdict(t) in MISSES for t in answer.targets)]
    groups = [row.group for row in missed if row.group]
    causes = {g for g in groups if groups.count(g) > 1}
    rows = sorted(missed, key=lambda r: (_SEVERITIES.index(r.severity), r.place.file, r.place.line))
    said = [f"{sum(r.severity == s for r in rows)} {s}" for s in _SEVERITIES if any(r.severity == s for r in rows)]
    return Sheet(
        about="architectures",
        name=", ".join(answer.targets),
        place=None,
        caption=f"{count(len(rows), 'table or branch', 'tables and branches')} of {len(answer.rows)} miss a target"
        + (f": {', '.join(said)}" if said else ""),
        boxes=tuple(_box(row, answer, row.group if row.group in causes else "") for row in rows),
        arrows=(),
        way_out="--limit N, or --target ARCH for one",
        truncated=answer.truncated,
    )


def _box(row: ArchRow, answer: ArchAnswer, cause: str) -> Box:
    reasons = dict(row.reasons)
    columns = [c for c in answer.columns if row.verdict(c) in MARKS]
    verdicts = [f"{c} {MARKS[row.verdict(c)]} {row.verdict(c)}" for c in columns]
    said = dict.fromkeys(reasons.get(t, "") for t in answer.targets if row.verdict(t) in MISSES)
    uses = [
        f"from {use.entry}" + (f" when {' and '.join(guard_text(g) for g in use.guards[:2])}" if use.guards else "")
        for use in row.uses
    ]
    lines = [f"{row.place.file.rpartition('/')[2]}:{row.place.line}", *_in_lines(verdicts), *said, *uses[:_MAX_USES]]
    if cause:
        lines.append(f"one cause with others: {cause}")
    return Box(
        key=f"{row.place.file} {row.name}",
        kind=row.severity,
        title=row.name,
        lines=tuple(line for line in lines if line),
        place=row.place,
        more=(
            (
                "Verdicts",
                tuple(f"{verdict}: {reasons.get(c, '')}" for c, verdict in zip(columns, verdicts, strict=True)),
            ),
            ("Keys", row.keys),
            ("Used", tuple(uses)),
            ("Evidence", tuple(e.what for e in row.evidence)),
        ),
    )


def _in_lines(verdicts: list[str]) -> list[str]:
    return ["   ".join(verdicts[n : n + 3]) for n in range(0, len(verdicts), 3)]
