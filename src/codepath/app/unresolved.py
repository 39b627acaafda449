"""Why calls have no known target: reasons, the receivers behind them, and the lines that would tell the tool."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator

from codepath.model.answers import Place, Reason, Receiver, Unresolved

_EXAMPLES = 5
_PLACES = 3
_NAMED = 3

Named = Callable[[str], tuple[str, ...]]
"""Gives the functions and methods of the tree with a last name, sorted."""


def reasons(gaps: Iterable[Unresolved], *, receivers: int = 0, named: Named = lambda name: ()) -> Iterator[Reason]:
    """Yield the reasons of unresolved call sites, the commonest first.

    Args:
        gaps: the call sites, in any order.
        receivers: how many receivers to list for each reason.
        named: what could have been called, by its last name.
    """
    kinds: dict[str, list[Unresolved]] = defaultdict(list)
    for gap in gaps:
        kinds[gap.reason.partition("`")[0].strip()].append(gap)
    for kind, found in sorted(kinds.items(), key=lambda item: (-len(item[1]), item[0])):
        examples = _commonest(Counter(gap.text for gap in found), _EXAMPLES)
        yield Reason(kind, len(found), examples, tuple(_receivers(found, receivers, named)))


def _commonest(counts: Counter[str], limit: int) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit])


def _receivers(gaps: list[Unresolved], limit: int, named: Named) -> Iterator[Receiver]:
    by_receiver: dict[tuple[str, str], list[Unresolved]] = defaultdict(list)
    for gap in gaps:
        by_receiver[_receiver(gap)].append(gap)
    ranked = sorted(by_receiver.items(), key=lambda item: (-len(item[1]), item[0]))
    for (text, owner), found in ranked[:limit]:
        ordered = sorted(found, key=lambda g: (g.file, g.line, g.column))
        places = tuple(Place(g.file, g.line, g.column, g.caller) for g in ordered[:_PLACES])
        calls = _commonest(Counter(_last(gap.text) for gap in found), _EXAMPLES)
        functions = len({gap.caller for gap in found})
        yield Receiver(text, owner, len(found), functions, calls, places, _lesson(ordered, calls[0][0], named))


def _receiver(gap: Unresolved) -> tuple[str, str]:
    """Return what is called, or what its method is called on, and the class or function that gives it its meaning."""
    text = _plain(gap.text).rpartition(".")[0] or gap.text
    if text.partition(".")[0] in ("self", "cls"):
        return text, gap.caller.rpartition(".")[0]
    return text, gap.caller if "parameter" in gap.reason else ""


def _plain(text: str) -> str:
    return text.replace("[...]", "[]")


def _last(text: str) -> str:
    return _plain(text).rpartition(".")[2]


def _lesson(gaps: list[Unresolved], call: str, named: Named) -> str:
    """Return lines for codepath.toml that tell the tool what one of the calls runs."""
    gap = next(g for g in gaps if _last(g.text) == call)
    found = named(call)
    more = f"  # or {', '.join(found[1:_NAMED])}" if len(found) > 1 else ""
    more += f", ... ({len(found)} in all)" if len(found) > _NAMED else ""
    target = found[0] if found else f"package.module.{call if call.isidentifier() else 'function'}"
    why = f"`{gap.text}` in line {gap.line}"
    return f'[[edges]]\nfrom = "{gap.caller}"\nto = "{target}"{more}\nwhy = "{why}"\n'
