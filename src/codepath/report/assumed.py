"""What was assumed, as text and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.model.answers import ReachAnswer
from codepath.model.assumptions import Met
from codepath.report.pen import Piece, Span, pad
from codepath.report.view import View, count

_END = 50
_MAX_NAMED = 3
_DEFAULTS = "--launch-defaults"


def assumed_lines(answer: ReachAnswer, view: View) -> Iterator[str]:
    """Write what was assumed, what each assumption pruned, and those that no guard mentions."""
    used = [m for m in answer.assumptions if _is_used(m, answer)]
    if not answer.assumptions:
        return
    yield view.pen.line()
    for number, met in enumerate(used):
        lead = "  assumed  " if not number else "           "
        yield view.pen.line(*_line(lead, met, view))
        yield from _notes(met, view)
    unused = [m.assumption.text for m in answer.assumptions if not _is_used(m, answer)]
    for number, text in enumerate(unused):
        lead = "  unused   " if not number else "           "
        yield view.pen.line(lead, text, "   no guard on these paths mentions it")


def _is_used(met: Met, answer: ReachAnswer) -> bool:
    return bool(met.guards or met.pruned or met.conflicts or _is_asked(met, answer))


def _is_asked(met: Met, answer: ReachAnswer) -> bool:
    """Tell whether a hook of the assumed model decides what a setter stores."""
    holder = met.assumption.holder
    return met.assumption.kind == "model" and any(asked.model == holder for asked in answer.hooks)


def assumed_of(assumptions: Sequence[Met], view: View) -> Iterator[str]:
    """Write what was assumed of which variables, and what met none."""
    for number, met in enumerate(sorted(assumptions, key=lambda m: not m.variables)):
        if not number:
            yield view.pen.line()
        text = met.assumption.text
        said = _some(met.variables) if met.variables else "nothing that was looked at asks for it"
        yield view.pen.line("   assumed  ", Span(text, "guard"), pad(_END, "   assumed  ", text), said)


def _line(lead: str, met: Met, view: View) -> list[Piece]:
    text = met.assumption.text
    pieces: list[Piece] = [lead, Span(text, "guard"), pad(_END, lead, text)]
    effects = []
    if met.pruned:
        effects.append(f"blocks {count(met.pruned, 'path')}")
    if met.conflicts:
        one = met.conflicts == 1
        does = ("leads" if one else "lead") if met.assumption.kind == "model" else ("passes on" if one else "pass on")
        what = "another model" if met.assumption.kind == "model" else "another value"
        does = f"{does} to" if met.assumption.kind == "model" else does
        effects.append(f"{count(met.conflicts, 'way')} {does} {what}: {'it is' if one else 'they are'} left out")
    if not effects:
        effects.append(f"met by {count(met.guards, 'guard')}" if met.guards else "decides a hook: see the note below")
    pieces.append(", ".join(effects))
    if met.assumption.origin != "--assume":
        pieces.append(f"   ({met.assumption.origin})")
    return pieces


def _notes(met: Met, view: View) -> Iterator[str]:
    if met.assumption.kind == "name" and len(met.variables) > 1:
        names = _some(met.variables)
        yield view.pen.line(Span(f"           it meets {len(met.variables)} variables: {names}", "dim"))
    for filled in met.filled:
        variable, setter = (name.rpartition(".")[2] for name in (filled.variable, filled.setter))
        text = f"           it is {variable} once {setter} has stored it; before, that is another"
        yield view.pen.line(Span(text, "dim"))
    if met.rewritten:
        verb = "stores" if len(met.rewritten) == 1 else "store"
        functions = _some([name.rpartition(".")[2] for name in met.rewritten])
        yield view.pen.line(Span(f"           {functions} {verb} it again: it may be another by then", "dim"))


def _some(names: Sequence[str]) -> str:
    more = f", and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return ", ".join(names[:_MAX_NAMED]) + more


def assumed_document(answer: ReachAnswer) -> dict[str, object]:
    """Return what was assumed, and what was pruned by which assumption, as data."""
    pruned: list[dict[str, object]] = []
    for number, met in enumerate(answer.assumptions):
        for reason, paths in (("guard", met.pruned), ("denied", met.conflicts)):
            if paths:
                pruned.append({"assumption": number, "reason": reason, "paths": paths})
    return {
        "assumptions": [assumption_data(met, _is_used(met, answer)) for met in answer.assumptions],
        "pruned": pruned,
    }


def assumption_data(met: Met, is_used: bool) -> dict[str, object]:
    """Return an assumption as data."""
    assumption = met.assumption
    return {
        "text": assumption.text,
        "name": assumption.name,
        "op": assumption.op,
        "value": assumption.value,
        "kind": assumption.kind,
        "origin": assumption.origin,
        "place": assumption.place,
        "used": is_used,
        "guards": met.guards,
        "variables": met.variables,
        "rewritten": met.rewritten,
        "filled": met.filled,
    }
