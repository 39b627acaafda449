"""What a call gives, where that is a constant: functions of the tree that do no more than choose one, and enumerations.

A function is followed where the text of the call names it and nothing stores over that name; a method or a property where it
is asked of `self` and no class below has another. Its branches are taken as far as their conditions are known, and all ways
that remain must give the same.

Approximates: under (unknown is always possible).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from codepath.analysis.known import without_places
from codepath.analysis.meanings import function_of, is_self
from codepath.model import ir
from codepath.program.bodies import Bodies, Body
from codepath.program.regions import every_region
from codepath.program.tree import ScopeInfo
from codepath.program.values import CLASS, ScopeId

if TYPE_CHECKING:
    from codepath.analysis.constants import Folding
    from codepath.analysis.known import Facts, Known
    from codepath.model.places import Place


@dataclass(frozen=True, slots=True)
class Asked:
    """A call, or an attribute that may be a property, with what is known around it; `truth` asks only whether it is true."""

    body: Body
    args: tuple[ir.Arg, ...]
    facts: Facts
    depth: int
    truth: bool = False


@dataclass(slots=True)
class _Ways:
    """The ways through a function: what each returns, None where that is not known; `assumed` as in `Known`."""

    folding: Folding
    body: Body
    facts: Facts
    depth: int
    truth: bool
    found: list[Known | None] = field(default_factory=list)
    assumed: int = -1

    def walk(self, regions: Sequence[ir.Region]) -> bool:
        """Follow regions; tell whether their end can be reached."""
        for region in regions:
            if isinstance(region, ir.Return):
                self.found.append(self._returned(region))
                return False
            if isinstance(region, (ir.Raise, ir.Jump)):
                return False
            if isinstance(region, ir.If):
                if not self._if(region):
                    return False
            elif _leaves(region):
                self.found.append(None)
                return False
        return True

    def _if(self, region: ir.If) -> bool:
        test = self.folding.truth(self.body, region.test, self.facts, self.depth)
        if test is None:
            ends = [self.walk(region.body), self.walk(region.orelse)]
            return any(ends)
        self.assumed = max(self.assumed, test.assumed)
        return self.walk(region.body if test.value else region.orelse)

    def _returned(self, region: ir.Return) -> Known | None:
        if region.value < 0:
            return self.folding.nothing(self.body)
        fold = self.folding.truth if self.truth else self.folding.value
        return fold(self.body, region.value, self.facts, self.depth)

    def result(self) -> Known | None:
        """Return what all ways give, None where that is not known or differs."""
        first = self.found[0] if self.found else None
        if first is None or any(other is None or not _equal(first, other) for other in self.found):
            return None
        assumed = max(self.assumed, *(one.assumed for one in self.found if one is not None))
        return replace(first, value=bool(first.value) if self.truth else first.value, assumed=assumed)


_MAX_CALLS = 4
"""Calls inside each other that are followed."""
_MAX_SIZE = 120
"""Expressions of a function that is followed: what chooses a constant is short."""


class Results:
    """Folds calls; `folding` folds what they are made of."""

    def __init__(self, bodies: Bodies, folding: Folding) -> None:
        self._bodies = bodies
        self._folding = folding
        self._calls = 0
        self._methods: dict[tuple[ScopeId, str], Body | None] = {}
        self._known: dict[tuple[object, ...], tuple[Place | None, Known | None]] = {}

    def of(self, call: ir.Call, asked: Asked) -> Known | None:
        """Return what a call gives."""
        made = self._member_with(call, asked)
        if made is not None:
            return made
        func = asked.body.scope.exprs[call.func]
        if isinstance(func, ir.Attr):
            if is_self(asked.body, asked.body.scope.exprs[func.value]):
                return self.of_own(func.id, (), asked)
            held = self._folding.value(asked.body, func.value, asked.facts, asked.depth + 1)
            if held is not None:
                return self.of_member(held, func.id, (), asked)
        if not self._folding.follows_calls:
            return None
        info = function_of(self._bodies, asked.body, call.func)
        if info is None or self._folding.is_replaced(info.id):
            return None
        return self._run(self._bodies.of(info), {}, asked)

    def of_own(self, name: str, decorators: tuple[str, ...], asked: Asked) -> Known | None:
        """Return what a method or property of `self` gives; it must bear just these decorators."""
        if not self._folding.follows_calls:
            return None
        owner = self._bodies.tree.class_around(asked.body.info)
        cls = self._bodies.scope(asked.facts.cls) if asked.facts.cls else owner
        method = self._defined(cls, name) if cls is not None and owner is not None else None
        if method is None or method.info.decorators != decorators or not method.info.params:
            return None
        if cls is None or not self._folding.is_certain(cls, name, asked.facts):
            return None
        return self._run(method, {}, asked, asked.facts)

    def _defined(self, cls: ScopeInfo, name: str) -> Body | None:
        """Return the one function that a class, or one above it, binds a name to; None for anything else."""
        key = (cls.sid, name)
        if key not in self._methods:
            found = self._bodies.classes.find(cls.sid, name)
            holder = self._bodies.tree.scopes[found.owner] if found is not None else None
            info = self._bodies.scope(f"{holder.name}.{name}") if holder is not None else None
            if holder is None or info is None or info.form != "function":
                return None
            binds = [d for d in self._bodies.of(holder).scope.definitions if d.id == name]
            self._methods[key] = self._bodies.of(info) if len(binds) == 1 else None
        return self._methods[key]

    def of_member(self, held: Known, name: str, decorators: tuple[str, ...], asked: Asked) -> Known | None:
        """Return what a method of a member of an enumeration gives; it must bear just these decorators."""
        cls = self._folding.enumerations.of(held)
        found = self._bodies.classes.find(cls.sid, name) if cls is not None else None
        if found is None or self._folding.is_replaced(name):
            return None
        method = self._bodies.body(f"{self._bodies.tree.scopes[found.owner].name}.{name}")
        if method is None or method.info.decorators != decorators or not method.info.params:
            return None
        return self._run(method, {method.info.params[0].id: held}, asked)

    def _run(self, callee: Body, known: dict[str, Known], asked: Asked, own: Facts | None = None) -> Known | None:
        """Return what all ways through a function give.

        Args:
            callee: The function.
            known: Its receiver, where that is a constant.
            asked: The call.
            own: What is known of the receiver where that is the caller's `self`.
        """
        scope = callee.scope
        if scope.form != "function" or scope.is_generator or scope.is_async or len(scope.exprs) > _MAX_SIZE:
            return None
        if self._calls >= _MAX_CALLS or not self._add_params(callee, known, asked, own is not None):
            return None
        facts = self._folding.inside(asked.facts, known, own)
        if self._folding.follows_globals:
            return self._walked(callee, facts, asked)  # what is assumed notes each place that asks for it
        key = (callee.info.sid, facts, without_places(facts), self._calls, asked.depth, asked.truth)
        if key not in self._known:
            before, self._folding.refused = self._folding.refused, None
            known_result = self._walked(callee, facts, asked)
            self._known[key] = (self._folding.refused, known_result)
            self._folding.refused = before
        refused, found = self._known[key]
        self._folding.refused = self._folding.refused or refused
        return found

    def _walked(self, callee: Body, facts: Facts, asked: Asked) -> Known | None:
        self._calls += 1
        try:
            return self._way(callee, facts, asked)
        finally:
            self._calls -= 1

    def _way(self, callee: Body, facts: Facts, asked: Asked) -> Known | None:
        scope = callee.scope
        ways = _Ways(self._folding, callee, facts, asked.depth + 1, asked.truth)
        if ways.walk(scope.body):
            ways.found.append(self._folding.nothing(callee))
        return ways.result()

    def _add_params(self, callee: Body, known: dict[str, Known], asked: Asked, is_own: bool) -> bool:
        """Add what is known of the parameters, the receiver left out; tell whether the arguments can be told apart."""
        params = callee.info.params[1:] if is_own else callee.info.params
        if any(a.star for a in asked.args) or any("star" in p.form for p in params):
            return False
        free = [p for p in params if p.id not in known]
        given = {p.id: a.value for p, a in zip(free, [a for a in asked.args if a.name is None], strict=False)}
        given.update((a.name, a.value) for a in asked.args if a.name is not None)
        outer = self._bodies.of(self._bodies.tree.scopes[callee.info.outer])
        for param in free:
            if param.id in given:
                value = self._folding.value(asked.body, given[param.id], asked.facts, asked.depth + 1)
            else:
                value = self._folding.value(
                    outer, param.default, self._folding.inside(asked.facts, {}), asked.depth + 1
                )
            if value is not None:
                known[param.id] = value
        return True

    def _member_with(self, call: ir.Call, asked: Asked) -> Known | None:
        """Return the member that `Enumeration(constant)` is."""
        if len(call.args) != 1 or call.args[0].name is not None or call.args[0].star:
            return None
        classes = [v[1] for v in self._folding.values(asked.body, call.func) if v[0] == CLASS]
        if len(classes) != 1 or not self._folding.enumerations.is_plain(classes[0]):
            return None
        value = self._folding.value(asked.body, call.args[0].value, asked.facts, asked.depth + 1)
        return self._folding.enumerations.member_with(classes[0], value) if value is not None else None


def _equal(one: Known, other: Known) -> bool:
    return type(one.value) is type(other.value) and one.value == other.value


def _leaves(region: ir.Region) -> bool:
    """Tell whether a function may be left inside a region, its own end aside."""
    return any(isinstance(inner, (ir.Return, ir.Raise)) for inner in every_region([region]))
