"""What the flow of None asks of a tree: bodies with their walks, call sites with their callees, what names mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codepath.analysis.nulls.flow import Flow, flow_of
from codepath.analysis.nulls.states import UNTOUCHED, Origins
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.solution import StoredFunction, StoredStep
from codepath.program.bodies import Bodies, Body
from codepath.program.graph import CallGraph
from codepath.program.lexical import Meaning
from codepath.program.tree import ScopeInfo
from codepath.program.values import CLASS, FUNCTION, MODULE, OUTSIDE, ScopeId

_MAX_CALLEES = 3  # calls deep in which a store counts as done by a call


class World:
    """Reads bodies and call graph of one tree and keeps what was read."""

    def __init__(self, graph: CallGraph, bodies: Bodies) -> None:
        self.graph = graph
        self.bodies = bodies
        self.outer_stores: dict[tuple[ScopeId, str], tuple[tuple[ScopeId, int], ...]] = {}
        self._locals: dict[ScopeId, frozenset[str]] = {}
        self._flows: dict[ScopeId, Flow] = {}
        self._sites: dict[ScopeId, dict[int, list[int]]] = {}
        self._storing: dict[str, frozenset[str]] = {}
        self._reaching: dict[tuple[str, str], bool] = {}

    # --- bodies ------------------------------------------------------------------------------------------------------

    def info(self, sid: ScopeId) -> ScopeInfo:
        """Return a scope by its number."""
        return self.bodies.tree.scopes[sid]

    def by_name(self, sids: Iterable[ScopeId]) -> list[ScopeId]:
        """Return scopes sorted by name: their numbers depend on what was loaded first."""
        return sorted(set(sids), key=lambda sid: (self.info(sid).name, self.info(sid).at))

    def body(self, sid: ScopeId) -> Body:
        """Return the body of a scope."""
        return self.bodies.of(self.info(sid))

    def expr(self, sid: ScopeId, index: int) -> ir.Expr:
        """Return an expression of a scope."""
        return self.body(sid).scope.exprs[index]

    def place(self, sid: ScopeId, at: int) -> Place:
        """Return a packed place of a scope."""
        info = self.info(sid)
        name = self.bodies.tree.code_scope(info).name
        return Place(info.module.path, ir.line_of(at), ir.column_of(at), name)

    def flow(self, sid: ScopeId) -> Flow:
        """Return the walk of a scope."""
        found = self._flows.get(sid)
        if found is None:
            found = self._flows[sid] = flow_of(self.body(sid).scope, lambda call, key: self._may_store(sid, call, key))
        return found

    def origins(self, sid: ScopeId, index: int) -> Origins:
        """Return what reaches the read of a name or path."""
        return self.flow(sid).reads.get(index, UNTOUCHED)

    def is_local(self, sid: ScopeId, name: str) -> bool:
        """Tell whether a name is a local of a scope: a parameter or a name that it binds itself."""
        names = self._locals.get(sid)
        if names is None:
            scope = self.body(sid).scope
            declared = {*scope.globals, *scope.nonlocals}
            names = self._locals[sid] = frozenset(d.id for d in scope.definitions) - declared
        return name in names

    def meaning(self, sid: ScopeId, name: str) -> Meaning:
        """Return what a name that is no local of a scope means."""
        info = self.info(sid)
        if name in self.body(sid).scope.globals or info.form == "module":
            return (
                Meaning(frozenset(), ((info.module.scopes[0].sid, name),))
                if self._binds(info, name)
                else (self.bodies.meaning(info, name))
            )
        return self.bodies.meaning(info, name)

    def _binds(self, info: ScopeInfo, name: str) -> bool:
        """Tell whether a name of a module is more than a function, class or import."""
        origins = info.module.scopes[0].names.get(name, ())
        return not origins or any(origin.form == "dynamic" for origin in origins)

    # --- calls -------------------------------------------------------------------------------------------------------

    def row(self, sid: ScopeId) -> StoredFunction | None:
        """Return the call graph's row of the function or module that a scope's code is part of."""
        return self.graph.function(self.bodies.tree.code_scope(self.info(sid)).name)

    def steps_at(self, sid: ScopeId, index: int) -> tuple[StoredStep, ...]:
        """Return the steps of a call site; of several calls that start at one place, those that fit its name."""
        row = self.row(sid)
        expr = self.expr(sid, index)
        if row is None:
            return self._named_steps(sid, expr)
        steps = tuple(step for step in row.steps if step.at == expr.at and step.kind != "import")
        here = self._calls_at(sid, expr.at)
        if len(here) < 2 or not isinstance(expr, ir.Call):
            return steps
        named = self._called(sid, expr)
        fitting = tuple(step for step in steps if fits(step.callee, named))
        if fitting:
            return fitting
        others = {self._called(sid, self.expr(sid, i)) for i in here if i != index}
        return tuple(step for step in steps if not any(fits(step.callee, name) for name in others))

    def _named_steps(self, sid: ScopeId, expr: ir.Expr) -> tuple[StoredStep, ...]:
        """Return the steps of a call in a function that the call graph leaves out: those that names alone tell."""
        if not isinstance(expr, ir.Call):
            return ()
        found = []
        for kind, what in self.denoted(sid, expr.func):
            if kind == "function":
                found.append(StoredStep(self.info(what).name, expr.at, "call", "exact"))  # type: ignore[arg-type]
            elif kind == "class":
                found.append(StoredStep(self._constructor(what), expr.at, "construct", "exact"))  # type: ignore[arg-type]
            elif kind == "outside":
                found.append(StoredStep(str(what), expr.at, "call", "exact"))
        return tuple(sorted(found, key=lambda step: step.callee))

    def _constructor(self, cls: ScopeId) -> str:
        found = self.bodies.classes.find(cls, "__init__")
        return f"{self.info(found.owner).name}.__init__" if found is not None else self.info(cls).name

    def gap_at(self, sid: ScopeId, index: int) -> str:
        """Return why the callee of a call site is not known, "" where nothing is said."""
        row = self.row(sid)
        at = self.expr(sid, index).at
        return next((gap.reason for gap in row.gaps if gap.at == at), "") if row is not None else ""

    def calls_of(self, step_at: int, sid: ScopeId, callee: str) -> Iterator[int]:
        """Yield the call sites of a scope that start at a place and can be those of a callee."""
        here = self._calls_at(sid, step_at)
        fitting = [i for i in here if fits(callee, self._called(sid, self.expr(sid, i)))]
        yield from fitting or here[-1:]

    def _calls_at(self, sid: ScopeId, at: int) -> list[int]:
        sites = self._sites.get(sid)
        if sites is None:
            sites = self._sites[sid] = {}
            for index, expr in enumerate(self.body(sid).scope.exprs):
                if isinstance(expr, ir.Call):
                    sites.setdefault(expr.at, []).append(index)
        return sites.get(at, [])

    def _called(self, sid: ScopeId, expr: ir.Expr) -> str:
        assert isinstance(expr, ir.Call)
        func = self.expr(sid, expr.func)
        return func.id if isinstance(func, (ir.Name, ir.Attr)) else ""

    def scopes_named(self, name: str) -> Iterator[ScopeId]:
        """Yield the scopes whose code a row of the call graph covers: a function or module, and class bodies in it."""
        info = self.bodies.scope(name)
        if info is None:
            return
        code = self.bodies.tree.code_scope(info)
        for other in info.module.scopes:
            if other.name == name or (other.form == "class" and self.bodies.tree.code_scope(other) is code):
                yield other.sid

    # --- what names mean ---------------------------------------------------------------------------------------------

    def denoted(self, sid: ScopeId, index: int) -> frozenset[tuple[str, object]]:
        """Return what a name or dotted path certainly denotes.

        That is ("module" or "outside", its name) or ("class" or "function", its scope).
        """
        expr = self.expr(sid, index)
        if isinstance(expr, ir.Name):
            return self._denoted_name(sid, expr)
        if isinstance(expr, ir.Attr):
            found: set[tuple[str, object]] = set()
            for kind, what in self.denoted(sid, expr.value):
                if kind == "module":
                    found |= _denoted(self.bodies.member(str(what), expr.id))
                elif kind == "outside":
                    found.add(("outside", f"{what}.{expr.id}"))
                elif kind == "class":
                    found |= self._methods(what, expr.id)  # type: ignore[arg-type]
            return frozenset(found)
        return frozenset()

    def _methods(self, cls: ScopeId, name: str) -> set[tuple[str, object]]:
        """Return the functions that a class or its bases define under a name, decorated ones included."""
        member = self.bodies.classes.find(cls, name)
        if member is None:
            return set()
        owner = self.info(member.owner)
        exprs = self.body(owner.sid).scope.exprs
        binds = (e for e in exprs if isinstance(e, ir.Bind) and e.id == name and e.value >= 0 and not e.how)
        functions = (value for value in (exprs[bind.value] for bind in binds) if isinstance(value, ir.Function))
        return {("function", owner.module.scopes[function.scope].sid) for function in functions}

    def _denoted_name(self, sid: ScopeId, expr: ir.Name) -> frozenset[tuple[str, object]]:
        scope = self.body(sid).scope
        reaching = scope.uses[expr.use]
        if not reaching or self.info(sid).form == "module":
            return _denoted(self.bodies.meaning(self.info(sid), expr.id))
        found: set[tuple[str, object]] = set()
        for number in reaching:
            bind = scope.exprs[scope.definitions[number].bind] if number >= 0 else None
            value = scope.exprs[bind.value] if isinstance(bind, ir.Bind) and bind.value >= 0 and not bind.how else None
            if isinstance(value, ir.ImportFrom):
                module = self.info(sid).module.absolute(value.module, value.level)
                found |= _denoted(self.bodies.member(module, value.name))
            elif isinstance(value, ir.Import):
                found |= _denoted(Meaning(frozenset([self.bodies.lexical.module_value(value.bound)]), ()))
            elif number < 0 and self.info(sid).form == "class":
                found |= _denoted(self.bodies.meaning(self.info(sid), expr.id))
        return frozenset(found)

    # --- stores by calls ---------------------------------------------------------------------------------------------

    def _may_store(self, sid: ScopeId, call: int, key: str) -> bool:
        """Tell whether a call may store a key: that of a path or global that some function stores and the call reaches."""
        name = key.rpartition(".")[2]
        if "." not in key and self.is_local(sid, key):
            return False
        storing = self._storing_of(sid, name, is_path="." in key)
        return bool(storing) and any(self._reaches(step.callee, name, storing) for step in self.steps_at(sid, call))

    def _storing_of(self, sid: ScopeId, name: str, *, is_path: bool) -> frozenset[str]:
        if is_path:
            key = f".{name}"
            if key not in self._storing:
                rows = self.graph.stores_of(name)
                self._storing[key] = frozenset(f for f, _ in rows if f.rpartition(".")[2] != "__init__")
            return self._storing[key]
        info = self.info(sid).module
        key = f"{info.name}.{name}"
        if key not in self._storing:
            self._storing[key] = frozenset(i.name for i in self.storing_scopes(info.scopes[0], name))
        return self._storing[key]

    def storing_scopes(self, module: ScopeInfo, name: str) -> Iterable[ScopeInfo]:
        """Return the functions of a module that store one of its globals."""
        near = self.bodies.holding(module.module.name, name)
        return [i for i in near if name in self.bodies.of(i).scope.globals and self._stores(i, name)]

    def _stores(self, info: ScopeInfo, name: str) -> bool:
        return any(isinstance(e, ir.Bind) and e.id == name for e in self.bodies.of(info).scope.exprs)

    def _reaches(self, callee: str, name: str, storing: frozenset[str]) -> bool:
        """Tell whether a call of `callee` runs one of some functions, a few calls deep."""
        key = (callee, name)
        known = self._reaching.get(key)
        if known is None:
            level, seen = {callee}, {callee}
            for _ in range(_MAX_CALLEES):
                if level & storing:
                    break
                self.graph.fetch(level)
                rows = (self.graph.function(one) for one in level)
                level = {step.callee for row in rows if row is not None for step in row.steps} - seen
                seen |= level
            known = self._reaching[key] = bool(seen & storing)
        return known


def fits(callee: str, name: str) -> bool:
    """Tell whether a callee can be what a call names: by its last name, or a constructor by its class."""
    parts = callee.split(".")
    return bool(name) and (parts[-1] == name or (parts[-1] == "__init__" and len(parts) > 1 and parts[-2] == name))


def _denoted(meaning: Meaning) -> frozenset[tuple[str, object]]:
    kinds = {MODULE: "module", CLASS: "class", OUTSIDE: "outside", FUNCTION: "function"}
    return frozenset((kinds[v[0]], v[1]) for v in meaning.values if v[0] in kinds)
