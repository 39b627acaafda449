"""The answers to `arch` as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.arch import ArchAnswer, ArchRow, ExplainAnswer
from codepath.report.documents import Document, document
from codepath.report.encode import pretty
from codepath.report.view import View


def arch_json(answer: ArchAnswer, view: View) -> Iterator[str]:
    """Write all rows."""
    own = {
        "targets": answer.targets,
        "columns": answer.columns,
        "tables": [_row(row) for row in answer.rows],
        "values": None,
        "scopes": answer.scopes,
        "over_budget": answer.over_budget,
        "left_out": answer.left_out,
    }
    yield pretty(document(view, answer.stats, answer.truncated, own))


def explain_json(answer: ExplainAnswer, view: View) -> Iterator[str]:
    """Write one construct: what it is on each architecture, and the rows that rest on it."""
    values = [{"text": v.text, "place": v.place, "values": dict(v.values), "evidence": v.trail} for v in answer.values]
    own = {
        "targets": (),
        "columns": answer.columns,
        "tables": [_row(row) for row in answer.rows],
        "values": values,
        "scopes": None,
        "over_budget": (),
        "left_out": 0,
    }
    yield pretty(document(view, answer.stats, None, own))


def _row(row: ArchRow) -> Document:
    return {
        "name": row.name,
        "place": row.place,
        "kind": row.kind,
        "keys": row.keys,
        "lookups": row.lookups,
        "verdicts": dict(row.verdicts),
        "reasons": dict(row.reasons),
        "evidence": row.evidence,
        "severity": row.severity,
        "group": row.group,
        "uses": row.uses,
    }
