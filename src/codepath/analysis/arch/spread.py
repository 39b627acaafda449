"""Which scopes are run: from those that mention a probe to wherever the values go that differ between architectures."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from codepath.analysis.arch.machine import Machine
from codepath.analysis.arch.values import (
    UNKNOWN,
    Choice,
    Cls,
    Func,
    Instance,
    Member,
    Method,
    Partial,
    Seq,
    Table,
    Unknown,
    Val,
    alternatives,
    key_of,
)
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


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a tree that is evaluated alone, with what an evaluation of the whole tree, or of one before, showed.

    Attributes:
        scopes: The scopes that are run.
        judged: Those of them whose branches are judged.
        modules: Their modules, in the order of the tree.
        loaded: Scopes whose modules are loaded first: subclasses.
        names: Names that hold, or give, values that differ between architectures.
        ran: Scopes that were run for themselves.
        attributes: The classes that store a value which differs, by the attribute.
    """

    scopes: frozenset[str]
    judged: frozenset[str]
    modules: tuple[str, ...]
    loaded: tuple[str, ...]
    names: frozenset[str]
    ran: frozenset[str]
    attributes: tuple[tuple[str, tuple[str, ...]], ...]


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
    """Runs what matters on each architecture, until no further name holds a value that differs between them.

    `found` are the names that hold such values in what was run, `attributes` the classes that store them, by attribute.
    """

    def __init__(self, world: World, archs: Sequence[Architecture], holding: Holding, part: Part | None = None) -> None:
        self.world = world
        self.part = part
        self.found: set[str] = set()
        self.holding = holding
        self.names: set[str] = set()
        self._mentions: dict[ScopeId, frozenset[str]] = {}
        self.attributes: dict[str, dict[ScopeId, None]] = {}
        self._modules: dict[str, None] = {}
        self.scopes: dict[ScopeId, None] = {}
        self.machines = [Machine(world, arch, self.is_relevant, self.names.__contains__) for arch in archs]
        self.rounds = 0

    def is_relevant(self, sid: ScopeId) -> bool:
        """Tell whether a scope mentions a name that holds, or gives, an architecture value."""
        if sid in self.scopes or self._has(sid, self.names):
            return True
        return self.part is not None and self.world.info(sid).name in self.part.ran

    def _has(self, sid: ScopeId, names: set[str]) -> bool:
        """Tell whether a scope mentions one of some names; an attribute counts in the classes that store it."""
        here = self.mentions(sid) & names
        return any(name not in self.attributes or self._is_near(sid, name) for name in here)

    def _is_near(self, sid: ScopeId, name: str) -> bool:
        """Tell whether a scope stands in a class that stores an attribute, or mentions one that does."""
        classes = self.world.bodies.classes
        owners = self.attributes[name]
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
            found = self._mentions[sid] = mentions(self.world.body(sid).scope.exprs)
        return found

    def run(self) -> None:
        """Run to the fixed point, or to the last round."""
        with deep():
            self._run()

    def _run(self) -> None:
        fresh = {name.rpartition(".")[2] for name in self.world.probes}
        if self.part is not None:
            self._begin(self.part)
            fresh |= self.part.names
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
            spread = self._spread_names(todo)
            self.found |= spread
            fresh = spread - self.names
            after = self._passed()
            todo = {sid for sid, held in after.items() if before.get(sid) != held}
            for sid in todo:
                self.scopes.setdefault(sid)

    def _begin(self, part: Part) -> None:
        """Take over what is known of the rest of the tree."""
        for name in part.loaded:
            self.world.bodies.scope(name)
        for attribute, owners in part.attributes:
            found = (self.world.bodies.scope(owner) for owner in owners)
            held = {info.sid: None for info in found if info is not None}
            if held:
                self.attributes[attribute] = held

    def _scopes_with(self, names: set[str]) -> set[ScopeId]:
        """Return the scopes that mention one of some names, their files loaded."""
        part = self.part
        for module in part.modules if part is not None else self.holding(sorted(names)):
            if module not in self._modules and self.world.module_sid(module) is not None:
                self._modules[module] = None
        near = self._holding_scopes(names) if part is None else self._scopes_of(part)
        return {info.sid for info in near if self._has(info.sid, names)}

    def _scopes_of(self, part: Part) -> Iterator[ScopeInfo]:
        for module in self._modules:
            scopes = self.world.bodies.tree.modules[module].scopes
            yield from (info for info in scopes if info.name in part.scopes)

    def _holding_scopes(self, names: Iterable[str]) -> Iterator[ScopeInfo]:
        """Yield the scopes of loaded modules whose bytes hold one of some names: the others need not be decoded."""
        words: dict[str, list[str]] = {}
        for name in sorted(names):
            for module in self.holding((name,)):
                words.setdefault(module, []).append(name)
        for module in self._modules:
            held = {i.sid: i for word in words.get(module, ()) for i in self.world.bodies.holding(module, word)}
            yield from held.values()

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
        if around is not None and (name in self.attributes or name not in self.names):
            self.attributes.setdefault(name, {})[around.sid] = None

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

    def passings(self) -> dict[tuple[str, str], tuple[object, ...]]:
        """Return what was passed that differs between architectures, by function and parameter, without numbers of scopes."""
        found: dict[tuple[str, str], list[object]] = {}
        for machine in self.machines:
            for sid, held in machine.record.passed.items():
                for name, value in held.items():
                    row = found.setdefault((self.world.info(sid).name, name), [])
                    row.append((machine.arch.name, plain(self.world, value)))
        return {key: tuple(row) for key, row in found.items()}

    def _passed(self) -> dict[ScopeId, object]:
        found: dict[ScopeId, object] = {}
        for sid in {sid for machine in self.machines for sid in machine.record.passed}:
            rows = []
            for machine in self.machines:
                held = machine.record.passed.get(sid, {})
                rows.append(tuple((name, key_of(value.data)) for name, value in sorted(held.items())))
            found[sid] = tuple(rows) if len(set(rows)) > 1 else None
        return {sid: held for sid, held in found.items() if held is not None}


def mentions(exprs: Iterable[ir.Expr]) -> frozenset[str]:
    """Return the names and attributes that expressions read or call."""
    return frozenset(
        e.name if e.__class__ is ir.ImportFrom else e.id  # type: ignore[union-attr]
        for e in exprs
        if e.__class__ in _MENTIONING
    )


def plain(world: World, value: Val) -> object:
    """Return a value without trails and numbers of scopes: as it is in any tree with these scopes."""
    data = value.data
    if isinstance(data, Choice):
        return sorted((plain(world, one) for one in data.of), key=repr)
    if isinstance(data, Seq):
        return data.form, [plain(world, one) for one in data.items]
    if isinstance(data, Table):
        keys = [plain(world, one) for one in data.keys]
        return world.info(data.sid).name, keys, [plain(world, one) for one in data.values]
    if isinstance(data, Instance):
        return world.info(data.sid).name, data.is_open, [(name, plain(world, held)) for name, held in data.fields]
    if isinstance(data, (Cls, Member)):
        return world.info(data.sid).name, data.is_open if isinstance(data, Cls) else data.name
    if isinstance(data, Func):
        return world.info(data.sid).name, plain(world, data.bound) if data.bound is not None else None
    if isinstance(data, Partial):
        keywords = [(name, plain(world, one)) for name, one in data.keywords]
        return plain(world, data.func), [plain(world, one) for one in data.args], keywords
    if isinstance(data, Method):
        return plain(world, data.of), data.name
    return type(data).__name__, repr(data)


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
