"""What arrives at stores, globals, locals of functions around, and attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codepath.analysis.nulls.conditions import is_none
from codepath.analysis.nulls.expressions import Expressions
from codepath.analysis.nulls.nodes import Context, Flows, Hop, Inflow, Made, Something, Unknown
from codepath.analysis.nulls.receivers import Receivers
from codepath.analysis.nulls.states import key_of
from codepath.analysis.nulls.world import World
from codepath.model import ir
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId

INITIAL = "the initial value of"


class Cells:
    """Gives the inflows of cells."""

    def __init__(self, world: World, receivers: Receivers, expressions: Expressions) -> None:
        self._world = world
        self._receivers = receivers
        self._expressions = expressions

    # --- stores ------------------------------------------------------------------------------------------------------

    def held(self, sid: ScopeId, index: int, context: Context) -> Iterator[Inflow]:
        """Yield what a store stores."""
        world = self._world
        expr = world.expr(sid, index)
        if isinstance(expr, ir.Remove):
            return  # unset: reading it raises
        assert isinstance(expr, (ir.Bind, ir.StoreAttr, ir.StoreItem))
        initial = self._initial(sid, expr)
        if initial is not None:
            yield initial
            return
        form = world.body(sid).scope.definitions[expr.definition].form if isinstance(expr, ir.Bind) else "assign"
        if form == "augment":
            yield Something("the result of an operator")
        elif form in ("import", "function", "class"):
            yield Something(f"a {form}" if form != "import" else "an imported name")
        elif expr.value < 0:
            yield Unknown("what is stored here is not known", world.place(sid, expr.at))
        else:
            path = key_of(world.body(sid).scope.exprs, index) or getattr(expr, "id", "")
            hop = Hop(world.place(sid, expr.at), f"stored in `{path}`")
            yield Flows(("part", sid, expr.value, expr.how, context), (hop,))

    def _initial(self, sid: ScopeId, expr: ir.Expr) -> Made | None:
        """Return the None that a module or class body gives a name at first, None for other stores."""
        world = self._world
        if (
            not isinstance(expr, ir.Bind)
            or expr.how
            or expr.value < 0
            or world.info(sid).form not in ("module", "class")
        ):
            return None
        if not is_none(world.expr(sid, expr.value)):
            return None
        return Made((Hop(world.place(sid, expr.at), f"{INITIAL} `{expr.id}`"),))

    def part(self, sid: ScopeId, index: int, how: tuple[int, ...], context: Context) -> Iterator[Inflow]:
        """Yield what an unpacking takes from an expression."""
        if not how:
            yield Flows(("value", sid, index, context))
            return
        world = self._world
        expr = world.expr(sid, index)
        first, *rest = how
        if first == ir.CAUGHT:
            yield Something("an exception")
        elif isinstance(expr, ir.Sequence) and (first >= 0 or first == ir.ITERATE):
            yield from self._items(sid, expr, first, tuple(rest), context)
        elif isinstance(expr, ir.Ternary):
            yield Flows(("part", sid, expr.body, how, context))
            yield Flows(("part", sid, expr.orelse, how, context))
        elif isinstance(expr, ir.Call):
            yield from self._call_part(sid, index, expr, how, context)
        elif isinstance(expr, ir.Name):
            yield from self._name_part(sid, index, expr, how, context)
        else:
            yield Unknown("items of collections are not followed", world.place(sid, expr.at))

    def _items(
        self, sid: ScopeId, expr: ir.Sequence, first: int, rest: tuple[int, ...], context: Context
    ) -> Iterator[Inflow]:
        starred = any(isinstance(self._world.expr(sid, i), ir.Starred) for i in expr.items)
        if starred or (first >= 0 and first >= len(expr.items)):
            yield Unknown("items of collections are not followed", self._world.place(sid, expr.at))
            return
        for item in expr.items if first == ir.ITERATE else expr.items[first : first + 1]:
            yield Flows(("part", sid, item, rest, context))

    def _name_part(
        self, sid: ScopeId, index: int, expr: ir.Name, how: tuple[int, ...], context: Context
    ) -> Iterator[Inflow]:
        for origin, _ in self._world.origins(sid, index):
            bind = self._world.expr(sid, origin) if origin >= 0 else None
            if isinstance(bind, ir.Bind) and bind.value >= 0 and not self._is_changed(sid, expr.id):
                yield Flows(("part", sid, bind.value, (*bind.how, *how), context))
            else:
                yield Unknown("items of collections are not followed", self._world.place(sid, expr.at))

    def _is_changed(self, sid: ScopeId, name: str) -> bool:
        """Tell whether a scope may store items of a collection that it holds under a name."""
        exprs = self._world.body(sid).scope.exprs
        for expr in exprs:
            base = exprs[expr.object] if isinstance(expr, ir.StoreItem) else None
            if isinstance(expr, ir.Attr):
                base = exprs[expr.value]
            if isinstance(base, ir.Name) and base.id == name:
                return True
        return False

    def _call_part(
        self, sid: ScopeId, index: int, call: ir.Call, how: tuple[int, ...], context: Context
    ) -> Iterator[Inflow]:
        from codepath.analysis.nulls.expressions import entered

        world = self._world
        place = world.place(sid, call.at)
        infos = [world.bodies.scope(s.callee) for s in world.steps_at(sid, index) if s.kind in ("call", "super")]
        if not infos or any(info is None or info.form != "function" for info in infos):
            if how[0] == ir.ENTER:
                yield from self._entered_instance(sid, index, call, how[1:], context)
            else:
                yield Unknown("items of collections are not followed", place)
            return
        for info in infos:
            assert info is not None
            inner = entered(context, sid, index)
            hop = Hop(place, f"`{info.id}` gives it")
            if how[0] == ir.ENTER and info.is_generator:
                yield Flows(("entered", info.sid, how[1:], inner), (hop,))
            elif how[0] != ir.ENTER and not self._expressions.gives_wrapper(info):
                yield Flows(("returned-part", info.sid, how, inner), (hop,))
            else:
                yield Unknown("items of collections are not followed", place)

    def _entered_instance(
        self, sid: ScopeId, index: int, call: ir.Call, rest: tuple[int, ...], context: Context
    ) -> Iterator[Inflow]:
        """Yield what the `__enter__` of an instance that is made in a `with` gives."""
        world = self._world
        place = world.place(sid, call.at)
        for cls in world.by_name(receiver.cls for receiver in self._receivers.of(sid, index)):
            found = world.bodies.classes.find(cls, "__enter__")
            info = world.bodies.scope(f"{world.info(found.owner).name}.__enter__") if found is not None else None
            if info is not None and not rest:
                yield Flows(("return", info.sid, ()), (Hop(place, f"`{info.id}` returns it"),))
                return
        yield Unknown("what `with` gives here is not known", place)

    # --- globals and locals ------------------------------------------------------------------------------------------

    def global_(self, sid: ScopeId, name: str) -> Iterator[Inflow]:
        """Yield what a global holds after its module has been imported: all its stores but those imports overwrite."""
        yield from self._stored(sid, self.stores_at_import(sid, name))
        for info in self._world.storing_scopes(self._world.info(sid), name):
            yield from self._stored(info.sid, self.binds(info.sid, name))
        for other, index in self._world.outer_stores.get((sid, name), ()):
            yield Flows(("held", other, index, ()))

    def _stored(self, sid: ScopeId, binds: Iterable[int]) -> Iterator[Inflow]:
        for bind in binds:
            yield Flows(("held", sid, bind, ()))

    def stores_at_import(self, sid: ScopeId, name: str) -> list[int]:
        """Return the stores of a module that reach its end."""
        scope = self._world.body(sid).scope
        reaching = dict(scope.exports).get(name, ())
        binds = [scope.definitions[d].bind for d in reaching if d >= 0 and scope.definitions[d].form != "annotation"]
        return [bind for bind in binds if bind >= 0 and self.is_store(sid, bind)]

    def is_store(self, sid: ScopeId, bind: int) -> bool:
        """Tell whether a `Bind` stores: an annotation alone does not."""
        expr = self._world.expr(sid, bind)
        return isinstance(expr, ir.Bind) and not (expr.value < 0 and not expr.how and expr.annotation >= 0)

    def binds(self, sid: ScopeId, name: str) -> list[int]:
        """Return the stores of a name in a scope."""
        exprs = self._world.body(sid).scope.exprs
        return [i for i, e in enumerate(exprs) if isinstance(e, ir.Bind) and e.id == name and self.is_store(sid, i)]

    def local(self, sid: ScopeId, name: str) -> Iterator[Inflow]:
        """Yield what a name of a function holds as scopes inside it see it."""
        params = self._world.body(sid).scope.params
        number = next((n for n, p in enumerate(params) if p.id == name), -1)
        if number >= 0:
            yield Flows(("param", sid, number, ()))
        for info in self._world.bodies.holding(self._world.info(sid).module.name, name):
            declared = info.sid == sid or name in self._world.bodies.of(info).scope.nonlocals
            if declared:
                for bind in self.binds(info.sid, name):
                    yield Flows(("held", info.sid, bind, ()))

    # --- attributes --------------------------------------------------------------------------------------------------

    def attribute(self, cls: ScopeId, name: str) -> Iterator[Inflow]:
        """Yield what an attribute of a class or of its instances holds."""
        found = False
        world = self._world
        for owner in world.by_name(world.bodies.classes.related(cls)):
            for inflow in self._in_body(world.info(owner), name):
                found = True
                yield inflow
        for inflow in self._elsewhere(cls, name):
            found = True
            yield inflow
        if not found:
            info = world.info(cls)
            yield Unknown(f"nothing in the tree stores `{info.id}.{name}`", world.place(cls, info.at))

    def _in_body(self, info: ScopeInfo, name: str) -> Iterator[Inflow]:
        scope = self._world.bodies.of(info).scope
        is_fields = self._world.bodies.classes.is_dataclass(info.sid)
        if is_fields and any(field == name for field, _ in info.fields):
            yield Flows(("field", info.sid, name))
            return
        for number in dict(scope.exports).get(name, ()):
            definition = scope.definitions[number] if number >= 0 else None
            if definition is not None and definition.bind >= 0 and self.is_store(info.sid, definition.bind):
                yield Flows(("held", info.sid, definition.bind, ()))

    def _elsewhere(self, cls: ScopeId, name: str) -> Iterator[Inflow]:
        """Yield what is stored outside class bodies: on `self` of related classes, on objects that are or may be theirs."""
        world = self._world
        near = world.bodies.classes.related(cls)
        names = {world.info(c).name for c in near}
        rows = world.graph.stores_of(name)
        owners = {owner for _, owner in rows if owner}
        is_alone = bool(owners) and owners <= names
        by_any_name = [(function, owner) for function, owner in world.graph.stores_of("*") if owner in names]
        for function, owner in (*rows, *by_any_name):
            if owner and owner not in names:
                continue
            stores = list(self._stores_in(function, name))
            for sid, index in stores:
                classes = self._classes(sid, index)
                if classes & near or (not classes and is_alone):
                    yield Flows(("held", sid, index, ()))
                elif not classes:
                    place = world.place(sid, world.expr(sid, index).at)
                    yield Unknown(f"the object that is given `.{name}` here is not known", place)
            if not stores:
                yield from self._by_name(function, name)

    def _stores_in(self, function: str, name: str) -> Iterator[tuple[ScopeId, int]]:
        for sid in self._world.scopes_named(function):
            for index, expr in enumerate(self._world.body(sid).scope.exprs):
                if isinstance(expr, ir.StoreAttr) and expr.id == name:
                    yield sid, index

    def _classes(self, sid: ScopeId, index: int) -> frozenset[ScopeId]:
        """Return the classes that the object of a store can have, none where nothing is known of it."""
        expr = self._world.expr(sid, index)
        assert isinstance(expr, ir.StoreAttr)
        return frozenset(receiver.cls for receiver in self._receivers.of(sid, expr.object))

    def _by_name(self, function: str, name: str) -> Iterator[Inflow]:
        info = self._world.bodies.scope(function)
        if info is not None:
            yield Unknown(f"`setattr` may store `.{name}` here", self._world.place(info.sid, info.at))
