"""Who decides a condition: the callers of a function, or the machine that the process runs on.

Approximates: over (a global may be an option; a default may never be used).
"""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.detect.conditions_of import without_not
from codepath.model import ir
from codepath.program.bodies import Body
from codepath.program.guards import Literal


def is_process_wide(scope: ir.Scope, index: int) -> bool:
    """Tell whether a condition rests on globals alone, and on what functions without arguments say: a platform, say."""
    if index < 0:
        return False
    expr = scope.exprs[index]
    if isinstance(expr, ir.Unary):
        return expr.op == "not" and is_process_wide(scope, expr.value)
    if isinstance(expr, ir.Bool):
        return all(is_process_wide(scope, value) for value in expr.values)
    if isinstance(expr, ir.Call):
        func = scope.exprs[expr.func]
        return not expr.args and _is_global(scope, func.value if isinstance(func, ir.Attr) else expr.func)
    return _is_global(scope, index)


def process_wide_parts(scope: ir.Scope, index: int) -> Iterator[int]:
    """Yield the parts of a condition, joined by `and`, `or` and `not`, that are the same for the whole process."""
    expr = scope.exprs[index]
    if is_process_wide(scope, index):
        yield index
    elif isinstance(expr, ir.Unary) and expr.op == "not":
        yield from process_wide_parts(scope, expr.value)
    elif isinstance(expr, ir.Bool):
        for value in expr.values:
            yield from process_wide_parts(scope, value)


def _is_global(scope: ir.Scope, index: int) -> bool:
    expr = scope.exprs[index]
    if not isinstance(expr, ir.Name):
        return False
    return all(use >= 0 and scope.definitions[use].form == "import" for use in scope.uses[expr.use])


def is_spare(body: Body, literal: Literal) -> bool:
    """Tell whether a condition says that a parameter which callers must give is None or false."""
    if literal.test < 0 or literal.when:
        return False
    index, polarity = without_not(body.scope.exprs, literal.test, literal.polarity)
    expr = body.scope.exprs[index]
    if isinstance(expr, ir.Compare) and expr.ops in (("is",), ("is not",)):
        right = body.scope.exprs[expr.rights[0]]
        if not isinstance(right, ir.Const) or right.value is not None:
            return False
        polarity = polarity is (expr.ops == ("is not",))
        expr = body.scope.exprs[expr.left]
    if polarity or not isinstance(expr, ir.Name) or len(body.scope.uses[expr.use]) != 1:
        return False
    return any(
        p.id == expr.id and p.default < 0 and p.form in ("positional", "normal", "keyword") for p in body.scope.params
    )


def fails_by_default(body: Body, literal: Literal) -> bool:
    """Tell whether a condition fails where the parameters of its function have their defaults."""
    if literal.test < 0 or literal.when or body.around is None:
        return False
    index, polarity = without_not(body.scope.exprs, literal.test, literal.polarity)
    expr = body.scope.exprs[index]
    params = {p.id: p for p in body.scope.params}
    param = params.get(expr.id) if isinstance(expr, ir.Name) else None
    if param is None or param.default < 0:
        return False
    default = body.around.exprs[param.default]
    return isinstance(default, ir.Const) and not default.form and bool(default.value) != polarity
