"""The answer to `arch` as text: a matrix of tables and branches by architecture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.model.arch import MISSES, ArchAnswer, ArchRow, ExplainAnswer
from codepath.report.common import next_lines, skipped_lines
from codepath.report.names import guard_text
from codepath.report.pen import Piece, Span, pad
from codepath.report.view import View, count

MARKS = {"covered": "✓", "crash": "✗", "fallback": "~", "silent": "!", "excluded": "\u2013"}
_NOT_REACHED = "not reached"
_STYLES = {"✗": "error", "!": "warning", "~": "guard", "·": "dim", "\u2013": "dim"}
_SEVERITIES = (("error", "error"), ("warning", "warning"), ("info", "info"))
_LEGEND = "✓ covered   ✗ crash   ~ falls back   ! silent   \u2013 excluded on purpose   · not reached"
_NAME = 62
_CELL = 6


def arch_text(answer: ArchAnswer, view: View, *, everything: bool = False) -> Iterator[str]:
    """Write the matrix; with `everything` also the rows that miss no target."""
    missed = [row for row in answer.rows if _misses(row, answer)]
    yield view.pen.line(Span(_headline(answer, missed), "answer"))
    yield view.pen.line()
    shown = list(answer.rows) if everything else missed
    if shown:
        yield from _matrix(answer, shown, view)
    rest = len(answer.rows) - len(missed)
    if rest and not everything:
        ways = view.command("arch", *(w for t in answer.targets for w in ("--target", t)), "--all")
        yield view.pen.line(f"{count(rest, 'more table or branch', 'more tables and branches')} miss none: {ways}")
    yield from _limits(answer, view)
    if missed:
        first = missed[0]
        line = f"{first.place.file}:{first.place.line}"
        yield from next_lines(view, [(view.command("arch", "--explain", line), "one construct on each architecture")])


def _misses(row: ArchRow, answer: ArchAnswer) -> bool:
    return any(row.verdict(target) in MISSES for target in answer.targets)


def _headline(answer: ArchAnswer, missed: Sequence[ArchRow]) -> str:
    names = ", ".join(t.upper() for t in answer.targets)
    total = count(len(answer.rows), "table and branch", "tables and branches")
    if not missed:
        return f"{total} depend on the architecture; none misses {names}."
    kinds = {"crash": "crash", "silent": "silently take another's values", "fallback": "fall back"}
    parts = []
    for verdict, said in kinds.items():
        number = sum(any(row.verdict(t) == verdict for t in answer.targets) for row in missed)
        if number:
            parts.append(f"{number} {said}")
    return f"{names} missed by {len(missed)} of {total}: {', '.join(parts)}."


def _matrix(answer: ArchAnswer, rows: Sequence[ArchRow], view: View) -> Iterator[str]:
    end = min(max((len(row.name) for row in rows), default=0), _NAME) + 2
    head = "table or branch"
    yield view.pen.line(Span(head, "dim"), pad(end, head), Span("".join(c.ljust(_CELL) for c in answer.columns), "dim"))
    for severity, style in _SEVERITIES:
        fitting = [row for row in rows if row.severity == severity]
        for row in sorted(fitting, key=lambda r: (not _misses(r, answer), r.group, r.place.file, r.place.line)):
            yield from _row(answer, row, style, end, view)
    yield view.pen.line()
    yield view.pen.line(Span(_LEGEND, "dim"))


def _row(answer: ArchAnswer, row: ArchRow, style: str, end: int, view: View) -> Iterator[str]:
    name = row.name if len(row.name) <= _NAME else row.name[: _NAME - 1] + "…"
    cells: list[Piece] = [Span(name, "name"), pad(end, name)]
    for column in answer.columns:
        mark = _mark(row, column)
        cells += [Span(mark, _STYLES.get(mark, "")), " " * (_CELL - 1)]
    yield view.pen.line(*cells)
    place = view.place(row.place.file, row.place.line)
    if not _misses(row, answer):
        yield view.pen.line("    ", place)
        return
    reasons = dict(row.reasons)
    said = dict.fromkeys(reasons[t] for t in answer.targets if row.verdict(t) in MISSES)
    yield view.pen.line("    ", place, f"   {row.severity}: ", "; ".join(said))
    for use in row.uses:
        guards = " and ".join(guard_text(g) for g in use.guards[:2])
        yield view.pen.line("    ", Span(f"from {use.entry}{f' when {guards}' if guards else ''}", "dim"))
        if use.options:
            yield view.pen.line("    ", Span(f"depends on {', '.join(use.options)}", "dim"))


def _mark(row: ArchRow, column: str) -> str:
    if dict(row.reasons).get(column, "").startswith((_NOT_REACHED, "no look-up is reached")):
        return "·"
    return MARKS[row.verdict(column)]


def _limits(answer: ArchAnswer, view: View) -> Iterator[str]:
    if answer.over_budget:
        names = ", ".join(answer.over_budget[:3])
        yield view.pen.line(f"Not seen: {count(len(answer.over_budget), 'scope')} evaluated in part only: {names}.")
    if answer.left_out:
        rows = count(answer.left_out, "table or branch", "tables and branches")
        yield view.pen.line(
            f"{rows} of tests and vendored code left out: {view.command('arch', '--include', 'tests,vendored')}"
        )
    yield view.pen.line(
        f"{count(answer.scopes, 'scope')} evaluated on {count(len(answer.columns), 'architecture')}; assumed: NVIDIA GPUs, "
        "a current CUDA, and that what is imported is installed."
    )
    yield from skipped_lines(view)


def explain_text(answer: ExplainAnswer, view: View) -> Iterator[str]:
    """Write what one construct is on each architecture, where its key comes from, and its verdicts."""
    yield view.pen.line(Span(answer.asked, "answer"))
    for value in answer.values:
        yield view.pen.line("  ", Span(value.text, "name"), "   ", view.place(value.place.file, value.place.line))
        for arch, text in value.values:
            yield view.pen.line("    ", arch.ljust(_CELL + 2), text)
        yield from _trail([(e.what, e.place) for e in value.trail], view)
    for row in answer.rows:
        yield view.pen.line()
        place = view.place(row.place.file, row.place.line)
        yield view.pen.line("  ", Span(row.name, "name"), f"   {row.kind}   ", place)
        if row.keys:
            yield view.pen.line(f"    keys: {', '.join(row.keys)}")
        reasons = dict(row.reasons)
        for arch, verdict in row.verdicts:
            yield view.pen.line("    ", arch.ljust(_CELL + 2), f"{verdict}: {reasons[arch]}")
        for lookup in row.lookups:
            yield view.pen.line(f"    looked up by {lookup.style}   ", view.place(lookup.place.file, lookup.place.line))
        yield from _trail([(e.what, e.place) for e in row.evidence], view)


def _trail(steps: Sequence[tuple[str, object]], view: View) -> Iterator[str]:
    from codepath.model.answers import Place

    if not steps:
        return
    yield view.pen.line("    the value comes from")
    for what, place in steps:
        if isinstance(place, Place):
            yield view.pen.line("      ", view.place(place.file, place.line), f"   {what}")
        else:
            yield view.pen.line("      ", what)
