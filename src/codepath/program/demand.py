"""A call graph for one question without reading the whole tree: files are loaded as the question comes to need them.

Backwards from the targets, for each function of the cone: files that mention its name (a class's for its constructor), and
the names under which its value is kept or passed on. Sideways, for each call site of such a name whose callee is not known:
what its receiver is made from. The solver is the one that solves whole trees, on the files loaded so far.

Approximates: under (a file that is not loaded may hold a contribution; the answer says `truncated`).
"""

from __future__ import annotations

from collections.abc import Iterable

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.frame import Frame
from codepath.program.kept import BITS
from codepath.program.leaving import leaving
from codepath.program.next_files import Files, Module, NextFiles
from codepath.program.solver import Solver
from codepath.program.subtrees import children
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId, Value

_HELD = (v.FUNCTION, v.BOUND, v.CLASS, v.OPEN_CLASS, v.PARTIAL, v.STATIC)


class Demand:
    """Loads and solves what leads to some targets."""

    def __init__(self, solver: Solver, files: Files) -> None:
        self.solver = solver
        self._files = files
        self._next = NextFiles(files)
        self._out: dict[ScopeId, set[ScopeId]] = {}
        self._into: dict[ScopeId, set[ScopeId]] = {}
        self._passed: dict[ScopeId, set[tuple[ScopeId, int]]] = {}
        self._kept: dict[ScopeId, set[str]] = {}
        self._open_sites: dict[str, set[tuple[ScopeId, int]]] = {}
        self._attribute_stores: dict[str, set[tuple[ScopeId, int]]] = {}
        self._asked: set[tuple[ScopeId, int]] = set()
        self._missed: dict[str, set[ScopeId]] = {}
        self._frames: dict[ScopeId, Frame | None] = {}
        solver.observe = self._observe

    def define(self, modules: Iterable[Module]) -> None:
        """Load modules that define what the question names."""
        modules = list(modules)
        self._next.read.update(path for _, path, _ in modules)
        self._extend(modules)

    def matching(self, query: str) -> list[ScopeId]:
        """Return the loaded functions and classes that a name can mean."""
        return [i.sid for i in self.solver.tree.scopes if i.name == query or i.name.endswith(f".{query}")]

    def run(self, targets: Iterable[ScopeId], *, is_direct: bool = False) -> set[ScopeId]:
        """Load and solve what leads to the targets, within the budget; return the cone, for `is_direct` the targets alone."""
        targets = set(targets)
        targets |= {inner for sid in targets for inner in self._constructors(sid)}
        self._next.look_up(self._names_of(targets), is_asked=True)
        while True:
            cone = targets if is_direct else self._cone(targets)
            wanted = self._names_of(cone)
            needed: set[str] = set()
            for site in sorted(self._sites(cone)):
                more_names, more_modules = self._needs(site)
                wanted |= more_names
                needed |= more_modules
            self._next.look_up(wanted)
            paths = self._next.take(needed)
            if paths:
                self._load(paths, cone)
            else:
                self._files.foresee(self._likely(cone))
                return cone

    def emitted(self, cone: set[ScopeId]) -> set[ScopeId]:
        """Return the code scopes whose steps an answer about the cone needs."""
        tree = self.solver.tree
        sites = {site for name in self._names_of(cone) for site in self._open_sites.get(name, ())}
        callers = {caller for sid in cone for caller in self._into.get(sid, ())}
        return cone | callers | {tree.code_scope(tree.scopes[sid]).sid for sid, _ in sites}

    def _load(self, paths: list[str], cone: set[ScopeId]) -> None:
        modules = self._files.load(paths)
        self._files.foresee(self._likely(cone))
        self._extend(modules)

    def _extend(self, modules: Iterable[Module]) -> None:
        self.solver.extend(modules)
        note, cells = self.solver.lexical.on_miss, self.solver.cells

        def missed(module: str) -> None:
            note(module)
            self._missed.setdefault(module, set()).add(ScopeId(cells.reader >> BITS))

        self.solver.lexical.on_miss = missed
        self.solver.settle()

    def _likely(self, cone: set[ScopeId]) -> list[str]:
        """Return the files, not read, that several scopes of the cone ask for: conditions rest on what is in them."""
        tree = self.solver.tree
        often: list[tuple[int, str]] = []
        for module, asking in self._missed.items():
            path = self._files.path_of(module)
            inside = sum(1 for sid in asking if sid >= 0 and tree.code_scope(tree.scopes[sid]).sid in cone)
            if path is not None and inside >= _OFTEN:
                often.append((inside, path))
        return [path for _, path in sorted(often, reverse=True)]

    # --- what frames show --------------------------------------------------------------------------------------------

    def _observe(self, frame: Frame, notes: dict[tuple[int, ScopeId], str]) -> None:
        sid = frame.info.sid
        self._frames.pop(sid, None)
        code = self.solver.tree.code_scope(frame.info).sid
        called = {callee for _, callee in notes}
        for callee in called:
            self._into.setdefault(callee, set()).add(code)
        resolved = {index for index, _ in notes}
        for index in (i for start, stop in frame.spans for i in range(start, stop)):
            expr = frame.exprs[index]
            kind = expr.__class__
            if kind is ir.Call:
                if index not in resolved:
                    self._note_open(sid, index, expr, frame)
                for argument in expr.args:  # type: ignore[union-attr]
                    self._note_held(self._passed, frame.values[argument.value], (sid, index))
            elif kind is ir.StoreAttr:
                self._attribute_stores.setdefault(expr.id, set()).add((sid, index))  # type: ignore[union-attr]
                self._note_kept(frame.values[index], expr.id)  # type: ignore[union-attr]
            elif kind is ir.Bind and frame.info.form in ("module", "class"):
                self._note_kept(frame.values[index], expr.id)  # type: ignore[union-attr]
        if frame.info.form == "function":
            self._note_kept(self.solver.cells.peek((c.RETURN, sid)), frame.info.id)

    def _note_open(self, sid: ScopeId, index: int, expr: ir.Expr, frame: Frame) -> None:
        assert isinstance(expr, ir.Call)
        func = frame.exprs[expr.func]
        if isinstance(func, (ir.Attr, ir.Name)):
            self._open_sites.setdefault(func.id, set()).add((sid, index))

    def _note_held(
        self, into: dict[ScopeId, set[tuple[ScopeId, int]]], values: Iterable[Value], site: tuple[ScopeId, int]
    ) -> None:
        for held in _held(values):
            into.setdefault(held, set()).add(site)

    def _note_kept(self, values: Iterable[Value], name: str) -> None:
        for held in _held(values):
            if self.solver.tree.scopes[held].id != name:
                self._kept.setdefault(held, set()).add(name)

    # --- the cone ----------------------------------------------------------------------------------------------------

    def _cone(self, targets: set[ScopeId]) -> set[ScopeId]:
        cone = set(targets)
        todo = list(cone)
        while todo:
            for caller in self._into.get(todo.pop(), ()):
                if caller not in cone:
                    cone.add(caller)
                    todo.append(caller)
        return cone

    def _constructors(self, sid: ScopeId) -> Iterable[ScopeId]:
        info = self.solver.tree.scopes[sid]
        if info.form == "class":
            yield from (i.sid for i in info.module.scopes if i.outer == sid and i.id == "__init__")

    def _names_of(self, cone: set[ScopeId]) -> set[str]:
        names: set[str] = set()
        for sid in cone:
            info = self.solver.tree.scopes[sid]
            names |= self._kept.get(sid, set())
            if info.form == "module":
                continue
            owner = self.solver.tree.class_around(info)
            if info.id == "__init__" and owner is not None:
                names |= self._constructed_names(owner)
            elif info.form in ("function", "class"):
                names.add(info.id)
        return names

    def _constructed_names(self, owner: ScopeInfo) -> set[str]:
        found = {owner.id} | self._kept.get(owner.sid, set())
        for below in self.solver.classes.below(owner.sid):
            got = self.solver.classes.find(below, "__init__")
            if got is not None and got.owner == owner.sid:
                found.add(self.solver.tree.scopes[below].id)
        return found

    def _sites(self, cone: set[ScopeId]) -> set[tuple[ScopeId, int]]:
        """Return the call sites that may lead into the cone and are not known to."""
        found: set[tuple[ScopeId, int]] = set()
        for name in self._names_of(cone) & self._next.rare:
            found |= self._open_sites.get(name, set())
        for sid in cone:
            found |= self._passed.get(sid, set())
        return found

    # --- what a call site is made from -------------------------------------------------------------------------------

    def _needs(self, site: tuple[ScopeId, int]) -> tuple[set[str], set[str]]:
        """Return the names and modules that would tell more about the callee of a call site."""
        names: set[str] = set()
        modules: set[str] = set()
        held = self.solver.lexical.on_miss
        self.solver.lexical.on_miss = modules.add
        try:
            frame = self._frame(site[0])
            if frame is not None:
                expr = frame.exprs[site[1]]
                assert isinstance(expr, ir.Call)
                self._follow(frame, expr.func, names, 0)
        finally:
            self.solver.lexical.on_miss = held
        return names, {m for m in modules if m not in self.solver.tree.modules}

    def _frame(self, sid: ScopeId) -> Frame | None:
        if sid not in self._frames:
            held, self.solver.lexical.on_miss = self.solver.lexical.on_miss, lambda module: None
            self._frames[sid] = self.solver.frame(self.solver.tree.scopes[sid])
            self.solver.lexical.on_miss = held
        return self._frames[sid]

    def _follow(self, frame: Frame, index: int, names: set[str], depth: int) -> None:
        key = (frame.info.sid, index)
        if key in self._asked or depth > _MAX_DEPTH:
            return
        self._asked.add(key)
        expr = frame.exprs[index]
        if isinstance(expr, ir.Name):
            self._follow_name(frame, expr, names, depth)
            return
        if isinstance(expr, ir.ImportFrom):
            self.solver.lexical.member(frame.info.module.absolute(expr.module, expr.level), expr.name)
            return
        if isinstance(expr, ir.Bind):
            if expr.value >= 0:
                self._follow(frame, expr.value, names, depth + 1)
            return
        for child in children(expr)[: 1 if isinstance(expr, ir.Call) else None]:
            self._follow(frame, child, names, depth + 1)
        if isinstance(expr, ir.Attr):
            self._follow_attribute(frame, expr, names, depth)
        elif isinstance(expr, ir.Call):
            self._follow_result(frame, expr, names, depth)

    def _follow_name(self, frame: Frame, expr: ir.Name, names: set[str], depth: int) -> None:
        reaching = frame.scope.uses[expr.use]
        if not reaching:
            self.solver.lexical.free(frame.info, expr.id)
        for number in reaching:
            bind = frame.scope.definitions[number].bind if number >= 0 else -1
            if bind >= 0:
                self._follow(frame, bind, names, depth + 1)
            elif number >= 0:
                self._follow_param(frame, number, names)

    def _follow_param(self, frame: Frame, number: int, names: set[str]) -> None:
        fixed = self.solver.fixed_param(frame.info, number)
        if fixed is not None and not fixed.open:
            return
        owner = self.solver.tree.class_around(frame.info)
        names.add(owner.id if owner is not None and frame.info.id == "__init__" else frame.info.id)

    def _follow_attribute(self, frame: Frame, expr: ir.Attr, names: set[str], depth: int) -> None:
        receivers = [value for value in frame.values[expr.value] if value[0] in (v.INSTANCE, v.OPEN)]
        if not receivers:
            return
        for value in receivers:
            for cls in self.solver.classes.mro(value[1]):
                if cls in self.solver.classes.incomplete:
                    self.solver.classes.add(self.solver.tree.scopes[cls])
        for sid, store in sorted(self._attribute_stores.get(expr.id, ())):
            other = self._frame(sid)
            if other is not None:
                stored = other.exprs[store]
                if isinstance(stored, ir.StoreAttr) and stored.value >= 0:
                    self._follow(other, stored.value, names, depth + 1)

    def _follow_result(self, frame: Frame, expr: ir.Call, names: set[str], depth: int) -> None:
        for value in frame.values[expr.func]:
            if value[0] in (v.FUNCTION, v.BOUND):
                other = self._frame(value[1])
                if other is not None:
                    for returned in leaving(other.scope.body)[0]:
                        self._follow(other, returned, names, depth + 1)


_MAX_DEPTH = 40
_OFTEN = 5  # scopes


def _held(values: Iterable[Value]) -> Iterable[ScopeId]:
    """Return the functions and classes that values hold."""
    for value in values:
        if value[0] in _HELD:
            inner = value
            while inner[0] in (v.STATIC, v.PARTIAL):
                inner = inner[1]
            if inner[0] in _HELD:
                yield inner[1]
