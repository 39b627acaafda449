"""The answer to `trace` as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.model.trace import Cause, Evidence, Frame, TraceAnswer
from codepath.report.common import LINE, cut_line, next_lines, skipped_lines
from codepath.report.names import guard_text, shown_guards, without_module
from codepath.report.pen import Span, pad
from codepath.report.view import View, count

_MARKS = {
    "exact": " ",
    "moved": "~",
    "text": "?",
    "function": "~",
    "line": " ",
    "cut": "✂",
    "outside": "·",
    "unknown": "?",
}
_FRAMES = 12
_CAUSES = 3
_EVIDENCE = 12
_OTHERS = 4
_GUARDS = 8
_ASSUMED = 4
_WIDE = 56


def trace_text(answer: TraceAnswer, view: View, *, everything: bool) -> Iterator[str]:
    """Write what a log shows and what caused it; `everything` cuts nothing."""
    if answer.status == "no-traceback":
        yield from _no_traceback(answer, view)
        return
    if answer.status == "other-project":
        yield from _other_project(answer, view)
        return
    if answer.causes:
        for line in _wrapped(_headline(answer.causes[0]), ""):
            yield view.pen.line(Span(line, "answer"))
    else:
        yield view.pen.line(Span("No cause was found in this tree for what the log shows.", "answer"))
    yield view.pen.line()
    yield view.pen.line(_read(answer))
    yield view.pen.line()
    yield from _frames(answer, view, everything)
    yield from _raised(answer, view)
    yield from _assumed(answer, view, everything)
    yield from _causes(answer, view, everything)
    yield from _notes(answer, view)
    yield from cut_line(answer.truncated, view)
    yield from skipped_lines(view)
    yield from _next(answer, view)


def _headline(cause: Cause) -> str:
    """Return a claim up to its first colon: what comes behind it is with the cause."""
    head = cause.claim.partition(": ")[0]
    return head if head[:1] in "`\"'" else f"{head[:1].upper()}{head[1:]}"


def _wrapped(text: str, lead: str) -> Iterator[str]:
    """Yield a text in lines that fit, `lead` before the first and as many blanks before the others."""
    words, line = text.split(" "), lead
    for word in words:
        if len(line) + 1 + len(word) > LINE and line.strip():
            yield line
            line = " " * len(lead) + word
        else:
            line += f" {word}" if line.strip() else word
    yield line


def _no_traceback(answer: TraceAnswer, view: View) -> Iterator[str]:
    yield view.pen.line(Span(f"No traceback in {count(answer.lines, 'line')}.", "answer"))
    yield view.pen.line("A process that was killed from outside leaves none; the log of another rank may hold it.")
    yield from _notes(answer, view)


def _other_project(answer: TraceAnswer, view: View) -> Iterator[str]:
    text = f"The log is not of this tree: none of {count(len(answer.frames), 'frame')} stands in it."
    yield view.pen.line(Span(text, "answer"))
    yield view.pen.line()
    yield from _frames(answer, view, False)
    yield from _raised(answer, view)
    yield view.pen.line("name the tree it is of: --source FOLDER, --source NAME==VERSION")


def _read(answer: TraceAnswer) -> str:
    inside = sum(f.place is not None for f in answer.frames)
    outside = sum(f.match == "outside" for f in answer.frames)
    cut = sum(f.match == "cut" for f in answer.frames)
    parts = [f"{inside} in this tree"]
    parts += [f"{outside} outside it"] if outside else []
    parts += [f"{cut} cut off"] if cut else []
    rest = len(answer.frames) - inside - outside - cut
    parts += [f"{rest} not found"] if rest else []
    frames = count(len(answer.frames), "frame")
    found = count(answer.tracebacks, "traceback")
    different = f", {answer.different} different" if answer.different < answer.tracebacks else ""
    which = f"Read {found}{different}" + (", the first that tells most:" if answer.different > 1 else ",")
    head = "" if answer.starts else "; its first lines are missing"
    return f"{which} {frames}: {', '.join(parts)}{head}."


def _frames(answer: TraceAnswer, view: View, everything: bool) -> Iterator[str]:
    shown = answer.frames if everything else answer.frames[-_FRAMES:]
    if len(shown) < len(answer.frames):
        yield view.pen.line(f"  ... {len(answer.frames) - len(shown)} frames further out: --all")
    for number, frame in enumerate(shown):
        if frame.match == "outside" and number + 1 < len(shown) and shown[number + 1].match == "outside":
            continue  # of several frames of other projects in a row the last one says where it went
        yield from _frame(frame, view)
    yield view.pen.line()


def _frame(frame: Frame, view: View) -> Iterator[str]:
    mark = _MARKS[frame.match]
    logged = frame.frame
    if frame.place is None:
        path = _installed(logged.path) if frame.match == "outside" else logged.path
        where = f"{path}:{logged.line}" if logged.line else path or "(path missing)"
        remark = {"cut": "cut off", "outside": "(not in this tree)"}.get(frame.match, "(no such place here)")
        if frame.match == "unknown" and frame.candidates > 1:
            remark = f"(one of {frame.candidates} places)"
        yield view.pen.line(f"  {mark} ", where, pad(_WIDE, where), logged.function, "  ", Span(remark, "dim"))
        if not logged.path and logged.text:
            yield view.pen.line("        ", logged.text)
        return
    place = view.place(frame.place.file, frame.place.line)
    yield view.pen.line(f"  {mark} ", place, pad(_WIDE, place), without_module(frame.place.function, frame.place.file))
    if logged.text:
        yield view.pen.line("        ", logged.text)
    if frame.note:
        yield view.pen.line("      ", Span(frame.note, "dim"))


def _installed(path: str) -> str:
    """Return a path from the folder of installed packages on."""
    for folder in ("site-packages/", "dist-packages/"):
        if folder in path:
            return path.rpartition(folder)[2]
    return path


def _raised(answer: TraceAnswer, view: View) -> Iterator[str]:
    if not answer.exception:
        yield view.pen.line(Span("The exception's own line is not in the log.", "warning"))
    else:
        message = answer.message.partition("\n")[0][:200]
        yield view.pen.line(Span(answer.exception, "error"), f": {message}" if message else "")
    yield view.pen.line()


def _assumed(answer: TraceAnswer, view: View, everything: bool) -> Iterator[str]:
    if not answer.assumed:
        return
    shown = answer.assumed if everything else answer.assumed[:_ASSUMED]
    for number, one in enumerate(shown):
        lead = "assumed  " if number == 0 else "         "
        text = f"{one.name} = {one.value[:60]}"
        yield view.pen.line(lead, text, pad(44, text), Span(f"from {one.source}", "dim"))
    if len(answer.assumed) > len(shown):
        yield view.pen.line(f"         ... {len(answer.assumed) - len(shown)} more: --all")
    yield view.pen.line()


def _causes(answer: TraceAnswer, view: View, everything: bool) -> Iterator[str]:
    shown = answer.causes if everything else answer.causes[:_CAUSES]
    for rank, cause in enumerate(shown, 1):
        yield from _cause(rank, cause, view, everything, full=rank == 1)
    if len(answer.causes) > len(shown):
        yield view.pen.line(f"  ... {len(answer.causes) - len(shown)} other causes, less likely: --all")
        yield view.pen.line()


def _cause(rank: int, cause: Cause, view: View, everything: bool, *, full: bool) -> Iterator[str]:
    sure = "" if cause.certain else "   (possible)"
    yield view.pen.line(f"{rank}  ", Span(cause.kind, "mark"), Span(sure, "dim"))
    for line in _wrapped(cause.claim, "     "):
        yield view.pen.line(line)
    room = len(cause.evidence) if everything else _EVIDENCE if full else _OTHERS
    yield from _places(cause.evidence, room, view)
    guards = shown_guards(cause.guards)
    limit = len(guards) if everything else _GUARDS if full else 0
    for guard in guards[:limit]:
        place = view.place(guard.file, guard.line)
        holds = {"true": "   holds in this run", "false": "   does not hold in this run"}.get(guard.value, "")
        text = f"{guard_text(guard)[:120]}{holds}"
        yield view.pen.line("       where  ", place, pad(_WIDE - 5, place), Span(text, "guard"))
    yield view.pen.line()


def _places(evidence: Sequence[Evidence], room: int, view: View) -> Iterator[str]:
    """Write places; of more than there is room for the first and the last ones, since chains say most at their ends."""
    last = room // 2 if len(evidence) > room else 0
    first = evidence[: room - last] if last else evidence
    width = min(max((len(view.place(e.place.file, e.place.line).text) for e in evidence), default=0), _WIDE) + 2
    for one in first:
        yield _evidence(one, width, view)
    if last:
        yield view.pen.line(f"       ... {len(evidence) - room} places between: --all")
        for one in evidence[-last:]:
            yield _evidence(one, width, view)


def _evidence(one: Evidence, width: int, view: View) -> str:
    place = view.place(one.place.file, one.place.line)
    return view.pen.line("       ", place, pad(width, place), one.reason)


def _notes(answer: TraceAnswer, view: View) -> Iterator[str]:
    for note in answer.notes:
        yield view.pen.line(f"note: {note}")
    if not answer.exception and answer.status == "matched":
        yield view.pen.line("note: the exception line was not in the log. Paste more of it for a certain answer.")


def _next(answer: TraceAnswer, view: View) -> Iterator[str]:
    commands = [view.command(*words) for cause in answer.causes[:1] for words in cause.commands]
    if not commands and answer.failing_place is not None:
        place = answer.failing_place
        commands = [view.command("reach", f"{place.file}:{place.line}")]
    if commands:
        yield from next_lines(view, [(command, "") for command in dict.fromkeys(commands)])
