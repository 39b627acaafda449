"""From a solved tree to stored rows: steps and callers by function, names, gaps by name, and the counts of the whole."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import msgspec

from codepath.model import ir
from codepath.model.solution import StoredFunction, StoredGuard, StoredName, StoredStep, StoredWhole, encode_function
from codepath.program.guards import Guards, Literals
from codepath.program.instantiated import Instantiated
from codepath.program.regions import every_region
from codepath.program.rows import CALLERS, FILE, FUNCTION, GAPS, NAME, SITES, STORES, SUBCLASSES, Counts
from codepath.program.solver import Solver
from codepath.program.steps import Emitted, Emitter
from codepath.program.stores import attribute_stores
from codepath.program.tree import ModuleInfo, ScopeInfo
from codepath.program.values import ScopeId

_TRIM_EVERY = 300  # modules
_BUILTINS = "builtins."
"""Callers of builtins are too many to be kept; those of other names outside the tree are."""
_pack = msgspec.msgpack.encode


class SolutionBuilder:
    """Emits the scopes of a solved tree, module by module: all, or those whose code scope is in `only`."""

    def __init__(self, solver: Solver, only: Collection[ScopeId] | None = None) -> None:
        self._solver = solver
        self._only = only
        self._tree = solver.tree
        self._methods = _methods_by_name(self._tree.scopes)
        self._emitter = Emitter(solver, lambda name: self._methods.get(name, ()))
        self._callers: dict[str, list[str]] = {}  # lists: small, and a function comes once
        self._names: dict[str, list[StoredName]] = {}
        self._gaps: dict[str, set[str]] = {}
        self._stores: dict[str, dict[tuple[str, str], None]] = {}
        self._tree_names = {info.name for info in self._tree.scopes}
        self._mains: list[str] = []
        self._counts = Counts()
        self._busy: set[str] = set()

    def rows(self) -> Iterator[tuple[str, bytes]]:
        """Yield (key, row) pairs; `whole` is complete once they are all taken."""
        if self._only is None:
            self._solver.cells.freeze()
            self._solver.calls.instantiated = Instantiated(self._solver)
        self._solver.emitting = True
        for number, module in enumerate(sorted(self._tree.modules.values(), key=lambda m: m.path)):
            if number % _TRIM_EVERY == 0:
                self._solver.trim()
            yield from self._module(module)
        self._solver.emitting = False
        for name, callers in sorted(self._callers.items()):
            yield CALLERS + name, _pack(sorted(callers))
        for last, found in sorted(self._names.items()):
            yield NAME + last, _pack(sorted(found, key=lambda n: (n.name, n.file, n.at)))
        yield from self._subclasses()
        for attribute, stores in sorted(self._stores.items()):
            yield STORES + attribute, _pack([f"{function}\0{owner}" for function, owner in sorted(stores)])
        for last, functions in sorted(self._gaps.items()):
            yield GAPS + last, _pack(sorted(functions))

    def _subclasses(self) -> Iterator[tuple[str, bytes]]:
        """Yield the classes below each class that has any, by name."""
        found: dict[str, set[str]] = {}
        for info in self._tree.scopes:
            if info.form == "class":
                below = {self._tree.scopes[sid].name for sid in self._solver.classes.below(info.sid)}
                if below:
                    found.setdefault(info.name, set()).update(below)
        for name, names in sorted(found.items()):
            yield SUBCLASSES + name, _pack(sorted(names))

    def whole(self, skipped: Iterable[tuple[str, str, int, int]]) -> StoredWhole:
        """Return the counts and ways in of the tree; `skipped` has (path, reason, line, column) of unparsed files."""
        stats = self._counts.stats()
        classes = sum(1 for info in self._tree.scopes if info.form == "class")
        functions = sum(1 for info in self._tree.scopes if info.form in ("function", "lambda"))
        return StoredWhole(
            mains=tuple(sorted(self._mains)),
            classes=classes,
            functions=functions,
            counts=(
                stats.call_sites,
                stats.exact,
                stats.inferred,
                stats.family,
                stats.by_name,
                stats.outside,
                stats.unresolved,
            ),
            lines=sum(m.lines for m in self._tree.modules.values()),
            byte_order_marks=tuple(sorted(m.path for m in self._tree.modules.values() if m.bom)),
            skipped=tuple(sorted(skipped)),
        )

    def _module(self, module: ModuleInfo) -> Iterator[tuple[str, bytes]]:
        scopes = self._solver.scopes(module)
        if scopes is None:
            return
        emitted: dict[str, Emitted] = {}
        around = _class_guards(module, scopes)
        for info, scope in zip(module.scopes, scopes, strict=True):
            code = self._tree.code_scope(info)
            if self._only is None or code.sid in self._only:
                out = emitted.setdefault(code.name, Emitted())
                self._emitter.emit(info, scope, out, around.get(info.sid, ()))
            self._index_names(info, scope)
            for attribute, function, owner in attribute_stores(self._tree, info, scope, self._solver.storing):
                self._stores.setdefault(attribute, {})[function, owner] = None
            if info.form == "module" and _is_main(module, scope):
                self._mains.append(module.name)
        for name, out in emitted.items():
            yield FUNCTION + name, self._row(module, name, out)
        yield FILE + module.path, _pack([self._stored_name(info) for info in module.scopes])

    def _row(self, module: ModuleInfo, name: str, out: Emitted) -> bytes:
        info = next(i for i in module.scopes if i.name == name and i.form != "class")
        out.steps.extend(self._told(info, out))
        steps = tuple(sorted(set(out.steps), key=lambda s: _step_order(s, out.guards)))
        row = StoredFunction(
            kind=self._kind(info),
            file=module.path,
            at=info.at,
            end=info.end,
            guards=tuple(out.guards),
            steps=steps,
            gaps=tuple(sorted(out.gaps, key=lambda g: (g.at, g.text))),
            call_sites=out.call_sites,
            sites=tuple(out.sites),
        )
        for callee in {step.callee for step in steps}:
            if callee in self._tree_names or not callee.startswith(_BUILTINS):
                self._callers.setdefault(callee, []).append(name)
        for gap in row.gaps:
            if not gap.outside:
                self._gaps.setdefault(_last(gap.text), set()).add(name)
        self._counts.add(row)
        return encode_function(row)

    def _told(self, info: ScopeInfo, out: Emitted) -> Iterator[StoredStep]:
        """Yield the steps out of a function that the models tell: at the calls of unknown target with the name of the callee,
        which are known then, else where the function stands."""
        for target in self._solver.told.get(info.name, ()):
            if target not in self._tree_names:
                continue
            meant = [gap for gap in out.gaps if _last(gap.text) == _last(target) and not gap.outside]
            for gap in meant:
                out.gaps.remove(gap)
                out.sites[SITES.index("unresolved")] -= 1
                out.sites[SITES.index("inferred")] += 1
            for at in [gap.at for gap in meant] or [info.at]:
                yield StoredStep(target, at, "call", "inferred", (), "told", info.module.path, info.at, info.name)

    def _kind(self, info: ScopeInfo) -> str:
        if info.form != "function":
            return info.form
        return "method" if self._tree.class_around(info) is not None else "function"

    def _stored_name(self, info: ScopeInfo) -> StoredName:
        return StoredName(info.name, self._kind(info), info.module.path, info.at, info.end)

    def _index_names(self, info: ScopeInfo, scope: ir.Scope) -> None:
        kind = self._kind(info)
        last = info.name.rpartition(".")[2] if kind == "module" else info.id
        self._names.setdefault(last, []).append(self._stored_name(info))
        if info.form == "module":
            for definition in scope.definitions:
                if definition.form in ("assign", "annotation"):
                    full = f"{info.name}.{definition.id}"
                    named = StoredName(full, "global", info.module.path, definition.at, definition.at)
                    known = self._names.setdefault(definition.id, [])
                    if all(n.name != named.name for n in known):
                        known.append(named)


def _step_order(step: StoredStep, guards: list[StoredGuard]) -> tuple[object, ...]:
    """Return what sorts the steps of a function; the numbers of guards depend on the order of files."""
    how = (step.how, step.how_file, step.how_at, step.how_function)
    under = [(g.file, g.line, g.text, g.polarity, g.kind, g.choice) for g in (guards[n] for n in step.guards)]
    return (step.at, step.callee, step.kind, step.resolution, *how, under)


def _last(text: str) -> str:
    return text.removesuffix("()").replace("[...]", "").rpartition(".")[2]


def _methods_by_name(scopes: list[ScopeInfo]) -> dict[str, tuple[ScopeId, ...]]:
    found: dict[str, list[ScopeId]] = {}
    for info in scopes:
        if info.form == "function" and info.outer >= 0 and scopes[info.outer].form == "class":
            found.setdefault(info.id, []).append(info.sid)
    return {name: tuple(sids) for name, sids in found.items()}


def _class_guards(module: ModuleInfo, scopes: list[ir.Scope]) -> dict[ScopeId, Literals]:
    """Return, for each class body, the guards under which it runs in the code around it."""
    found: dict[ScopeId, Literals] = {}
    for info, scope in zip(module.scopes, scopes, strict=True):
        inner = [(index, e) for index, e in enumerate(scope.exprs) if e.__class__ is ir.Class]
        if inner:
            guards = Guards(scope)
            for index, expr in inner:
                found[module.scopes[expr.scope].sid] = (*found.get(info.sid, ()), *guards.of(index))
    return found


def _is_main(module: ModuleInfo, scope: ir.Scope) -> bool:
    """Tell whether running the module as a program runs more than importing it does."""
    if module.name.rpartition(".")[2] == "__main__":
        return True
    return any(isinstance(r, ir.If) and is_main_test(scope, r.test) for r in every_region(scope.body))


def is_main_test(scope: ir.Scope, index: int) -> bool:
    """Tell whether an expression is `__name__ == "__main__"`."""
    expr = scope.exprs[index]
    if not isinstance(expr, ir.Compare) or expr.ops != ("==",):
        return False
    sides = [scope.exprs[expr.left], scope.exprs[expr.rights[0]]]
    names = any(isinstance(s, ir.Name) and s.id == "__name__" for s in sides)
    return names and any(isinstance(s, ir.Const) and s.value == "__main__" for s in sides)
