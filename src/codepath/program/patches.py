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
from codepath.program.tree import DYNAMIC, ModuleInfo, ScopeInfo

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
    todo = [(module, name)]
    seen = {(module.name, name)}
    while todo:
        info, known = todo.pop()
        yield info, known
        for other in solver.tree.modules.values():
            for bound in _imported(other, info.name, known):
                if (other.name, bound) not in seen:
                    seen.add((other.name, bound))
                    todo.append((other, bound))


def _imported(info: ModuleInfo, module: str, name: str) -> Iterator[str]:
    """Yield the names under which the scopes of a module know a name of another one."""
    if module in info.scopes[0].stars:
        yield name
    for scope in info.scopes:
        yield from _bound(scope, module, name)


def _bound(scope: ScopeInfo, module: str, name: str) -> Iterator[str]:
    for bound, origins in scope.names.items():
        if any(origin.module == module and origin.name == name for origin in origins):
            yield bound
