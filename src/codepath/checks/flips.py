"""Orders of watched functions that differ between two trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from codepath.checks.tree import CheckedTree
from codepath.model.answers import Place
from codepath.model.checks import Draft, Note

_MAX_PAIRS = 200  # of watched functions that one frame calls
_MAX_NOTES = 4
_OPPOSITE = {"before": "after", "after": "before"}

Watched = Mapping[str, Sequence[str]]
"""Full names of functions by their short name."""


@dataclass(frozen=True, slots=True)
class _Flip:
    """`first` ran before `second`; now it can run after it, or does where `is_sure`."""

    first: str
    second: str
    is_sure: bool
    first_site: Place
    second_site: Place


def flips(head: CheckedTree, base: CheckedTree, before: Watched, after: Watched) -> Iterator[Draft]:
    """Yield, for each caller of two watched functions, the orders that held in the base and hold no more.

    Where one function moved past several, that is told once.

    Args:
        head: The tree.
        base: The tree before.
        before: The watched functions of the base.
        after: Those of the tree.
    """
    both = sorted(before.keys() & after.keys())
    old_frames, new_frames = _frames(base, before, both), _frames(head, after, both)
    for frame in sorted(old_frames.keys() & new_frames.keys()):
        old, new = old_frames[frame], new_frames[frame]
        names = [name for name in both if name in old and name in new]
        found = []
        for one, other in list(combinations(names, 2))[:_MAX_PAIRS]:
            was = base.order(old[one], before[one], before[other])
            if was is None or was.verdict not in _OPPOSITE:
                continue
            pair = (one, other) if was.verdict == "before" else (other, one)
            found += _flip(head, new[one], pair, after)
        yield from _told(frame, found)


def _frames(tree: CheckedTree, watched: Watched, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the callers of several watched functions by short name: for each of these the caller's own full name."""
    found: dict[str, dict[str, str]] = {}
    for name in names:
        for function in watched[name]:
            for step in tree.graph.steps_into(function):
                if step.resolution in ("exact", "inferred") and step.kind != "import":
                    found.setdefault(tree.short(step.caller), {})[name] = step.caller
    return {frame: calls for frame, calls in found.items() if len(calls) > 1}


def _flip(tree: CheckedTree, frame: str, pair: tuple[str, str], watched: Watched) -> list[_Flip]:
    first, second = pair
    now = tree.order(frame, watched[first], watched[second])
    if now is None or now.verdict not in ("after", "either"):
        return []
    context = next((c for c in now.contexts if c.verdict == now.verdict), None)
    if context is None:
        return []
    return [_Flip(first, second, now.verdict == "after", context.first_site, context.then_site)]


def _told(frame: str, found: Sequence[_Flip]) -> Iterator[Draft]:
    """Yield one finding for each function that moved: first the one that has part in the most flips."""
    rest = list(found)
    while rest:
        counts = Counter(name for flip in rest for name in (flip.first, flip.second))
        moved = min(counts, key=lambda name: (-counts[name], name))
        for is_second in (True, False):
            own = [f for f in rest if (f.second if is_second else f.first) == moved]
            for is_sure in (True, False):
                same = [f for f in own if f.is_sure is is_sure]
                if same:
                    yield _draft(frame, moved, same, is_second=is_second)
        rest = [f for f in rest if moved not in (f.first, f.second)]


def _draft(frame: str, moved: str, same: Sequence[_Flip], *, is_second: bool) -> Draft:
    others = sorted((f.first if is_second else f.second) for f in same)
    runs = "now runs" if same[0].is_sure else "can now run"
    past, was = ("before", "after") if is_second else ("after", "before")
    it = "it" if len(others) == 1 else "them"
    message = f"{moved} {runs} {past} {', '.join(others)} in {frame}; it ran {was} {it}"
    place = same[0].second_site if is_second else same[0].first_site
    sites = [(f.first, f.first_site) if is_second else (f.second, f.second_site) for f in same]
    notes = tuple(Note(site, f"runs {name}") for name, site in sorted(sites, key=str)[:_MAX_NOTES])
    return Draft(message, place, (frame, moved, past, *others, "order"), notes=notes)
