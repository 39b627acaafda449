"""Reads of the environment as one scope writes them: `os.getenv("X")`, `os.environ["X"]`, `"X" in os.environ`, ..."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from codepath.analysis.detect.conditions_of import dotted
from codepath.model import ir

WORDS = ("environ", "getenv")
"""Words that stand in every file that reads the environment itself."""
_READS = frozenset(["os.environ.get", "os.getenv", "environ.get", "getenv"])
_SETS = frozenset(f"{m}.{n}" for m in ("os.environ", "environ") for n in ("pop", "setdefault"))
_MAPPINGS = frozenset(["os.environ", "environ"])


class Access(NamedTuple):
    """Expression `expr` of a scope reads, asks for or sets the variable that expression `key` names."""

    expr: int
    how: str
    through: str
    key: int
    default: int = -1


def accesses(scope: ir.Scope) -> Iterator[Access]:
    """Yield what a scope does with the environment."""
    exprs = scope.exprs
    for index, expr in enumerate(exprs):
        if isinstance(expr, ir.Call) and expr.args and not expr.args[0].star:
            name = dotted(exprs, expr.func)
            if name in _READS:
                default = next((a.value for a in expr.args[1:] if a.name in (None, "default")), -1)
                yield Access(index, "read", name, expr.args[0].value, default)
            elif name in _SETS:
                yield Access(index, "set", name, expr.args[0].value)
        elif isinstance(expr, ir.Subscript) and dotted(exprs, expr.value) in _MAPPINGS:
            yield Access(index, "read", dotted(exprs, expr.value), expr.index)
        elif isinstance(expr, ir.StoreItem) and dotted(exprs, expr.object) in _MAPPINGS:
            yield Access(index, "set", dotted(exprs, expr.object), expr.index)
        elif isinstance(expr, ir.Compare) and expr.ops[0] in ("in", "not in"):
            through = dotted(exprs, expr.rights[0])
            if through in _MAPPINGS:
                yield Access(index, "asked", through, expr.left)


def text_of(exprs: tuple[ir.Expr, ...], index: int) -> str:
    """Return a constant string, "" for another expression."""
    expr = exprs[index] if index >= 0 else None
    return expr.value if isinstance(expr, ir.Const) and isinstance(expr.value, str) and not expr.form else ""


def parameter_of(scope: ir.Scope, index: int) -> int:
    """Return which parameter an expression is, -1 for none."""
    expr = scope.exprs[index]
    if not isinstance(expr, ir.Name) or expr.use < 0:
        return -1
    reaching = scope.uses[expr.use]
    return reaching[0] if len(reaching) == 1 and 0 <= reaching[0] < len(scope.params) else -1
