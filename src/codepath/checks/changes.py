"""What differs between the watched facts of two trees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from codepath.checks.names import negated
from codepath.model.answers import Place
from codepath.model.checks import Change, Fact

_ORDER = (
    "path-lost", "path-gained", "guard-inverted", "guard-added", "guard-dropped", "guard-weakened", "order-flipped",
    "none-opened", "none-closed", "hook-lost", "hook-gained", "arch-changed",
)  # fmt: skip
_Keyed = dict[tuple[str, str], Fact]


def compare(before: Iterable[Fact], after: Iterable[Fact]) -> tuple[tuple[Change, ...], tuple[Fact, ...]]:
    """Return the changes between the facts of two trees, grouped by kind, and the facts that are the same."""
    new = _keyed(after)
    old = _keyed(_as_now(list(before), new))
    changes: list[Change] = []
    same: list[Fact] = []
    for key in sorted({*old, *new}):
        one, other = old.get(key), new.get(key)
        if one is not None and other is not None and one.values == other.values:
            same.append(other)
        else:
            changes.extend(_changes(key[0], one, other))
    changes.sort(key=lambda c: (_ORDER.index(c.kind), c.subject))
    return tuple(changes), tuple(same)


def _as_now(before: Sequence[Fact], new: _Keyed) -> Iterator[Fact]:
    """Yield facts with the names of functions that have moved, as to a base of their class, as they are now."""
    names = _moved({fact.subject: fact for fact in before if fact.aspect == "paths"}, new)
    pattern = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})(?![\w.])") if names else None
    for fact in before:
        if pattern is None or fact.aspect not in ("paths", "guards", "order"):
            yield fact
        else:
            yield replace(fact, subject=pattern.sub(lambda found: names[found[0]], fact.subject))


def _moved(old: Mapping[str, Fact], new: _Keyed) -> dict[str, str]:
    """Return functions by earlier name: the one gone and the one new of a last name, where they have a common caller."""
    now = {subject: fact for (aspect, subject), fact in new.items() if aspect == "paths"}
    gone, fresh = _by_last(old.keys() - now.keys()), _by_last(now.keys() - old.keys())
    found: dict[str, str] = {}
    for last, names in gone.items():
        others = fresh.get(last, [])
        if len(names) == len(others) == 1 and set(old[names[0]].values) & set(now[others[0]].values):
            found[names[0]] = others[0]
    return found


def _by_last(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.rpartition(".")[2], []).append(name)
    return found


def _keyed(facts: Iterable[Fact]) -> _Keyed:
    """Return facts by aspect and subject; those of one key, as of several classes of one name, are joined."""
    found: _Keyed = {}
    for fact in facts:
        key = (fact.aspect, fact.subject)
        known = found.get(key)
        if known is not None and known.values != fact.values:
            fact = Fact(*key, tuple(sorted({*known.values, *fact.values})), known.place or fact.place)
        found[key] = fact
    return found


def _changes(aspect: str, old: Fact | None, new: Fact | None) -> Iterator[Change]:
    subject = (new or old).subject  # type: ignore[union-attr]
    before, after = old.values if old is not None else (), new.values if new is not None else ()
    places = _places(old, new)
    if aspect == "paths":
        gained, lost = _minus(after, before), _minus(before, after)
        if lost:
            yield Change("path-lost", subject, lost, (), places)
        if gained:
            yield Change("path-gained", subject, (), gained, places)
    elif aspect == "guards":
        if old is not None and new is not None:  # a call that is new or gone is a path
            yield from _guards(subject, before, after, places)
    elif aspect == "order":
        if old is not None and new is not None:
            yield Change("order-flipped", subject, before, after, places)
    elif aspect == "none":
        opened, closed = _minus(after, before), _minus(before, after)
        if opened:
            yield Change("none-opened", subject, before, opened, places)
        if closed:
            yield Change("none-closed", subject, closed, after, places)
    elif aspect == "hook":
        yield from _hook(subject, before, after, places)
    elif old is not None or any(" crash" in value or " silent" in value for value in after):
        yield Change("arch-changed", subject, before, after, places)


def _hook(subject: str, before: Sequence[str], after: Sequence[str], places: tuple[Place, ...]) -> Iterator[Change]:
    has = "has it" in after
    if has and ("lacks it" in before or "is without it" in before):
        yield Change("hook-gained", subject, tuple(before), tuple(after), places)
    elif "lacks it" in after or ("is without it" in after and "has it" in before):
        yield Change("hook-lost", subject, tuple(before), tuple(after), places)


def _guards(subject: str, before: Sequence[str], after: Sequence[str], places: tuple[Place, ...]) -> Iterator[Change]:
    added, dropped = set(_minus(after, before)), set(_minus(before, after))
    for text in sorted(added):
        if negated(text) in dropped:
            yield Change("guard-inverted", subject, (negated(text),), (text,), places)
            dropped.discard(negated(text))
            added.discard(text)
    for text, other in [(t, o) for t in sorted(added) for o in sorted(dropped)]:
        if text in added and other in dropped and (related := _related(other, text)):
            kind, was, now = related
            yield Change(kind, subject, (was,), (now,), places)
            added.discard(text)
            dropped.discard(other)
    for text in sorted(added):
        yield Change("guard-added", subject, (), (text,), places)
    for text in sorted(dropped):
        yield Change("guard-dropped", subject, (text,), (), places)


def _related(old: str, new: str) -> tuple[str, str, str] | None:
    """Return what became of a condition that is a part of another: the kind of change, and both as they are to be shown."""
    all_old, all_new = set(_parts(old, " and ")), set(_parts(new, " and "))
    common = all_old & all_new
    if common and len(all_old - common) == len(all_new - common) == 1:
        inner = _related(*(_bare((texts - common).pop()) for texts in (all_old, all_new)))
        return (inner[0], old, new) if inner is not None else None
    if all_new < all_old or set(_parts(old, " or ")) < set(_parts(new, " or ")):
        return "guard-weakened", old, new
    if all_old < all_new or set(_parts(new, " or ")) < set(_parts(old, " or ")):
        return "guard-added", old, new
    return None


def _bare(text: str) -> str:
    """Return a condition without the brackets around all of it."""
    inner = text[1:-1] if text.startswith("(") and text.endswith(")") else ""
    depth = 0
    for character in inner:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return text
    return inner.strip() or text


def _parts(text: str, word: str) -> list[str]:
    """Return the parts of a condition between words that stand outside of brackets."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and text.startswith(word, at):
            parts.append(text[start:at].strip())
            start = at + len(word)
    return [*parts, text[start:].strip()]


def _minus(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    return tuple(v for v in one if v not in other)


def _places(old: Fact | None, new: Fact | None) -> tuple[Place, ...]:
    fact = new or old
    return (fact.place,) if fact is not None and fact.place is not None else ()
