"""Snippets to call graphs, in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from codepath.extract import extract
from codepath.knowledge import choose, shipped
from codepath.model import ir
from codepath.model.answers import Step
from codepath.program.build import SolutionBuilder
from codepath.program.graph import CallGraph
from codepath.program.solver import Solver
from codepath.program.tree import Tree


class DictRows:
    """Rows in a dict."""

    def __init__(self, rows: dict[str, bytes]) -> None:
        self.rows = rows

    def get(self, keys: Iterable[str]) -> dict[str, bytes]:
        return {key: self.rows[key] for key in keys if key in self.rows}

    def scan(self) -> Iterable[tuple[str, bytes]]:
        return sorted(self.rows.items())


def module_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def solver_of(files: Mapping[str, str | bytes], *, backwards: bool = False) -> Solver:
    """Return a solver that has solved source files by path; `backwards` loads the last file first."""
    facts = {path: extract(text.encode() if isinstance(text, str) else text, path) for path, text in files.items()}
    # what is stored is what is read: go through the encoded form
    blobs = {path: ir.encode_facts(f) for path, f in facts.items()}
    modules = {path: module_of(path) for path in files}
    tree = Tree(modules.values())
    solver = Solver(tree, choose(shipped(), (), frozenset(modules.values())), lambda p: ir.decode_bodies(blobs[p]))
    for path in sorted(files, reverse=backwards):
        tree.load(modules[path], path, ir.decode_facts(blobs[path]))
    solver.declare()
    solver.solve()
    return solver


def solved(files: Mapping[str, str | bytes], *, backwards: bool = False) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the stored rows of the call graph of source files by path, and its main modules."""
    builder = SolutionBuilder(solver_of(files, backwards=backwards), hooks=True)
    rows = builder.every_row()
    return rows, builder.whole(()).mains


def graph_of(files: Mapping[str, str | bytes]) -> CallGraph:
    """Return the call graph of source files by path."""
    rows, mains = solved(files)
    return CallGraph(DictRows(rows), mains)


def steps_of(files: dict[str, str]) -> list[Step]:
    """Return every step of source files by path."""
    graph = graph_of(files)
    return [step for caller, row in graph.everything() for step in graph.steps_of(caller, row)]
