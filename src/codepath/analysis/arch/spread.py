"""Which scopes are run: from those that mention a probe to wherever the values go that differ between architectures."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from codepath.analysis.arch.machine import Machine
from codepath.analysis.arch.values import UNKNOWN, Func, Partial, Seq, Unknown, Val, alternatives, key_of
from codepath.analysis.arch.world import World
from codepath.model import ir
from codepath.model.knowledge import Architecture
from codepath.program.subtrees import first_of
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId

Holding = Callable[[Iterable[str]], Iterable[str]]
"""Gives the modules whose files hold any of some words, in order."""

_MAX_ROUNDS = 8
_RECURSION = 8000  # frames: an expression takes some, a region, a call and a module more; all are bounded
_MENTIONING: frozenset[type] = frozenset([ir.Name, ir.Attr, ir.ImportFrom])
_COMMON = frozenset({"self", "cls", "device", "name", "value", "config", "x", "result", "ret", "is_available", "cuda"})


@contextmanager
def deep() -> Iterator[None]:
    """Allow as many frames as a bounded evaluation may take."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


class Spread:
    """Runs what matters on each architecture, until no further name holds a value that differs between them."""

    def __init__(self, world: World, archs: Sequence[Architecture], holding: Holding) -> None:
        self.world = world
        self.holding = holding
        self.names: set[str] = set()
        self._mentions: dict[ScopeId, frozenset[str]] = {}
        self._attributes: dict[str, dict[ScopeId, None]] = {}
        self._modules: dict[str, None] = {}
        self.scopes: dict[ScopeId, None] = {}
        self.machines = [Machine(world, arch, self.is_relevant, self.names.__contains__) for arch in archs]
        self.rounds = 0

    def is_relevant(self, sid: ScopeId) -> bool:
        """Tell whether a scope mentions a name that holds, or gives, an architecture value."""
        return sid in self.scopes or self._has(sid, self.names)

    def _has(self, sid: ScopeId, names: set[str]) -> bool:
        """Tell whether a scope mentions one of some names; an attribute counts in the classes that store it."""
        here = self.mentions(sid) & names
        return any(name not in self._attributes or self._is_near(sid, name) for name in here)

    def _is_near(self, sid: ScopeId, name: str) -> bool:
        """Tell whether a scope stands in a class that stores an attribute, or mentions one that does."""
        classes = self.world.bodies.classes
        owners = self._attributes[name]
        info: ScopeInfo | None = self.world.info(sid)
        while info is not None and info.outer >= 0:
            info = self.world.info(info.outer)
            if info.form == "class" and any(classes.root(info.sid) == classes.root(owner) for owner in owners):
                return True
        return any(self.world.info(owner).id in self.mentions(sid) for owner in owners)

    def mentions(self, sid: ScopeId) -> frozenset[str]:
        """Return the names and attributes that a scope reads or calls."""
        found = self._mentions.get(sid)
        if found is None:
            exprs = self.world.body(sid).scope.exprs
            found = self._mentions[sid] = frozenset(
                e.name if e.__class__ is ir.ImportFrom else e.id  # type: ignore[union-attr]
                for e in exprs
                if e.__class__ in _MENTIONING
            )
        return found

    def run(self) -> None:
        """Run to the fixed point, or to the last round."""
        with deep():
            self._run()

    def _run(self) -> None:
        fresh = {name.rpartition(".")[2] for name in self.world.probes}
        todo: set[ScopeId] = set()
        for self.rounds in range(1, _MAX_ROUNDS + 1):
            self.names |= fresh
            todo |= self._scopes_with(fresh)
            if not todo and not fresh:
                return
            before = self._passed()
            for machine in self.machines:
                machine.forget()
            self._run_scopes(todo)
            fresh = self._spread_names(todo) - self.names
            after = self._passed()
            todo = {sid for sid, held in after.items() if before.get(sid) != held}
            for sid in todo:
                self.scopes.setdefault(sid)

    def _scopes_with(self, names: set[str]) -> set[ScopeId]:
        """Return the scopes that mention one of some names, their files loaded."""
        for module in self.holding(sorted(names)):
            if module not in self._modules and self.world.module_sid(module) is not None:
                self._modules[module] = None
        found = set()
        for module in self._modules:
            for info in self.world.bodies.tree.modules[module].scopes:
                if self._has(info.sid, names):
                    found.add(info.sid)
        return found

    def _run_scopes(self, todo: set[ScopeId]) -> None:
        for sid in sorted(todo, key=self._order):
            self.scopes.setdefault(sid)
            info = self.world.info(sid)
            for machine in self.machines:
                if info.form == "function":
                    machine.run_scope(sid)
                elif info.form in ("module", "class"):
                    self._force(machine, info)

    def _order(self, sid: ScopeId) -> tuple[str, int]:
        info = self.world.info(sid)
        return info.module.path, info.at

    def _force(self, machine: Machine, info: ScopeInfo) -> None:
        """Compute the values of a module or class body that mention an architecture."""
        from codepath.analysis.arch.members import class_env

        env = machine.module_env(info.sid) if info.form == "module" else class_env(machine, info.sid)
        exprs = self.world.body(info.sid).scope.exprs
        for name in self._touched(exprs):
            if name in env:
                machine.forced(env[name])

    def _touched(self, exprs: tuple[ir.Expr, ...]) -> list[str]:
        """Return the names of a body whose values mention a name in question."""
        found = []
        last = 0
        for index, expr in enumerate(exprs):
            if isinstance(expr, (ir.Name, ir.Attr)) and expr.id in self.names:
                last = index + 1
            elif isinstance(expr, ir.Bind) and expr.value >= 0 and first_of(exprs, expr.value) < last <= expr.value + 1:
                found.append(expr.id)
        return found

    # --- what differs ----------------------------------------------------------------------------------------------

    def _spread_names(self, todo: set[ScopeId]) -> set[str]:
        found: set[str] = set()
        for sid in todo:
            info = self.world.info(sid)
            if info.form == "function":
                found |= self._of_function(info)
            else:
                found |= self._of_body(info)
        return {name for name in found if len(name) > 1 and name not in _COMMON}

    def _of_function(self, info: ScopeInfo) -> set[str]:
        found = set()
        runs = [machine.runs.get(info.sid) for machine in self.machines]
        if all(run is not None for run in runs):
            values = [run.value for run in runs if run is not None]
            if differs(values) or (info.params and _is_open(values)):
                found.add(info.id)
            stored = {name for run in runs if run is not None for name in run.stores}
            for name in stored:
                values = [run.stores[name] for run in runs if run is not None and name in run.stores]
                if differs(values):
                    found.add(name)
                    self._stores(info, name)
        return found

    def _stores(self, info: ScopeInfo, name: str) -> None:
        """Note that a method stores an attribute; what is also a name of its own is none."""
        around = self.world.bodies.tree.class_around(info)
        if around is not None and (name in self._attributes or name not in self.names):
            self._attributes.setdefault(name, {})[around.sid] = None

    def _of_body(self, info: ScopeInfo) -> set[str]:
        found = set()
        exprs = self.world.body(info.sid).scope.exprs
        for name in self._touched(exprs):
            values = []
            for machine in self.machines:
                env = machine.modules.get(info.sid, {})
                if name in env:
                    values.append(machine.forced(env[name]))
            if differs(values) or any(isinstance(value.data, (Func, Partial)) for value in values):
                found.add(name)
        return found

    def _passed(self) -> dict[ScopeId, object]:
        found: dict[ScopeId, object] = {}
        for sid in {sid for machine in self.machines for sid in machine.record.passed}:
            rows = []
            for machine in self.machines:
                held = machine.record.passed.get(sid, {})
                rows.append(tuple((name, key_of(value.data)) for name, value in sorted(held.items())))
            found[sid] = tuple(rows) if len(set(rows)) > 1 else None
        return {sid: held for sid, held in found.items() if held is not None}


def differs(values: Sequence[Val]) -> bool:
    """Tell whether values depend on the architecture and are of a kind that tables and branches are keyed by."""
    if not any(value.trail is not None for value in values):
        return False
    if len({repr(key_of(value.data)) for value in values}) < 2:
        return False
    return all(_is_key(one) for value in values for one in alternatives(value))


def _is_open(values: Sequence[Val]) -> bool:
    """Tell whether values depend on the architecture and on what is not known: arguments, for a function."""
    return all(value.data is UNKNOWN and value.trail is not None for value in values)


def _is_key(value: Val) -> bool:
    data = value.data
    if isinstance(data, Unknown) or data is UNKNOWN:
        return True
    if isinstance(data, Seq):
        return all(_is_key(item) for item in data.items)
    if isinstance(data, str):
        return any(ch.isdigit() for ch in data)
    return data is None or isinstance(data, (bool, int, float))
