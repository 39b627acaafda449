"""Findings as SARIF 2.1.0. Source: OASIS SARIF 2.1.0 errata 01; the limits are those of GitHub's code scanning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from urllib.parse import quote

from codepath.model.answers import Place, SourceInfo, Step
from codepath.model.checks import NEW_IGNORE, UNUSED_IGNORE, Finding, Rule
from codepath.report.documents import Document
from codepath.report.encode import pretty
from codepath.report.names import guard_text
from codepath.report.pen import harmless
from codepath.report.version import VERSION

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://codepath.readthedocs.io/"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_STATES = {"new": "new", "existing": "unchanged", "fixed": "absent", "suppressed": "unchanged"}
_SPAWNS = frozenset(["spawn-process", "spawn-thread", "executor", "task"])
_MAX_RESULTS = 5000
_MAX_STEPS = 200
_MAX_RELATED = 50
_BUILT_IN = {
    UNUSED_IGNORE: "A comment that silences a rule must give a reason and silence something.",
    NEW_IGNORE: "A branch silences a rule.",
}


def sarif_text(findings: Sequence[Finding], rules: Sequence[Rule], source: SourceInfo, prefix: str) -> Iterator[str]:
    """Write findings as one run.

    Args:
        findings: Of any status.
        rules: Those that were asked for.
        source: The tree.
        prefix: What stands before a file below the top of the repository.
    """
    shown = findings[:_MAX_RESULTS]
    described = [*(_rule(rule) for rule in rules), *(_built_in(name, text) for name, text in _BUILT_IN.items())]
    numbers = {rule["id"]: number for number, rule in enumerate(described)}
    run = {
        "tool": {
            "driver": {
                "name": "codepath",
                "semanticVersion": VERSION,
                "informationUri": _HOME,
                "rules": described,
            }
        },
        "automationDetails": {"id": "codepath/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The top folder of the repository."}}},
        "invocations": [_invocation(source, prefix, len(findings) - len(shown))],
        "results": [_result(finding, numbers, prefix) for finding in shown],
    }
    yield pretty({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: Rule) -> Document:
    why = rule.why or rule.summary
    return {
        "id": rule.id,
        **_name(rule.id),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": why},
        "help": {"text": rule.document or why, "markdown": rule.document or why},
        "helpUri": f"{_HOME}rules/{rule.id}/",
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {
            "tags": ["start-up", rule.kind],
            "precision": rule.precision,
            "problem.severity": "recommendation" if rule.severity == "info" else rule.severity,
        },
    }


def _built_in(name: str, text: str) -> Document:
    return {
        "id": name,
        "name": _pascal(name),
        "shortDescription": {"text": text},
        "fullDescription": {"text": text},
        "help": {"text": text, "markdown": text},
        "helpUri": f"{_HOME}rules/{name}/",
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["suppression"], "precision": "very-high", "problem.severity": "warning"},
    }


def _pascal(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))


def _name(rule: str) -> Document:
    """Return the name of a rule; it must not be its id in other letters."""
    return {"name": _pascal(rule)} if "-" in rule else {}


def _invocation(source: SourceInfo, prefix: str, left_out: int) -> Document:
    notes: list[Document] = [
        {
            "level": "warning",
            "message": {"text": f"The file was left out: {harmless(reason)}."},
            "locations": [{"physicalLocation": {"artifactLocation": _artifact(prefix + path)}}],
        }
        for path, reason in source.skipped
    ]
    if left_out:
        notes.append({"level": "warning", "message": {"text": f"{left_out} more findings are left out."}})
    return {"executionSuccessful": True, "toolExecutionNotifications": notes}


def _result(finding: Finding, numbers: dict[object, int], prefix: str) -> Document:
    line = finding.lines[0] if finding.lines else ""
    result: Document = {
        "ruleId": finding.rule,
        "ruleIndex": numbers[finding.rule],
        "level": _LEVELS[finding.severity],
        "kind": "fail",
        "message": {"text": _sentence(finding)},
        "locations": [_location(finding.place, prefix, line)],
        "partialFingerprints": {"codepath/v1": finding.fingerprint},
        "baselineState": _STATES[finding.status],
    }
    if finding.notes:
        related = finding.notes[:_MAX_RELATED]
        result["relatedLocations"] = [
            {"id": number, **_location(note.place, prefix), "message": {"text": harmless(note.text)}}
            for number, note in enumerate(related, 1)
        ]
    if finding.status == "suppressed":
        result["suppressions"] = [{"kind": "inSource", "justification": harmless(finding.reason)}]
    if finding.steps:
        result["codeFlows"] = [_flow(finding.steps[:_MAX_STEPS], prefix)]
    return result


def _sentence(finding: Finding) -> str:
    text = harmless(finding.message)
    return text if text.endswith(".") else f"{text}."


def _flow(steps: Sequence[Step], prefix: str) -> Document:
    """Return a path: one thread flow for each process or thread that it passes."""
    numbered: list[tuple[int, int, Step]] = []
    process = 0
    for order, step in enumerate(steps, 1):
        numbered.append((process, order, step))
        process += step.kind in _SPAWNS
    flows = []
    for number, group in groupby(numbered, key=lambda row: row[0]):
        flows.append({"id": f"process-{number}", "locations": [_hop(step, order, prefix) for _, order, step in group]})
    return {"threadFlows": flows}


def _hop(step: Step, order: int, prefix: str) -> Document:
    place = Place(step.file, step.line, step.column, step.caller)
    location = {**_location(place, prefix), "message": {"text": harmless(f"{step.caller} runs {step.callee}")}}
    hop: Document = {
        "location": location,
        "kinds": ["call"],
        "executionOrder": order,
        "nestingLevel": order - 1,
        "importance": "essential" if step.guards else "important",
    }
    state = {harmless(g.text): {"text": harmless(guard_text(g))} for g in step.guards}
    return {**hop, "state": state} if state else hop


def _location(place: Place, prefix: str, line: str = "") -> Document:
    region: Document = {"startLine": max(place.line, 1), "startColumn": place.column + 1}
    if line:
        region |= {"endColumn": max(len(line.rstrip()), place.column) + 1, "snippet": {"text": harmless(line)}}
    location: Document = {"physicalLocation": {"artifactLocation": _artifact(prefix + place.file), "region": region}}
    if place.function:
        location["logicalLocations"] = [{"fullyQualifiedName": harmless(place.function), "kind": "function"}]
    return location


def _artifact(path: str) -> Document:
    return {"uri": quote(path, safe="/", errors="surrogateescape"), "uriBaseId": "SRCROOT"}
