"""Findings as a code quality report of GitLab."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.model.checks import Finding
from codepath.report.encode import pretty
from codepath.report.pen import harmless

_SEVERITIES = {"error": "critical", "warning": "major", "info": "info"}


def gitlab_text(findings: Sequence[Finding], prefix: str) -> Iterator[str]:
    """Write the new findings; `prefix` stands before a file below the top of the repository."""
    yield pretty(
        [
            {
                "description": harmless(f.message),
                "check_name": f.rule,
                "fingerprint": f.fingerprint,
                "severity": _SEVERITIES[f.severity],
                "location": {"path": f"{prefix}{f.place.file}", "lines": {"begin": max(f.place.line, 1)}},
            }
            for f in findings
            if f.status == "new"
        ]
    )
