"""What a solved tree knows of hooks, as stored rows: look-ups by name, classes, their members, members of registries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from codepath.model import ir
from codepath.model.hooks import (
    StoredClass,
    StoredLookup,
    StoredMember,
    StoredReceiver,
    StoredRegistered,
    encode_row,
)
from codepath.model.solution import StoredFunction, decode_function
from codepath.program import values as v
from codepath.program.annotations import Term
from codepath.program.build import FUNCTION
from codepath.program.frame import Frame
from codepath.program.guards import Guards
from codepath.program.lookups import Missing, asked, written
from codepath.program.solver import Solver
from codepath.program.tree import ScopeInfo, Tree
from codepath.program.values import ScopeId, Value, Values

LOOKUPS = "hl:"
MEMBERS = "hm:"
CLASSES = "hc:"
REGISTERED = "hr:"
HOOKS = "hn:"

_MARKS = (b"hasattr", b"getattr", b"AttributeError")
_MOST_RECEIVERS = 12
_MOST_NAMES = 8
_MOST_MADE = 200
_MOST_HOPS = 6
_FIELD_BASES = frozenset(["BaseModel", "Struct", "NamedTuple"])
_DECORATED = {
    "property": "property",
    "cached_property": "property",
    "classmethod": "classmethod",
    "staticmethod": "staticmethod",
}


def hook_rows(solver: Solver, rows: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Yield (key, row) pairs for a solved tree; `rows` are those of its call graph."""
    graph = {key[len(FUNCTION) :]: blob for key, blob in rows if key.startswith(FUNCTION)}
    builder = _Rows(solver, graph)
    yield CLASSES, encode_row(builder.classes())
    for name, members in sorted(builder.members().items()):
        yield MEMBERS + name, encode_row(tuple(members))
    for registry in solver.members.names():
        yield REGISTERED + registry, encode_row(tuple(builder.registered(registry)))
    lookups = builder.lookups()
    for name, found in sorted(lookups.items()):
        yield LOOKUPS + name, encode_row(tuple(sorted(set(found), key=_by_place)))
    yield HOOKS, encode_row(tuple(sorted(name for name, found in lookups.items() if any(map(_is_of_tree, found)))))


def _by_place(lookup: StoredLookup) -> tuple[object, ...]:
    return (lookup.file, lookup.at, lookup.style, lookup.text, str(lookup.receivers), str(lookup))


def _is_of_tree(lookup: StoredLookup) -> bool:
    return any(r.kind in ("registry", "class", "family") for r in lookup.receivers)


class _Rows:
    """Makes the rows."""

    def __init__(self, solver: Solver, graph: Mapping[str, bytes]) -> None:
        self._solver = solver
        self._tree = solver.tree
        self._graph = graph
        self._classes = [info for info in self._tree.scopes if info.form == "class"]

    # --- classes -----------------------------------------------------------------------------------------------------

    def classes(self) -> tuple[StoredClass, ...]:
        """Return every class, in the order of the tree's numbers."""
        order = sorted(self._classes, key=lambda i: (i.module.path, i.at, i.name))
        numbers = {info.sid: number for number, info in enumerate(order)}
        return tuple(self._class(info, numbers) for info in order)

    def _class(self, info: ScopeInfo, numbers: Mapping[ScopeId, int]) -> StoredClass:
        classes = self._solver.classes
        outside = tuple(classes.outside_bases(info.sid))
        fields = classes.is_dataclass(info.sid) or any(b.rpartition(".")[2] in _FIELD_BASES for b in outside)
        methods = (i for i in info.module.scopes if i.outer == info.sid)
        abstract = any(_last(t) == "abstractmethod" for method in methods for t in method.decorators)
        mro = tuple(numbers[c] for c in classes.mro(info.sid))
        return StoredClass(info.name, info.module.path, info.at, mro, outside, abstract, fields)

    def members(self) -> dict[str, list[StoredMember]]:
        """Return what class bodies bind, by name."""
        found: dict[str, list[StoredMember]] = {}
        for info in sorted(self._classes, key=lambda i: (i.module.path, i.at, i.name)):
            for name, member in self._of_body(info).items():
                found.setdefault(name, []).append(member)
        return found

    def _of_body(self, info: ScopeInfo) -> dict[str, StoredMember]:
        bodies = self._solver.bodies(info.module)
        found: dict[str, StoredMember] = {}
        if not bodies:
            return found
        scope = ir.decode_scope(bodies[info.index])
        for expr in scope.exprs:
            if isinstance(expr, ir.Bind) and scope.definitions[expr.definition].form != "comprehension":
                form = _form(scope, expr)
                if form != "annotation" or expr.id not in found:
                    found[expr.id] = StoredMember(info.name, form, expr.at)
        return found

    # --- registries --------------------------------------------------------------------------------------------------

    def registered(self, registry: str) -> Iterator[StoredRegistered]:
        """Yield the classes of a registry with what constructing each constructs."""
        for value in self._solver.members.of(registry):
            if value[0] == v.CLASS:
                info = self._tree.scopes[value[1]]
                yield StoredRegistered(info.name, tuple(self._made_by(info)))

    def _made_by(self, info: ScopeInfo) -> list[str]:
        """Return the classes that constructing a class constructs, nearest first."""
        made: dict[str, None] = {}
        owners = {self._tree.scopes[c].name for c in self._solver.classes.mro(info.sid)}
        first = self._solver.classes.find(info.sid, "__init__")
        level = self._constructors(self._tree.scopes[first.owner].name) if first is not None else []
        seen = set(level)
        for _ in range(_MOST_HOPS):
            following: dict[str, None] = {}
            for name in level:
                row = self._row(name)
                for step in row.steps if row is not None else ():
                    if step.kind not in ("construct", "super", "call") or step.resolution == "by-name":
                        continue
                    owner = step.callee.removesuffix(".__init__")
                    if step.kind == "construct":
                        made[owner] = None
                        owners.add(owner)
                        following.update(dict.fromkeys(self._constructors(owner)))
                    elif step.kind == "super" or step.callee.rpartition(".")[0] in owners:
                        owners.add(step.callee.rpartition(".")[0])
                        following.update(dict.fromkeys(self._with_lambdas(step.callee)))
            level = [name for name in following if name not in seen]
            seen.update(level)
            if not level or len(made) >= _MOST_MADE:
                break
        made.pop(info.name, None)
        return list(made)[:_MOST_MADE]

    def _constructors(self, cls: str) -> list[str]:
        return self._with_lambdas(f"{cls}.__init__")

    def _with_lambdas(self, name: str) -> list[str]:
        """Return a function of the tree and the lambdas in it, which what it calls may run."""
        return [name, *self._lambdas.get(name, ())] if name in self._graph else []

    @cached_property
    def _lambdas(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in sorted(self._graph):
            if ".<lambda" in name:
                found.setdefault(name.partition(".<lambda")[0], []).append(name)
        return found

    def _row(self, name: str) -> StoredFunction | None:
        blob = self._graph.get(name)
        return decode_function(blob) if blob is not None else None

    # --- look-ups ----------------------------------------------------------------------------------------------------

    def lookups(self) -> dict[str, list[StoredLookup]]:
        """Return every look-up by the name that is asked for."""
        found: dict[str, list[StoredLookup]] = {}
        called = self._called()
        for module in sorted(self._tree.modules.values(), key=lambda m: m.path):
            bodies = self._solver.bodies(module)
            for info in module.scopes if bodies is not None else ():
                assert bodies is not None
                raw = bytes(bodies[info.index])
                code = self._tree.code_scope(info).name
                if any(mark in raw for mark in _MARKS):
                    for name, lookup in self._asked(info, ir.decode_scope(raw), code):
                        found.setdefault(name, []).append(lookup)
                if info.sid == self._tree.code_scope(info).sid and code in called:
                    for name, lookup in self._calls(info, ir.decode_scope(raw), called[code]):
                        found.setdefault(name, []).append(lookup)
        return found

    def _asked(self, info: ScopeInfo, scope: ir.Scope, code: str) -> Iterator[tuple[str, StoredLookup]]:
        wanted = list(asked(scope))
        if not wanted:
            return
        frame = self._frame(info, scope)
        guards = Guards(scope)
        for one in wanted:
            if not guards.covers(one.expression):
                continue
            receivers = self._receivers(frame.values[one.receiver])
            if receivers and all(r.kind == "module" for r in receivers):
                continue
            for name in self._names(frame, one.name, one.name_at):
                if one.style in ("getattr", "except-attribute-error") and _is_tested(guards, one.expression, name):
                    continue
                yield (
                    name,
                    self._lookup(info, scope, code, one.expression, one.receiver, one.style, receivers, one.missing),
                )

    def _names(self, frame: Frame, name: str, name_at: int) -> list[str]:
        """Return the names that a look-up can ask for: the one written, or the constants that reach it."""
        if name or name_at < 0:
            return [name] if name else []
        listed = _listed(frame.scope, name_at)
        if listed:
            return listed
        values = frame.values[name_at]
        texts = sorted(str(value[1]) for value in values if value[0] == v.TEXT and isinstance(value[1], str))
        return texts if len(texts) == len(values) <= _MOST_NAMES else []

    def _frame(self, info: ScopeInfo, scope: ir.Scope) -> Frame:
        self._solver.cells.reader = info.sid
        frame = Frame(self._solver, info, scope)
        frame.run()
        return frame

    def _lookup(
        self,
        info: ScopeInfo,
        scope: ir.Scope,
        code: str,
        index: int,
        receiver: int,
        style: str,
        receivers: tuple[StoredReceiver, ...],
        missing: Missing,
    ) -> StoredLookup:
        text = written(scope, receiver)
        at = scope.exprs[index].at
        return StoredLookup(
            code, info.module.path, at, style, text, receivers, missing.form, missing.at, missing.text[:80]
        )

    def _receivers(self, values: Values) -> tuple[StoredReceiver, ...]:
        found = {_receiver(self._solver, value) for value in values}
        kept = sorted((r for r in found if r is not None), key=lambda r: (r.kind, r.name, r.on))
        return tuple(kept) if len(kept) <= _MOST_RECEIVERS else (StoredReceiver("many", "", kept[0].on),)

    # --- plain calls on members --------------------------------------------------------------------------------------

    def _called(self) -> dict[str, dict[int, set[str]]]:
        """Return, by function, the places of calls whose receiver may lack the method, and the methods' names.

        They are the calls on any member of a registry, and those whose callees stand in subclasses of the receiver alone.
        """
        found: dict[str, dict[int, set[str]]] = {}
        for name, blob in self._graph.items():
            if b"registry" not in blob and b"family" not in blob:
                continue
            certain: set[int] = set()
            members: dict[int, set[str]] = {}
            below: dict[int, set[str]] = {}
            for step in decode_function(blob).steps:
                last = step.callee.rpartition(".")[2]
                if step.kind == "registry":
                    members.setdefault(step.at, set()).add(last)
                elif step.kind == "call" and step.resolution == "family":
                    below.setdefault(step.at, set()).add(last)
                elif step.kind == "call":
                    certain.add(step.at)
            kept = {**{at: names for at, names in below.items() if at not in certain}, **members}
            if kept:
                found[name] = kept
        return found

    def _calls(
        self, info: ScopeInfo, scope: ir.Scope, places: Mapping[int, set[str]]
    ) -> Iterator[tuple[str, StoredLookup]]:
        frame: Frame | None = None
        guards = Guards(scope)
        for index, expr in enumerate(scope.exprs):
            if not isinstance(expr, ir.Call) or expr.at not in places:
                continue
            func = scope.exprs[expr.func]
            if not isinstance(func, ir.Attr) or func.id not in places[expr.at] or func.id.startswith("__"):
                continue
            if _is_tested(guards, index, func.id) or _is_self(self._tree, info, scope, func.value):
                continue
            frame = frame or self._frame(info, scope)
            receivers = self._receivers(frame.values[func.value])
            missing = Missing("raises", expr.at, "AttributeError")
            yield func.id, self._lookup(info, scope, info.name, index, func.value, "call", receivers, missing)


def _receiver(solver: Solver, value: Value) -> StoredReceiver | None:
    """Return what a look-up on a value asks."""
    kind = value[0]
    if kind == v.MEMBER:
        return StoredReceiver("registry", value[1], "class" if value[2] == "class" else "instance")
    if kind in (v.CLASS, v.OPEN_CLASS, v.INSTANCE, v.OPEN):
        on = "class" if kind in (v.CLASS, v.OPEN_CLASS) else "instance"
        name = solver.tree.scopes[value[1]].name
        return StoredReceiver("family" if kind in (v.OPEN_CLASS, v.OPEN) else "class", name, on)
    if kind == v.MODULE:
        return StoredReceiver("module", value[1], "instance")
    if kind in (v.OUTSIDE, v.RESULT):
        return StoredReceiver("outside", value[1], "class" if kind == v.OUTSIDE else "instance")
    return StoredReceiver("many", "", "instance") if kind == 99 else None


def _is_tested(guards: Guards, index: int, name: str) -> bool:
    """Tell whether an expression runs only where a `hasattr` has found the attribute."""
    quoted = (f'"{name}"', f"'{name}'")
    return any(g.polarity and "hasattr" in g.text and any(q in g.text for q in quoted) for g in guards.of(index))


def _listed(scope: ir.Scope, index: int) -> list[str]:
    """Return the constants that a loop over a display of strings gives a name."""
    expr = scope.exprs[index]
    if not isinstance(expr, ir.Name):
        return []
    found: list[str] = []
    for number in scope.uses[expr.use]:
        bind = (
            scope.exprs[scope.definitions[number].bind] if number >= 0 and scope.definitions[number].bind >= 0 else None
        )
        display = scope.exprs[bind.value] if isinstance(bind, ir.Bind) and bind.value >= 0 else None
        if not isinstance(bind, ir.Bind) or bind.how != (ir.ITERATE,) or not isinstance(display, ir.Sequence):
            return []
        items = [scope.exprs[item] for item in display.items]
        texts = [item.value for item in items if isinstance(item, ir.Const) and isinstance(item.value, str)]
        if len(texts) < len(items):
            return []
        found.extend(texts)
    return sorted(set(found))


def _is_self(tree: Tree, info: ScopeInfo, scope: ir.Scope, index: int) -> bool:
    """Tell whether an expression is the object of the method: what a mixin calls on itself, its users give."""
    expr = scope.exprs[index]
    if not isinstance(expr, ir.Name) or tree.class_around(info) is None or not info.params:
        return False
    return scope.uses[expr.use] == (0,)


def _form(scope: ir.Scope, bind: ir.Bind) -> str:
    value = scope.exprs[bind.value] if bind.value >= 0 else None
    if value is None:
        return "annotation"
    if isinstance(value, ir.Class):
        return "class"
    if not isinstance(value, ir.Function):
        return "attribute"
    for decorator in value.decorators:
        name = scope.exprs[decorator]
        last = name.id if isinstance(name, (ir.Name, ir.Attr)) else ""
        if last in _DECORATED:
            return _DECORATED[last]
        if last in ("setter", "deleter", "getter"):
            return "property"
    return "method"


def _last(term: Term) -> str:
    return (term if isinstance(term, str) else term[0]).rpartition(".")[2]
