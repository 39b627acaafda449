"""What a solved tree knows of hooks, as stored rows: look-ups by name, classes, their members, members of registries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Raw

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
from codepath.program.frame import Frame
from codepath.program.guards import Guards
from codepath.program.lookups import Missing, asked, handled_of, written
from codepath.program.rows import FUNCTION
from codepath.program.solver import ReadBodies, Solver
from codepath.program.tree import ModuleInfo, ScopeInfo, Tree
from codepath.program.values import ScopeId, Value, Values

LOOKUPS = "hl:"
MEMBERS = "hm:"
CLASSES = "hc:"
REGISTERED = "hr:"
HOOKS = "hn:"

Lacking = Mapping[ScopeId, Mapping[int, Values]]

_MARKS = (b"hasattr", b"getattr", b"AttributeError")
_MOST_RECEIVERS = 48
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


def hook_rows(
    solver: Solver, rows: Iterable[tuple[str, bytes]], lacking: Lacking, read: ReadBodies
) -> Iterator[tuple[str, bytes]]:
    """Yield (key, row) pairs for a solved tree.

    Args:
        solver: The solver that has solved it.
        rows: Those of its call graph.
        lacking: By scope the expressions that read an attribute which some class lacks, with what the receiver can be
            (`WatchedAttributes`).
        read: Gives the encoded scopes of a file.
    """
    graph = {key[len(FUNCTION) :]: blob for key, blob in rows if key.startswith(FUNCTION)}
    builder = _Rows(solver, graph, lacking, read)
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

    def __init__(
        self,
        solver: Solver,
        graph: Mapping[str, bytes],
        lacking: Lacking,
        read: ReadBodies,
    ) -> None:
        self._lacking = lacking
        self._read = read
        self._last: tuple[str, Sequence[Raw] | None] | None = None
        self._solver = solver
        self._tree = solver.tree
        self._graph = graph
        self._classes = [info for info in self._tree.scopes if info.form == "class"]

    def _bodies(self, module: ModuleInfo) -> Sequence[Raw] | None:
        """Return the encoded scopes of a module; those of the last one asked are kept."""
        if self._last is None or self._last[0] != module.path:
            self._last = (module.path, self._read(module.path))
        return self._last[1]

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
        bodies = self._bodies(info.module)
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
        for module in sorted(self._tree.modules.values(), key=lambda m: m.path):
            bodies = self._bodies(module)
            for info in module.scopes if bodies is not None else ():
                assert bodies is not None
                raw = bytes(bodies[info.index])
                code = self._tree.code_scope(info).name
                if any(mark in raw for mark in _MARKS):
                    for name, lookup in self._asked(info, ir.decode_scope(raw), code):
                        found.setdefault(name, []).append(lookup)
                if info.sid in self._lacking:
                    for name, lookup in self._plain(info, ir.decode_scope(raw), code):
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

    # --- plain reads -------------------------------------------------------------------------------------------------

    def _plain(self, info: ScopeInfo, scope: ir.Scope, code: str) -> Iterator[tuple[str, StoredLookup]]:
        """Yield the reads of attributes that some class which the object can be has and some other lacks."""
        wanted: dict[int, tuple[StoredReceiver, ...]] = {}
        for index, values in sorted(self._lacking[info.sid].items()):
            expr = scope.exprs[index]
            assert isinstance(expr, ir.Attr)
            if not _is_self(self._tree, info, scope, expr.value):
                receivers = self._receivers(values)
                if any(r.kind == "registry" for r in receivers) or self._differ(receivers, expr.id):
                    wanted[index] = receivers
        if not wanted:
            return
        guards, handled = Guards(scope), handled_of(scope)
        for index, receivers in wanted.items():
            expr = scope.exprs[index]
            assert isinstance(expr, ir.Attr)
            if index not in handled and guards.covers(index) and not _is_tested(guards, index, expr.id):
                missing = Missing("raises", expr.at, "AttributeError")
                yield expr.id, self._lookup(info, scope, code, index, expr.value, "call", receivers, missing)

    def _differ(self, receivers: tuple[StoredReceiver, ...], name: str) -> bool:
        """Tell whether some class that an object can be binds or stores a name and some other does not."""
        states = set()
        for receiver in receivers:
            if receiver.kind in ("class", "family"):
                cls = self._by_name[receiver.name]
                states.add(self._has(cls, name))
                if receiver.kind == "family":
                    states.update(self._has(below, name) for below in self._solver.classes.below(cls))
        return len(states) > 1

    @cached_property
    def _by_name(self) -> dict[str, ScopeId]:
        return {info.name: info.sid for info in reversed(self._classes)}

    def _has(self, cls: ScopeId, name: str) -> bool:
        classes = self._solver.classes
        return classes.find(cls, name) is not None or classes.stores(cls, name, is_open=False)


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
    """Tell whether an expression runs only where a `hasattr` or `getattr` has found the attribute."""
    quoted = (f'"{name}"', f"'{name}'")
    return any(g.polarity and "attr(" in g.text and any(q in g.text for q in quoted) for g in guards.of(index))


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
