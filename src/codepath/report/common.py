"""Blocks that several text reports share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from codepath.model.answers import Place, Stats, Step, Symbol, Truncation, Unresolved
from codepath.report.names import Names, without_module
from codepath.report.pen import Piece, Span, pad
from codepath.report.view import View, count

LINE = 100
MAX_SITES = 5
_MAX_SKIPPED = 3
_MAX_SPELLED = 3


def target_lines(symbol: Symbol, view: View) -> Iterator[str]:
    """Write what was asked about and where it is defined."""
    yield view.pen.line(Span(symbol.name, "name"))
    if symbol.kind == "outside":
        yield view.pen.line("  outside  this tree, which calls it")
        return
    yield view.pen.line("  defined  ", view.place(symbol.place.file, symbol.place.line))
    asked = str(view.query.get("target") or view.query.get("name") or "")
    owner, _, last = asked.rpartition(".")
    is_dotted = bool(owner) and symbol.name.rpartition(".")[2] == last and "/" not in asked
    if is_dotted and symbol.kind == "method" and not f".{symbol.name}".endswith(f".{asked}"):
        yield view.pen.line(f"  asked as `{asked}`, which inherits it; other classes that run it are counted too")


def called_lines(sites: Sequence[Step], view: View, names: Names) -> Iterator[str]:
    """Write the call sites of the target where they are few, else how many there are."""
    if not sites:
        yield view.pen.line("  called   nowhere that codepath can see")
        return
    if len(sites) > MAX_SITES:
        functions = count(len({s.caller for s in sites}), "function")
        yield view.pen.line(f"  called   at {count(len(sites), 'call site')} in {functions}")
        return
    places = [view.place(s.file, s.line) for s in sites]
    end = max(len(p.text) for p in places) + 3
    for number, (place, site) in enumerate(zip(places, sites, strict=True)):
        lead = "  called   " if number == 0 else "           "
        remark = "(the only call)" if len(sites) == 1 else names.short(site.caller)
        yield view.pen.line(lead, place, pad(end, place), remark)


def unresolved_lines(unresolved: Iterable[Unresolved], view: View, lead: str = "  ") -> Iterator[str]:
    """Write call sites of unknown target in columns: place, text, reason."""
    rows = [(view.place(u.file, u.line), u.text, u.reason) for u in unresolved]
    first = max((len(p.text) for p, _, _ in rows), default=0) + 3
    second = min(max((len(t) for _, t, _ in rows), default=0), 40) + 3
    for place, text, reason in rows:
        yield view.pen.line(lead, place, pad(first, place), text, pad(second, text), Span(reason, "dim"))


def cut_line(truncated: Truncation | None, view: View, way_out: str = "") -> Iterator[str]:
    """Say what an answer leaves out."""
    if truncated is None:
        return
    rest = f"; {way_out}" if way_out else ""
    if truncated.what == "verdicts":
        said = f" which of these paths can happen; {truncated.total} functions lead to the target{rest}."
        yield view.pen.line(Span("Not worked out:", "warning"), said)
        return
    if truncated.what == "files":
        shown = f" {truncated.shown} of {truncated.total} files were read; `codepath index` reads the others too{rest}."
        yield view.pen.line(Span("Cut off:", "warning"), shown)
        return
    if truncated.total < 0:
        yield view.pen.line(Span("Cut off", "warning"), f" after {truncated.shown} {truncated.what}{rest}.")
        return
    shown = f" {truncated.shown} of {truncated.total} {truncated.what} are shown{rest}."
    yield view.pen.line(Span("Cut off:", "warning"), shown)


def skipped_lines(view: View) -> Iterator[str]:
    """Say which files the answer rests on without having been read."""
    skipped = view.source.skipped
    if not skipped:
        return
    yield view.pen.line(f"{count(len(skipped), 'file')} that could matter could not be read:")
    for path, reason in skipped[:_MAX_SKIPPED]:
        place = view.place(path, 0)
        yield view.pen.line("  ", place, "   ", reason)
    if len(skipped) > _MAX_SKIPPED:
        yield view.pen.line(f"  ... {len(skipped) - _MAX_SKIPPED} more: {view.command('status')}")


def not_seen_lines(stats: Stats, view: View, where: str) -> Iterator[str]:
    """Say how many calls were not resolved."""
    calls = f"{stats.unresolved} of {count(stats.call_sites, 'call')}"
    yield view.pen.line(f"Not seen: {calls} {where} {'has' if stats.unresolved == 1 else 'have'} no known target.")
    yield from skipped_lines(view)


def spelled_lines(places: Sequence[Place], view: View) -> Iterator[str]:
    """Say where a name is handed on as a string, by which something may be called unseen."""
    if not places:
        return
    yield view.pen.line("Not followed: its name is handed on as a string, by which it may be called after all:")
    for place in places[:_MAX_SPELLED]:
        yield view.pen.line(
            "  ", view.place(place.file, place.line), f"   in {without_module(place.function, place.file)}"
        )
    if len(places) > _MAX_SPELLED:
        yield view.pen.line(f"  ... {len(places) - _MAX_SPELLED} more: --format json")


def next_lines(view: View, commands: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Suggest commands with what each shows."""
    end = max(len(c) for c, _ in commands) + 3
    for number, (command, shows) in enumerate(commands):
        lead = "next: " if number == 0 else "      "
        pieces: list[Piece] = [lead, command]
        if shows and len(lead) + end + len(shows) <= LINE:
            pieces += [pad(end, command), Span(shows, "dim")]
        yield view.pen.line(*pieces)
