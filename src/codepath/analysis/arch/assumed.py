"""What expressions are on one GPU that is assumed: capability predicates, evaluated from their definitions in the tree.

Approximates: under where a value is given; platform and device are as the models say, and a function is entered only where it
mentions a name that holds an architecture value.
"""

from __future__ import annotations

from collections.abc import Iterable

from codepath.analysis.arch.frames import Frame, Thunk
from codepath.analysis.arch.machine import Machine
from codepath.analysis.arch.spread import deep
from codepath.analysis.arch.values import NOT_KNOWN, Trail, Val
from codepath.analysis.arch.world import World
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.knowledge import Architecture
from codepath.program.bodies import Body
from codepath.program.subtrees import first_of
from codepath.program.values import ScopeId

Scalar = bool | int | float | str | None
_MAX_HOPS = 3  # local names behind local names


class AssumedGpu:
    """Evaluates single expressions on one architecture; `names` hold, or give, values that differ between architectures."""

    def __init__(self, world: World, arch: Architecture, names: Iterable[str]) -> None:
        self.arch = arch
        self._world = world
        self._names = frozenset(names) | {probe.rpartition(".")[2] for probe in world.probes}
        self._machine = Machine(world, arch, self._is_relevant, self._names.__contains__)
        self._mentions: dict[ScopeId, bool] = {}
        self._frames: dict[ScopeId, Frame] = {}
        self._known: dict[tuple[ScopeId, int], tuple[Scalar, Place] | None] = {}

    def value(self, body: Body, index: int) -> tuple[Scalar, Place] | None:
        """Return what an expression is, and where that begins: the probe; None where no probe decides it."""
        key = (body.info.sid, index)
        if key not in self._known:
            self._known[key] = None  # while it is evaluated
            self._known[key] = self._value(body, index)
        return self._known[key]

    def _value(self, body: Body, index: int) -> tuple[Scalar, Place] | None:
        if not self._is_key(body, index):
            return None
        with deep():
            found = self._machine.eval(self._frame(body), index)
        if found.trail is None or not isinstance(found.data, (bool, int, float, str, type(None))):
            return None
        return found.data, _born(self._world, found.trail)

    def _is_key(self, body: Body, index: int, hops: int = 0) -> bool:
        """Tell whether an expression, or what a local name in it is bound to, names something that differs."""
        exprs = body.scope.exprs
        for expr in exprs[first_of(exprs, index) : index + 1]:
            if isinstance(expr, (ir.Name, ir.Attr)) and expr.id in self._names:
                return True
            if isinstance(expr, ir.Name) and hops < _MAX_HOPS and self._is_key_local(body, expr, hops):
                return True
        return False

    def _is_key_local(self, body: Body, expr: ir.Name, hops: int) -> bool:
        exprs, definitions = body.scope.exprs, body.scope.definitions
        binds = (exprs[definitions[d].bind] for d in body.scope.uses[expr.use] if d >= 0 and definitions[d].bind >= 0)
        values = (bind.value for bind in binds if isinstance(bind, ir.Bind) and bind.value >= 0)
        return any(self._is_key(body, value, hops + 1) for value in values)

    def _is_relevant(self, sid: ScopeId) -> bool:
        found = self._mentions.get(sid)
        if found is None:
            exprs = self._world.body(sid).scope.exprs
            found = any(isinstance(e, (ir.Name, ir.Attr)) and e.id in self._names for e in exprs)
            self._mentions[sid] = found
        return found

    def _frame(self, body: Body) -> Frame:
        """Return a frame in which each definition of a name holds its own value, computed when it is asked for."""
        sid = body.info.sid
        frame = self._frames.get(sid)
        if frame is None:
            frame = self._frames[sid] = self._machine.bare(body)
            params = self._machine.params(body) if body.info.form == "function" else {}
            for number, definition in enumerate(body.scope.definitions):
                frame.defined[number] = _held(frame, definition, params)
        frame.used = 0
        return frame


def _held(frame: Frame, definition: ir.Definition, params: dict[str, Val]) -> Val:
    if definition.bind < 0:
        return params.get(definition.id, NOT_KNOWN) if definition.form == "param" else NOT_KNOWN
    bind = frame.body.scope.exprs[definition.bind]
    is_plain = definition.form in ("assign", "walrus") and isinstance(bind, ir.Bind) and bind.value >= 0
    return Val(Thunk(frame, bind)) if is_plain and isinstance(bind, ir.Bind) else NOT_KNOWN


def _born(world: World, trail: Trail) -> Place:
    """Return the place where a value was born."""
    while trail.before is not None:
        trail = trail.before
    return Place(trail.file, ir.line_of(trail.at), ir.column_of(trail.at), _around(world, trail))


def _around(world: World, trail: Trail) -> str:
    modules = world.bodies.tree.modules.values()
    module = next((m for m in modules if m.path == trail.file), None)
    inside = [s for s in module.scopes if s.at <= trail.at < s.end or s.form == "module"] if module is not None else []
    return max(inside, key=lambda s: s.at).name if inside else ""
