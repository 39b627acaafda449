"""What `isinstance` tests tell of names: which reads of a name run only where a test came out true or false."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Raw

from codepath.model import ir
from codepath.program import values as v
from codepath.program.annotations import term_of
from codepath.program.guards import falls_through
from codepath.program.regions import inner_bodies
from codepath.program.tree import ScopeInfo
from codepath.program.values import NOTHING, ScopeId, Value, Values

if TYPE_CHECKING:
    from codepath.program.solver import Solver


class Fact(NamedTuple):
    """The name, or attribute of a name, at expression `name` passes a test, or does not, in the expressions `[start, stop)`.

    The test is being an instance of `classes` (`how` is ""), of these very classes ("exact"), a subclass of them ("below"), or
    having the attribute `how[1:]` (".NAME"). `behind`: where the other branch binds the name anew; only what reached the test
    is then known.
    """

    name: int
    classes: int | tuple[int, ...]
    holds: bool
    how: str = ""
    start: int = 0
    stop: int = 0
    behind: tuple[int, int] = (0, 0)


class Test(NamedTuple):
    """What is known of a name that is read: it passes a test (`holds`) or does not. Source: `Fact`.

    `of` are the definitions of the name for which it is known, empty for all.
    """

    classes: Values
    holds: bool
    how: str = ""
    of: frozenset[int] = frozenset()


_BARE = frozenset(["abc.ABC", "builtins.object", "typing.Generic", "typing.Protocol", "typing_extensions.Protocol"])
Facts = tuple[Fact, ...]
Narrowed = dict[int, tuple[Test, ...]]
NO_TESTS: Narrowed = {}
_SCALARS = frozenset(f"builtins.{n}" for n in ("str", "bytes", "int", "float", "bool", "complex", "bytearray"))
_BUILTIN = _SCALARS | frozenset(f"builtins.{n}" for n in ("list", "dict", "tuple", "set", "frozenset", "type"))
_DATA = frozenset((v.OUTSIDE, name) for name in _BUILTIN if name != "builtins.type")
_OF_CODE = (v.FUNCTION, v.BOUND, v.PARTIAL, v.CLASS, v.OPEN_CLASS, v.MODULE)
"""Kinds of values that are no data of builtin types."""
_TESTING = ir.holder_of(["isinstance", "issubclass", "hasattr", "type", "__class__"], [ir.Match(0, 0, 0, "", (), 0)])
_SAME = {"is": True, "==": True, "is not": False, "!=": False}
_BY_SHAPE = re.compile(r"(abc|contextlib|importlib\.abc|io|numbers|os|typing|typing_extensions)\..*|builtins\.\w+")
"""Classes of which an object can be an instance whose class does not derive from them: hooks, registration."""
_BY_NAME = frozenset(
    f"collections.abc.{n}" for n in ("Mapping", "MutableMapping", "Sequence", "MutableSequence", "Set", "MutableSet")
)


def may_test(encoded: Raw) -> bool:
    """Tell whether a scope, in its stored form, may hold a test of a class or a `match`; else no name in it is narrowed."""
    return _TESTING.search(memoryview(encoded)) is not None


def tests_of(scope: ir.Scope) -> tuple[Fact, ...]:
    """Return the tests of a scope, whatever they name, and where they hold."""
    return (*_of_regions(scope, scope.body), *_of_expressions(scope))


def narrowed_names(solver: Solver, info: ScopeInfo, scope: ir.Scope) -> Narrowed:
    """Return, by expression, the tests under which a name or an attribute of a name is read."""
    found: dict[int, list[Test]] = {}
    known: dict[int | tuple[int, ...], Values | None] = {-1: NOTHING}
    for fact in solver.tests(info, scope):
        if fact.classes not in known:
            known[fact.classes] = _classes(solver, info, scope, fact.classes)
        classes = known[fact.classes]
        if classes is None:
            continue
        test = scope.exprs[fact.name]
        if isinstance(test, ir.Attr):
            for index in _same_attribute(scope, fact, test):
                found.setdefault(index, []).append(Test(classes, fact.holds, fact.how))
            continue
        assert isinstance(test, ir.Name)
        for index in range(fact.start, fact.stop):
            expr = scope.exprs[index]
            if not isinstance(expr, ir.Name) or expr.id != test.id:
                continue
            if fact.behind[1]:
                through = _passed(scope, fact, scope.uses[test.use])
                if not through.isdisjoint(scope.uses[expr.use]):
                    found.setdefault(index, []).append(Test(classes, fact.holds, fact.how, through))
            elif scope.uses[expr.use] == scope.uses[test.use]:
                found.setdefault(index, []).append(Test(classes, fact.holds, fact.how))
    return {index: tuple(tests) for index, tests in found.items()}


def _same_attribute(scope: ir.Scope, fact: Fact, test: ir.Attr) -> Iterator[int]:
    """Yield the expressions that read the attribute that was tested, up to where the scope itself stores or removes one.

    Approximates: under (what is called in between may store another object).
    """
    path = _path(scope, fact.name)
    names = {test.id, *(part for part in path or () if isinstance(part, str))}
    for index in range(fact.start, fact.stop if path is not None and not fact.behind[1] else fact.start):
        expr = scope.exprs[index]
        if isinstance(expr, (ir.StoreAttr, ir.Remove)) and expr.id in names:
            break
        if isinstance(expr, ir.Attr) and expr.id == test.id and _path(scope, index) == path:
            yield index


def _path(scope: ir.Scope, index: int) -> tuple[str | tuple[int, ...], ...] | None:
    """Return the names of a dotted expression, innermost last, with the definitions of its first; None for any other."""
    parts: list[str | tuple[int, ...]] = []
    expr = scope.exprs[index]
    while isinstance(expr, ir.Attr):
        parts.append(expr.id)
        expr = scope.exprs[expr.value]
    return (*parts, expr.id, scope.uses[expr.use]) if isinstance(expr, ir.Name) else None


def _parts(scope: ir.Scope, index: int | tuple[int, ...]) -> Iterable[int]:
    """Return the expressions that each name a class of a test."""
    if isinstance(index, tuple):
        return index
    expr = scope.exprs[index]
    if isinstance(expr, ir.Binary):
        return (expr.left, expr.right)
    return expr.items if isinstance(expr, ir.Sequence) else (index,)


def _classes(solver: Solver, info: ScopeInfo, scope: ir.Scope, index: int | tuple[int, ...]) -> Values | None:
    """Return the classes that a test names, None where names alone do not tell or a class is tested by its shape."""
    found: set[Value] = set()
    for part in _parts(scope, index):
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
        func = exprs[expr.func]
        if isinstance(func, ir.Name) and _is_tested(exprs, expr.args[0].value):
            yield from _of_call(exprs, func.id, expr.args[0].value, expr.args[1].value, holds)
    elif isinstance(expr, ir.Compare) and len(expr.ops) == 1 and expr.ops[0] in _SAME:
        name = _of_type(exprs, expr.left)
        if name is not None and _is_tested(exprs, name):
            yield Fact(name, expr.rights[0], holds == _SAME[expr.ops[0]], "exact")


def _is_tested(exprs: tuple[ir.Expr, ...], index: int) -> bool:
    """Tell whether what a test says of an expression is kept: it is a name or an attribute of one."""
    return isinstance(exprs[index], (ir.Name, ir.Attr))


def _of_call(exprs: tuple[ir.Expr, ...], test: str, name: int, other: int, holds: bool) -> Iterator[Fact]:
    if test == "isinstance":
        yield Fact(name, other, holds)
    elif test == "issubclass":
        yield Fact(name, other, holds, "below")
    elif test == "hasattr":
        attribute = exprs[other]
        if isinstance(attribute, ir.Const) and isinstance(attribute.value, str):
            yield Fact(name, -1, holds, f".{attribute.value}")


def _of_type(exprs: tuple[ir.Expr, ...], index: int) -> int | None:
    """Return of which expression another one is the class: `type(x)` or `x.__class__`."""
    expr = exprs[index]
    if isinstance(expr, ir.Attr) and expr.id == "__class__":
        return expr.value
    if isinstance(expr, ir.Call) and len(expr.args) == 1:
        func = exprs[expr.func]
        return expr.args[0].value if isinstance(func, ir.Name) and func.id == "type" else None
    return None


def _spread(facts: Iterable[Fact], extent: tuple[int, int]) -> Iterator[Fact]:
    start, stop = extent
    if start < stop:
        for fact in facts:
            yield fact._replace(start=start, stop=stop)


def _behind(facts: Iterable[Fact], regions: Sequence[ir.Region]) -> Iterator[Fact]:
    """Yield facts that hold in regions; most conditions tell none, and regions may be long."""
    known = list(facts)
    return _spread(known, _extent(regions)) if known else iter(())


def _of_regions(scope: ir.Scope, regions: Sequence[ir.Region]) -> Iterator[Fact]:
    exprs = scope.exprs
    for position, region in enumerate(regions):
        rest = regions[position + 1 :]
        if isinstance(region, ir.If):
            yield from _behind(_tests(exprs, region.test, True), region.body)
            yield from _behind(_tests(exprs, region.test, False), region.orelse)
            if rest and not falls_through(region.body):
                yield from _behind(_tests(exprs, region.test, False), rest)
            elif rest and region.orelse and not falls_through(region.orelse):
                yield from _behind(_tests(exprs, region.test, True), rest)
            if rest:
                yield from _rebound(scope, region, rest)
        elif isinstance(region, ir.While):
            yield from _behind(_tests(exprs, region.test, True), region.body)
        elif isinstance(region, ir.Assert):
            yield from _behind(_tests(exprs, region.test, True), rest)
        elif isinstance(region, ir.Match):
            yield from _of_match(scope, region)
        for body in inner_bodies(region):
            yield from _of_regions(scope, body)


def _of_match(scope: ir.Scope, match: ir.Match) -> Iterator[Fact]:
    """Yield what the cases of a `match` tell of its subject, under its own name and those that cases give it."""
    before: list[Fact] = []
    for case in match.cases:
        is_tested = bool(case.classes) and not case.values
        extent = _extent(case.body)
        for name in (match.subject, *_captures(scope, match.subject, case, extent)):
            if _is_tested(scope.exprs, name):
                facts = [fact._replace(name=name) for fact in before]
                yield from _spread([*facts, Fact(name, case.classes, True)] if is_tested else facts, extent)
        if is_tested and case.guard < 0:
            before.append(Fact(match.subject, case.classes, False))


def _captures(scope: ir.Scope, subject: int, case: ir.Case, extent: tuple[int, int]) -> Iterator[int]:
    """Yield a read of each name that a case gives the whole subject."""
    bound = {
        expr.id
        for expr in scope.exprs[case.start : case.stop]
        if isinstance(expr, ir.Bind) and expr.value == subject and not expr.how
    }
    for name in sorted(bound):
        reads = (i for i in range(*extent) if isinstance(e := scope.exprs[i], ir.Name) and e.id == name)
        yield from list(reads)[:1]


def _rebound(scope: ir.Scope, region: ir.If, rest: Sequence[ir.Region]) -> Iterator[Fact]:
    """Yield what is known behind a test one branch of which binds the tested name anew."""
    for branch, holds in ((region.body, False), (region.orelse, True)):
        bound = set(_bound(scope, branch))
        if bound:
            tests = _tests(scope.exprs, region.test, holds)
            facts = (f for f in tests if isinstance(e := scope.exprs[f.name], ir.Name) and e.id in bound)
            yield from (fact._replace(behind=_extent([region])) for fact in _behind(facts, rest))


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
    for classes, holds, how, _ in tests:
        values = frozenset(kept for value in values for kept in _kept(solver, value, classes, holds, how))
    return values


def _kept(solver: Solver, value: Value, classes: Values, holds: bool, how: str) -> Iterable[Value]:
    """Return what is left of a value that passes a test, or does not."""
    if how == "exact":
        return _exactly(solver, value, classes) if holds else () if _is_exactly(value, classes) else (value,)
    if how == "below":
        return _below(solver, value, classes, holds)
    if how:
        return (value,) if _may_have(solver, value, how[1:], holds) else ()
    return _holding(solver, value, classes) if holds else _failing(solver, value, classes)


def _is_exactly(value: Value, classes: Values) -> bool:
    return value[0] == v.INSTANCE and (v.CLASS, value[1]) in classes


def _exactly(solver: Solver, value: Value, classes: Values) -> Iterable[Value]:
    """Return what of a value is of the very classes."""
    inner = [k[1] for k in classes if k[0] == v.CLASS]
    if value[0] == v.OPEN:
        near = (value[1], *solver.classes.below(value[1]))
        return [(v.INSTANCE, cls) for cls in inner if cls in near]
    if value[0] == v.INSTANCE:
        return (value,) if value[1] in inner else ()
    return _holding(solver, value, classes)


def _below(solver: Solver, value: Value, classes: Values, holds: bool) -> Iterable[Value]:
    """Return what of a class is a subclass of some classes, or is not."""
    inner = [k[1] for k in classes if k[0] == v.CLASS]
    if value[0] not in (v.CLASS, v.OPEN_CLASS) or len(inner) < len(classes):
        return (value,)
    is_below = any(cls in solver.classes.mro(value[1]) for cls in inner)
    if holds and not is_below and value[0] == v.OPEN_CLASS:
        below = solver.classes.below(value[1])
        return [(v.OPEN_CLASS, cls) for cls in inner if cls in below]
    return (value,) if is_below == holds else ()


def _may_have(solver: Solver, value: Value, name: str, holds: bool) -> bool:
    """Tell whether a value can be one that has an attribute (`holds`), or one that has not.

    Approximates: over (whatever its class, somebody may have stored the attribute on an object).
    """
    return holds or value[0] not in (v.INSTANCE, v.OPEN) or solver.classes.find(value[1], name) is None


def _holding(solver: Solver, value: Value, classes: Values) -> Iterable[Value]:
    inner = [k[1] for k in classes if k[0] == v.CLASS]
    if value[0] in (v.INSTANCE, v.OPEN):
        return _matching(solver, value, classes, inner)
    if value[0] in (v.RESULT, 99) and value[1:] in (("",), ()):
        return [value, *((v.OPEN, k) for k in inner)]
    if len(inner) == len(classes) or (value[0] in _OF_CODE and all(k in _DATA for k in classes if k[0] == v.OUTSIDE)):
        return ()
    if value[0] == v.CONTAINER and (v.OUTSIDE, value[4]) in _DATA:
        return (value,) if (v.OUTSIDE, value[4]) in classes or not classes <= _DATA else ()
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
    if value[0] == v.CONTAINER and (v.OUTSIDE, value[4]) in classes & _DATA:
        return ()
    if value[0] in (v.CLASS, v.OPEN_CLASS) and (v.OUTSIDE, "builtins.type") in classes:
        return ()
    return (value,)
