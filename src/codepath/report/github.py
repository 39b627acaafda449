"""Findings as annotations of GitHub: workflow commands, one a line, that nothing in the tree can forge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.model.checks import SEVERITIES, Finding
from codepath.report.pen import harmless

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}
_MOST = 10  # annotations of a kind that the host shows in a step
_MAX_NOTES = 4


def github_text(findings: Sequence[Finding], prefix: str) -> Iterator[str]:
    """Write the new findings, the severest first; where the host shows fewer, a notice counts the rest.

    Args:
        findings: Of any status.
        prefix: What stands before a file below the top of the repository.
    """
    new = [f for f in findings if f.status == "new"]
    more = 0
    for severity in SEVERITIES:
        same = [f for f in new if f.severity == severity]
        for finding in same[:_MOST]:
            yield _annotation(finding, prefix)
        more += len(same) - len(same[:_MOST])
    if more:
        yield f"::notice::... and {more} more findings: codepath check --format concise\n"


def _annotation(finding: Finding, prefix: str) -> str:
    place = finding.place
    lines = [finding.message]
    lines += [f"  {prefix}{n.place.file}:{n.place.line}  {n.text}" for n in finding.notes[:_MAX_NOTES]]
    lines += [f"  help: {finding.help}"] if finding.help else []
    message = "%0A".join(_data(line) for line in lines)
    title = _property(f"codepath ({finding.rule})")
    where = f"file={_property(prefix + place.file)},line={place.line},col={place.column + 1}"
    return f"::{_COMMANDS[finding.severity]} title={title},{where}::{message}\n"


def _data(text: str) -> str:
    """Return a text for the message: what the host would decode is escaped, what does not print is shown as an escape."""
    return harmless(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
