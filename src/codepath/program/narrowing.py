"""What `isinstance` tests tell of names: which reads of a name run only where a test came out true or false."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from codepath.model import ir
from codepath.program import values as v
from codepath.program.annotations import term_of
from codepath.program.guards import falls_through
from codepath.program.regions import inner_bodies
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId, Value, Values

if TYPE_CHECKING:
    from codepath.program.solver import Solver


class Fact(NamedTuple):
    """The name read at expression `name` is an instance of `classes`, or is not, in the expressions `[start, stop)`.

    `behind`: where the other branch binds the name anew; only what reached the test is then known.
    """

    name: int
    classes: int
    holds: bool
    start: int = 0
    stop: int = 0
    behind: tuple[int, int] = (0, 0)


class Test(NamedTuple):
    """What is known of a name that is read: it is an instance of `classes` (`holds`) or is not.

    `of` are the definitions of the name for which it is known, empty for all.
    """

    classes: Values
    holds: bool
    of: frozenset[int] = frozenset()


_BARE = frozenset(["abc.ABC", "builtins.object", "typing.Generic", "typing.Protocol", "typing_extensions.Protocol"])
Facts = tuple[Fact, ...]
Narrowed = dict[int, tuple[Test, ...]]
_NONE: Narrowed = {}
_SCALARS = frozenset(f"builtins.{n}" for n in ("str", "bytes", "int", "float", "bool", "complex", "bytearray"))
_BUILTIN = _SCALARS | frozenset(f"builtins.{n}" for n in ("list", "dict", "tuple", "set", "frozenset", "type"))
_BY_SHAPE = re.compile(r"(abc|contextlib|importlib\.abc|io|numbers|os|typing|typing_extensions)\..*|builtins\.\w+")
"""Classes of which an object can be an instance whose class does not derive from them: hooks, registration."""
_BY_NAME = frozenset(
    f"collections.abc.{n}" for n in ("Mapping", "MutableMapping", "Sequence", "MutableSequence", "Set", "MutableSet")
)


def narrowed_names(solver: Solver, info: ScopeInfo, scope: ir.Scope) -> Narrowed:
    """Return, by expression, the tests under which a name is read."""
    if not any(e.__class__ is ir.Name and e.id == "isinstance" for e in scope.exprs):
        return _NONE
    found: dict[int, list[Test]] = {}
    known: dict[int, Values | None] = {}
    for fact in (*_of_regions(scope, scope.body), *_of_expressions(scope)):
        if fact.classes not in known:
            known[fact.classes] = _classes(solver, info, scope, fact.classes)
        classes = known[fact.classes]
        if classes is None:
            continue
        test = scope.exprs[fact.name]
        assert isinstance(test, ir.Name)
        for index in range(fact.start, fact.stop):
            expr = scope.exprs[index]
            if not isinstance(expr, ir.Name) or expr.id != test.id:
                continue
            if fact.behind[1]:
                through = _passed(scope, fact, scope.uses[test.use])
                if not through.isdisjoint(scope.uses[expr.use]):
                    found.setdefault(index, []).append(Test(classes, fact.holds, through))
            elif scope.uses[expr.use] == scope.uses[test.use]:
                found.setdefault(index, []).append(Test(classes, fact.holds))
    return {index: tuple(tests) for index, tests in found.items()}


def _classes(solver: Solver, info: ScopeInfo, scope: ir.Scope, index: int) -> Values | None:
    """Return the classes that a test names, None where names alone do not tell or a class is tested by its shape."""
    expr = scope.exprs[index]
    parts: Iterable[int] = expr.items if isinstance(expr, ir.Sequence) else (index,)
    if isinstance(expr, ir.Binary):
        parts = (expr.left, expr.right)
    found: set[Value] = set()
    for part in parts:
        values = solver.lexical.term_values(info, term_of(scope.exprs, part))
        if len(values) != 1:
            return None
        (value,) = values
        if value[0] == v.CLASS:
            if any(base.endswith(".Protocol") for base in solver.classes.outside_bases(value[1])):
                return None
        elif value[0] != v.OUTSIDE or not _is_nominal(solver.meant(value[1])):
            return None
        found.add(value)
    return frozenset(found)


def _passed(scope: ir.Scope, fact: Fact, reaching: Iterable[int]) -> frozenset[int]:
    """Return the definitions that reach a place behind a test only through it: those of before."""
    inside = ((fact.start, fact.stop), fact.behind)
    binds = {d: scope.definitions[d].bind for d in reaching if d >= 0}
    return frozenset(d for d, bind in binds.items() if not any(start <= bind < stop for start, stop in inside))


def _is_nominal(dotted: str) -> bool:
    """Tell whether only classes that name an outside class as their base have instances that it has."""
    if dotted in _BUILTIN or dotted in _BY_NAME:
        return True
    return not dotted.startswith("collections.abc.") and _BY_SHAPE.fullmatch(dotted) is None


# --- where tests hold ------------------------------------------------------------------------------------------------


def _tests(exprs: tuple[ir.Expr, ...], index: int, holds: bool) -> Iterator[Fact]:
    """Yield what is known where the expression `index` is true (`holds`) or false."""
    expr = exprs[index]
    if isinstance(expr, ir.Unary) and expr.op == "not":
        yield from _tests(exprs, expr.value, not holds)
    elif isinstance(expr, ir.Bool) and (expr.op == "and") == holds:
        for value in expr.values:
            yield from _tests(exprs, value, holds)
    elif isinstance(expr, ir.Call) and len(expr.args) == 2:
        func, name = exprs[expr.func], exprs[expr.args[0].value]
        if isinstance(func, ir.Name) and func.id == "isinstance" and isinstance(name, ir.Name):
            yield Fact(expr.args[0].value, expr.args[1].value, holds)


def _spread(facts: Iterable[Fact], extent: tuple[int, int]) -> Iterator[Fact]:
    start, stop = extent
    if start < stop:
        for fact in facts:
            yield fact._replace(start=start, stop=stop)


def _of_regions(scope: ir.Scope, regions: Sequence[ir.Region]) -> Iterator[Fact]:
    exprs = scope.exprs
    for position, region in enumerate(regions):
        rest = regions[position + 1 :]
        if isinstance(region, ir.If):
            yield from _spread(_tests(exprs, region.test, True), _extent(region.body))
            yield from _spread(_tests(exprs, region.test, False), _extent(region.orelse))
            if rest and not falls_through(region.body):
                yield from _spread(_tests(exprs, region.test, False), _extent(rest))
            elif rest and region.orelse and not falls_through(region.orelse):
                yield from _spread(_tests(exprs, region.test, True), _extent(rest))
            if rest:
                yield from _rebound(scope, region, rest)
        elif isinstance(region, ir.While):
            yield from _spread(_tests(exprs, region.test, True), _extent(region.body))
        elif isinstance(region, ir.Assert):
            yield from _spread(_tests(exprs, region.test, True), _extent(rest))
        for body in inner_bodies(region):
            yield from _of_regions(scope, body)


def _rebound(scope: ir.Scope, region: ir.If, rest: Sequence[ir.Region]) -> Iterator[Fact]:
    """Yield what is known behind a test one branch of which binds the tested name anew."""
    for branch, holds in ((region.body, False), (region.orelse, True)):
        bound = set(_bound(scope, branch))
        if bound:
            facts = (f for f in _tests(scope.exprs, region.test, holds) if scope.exprs[f.name].id in bound)  # type: ignore[union-attr]
            yield from (fact._replace(behind=_extent([region])) for fact in _spread(facts, _extent(rest)))


def _bound(scope: ir.Scope, regions: Sequence[ir.Region]) -> Iterator[str]:
    """Yield the names that simple statements of a body bind."""
    for region in regions:
        if isinstance(region, ir.Do):
            for expr in scope.exprs[region.start : region.stop]:
                if isinstance(expr, ir.Bind):
                    yield expr.id


def _of_expressions(scope: ir.Scope) -> Iterator[Fact]:
    exprs = scope.exprs
    for index, expr in enumerate(exprs):
        if isinstance(expr, ir.Ternary):
            yield from _spread(_tests(exprs, expr.test, True), (expr.test + 1, expr.body + 1))
            yield from _spread(_tests(exprs, expr.test, False), (expr.body + 1, expr.orelse + 1))
        elif isinstance(expr, ir.Bool):
            for before in expr.values[:-1]:
                yield from _spread(_tests(exprs, before, expr.op == "and"), (before + 1, expr.values[-1] + 1))
        elif isinstance(expr, ir.Comp):
            for clause in expr.clauses:
                for condition in clause.conditions:
                    yield from _spread(_tests(exprs, condition, True), (condition + 1, index))


def _extent(regions: Sequence[ir.Region]) -> tuple[int, int]:
    """Return the range of the expressions that regions evaluate."""
    start, stop = 1 << 60, 0
    for region in regions:
        first, last = getattr(region, "start", 1 << 60), getattr(region, "stop", 0)
        if first < last:
            start, stop = min(start, first), max(stop, last)
        for body in inner_bodies(region):
            first, last = _extent(body)
            start, stop = min(start, first), max(stop, last)
    return start, stop


# --- what passes -----------------------------------------------------------------------------------------------------


def narrow(solver: Solver, values: Values, tests: Iterable[Test]) -> Values:
    """Return the values that pass tests; what is opaque becomes an instance of the classes of the tree tested for."""
    for classes, holds, _ in tests:
        found: set[Value] = set()
        for value in values:
            found.update(_holding(solver, value, classes) if holds else _failing(solver, value, classes))
        values = frozenset(found)
    return values


def _holding(solver: Solver, value: Value, classes: Values) -> Iterable[Value]:
    inner = [k[1] for k in classes if k[0] == v.CLASS]
    if value[0] in (v.INSTANCE, v.OPEN):
        return _matching(solver, value, classes, inner)
    if value[0] in (v.RESULT, 99) and value[1:] in (("",), ()):
        return [value, *((v.OPEN, k) for k in inner)]
    if len(inner) == len(classes):
        return ()
    if value[0] == v.TEXT:
        return (value,) if any(k[1] in ("builtins.str", "builtins.int") for k in classes if k[0] == v.OUTSIDE) else ()
    return (value,)


def _matching(solver: Solver, value: Value, classes: Values, inner: list[ScopeId]) -> Iterable[Value]:
    mro = solver.classes.mro(value[1])
    if any(k in mro for k in inner):
        return (value,)
    found: list[Value] = []
    if value[0] == v.OPEN:
        below = solver.classes.below(value[1])
        found = [(v.OPEN, k) for k in inner if k in below]
    if len(inner) < len(classes) and any(base not in _BARE for base in solver.classes.outside_bases(value[1])):
        found.append(value)
    return found


def _failing(solver: Solver, value: Value, classes: Values) -> Iterable[Value]:
    if value[0] in (v.INSTANCE, v.OPEN):
        near = (*solver.classes.mro(value[1]), *solver.classes.outside_bases(value[1]))
        return () if any(k[1] in near for k in classes) else (value,)
    if value[0] == v.TEXT and (v.OUTSIDE, "builtins.str") in classes and isinstance(value[1], str):
        return ()
    return (value,)
