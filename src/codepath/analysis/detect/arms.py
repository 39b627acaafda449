"""The arms of `if` chains and of `match`, and what each stores on the object itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from codepath.analysis.detect.choices_of import is_process_wide
from codepath.analysis.detect.guard_values import NOT_KNOWN
from codepath.analysis.detect.tables import Method
from codepath.model import ir
from codepath.program.guards import falls_through
from codepath.program.regions import every_region, inner_bodies

_WORD = re.compile(r"[A-Za-z_]\w*")
_COMMON = frozenset("self is not None and or in True False isinstance hasattr getattr len if config".split())


@dataclass(frozen=True)
class Arm:
    """One arm of a chain.

    Args:
        text: The condition under which it runs, as text says it.
        at: Where it starts, packed.
        stores: The attributes that it stores, with the constant that it stores in each, else `NOT_KNOWN`.
        goes_on: Whether its end can be reached.
        is_written: Whether it stands there: an `else` that is left out is an arm too.
        storing: The first expression of it that stores an attribute, -1 for none.
    """

    text: str
    at: int
    stores: Mapping[str, object]
    goes_on: bool
    is_written: bool
    storing: int = -1


@dataclass(frozen=True)
class Chain:
    """An `if` with its `elif`s and its `else`, or a `match`.

    `around` are the attributes that the method stores outside of it; `is_process_wide`: its conditions rest on globals alone.
    `tests` are the conditions of an `if`.
    """

    arms: tuple[Arm, ...]
    words: frozenset[str]
    around: frozenset[str]
    is_process_wide: bool
    tests: frozenset[int] = frozenset()


def chains(method: Method, scope: ir.Scope) -> list[Chain]:
    """Return the chains of a method, outer first."""
    return list(_chains(method, scope, scope.body))


def _chains(method: Method, scope: ir.Scope, regions: Sequence[ir.Region]) -> Iterator[Chain]:
    for region in regions:
        if isinstance(region, ir.If):
            yield _chain(method, scope, region)
            while True:
                yield from _chains(method, scope, region.body)
                if len(region.orelse) != 1 or not isinstance(region.orelse[0], ir.If):
                    yield from _chains(method, scope, region.orelse)
                    break
                region = region.orelse[0]
        else:
            if isinstance(region, ir.Match):
                yield _match(method, scope, region)
            for body in inner_bodies(region):
                yield from _chains(method, scope, body)


def _match(method: Method, scope: ir.Scope, region: ir.Match) -> Chain:
    arms = [_arm(method, scope, c.body, f"`{region.text}` is `{c.text}`", _start(c, region)) for c in region.cases]
    if not any(case.irrefutable for case in region.cases):
        arms.append(_arm(method, scope, (), f"`{region.text}` is none of these", region.at))
    inside = {index for case in region.cases for index in _indices(case.body)}
    words = frozenset[str]().union(*map(telling_words, (region.text, *(case.text for case in region.cases))))
    return Chain(tuple(arms), words, _outside(method, inside), is_process_wide(scope, region.subject))


def _start(case: ir.Case, region: ir.Match) -> int:
    first = case.body[0] if case.body else None
    return region.at if first is None or isinstance(first, ir.Try) else first.at


def _outside(method: Method, inside: set[int]) -> frozenset[str]:
    """Return the attributes that a method stores elsewhere than in some expressions."""
    own = method.info.sid
    stores = method.stores.items()
    return frozenset(n for n, sites in stores if any(s.sid == own and s.expr not in inside for s in sites))


def _chain(method: Method, scope: ir.Scope, region: ir.If) -> Chain:
    arms: list[Arm] = []
    texts: list[str] = []
    tests: list[int] = []
    one: ir.If | None = region
    while one is not None:
        arms.append(_arm(method, scope, one.body, one.text, one.at))
        texts.append(one.text)
        tests.append(one.test)
        rest = one.orelse
        is_elif = len(rest) == 1 and isinstance(rest[0], ir.If)
        inner = rest[0] if is_elif else None
        if inner is None:
            at = rest[0].at if rest and not isinstance(rest[0], ir.Try) else one.at
            said = " nor ".join(f"`{text}`" for text in texts)
            arms.append(_arm(method, scope, rest, f"neither {said}" if len(texts) > 1 else f"not {said}", at))
        one = inner if isinstance(inner, ir.If) else None
    inside = {index for arm_body in _bodies(region) for index in _indices(arm_body)}
    words = frozenset[str]().union(*map(telling_words, texts))
    named = tuple(_quoted(arm, number, texts) for number, arm in enumerate(arms))
    is_wide = all(is_process_wide(scope, test) for test in tests)
    return Chain(named, words, _outside(method, inside), is_wide, frozenset(tests))


def _quoted(arm: Arm, number: int, texts: Sequence[str]) -> Arm:
    text = f"`{arm.text}`" if number < len(texts) else arm.text
    return replace(arm, text=text)


def _bodies(region: ir.If) -> Iterator[Sequence[ir.Region]]:
    yield region.body
    yield region.orelse


def _arm(method: Method, scope: ir.Scope, body: Sequence[ir.Region], text: str, at: int) -> Arm:
    indices = set(_indices(body))
    own = method.info.sid
    stores = {
        name: _constant(scope, [s.expr for s in sites if s.expr in indices])
        for name, sites in method.stores.items()
        if any(s.sid == own and s.expr in indices for s in sites)
    }
    called = {a.method for a in method.asked if a.site.sid == own and a.site.expr in indices}
    goes_on = falls_through(body) and not called
    own_stores = (s.expr for sites in method.stores.values() for s in sites if s.sid == own and s.expr in indices)
    return Arm(text, at, stores, goes_on, bool(body), min(own_stores, default=-1))


def _constant(scope: ir.Scope, stores: Sequence[int]) -> object:
    values = []
    for index in stores:
        store = scope.exprs[index]
        value = scope.exprs[store.value] if isinstance(store, ir.StoreAttr) and store.value >= 0 else None
        is_plain = isinstance(store, ir.StoreAttr) and not store.how
        values.append(value.value if is_plain and isinstance(value, ir.Const) and not value.form else NOT_KNOWN)
    return values[0] if len(values) == 1 else NOT_KNOWN


def _indices(body: Sequence[ir.Region]) -> Iterator[int]:
    for region in every_region(body):
        if isinstance(region, ir.Try):
            for handler in region.handlers:
                yield from range(handler.start, handler.stop)
        elif isinstance(region, ir.Match):
            for case in region.cases:
                yield from range(case.start, case.stop)
        elif not isinstance(region, ir.Jump):
            yield from range(region.start, region.stop)


def telling_words(text: str) -> frozenset[str]:
    """Return the names in a condition that tell what it is about."""
    return frozenset(_WORD.findall(text)) - _COMMON
