"""The answer to `flags`, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model.detect import Detected
from codepath.model.flags import Flag, FlagsAnswer, FlagUse
from codepath.report.common import skipped_lines
from codepath.report.detect_json import detected_document
from codepath.report.documents import Document, document
from codepath.report.encode import pretty
from codepath.report.gaps_text import gap_lines
from codepath.report.pen import Span
from codepath.report.view import View, count

_MAX_USES = 20
_NAME_WIDTH = 44


def flags_json(answer: FlagsAnswer, view: View) -> Iterator[str]:
    """Write the answer as a document."""
    own: Document = {
        "flags": [_flag(flag) for flag in answer.flags],
        "faults": [detected_document(fault) for fault in answer.faults],
    }
    yield pretty(document(view, None, answer.truncated, own))


def _flag(flag: Flag) -> Document:
    return {
        "name": flag.name,
        "kind": flag.kind,
        "attribute": flag.attribute or None,
        "default": flag.default or None,
        "choices": flag.choices,
        "uses": [
            {"place": u.place, "how": u.how, "through": u.through or None, "default": u.default or None}
            for u in flag.uses
        ],
    }


def flags_text(answer: FlagsAnswer, view: View) -> Iterator[str]:
    """Write one flag with its uses, or a line for each of many; then what is wrong."""
    everything = bool(view.query.get("all"))
    if view.query.get("name"):
        for flag in answer.flags:
            yield from _one(flag, view, everything)
    else:
        for flag in answer.flags:
            yield _line(flag, view)
        if answer.truncated is not None:
            more = answer.truncated.total - answer.truncated.shown
            yield view.pen.line(Span(f"... {more} more: --all", "dim"))
    yield from _faults(answer, view, everything)
    yield from skipped_lines(view)


def _faults(answer: FlagsAnswer, view: View, everything: bool) -> Iterator[str]:
    sure: tuple[Detected, ...] = tuple(fault for fault in answer.faults if fault.precision != "low")
    shown = answer.faults if everything else sure
    if shown:
        yield view.pen.line()
        yield view.pen.line(Span("WRONG", "answer"), f": {count(len(shown), 'place')}.")
        yield from gap_lines(shown, view, everything)
    if len(answer.faults) > len(shown):
        yield view.pen.line(Span(f"{len(answer.faults) - len(shown)} more of low precision: --all", "dim"))


def _line(flag: Flag, view: View) -> str:
    reads = sum(1 for use in flag.uses if use.how in ("read", "asked"))
    declared = next((use for use in flag.uses if use.how == "declared"), None)
    where = (view.place(declared.place.file, declared.place.line),) if declared else (Span("not declared", "dim"),)
    default = f"  default {flag.default}" if flag.default else ""
    return view.pen.line(
        Span(flag.name.ljust(_NAME_WIDTH), "name"), f"  {count(reads, 'read').ljust(9)}  ", *where, default
    )


def _one(flag: Flag, view: View, everything: bool) -> Iterator[str]:
    yield view.pen.line(Span(flag.name, "name"), f"  {_KINDS[flag.kind]}")
    if flag.default:
        yield view.pen.line(f"  default  {flag.default}")
    if flag.choices is not None:
        yield view.pen.line(f"  choices  {', '.join(flag.choices)}")
    for how in ("declared", "set", "read", "asked"):
        uses = [use for use in flag.uses if use.how == how]
        if not uses:
            if how in ("declared", "read"):
                yield view.pen.line(Span(f"not {how} in this tree", "answer"))
            continue
        yield view.pen.line(Span(_TITLES[how], "answer"), f"  {count(len(uses), 'place')}")
        shown = uses if everything else uses[:_MAX_USES]
        for use in shown:
            yield view.pen.line("  ", view.place(use.place.file, use.place.line), _said(use))
        if len(uses) > len(shown):
            yield view.pen.line(f"  ... {len(uses) - len(shown)} more: --all")


def _said(use: FlagUse) -> str:
    function = use.place.function.rpartition(".")[2]
    through = f"  {use.through}" if use.through else ""
    default = f"  default {use.default}" if use.default else ""
    return f"{through}{default}  in {function}"


_KINDS = {"environment": "an environment variable", "option": "a launch option"}
_TITLES = {"declared": "declared", "set": "set", "read": "read", "asked": "asked whether it is set"}
