"""Findings as text: in full, one a line, or grouped by file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from codepath.model.answers import Step
from codepath.model.checks import CheckAnswer, Finding, RuleRun
from codepath.report.excerpt import excerpt_lines
from codepath.report.names import without_module
from codepath.report.pen import Span
from codepath.report.view import View, count

_STYLES = {"error": "error", "warning": "warning", "info": "dim"}
_MAX_FULL = 50
_OF_A_TREE = frozenset(
    [
        "must-precede",
        "must-reach",
        "never-reach",
        "guard-required",
        "guard-forbidden",
        "hook-required",
        "override-calls-super",
        "paired",
    ]
)
"""Kinds of rules that look at the whole of both trees."""
_MAX_NOTES = 6
_MAX_WAY = 4  # functions of a way
_NO_RULE_RAN = "No rule had anything to look at"


def check_text(answer: CheckAnswer, view: View, *, everything: bool = False) -> Iterator[str]:
    """Write findings with their source lines, then what was found; `everything` shows those that are known too."""
    yield from _compared(answer, view)
    shown = shown_findings(answer.findings, everything)
    held = _held_before(answer)
    for finding in shown[:_MAX_FULL]:
        yield from _finding(finding, view, f"on {answer.base} this rule held" if finding.rule in held else "")
    for finding in shown[_MAX_FULL:]:
        yield concise_line(finding, view)
    yield from _stale_lines(answer, view)
    yield from _idle_lines(answer.runs, view)
    yield from _summary(answer, view, everything)


def _compared(answer: CheckAnswer, view: View) -> Iterator[str]:
    """Say what a tree was compared with, where there is something new: a clean answer says it in its one line."""
    if answer.base and any(f.status == "new" for f in answer.findings):
        files = f"{count(answer.changed, 'file')} changed, {answer.parsed} parsed"
        commit = f" {answer.commit[:7]}" if answer.commit and not answer.commit.startswith(answer.base) else ""
        yield view.pen.line(f"Compared with {answer.base}{commit} ({files})")
        yield view.pen.line()


def concise_text(answer: CheckAnswer, view: View, *, everything: bool = False) -> Iterator[str]:
    """Write findings one a line, then what was found."""
    for finding in shown_findings(answer.findings, everything):
        yield concise_line(finding, view)
    yield from _summary(answer, view, everything)


def grouped_text(answer: CheckAnswer, view: View, *, everything: bool = False) -> Iterator[str]:
    """Write findings by file, then what was found."""
    file = None
    for finding in shown_findings(answer.findings, everything):
        if finding.place.file != file:
            file = finding.place.file
            yield view.pen.line(view.place(file, 0))
        at = f"{finding.place.line}:{finding.place.column + 1}"
        severity = Span(finding.severity, _STYLES[finding.severity])
        yield view.pen.line("  ", f"{at:10}", severity, f"[{finding.rule}] {finding.message}{_status(finding)}")
    yield from _summary(answer, view, everything)


def shown_findings(findings: Sequence[Finding], everything: bool) -> list[Finding]:
    """Return the findings that are told: the new ones, or all."""
    return [f for f in findings if everything or f.status == "new"]


def concise_line(finding: Finding, view: View) -> str:
    """Return a finding on one line."""
    place = view.place(finding.place.file, finding.place.line)
    severity = Span(finding.severity, _STYLES[finding.severity])
    said = f"[{finding.rule}] {finding.message}{_status(finding)}"
    return view.pen.line(place, f":{finding.place.column + 1}: ", severity, said)


def _held_before(answer: CheckAnswer) -> frozenset[str]:
    """Return the rules about a whole tree that found nothing in the base; none where there is no base."""
    if not answer.base:
        return frozenset()
    broken = {f.rule for f in answer.findings if f.status != "new"}
    return frozenset(run.id for run in answer.runs if run.kind in _OF_A_TREE and run.id not in broken)


def _finding(finding: Finding, view: View, before: str) -> Iterator[str]:
    """Write a finding with the source line at its place and what else shows it; `before` says how it was in the base."""
    pen = view.pen
    said = f"[{finding.rule}]: {finding.message}{_status(finding)}"
    yield pen.line(Span(finding.severity, _STYLES[finding.severity]), said)
    place = view.place(finding.place.file, finding.place.line)
    yield pen.line("  --> ", place, f":{finding.place.column + 1}", _around(finding))
    line = finding.lines[0] if finding.lines else ""
    if line.strip():
        column = finding.place.column or len(line) - len(line.lstrip())
        length = max(1, min(len(line.rstrip()) - column, 60))
        yield from excerpt_lines(pen, line, finding.place.line, column, length=length)
    for number, note in enumerate(finding.notes[:_MAX_NOTES], 1):
        where = view.short_place(note.place.file, note.place.line, finding.place.file)
        yield pen.line("   = ", where, "  ", note.text)
        text = finding.lines[number].strip() if number < len(finding.lines) else ""
        if text and text != line.strip():
            yield pen.line("       ", Span(text[:90], "dim"))
    if len(finding.steps) > 1:
        yield pen.line("   = path: ", _way(finding.steps))
    if before:
        yield pen.line("   = ", before)
    if finding.help:
        yield pen.line("help: ", finding.help)
    yield pen.line()


def _way(steps: Sequence[Step]) -> str:
    """Return the functions on a way, those in its middle left out."""
    last = steps[-1].callee.split(".")
    end = ".".join(last[-2:] if len(last) > 1 and last[-2][:1].isupper() else last[-1:])
    names = [without_module(step.caller, step.file) for step in steps]
    names = [step.caller if name == "<module>" else name for name, step in zip(names, steps, strict=True)]
    shown = names if len(names) <= _MAX_WAY else [*names[: _MAX_WAY - 1], "…"]
    return f"{' → '.join([*shown, end])} ({count(len(steps), 'hop')})"


def _around(finding: Finding) -> str:
    name = without_module(finding.place.function, finding.place.file) if finding.place.function else ""
    return f"   in {name}" if name and name != "<module>" else ""


def _status(finding: Finding) -> str:
    if finding.status == "new":
        return ""
    return f" ({finding.status}: {finding.reason})" if finding.reason else f" ({finding.status})"


def _stale_lines(answer: CheckAnswer, view: View) -> Iterator[str]:
    if not answer.stale:
        return
    noun = "entry" if len(answer.stale) == 1 else "entries"
    verb = "occurs" if len(answer.stale) == 1 else "occur"
    yield view.pen.line(f"{len(answer.stale)} {noun} of {answer.baseline} no longer {verb}:")
    for entry in answer.stale[:10]:
        yield view.pen.line("  ", entry.rule, "   ", entry.subject)
    yield view.pen.line("run: ", view.command("check", "--prune-baseline"))


def _idle_lines(runs: Sequence[RuleRun], view: View) -> Iterator[str]:
    for run in runs:
        if run.state in ("idle", "ran") and run.reason and not run.reason.startswith("it compares"):
            part = " in a part" if run.state == "ran" else ""
            yield view.pen.line(Span(f"note: {run.id} had nothing to look at{part}: {run.reason}", "dim"))


def _summary(answer: CheckAnswer, view: View, everything: bool) -> Iterator[str]:
    counts = Counter(f.severity for f in answer.findings if f.status == "new")
    older = sum(1 for f in answer.findings if f.status == "existing")
    silent = sum(1 for f in answer.findings if f.status == "suppressed")
    known = min(older, answer.known - len(answer.stale))
    hidden = [f"{known} in the baseline"] if known and counts and not everything else []
    hidden += [f"{older - known} older"] if older > known and not everything else []
    hidden += [f"{silent} suppressed"] if silent and not everything else []
    tail = f" Hidden: {', '.join(hidden)} (--all shows them)." if hidden else ""
    if counts:
        words = [count(counts[s], s) for s in ("error", "warning", "info") if counts[s]]
        new = ", new on this branch" if answer.base else ""
        yield view.pen.line(Span(f"Found {', '.join(words)}{new}.", "answer"), tail)
        rule = next(f.rule for f in answer.findings if f.status == "new")
        if rule in {run.id for run in answer.runs}:
            yield view.pen.line("What a rule means: ", f"codepath rule explain {rule}")
        if not answer.base and not answer.known:
            yield view.pen.line("next: ", view.command("check", "--update-baseline"), "   accepts what is there today")
    else:
        ran = sum(1 for run in answer.runs if run.state == "ran")
        files = f"{count(answer.changed, 'changed file')}" if answer.base else count(view.source.files, "file")
        lead = "All checks passed" if ran else _NO_RULE_RAN
        baseline = f" ({known} in the baseline)" if known else ""
        yield view.pen.line(Span(f"{lead}: {count(ran, 'rule')}, {files}, 0 new findings{baseline}.", "answer"), tail)
    others = sum(1 for run in answer.runs if run.state == "other-project")
    if others:
        yield view.pen.line(Span(f"{count(others, 'rule')} for other projects did not apply.", "dim"))
    if view.source.skipped:
        skipped = count(len(view.source.skipped), "file")
        yield view.pen.line(Span(f"{skipped} could not be read; findings in them are missing:", "warning"))
        for path, reason in view.source.skipped[:3]:
            yield view.pen.line("  ", view.place(path, 0), "   ", reason)
