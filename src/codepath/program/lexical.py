"""What names mean by themselves: imports, re-exports, functions and classes, followed without running the solver."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import NamedTuple

from codepath.program.annotations import Term
from codepath.program.tree import ModuleInfo, Origin, ScopeInfo, Tree
from codepath.program.values import CLASS, FUNCTION, MODULE, NOTHING, OUTSIDE, ScopeId, Value, Values

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "WindowsError"}
_MAX_HOPS = 40


class Meaning(NamedTuple):
    """What a name means: `values` for certain, and `cells`: (scope, name) pairs whose value the solver computes."""

    values: Values
    cells: tuple[tuple[ScopeId, str], ...]


UNKNOWN = Meaning(NOTHING, ())


class Lexical:
    """Looks names up in the loaded modules of a tree.

    `on_miss` is told each module of the tree that a look-up needs and that is not loaded; `misses` counts them. What was
    found without such a module is not kept.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._members: dict[tuple[str, str], Meaning] = {}
        self._seen: dict[ScopeId, dict[str, Meaning]] = {}
        self._builtin: dict[str, Meaning] = {}
        self.misses = 0
        self.on_miss: Callable[[str], None] = _ignore

    def forget(self) -> None:
        """Drop what was looked up: modules have been loaded since."""
        self._members.clear()
        self._seen.clear()

    def forget_name(self, module: ModuleInfo, name: str) -> None:
        """Drop what was looked up of a name of a module, or of the same name in what stands in it."""
        self._members.pop((module.name, name), None)
        for scope in module.scopes:
            self._seen.get(scope.sid, {}).pop(name, None)

    def member(self, module: str, name: str) -> Meaning:
        """Return what `module.name` means, following re-exports, star imports and submodules."""
        key = (module, name)
        found = self._members.get(key)
        if found is None:
            before = self.misses
            found = self._member(module, name, 0)
            if self.misses == before:
                self._members[key] = found
        return found

    def _member(self, module: str, name: str, hops: int) -> Meaning:
        if not self.tree.is_module(module):
            return Meaning(frozenset([(OUTSIDE, f"{module}.{name}")]), ())
        info = self.tree.modules.get(module)
        parts: list[Meaning] = []
        if info is not None:
            scope = info.scopes[0]
            origins = scope.names.get(name)
            if origins is not None:
                parts.append(self._of_origins(scope, name, origins, hops))
            else:
                parts.extend(self._from_stars(scope, name, hops))
        elif module in self.tree.known:
            self.misses += 1
            self.on_miss(module)
        if not any(p.values or p.cells for p in parts) and self.tree.is_module(f"{module}.{name}"):
            parts.append(Meaning(frozenset([(MODULE, f"{module}.{name}")]), ()))
        return _union(parts)

    def _from_stars(self, scope: ScopeInfo, name: str, hops: int) -> list[Meaning]:
        if name.startswith("__") or hops > _MAX_HOPS:
            return []
        found = []
        for star in scope.stars:
            if not self.tree.is_module(star):
                continue
            meaning = self._member(star, name, hops + 1)
            if meaning.values or meaning.cells:
                found.append(meaning)
        return found[-1:]

    def _of_origins(self, scope: ScopeInfo, name: str, origins: tuple[Origin, ...], hops: int) -> Meaning:
        values: set[Value] = set()
        cells: list[tuple[ScopeId, str]] = []
        for origin in origins:
            if origin.form == "dynamic":
                cells.append((scope.sid, name))
            elif origin.form == "member":
                if hops <= _MAX_HOPS:
                    meaning = self._member(origin.module, origin.name, hops + 1)
                    values |= meaning.values
                    cells.extend(meaning.cells)
            else:
                values.add(self._value(origin))
        return Meaning(frozenset(values), tuple(dict.fromkeys(cells)))

    def _value(self, origin: Origin) -> Value:
        if origin.form == "function":
            return (FUNCTION, origin.scope)
        if origin.form == "class":
            return (CLASS, origin.scope)
        return self.module_value(origin.module)

    def module_value(self, module: str) -> Value:
        """Return the value of a module by its dotted name."""
        return (MODULE, module) if self.tree.is_module(module) else (OUTSIDE, module)

    def free(self, scope: ScopeInfo, name: str) -> Meaning:
        """Return what a name means that `scope` itself does not bind: an enclosing function's, the module's, a builtin."""
        seen = self.seen_from(scope)
        found = seen.get(name)
        if found is None:
            before = self.misses
            found = self._look_outwards(scope, name)
            if self.misses == before:
                seen[name] = found
        return found

    def seen_from(self, scope: ScopeInfo) -> dict[str, Meaning]:
        """Return what is known of the names that a scope does not bind; scopes that see a module only share it."""
        place = self._around(scope)
        seen = self._seen.get(place)
        if seen is None:
            seen = self._seen[place] = {}
        return seen

    def _around(self, scope: ScopeInfo) -> ScopeId:
        """Return the module of a scope with no function around it, else the scope itself."""
        outer = scope
        while outer.outer >= 0:
            outer = self.tree.scopes[outer.outer]
            if outer.form in ("function", "lambda"):
                return scope.sid
        return outer.sid

    def _look_outwards(self, scope: ScopeInfo, name: str) -> Meaning:
        if scope.form == "module":
            return self._global_name(scope, name)
        info = scope
        while info.outer >= 0:
            info = self.tree.scopes[info.outer]
            if info.form == "class" or name not in info.names:
                continue
            if info.form == "module":
                break
            return self._of_origins(info, name, info.names[name], 0)
        return self.global_name(scope, name)

    def global_name(self, scope: ScopeInfo, name: str) -> Meaning:
        """Return what a name means at module level of the module that `scope` stands in."""
        return self.free(scope.module.scopes[0], name)

    def _global_name(self, module: ScopeInfo, name: str) -> Meaning:
        origins = module.names.get(name)
        if origins is not None:
            return self._of_origins(module, name, origins, 0)
        stars = _union(self._from_stars(module, name, 0))
        if stars.values or stars.cells:
            return stars
        if name in _BUILTINS:
            found = self._builtin.get(name)
            if found is None:
                found = self._builtin[name] = Meaning(frozenset([(OUTSIDE, f"builtins.{name}")]), ())
            return found
        beyond = [star for star in module.stars if not self.tree.is_module(star)]
        if beyond and not name.startswith("_"):
            return Meaning(frozenset([(OUTSIDE, f"{beyond[-1]}.{name}")]), ((module.sid, name),))
        return Meaning(NOTHING, ((module.sid, name),))

    def class_member(self, scope: ScopeInfo, name: str) -> Meaning:
        """Return what the body of a class binds `name` to."""
        return self._of_origins(scope, name, scope.names[name], 0)

    def visible(self, scope: ScopeInfo, name: str) -> Meaning:
        """Return what a name means in a scope, whatever the place: for annotations, bases and decorators."""
        origins = scope.names.get(name)
        if origins is not None:
            return self._of_origins(scope, name, origins, 0)
        return self.free(scope, name)

    def term_values(self, scope: ScopeInfo, term: Term) -> Values:
        """Return what a dotted term means in a scope, as far as names alone tell."""
        if not isinstance(term, str) or not term:
            return NOTHING
        first, *rest = term.split(".")
        values = self.visible(scope, first).values
        for attribute in rest:
            values = frozenset(v for value in values for v in self._attribute(value, attribute))
        return values

    def _attribute(self, value: Value, name: str) -> Values:
        if value[0] == MODULE:
            return self.member(value[1], name).values
        if value[0] == OUTSIDE:
            return frozenset([(OUTSIDE, f"{value[1]}.{name}")])
        if value[0] == CLASS:
            info = self.tree.scopes[value[1]]
            origins = info.names.get(name)
            return self._of_origins(info, name, origins, 0).values if origins else NOTHING
        return NOTHING


def _ignore(module: str) -> None:
    pass


def _union(parts: list[Meaning]) -> Meaning:
    if not parts:
        return UNKNOWN
    if len(parts) == 1:
        return parts[0]
    values: frozenset[Value] = frozenset().union(*(p.values for p in parts))
    cells = tuple(dict.fromkeys(c for p in parts for c in p.cells))
    return Meaning(values, cells)
