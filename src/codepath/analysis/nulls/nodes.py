"""The graph through which None flows: values of expressions, stores, parameters, returns, globals and attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from codepath.model.answers import Place
from codepath.program.values import ScopeId

Context = tuple[tuple[ScopeId, int], ...]
"""The call sites, (scope, expression), through which a function was entered, outermost first; empty: any."""

Node = tuple[Any, ...]
"""A value: its kind and what names it.

("value", scope, expression, context): what an expression evaluates to. ("part", scope, expression, how, context): the part of
it that an unpacking takes. ("held", scope, store, context): what a store of a name or attribute stores. ("gate", scope, key,
origins, context): a key as some origins left it. ("param", function, number, context), ("return", function, context),
("returned-part", function, how, context), ("entered", function, context): a parameter, a result, a part of it, what a context
manager made of a generator gives. ("global", module, name), ("local", function, name), ("attr", class, name): cells.
"""


class Hop(NamedTuple):
    """A place that a None passes, and what happens there."""

    place: Place
    reason: str

    @property
    def is_condition(self) -> bool:
        """Whether it is a condition that holds where a None is made."""
        return self.reason.startswith("when ")


Hops = tuple[Hop, ...]
"""From the cause outwards."""


@dataclass(frozen=True, slots=True)
class Flows:
    """What `node` holds arrives here."""

    node: Node
    hops: Hops = ()


@dataclass(frozen=True, slots=True)
class Made:
    """None is made here, where all of `gates` are None; without any, whenever this is reached."""

    hops: Hops
    gates: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Something:
    """A value other than None; `label` says which (a class, a constant, a type)."""

    label: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value of which nothing is known, and why."""

    reason: str
    place: Place


Inflow = Flows | Made | Something | Unknown
