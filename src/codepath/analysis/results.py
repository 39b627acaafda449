"""What a call gives, where that is a constant: functions of the tree that do no more than choose one, and enumerations.

A function is followed where the text of the call names it and nothing stores over that name. Its branches are taken as far
as their conditions are known, and all ways that remain must give the same.

Approximates: under (unknown is always possible).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from codepath.analysis.meanings import function_of
from codepath.model import ir
from codepath.program.bodies import Bodies, Body
from codepath.program.regions import every_region
from codepath.program.values import CLASS

if TYPE_CHECKING:
    from codepath.analysis.constants import Folding
    from codepath.analysis.known import Facts, Known


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


class Results:
    """Folds calls; `folding` folds what they are made of."""

    def __init__(self, bodies: Bodies, folding: Folding) -> None:
        self._bodies = bodies
        self._folding = folding

    def of(self, call: ir.Call, asked: Asked) -> Known | None:
        """Return what a call gives."""
        made = self._member_with(call, asked)
        if made is not None:
            return made
        func = asked.body.scope.exprs[call.func]
        if isinstance(func, ir.Attr):
            held = self._folding.value(asked.body, func.value, asked.facts, asked.depth + 1)
            if held is not None:
                return self.of_member(held, func.id, (), asked)
        if not self._folding.follows_globals:
            return None  # what a function chooses by constants alone is rare
        info = function_of(self._bodies, asked.body, call.func)
        if info is None or self._folding.is_replaced(info.id):
            return None
        return self._run(self._bodies.of(info), {}, asked)

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

    def _run(self, callee: Body, known: dict[str, Known], asked: Asked) -> Known | None:
        """Return what all ways through a function give; `known` is its receiver."""
        scope = callee.scope
        if scope.form != "function" or scope.is_generator or scope.is_async:
            return None
        if not self._add_params(callee, known, asked):
            return None
        facts = self._folding.inside(asked.facts, known)
        ways = _Ways(self._folding, callee, facts, asked.depth + 1, asked.truth)
        if ways.walk(scope.body):
            ways.found.append(self._folding.nothing(callee))
        return ways.result()

    def _add_params(self, callee: Body, known: dict[str, Known], asked: Asked) -> bool:
        """Add what is known of the parameters; tell whether the arguments can be told apart."""
        params = callee.info.params
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
