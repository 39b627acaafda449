"""Orders of watched functions that differ between two trees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from codepath.checks.tree import CheckedTree, Ordered
from codepath.model.checks import Draft, Note

_MAX_PAIRS = 200  # of watched functions that one frame calls
_SETTLED = ("before", "after")
_OPPOSITE = {"before": "after", "after": "before"}


def flips(
    head: CheckedTree,
    base: CheckedTree,
    before: Mapping[str, Sequence[str]],
    after: Mapping[str, Sequence[str]],
) -> Iterator[Draft]:
    """Yield, for each caller of two watched functions, the orders that held in the base and hold no more.

    Args:
        head: The tree.
        base: The tree before.
        before: The watched functions of the base by short name.
        after: Those of the tree.
    """
    both = sorted(before.keys() & after.keys())
    old_frames, new_frames = _frames(base, before, both), _frames(head, after, both)
    for frame in sorted(old_frames.keys() & new_frames.keys()):
        names = [name for name in both if name in old_frames[frame] and name in new_frames[frame]]
        for one, other in list(combinations(names, 2))[:_MAX_PAIRS]:
            was = base.order(old_frames[frame][one], before[one], before[other])
            if was is None or was.verdict not in _SETTLED:
                continue
            now = head.order(new_frames[frame][one], after[one], after[other])
            if now is not None and now.verdict in (_OPPOSITE[was.verdict], "either"):
                yield from _draft(frame, (one, other) if was.verdict == "before" else (other, one), now)


def _frames(tree: CheckedTree, watched: Mapping[str, Sequence[str]], names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the callers by short name: for each the watched functions that it calls, with its own full name."""
    found: dict[str, dict[str, str]] = {}
    for name in names:
        for function in watched[name]:
            for step in tree.graph.steps_into(function):
                if step.resolution in ("exact", "inferred") and step.kind != "import":
                    found.setdefault(tree.short(step.caller), {})[name] = step.caller
    return {frame: calls for frame, calls in found.items() if len(calls) > 1}


def _draft(frame: str, pair: tuple[str, str], now: Ordered) -> Iterator[Draft]:
    context = next((c for c in now.contexts if c.verdict == now.verdict), None)
    if context is None:
        return
    first, second = pair
    can = "can now run" if now.verdict == "either" else "now runs"
    places = sorted((context.first_site, context.then_site), key=lambda p: (p.file, p.line))
    message = f"{second} {can} before {first} in {frame}; it ran after it"
    notes = tuple(Note(place, "runs one of the two") for place in places[1:])
    yield Draft(message, places[0], (frame, first, second, "order"), notes=notes)
