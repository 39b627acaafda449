"""The answer to `reach` as an upside-down tree: the target, who calls it, who calls those."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from codepath.model.answers import Guard, ReachAnswer, Step
from codepath.report.common import not_seen_lines
from codepath.report.hops import BOUNDARIES
from codepath.report.names import Names, guard_text, shown_guards
from codepath.report.pen import Piece, Span, pad
from codepath.report.reach_text import names_of
from codepath.report.view import View, count

MAX_CALLERS = 10
_PLACE_START = 48
_MARKS = ("spawn-process", "spawn-thread", "executor", "task")


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the tree. `step` is None for a line that says what is left out, `remark` then says how to see it."""

    lead: str
    name: str
    labels: tuple[str, ...]
    step: Step | None
    remark: str


@dataclass(slots=True)
class _Tree:
    incoming: dict[str, list[Step]]
    names: Names
    depth: int
    full: bool
    entries: dict[str, str]
    labels: dict[Guard, str] = field(default_factory=dict)
    expanded: set[str] = field(default_factory=set)
    repeated: bool = False

    def rows(self, target: str) -> Iterator[_Row]:
        """Return the lines below the target, in the order in which they are printed."""
        stack = self._below(target, "", 1)
        while stack:
            row, level = stack.pop()
            yield row
            if row.step is not None and not row.remark.startswith("(*)"):
                stack.extend(self._below(row.step.caller, row.lead, level + 1))

    def _below(self, function: str, lead: str, level: int) -> list[tuple[_Row, int]]:
        """Return the lines of a function's callers, last first."""
        steps = self.incoming.get(function, [])
        if not steps or function in self.expanded:
            return []
        lead = lead.replace("├─ ", "│  ").replace("└─ ", "   ")
        if level > self.depth:
            left_out = count(len({s.caller for s in steps}), "caller")
            return [(_Row(f"{lead}└─ ", f"… {left_out}", (), None, f"--depth {level}"), level)]
        self.expanded.add(function)
        shown = steps if self.full else steps[:MAX_CALLERS]
        rows = [(self._row(f"{lead}├─ ", step), level) for step in shown]
        if len(shown) < len(steps):
            rows.append((_Row(f"{lead}├─ ", f"… {len(steps) - len(shown)} more", (), None, "--all"), level))
        last, _ = rows[-1]
        rows[-1] = (_Row(f"{lead}└─ ", last.name, last.labels, last.step, last.remark), level)
        return rows[::-1]

    def _row(self, lead: str, step: Step) -> _Row:
        labels = tuple(self._label(g) for g in shown_guards(step.guards))
        remarks = []
        if step.kind in _MARKS:
            remarks.append(BOUNDARIES[step.kind])
        if step.resolution == "by-name":
            remarks.append("by name only")
        if step.caller in self.entries:
            remarks.append(f"← {self.entries[step.caller]}")
        return _Row(lead, self.names.short(step.caller), labels, step, "   ".join(remarks))

    def _label(self, guard: Guard) -> str:
        return self.labels.setdefault(guard, f"G{len(self.labels) + 1}")


def tree_text(answer: ReachAnswer, view: View, *, depth: int) -> Iterator[str]:
    """Write the callers of the target as a tree, `depth` levels of them."""
    incoming: dict[str, list[Step]] = {}
    for step in answer.incoming:
        incoming.setdefault(step.callee, []).append(step)
    entries = {e.function: e.name for e in reversed(answer.entries)}
    tree = _Tree(incoming, names_of(answer), depth, bool(view.query.get("all")), entries)
    rows = list(_mark_repeats(tree, answer))
    end = min(max((len(r.lead + r.name + _labels(r)) for r in rows), default=0) + 3, _PLACE_START)
    target = tree.names.short(answer.target.name)
    place = view.place(answer.target.place.file, answer.target.place.line)
    yield view.pen.line(Span(target, "answer"), pad(end, target), place)
    for row in rows:
        yield view.pen.line(*_pieces(row, view, end))
    yield from _legend(tree, view)
    if not answer.paths:
        start = view.query.get("from") or "any entry point"
        yield view.pen.line(Span(f"NOT REACHED from {start}", "answer"), ".")
    yield from not_seen_lines(answer.stats, view, "in the functions on the ways to the target")


def _mark_repeats(tree: _Tree, answer: ReachAnswer) -> Iterator[_Row]:
    """Walk the tree and mark the rows whose callers stand above already."""
    targets = list(dict.fromkeys([answer.target.name, *(s.callee for s in answer.call_sites)]))
    for target in targets:
        for row in tree.rows(target):
            step = row.step
            if step is not None and step.caller in tree.expanded and tree.incoming.get(step.caller):
                tree.repeated = True
                remark = "   ".join(filter(None, ["(*)", row.remark]))
                yield _Row(row.lead, row.name, row.labels, row.step, remark)
            else:
                yield row


def _labels(row: _Row) -> str:
    return "".join(f" {label}" for label in row.labels)


def _pieces(row: _Row, view: View, end: int) -> list[Piece]:
    labels = _labels(row)
    head = row.lead + row.name
    gap = " " * max(0, end - 1 - len(head) - len(labels))
    pieces: list[Piece] = [Span(row.lead, "dim"), row.name, gap, Span(labels, "guard"), " "]
    if row.step is not None:
        pieces.append(view.place(row.step.file, row.step.line))
    if row.remark:
        pieces += ["   " if row.step is not None else "", Span(row.remark, "mark")]
    return pieces


def _legend(tree: _Tree, view: View) -> Iterator[str]:
    if not tree.labels and not tree.repeated:
        return
    yield view.pen.line()
    start = max((len(label) for label in tree.labels.values()), default=0) + 2
    end = min(max((len(guard_text(g)) for g in tree.labels), default=0), 60) + 3
    for guard, label in tree.labels.items():
        text = guard_text(guard)
        yield view.pen.line(
            Span(label, "guard"), pad(start, label), text, pad(end, text), view.place(guard.file, guard.line)
        )
    if tree.repeated:
        yield view.pen.line("(*) callers already shown above")
