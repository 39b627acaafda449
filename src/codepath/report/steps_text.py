"""The answers to `callers` and `callees` as text."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.answers import StepsAnswer
from codepath.report.common import cut_line, next_lines, skipped_lines, target_lines, unresolved_lines
from codepath.report.hops import Hops
from codepath.report.names import Names
from codepath.report.pen import Span
from codepath.report.view import View, count


def callers_text(answer: StepsAnswer, view: View) -> Iterator[str]:
    """Write the call sites of a function with their guards."""
    functions = {s.caller for s in answer.steps}
    yield from target_lines(answer.target, view)
    yield view.pen.line()
    if not answer.steps:
        yield view.pen.line(Span("NOT CALLED", "answer"), " anywhere that codepath can see.")
    else:
        sites = f"{count(len(answer.steps), 'call site')} in {count(len(functions), 'function')}"
        yield view.pen.line(Span(f"CALLED at {sites}:", "answer"))
    yield from _hops(answer, view).listed(answer.steps, callees=False)
    yield from _unknown(answer, view, "could be calls of it:")
    yield from cut_line(answer.truncated, view)
    name = str(view.query.get("name") or answer.target.name)
    yield from next_lines(view, [(view.command("reach", name), "the ways that lead here")])


def callees_text(answer: StepsAnswer, view: View) -> Iterator[str]:
    """Write what a function calls, with guards, and its call sites of unknown target."""
    yield from target_lines(answer.target, view)
    yield view.pen.line()
    if not answer.steps and not answer.unresolved:
        yield view.pen.line(Span("CALLS nothing.", "answer"))
    else:
        callees = {s.callee for s in answer.steps}
        sites = len({(s.file, s.line, s.column) for s in answer.steps})
        text = f"CALLS {count(len(callees), 'function')} at {count(sites, 'call site')}:"
        yield view.pen.line(Span(text, "answer"))
    yield from _hops(answer, view).listed(answer.steps, callees=True)
    yield from _unknown(answer, view, f"in it {'has' if len(answer.unresolved) == 1 else 'have'} no known target:")


def _hops(answer: StepsAnswer, view: View) -> Hops:
    names = Names()
    names.learn(steps=answer.steps, symbols=[answer.target])
    return Hops(view, names, answer.steps)


def _unknown(answer: StepsAnswer, view: View, what: str) -> Iterator[str]:
    if answer.unresolved:
        yield view.pen.line()
        yield view.pen.line(f"Not seen: {count(len(answer.unresolved), 'call')} {what}")
        yield from unresolved_lines(answer.unresolved, view)
    yield from skipped_lines(view)
