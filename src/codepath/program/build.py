"""From a solved tree to stored rows: steps and callers by function, names, gaps by name, and the counts of the whole."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import msgspec

from codepath.model import ir
from codepath.model.solution import StoredFunction, StoredGuard, StoredName, StoredStep, StoredWhole, encode_function
from codepath.program.gathered import Gathered
from codepath.program.guards import Guards, Literals
from codepath.program.hook_rows import hook_rows
from codepath.program.instantiated import Instantiated
from codepath.program.reads import WatchedAttributes
from codepath.program.regions import every_region
from codepath.program.rows import BUILTINS, FILE, FUNCTION, SITES, SUBCLASSES, last_of
from codepath.program.scope_hooks import ScopeHooks
from codepath.program.solver import Solver
from codepath.program.steps import Emitted, Emitter
from codepath.program.stores import attribute_stores
from codepath.program.tree import ModuleInfo, ScopeInfo
from codepath.program.values import ScopeId

_pack = msgspec.msgpack.encode


class SolutionBuilder:
    """Emits the scopes of a solved tree, module by module: all, or those whose code scope is in `only`.

    `prepare`, then `of_module` for each module, then `last` give the rows; `every_row` does all of it. The rows of a module
    depend on nothing but the solved tree, so that several processes may share the modules: what the others `gathered` is
    joined before `last`.

    Args:
        solver: The solver that has solved the tree.
        only: The code scopes whose steps are wanted; None for all.
        hooks: Whether there are rows about hooks too.
    """

    def __init__(self, solver: Solver, only: Collection[ScopeId] | None = None, *, hooks: bool = False) -> None:
        self._solver = solver
        self._only = only
        self._tree = solver.tree
        self._methods = _methods_by_name(self._tree.scopes)
        self._emitter = Emitter(solver, lambda name: self._methods.get(name, ()))
        self._hooks: ScopeHooks | None = None
        if hooks:
            solver.attributes = watched = WatchedAttributes(solver)
            self._hooks = ScopeHooks(solver, watched)
        self._tree_names = {info.name for info in self._tree.scopes}
        self._done = 0
        self.gathered = Gathered()

    def every_row(self) -> dict[str, bytes]:
        """Return all rows by key; `whole` is complete then."""
        rows: dict[str, bytes] = {}
        self.prepare()
        for module in self.modules():
            rows.update(self.of_module(module))
        rows.update(self.last(rows.get))
        return rows

    def prepare(self) -> None:
        """Make ready to emit: nothing grows from now on."""
        if self._only is None:
            self._solver.freeze()
            self._solver.calls.instantiated = Instantiated(self._solver)
        self._solver.emitting = True

    def modules(self) -> list[ModuleInfo]:
        """Return the modules of the tree by path."""
        return sorted(self._tree.modules.values(), key=lambda m: m.path)

    def last(self, stored: Callable[[str], bytes | None]) -> Iterator[tuple[str, bytes]]:
        """Yield the rows that several modules have a part in; `stored` gives the rows of modules by key."""
        self._solver.emitting = False
        yield from self.gathered.rows()
        yield from self._subclasses()
        if self._hooks is not None:
            yield from self.gathered.hook_rows()
            yield from hook_rows(self._solver, stored)

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
        stats = self.gathered.counts.stats()
        classes = sum(1 for info in self._tree.scopes if info.form == "class")
        functions = sum(1 for info in self._tree.scopes if info.form in ("function", "lambda"))
        return StoredWhole(
            mains=tuple(sorted(self.gathered.mains)),
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

    def of_module(self, module: ModuleInfo) -> Iterator[tuple[str, bytes]]:
        """Yield the (key, row) pairs of one module."""
        self._done += 1
        if self._done % self._solver.trim_every == 0:
            self._solver.trim()
        scopes = self._solver.scopes(module)
        if scopes is None:
            return
        named = {info.name: info for info in reversed(module.scopes) if info.form != "class"}
        for name, out in self._emitted(module, scopes).items():
            yield FUNCTION + name, self._row(named[name], out)
        yield FILE + module.path, _pack([self._stored_name(info) for info in module.scopes])

    def _emitted(self, module: ModuleInfo, scopes: list[ir.Scope]) -> dict[str, Emitted]:
        """Return what the scopes of a module emit by code scope, and gather the rest."""
        emitted: dict[str, Emitted] = {}
        around: dict[ScopeId, Literals] = {}
        around_classes = {info.outer for info in module.scopes if info.form == "class"}
        for info, scope in zip(module.scopes, scopes, strict=True):
            code = self._tree.code_scope(info)
            guards: Guards | None = None
            if self._only is None or code.sid in self._only:
                out = emitted.setdefault(code.name, Emitted())
                frame, guards = self._emitter.emit(info, scope, out, around.get(info.sid, ()))
                if self._hooks is not None:
                    self._hooks.gather(frame, guards, self.gathered)
            if info.sid in around_classes:
                around.update(_class_guards(module, info, scope, guards, around))
            self._index_names(info, scope)
            for attribute, function, owner in attribute_stores(self._tree, info, scope, self._solver.storing):
                self.gathered.stores.setdefault(attribute, set()).add((function, owner))
            if info.form == "module" and is_main(module, scope):
                self.gathered.mains.append(module.name)
        return emitted

    def _row(self, info: ScopeInfo, out: Emitted) -> bytes:
        module, name = info.module, info.name
        out.steps.extend(self._told(info, out))
        ranks = _ranks(out.guards)
        steps = tuple(sorted(set(out.steps), key=lambda s: _step_order(s, ranks)))
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
            if callee in self._tree_names or not callee.startswith(BUILTINS):
                self.gathered.callers.setdefault(callee, []).append(name)
        for gap in row.gaps:
            if not gap.outside:
                self.gathered.gaps.setdefault(last_of(gap.text), set()).add(name)
        self.gathered.counts.add(row)
        return encode_function(row)

    def _told(self, info: ScopeInfo, out: Emitted) -> Iterator[StoredStep]:
        """Yield the steps out of a function that the models tell: at the calls of unknown target with the name of the callee,
        which are known then, else where the function stands."""
        for target in self._solver.told.get(info.name, ()):
            if target not in self._tree_names:
                continue
            meant = [gap for gap in out.gaps if last_of(gap.text) == last_of(target) and not gap.outside]
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
        self.gathered.names.setdefault(last, []).append(self._stored_name(info))
        if info.form == "module":
            places: dict[str, int] = {}
            for definition in scope.definitions:
                if definition.form in ("assign", "annotation"):
                    places.setdefault(definition.id, definition.at)
            for last, at in places.items():
                named = StoredName(f"{info.name}.{last}", "global", info.module.path, at, at)
                self.gathered.names.setdefault(last, []).append(named)


def _ranks(guards: list[StoredGuard]) -> list[int]:
    """Return, by number, the place of each guard in an order of its own: the numbers depend on the order of files."""
    keys = [(g.file, g.line, g.text, g.polarity, g.kind, g.choice) for g in guards]
    order = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return [order[key] for key in keys]


def _step_order(step: StoredStep, ranks: list[int]) -> tuple[object, ...]:
    """Return what sorts the steps of a function; `ranks` are those of its guards."""
    how = (step.how, step.how_file, step.how_at, step.how_function)
    return (step.at, step.callee, step.kind, step.resolution, *how, [ranks[n] for n in step.guards])


def _methods_by_name(scopes: list[ScopeInfo]) -> dict[str, tuple[ScopeId, ...]]:
    found: dict[str, list[ScopeId]] = {}
    for info in scopes:
        if info.form == "function" and info.outer >= 0 and scopes[info.outer].form == "class":
            found.setdefault(info.id, []).append(info.sid)
    return {name: tuple(sids) for name, sids in found.items()}


def _class_guards(
    module: ModuleInfo, info: ScopeInfo, scope: ir.Scope, guards: Guards | None, around: Mapping[ScopeId, Literals]
) -> Iterator[tuple[ScopeId, Literals]]:
    """Yield, for each class body in a scope, the guards under which it runs in the code around it."""
    for index in [index for index, expr in enumerate(scope.exprs) if expr.__class__ is ir.Class]:
        expr = scope.exprs[index]
        assert isinstance(expr, ir.Class)
        guards = guards or Guards(scope)
        yield module.scopes[expr.scope].sid, (*around.get(info.sid, ()), *guards.of(index))


def is_main(module: ModuleInfo, scope: ir.Scope) -> bool:
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
