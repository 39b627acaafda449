"""What arrives at the value of an expression."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.nulls.conditions import is_none
from codepath.analysis.nulls.flow import Condition, Point
from codepath.analysis.nulls.nodes import Context, Flows, Hop, Hops, Inflow, Made, Node, Something, Unknown
from codepath.analysis.nulls.outside import result_of
from codepath.analysis.nulls.receivers import Receivers
from codepath.analysis.nulls.states import ENTRY, NONE
from codepath.analysis.nulls.world import World
from codepath.model import ir
from codepath.program.tree import ScopeInfo
from codepath.program.values import CLASS, FUNCTION, MODULE, OUTSIDE, ScopeId

_PLAIN: dict[type, str] = {
    ir.Compare: "bool",
    ir.Joined: "str",
    ir.Dict: "dict",
    ir.Binary: "the result of an operator",
    ir.Unary: "the result of an operator",
    ir.Lambda: "a function",
    ir.Function: "a function",
    ir.Class: "a class",
    ir.Import: "a module",
    ir.ImportFrom: "an imported name",
    ir.Slice: "slice",
}
_WRAPPED = frozenset(["contextmanager", "asynccontextmanager", "singledispatch"])


class Expressions:
    """Gives the inflows of values. `calls` and `cells` give those of results and stores."""

    def __init__(self, world: World, receivers: Receivers) -> None:
        self.world = world
        self.receivers = receivers

    def value(self, sid: ScopeId, index: int, context: Context) -> Iterator[Inflow]:
        """Yield what arrives at an expression."""
        expr = self.world.expr(sid, index)
        if isinstance(expr, ir.Const):
            yield self._constant(sid, index, expr, context)
        elif isinstance(expr, ir.Name):
            yield from self._read(sid, index, expr.id, context)
        elif isinstance(expr, ir.Attr):
            yield from self._attribute(sid, index, expr, context)
        elif isinstance(expr, ir.Call):
            yield from self._call(sid, index, expr, context)
        elif isinstance(expr, ir.Await):
            yield from self._awaited(sid, expr, context)
        elif isinstance(expr, ir.Ternary):
            yield Flows(("value", sid, expr.body, context))
            yield Flows(("value", sid, expr.orelse, context))
        elif isinstance(expr, ir.Bool):
            operands = expr.values if expr.op == "and" else expr.values[-1:]
            for operand in operands:
                yield Flows(("value", sid, operand, context))
            if expr.op == "or":
                yield Something("a true value")
        elif isinstance(expr, ir.Bind):
            yield Flows(("held", sid, index, context))
        elif isinstance(expr, ir.Subscript):
            yield from self._item(sid, index, expr, context)
        elif isinstance(expr, (ir.Sequence, ir.Comp)):
            yield Something(expr.form)
        elif type(expr) in _PLAIN:
            yield Something(_PLAIN[type(expr)])
        else:
            yield Unknown(
                f"nothing is known of a `{type(expr).__name__.lower()}` expression", self.world.place(sid, expr.at)
            )

    # --- constants and conditions ------------------------------------------------------------------------------------

    def _constant(self, sid: ScopeId, index: int, expr: ir.Const, context: Context) -> Inflow:
        if not is_none(expr):
            return Something(repr(expr.value) if not expr.form else expr.form)
        point = self.world.flow(sid).points.get(index)
        return self.made(sid, expr.at, "None is written here", point, context)

    def made(self, sid: ScopeId, at: int, reason: str, point: Point | None, context: Context) -> Made:
        """Return the None that is made at a place, with the conditions and gates under which that is."""
        if point is None:
            return Made((Hop(self.world.place(sid, at), reason),))
        gates: tuple[Node, ...] = tuple(("gate", sid, g.key, g.origins, context) for g in point.gates)
        return Made((*self._conditions(sid, point.conditions), Hop(self.world.place(sid, at), reason)), gates)

    def _conditions(self, sid: ScopeId, conditions: tuple[Condition, ...]) -> Hops:
        return tuple(
            Hop(self.world.place(sid, c.at), f"when {'' if c.polarity else 'not '}`{c.text}`") for c in conditions
        )

    # --- names -------------------------------------------------------------------------------------------------------

    def _read(self, sid: ScopeId, index: int, key: str, context: Context) -> Iterator[Inflow]:
        for origin, mask in self.world.origins(sid, index):
            if not mask & NONE:
                yield Something("")
            elif origin == ENTRY:
                yield from self.entry(sid, key, context)
            else:
                yield Flows(("held", sid, origin, context))

    def entry(self, sid: ScopeId, key: str, context: Context) -> Iterator[Inflow]:
        """Yield what a name or path holds before a scope stores it."""
        name, dot, _ = key.partition(".")
        if dot:
            yield from self._path_entry(sid, key, context)
            return
        world = self.world
        if world.is_local(sid, name) and world.info(sid).form in ("function", "lambda"):
            number = next((n for n, p in enumerate(world.body(sid).scope.params) if p.id == name), -1)
            if number >= 0:
                yield Flows(("param", sid, number, context))
            return  # else unbound: reading it raises
        yield from self._free(sid, name)

    def _free(self, sid: ScopeId, name: str) -> Iterator[Inflow]:
        meaning = self.world.meaning(sid, name)
        labels = {FUNCTION: "a function", CLASS: "a class", MODULE: "a module"}
        for value in sorted(meaning.values):
            if value[0] == OUTSIDE and not str(value[1]).startswith("builtins."):
                yield Unknown(f"`{value[1]}` is outside the tree", self.world.place(sid, self.world.info(sid).at))
            else:
                yield Something(labels.get(value[0], "a builtin"))
        for owner, cell in meaning.cells:
            form = self.world.info(owner).form
            yield Flows(("global" if form == "module" else "local", owner, cell))

    def _path_entry(self, sid: ScopeId, key: str, context: Context) -> Iterator[Inflow]:
        """Yield what a path holds on entry: it is looked up through any expression of the scope that reads it."""
        from codepath.analysis.nulls.states import key_of

        exprs = self.world.body(sid).scope.exprs
        last = key.rpartition(".")[2]
        for index, expr in enumerate(exprs):
            if isinstance(expr, ir.Attr) and expr.id == last and key_of(exprs, index) == key:
                yield from self._looked_up(sid, index, expr, context)
                return
        yield Unknown(f"`{key}` is not read here", self.world.place(sid, self.world.info(sid).at))

    # --- attributes --------------------------------------------------------------------------------------------------

    def _attribute(self, sid: ScopeId, index: int, expr: ir.Attr, context: Context) -> Iterator[Inflow]:
        for origin, mask in self.world.origins(sid, index):
            if not mask & NONE:
                yield Something("")
            elif origin == ENTRY:
                yield from self._looked_up(sid, index, expr, context)
            else:
                yield Flows(("held", sid, origin, context))

    def _looked_up(self, sid: ScopeId, index: int, expr: ir.Attr, context: Context) -> Iterator[Inflow]:
        world = self.world
        for kind, what in sorted(world.denoted(sid, expr.value), key=str):
            if kind == "module":
                yield from self._member(sid, str(what), expr)
                return
        getters = [s for s in world.steps_at(sid, index) if s.kind == "property"]
        if getters:
            for step in getters:
                yield from self._returned(sid, index, step.callee, context, f"`{expr.id}` is a property")
            return
        found = sorted(self.receivers.of(sid, expr.value), key=lambda r: (world.info(r.cls).name, r.is_class))
        for receiver in found:
            if receiver.is_class and self._is_member(receiver.cls, expr.id):
                yield Something(f"{world.info(receiver.cls).id}.{expr.id}")
            else:
                yield Flows(("attr", receiver.cls, expr.id))
        if not found:
            yield Unknown(f"the object of `.{expr.id}` is not known", world.place(sid, expr.at))

    def _is_member(self, cls: ScopeId, name: str) -> bool:
        """Tell whether an attribute of a class is a member of an enumeration."""
        bases = self.world.bodies.classes.outside_bases(cls)
        return any(base.startswith("enum.") for base in bases) and name in self.world.info(cls).names

    def _member(self, sid: ScopeId, module: str, expr: ir.Attr) -> Iterator[Inflow]:
        meaning = self.world.bodies.member(module, expr.id)
        for value in sorted(meaning.values):
            if value[0] == OUTSIDE:
                yield Unknown(f"`{value[1]}` is outside the tree", self.world.place(sid, expr.at))
            else:
                yield Something("a definition")
        for owner, cell in meaning.cells:
            yield Flows(("global", owner, cell))

    def _item(self, sid: ScopeId, index: int, expr: ir.Subscript, context: Context) -> Iterator[Inflow]:
        key = self.world.expr(sid, expr.index)
        if (
            isinstance(key, ir.Const)
            and isinstance(key.value, int)
            and not isinstance(key.value, bool)
            and key.value >= 0
        ):
            yield Flows(("part", sid, expr.value, (key.value,), context))
            return
        yield Unknown("items of collections are not followed", self.world.place(sid, expr.at))

    # --- calls -------------------------------------------------------------------------------------------------------

    def _call(self, sid: ScopeId, index: int, call: ir.Call, context: Context) -> Iterator[Inflow]:
        builtin = self._builtin(sid, call, context)
        if builtin is not None:
            yield from builtin
            return
        steps = [s for s in self.world.steps_at(sid, index) if s.kind not in ("property", "decorator")]
        if not steps:
            yield self._unresolved(sid, index, call)
        for callee in dict.fromkeys((s.callee, s.kind, s.resolution) for s in steps):
            yield from self._result(sid, index, call, callee, context)

    def _unresolved(self, sid: ScopeId, index: int, call: ir.Call) -> Inflow:
        func = self.world.expr(sid, call.func)
        place = self.world.place(sid, call.at)
        if isinstance(func, ir.Attr) and func.id == "get" and self._is_table_get(sid, call):
            return Made((Hop(place, "`.get` without a default gives None for a missing key"),))
        reason = self.world.gap_at(sid, index) or "what is called is not known"
        return Unknown(reason, place)

    def _is_table_get(self, sid: ScopeId, call: ir.Call) -> bool:
        key = self.world.expr(sid, call.args[0].value) if len(call.args) == 1 else None
        return isinstance(key, (ir.Const, ir.Joined)) and (isinstance(key, ir.Joined) or isinstance(key.value, str))

    def _builtin(self, sid: ScopeId, call: ir.Call, context: Context) -> list[Inflow] | None:
        """Return the inflows of `getattr(x, "name", default)` and `.get(key, default)`, None for other calls."""
        func = self.world.expr(sid, call.func)
        plain = all(not a.star and a.name is None for a in call.args)
        if isinstance(func, ir.Name) and func.id == "getattr" and len(call.args) == 3 and plain:
            what = self.world.expr(sid, call.args[1].value)
            name = what.value if isinstance(what, ir.Const) else "..."
            place = self.world.place(sid, call.at)
            hop = Hop(place, f"`getattr` gives its default where there is no `{name}`")
            return [
                Flows(("value", sid, call.args[2].value, context), (hop,)),
                Unknown(f"attribute `{name}` by `getattr`", place),
            ]
        if (
            isinstance(func, ir.Attr)
            and func.id == "get"
            and len(call.args) == 2
            and plain
            and self._in_no_tree(sid, call)
        ):
            place = self.world.place(sid, call.at)
            hop = Hop(place, "`.get` gives its default for a missing key")
            return [
                Flows(("value", sid, call.args[1].value, context), (hop,)),
                Unknown("items of collections are not followed", place),
            ]
        return None

    def _in_no_tree(self, sid: ScopeId, call: ir.Call) -> bool:
        index = next(i for i, e in enumerate(self.world.body(sid).scope.exprs) if e is call)
        steps = self.world.steps_at(sid, index)
        return all(self.world.bodies.scope(step.callee) is None for step in steps)

    def _result(
        self, sid: ScopeId, index: int, call: ir.Call, callee: tuple[str, str, str], context: Context
    ) -> Iterator[Inflow]:
        name, kind, resolution = callee
        place = self.world.place(sid, call.at)
        if kind == "construct":
            yield Something(self._made_class(sid, call, name))
            return
        info = self.world.bodies.scope(name)
        if info is None:
            yield from self._outside(sid, index, call, name)
        elif info.form == "class":
            yield Something(info.id)
        elif resolution == "by-name":
            yield Unknown(f"`{info.id}` is called by its name only", place)
        elif kind not in ("call", "super", "dispatch", "operator", "context"):
            yield Unknown(f"what is called here runs `{info.id}` in its own way ({kind})", place)
        elif self.gives_wrapper(info):
            yield Something("a coroutine" if info.is_async else "a generator")
        else:
            yield from self._returned(sid, index, name, context, f"`{info.id}` returns it")

    def _made_class(self, sid: ScopeId, call: ir.Call, callee: str) -> str:
        """Return the name of the class that a construction makes an instance of: as it is called, else by its callee."""
        func = self.world.expr(sid, call.func)
        if isinstance(func, (ir.Name, ir.Attr)) and self.world.bodies.scope(callee) is None:
            return func.id
        parts = callee.split(".")
        return parts[-2] if parts[-1].startswith("__") and len(parts) > 1 else parts[-1]

    def gives_wrapper(self, info: ScopeInfo) -> bool:
        """Tell whether calling a function gives a generator, a coroutine or a context manager and not its result."""
        terms = (t if isinstance(t, str) else t[0] for t in info.decorators)
        return info.is_async or info.is_generator or any(t.rpartition(".")[2] in _WRAPPED for t in terms)

    def _outside(self, sid: ScopeId, index: int, call: ir.Call, name: str) -> Iterator[Inflow]:
        place = self.world.place(sid, call.at)
        may = result_of(name)
        short = name.removeprefix("builtins.")
        if may:
            yield Made((Hop(place, f"`{short}` can give None"),))
        elif may is None:
            func = self.world.expr(sid, call.func)
            if isinstance(func, ir.Attr) and func.id == "get" and self._is_table_get(sid, call):
                yield Made((Hop(place, "`.get` without a default gives None for a missing key"),))
            else:
                yield Unknown(f"the result of `{short}`, outside the tree", place)
        else:
            yield Something(short.removesuffix(".__init__").rpartition(".")[2])

    def _returned(self, sid: ScopeId, index: int, name: str, context: Context, reason: str) -> Iterator[Inflow]:
        info = self.world.bodies.scope(name)
        if info is None:
            return
        at = self.world.expr(sid, index).at
        inner = entered(context, sid, index)
        yield Flows(("return", info.sid, inner), (Hop(self.world.place(sid, at), reason),))

    def _awaited(self, sid: ScopeId, expr: ir.Await, context: Context) -> Iterator[Inflow]:
        call = self.world.expr(sid, expr.value)
        place = self.world.place(sid, expr.at)
        found = False
        for step in self.world.steps_at(sid, expr.value) if isinstance(call, ir.Call) else ():
            info = self.world.bodies.scope(step.callee)
            if info is not None and info.is_async and not info.is_generator:
                found = True
                yield from self._returned(sid, expr.value, step.callee, context, f"`{info.id}` returns it")
        if not found:
            yield Unknown("what is awaited is not known", place)


_MAX_CONTEXT = 4


def entered(context: Context, sid: ScopeId, call: int) -> Context:
    """Return the context of a function entered from a call site; the innermost sites are kept."""
    return (*context, (sid, call))[-_MAX_CONTEXT:]
