"""What a part of a question about order means: expressions at a place, functions by a pattern."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from codepath.model import ir
from codepath.program.bodies import Body
from codepath.program.graph import CallGraph
from codepath.program.subtrees import first_of


def runs_on_line(body: Body, line: int) -> frozenset[int]:
    """Return the expressions on a line that count as running it: its outermost calls, else all that it evaluates."""
    exprs = body.scope.exprs
    guards = body.guards
    here = [i for i, e in enumerate(exprs) if ir.line_of(e.at) == line and guards.covers(i)]
    calls = [i for i in here if isinstance(exprs[i], ir.Call)]
    if not calls:
        calls = [i for i, e in enumerate(exprs) if _is_called_on(exprs, e, line) and guards.covers(i)]
    if calls:
        return frozenset(i for i in calls if not any(_holds(exprs, other, i) for other in calls))
    stores = [i for i in here if isinstance(exprs[i], (ir.Bind, ir.StoreAttr, ir.StoreItem, ir.Remove))]
    return frozenset(stores[:1] or here[-1:])


def _is_called_on(exprs: tuple[ir.Expr, ...], expr: ir.Expr, line: int) -> bool:
    """Tell whether a call of a chain over several lines names its callee on a line."""
    func = exprs[expr.func] if isinstance(expr, ir.Call) else None
    return isinstance(func, ir.Attr) and ir.line_of(func.end) == line


def _holds(exprs: tuple[ir.Expr, ...], outer: int, inner: int) -> bool:
    return inner < outer and first_of(exprs, outer) <= inner


def functions_like(graph: CallGraph, pattern: str) -> list[str]:
    """Return the functions, in the tree or called outside it, that a dotted pattern with `*` means."""
    last = pattern.rpartition(".")[2]
    if "*" not in pattern:
        return [pattern, *(n.name for n in graph.named(last) if n.name == pattern and n.kind == "class")]
    lasts = [n for n in graph.all_names() if fnmatchcase(n, last)] if "*" in last else [last]
    found = [n for one in lasts for n in graph.named(one) if n.kind in _RUN and fnmatchcase(n.name, pattern)]
    return [name for n in found for name in ((n.name, f"{n.name}.__init__") if n.kind == "class" else (n.name,))]


_RUN = frozenset(["function", "method", "class"])


def known(graph: CallGraph, names: Iterable[str]) -> list[str]:
    """Return the names that the tree defines or calls, each once."""
    return [n for n in dict.fromkeys(names) if graph.function(n) is not None or graph.callers(n)]
