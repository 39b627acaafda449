"""What a word means that names nothing defined as it stands: a method of a base, something outside the tree."""

from __future__ import annotations

from codepath.errors import QueryError
from codepath.model.answers import Place, Symbol
from codepath.model.solution import StoredName
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph
from codepath.program.names import Names, is_place
from codepath.program.tree import ScopeInfo


def inherited_method(query: str, names: Names, bodies: Bodies) -> str:
    """Return the method of a base in the tree that `Class.method` runs, "" where the query means no such thing."""
    owner, _, last = query.rpartition(".")
    if not owner or is_place(query) or is_place(owner):
        return ""
    classes = (bodies.scope(name.name) for name in names.find(owner) if name.kind == "class")
    methods = {_method(info, last, bodies) for info in classes if info is not None} - {""}
    return methods.pop() if len(methods) == 1 else ""


def _method(info: ScopeInfo, name: str, bodies: Bodies) -> str:
    """Return the method of a base that a class runs under a name, "" where it has its own or none."""
    found = bodies.classes.find(info.sid, name)
    if found is None or found.owner == info.sid:
        return ""
    method = f"{bodies.tree.scopes[found.owner].name}.{name}"
    return method if bodies.body(method) is not None else ""


def named_in_full(graph: CallGraph, name: str) -> StoredName | None:
    """Return the thing of the tree with a full dotted name."""
    return next((n for n in graph.named(name.rpartition(".")[2]) if n.name == name), None)


def outside_calls(graph: CallGraph, query: str) -> tuple[Symbol, tuple[str, ...]]:
    """Return a name outside the tree as something to ask about: its first use, and the names that the tree calls.

    Raises:
        QueryError: The tree calls nothing of this name.
    """
    called = tuple(name for name in graph.called(query) if graph.function(name) is None)
    steps = sorted((s for name in called for s in graph.steps_into(name)), key=lambda s: (s.file, s.line, s.column))
    if not steps:
        raise QueryError(
            f"nothing in this tree calls `{query}`",
            help=("give the dotted name as imported, such as `torch.cuda.CUDAGraph`",),
        )
    first = steps[0]
    return Symbol(query, "outside", Place(first.file, first.line, first.column, first.caller)), called
