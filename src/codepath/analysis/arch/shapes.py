"""The branches of a scope as rows need them: chains of `if`, what each arm does, asserts, conditional expressions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from codepath.model import ir
from codepath.program.regions import every_region, inner_bodies


@dataclass(frozen=True, slots=True)
class Arm:
    """What runs on one outcome: `test` is the condition's expression, -1 for what is left; lines from 1, inclusive.

    `is_else` tells whether it is written as an `else`.
    """

    test: int
    body: tuple[ir.Region, ...]
    first: int
    last: int
    is_else: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain of `if`, `elif` and `else`, or an assert, or a conditional expression.

    The last arm is what runs where no test holds: the `else`, else what follows in the block. `form` is `if`, `assert`,
    `ternary`, or `value` for an `and` or `or` that is stored or returned. `texts` are the conditions as written.
    """

    form: str
    at: int
    arms: tuple[Arm, ...]
    texts: tuple[str, ...]
    message: int = -1
    inner: tuple[int, ...] = field(default=())


def chains(scope: ir.Scope) -> Iterator[Chain]:
    """Yield the branches of a scope in source order, those of regions before conditional expressions."""
    yield from _of_block(scope.body)
    for index, expr in enumerate(scope.exprs):
        if isinstance(expr, ir.Ternary):
            line = ir.line_of(expr.at)
            sides = (Arm(expr.test, (), line, line), Arm(-1, (), line, line))
            yield Chain("ternary", expr.at, sides, (expr.text,), inner=(expr.body, expr.orelse, index))

    yield from _values(scope)


def _values(scope: ir.Scope) -> Iterator[Chain]:
    """Yield the conditions joined by `and` or `or` that are stored or returned."""
    exprs = scope.exprs
    kept = {e.value for e in exprs if isinstance(e, (ir.Bind, ir.StoreAttr)) and not e.how}
    kept |= {r.value for r in every_region(scope.body) if isinstance(r, ir.Return)}
    for index in sorted(kept):
        expr = exprs[index] if index >= 0 else None
        if isinstance(expr, ir.Bool):
            line = ir.line_of(expr.at)
            sides = (Arm(index, (), line, line), Arm(-1, (), line, line))
            yield Chain("value", expr.at, sides, (" ".join((f" {expr.op} ".join(expr.texts)).split()),))


def _of_block(block: Sequence[ir.Region]) -> Iterator[Chain]:
    for number, region in enumerate(block):
        rest = tuple(block[number + 1 :])
        if isinstance(region, ir.If):
            yield _chain(region, rest)
            inner: ir.Region = region
            while True:
                assert isinstance(inner, ir.If)
                yield from _of_block(inner.body)
                if len(inner.orelse) == 1 and isinstance(inner.orelse[0], ir.If):
                    inner = inner.orelse[0]
                    continue
                yield from _of_block(inner.orelse)
                break
        elif isinstance(region, ir.Assert):
            line = ir.line_of(region.at)
            yield Chain(
                "assert",
                region.at,
                (Arm(region.test, (), line, line), Arm(-1, (), line, line)),
                (region.text,),
                region.message,
            )
        else:
            for body in inner_bodies(region):
                yield from _of_block(body)


def _chain(region: ir.If, rest: tuple[ir.Region, ...]) -> Chain:
    arms: list[Arm] = []
    texts: list[str] = []
    now = region
    while True:
        arms.append(_arm(now.test, now.body, ir.line_of(now.at)))
        texts.append(now.text)
        if len(now.orelse) == 1 and isinstance(now.orelse[0], ir.If):
            now = now.orelse[0]
            continue
        break
    if now.orelse:
        arms.append(replace(_arm(-1, now.orelse, arms[-1].last + 1), is_else=True))
    elif any(leaves(arm.body) for arm in arms):
        arms.append(_arm(-1, rest, arms[-1].last + 1))
    else:
        arms.append(Arm(-1, rest[:1] if rest and isinstance(rest[0], ir.Raise) else (), arms[-1].last, arms[-1].last))
    return Chain("if", region.at, tuple(arms), tuple(texts))


def _arm(test: int, body: tuple[ir.Region, ...], first: int) -> Arm:
    last = max((ir.line_of(r.at) for r in every_region(body)), default=first)
    return Arm(test, body, first, last)


def leaves(body: Sequence[ir.Region]) -> bool:
    """Tell whether a block certainly ends what is around it."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, (ir.Return, ir.Raise, ir.Jump)):
        return True
    return isinstance(last, ir.If) and leaves(last.body) and leaves(last.orelse)


def refusal(body: Sequence[ir.Region]) -> ir.Raise | None:
    """Return the exception that a block certainly raises; what it logs before does not count."""
    for region in body:
        if isinstance(region, ir.Raise):
            return region
        if not isinstance(region, ir.Do):
            return None
    return None


def atoms(exprs: Sequence[ir.Expr], index: int) -> list[int]:
    """Return the operands of a condition that no `and`, `or` or `not` joins, in order."""
    if index < 0:
        return []
    expr = exprs[index]
    if isinstance(expr, ir.Bool):
        return [atom for value in expr.values for atom in atoms(exprs, value)]
    if isinstance(expr, ir.Unary) and expr.op == "not":
        return atoms(exprs, expr.value)
    return [index]


def ranges(body: Sequence[ir.Region]) -> Iterator[tuple[int, int]]:
    """Yield the expressions that regions evaluate, as half-open ranges."""
    for region in every_region(body):
        if not isinstance(region, (ir.Jump, ir.Try)):
            yield region.start, getattr(region, "bound", region.stop)


def said(exprs: Sequence[ir.Expr], index: int) -> str:
    """Return the first text in an expression as a person reads it: what is filled in stands in braces by its name."""
    from codepath.program.subtrees import first_of

    if index < 0:
        return ""
    inside = range(first_of(tuple(exprs), index), index + 1)
    joined = next((e for i in inside if isinstance(e := exprs[i], ir.Joined)), None)
    if joined is not None:
        return "".join(_part(exprs, part) for part in joined.parts)
    return next((e.value for i in inside if isinstance(e := exprs[i], ir.Const) and isinstance(e.value, str)), "")


def _part(exprs: Sequence[ir.Expr], index: int) -> str:
    expr = exprs[index]
    if isinstance(expr, ir.Const):
        return str(expr.value)
    return "{" + (expr.id if isinstance(expr, (ir.Name, ir.Attr)) else "...") + "}"


def text_of(exprs: Sequence[ir.Expr], index: int) -> str:
    """Return the constant parts of the texts in an expression: what a message says."""
    from codepath.program.subtrees import first_of

    if index < 0:
        return ""
    first = first_of(tuple(exprs), index)
    parts = [e.value for e in exprs[first : index + 1] if isinstance(e, ir.Const) and isinstance(e.value, str)]
    return " ".join(parts)
