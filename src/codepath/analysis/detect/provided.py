"""Which names a module provides, from its text alone; None where code may add some.

Approximates: over (a name that any statement of the module may bind counts as provided).
"""

from __future__ import annotations

import re
from functools import cached_property

from codepath.analysis.detect.tree import DetectTree
from codepath.model import ir
from codepath.program.tree import ModuleInfo

_ADDS = re.compile(rb"\b(globals|vars|locals|exec|eval|setattr)\s*\(|sys\.modules|__dict__|__path__|importlib")
"""What a module may bind names with that are not written as names."""
_MADE = re.compile(r"^_|version|_pb2|generated")
"""Modules that are often made when a package is built."""


class Provided:
    """Tells for the modules of a tree which names they provide."""

    def __init__(self, tree: DetectTree) -> None:
        self._tree = tree
        self._guard_values = tree.bodies.tree
        self._bound: dict[str, frozenset[str] | None] = {}
        self._stored: dict[str, bool] = {}

    def has(self, module: str, name: str) -> bool | None:
        """Tell whether `module.name` is there; None where that is not known."""
        is_special = name.startswith("__") and name.endswith("__")
        if is_special or self._guard_values.is_module(f"{module}.{name}") or self._is_compiled(module, name):
            return True
        found = self.binds(module, name, frozenset())
        return None if found is False and self._is_stored(name) else found

    def binds(self, module: str, name: str, seen: frozenset[str] = frozenset()) -> bool | None:
        """Tell whether the code of a module binds a name, or takes it by a star."""
        info = self._tree.module(module)
        bound = self._names(info) if info is not None else None
        if bound is not None and name in bound:
            return True
        if info is None or bound is None:
            return None
        known, inner = self._guard_values.known, seen | {module}
        answers = [
            self.binds(star, name, inner) if star in known else None
            for star in info.scopes[0].stars
            if star not in inner
        ]
        return True if True in answers else None if None in answers else False

    def missing_part(self, dotted: str) -> tuple[str, str] | None:
        """Return the module of the tree in which an import of a module ends, and what this lacks; None where it may be there.

        A folder without an `__init__` may have more in another distribution, and a compiled module may be beside.
        """
        parts = dotted.split(".")
        for count in range(len(parts) - 1, 0, -1):
            above, name = ".".join(parts[:count]), parts[count]
            if self._guard_values.is_module(f"{above}.{name}"):
                return None
            if self._guard_values.is_module(above):
                info = self._tree.module(above)
                is_sure = info is not None and self.has(above, name) is False
                return (above, name) if is_sure else None
        return None

    def _is_compiled(self, module: str, name: str) -> bool:
        """Tell whether a compiled module of a name stands in the folder of a package."""
        folder = self._tree.paths.get(module, "").rpartition("/")[0]
        return f"{folder}/{name}" in self._compiled

    @cached_property
    def _compiled(self) -> frozenset[str]:
        """Compiled modules: their folders and names."""
        paths = (path.rpartition("/") for path in self._tree.compiled())
        return frozenset(f"{folder}/{name.partition('.')[0]}" for folder, _, name in paths)

    def is_made(self, name: str) -> bool:
        """Tell whether a module of this name may be made only when the package is built."""
        return _MADE.search(name) is not None

    def _names(self, info: ModuleInfo) -> frozenset[str] | None:
        if info.name not in self._bound:
            self._bound[info.name] = self._read(info)
        return self._bound[info.name]

    def _read(self, info: ModuleInfo) -> frozenset[str] | None:
        if _ADDS.search(self._tree.text(info.path)):
            return None
        found: set[str] = set()
        for inner in info.scopes:
            scope = info.body(inner.index)
            found.update(scope.globals)
            if inner.form == "module":
                found.update(definition.id for definition in scope.definitions)
        return None if "__getattr__" in found else frozenset(found)

    def _is_stored(self, name: str) -> bool:
        """Tell whether some code stores an attribute of this name on something, or names it in a text."""
        if name not in self._stored:
            modules = self._tree.modules
            paths = [path for path in self._tree.words.holding(name) if path in modules]
            self._stored[name] = any(self._stores(modules[path], name) for path in paths)
        return self._stored[name]

    def _stores(self, module: str, name: str) -> bool:
        loaded = self._tree.module(module)
        for info in self._tree.bodies.holding(module, name) if loaded is not None else ():
            for expr in info.module.body(info.index).exprs:
                if (
                    isinstance(expr, ir.StoreAttr)
                    and expr.id == name
                    and not _is_self(info.module.body(info.index), expr)
                ):
                    return True
                if isinstance(expr, ir.Call) and _sets(info.module.body(info.index), expr, name):
                    return True
        return False


def _is_self(scope: ir.Scope, store: ir.StoreAttr) -> bool:
    receiver = scope.exprs[store.object]
    return isinstance(receiver, ir.Name) and scope.uses[receiver.use] == (0,) and bool(scope.params)


def _sets(scope: ir.Scope, call: ir.Call, name: str) -> bool:
    func = scope.exprs[call.func]
    if not isinstance(func, (ir.Name, ir.Attr)) or func.id not in ("setattr", "__setattr__", "setitem"):
        return False
    return any(isinstance(v := scope.exprs[a.value], ir.Const) and v.value == name for a in call.args)
