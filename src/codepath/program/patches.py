"""Names of modules that other code stores anew: `module.function = other`.

A name that a module binds to a function or class means just that, until a store shows that it is a variable after all.

Approximates: over (who read the name before the store had the first meaning only).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.program import values as v
from codepath.program.kept import WHOLE
from codepath.program.tree import DYNAMIC, ModuleInfo, Tree

if TYPE_CHECKING:
    from codepath.program.solver import Solver


def patch(solver: Solver, module: ModuleInfo, name: str) -> None:
    """Make a name of a module one whose values the solver computes, and let all run again who know it."""
    scope = module.scopes[0]
    origins = scope.names.get(name)
    if origins is None or DYNAMIC in origins or solver.cells.is_frozen:
        return
    scope.names[name] = (*origins, DYNAMIC)  # type: ignore[index]
    for info, known in _knowing(solver, module, name):
        solver.lexical.forget_name(info, known)
        solver.attributes.derive_again((v.MODULE, info.name), known)
        bodies = solver.scopes(info) or ()
        using = (one.sid for one, body in zip(info.scopes, bodies, strict=False) if _uses(body, known))
        solver.cells.dirty.update((sid, 1 << WHOLE) for sid in using)


def _uses(scope: ir.Scope, name: str) -> bool:
    """Tell whether a scope reads a name."""
    return any(expr.__class__ is ir.Name and expr.id == name for expr in scope.exprs)


def _knowing(solver: Solver, module: ModuleInfo, name: str) -> Iterator[tuple[ModuleInfo, str]]:
    """Yield the modules, with their names, that take a name of a module: itself, and those that import it on the way."""
    level = seen = {(module.name, name)}
    while level:
        for one, known in sorted(level):
            yield solver.tree.modules[one], known
        level = set(_importers(solver.tree, level)) - seen
        seen = seen | level


def _importers(tree: Tree, wanted: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield (module, name) under which the scopes of modules know some (module, name)."""
    importing = {sid for module, _ in wanted for sid in tree.importing(module)}
    for scope in (tree.scopes[sid] for sid in sorted(importing)):
        for star in scope.stars:
            yield from ((scope.module.name, name) for module, name in wanted if module == star)
        for bound, origins in scope.names.items():
            for origin in origins:
                if (origin.module, origin.name) in wanted:
                    yield scope.module.name, bound
