"""What a scope leaves with, and which of its statements run together."""

from __future__ import annotations

from collections.abc import Iterable

from codepath.model import ir
from codepath.program.regions import inner_bodies

Leaving = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""What a scope does at its end. Source: `leaving`."""


def among(found: Leaving, changed: set[int]) -> Leaving:
    """Return those of the expressions that a scope leaves with that have changed."""
    returns, contexts, tests, raised = (tuple([index for index in part if index in changed]) for part in found)
    return returns, contexts, tests, raised


def leaving(regions: Iterable[ir.Region]) -> Leaving:
    """Return the values that regions return, the context managers that they enter, the conditions that they test and what
    they raise, all levels down."""
    returns: list[int] = []
    contexts: list[int] = []
    tests: list[int] = []
    raised: list[int] = []
    todo = [regions]
    while todo:
        for region in todo.pop():
            kind = region.__class__
            if kind is ir.Do:
                continue
            if kind is ir.Return:
                if region.value >= 0:  # type: ignore[union-attr]
                    returns.append(region.value)  # type: ignore[union-attr]
                continue
            if kind is ir.Raise:
                if region.exc >= 0:  # type: ignore[union-attr]
                    raised.append(region.exc)  # type: ignore[union-attr]
                continue
            if kind is ir.With:
                contexts.extend(region.contexts)  # type: ignore[union-attr]
            elif kind is ir.If or kind is ir.While or kind is ir.Assert:
                tests.append(region.test)  # type: ignore[union-attr]
            todo.extend(inner_bodies(region))
    return tuple(returns), tuple(contexts), tuple(tests), tuple(raised)


def is_left_to_others(scope: ir.Scope) -> bool:
    """Tell whether a function does nothing but raise `NotImplementedError`, whatever stands behind that."""
    for region in scope.body:
        if isinstance(region, ir.Raise) and region.exc >= 0:
            expr = scope.exprs[region.exc]
            raised = scope.exprs[expr.func] if isinstance(expr, ir.Call) else expr
            return isinstance(raised, ir.Name) and raised.id == "NotImplementedError"
        if not isinstance(region, ir.Do) or any(
            not isinstance(e, ir.Const) for e in scope.exprs[region.start : region.stop]
        ):
            return False
    return False


def same_run(regions: Iterable[ir.Region], first: int, second: int) -> bool:
    """Tell whether two expressions stand in simple statements of one body with no compound statement between them."""
    start = stop = -1
    for region in (*regions, None):
        if isinstance(region, (ir.Do, ir.Return)):
            start, stop = (region.start if start < 0 else start), region.stop
            continue
        if start <= first < stop:
            return start <= second < stop
        start = stop = -1
        if region is not None and any(same_run(body, first, second) for body in inner_bodies(region)):
            return True
    return False
