"""The answers to `trace` as JSON documents."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.trace import AbsentAnswer, Cause, Evidence, Frame, TraceAnswer
from codepath.report.documents import Document, document
from codepath.report.encode import pretty
from codepath.report.view import View


def trace_json(answer: TraceAnswer, view: View) -> Iterator[str]:
    """Write the answer to `trace`."""
    own = {
        "status": answer.status,
        "log": {
            "lines": answer.lines,
            "tracebacks": answer.tracebacks,
            "different": answer.different,
            "streams": answer.streams,
        },
        "frames": [_frame(f) for f in answer.frames],
        "starts": answer.starts,
        "exception": answer.exception or None,
        "message": answer.message,
        "failing_expression": answer.failing_expression,
        "failing_place": answer.failing_place,
        "causes": [_cause(rank, c) for rank, c in enumerate(answer.causes, 1)],
        "assumed": answer.assumed,
        "notes": answer.notes,
    }
    yield pretty(document(view, None, answer.truncated, own))


def _frame(frame: Frame) -> Document:
    logged = frame.frame
    return {
        "path": logged.path,
        "line": logged.line,
        "function": logged.function,
        "text": logged.text,
        "match": frame.match,
        "place": frame.place,
        "candidates": frame.candidates,
        "note": frame.note or None,
    }


def _cause(rank: int, cause: Cause) -> Document:
    return {
        "rank": rank,
        "kind": cause.kind,
        "claim": cause.claim,
        "certain": cause.certain,
        "evidence": [_evidence(e) for e in cause.evidence],
        "fix_places": [_evidence(e) for e in cause.fix_places],
        "guards": cause.guards,
        "commands": cause.commands,
    }


def _evidence(evidence: Evidence) -> Document:
    place = evidence.place
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "function": place.function,
        "reason": evidence.reason,
    }


def absent_json(answer: AbsentAnswer, view: View) -> Iterator[str]:
    """Write the answer to `trace --absent`."""
    lines = [
        {
            "place": line.place,
            "text": line.text,
            "level": line.level,
            "guards": line.guards,
            "defaults": [_evidence(e) for e in line.defaults],
        }
        for line in answer.lines
    ]
    yield pretty(document(view, None, answer.truncated, {"absent": answer.text, "lines": lines}))
