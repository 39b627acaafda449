"""What must hold of any file's facts, and a compact rendering of scopes for the tests."""

from __future__ import annotations

import itertools
from typing import Any

from codepath.extract import extract
from codepath.model import ir

_LOOSE = (ir.Comp, ir.StoreAttr, ir.StoreItem)  # targets stand between; an augmented assignment has its operation there
_STORES = (ir.Bind, ir.StoreAttr, ir.StoreItem)


def facts_of(code: str) -> ir.ModuleFacts:
    return extract(code.encode(), "x.py")


def scopes_of(code: str) -> list[ir.Scope]:
    return [ir.decode_scope(raw) for raw in facts_of(code).scopes]


def children(expr: ir.Expr) -> list[int]:
    """The sub-expressions of an expression, in evaluation order; a store's value is no child of it."""
    found: list[int] = []
    match expr:
        case ir.Attr(value=value) | ir.Unary(value=value) | ir.Starred(value=value) | ir.Await(value=value):
            found = [value]
        case ir.Yield(value=value) | ir.YieldFrom(value=value):
            found = [value]
        case ir.Call(func=func, args=args):
            found = [func, *(arg.value for arg in args)]
        case ir.Subscript(value=value, index=index):
            found = [value, index]
        case ir.Slice(lower=lower, upper=upper, step=step):
            found = [lower, upper, step]
        case ir.Binary(left=left, right=right):
            found = [left, right]
        case ir.Bool(values=values):
            found = [*values]
        case ir.Compare(left=left, rights=rights):
            found = [left, *rights]
        case ir.Ternary(test=test, body=body, orelse=orelse):
            found = [test, body, orelse]
        case ir.Comp():
            found = _of_comprehension(expr)
        case ir.Sequence(items=items):
            found = [*items]
        case ir.Dict(keys=keys, values=values):
            found = [index for pair in zip(keys, values, strict=True) for index in pair]
        case ir.Joined(parts=parts):
            found = [*parts]
        case ir.StoreAttr(object=owner):
            found = [owner]
        case ir.StoreItem(object=owner, index=index):
            found = [owner, index]
        case ir.Remove(object=owner, index=index):
            found = [owner, index]
        case ir.Function(decorators=decorators):
            found = [*decorators]
        case ir.Class(bases=bases, decorators=decorators):
            found = [*decorators, *(arg.value for arg in bases)]
    return [index for index in found if index >= 0]


def _of_comprehension(expr: ir.Comp) -> list[int]:
    found = []
    for clause in expr.clauses:
        found += [clause.iter, *clause.conditions]
    return [*found, expr.element, expr.value]


def check_facts(facts: ir.ModuleFacts) -> None:
    """Raise `AssertionError` where facts contradict what `ir` says of them."""
    assert ir.decode_facts(ir.encode_facts(facts)) == facts
    assert len(facts.heads) == len(facts.scopes)
    scopes = [ir.decode_scope(raw) for raw in facts.scopes]
    for number, (head, scope) in enumerate(zip(facts.heads, scopes, strict=True)):
        assert head.form == scope.form and head.id == scope.id
        assert (head.parent == -1) == (number == 0) and head.parent < number
        assert head.at <= head.end
        assert 1 <= ir.line_of(head.at) <= facts.lines + 1
        _check_scope(scope, scopes, facts.lines)
    for names in (getattr(facts.postings, name) for name in ir.Postings.__struct_fields__):
        assert list(names) == sorted(set(names))


def _check_scope(scope: ir.Scope, scopes: list[ir.Scope], lines: int) -> None:
    starts = _check_exprs(scope, scopes, lines)
    covered: list[tuple[int, int]] = []
    _check_regions(scope.body, covered, len(scope.exprs))
    covered.sort()
    for (_, stop), (start, _) in itertools.pairwise(covered):
        assert stop <= start, (scope.id, covered)
    _check_names(scope)
    for expr in scope.exprs:
        if isinstance(expr, ir.Function | ir.Class | ir.Lambda):
            assert 0 < expr.scope < len(scopes)
    for start, stop in covered:
        assert all(starts[index] >= start for index in range(start, stop))


def _evaluated(scope: ir.Scope, scopes: list[ir.Scope], expr: ir.Expr) -> list[int]:
    """What is evaluated for an expression: its children, a walrus's value, the defaults of a function."""
    if isinstance(expr, ir.Bind) and scope.definitions[expr.definition].form == "walrus":
        return [expr.value]
    if isinstance(expr, ir.Function | ir.Lambda):
        defaults = [param.default for param in scopes[expr.scope].params if param.default >= 0]
        return children(expr) + defaults
    return children(expr)


def _check_exprs(scope: ir.Scope, scopes: list[ir.Scope], lines: int) -> list[int]:
    """Children stand before parents and their runs, laid side by side, end right before the parent."""
    starts: list[int] = []
    for index, expr in enumerate(scope.exprs):
        below = _evaluated(scope, scopes, expr)
        assert all(child < index for child in below), (scope.id, index, expr)
        start = index
        for child in sorted(below, reverse=True):
            if child < start:
                assert child == start - 1 or isinstance(expr, _LOOSE), (scope.id, index, expr)
                start = starts[child]
        starts.append(start)
        at = getattr(expr, "at")  # noqa: B009
        assert 1 <= ir.line_of(at) <= lines + 1, (scope.id, index, expr)
        assert getattr(expr, "end", at) >= at
        if isinstance(expr, _STORES):
            assert expr.value < index
    return starts


def _check_regions(regions: tuple[ir.Region, ...], covered: list[tuple[int, int]], size: int) -> None:
    for region in regions:
        start, stop = getattr(region, "start", 0), getattr(region, "stop", 0)
        assert 0 <= start <= stop <= size
        covered.append((start, stop))
        for name in ("test", "iter", "subject", "value", "exc", "cause", "message"):
            index = getattr(region, name, -1)
            assert index == -1 or start <= index < stop
        if isinstance(region, ir.For):
            covered.append((stop, region.bound))
        if isinstance(region, ir.With):
            assert all(start <= index < stop for index in region.contexts)
        for part in (*getattr(region, "handlers", ()), *getattr(region, "cases", ())):
            covered.append((part.start, part.stop))
            _check_regions(part.body, covered, size)
        for name in ("body", "orelse", "final"):
            _check_regions(getattr(region, name, ()), covered, size)


def _check_names(scope: ir.Scope) -> None:
    outside = {*scope.globals, *scope.nonlocals} if scope.form != "module" else set()
    uses = [expr for expr in scope.exprs if isinstance(expr, ir.Name)]
    assert sorted(name.use for name in uses) == list(range(len(scope.uses)))
    for name in uses:
        reaching = scope.uses[name.use]
        assert list(reaching) == sorted(set(reaching))
        assert all(number == -1 or scope.definitions[number].id == name.id for number in reaching)
        assert name.id not in outside or not reaching
    binds = {expr.definition: index for index, expr in enumerate(scope.exprs) if isinstance(expr, ir.Bind)}
    for number, definition in enumerate(scope.definitions):
        if number < len(scope.params):
            assert definition.form == "param" and definition.bind == -1
            assert definition.id == scope.params[number].id
        else:
            assert binds[number] == definition.bind
            bind: Any = scope.exprs[definition.bind]
            assert bind.id == definition.id and bind.at == definition.at
    for name_, reaching in scope.exports:
        assert reaching and all(number == -1 or scope.definitions[number].id == name_ for number in reaching)


# --- rendering -------------------------------------------------------------------------------------------------------


def render(scope: ir.Scope) -> list[str]:
    """The expressions of a scope, one a line: number, kind, and what it refers to."""
    return [f"{index} {_rendered(scope, expr)}" for index, expr in enumerate(scope.exprs)]


def _rendered(scope: ir.Scope, expr: ir.Expr) -> str:
    kind = type(expr).__name__
    match expr:
        case ir.Name():
            return f"{expr.id} {list(scope.uses[expr.use])}"
        case ir.Const():
            return f"{expr.value!r}{expr.form and ' ' + expr.form}"
        case ir.Bind():
            return f"{expr.id} := {expr.value} {list(expr.how)} d{expr.definition}"
        case ir.StoreAttr():
            return f"{expr.object}.{expr.id} := {expr.value} {list(expr.how)}"
        case ir.StoreItem():
            return f"{expr.object}[{expr.index}] := {expr.value} {list(expr.how)}"
        case ir.Attr():
            return f"{expr.value}.{expr.id}"
        case ir.Call():
            args = (f"{'*' * arg.star}{arg.name + '=' if arg.name else ''}{arg.value}" for arg in expr.args)
            return f"{expr.func}({', '.join(args)})"
        case ir.Binary() | ir.Unary() | ir.Bool():
            return f"{kind} {expr.op} {children(expr)}"
    return f"{kind} {children(expr)}"


def uses(code: str, name: str, scope: int = 1) -> list[list[int]]:
    """What reaches the reads of a name in a scope, in evaluation order."""
    built = scopes_of(code)[scope]
    return [list(built.uses[expr.use]) for expr in built.exprs if isinstance(expr, ir.Name) and expr.id == name]
