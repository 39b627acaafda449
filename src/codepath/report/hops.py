"""Steps as text: one hop a line, its guards and what marks it below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from codepath.model.answers import Guard, Step
from codepath.report.names import Names, guard_text, shown_guards
from codepath.report.pen import Piece, Span, pad
from codepath.report.view import View

INDENT = 6
MAX_PLACE = 60
MAX_GUARD = 48
BOUNDARIES = {
    "spawn-process": "new process",
    "spawn-thread": "new thread",
    "executor": "in an executor",
    "task": "new task",
    "signal": "on a signal",
    "at-exit": "at exit",
    "custom-op": "custom op",
    "route": "route",
    "callback": "as a callback",
    "dispatch": "dispatched to",
    "registry": "from a registry",
    "import": "import of",
}


class Hops:
    """Writes steps in aligned columns.

    Args:
        view: How places and lines are written.
        names: How functions are called.
        steps: All steps that share the columns.
    """

    def __init__(self, view: View, names: Names, steps: Iterable[Step]) -> None:
        self._view = view
        self._names = names
        widths = [0]
        for step in steps:
            widths.append(len(view.place(step.file, step.line).text))
            widths.extend(min(len(guard_text(g)) + 2, MAX_GUARD) for g in shown_guards(step.guards))
        self._place_end = INDENT + min(max(widths), MAX_PLACE) + 3

    def numbered(self, steps: Sequence[Step], first: int = 1) -> Iterator[str]:
        """Write steps in run order, numbered, each by its call site and the function around it."""
        for number, step in enumerate(steps, first):
            yield from self._hop(f"{number:4}  ", step, self._names.short(step.caller))

    def site(self, step: Step, number: int) -> str:
        """Write the call site of a step alone, numbered."""
        return next(self._hop(f"{number:4}  ", step, self._names.short(step.caller)))

    def listed(self, steps: Sequence[Step], *, callees: bool) -> Iterator[str]:
        """Write steps as a list; each by its caller, or by its callee."""
        for step in steps:
            name = self._callee(step) if callees else self._names.short(step.caller)
            yield from self._hop("  ", step, name, marked=not callees)

    def _callee(self, step: Step) -> str:
        mark = BOUNDARIES.get(step.kind)
        name = self._names.short(step.callee)
        return f"{mark} {name}" if mark else name

    def _hop(self, lead: str, step: Step, name: str, *, marked: bool = True) -> Iterator[str]:
        place = self._view.place(step.file, step.line)
        pieces: list[Piece] = [lead, place, pad(self._place_end, lead, place), Span(name, "name")]
        if step.resolution == "by-name":
            pieces += ["   ", Span("(by name only)", "warning")]
        yield self._view.pen.line(*pieces)
        for guard in shown_guards(step.guards):
            yield self.guard(guard, step.file)
        if marked:
            yield from self._mark(step)

    def guard(self, guard: Guard, near: str, lead: str = "      │ ") -> str:
        """Write a guard with its place; `near` is the file that the reader just saw."""
        text = guard_text(guard)
        pieces: list[Piece] = [lead, Span(text, "guard"), pad(self._place_end, lead, text)]
        place = self._view.short_place(guard.file, guard.line, near)
        pieces.append(place)
        known = _known(guard)
        if guard.changed_at is not None:
            at = self._view.short_place(guard.changed_at.file, guard.changed_at.line, guard.file)
            known = f"{known + ', ' if known else ''}may change: {at.text}"
        if known:
            pieces += [pad(25, place), known]
        return self._view.pen.line(*pieces)

    def _mark(self, step: Step) -> Iterator[str]:
        """Say what a reader of the call site would not expect: a boundary, or a callee that the call does not name."""
        word = BOUNDARIES.get(step.kind)
        if word is None and step.via is None:
            return
        name = self._names.short(step.callee)
        pieces: list[Piece] = ["      ", Span("╞", "mark"), " ", Span(f"{word}: {name}" if word else name, "mark")]
        if step.via is not None:
            place = self._view.short_place(step.via.place.file, step.via.place.line, step.file)
            wrapped = ""
            if step.via.wraps:
                more = f" and {len(step.via.wraps) - 1} more" if len(step.via.wraps) > 1 else ""
                wrapped = f" of {self._names.short(step.via.wraps[0])}{more}"
            pieces += [f"   ← {step.via.how}{wrapped}, ", place]
        yield self._view.pen.line(*pieces)


def _known(guard: Guard) -> str:
    """Say what a guard comes to on its path, as far as that is known.

    `value` and `default` are those of the condition as written; what is shown is whether the guard holds.
    """
    if guard.value in ("true", "false"):
        return "true here" if (guard.value == "true") == guard.polarity else "false here"
    if guard.default is None:
        return "chose the callee" if guard.choice else ""
    return f"default: {'true' if guard.default == guard.polarity else 'false'}"
