"""The answers to `check` and `diff` as JSON documents."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.checks import Change, CheckAnswer, DiffAnswer, Finding, RuleRun
from codepath.report.documents import Document, document
from codepath.report.encode import pretty
from codepath.report.view import View


def check_json(answer: CheckAnswer, view: View) -> Iterator[str]:
    """Write all findings, those that are known or suppressed too."""
    own = {
        "findings": [finding_document(f) for f in answer.findings],
        "rules": [_run(run) for run in answer.runs],
        "base": answer.base or None,
        "baseline": {"path": answer.baseline, "known": answer.known, "stale": answer.stale},
        "changed_files": answer.changed,
    }
    yield pretty(document(view, None, answer.truncated, own))


def diff_json(answer: DiffAnswer, view: View) -> Iterator[str]:
    """Write all changes and findings."""
    own = {
        "base": {"spec": answer.base.spec, "files": answer.base.files, "lines": answer.base.lines},
        "changes": [_change(change) for change in answer.changes],
        "unchanged": [{"aspect": f.aspect, "subject": f.subject, "values": f.values} for f in answer.same],
        "findings": [finding_document(f) for f in answer.findings],
        "rules": [_run(run) for run in answer.runs],
        "changed_files": answer.changed,
    }
    yield pretty(document(view, None, answer.truncated, own))


def finding_document(finding: Finding) -> Document:
    """Return a finding as documents have it; `paths` holds the places that show it, in the order of a run."""
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "place": finding.place,
        "paths": [finding.steps] if finding.steps else [],
        "related": [{"place": note.place, "text": note.text} for note in finding.notes],
        "subject": finding.subject,
        "fingerprint": finding.fingerprint,
        "status": finding.status,
        "reason": finding.reason or None,
        "help": finding.help or None,
    }


def _run(run: RuleRun) -> Document:
    return {
        "id": run.id,
        "kind": run.kind,
        "severity": run.severity,
        "state": run.state,
        "reason": run.reason or None,
        "findings": run.findings,
    }


def _change(change: Change) -> Document:
    return {
        "kind": change.kind,
        "subject": change.subject,
        "before": change.before,
        "after": change.after,
        "places": change.places,
    }
