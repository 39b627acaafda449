"""What changed between two trees, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from codepath.model.answers import Place
from codepath.model.checks import Change, DiffAnswer, Fact, Finding, RuleRun
from codepath.report.common import LINE
from codepath.report.pen import Piece, Span
from codepath.report.view import View, count

_TITLES = {
    "path-lost": "calls lost",
    "path-gained": "calls gained",
    "guard-inverted": "guards inverted",
    "guard-added": "guards added",
    "guard-dropped": "guards dropped",
    "guard-weakened": "guards weakened",
    "order-flipped": "order",
    "none-opened": "None can now be stored",
    "none-closed": "None is no longer stored",
    "hook-lost": "classes without a hook, new",
    "hook-gained": "hooks gained",
    "arch-changed": "architectures",
}
_MOST = 4  # changes of a kind
_MOST_SAME = 6
_MOST_FINDINGS = 5
_BAD = frozenset(["path-lost", "guard-added", "guard-inverted", "order-flipped", "none-opened", "hook-lost"])
_ALL = 1 << 30


def diff_text(answer: DiffAnswer, view: View, *, everything: bool = False) -> Iterator[str]:
    """Write the changes by kind, what did not change, and the findings that are new or fixed."""
    files = f"{count(answer.changed, 'file differs', 'files differ')}"
    watched = count(len(answer.changes), "change")
    lead = f"{_name(answer.base.spec, answer.base.version)} → {_name(answer.head.spec, answer.head.version)}"
    yield view.pen.line(Span(f"{lead}: {watched} in what the rules watch; {files}", "answer"))
    most = _ALL if everything else _MOST
    for kind in _TITLES:
        changes = [c for c in answer.changes if c.kind == kind]
        if changes:
            yield from _changes(kind, changes, view, most)
    yield from _same(answer.same, view, _ALL if everything else _MOST_SAME)
    yield from _findings(answer.findings, view, _ALL if everything else _MOST_FINDINGS)
    yield from _left_out(answer.runs, view)
    if not everything:
        yield view.pen.line(Span("--all shows every change, --symbols NAME,... limits the answer", "dim"))


def _left_out(runs: Sequence[RuleRun], view: View) -> Iterator[str]:
    left = [run for run in runs if run.state == "left-out"]
    if left:
        yield view.pen.line(
            Span(f"  not run: {count(len(left), 'rule')}, as {left[0].reason}; --gate or --select does", "dim")
        )


def _name(spec: str, version: str | None) -> str:
    return version or spec


def _changes(kind: str, changes: Sequence[Change], view: View, most: int) -> Iterator[str]:
    style = "warning" if kind in _BAD else "name"
    yield view.pen.line(Span(_TITLES[kind], style), f" ({len(changes)})" if len(changes) > 1 else "")
    if kind.startswith("hook") and most < len(changes):
        changes = _hooks_joined(changes)
    for change in changes[:most]:
        yield _row(change, view)
    if len(changes) > most:
        yield view.pen.line(Span(f"  ... {len(changes) - most} more", "dim"))


def _hooks_joined(changes: Sequence[Change]) -> list[Change]:
    """Return changes of hooks with the classes of one hook on one line."""
    grouped: dict[str, list[Change]] = {}
    for change in changes:
        grouped.setdefault(change.subject.rpartition(".")[2], []).append(change)
    joined = []
    for hook, same in grouped.items():
        if len(same) < 3:
            joined += same
            continue
        names = [c.subject.rpartition(".")[0] for c in same]
        joined.append(Change(same[0].kind, f"{hook} of {len(same)} classes", (), tuple(names), ()))
    return joined


def _row(change: Change, view: View) -> str:
    said, place = _said(change), _place(change.places, view)
    lead = f"  {change.subject[: LINE - 20]}"
    if len(lead) + len(said) + 2 > LINE:
        said = f"{said[: max(LINE - len(lead) - 3, 0)]}…"
    pieces: list[Piece] = [lead]
    if said:
        pieces += ["  ", Span(said, "guard")]
    if place is not None and len(lead) + len(said) + len(place.text) + 5 <= LINE:
        pieces += ["   ", place]
    return view.pen.line(*pieces)


def _said(change: Change) -> str:
    before, after = "; ".join(change.before), "; ".join(change.after)
    if change.kind in ("path-lost", "guard-dropped", "none-closed"):
        return f"- {before}" if before else ""
    if change.kind in ("path-gained", "none-opened") or (change.kind == "guard-added" and not before):
        return f"+ {after}" if after else ""
    if change.kind.startswith("hook"):
        return ", ".join(change.after) if not change.places else "" if before else "new class"
    return f"{before or 'not there'} → {after or 'gone'}"


def _place(places: Sequence[Place], view: View) -> Span | None:
    return view.place(places[0].file, places[0].line) if places else None


def _same(same: Sequence[Fact], view: View, most: int) -> Iterator[str]:
    """Write what is watched and did not change: calls with their guards, orders, None flows."""
    told = [f for f in same if f.aspect in ("guards", "order", "none")]
    if not told:
        return
    named = " ".join(f.subject for f in told if f.aspect != "guards")
    rank = {"guards": 0, "order": 1, "none": 2}
    told.sort(
        key=lambda f: (
            f.aspect == "guards" and f.subject.partition(" in ")[0] not in named,
            rank[f.aspect],
            not f.values,
            f.subject,
        )
    )
    counts = Counter(f.aspect for f in told)
    rest = f"{count(counts['guards'], 'call')}, {count(counts['order'], 'order')}, {count(counts['none'], 'store')}"
    yield view.pen.line(Span("unchanged", "name"), f" ({rest})")
    for fact in told[:most]:
        yield _cut(view, f"  {fact.subject}  ", _unchanged(fact))
    if len(told) > most:
        yield view.pen.line(Span(f"  ... {len(told) - most} more", "dim"))


def _unchanged(fact: Fact) -> str:
    said = "; ".join(fact.values)
    if fact.aspect == "guards":
        return f"same guards: {said}" if said else "no guards"
    if fact.aspect == "none":
        return f"still None from {said}" if said else "never None"
    return said


def _cut(view: View, lead: str, said: str) -> str:
    lead = lead if len(lead) <= LINE - 20 else f"{lead[: LINE - 23]}…  "
    room = LINE - len(lead)
    return view.pen.line(lead, Span(said if len(said) <= room else f"{said[: room - 1]}…", "dim"))


def _findings(findings: Sequence[Finding], view: View, most: int) -> Iterator[str]:
    fixed = [f for f in findings if f.status == "fixed"]
    new = [f for f in findings if f.status == "new"]
    old = sum(1 for f in findings if f.status == "existing")
    yield view.pen.line(Span("findings", "name"), f"  {len(fixed)} fixed, {len(new)} new, {old} unchanged")
    for mark, rows in (("-", fixed), ("+", new)):
        for finding in rows[:most]:
            yield _cut(view, f"  {mark} {finding.rule}: ", finding.message)
        if len(rows) > most:
            yield view.pen.line(Span(f"  {mark} ... {len(rows) - most} more", "dim"))
