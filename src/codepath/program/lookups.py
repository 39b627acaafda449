"""Look-ups of attributes by name in one scope: `hasattr`, `getattr`, `except AttributeError`; what runs where one is missing.

Approximates: under (a name that is made at run time is no look-up; of a handler only the attributes that its `try` reads).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Raw

from codepath.model import ir
from codepath.program.regions import every_region
from codepath.program.subtrees import children

_MOST_ATTRIBUTES = 8  # read under one handler; a longer `try` asks about something else
_ERROR = "AttributeError"


_ASKING = ir.holder_of(["hasattr", "getattr", _ERROR])


def may_ask(encoded: Raw) -> bool:
    """Tell whether a scope, in its stored form, may look an attribute up by name."""
    return _ASKING.search(memoryview(encoded)) is not None


class Missing(NamedTuple):
    """What happens where the attribute is missing; `at` is packed, 0 where nothing runs; `text` is what is given."""

    form: str
    at: int = 0
    text: str = ""


class Asked(NamedTuple):
    """A look-up: `expression` asks expression `receiver` for `name`, or for what expression `name_at` holds."""

    expression: int
    receiver: int
    name: str
    name_at: int
    style: str
    missing: Missing


def asked(scope: ir.Scope) -> Iterator[Asked]:
    """Yield the look-ups of a scope by place."""
    exprs = scope.exprs
    handled = handled_of(scope)
    for index, expr in enumerate(exprs):
        if isinstance(expr, ir.Call):
            found = _by_function(scope, index, expr, handled.get(index))
            if found is not None:
                yield found
        elif isinstance(expr, ir.Attr) and index in handled:
            yield Asked(index, expr.value, expr.id, -1, "except-attribute-error", handled[index])


def _by_function(scope: ir.Scope, index: int, expr: ir.Call, handled: Missing | None) -> Asked | None:
    func = scope.exprs[expr.func]
    if not isinstance(func, ir.Name) or func.id not in ("hasattr", "getattr") or scope.uses[func.use]:
        return None
    args = [a for a in expr.args if not a.star and a.name is None]
    if len(args) != len(expr.args) or len(args) not in (2, 3):
        return None
    name = scope.exprs[args[1].value]
    text = name.value if isinstance(name, ir.Const) and isinstance(name.value, str) else ""
    receiver, name_at = args[0].value, args[1].value
    if func.id == "hasattr":
        return Asked(index, receiver, text, name_at, "hasattr", missing_after(scope, index))
    if len(args) == 3:
        given = scope.exprs[args[2].value]
        return Asked(
            index,
            receiver,
            text,
            name_at,
            "getattr-default",
            Missing("default", given.at, written(scope, args[2].value)),
        )
    if handled is not None:
        return Asked(index, receiver, text, name_at, "except-attribute-error", handled)
    return Asked(index, receiver, text, name_at, "getattr", Missing("raises", expr.at, _ERROR))


# --- what runs where it is missing -----------------------------------------------------------------------------------


def missing_after(scope: ir.Scope, index: int) -> Missing:
    """Return what happens where the test that is expression `index` is false."""
    parents = _parents(scope.exprs)
    truth, top = False, index
    while (above := parents.get(top, -1)) >= 0:
        expr = scope.exprs[above]
        if isinstance(expr, ir.Unary) and expr.op == "not":
            truth = not truth
        elif isinstance(expr, ir.Ternary) and expr.test == top:
            given = expr.body if truth else expr.orelse
            return Missing("default", scope.exprs[given].at, written(scope, given))
        elif isinstance(expr, ir.Comp):
            return Missing("skipped")
        elif not isinstance(expr, ir.Bool):
            return Missing("default", scope.exprs[index].at, str(truth))
        top = above
    return _in_region(scope, top, truth)


def _parents(exprs: Sequence[ir.Expr]) -> dict[int, int]:
    found: dict[int, int] = {}
    for index, expr in enumerate(exprs):
        for child in children(expr):
            found[child] = index
    return found


def _in_region(scope: ir.Scope, test: int, truth: bool) -> Missing:
    for regions in _levels(scope.body):
        for position, region in enumerate(regions):
            if isinstance(region, ir.If) and region.test == test:
                following = regions[position + 1] if position + 1 < len(regions) else None
                return _of_branch(scope, region, truth, following)
            if isinstance(region, ir.Assert) and region.test == test:
                return Missing("skipped" if truth else "raises", region.at, "" if truth else "AssertionError")
            if isinstance(region, ir.While) and region.test == test:
                return Missing("other-branch", region.at) if truth else Missing("skipped")
    return Missing("default", scope.exprs[test].at, str(truth))


def _levels(regions: Sequence[ir.Region]) -> Iterator[Sequence[ir.Region]]:
    from codepath.program.regions import inner_bodies

    yield regions
    for region in regions:
        for body in inner_bodies(region):
            yield from _levels(body)


def _of_branch(scope: ir.Scope, region: ir.If, truth: bool, following: ir.Region | None) -> Missing:
    taken, other = (region.body, region.orelse) if truth else (region.orelse, region.body)
    if taken:
        return _of_body(scope, taken)
    if other and isinstance(other[-1], (ir.Return, ir.Raise, ir.Jump)) and following is not None:
        return _of_body(scope, (following,), "other-branch")
    return Missing("skipped")


def _of_body(scope: ir.Scope, body: Sequence[ir.Region], otherwise: str = "other-branch") -> Missing:
    """Return what running a body does: it raises, passes over, or does something else."""
    last, first = body[-1], body[0]
    if isinstance(last, ir.Raise):
        return Missing("raises", last.at, written(scope, last.exc) if last.exc >= 0 else "")
    if isinstance(first, ir.Jump):
        return Missing("skipped", first.at, first.form)
    if isinstance(first, ir.Do) and first.start == first.stop and len(body) == 1:
        return Missing("skipped", first.at, "pass")
    if isinstance(first, ir.Return):
        return Missing(otherwise, first.at, f"return {written(scope, first.value)}" if first.value >= 0 else "return")
    return Missing(otherwise, first.at)


def handled_of(scope: ir.Scope) -> dict[int, Missing]:
    """Return, for each expression whose AttributeError a handler right around catches, what the handler does."""
    found: dict[int, Missing] = {}
    for region in every_region(scope.body):
        if not isinstance(region, ir.Try):
            continue
        handler = next((h for h in region.handlers if h.type >= 0 and _catches(scope, h.type)), None)
        if handler is None:
            continue
        missing = _of_body(scope, handler.body) if handler.body else Missing("skipped", handler.at)
        inside = [i for start, stop in _ranges(region.body) for i in range(start, stop) if _may_lack(scope, i)]
        if len(inside) <= _MOST_ATTRIBUTES:
            found.update(dict.fromkeys(inside, missing))
    return found


def _may_lack(scope: ir.Scope, index: int) -> bool:
    expr = scope.exprs[index]
    if isinstance(expr, ir.Call):
        func = scope.exprs[expr.func]
        return isinstance(func, ir.Name) and func.id == "getattr"
    return isinstance(expr, ir.Attr)


def _catches(scope: ir.Scope, index: int) -> bool:
    expr = scope.exprs[index]
    parts = expr.items if isinstance(expr, ir.Sequence) else (index,)
    names = (scope.exprs[part] for part in parts)
    return any(isinstance(name, ir.Name) and name.id == _ERROR for name in names)


def _ranges(regions: Sequence[ir.Region]) -> Iterator[tuple[int, int]]:
    for region in every_region(regions):
        start, stop = getattr(region, "start", -1), getattr(region, "stop", -1)
        if start >= 0:
            yield start, stop


# --- as written ------------------------------------------------------------------------------------------------------


def written(scope: ir.Scope, index: int, depth: int = 0) -> str:
    """Return an expression about as it was written, `...` for parts that are long or rare."""
    expr = scope.exprs[index] if index >= 0 else None
    if isinstance(expr, ir.Name):
        return expr.id
    if isinstance(expr, ir.Const) and not expr.form:
        return repr(expr.value)
    if depth > 6 or expr is None:
        return "..."
    if isinstance(expr, ir.Attr):
        return f"{written(scope, expr.value, depth + 1)}.{expr.id}"
    if isinstance(expr, ir.Call):
        return f"{written(scope, expr.func, depth + 1)}({'...' if expr.args else ''})"
    if isinstance(expr, ir.Subscript):
        return f"{written(scope, expr.value, depth + 1)}[{written(scope, expr.index, depth + 1)}]"
    if isinstance(expr, ir.Unary):
        return (
            f"{expr.op} {written(scope, expr.value, depth + 1)}"
            if expr.op == "not"
            else f"{expr.op}{written(scope, expr.value, depth + 1)}"
        )
    if isinstance(expr, ir.Sequence) and not expr.items:
        return {"list": "[]", "tuple": "()", "set": "set()"}[expr.form]
    if isinstance(expr, ir.Dict) and not expr.keys:
        return "{}"
    return "..."
