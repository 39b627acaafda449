"""The steps of changed statements: emitted as for a whole tree, on the few modules that their names lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from codepath.model import ir
from codepath.model.knowledge import Knowledge
from codepath.program.kept import WHOLE
from codepath.program.solver import ReadBodies, Solver
from codepath.program.steps import BY_NAME_LIMIT, Emitted, Emitter
from codepath.program.tree import Tree
from codepath.program.values import ScopeId

ReadFacts = Callable[[str], "ir.ModuleFacts | None"]


@dataclass(frozen=True)
class Files:
    """The files of one version of a tree: `modules` maps paths to names."""

    modules: dict[str, str]
    facts: ReadFacts
    bodies: ReadBodies


class Emission:
    """Emits scopes of some modules; what flows into them from elsewhere is not known here.

    The code of the modules is run, for what decorators and assignments make of names; functions are not. `is_method` tells
    whether a method of the tree has a name: steps by name are not told, such a call site counts as unresolved.
    """

    def __init__(
        self, files: Files, knowledge: Knowledge, names: Iterable[str], is_method: Callable[[str], bool]
    ) -> None:
        self.solver = Solver(Tree(files.modules.values()), knowledge, files.bodies, is_partial=True)
        paths = {name: path for path, name in files.modules.items()}
        loaded = ((name, paths[name], files.facts(paths[name])) for name in sorted(names))
        self.solver.extend((name, path, facts) for name, path, facts in loaded if facts is not None)
        modules = self.solver.tree.modules.values()
        self.solver.cells.dirty = {module.scopes[0].sid: 1 << WHOLE for module in modules}
        self.solver.settle()
        self.solver.emitting = True
        many = (ScopeId(-1),) * (BY_NAME_LIMIT + 1)
        self._emitter = Emitter(self.solver, lambda name: many if is_method(name) else ())

    def of(self, module: str, index: int) -> Emitted | None:
        """Return what scope number `index` of a module emits, None where the store lost it."""
        info = self.solver.tree.modules[module].scopes[index]
        scope = self.solver.scope(info)
        if scope is None:
            return None
        out = Emitted(placed=[])
        self._emitter.emit(info, scope, out, ())
        return out
