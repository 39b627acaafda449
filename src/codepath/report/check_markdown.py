"""Findings as Markdown, for the summary of a job; nothing in the tree can forge a line of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.model.checks import SEVERITIES, CheckAnswer, Finding
from codepath.report.markdown import shown
from codepath.report.view import count

_MOST = 100


def check_markdown(answer: CheckAnswer, prefix: str) -> Iterator[str]:
    """Write the new findings as a table, the severest first, and what is hidden."""
    new = [f for f in answer.findings if f.status == "new"]
    yield "## codepath\n\n"
    if not new:
        ran = sum(1 for run in answer.runs if run.state == "ran")
        yield f"No new findings: {count(ran, 'rule')} ran.\n"
    else:
        counts = {s: sum(1 for f in new if f.severity == s) for s in SEVERITIES}
        beside = f" that {shown(answer.base)} does not have" if answer.base else ""
        yield f"{', '.join(count(n, s) for s, n in counts.items() if n)}{beside}.\n\n"
        yield "| severity | rule | place | finding |\n|---|---|---|---|\n"
        ordered = sorted(new, key=lambda f: SEVERITIES.index(f.severity))
        for finding in ordered[:_MOST]:
            yield _row(finding, prefix)
        if len(new) > _MOST:
            yield f"\n... and {len(new) - _MOST} more: `codepath check --format concise`\n"
    yield from _hidden(answer.findings)


def _row(finding: Finding, prefix: str) -> str:
    place = f"{prefix}{finding.place.file}:{finding.place.line}"
    return f"| {finding.severity} | {shown(finding.rule)} | {shown(place)} | {shown(finding.message)} |\n"


def _hidden(findings: Sequence[Finding]) -> Iterator[str]:
    older = sum(1 for f in findings if f.status == "existing")
    silent = sum(1 for f in findings if f.status == "suppressed")
    if older or silent:
        yield f"\nNot shown: {older} older, {silent} suppressed.\n"
