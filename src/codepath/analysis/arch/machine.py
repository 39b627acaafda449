"""Evaluates expressions of a tree on one architecture: abstract, bounded, nothing of the tree is ever run.

Approximates: under where a value is given (it is what Python gives, if values that no probe made are as assumed), else UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codepath.analysis.arch import operators
from codepath.analysis.arch.expressions import EVALUATE
from codepath.analysis.arch.frames import Frame, Thunk, named
from codepath.analysis.arch.reads import BOUND, part
from codepath.analysis.arch.record import Record
from codepath.analysis.arch.running import Run, run
from codepath.analysis.arch.values import (
    NOT_KNOWN,
    UNKNOWN,
    Cls,
    Env,
    Func,
    Instance,
    Module,
    Outside,
    Seq,
    Val,
    grown,
    join,
)
from codepath.analysis.arch.world import World
from codepath.model import ir
from codepath.model.knowledge import Architecture
from codepath.program import values as v
from codepath.program.bodies import Body
from codepath.program.lexical import Meaning
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId, Value

MAX_DEPTH = 120  # expressions inside each other, over all activations
_BUDGET = 30_000  # expressions that one run of a scope may evaluate, with all that it calls


class Machine:
    """Evaluates on one architecture.

    `is_key` tells whether a name holds or gives an architecture value, `relevant` whether a scope mentions such a name.
    """

    def __init__(
        self, world: World, arch: Architecture, relevant: Callable[[ScopeId], bool], is_key: Callable[[str], bool]
    ) -> None:
        self.world = world
        self.arch = arch
        self.relevant = relevant
        self.is_key = is_key
        self.record = Record()
        self.modules: dict[ScopeId, Env] = {}
        self.outer_envs: dict[ScopeId, Env] = {}
        self.runs: dict[ScopeId, Run | None] = {}
        self.memo: dict[Any, Val] = {}
        self.running: set[Any] = set()
        self.attribute_memo: dict[tuple[ScopeId, str], Val] = {}
        self.level = 0
        self.used = 0  # expressions that the run so far has evaluated, as of its last call

    def forget(self) -> None:
        """Drop what was computed: parameters have other values now."""
        self.runs.clear()
        self.memo.clear()
        self.attribute_memo.clear()

    # --- expressions ---------------------------------------------------------------------------------------------------

    def eval(self, frame: Frame, index: int) -> Val:
        """Return the value of an expression of a frame's scope."""
        if index < 0:
            return NOT_KNOWN
        frame.used += 1
        if self.level > MAX_DEPTH or frame.used > _BUDGET:
            self.record.over_budget.add(frame.body.info.sid)
            self.world.reads.cut.add(frame.body.info.name)
            return NOT_KNOWN
        expr = frame.body.scope.exprs[index]
        apply = EVALUATE.get(type(expr))
        if apply is None:
            return NOT_KNOWN
        self.level += 1
        try:
            return apply(self, frame, expr, index)
        finally:
            self.level -= 1

    def test(self, frame: Frame, index: int) -> Val:
        """Return the value of a condition and note it."""
        value = self.eval(frame, index)
        if frame.notes is not None and not isinstance(frame.body.scope.exprs[index], (ir.Bool, ir.Unary, ir.Compare)):
            frame.notes.test(index, value)
        return value

    def path(self, frame: Frame) -> str:
        """Return the file of a frame's scope."""
        return frame.body.info.module.path

    def note(self, frame: Frame, index: int, value: Val) -> None:
        """Note the truth of an operand where the frame is noted."""
        if frame.notes is not None:
            frame.notes.test(index, value)

    # --- names ---------------------------------------------------------------------------------------------------------

    def free(self, info: ScopeInfo, name: str) -> Val:
        """Return a name that a scope does not bind itself."""
        own = info.module.scopes[0]
        origins = own.names.get(name)
        is_computed = origins is not None and (len(origins) > 1 or origins[0].form == "dynamic")
        if is_computed and info.sid != own.sid and not self._is_shadowed(info, name):
            return self.global_value(own.sid, name)
        found = self.of_meaning(self.world.meaning(info, name))
        if found.data is UNKNOWN and origins and origins[0].form == "member":
            return self.world.of_platform(f"{origins[0].module}.{origins[0].name}") or found
        return found

    def _is_shadowed(self, info: ScopeInfo, name: str) -> bool:
        """Tell whether a function around binds a name."""
        while info.outer >= 0:
            info = self.world.info(info.outer)
            if info.form in ("function", "lambda") and name in info.names:
                return True
        return False

    def of_meaning(self, meaning: Meaning) -> Val:
        """Return what a name means."""
        found = [self.of_value(one) for one in sorted(meaning.values)]
        found += [self._cell(sid, name) for sid, name in meaning.cells]
        if not found:
            return NOT_KNOWN
        return join(found) if len(found) > 1 else found[0]

    def of_value(self, value: Value) -> Val:
        """Return what the tree's names say as a value."""
        kind = value[0]
        if kind == v.FUNCTION:
            return Val(Func(value[1]))
        if kind == v.CLASS:
            return Val(Cls(value[1]))
        if kind == v.MODULE:
            return Val(Module(value[1]))
        if kind == v.OUTSIDE:
            known = self.world.outside(value[1], self.arch, called=False)
            return known if known is not None else Val(Outside(value[1]))
        return NOT_KNOWN

    def _cell(self, sid: ScopeId, name: str) -> Val:
        info = self.world.info(sid)
        if info.form == "module":
            return self.global_value(sid, name)
        if info.form == "class":
            from codepath.analysis.arch.members import class_env

            return self.forced(class_env(self, sid).get(name, NOT_KNOWN))
        env = self.outer_envs.get(sid)
        return env.get(name, NOT_KNOWN) if env is not None else NOT_KNOWN

    def global_value(self, sid: ScopeId, name: str) -> Val:
        """Return a global of a module; one that a function stores is not known."""
        if self.world.is_set_later(sid, name):
            return NOT_KNOWN
        env = self.module_env(sid)
        found = env.get(name)
        info = self.world.info(sid)
        if found is not None:
            return self.forced(found)
        if name in info.names or not self.world.bodies.tree.is_module(f"{info.name}.{name}"):
            return self._platform_alias(info, name)
        return Val(Module(f"{info.name}.{name}"))

    def _platform_alias(self, info: ScopeInfo, name: str) -> Val:
        """Return what the models say of a name that a module of the tree makes up when it is asked."""
        known = self.world.of_platform(f"{info.name}.{name}")
        return known if known is not None else NOT_KNOWN

    def module_env(self, sid: ScopeId) -> Env:
        """Return the globals of a module behind its top level."""
        found = self.modules.get(sid)
        if found is None:
            body = self.world.body(sid)
            env: Env = {}
            self.modules[sid] = env
            frame = Frame(body, env, self.record.fresh(sid), lazy=True)
            run(self, frame)
            found = self.modules[sid] = frame.env
        return found

    def forced(self, value: Val) -> Val:
        """Return a value with what was put off computed."""
        if isinstance(value.data, Thunk):
            return self._force(value.data)
        data = value.data
        if hasattr(data, "of") and isinstance(data.of, tuple) and any(isinstance(o.data, Thunk) for o in data.of):
            return join(self.forced(one) for one in data.of)
        return value

    def _force(self, thunk: Thunk) -> Val:
        reads = self.world.reads
        reads.begin(part(BOUND, thunk.frame.body.info.name, thunk.bind.id))
        try:
            return self._computed(thunk)
        finally:
            reads.end()

    def _computed(self, thunk: Thunk) -> Val:
        if thunk.value is not None:
            return thunk.value
        if thunk.is_running:
            self.world.reads.cut.add(thunk.frame.body.info.name)
            return NOT_KNOWN
        thunk.is_running = True
        before = thunk.frame.reading, thunk.frame.used
        thunk.frame.reading, thunk.frame.used = True, 0
        try:
            value = self.taken(thunk.frame, self.eval(thunk.frame, thunk.bind.value), thunk.bind.how)
        finally:
            thunk.frame.reading, thunk.frame.used = before
            thunk.is_running = False
        value = named(value, thunk.frame, thunk.bind)
        thunk.value = value
        return value

    def taken(self, frame: Frame, value: Val, how: tuple[int, ...]) -> Val:
        """Return what an unpacking takes from a value, outermost step first."""
        for step in how:
            if step >= 0:
                try:
                    value = operators.item(value, Val(step))
                except operators.Missing:
                    return Val(UNKNOWN, value.trail)
            elif step == ir.ITERATE and isinstance(value.data, Seq):
                value = join(value.data.items)
            else:
                return Val(UNKNOWN, value.trail)
        return value

    def params(self, body: Body) -> Env:
        """Return the parameters of a scope that runs for itself: what calls pass, receivers, the rest unknown."""
        info = body.info
        env: Env = {p.id: NOT_KNOWN for p in info.params}
        passed = self.record.passed.get(info.sid, {})
        around = self.world.bodies.tree.class_around(info)
        if around is not None and info.params and "staticmethod" not in info.decorators:
            is_class = "classmethod" in info.decorators or info.id in ("__new__", "__init_subclass__")
            env[info.params[0].id] = (
                Val(Cls(around.sid, is_open=True)) if is_class else Val(Instance(around.sid, is_open=True))
            )
        for name, value in passed.items():
            if name in env:
                env[name] = Val(value.data, grown(value.trail, info.module.path, info.at, f"parameter {name}"))
        return env

    def bare(self, body: Body) -> Frame:
        """Return a frame to evaluate single expressions of a body in: parameters are not known, nothing is noted."""
        return Frame(body, {}, reading=True)

    def run_scope(self, sid: ScopeId) -> Run | None:
        """Run a function for itself, once; None while it runs."""
        if sid in self.runs:
            found = self.runs[sid]
            if found is None:
                self.world.reads.cut.add(self.world.info(sid).name)
            return found
        self.runs[sid] = None
        body = self.world.body(sid)
        frame = Frame(body, self.params(body), self.record.fresh(sid))
        self.outer_envs[sid] = frame.env
        before, self.used = self.used, 0
        done = self.runs[sid] = run(self, frame)
        self.used = before
        self.outer_envs[sid] = frame.env
        return done
