"""The reads and stores of a module's global, wherever in the tree they stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from codepath.analysis.nulls.states import key_of
from codepath.analysis.variables.uses import Usage
from codepath.model import ir
from codepath.program.scopes import Read, Scopes


class Words(Protocol):
    """Which files hold which words."""

    def holding(self, word: str) -> list[str]:
        """Return the files that hold a word, in order."""

    def holds(self, path: str, word: str) -> bool:
        """Tell whether a file holds a word."""


class Access(NamedTuple):
    """A read or a store of a variable: expression `expr` of a scope. `how` is read, store or delete."""

    read: Read
    expr: int
    how: str

    @property
    def at(self) -> int:
        """The place, packed."""
        return self.read.scope.exprs[self.expr].at


class Globals:
    """Finds accesses. `paths` maps module names to files, `words` tells which files hold a word."""

    def __init__(self, scopes: Scopes, paths: dict[str, str], words: Words) -> None:
        self._scopes = scopes
        self._paths = paths
        self._modules = {path: name for name, path in paths.items()}
        self._words = words
        self._usages: dict[int, Usage] = {}

    def usage(self, read: Read) -> Usage:
        """Return the uses of values in a scope."""
        found = self._usages.get(id(read))
        if found is None:
            found = self._usages[id(read)] = Usage(read.scope)
        return found

    def of(self, module: str, name: str) -> list[Access]:
        """Return all accesses to a global, by file and place."""
        path = self._paths[module]
        found = list(self._inside(path, name))
        for other in self._importing(module, name):
            found.extend(self._outside(other, module, name))
        return sorted(found, key=lambda a: (a.read.path, a.at, a.expr))

    # --- in the module itself ----------------------------------------------------------------------------------------

    def _inside(self, path: str, name: str) -> Iterator[Access]:
        for read in self._scopes.in_file(path, name):
            if self._is_global_in(read, name):
                yield from _accesses(read, name)

    def _is_global_in(self, read: Read, name: str) -> bool:
        """Tell whether a name means the module's own in a scope."""
        scope = read.scope
        if scope.form == "module" or name in scope.globals:
            return True
        if scope.form != "class" and _binds(scope, name):
            return False
        functions = [head for head in read.around if head.form in ("function", "lambda")]
        return not any(self._binds_around(read, head, name) for head in functions)

    def _binds_around(self, read: Read, head: ir.Head, name: str) -> bool:
        for other in self._scopes.in_file(read.path, name):
            if other.head is head:
                return name not in other.scope.globals and _binds(other.scope, name)
        return False

    # --- in other modules --------------------------------------------------------------------------------------------

    def _importing(self, module: str, name: str) -> list[str]:
        """Return the other files that hold the name and that of a module which gives it."""
        near = {module.rpartition(".")[2]}
        holding = [p for p in self._words.holding(name) if p != self._paths[module]]
        found: dict[str, None] = {}
        while near:
            fresh = [p for p in holding if p not in found and any(self._words.holds(p, word) for word in near)]
            found.update(dict.fromkeys(fresh))
            near = {self._modules[p].rpartition(".")[2] for p in fresh if self._passes_on(p, module, name)}
        return sorted(found)

    def _passes_on(self, path: str, module: str, name: str) -> bool:
        """Tell whether a module imports the name at its top, so that others can import it from there."""
        facts = self._scopes.facts(path)
        if facts is None:
            return False
        top = next((r for r in self._scopes.in_file(path, name) if r.scope.form == "module"), None)
        return top is not None and any(isinstance(e, ir.ImportFrom) and e.name == name for e in top.scope.exprs)

    def _outside(self, path: str, module: str, name: str) -> Iterator[Access]:
        modules, names = self._aliases(path, module, name)
        for alias, owner in names:
            for read in self._scopes.in_file(path, alias):
                if (read is owner and owner.scope.form != "module") or (
                    owner.scope.form == "module" and self._is_global_in(read, alias)
                ):
                    yield from _accesses(read, alias, imported=True)
        if modules:
            for read in self._scopes.in_file(path, name):
                yield from _through(read, name, modules)

    def _aliases(self, path: str, module: str, name: str) -> tuple[dict[str, str], list[tuple[str, Read]]]:
        """Return the paths by which a file reaches the module, and the names under which it imports the global."""
        modules: dict[str, str] = {}
        names: list[tuple[str, Read]] = []
        words = {module.rpartition(".")[2], name}
        for read in {id(r): r for word in sorted(words) for r in self._scopes.in_file(path, word)}.values():
            for expr in read.scope.exprs:
                if not isinstance(expr, ir.Bind) or expr.value < 0 or expr.how:
                    continue
                value = read.scope.exprs[expr.value]
                if isinstance(value, ir.ImportFrom):
                    source = self._absolute(path, value)
                    if value.name == name and self._gives(source, module, name):
                        names.append((expr.id, read))
                    elif f"{source}.{value.name}" == module:
                        modules[expr.id] = module
                elif isinstance(value, ir.Import) and (module == value.module or module.startswith(f"{value.bound}.")):
                    rest = module[len(value.bound) :]
                    if value.module == module or value.bound == module:
                        modules[expr.id + rest] = module
        return modules, names

    def _gives(self, source: str, module: str, name: str, depth: int = 0) -> bool:
        """Tell whether a name imported from a module is the global: from its own module, or one that passes it on."""
        if source == module:
            return True
        path = self._paths.get(source)
        if path is None or depth > 4:
            return False
        for read in self._scopes.in_file(path, name):
            imports = [e for e in read.scope.exprs if isinstance(e, ir.ImportFrom) and e.name in (name, "*")]
            sources = [self._absolute(path, expr) for expr in imports if read.scope.form == "module"]
            if any(self._gives(one, module, name, depth + 1) for one in sources):
                return True
        return False

    def _absolute(self, path: str, expr: ir.ImportFrom) -> str:
        if not expr.level:
            return expr.module
        parts = self._modules[path].split(".")
        is_package = path.rpartition("/")[2] == "__init__.py"
        keep = len(parts) - expr.level + (1 if is_package else 0)
        return ".".join([*parts[: max(keep, 0)], *([expr.module] if expr.module else [])])


def _binds(scope: ir.Scope, name: str) -> bool:
    return any(d.id == name and d.form != "comprehension" for d in scope.definitions)


def _accesses(read: Read, name: str, *, imported: bool = False) -> Iterator[Access]:
    """Yield the accesses under a plain name; one that is imported is only read there."""
    scope = read.scope
    stores = not imported and (scope.form == "module" or name in scope.globals)
    for index, expr in enumerate(scope.exprs):
        if isinstance(expr, ir.Name) and expr.id == name:
            if _is_own(scope, expr):
                yield Access(read, index, "read")
        elif isinstance(expr, ir.Bind) and expr.id == name and stores:
            form = scope.definitions[expr.definition].form
            declares = expr.value < 0 and not expr.how and expr.annotation >= 0
            if form != "comprehension" and not declares:
                yield Access(read, index, "store")
        elif isinstance(expr, ir.Remove) and expr.id == name and expr.object < 0 and stores:
            yield Access(read, index, "delete")


def _is_own(scope: ir.Scope, expr: ir.Name) -> bool:
    """Tell whether a name that is read is not one that a comprehension or class body binds."""
    reaching = scope.uses[expr.use]
    if scope.form == "class" and reaching and reaching[0] >= 0:
        return False
    return all(d < 0 or scope.definitions[d].form != "comprehension" for d in reaching)


def _through(read: Read, name: str, modules: dict[str, str]) -> Iterator[Access]:
    """Yield the accesses as an attribute of the module."""
    exprs = read.scope.exprs
    for index, expr in enumerate(exprs):
        if isinstance(expr, ir.Attr) and expr.id == name and key_of(exprs, expr.value) in modules:
            yield Access(read, index, "read")
        elif isinstance(expr, ir.StoreAttr) and expr.id == name and key_of(exprs, expr.object) in modules:
            yield Access(read, index, "store")
        elif isinstance(expr, ir.Remove) and expr.id == name and key_of(exprs, expr.object) in modules:
            yield Access(read, index, "delete")
