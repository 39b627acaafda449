"""What is known of a value, and what one activation knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from codepath.model.answers import Place


class Member(NamedTuple):
    """A member of an enumeration, by the dotted name of its class."""

    cls: str
    name: str


Constant = bool | int | float | str | Member | None


@dataclass(frozen=True, slots=True)
class Known:
    """A constant, and where it was written; `assumed` is the number of the assumption that gives it, -1 for none."""

    value: Constant
    because: Place
    assumed: int = -1


@dataclass(frozen=True, slots=True)
class Facts:
    """What one activation knows: its parameters, the attributes of its `self`, and the class of that, "" where unknown.

    `made`: the constructions, (function, number of the call), that its `self` can come from; empty where unknown.
    `wraps`: the functions that it can call as what it wraps, empty where unknown.
    `within`: the context managers of the tree that the path is inside and that store globals. `loose`: the object may also
    be of a subclass that inherits the constructor.
    """

    params: tuple[tuple[str, Known], ...] = ()
    attributes: tuple[tuple[str, Known], ...] = ()
    cls: str = ""
    made: tuple[tuple[str, int], ...] = ()
    within: tuple[str, ...] = ()
    loose: bool = False
    wraps: tuple[str, ...] = ()


NOTHING_KNOWN = Facts()


def same(one: Constant, other: Constant) -> bool:
    """Tell whether two constants are one: `True` is not `1`."""
    return type(one) is type(other) and one == other


def without_places(facts: Facts) -> Facts:
    """Return facts that differ only where what is known differs, not where it was written."""
    return replace(facts, params=_unplaced(facts.params), attributes=_unplaced(facts.attributes))


def _unplaced(known: tuple[tuple[str, Known], ...]) -> tuple[tuple[str, Known], ...]:
    return tuple((name, Known(one.value, _nowhere(type(one.value).__name__), one.assumed)) for name, one in known)


@cache
def _nowhere(kind: str) -> Place:
    """Return a place that is none and tells `True` from `1`, which are equal."""
    return Place("", 0, 0, kind)


def with_params(facts: Facts, params: Mapping[str, Known]) -> Facts:
    """Return facts with other parameters."""
    return replace(facts, params=tuple(sorted(params.items())), made=())
