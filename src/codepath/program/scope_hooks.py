"""What one scope tells of hooks once it has run: the look-ups in it, and what a class body binds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from codepath.model import ir
from codepath.model.hooks import StoredLookup, StoredMember, StoredReceiver
from codepath.program import values as v
from codepath.program.frame import Frame
from codepath.program.gathered import Gathered
from codepath.program.guards import Guards
from codepath.program.lookups import Missing, asked, handled_of, written
from codepath.program.reads import WatchedAttributes
from codepath.program.solver import Solver
from codepath.program.tree import ScopeInfo, Tree
from codepath.program.values import ScopeId, Value, Values

_MOST_RECEIVERS = 48
_MOST_NAMES = 8
_DECORATED = {
    "property": "property",
    "cached_property": "property",
    "classmethod": "classmethod",
    "staticmethod": "staticmethod",
}


class ScopeHooks:
    """Gathers members and look-ups scope by scope. `watched` are the attributes that the scopes were run with."""

    def __init__(self, solver: Solver, watched: WatchedAttributes) -> None:
        self._solver = solver
        self._tree = solver.tree
        self._watched = watched

    def gather(self, frame: Frame, guards: Guards, found: Gathered) -> None:
        """Add what a scope that has run tells."""
        info = frame.info
        if info.form == "class":
            for name, member in _members(info, frame.scope).items():
                found.members.setdefault(name, []).append((info.module.path, info.at, member))
        if info.sid not in self._solver.silent:
            for name, lookup in self._asked(frame, guards):
                found.lookups.setdefault(name, []).append(lookup)
        if frame.is_retold:
            self._watched.look_over(frame)
        lacking = self._watched.lacking.pop(info.sid, None)
        if lacking is not None:
            for name, lookup in self._plain(frame, guards, lacking):
                found.lookups.setdefault(name, []).append(lookup)

    # --- look-ups ----------------------------------------------------------------------------------------------------

    def _asked(self, frame: Frame, guards: Guards) -> Iterator[tuple[str, StoredLookup]]:
        for one in asked(frame.scope):
            if not guards.covers(one.expression):
                continue
            receivers = self._receivers(frame.values[one.receiver])
            if receivers and all(r.kind == "module" for r in receivers):
                continue
            for name in self._names(frame, one.name, one.name_at):
                if one.style in ("getattr", "except-attribute-error") and _is_tested(guards, one.expression, name):
                    continue
                yield name, self._lookup(frame, one.expression, one.receiver, one.style, receivers, one.missing)

    def _names(self, frame: Frame, name: str, name_at: int) -> list[str]:
        """Return the names that a look-up can ask for: the one written, or the constants that reach it."""
        if name or name_at < 0:
            return [name] if name else []
        listed = _listed(frame.scope, name_at, lambda: self._top(frame.info))
        if listed:
            return listed
        values = frame.values[name_at]
        texts = sorted(str(value[1]) for value in values if value[0] == v.TEXT and isinstance(value[1], str))
        return texts if len(texts) == len(values) <= _MOST_NAMES else []

    def _top(self, info: ScopeInfo) -> ir.Scope | None:
        """Return the body of the module around a scope."""
        encoded = self._solver.encoded(info.module)
        return ir.decode_scope(bytes(encoded[0])) if encoded is not None else None

    def _lookup(
        self,
        frame: Frame,
        index: int,
        receiver: int,
        style: str,
        receivers: tuple[StoredReceiver, ...],
        missing: Missing,
    ) -> StoredLookup:
        code = self._tree.code_scope(frame.info).name
        text = written(frame.scope, receiver)
        at = frame.exprs[index].at
        file = frame.info.module.path
        return StoredLookup(code, file, at, style, text, receivers, missing.form, missing.at, missing.text[:80])

    def _receivers(self, values: Values) -> tuple[StoredReceiver, ...]:
        found = {_receiver(self._solver, value) for value in values}
        kept = sorted((r for r in found if r is not None), key=lambda r: (r.kind, r.name, r.on))
        return tuple(kept) if len(kept) <= _MOST_RECEIVERS else (StoredReceiver("many", "", kept[0].on),)

    # --- plain reads -------------------------------------------------------------------------------------------------

    def _plain(self, frame: Frame, guards: Guards, lacking: dict[int, Values]) -> Iterator[tuple[str, StoredLookup]]:
        """Yield the reads of attributes that some class which the object can be has and some other lacks."""
        handled: dict[int, Missing] | None = None
        for index, values in sorted(lacking.items()):
            expr = frame.exprs[index]
            assert isinstance(expr, ir.Attr)
            if _is_self(self._tree, frame.info, frame.scope, expr.value):
                continue
            receivers = self._receivers(values)
            if not any(r.kind == "registry" for r in receivers) and not self._differ(receivers, expr.id):
                continue
            handled = handled_of(frame.scope) if handled is None else handled
            if index not in handled and guards.covers(index) and not _is_tested(guards, index, expr.id):
                missing = Missing("raises", expr.at, "AttributeError")
                yield expr.id, self._lookup(frame, index, expr.value, "call", receivers, missing)

    def _differ(self, receivers: tuple[StoredReceiver, ...], name: str) -> bool:
        """Tell whether some class that an object can be binds or stores a name and some other does not."""
        states = set()
        for receiver in receivers:
            if receiver.kind in ("class", "family"):
                cls = self._by_name[receiver.name]
                states.add(self._watched.lacks(cls, name))
                if receiver.kind == "family":
                    states.update(self._watched.lacks(below, name) for below in self._solver.classes.below(cls))
        return len(states) > 1

    @cached_property
    def _by_name(self) -> dict[str, ScopeId]:
        return {info.name: info.sid for info in reversed(self._tree.scopes) if info.form == "class"}


def _members(info: ScopeInfo, scope: ir.Scope) -> dict[str, StoredMember]:
    """Return what a class body binds, by name."""
    found: dict[str, StoredMember] = {}
    for expr in scope.exprs:
        if isinstance(expr, ir.Bind) and scope.definitions[expr.definition].form != "comprehension":
            form = _form(scope, expr)
            if form != "annotation" or expr.id not in found:
                found[expr.id] = StoredMember(info.name, form, expr.at)
    return found


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


def _listed(scope: ir.Scope, index: int, top: Callable[[], ir.Scope | None]) -> list[str]:
    """Return the constants that a loop over a display of strings, or over a name that is bound to one, gives a name."""
    expr = scope.exprs[index]
    if not isinstance(expr, ir.Name):
        return []
    found: list[str] = []
    for number in scope.uses[expr.use]:
        bind = scope.exprs[scope.definitions[number].bind] if number >= 0 <= scope.definitions[number].bind else None
        if not isinstance(bind, ir.Bind) or bind.how != (ir.ITERATE,) or bind.value < 0:
            return []
        texts = _texts(*_display(scope, bind.value, top))
        if not texts:
            return []
        found.extend(texts)
    return sorted(set(found))


def _display(scope: ir.Scope, index: int, top: Callable[[], ir.Scope | None]) -> tuple[ir.Scope, int]:
    """Return the scope and expression that a name is bound to once, by its function or its module; else the name itself."""
    expr = scope.exprs[index]
    if not isinstance(expr, ir.Name):
        return scope, index
    numbers, around = scope.uses[expr.use], scope
    if not numbers:
        around = top() or scope
        numbers = tuple(n for n, one in enumerate(around.definitions) if one.id == expr.id)
    place = around.definitions[numbers[0]].bind if len(numbers) == 1 and numbers[0] >= 0 else -1
    bind = around.exprs[place] if place >= 0 else None
    is_plain = isinstance(bind, ir.Bind) and bind.value >= 0 and not bind.how
    return (around, bind.value) if isinstance(bind, ir.Bind) and is_plain else (scope, index)


def _texts(scope: ir.Scope, index: int) -> list[str]:
    """Return the items of a display of strings, none where some are something else."""
    display = scope.exprs[index]
    items = [scope.exprs[item] for item in display.items] if isinstance(display, ir.Sequence) else []
    texts = [item.value for item in items if isinstance(item, ir.Const) and isinstance(item.value, str)]
    return texts if len(texts) == len(items) else []


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
