"""Where code hands the name of a function on as a string: something may call it by that name, unseen.

Approximates: both ways (what becomes of the string is not followed; names that are put together are not seen).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codepath.model import ir
from codepath.model.answers import Place
from codepath.program.bodies import Bodies, Body
from codepath.program.graph import CallGraph


def spelled(graph: CallGraph, bodies: Bodies, files: Iterable[str], name: str) -> Iterator[Place]:
    """Yield the calls of functions of the tree that are given a name as a string.

    Args:
        graph: The call graph of the whole tree.
        bodies: Its functions.
        files: The files that hold the word.
        name: The last part of a dotted name.
    """
    for file in files:
        for function in dict.fromkeys(n.name for n in graph.in_file(file)):
            body = bodies.body(function)
            found = sorted(_calls_with(body, name)) if body is not None else []
            inside = _calls_of_the_tree(graph, function) if found else frozenset()
            yield from (Place(file, ir.line_of(at), ir.column_of(at), function) for at in found if at in inside)


def _calls_with(body: Body, name: str) -> Iterator[int]:
    """Yield the packed places of the calls that are given a string."""
    exprs = body.scope.exprs
    for expr in exprs:
        if isinstance(expr, ir.Call):
            given = (exprs[argument.value] for argument in expr.args if argument.value >= 0)
            if any(isinstance(one, ir.Const) and one.value == name for one in given):
                yield expr.at


def _calls_of_the_tree(graph: CallGraph, function: str) -> frozenset[int]:
    """Return the packed places at which a function calls functions of the tree."""
    row = graph.function(function)
    steps = row.steps if row is not None else ()
    return frozenset(
        s.at
        for s in steps
        if s.kind in ("call", "construct") and s.resolution != "by-name" and graph.function(s.callee) is not None
    )
