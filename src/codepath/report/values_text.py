"""The answer to `values` as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codepath.analysis.asked_hooks import lacked_hooks
from codepath.model.answers import Guard, Place, Truncation
from codepath.model.values import AskedHook, NoneHop, Reader, UnsetRead, ValuesAnswer, Writer
from codepath.report.common import LINE, cut_line, next_lines, skipped_lines
from codepath.report.gaps_text import gap_lines
from codepath.report.hops import Hops
from codepath.report.names import Names, guard_text, shown_guards, without_module
from codepath.report.pen import Piece, Span, pad
from codepath.report.view import View, count

_MAX_WRITERS = 12
_MAX_READERS = 12
_MAX_CAUSES = 4
_MAX_HOPS = 14
_MAX_UNKNOWN = 3
_MAX_UNSET = 3
_PLACE_END = 60
_SHORT = 34
_INITIAL = "the initial value of"
_RANK = {"assert": 0, "dereference": 1, "test": 2, "use": 3}
_SAID = {
    "assert": "asserts that it is set",
    "dereference": "dereferences it",
    "test": "tests it",
    "use": "gets it",
}


def values_text(answer: ValuesAnswer, view: View) -> Iterator[str]:
    """Write who writes and reads a variable, and where None comes from."""
    yield view.pen.line(Span(answer.variable, "name"))
    yield view.pen.line("  defined  ", view.place(answer.place.file, answer.place.line))
    yield view.pen.line()
    yield from _verdict(answer, view)
    yield from gap_lines(answer.gaps, view, bool(view.query.get("all")))
    yield from _writers(answer, view)
    yield from _causes(answer, view)
    yield from _unknown(answer, view)
    yield from _readers(answer, view)
    yield from _unset(answer, view)
    yield view.pen.line()
    yield from skipped_lines(view)
    yield from _left_out(answer.truncated, view)
    yield from _next(answer, view)


# --- the first line ------------------------------------------------------------------------------------------------------


def _verdict(answer: ValuesAnswer, view: View) -> Iterator[str]:
    stored = [w for w in answer.writers if w.how in ("store", "setter")]
    initial = next((w.none_chain[0] for w in stored if is_initial(w)), None)
    nones = [w for w in stored if w.may_be_none and any(chain[0] != initial for chain in w.causes)]
    is_gap = any(gap.precision != "low" for gap in answer.gaps)
    if is_gap and answer.kind == "parameter":
        yield view.pen.line(Span("CAN BE NONE", "answer"), ": where it stands in for another parameter; see below.")
    elif stored and is_gap:
        yield view.pen.line(Span("CAN BE UNSET", "answer"), ": on some objects, or too late, it is not set; see below.")
    elif not stored:
        yield view.pen.line(Span("NEVER WRITTEN", "answer"), " by anything that codepath can see.")
    elif nones:
        yield view.pen.line(Span("CAN BE NONE", "answer"), f": it can be stored as None at {_where(nones, view)}.")
    elif "unset" in answer.states:
        yield view.pen.line(
            Span("UNSET AT FIRST", "answer"), f": it is not there until it is written at {_where(stored, view)}."
        )
    elif any(is_initial(w) for w in stored):
        rest = [w for w in stored if not is_initial(w)]
        said = f"until it is written at {_where(rest, view)}" if rest else "and nothing stores anything else"
        yield view.pen.line(Span("NONE AT FIRST", "answer"), f": it starts as None, {said}.")
        if any(w.may_be_none is None for w in rest):
            yield view.pen.line("Of some stored values it is not known whether they can be None.")
    elif any(w.may_be_none is None for w in stored):
        yield view.pen.line(
            Span("NOT KNOWN", "answer"), ": of some stored values it is not known whether they can be None."
        )
    else:
        early = ", but it can be read before: see below" if answer.unset_reads else ""
        yield view.pen.line(Span("NEVER NONE", "answer"), f": no store that codepath can see stores None{early}.")


def is_initial(writer: Writer) -> bool:
    """Tell whether a writer is the None that a module or class body starts a variable with."""
    return writer.how == "store" and len(writer.none_chain) == 1 and writer.none_chain[0].reason.startswith(_INITIAL)


def _where(writers: Sequence[Writer], view: View) -> str:
    calls = [w for w in writers if w.how == "setter"] or list(writers)
    first = view.place(calls[0].place.file, calls[0].place.line).text
    return first if len(calls) == 1 else f"{first} or {count(len(calls) - 1, 'other place')}"


# --- writers -------------------------------------------------------------------------------------------------------------


def _writers(answer: ValuesAnswer, view: View) -> Iterator[str]:
    groups = (
        ("written", [w for w in answer.writers if w.how in ("store", "setter", "delete")]),
        ("changed in place", [w for w in answer.writers if w.how == "mutate"]),
    )
    for title, writers in groups:
        if writers:
            yield view.pen.line()
            yield view.pen.line(Span(title, "answer"), f"  {count(len(writers), 'place')}")
            shown = writers if view.query.get("all") else writers[:_MAX_WRITERS]
            for writer in shown:
                yield from _writer(writer, view)
            yield from _more(len(writers) - len(shown), view)


def _writer(writer: Writer, view: View) -> Iterator[str]:
    place = view.place(writer.place.file, writer.place.line)
    by = _by(writer)
    yield from _placed("  ", place, Span(by, "name"), view)
    if writer.value:
        yield view.pen.line("      value is  ", Span(writer.value, "mark"))
    for guard in shown_guards(writer.guards):
        yield _guard(guard, writer.place, view)


def _by(writer: Writer) -> str:
    function = without_module(writer.place.function, writer.place.file)
    if writer.how == "setter" and writer.through is not None:
        return f"{function} calls {writer.through.rpartition('.')[2]}"
    return f"{function} deletes it" if writer.how == "delete" else function


def _guard(guard: Guard, near: Place, view: View) -> str:
    text = guard_text(guard)
    place = view.short_place(guard.file, guard.line, near.file)
    return view.pen.line("      │ ", Span(text, "guard"), pad(_PLACE_END, "      │ ", text), place)


def _more(left: int, view: View) -> Iterator[str]:
    if left > 0:
        yield view.pen.line(f"  ... {left} more: --all")


# --- None ----------------------------------------------------------------------------------------------------------------


def _causes(answer: ValuesAnswer, view: View) -> Iterator[str]:
    causes: dict[NoneHop, tuple[NoneHop, ...]] = {}
    for writer in answer.writers:
        for chain in writer.causes if writer.how == "store" else ():
            causes.setdefault(_cause(chain), chain)
    if not causes:
        return
    yield view.pen.line()
    yield view.pen.line(Span("None comes from", "answer"))
    everything = bool(view.query.get("all"))
    chains = sorted(causes.values(), key=len)
    shown = chains if everything else chains[:_MAX_CAUSES]
    for chain in shown:
        yield from _chain(chain, view, everything)
    total = max([len(chains), *(w.total for w in answer.writers if w.how == "store")])
    left = total - len(shown)
    if left > 0:
        yield view.pen.line(f"  ... {count(left, 'other cause')}" + ("" if everything else ": --all"))


def _cause(chain: tuple[NoneHop, ...]) -> NoneHop:
    return next((hop for hop in chain if not _is_condition(hop)), chain[0])


def _is_condition(hop: NoneHop) -> bool:
    return hop.reason.startswith("when ")


def _chain(chain: tuple[NoneHop, ...], view: View, everything: bool) -> Iterator[str]:
    cause = _cause(chain)
    first = chain.index(cause)
    yield _hop(cause, "", view, "  ", Span(cause.reason, "mark"))
    for hop in chain[:first]:
        yield _hop(hop, cause.place.file, view, "    ", Span(hop.reason, "guard"))
    rest = chain[first + 1 :]
    shown = rest if everything or len(rest) <= _MAX_HOPS else rest[: _MAX_HOPS - 1]
    near = cause.place.file
    for hop in shown:
        style = "guard" if _is_condition(hop) else "dim"
        yield _hop(hop, near, view, "    ", Span(hop.reason, style))
        near = hop.place.file
    if len(shown) < len(rest):
        yield view.pen.line(f"    ... {len(rest) - len(shown)} more hops: --all")


def stored_lines(writer: Writer | None, hooks: Sequence[AskedHook], view: View) -> Iterator[str]:
    """Write the note of `reach` on a setter: that what it stores can be None, why, and which classes lack which hook."""
    if writer is None or not writer.may_be_none:
        return
    yield view.pen.line()
    yield view.pen.line(Span("note", "warning"), ": the stored value can be None")
    for chain in writer.causes[:_MAX_CAUSES]:
        yield from _chain(chain, view, everything=False)
    if writer.total > _MAX_CAUSES:
        yield view.pen.line(f"  ... {count(writer.total - _MAX_CAUSES, 'other cause')}")
    for asked in hooks:
        yield from _asked_lines(asked, view)
    if not hooks:  # a part of the tree does not tell who lacks them
        for hook in dict.fromkeys(hook for hook, _ in lacked_hooks(writer)):
            yield _hook_help(hook, view)


def _asked_lines(asked: AskedHook, view: View) -> Iterator[str]:
    """Write which classes lack a hook, and whether the assumed model is one of them."""
    hook = Span(f"`{asked.hook}`", "name")
    total = asked.have + asked.lack + asked.unknown
    unknown = f" ({asked.unknown} not known)" if asked.unknown else ""
    yield view.pen.line(
        "    = ", Span(f"{asked.lack} of {total} classes of {asked.family}", "answer"), " lack ", hook, unknown
    )
    if asked.defined is not None:
        has = {True: "has it: not for this model", False: "is one of them", None: "may have it: only running tells"}[
            asked.has
        ]
        place = view.place(asked.defined.file, asked.defined.line)
        yield view.pen.line("    = ", Span(asked.model.rpartition(".")[2], "name"), f" {has}   ", place)
    yield _hook_help(asked.hook, view)


def _hook_help(hook: str, view: View) -> str:
    return view.pen.line("help: ", view.command("hooks", hook, "--missing"), "   which classes lack it")


def _hop(hop: NoneHop, near: str, view: View, lead: str, said: Span) -> str:
    place = view.short_place(hop.place.file, hop.place.line, near)
    return "".join(_placed(lead, place, said, view))


def _placed(lead: str, place: Span, said: Span, view: View) -> Iterator[str]:
    """Write a place and what is said of it; on a line of its own where both take more than one."""
    end = max(_PLACE_END if len(place.text) > _SHORT else _SHORT + 6, len(lead) + len(place.text) + 2)
    if end + len(said.text) <= LINE:
        yield view.pen.line(lead, place, pad(end, lead, place), said)
        return
    yield view.pen.line(lead, place)
    yield view.pen.line(lead, "    ", said)


def _unknown(answer: ValuesAnswer, view: View) -> Iterator[str]:
    unknown = list(dict.fromkeys(hop for w in answer.writers for hop in w.unknown))
    if not unknown:
        return
    yield view.pen.line()
    yield view.pen.line(
        Span("Not known", "warning"), f"  where {count(len(unknown), 'value')} that can be stored comes from"
    )
    shown = unknown if view.query.get("all") else unknown[:_MAX_UNKNOWN]
    for hop in shown:
        yield _hop(hop, "", view, "  ", Span(hop.reason, "dim"))
    yield from _more(len(unknown) - len(shown), view)


# --- readers -------------------------------------------------------------------------------------------------------------


def _readers(answer: ValuesAnswer, view: View) -> Iterator[str]:
    yield view.pen.line()
    if not answer.readers:
        yield view.pen.line(Span("read", "answer"), "  nowhere that codepath can see")
        return
    places = len({(r.place.file, r.place.line) for r in answer.readers})
    needing = [r for r in answer.readers if r.requires_set and r.how in ("assert", "dereference")]
    asserting = sum(1 for r in needing if r.how == "assert")
    said = f"  {count(places, 'place')}; {asserting} assert that it is set, {len(needing) - asserting} dereference it unchecked"
    yield view.pen.line(Span("read", "answer"), said)
    ordered = sorted(answer.readers, key=lambda r: (not r.requires_set, _RANK[r.how]))
    shown = ordered if view.query.get("all") else ordered[:_MAX_READERS]
    for reader in shown:
        yield _reader(reader, view)
    yield from _more(len(ordered) - len(shown), view)


def _reader(reader: Reader, view: View) -> str:
    place = view.place(reader.place.file, reader.place.line)
    said = _SAID[reader.how]
    if reader.how == "dereference":
        said += " unchecked" if reader.requires_set else ", set or checked before"
    elif reader.how == "assert" and not reader.requires_set:
        said = "asserts about it"
    function = without_module(reader.place.function, reader.place.file)
    line: list[Piece] = ["  ", place, pad(_PLACE_END, "  ", place), f"{said}   "]
    room = LINE - sum(len(p.text if isinstance(p, Span) else p) for p in line)
    return view.pen.line(*line, Span(function, "dim")) if room >= len(function) else view.pen.line(*line)


def _unset(answer: ValuesAnswer, view: View) -> Iterator[str]:
    if not answer.unset_reads:
        return
    yield view.pen.line()
    yield view.pen.line(
        Span("can be read before it is written", "answer"), f"  {count(len(answer.unset_reads), 'way')}"
    )
    shown = answer.unset_reads if view.query.get("all") else answer.unset_reads[:_MAX_UNSET]
    for way in shown:
        yield from _way(way, view)
    yield from _more(len(answer.unset_reads) - len(shown), view)


def _way(way: UnsetRead, view: View) -> Iterator[str]:
    place = view.place(way.reader.file, way.reader.line)
    yield from _placed("  ", place, Span(f"from {way.entry}"), view)
    yield view.pen.line("      ", way.why)
    for guard in shown_guards(way.guards):
        yield _guard(guard, way.reader, view)
    if view.query.get("all"):
        names = Names()
        names.learn(steps=way.steps)
        yield from Hops(view, names, way.steps).numbered(way.steps)


def _left_out(cut: Truncation | None, view: View) -> Iterator[str]:
    """Say which accesses are left out since nothing is known of the object."""
    if cut is None or cut.what != "accesses":
        yield from cut_line(cut, view)
        return
    left = count(cut.total - cut.shown, "access of that name", "accesses of that name")
    yield view.pen.line(Span("Left out:", "warning"), f" {left} on objects whose class is not known.")


def _next(answer: ValuesAnswer, view: View) -> Iterator[str]:
    commands = [(view.command("reach", setter), "which paths write it") for setter in answer.setters[:2]]
    if not view.query.get("all"):
        commands.append((view.command("values", str(view.query.get("name")), "--all"), "all of it"))
    if commands:
        yield from next_lines(view, commands)
