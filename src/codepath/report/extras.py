"""What `reach` says beside its paths: their order relative to an event, what bypasses them, what stops them all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codepath.model.answers import Bypass, EventOrder, Guard, Path, ReachAnswer
from codepath.report.common import LINE
from codepath.report.hops import Hops
from codepath.report.names import Names, guard_text, is_shown, without_module
from codepath.report.pen import Piece, Span, width
from codepath.report.view import View, count

_PAIR = 2  # places
_MAX_SKIPS = 2
_MAX_BYPASSES = 4
_SAID = {
    "before": "before {title}",
    "after": "after {title}",
    "either": "before or after {title}, depending on the path",
    "inside": "during {title}, or around it",
    "exclusive": "never with {title}",
    "concurrent": "beside {title}, in another process or thread",
    "unreached": "{title} is not reached here",
}


def shared_order(answer: ReachAnswer) -> str:
    """Say in words what all paths that can happen have in common in their order relative to one event, or ""."""
    orders = [path.order[0] if len(path.order) == 1 else None for path in answer.paths if path.feasible != "blocked"]
    first = orders[0] if orders else None
    if first is None or first.verdict not in ("before", "after", "inside"):
        return ""
    shared = all(order is not None and (order.event, order.verdict) == (first.event, first.verdict) for order in orders)
    return _SAID[first.verdict].format(title=first.title) if shared else ""


def order_lines(answer: ReachAnswer, view: View) -> Iterator[str]:
    """Write the order of the paths relative to their event: what all share, or how many of them have each verdict."""
    found = [(path, order) for path in answer.paths for order in path.order]
    if not found:
        return
    verdicts: dict[str, list[EventOrder]] = {}
    for _, order in found:
        verdicts.setdefault(order.verdict, []).append(order)
    for verdict, orders in verdicts.items():
        which = "" if len(verdicts) == 1 else f" on {count(len(orders), 'path')}"
        said = _SAID[verdict].format(title=orders[0].title)
        where = _witness(orders[0], view) if len(orders[0].witness) == _PAIR else []
        head: list[Piece] = ["Order: ", Span(said, "answer"), which]
        if where and width(*head, *where) > LINE:
            yield view.pen.line(*head)
            head = ["      "]
        yield view.pen.line(*head, *where)
        if len(orders[0].witness) > _PAIR:
            yield from _both(orders[0], view)
        yield from _skips(orders[0], view)


def _both(order: EventOrder, view: View) -> Iterator[str]:
    """Write where the one order is possible, and where the other."""
    for verdict, pair in (("before", order.witness[:_PAIR]), ("after", order.witness[_PAIR:])):
        where = _witness(replace(order, verdict=verdict, witness=pair), view)
        yield view.pen.line(f"       {verdict:6}", *where, f"   in {without_module(pair[0].function, pair[0].file)}")


def _witness(order: EventOrder, view: View) -> list[Piece]:
    if len(order.witness) < _PAIR:
        return []
    one, other = order.witness[:_PAIR]
    first, then = (other, one) if order.verdict == "after" else (one, other)
    if first == then:
        return ["   ", view.place(first.file, first.line)]
    return ["   ", view.place(first.file, first.line), ", then ", view.short_place(then.file, then.line, first.file)]


def _skips(order: EventOrder, view: View) -> Iterator[str]:
    for skip in order.skips[:_MAX_SKIPS]:
        pieces: list[Piece] = [f"       {order.title} also runs without it: when "]
        near = order.witness[0].file if order.witness else ""
        for number, guard in enumerate([g for g in skip if is_shown(g)] or skip):
            pieces += [" and " if number else "", Span(f"`{guard_text(guard)}`", "guard"), " ("]
            pieces += [view.short_place(guard.file, guard.line, near), ")"]
        yield view.pen.line(*_fitted(pieces))
    if len(order.skips) > _MAX_SKIPS:
        yield view.pen.line(f"       ... {count(len(order.skips) - _MAX_SKIPS, 'more way')}: --format json")


def _fitted(pieces: list[Piece]) -> list[Piece]:
    """Cut the conditions of a line that would be too long."""
    while width(*pieces) > LINE and (
        longest := max((p for p in pieces if isinstance(p, Span)), key=lambda p: len(p.text))
    ):
        room = len(longest.text) - (width(*pieces) - LINE) - 2
        if room < 16 or longest.style != "guard":
            break
        cut = Span(f"{longest.text[:room]}…`", longest.style)
        pieces = [cut if p is longest else p for p in pieces]
    return pieces


def bypass_lines(answer: ReachAnswer, view: View, names: Names) -> Iterator[str]:
    """Write which overrides miss the target, or that none does; nothing where only a part of the tree was read."""
    if answer.truncated is not None and answer.truncated.what == "files":
        yield view.pen.line("Not worked out: what bypasses these paths, and their order relative to events.")
        return
    if answer.bypasses:
        for bypass in answer.bypasses[:_MAX_BYPASSES]:
            yield from _bypass(bypass, view, names)
        if len(answer.bypasses) > _MAX_BYPASSES:
            rest = count(len(answer.bypasses) - _MAX_BYPASSES, "more override")
            yield view.pen.line(f"  ... {rest} bypass it: --format json")
        return
    last = _last_method(answer.paths[0])
    if last and last not in answer.overridden:
        rest = " Other overrides here lead to it too." if answer.overridden else ""
        yield view.pen.line("Nothing in this tree overrides ", Span(names.short(last), "name"), f".{rest}")
    elif last:
        yield view.pen.line("No override in this tree of a function on these paths misses the target.")


def _last_method(path: Path) -> str:
    """Return the last function of a path that stands in a class, "" where none does."""
    callers = (step for step in reversed(path.steps))
    return next((s.caller for s in callers if without_module(s.caller, s.file).count(".") == 1), "")


def _bypass(bypass: Bypass, view: View, names: Names) -> Iterator[str]:
    name = without_module(bypass.function, bypass.place.file)
    place = view.place(bypass.place.file, bypass.place.line)
    rest: list[Piece] = [f"which overrides {names.short(bypass.overrides)}"]
    shown = [g for g in bypass.guards if is_shown(g)]
    if shown:
        rest += [", when ", Span(f"`{guard_text(shown[-1])}`", "guard")]
    head: list[Piece] = ["Bypassed by ", Span(name, "warning"), " (", place, ")"]
    if width(*head, ", ", *rest) <= LINE:
        yield view.pen.line(*head, ", ", *rest)
        return
    yield view.pen.line(*head)
    yield view.pen.line(*_fitted(["  ", *rest]))


def stopped_lines(answer: ReachAnswer, guard: Guard, view: View, names: Names) -> Iterator[str]:
    """Write the path that comes nearest, up to the guard that stops it."""
    path = next(p for p in answer.paths if p.contradiction is not None and p.contradiction.guard == guard)
    reached = next((n for n, s in enumerate(path.steps) if guard in s.guards), len(path.steps) - 1)
    stopping = [p.contradiction.guard for p in answer.paths if p.contradiction is not None]
    yield view.pen.line()
    which = (
        "by one guard."
        if len({(g.text, g.polarity, g.file, g.line) for g in stopping}) == 1
        else "by a guard; the one that comes nearest:"
    )
    yield view.pen.line(f"Nearest miss: every path is stopped {which}")
    hops = Hops(view, names, path.steps)
    yield from hops.numbered(path.steps[:reached])
    last = path.steps[reached]
    yield hops.site(last, reached + 1)
    yield hops.guard(guard, last.file, "      ✗ ")
    if path.contradiction is not None:
        because = path.contradiction.because
        where = view.place(because.file, because.line)
        yield view.pen.line("        because of what ", where, f" passes on ({names.short(because.function)})")
