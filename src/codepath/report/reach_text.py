"""The answer to `reach` as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from codepath.model.answers import Entry, Group, Guard, NearestMiss, Path, Place, ReachAnswer, Step
from codepath.report.assumed import assumed_lines
from codepath.report.common import (
    LINE,
    MAX_SITES,
    called_lines,
    cut_line,
    next_lines,
    not_seen_lines,
    skipped_lines,
    spelled_lines,
    target_lines,
    unresolved_lines,
)
from codepath.report.extras import bypass_lines, order_lines, shared_order, stopped_lines
from codepath.report.hops import Hops
from codepath.report.names import Names, guard_text, shown_guards
from codepath.report.pen import Piece, Span, pad
from codepath.report.values_text import stored_lines
from codepath.report.view import View, count

MAX_GROUPS = 12
MAX_HOPS = 16
"""Hops of a path that are shown unless all are asked for: the first ones and the last."""
_FIRST_HOPS = 9
_MIN_HIDDEN = 3
_MAX_LIKELY = 3
_MOST_SHARED = 8  # guards that all paths share
_THROUGH = "through "
_GROUPINGS = {
    "entry": "by what decides them",
    "guard": "by their guards",
    "module": "by the module of the last function before the target",
}


def is_reached(answer: ReachAnswer) -> bool:
    """Tell whether a path that is not blocked leads to the target."""
    return any(path.feasible != "blocked" for path in answer.paths)


def reach_text(answer: ReachAnswer, view: View) -> Iterator[str]:
    """Write which paths reach the target, or why none does."""
    names = names_of(answer)
    yield from target_lines(answer.target, view)
    if not answer.paths:
        yield from called_lines(answer.call_sites, view, names)
        yield view.pen.line()
        yield from _not_reached(answer, view)
        return
    yield from called_lines(answer.call_sites, view, names)
    yield view.pen.line()
    yield from _verdict(answer, view)
    yield from assumed_lines(answer, view)
    if answer.nearest_miss is not None and answer.nearest_miss.guard is not None:
        yield from stopped_lines(answer, answer.nearest_miss.guard, view, names)
    else:
        yield from _paths(answer, view, names)
    yield from _groups(answer, view, names)
    yield from stored_lines(answer.stored_value, answer.hooks, view)
    yield view.pen.line()
    yield from order_lines(answer, view)
    yield from bypass_lines(answer, view, names)
    yield from not_seen_lines(answer.stats, view, "in the functions on the ways to the target")
    yield from _by_name_line(answer, view)
    yield from cut_line(answer.truncated, view)
    yield from _next(answer, view)


def names_of(answer: ReachAnswer) -> Names:
    """Return how the functions of an answer are called."""
    names = Names()
    names.learn(symbols=[answer.target], steps=answer.incoming, entries=answer.entries)
    names.learn(steps=answer.call_sites)
    for path in answer.paths:
        names.learn(steps=path.steps)
    return names


def _is_decided(answer: ReachAnswer) -> bool:
    """Tell whether it was worked out which paths can happen."""
    return any(path.feasible != "unknown" for path in answer.paths)


# --- the first line ------------------------------------------------------------------------------------------------------


def _verdict(answer: ReachAnswer, view: View) -> Iterator[str]:
    start = view.query.get("from")
    guards, order = shown_guards(answer.guards_always), shared_order(answer)
    reached = is_reached(answer)
    head = ("REACHED" if reached else "NOT REACHED") + (f" from {start}" if start else "")
    if reached and guards:
        yield from _when(head, guards, order, view)
    elif reached:
        no_guard = "" if start else " (no guard is common to all paths)"
        yield view.pen.line(Span(head, "answer"), f"{f', {order}' if order else ''}{no_guard}.")
    else:
        seen = " that codepath can follow" if answer.spelled else ""
        yield view.pen.line(Span(head, "answer"), f": every path{seen} is blocked by a guard.")
        yield from spelled_lines(answer.spelled, view)
    if answer.stored_value is not None and answer.stored_value.may_be_none:
        yield view.pen.line(f"But the value it stores can be None{_models(answer)}: see the note below.")
    if len(answer.call_sites) > MAX_SITES:
        yield view.pen.line("The shortest path, then the groups:")


def _models(answer: ReachAnswer) -> str:
    """Say whether the assumed model is one for which the stored value is None."""
    lacks = {asked.model.rpartition(".")[2]: asked.has for asked in answer.hooks if asked.model}
    words = {False: ", as for {}", True: " for other models than {}", None: ""}
    return "".join(words[has].format(model) for model, has in list(lacks.items())[:1])


def _when(head: str, guards: Sequence[Guard], order: str, view: View) -> Iterator[str]:
    line = f" when {' and '.join(f'`{guard_text(g)}`' for g in guards)}"
    then = f", and {order}." if order else "."
    if len(head) + len(line) + len(then) <= LINE:
        yield view.pen.line(Span(head, "answer"), line, then)
        return
    if len(head) + len(line) < LINE:
        yield view.pen.line(Span(head, "answer"), f"{line},")
        yield view.pen.line(f"and {order}.")
        return
    yield view.pen.line(Span(head, "answer"), f"{f' {order},' if order else ''} when all of these hold:")
    end = min(max(len(guard_text(g)) for g in guards), 60) + 3
    if len(guards) > _MOST_SHARED:
        yield view.pen.line(f"  ... {len(guards) - _MOST_SHARED} nearer to the start, on the path below")
    for guard in guards[-_MOST_SHARED:]:
        text = guard_text(guard)
        yield view.pen.line("  ", Span(text, "guard"), pad(end, text), view.place(guard.file, guard.line))


# --- paths ---------------------------------------------------------------------------------------------------------------


def _paths(answer: ReachAnswer, view: View, names: Names) -> Iterator[str]:
    asked = view.query.get("paths", 1)
    several = bool(view.query.get("all") or view.query.get("group")) or (isinstance(asked, int) and asked > 1)
    shown = answer.paths if several else answer.paths[:1]
    hops = Hops(view, names, [s for p in shown for s in p.steps])
    main = answer.paths[0]
    for number, path in enumerate(shown, 1):
        yield view.pen.line()
        yield view.pen.line(*_path_title(answer, path, number))
        yield from _path(path, main, hops, view)
        if path is main:
            end = path.steps[-1].callee if path.steps else answer.target.name
            own = "" if path.steps else "   a way in itself"
            yield view.pen.line("  =>  ", Span(names.short(end), "answer"), own)


def _path_title(answer: ReachAnswer, path: Path, number: int) -> tuple[Piece, ...]:
    cut = answer.truncated
    total = f"{len(answer.paths)}"
    if cut is not None and cut.what == "paths":
        total = f"{cut.total}" if cut.total >= 0 else f"more than {cut.shown}"
    verdict = f", {path.feasible}" if _is_decided(answer) else ""
    title = f"Path {number}" if total == "1" else f"Path {number} of {total}"
    return (Span(title, "answer"), f"{verdict}: {answer.entries[path.entry].name}")


def _path(path: Path, main: Path, hops: Hops, view: View) -> Iterator[str]:
    """Write the steps of a path; where it joins the main path for good, say so instead of repeating that one."""
    shared = 0 if path is main else _shared_tail(path.steps, main.steps)
    kept = path.steps[: len(path.steps) - shared] if shared > 1 else path.steps
    hidden = len(kept) - MAX_HOPS
    if hidden < _MIN_HIDDEN or view.query.get("full"):
        yield from hops.numbered(kept)
    else:
        first, last = kept[:_FIRST_HOPS], kept[_FIRST_HOPS + hidden :]
        yield from hops.numbered(first)
        guards = sum(len(shown_guards(step.guards)) for step in kept[_FIRST_HOPS : _FIRST_HOPS + hidden])
        under = f" under {count(guards, 'guard')}" if guards else ""
        yield view.pen.line(f"      … {hidden} hops{under}: --full")
        yield from hops.numbered(last, _FIRST_HOPS + hidden + 1)
    if len(kept) < len(path.steps):
        yield view.pen.line(f"      … then as path 1 from hop {len(main.steps) - shared + 1}")


def _shared_tail(one: Sequence[Step], other: Sequence[Step]) -> int:
    """Return how many steps at the end of two paths are the same."""
    shared = 0
    while shared < min(len(one), len(other)) and one[-1 - shared] == other[-1 - shared]:
        shared += 1
    return shared


# --- groups --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Row:
    """Groups that read the same: verdict, title and place as text, the entry points of all, and how many paths."""

    verdict: str
    title: str
    place: Span | None
    entries: tuple[int, ...]
    ways: int
    number: int
    because: tuple[Place | str, ...] = ()


def _groups(answer: ReachAnswer, view: View, names: Names) -> Iterator[str]:
    main = answer.groups[0] if answer.groups else None
    if (
        main is None
        or view.query.get("all")
        or view.query.get("group")
        or (len(answer.groups) == 1 and len(main.entries) <= 1)
    ):
        return
    yield view.pen.line()
    if len(main.entries) > 1:
        first = answer.paths[0].entry
        rest = [answer.entries[i] for i in main.entries if i != first]
        join = "entry point joins" if len(rest) == 1 else "entry points join"
        yield view.pen.line(f"{len(rest)} more {join} this path:")
        yield from _entry_names(rest, view, "  ")
    rows = _rows(answer, view, names)
    if not rows:
        return
    grouping = _GROUPINGS.get(str(view.query.get("group_by", "entry")), _GROUPINGS["entry"])
    yield view.pen.line(f"The other paths, grouped {grouping}{_common_hops(answer)}")
    yield from _row_lines(rows, answer, view, names)


def _rows(answer: ReachAnswer, view: View, names: Names) -> list[_Row]:
    """Return what is printed of the groups but the first, those that read the same as one."""
    rows: dict[int, _Row] = {}
    for group in answer.groups[1:]:
        verdict = f"{group.verdict:<9} " if _is_decided(answer) else ""
        title, place = _title(group, answer, view, names)
        known = rows.get(group.number)
        entries = (*known.entries, *group.entries) if known is not None else group.entries
        ways = (known.ways if known is not None else 0) + max(group.total, len(group.paths))
        because = known.because if known is not None else ()
        because = tuple(dict.fromkeys((*because, *_because(group, answer))))
        place = known.place if known is not None else place
        rows[group.number] = _Row(verdict, title, place, tuple(dict.fromkeys(entries)), ways, group.number, because)
    return list(rows.values())


def _title(group: Group, answer: ReachAnswer, view: View, names: Names) -> tuple[str, Span | None]:
    """Return a group's title with short names, and the place that decides it."""
    decided = group.decided_by
    place = view.place(decided.file, decided.line) if decided is not None else None
    if group.verdict == "blocked" and isinstance(decided, Guard):
        return f"`{guard_text(decided)}` is false", place
    if not group.title.startswith(_THROUGH):
        return group.title, place
    function = group.title.removeprefix(_THROUGH)
    for number in group.paths:
        for step in answer.paths[number].steps if place is None else ():
            if step.caller == function:
                place = view.place(step.file, step.line)
    return _THROUGH + names.short(function), place


def _because(group: Group, answer: ReachAnswer) -> list[Place | str]:
    """Return the places of the constants that block the paths of a group, or the assumptions that do."""
    found = (answer.paths[number].contradiction for number in group.paths)
    return [
        c.because if c.assumed is None else f"the assumption {answer.assumptions[c.assumed].assumption.text}"
        for c in found
        if c is not None
    ]


def _because_lines(because: Sequence[Place | str], view: View, names: Names) -> Iterator[str]:
    """Write what passes on the constants that make a guard false, as many as fit on a line, line by line."""
    texts = [
        p if isinstance(p, str) else f"{names.short(p.function)} ({p.file.rpartition('/')[2]}:{p.line})"
        for p in because
    ]
    lead = "      because of "
    line = lead
    for number, text in enumerate(texts):
        end = "" if number == len(texts) - 1 else ", "
        if len(line) + len(text) > LINE and line.strip():
            yield view.pen.line(Span(line.rstrip(), "dim"))
            line = " " * len(lead)
        line += text + end
    yield view.pen.line(Span(line.rstrip(), "dim"))


def _row_lines(rows: Sequence[_Row], answer: ReachAnswer, view: View, names: Names) -> Iterator[str]:
    end = min(max(len(r.title) for r in rows), 44) + 3
    for row in rows[:MAX_GROUPS]:
        pieces: list[Piece] = [f"{row.number:>3}  ", row.verdict, row.title]
        if row.place is not None:
            pieces += [pad(end, row.title), row.place]
        if row.ways > 1:
            pieces.append(f"   ({row.ways} ways)")
        yield view.pen.line(*pieces)
        if row.because:
            yield from _because_lines(row.because, view, names)
            continue
        if view.query.get("from"):
            continue
        lead = f"      {count(len(row.entries), 'entry point')}: "
        yield from _entry_names([answer.entries[i] for i in row.entries], view, lead)
    if len(rows) > MAX_GROUPS:
        yield view.pen.line(f"  ... {len(rows) - MAX_GROUPS} more: --all")
    yield view.pen.line(f"--group {rows[0].number} shows the paths of one group alone.")


def _common_hops(answer: ReachAnswer) -> str:
    main = answer.paths[0].steps
    shared = min((_shared_tail(main, p.steps) for p in answer.paths[1:]), default=0)
    if shared == 0:
        return ""
    last = len(main)
    first = last - shared + 1
    between = "and" if shared == 2 else "to"
    return f" (all share hop {last})" if shared == 1 else f" (all share hops {first} {between} {last})"


def _entry_names(entries: Sequence[Entry], view: View, lead: str) -> Iterator[str]:
    """Write the names of entry points on one line, as many as fit."""
    shown: list[str] = []
    room = LINE - len(lead) - len(", and 999 more")
    for entry in entries:
        if shown and len(", ".join([*shown, entry.name])) > room:
            break
        shown.append(entry.name)
    more = len(entries) - len(shown)
    yield view.pen.line(lead, Span(", ".join(shown) + (f", and {more} more" if more else ""), "dim"))


# --- what is not known, and what to ask next -----------------------------------------------------------------------------


def _by_name_line(answer: ReachAnswer, view: View) -> Iterator[str]:
    doubtful = len({s for p in answer.paths for s in p.steps if s.resolution == "by-name"})
    if doubtful:
        verb = "rests" if doubtful == 1 else "rest"
        yield view.pen.line(f"{count(doubtful, 'step')} on these paths {verb} on the name alone: it may go elsewhere.")


def _next(answer: ReachAnswer, view: View) -> Iterator[str]:
    target = str(view.query.get("target") or answer.target.name)
    commands = [(view.command("reach", target, "--view", "tree"), "all callers, upside down")]
    if len(answer.paths) > 1 and not view.query.get("all"):
        commands.append((view.command("reach", target, "--all"), "every path, one a way"))
    commands.append((view.command("callers", target), "its call sites with their guards"))
    yield from next_lines(view, commands)


def _not_reached(answer: ReachAnswer, view: View) -> Iterator[str]:
    start = view.query.get("from")
    origin = f"from {start}" if start else "from any entry point"
    yield view.pen.line(Span(f"NOT REACHED {origin}", "answer"), " that codepath can follow" if answer.spelled else "")
    yield from spelled_lines(answer.spelled, view)
    yield from assumed_lines(answer, view)
    if answer.nearest_miss is not None:
        yield view.pen.line()
        yield from _miss(answer.nearest_miss, str(start or "an entry point"), view)
    yield from skipped_lines(view)
    yield from cut_line(answer.truncated, view)
    target = str(view.query.get("target") or answer.target.name)
    commands = [(view.command("callers", target), "its call sites")]
    if start:
        commands.append((view.command("callees", str(start)), "what it calls, and what is not known"))
    else:
        commands.append((view.command("entries"), "the entry points that were tried"))
    yield from next_lines(view, commands)


def _miss(miss: NearestMiss, start: str, view: View) -> Iterator[str]:
    yield view.pen.line(f"No chain of calls leads from {start} to the target.")
    forward, backward = count(miss.forward, "function"), count(miss.backward, "function")
    yield view.pen.line(f"  forward from the start: {forward}   backward from the target: {backward}   in both: 0")
    unknown = max(miss.unknown, len(miss.frontier))
    if not unknown:
        return
    likely = miss.frontier[:_MAX_LIKELY]
    stand = "call with an unknown target stands" if unknown == 1 else "calls with unknown targets stand"
    chosen = f"; the {len(likely)} likeliest:" if len(likely) < unknown else ":"
    yield view.pen.line(f"  {unknown} {stand} on the edge of the start's part{chosen}")
    yield from unresolved_lines(likely, view, "    ")
    if len(likely) < unknown:
        yield view.pen.line("    ...")
    if not miss.teach:
        return
    yield view.pen.line("  tell codepath what they call, in codepath.toml:")
    for line in miss.teach:
        yield view.pen.line("    ", line)
