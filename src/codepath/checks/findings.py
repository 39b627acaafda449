"""From what kinds find to findings: fingerprints, suppressions, baselines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.checks import NEW_IGNORE, SEVERITIES, UNUSED_IGNORE, Draft, Finding, Known, Rule

Suppressions = Mapping[str, Sequence[ir.Suppression]]
"""The comments of each file."""


def findings_of(rule: Rule, drafts: Iterable[Draft]) -> list[Finding]:
    """Return the findings of a rule, sorted; of equal ones at one place one is kept."""
    found = sorted(dict.fromkeys(drafts), key=lambda d: (*place_key(d.place), d.subject, d.message))
    numbers: Counter[tuple[str, ...]] = Counter()
    result = []
    for draft in found:
        numbers[draft.subject] += 1
        severity = _weaker(rule.severity, draft.severity or rule.severity)
        result.append(
            Finding(
                rule=rule.id,
                severity=severity,
                message=draft.message,
                place=draft.place,
                subject=draft.subject,
                fingerprint=fingerprint(rule.id, draft.subject, numbers[draft.subject]),
                notes=draft.notes,
                steps=draft.steps,
                help=draft.help,
            )
        )
    return result


def fingerprint(rule: str, subject: Sequence[str], number: int = 1) -> str:
    """Return what a finding is known by in later trees: no line, no file, no module."""
    text = "\0".join((rule, *subject, *([] if number == 1 else [str(number)])))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def place_key(place: Place) -> tuple[str, int, int]:
    """Return what places are sorted by."""
    return place.file, place.line, place.column


def sort_key(finding: Finding) -> tuple[object, ...]:
    """Return what findings are sorted by: place, then rule."""
    return (*place_key(finding.place), finding.rule, finding.subject)


def _weaker(one: str, other: str) -> str:
    return max(one, other, key=SEVERITIES.index)


# --- suppressions ----------------------------------------------------------------------------------------------------


def suppressed(
    findings: Sequence[Finding], comments: Suppressions, ran: frozenset[str], known: frozenset[str]
) -> list[Finding]:
    """Mark the findings that comments silence, and add those about comments.

    Args:
        findings: Of all rules that ran.
        comments: The suppressions of the tree by file.
        ran: The rules that ran: a comment about another one may still be needed.
        known: All rules: a comment about none of these is needed by nothing.
    """
    used: set[tuple[str, int, str]] = set()
    result = [_marked(finding, comments.get(finding.place.file, ()), used) for finding in findings]
    for path in sorted(comments):
        for comment in comments[path]:
            result.extend(_about(path, comment, used, ran, known))
    return result


def _marked(finding: Finding, comments: Sequence[ir.Suppression], used: set[tuple[str, int, str]]) -> Finding:
    for comment in comments:
        meant = finding.rule in comment.rules and (
            comment.form == "file" or comment.first <= finding.place.line <= comment.last
        )
        if meant:
            used.add((finding.place.file, comment.at, finding.rule))
            if comment.reason:
                finding = replace(finding, status="suppressed", reason=comment.reason)
    return finding


def _about(
    path: str, comment: ir.Suppression, used: set[tuple[str, int, str]], ran: frozenset[str], known: frozenset[str]
) -> Iterable[Finding]:
    place = Place(path, ir.line_of(comment.at), ir.column_of(comment.at), "")
    if not comment.rules:
        yield _comment_finding(UNUSED_IGNORE, "this ignore names no rule", place, (path, "no rule"))
        return
    if not comment.reason:
        named = ", ".join(comment.rules)
        message = f"this ignore of {named} gives no reason, so it silences nothing"
        yield _comment_finding(UNUSED_IGNORE, message, place, (path, named, "no reason"))
    for rule in comment.rules:
        if rule not in known:
            message = f"this ignore names {rule}, which is no rule here"
            yield _comment_finding(UNUSED_IGNORE, message, place, (path, rule, "no rule"))
        elif rule in ran and (path, comment.at, rule) not in used:
            message = f"this ignore of {rule} suppresses nothing"
            yield _comment_finding(UNUSED_IGNORE, message, place, (path, rule, "unused"))


def new_ignores(head: Suppressions, base: Suppressions) -> list[Finding]:
    """Return a finding for each comment of a tree that the one before does not have in the same file."""
    found = []
    for path in sorted(head):
        before = Counter((c.form, c.rules) for c in base.get(path, ()))
        for comment in head[path]:
            key = (comment.form, comment.rules)
            if before[key]:
                before[key] -= 1
                continue
            place = Place(path, ir.line_of(comment.at), ir.column_of(comment.at), "")
            named = ", ".join(comment.rules)
            said = f": {comment.reason}" if comment.reason else ""
            found.append(
                _comment_finding(NEW_IGNORE, f"{named} is newly ignored here{said}", place, (path, named, "new"))
            )
    return found


def _comment_finding(rule: str, message: str, place: Place, subject: tuple[str, ...]) -> Finding:
    return Finding(rule, "warning", message, place, subject, fingerprint(rule, subject))


# --- baselines -------------------------------------------------------------------------------------------------------


def compared(findings: Iterable[Finding], known: frozenset[str]) -> list[Finding]:
    """Mark the findings that were there before; `known` are the fingerprints of these."""
    return [replace(f, status="existing") if f.status == "new" and f.fingerprint in known else f for f in findings]


def known_of(findings: Iterable[Finding]) -> tuple[Known, ...]:
    """Return the entries that a baseline has for findings, sorted."""
    entries = {
        Known(f.rule, subject_text(f.subject), f.fingerprint) for f in findings if f.status in ("new", "existing")
    }
    return tuple(sorted(entries, key=lambda k: (k.rule, k.subject, k.fingerprint)))


def subject_text(subject: Sequence[str]) -> str:
    """Return a subject on one line."""
    return " / ".join(subject)


def stale(entries: Iterable[Known], findings: Iterable[Finding], ran: frozenset[str]) -> tuple[Known, ...]:
    """Return the entries that no finding of the rules that ran has any more."""
    there = {f.fingerprint for f in findings}
    return tuple(k for k in entries if k.rule in ran and k.fingerprint not in there)
