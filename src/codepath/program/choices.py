"""Where the value that a call site calls was chosen, and under which guards: a name bound per branch, what a factory
returns, a conditional expression, a table, a default.

A search backwards over solved scopes, bounded in depth. It ends where the very value enters: a function, class or import.

Approximates: under (where a value comes in by a parameter, or is not found, no guard is claimed).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.frame import Frame
from codepath.program.guards import Guards, Literal
from codepath.program.leaving import leaving
from codepath.program.tree import DYNAMIC, ScopeInfo
from codepath.program.values import ScopeId, Value

if TYPE_CHECKING:
    from codepath.program.solver import Solver

_MAX_DEPTH = 8
_MAX_FRAMES = 128
_MOST_DEFINED = 20_000  # names of which it is known whether modules choose what they mean
_CALLABLE = (v.FUNCTION, v.CLASS, v.PARTIAL, v.STATIC, v.OUTSIDE)
_BY_NAME = (ir.Import, ir.ImportFrom, ir.Function, ir.Class, ir.Lambda)

Placed = tuple[ScopeId, Literal]
"""A guard and the scope in which it stands."""


class Entry(NamedTuple):
    """A place where a value enters; `how` says by what, "" where it is only named there."""

    guards: tuple[Placed, ...]
    how: str
    scope: ScopeId
    at: int


class Choices:
    """Searches for the choice behind a callee."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._frames: dict[ScopeId, tuple[Frame, Guards] | None] = {}
        self._defined: dict[tuple[str, str], ScopeInfo | None] = {}
        self._module_entries: dict[tuple[ScopeId, str, Value, int], list[Entry]] = {}

    def of(self, frame: Frame, guards: Guards, index: int, callee: ScopeId | str) -> list[Entry]:
        """Return where the values of expression `index`, of which there is a choice, that run `callee` enter."""
        found: list[Entry] = []
        for value in frame.values[index]:
            if self._runs(value, callee):
                found.extend(_Search(self, frame, guards).enter(frame, index, value, 0))
        return sorted(found, key=self._place)

    def _place(self, entry: Entry) -> tuple[object, ...]:
        scopes = self._solver.tree.scopes
        guards = tuple((scopes[sid].module.path, g.at, g.text, g.polarity) for sid, g in entry.guards)
        return (scopes[entry.scope].module.path, entry.at, entry.how, guards)

    def _runs(self, value: Value, callee: ScopeId | str) -> bool:
        while value[0] in (v.PARTIAL, v.STATIC):
            value = value[1]
        if value[0] in (v.FUNCTION, v.BOUND, v.OUTSIDE):
            return bool(value[1] == callee)
        if value[0] != v.CLASS:
            return False
        if value[1] == callee:
            return True
        if isinstance(callee, str):
            return callee.endswith(".__init__") and callee[: -len(".__init__")] in self._solver.classes.outside_bases(
                value[1]
            )
        for name in ("__init__", "__new__"):
            got = self._solver.classes.find(value[1], name)
            if got is not None and (v.FUNCTION, callee) in got.meaning.values:
                return True
        return False

    # --- whether there is a choice -----------------------------------------------------------------------------------

    def is_chosen(self, frame: Frame, index: int) -> bool:
        """Tell whether there is a choice of what an expression is: names alone do not tell."""
        expr = frame.exprs[index]
        values = frame.values[index]
        if isinstance(expr, ir.Name):
            return self._is_chosen_name(frame, expr)
        if isinstance(expr, ir.Attr):
            kinds = {value[0] for value in frame.values[expr.value]}
            if kinds == {v.MODULE}:
                return any(self._defining(value[1], expr.id) is not None for value in frame.values[expr.value])
            return bool(kinds & {v.INSTANCE, v.OPEN}) and any(
                value[0] in (v.FUNCTION, v.CLASS, v.PARTIAL) for value in values
            )
        return isinstance(expr, (ir.Call, ir.Subscript, ir.Ternary, ir.Bool)) and any(
            value[0] in _CALLABLE for value in values
        )

    def _is_chosen_name(self, frame: Frame, expr: ir.Name) -> bool:
        reaching = frame.scope.uses[expr.use]
        if reaching:
            forms = {frame.scope.definitions[d].form for d in reaching if d >= 0}
            return len(reaching) > 1 or not forms <= {"param", "function", "class", "import", "comprehension", "for"}
        for scope in self._around(frame.info):
            if expr.id in scope.names:
                return True
        return self._defining(frame.info.module.name, expr.id) is not None

    def _around(self, info: ScopeInfo) -> Iterable[ScopeInfo]:
        """Yield the functions around a scope, inner first."""
        scopes = self._solver.tree.scopes
        while info.outer >= 0:
            info = scopes[info.outer]
            if info.form in ("function", "lambda"):
                yield info

    def _defining(self, module: str, name: str) -> ScopeInfo | None:
        """Return the module scope that gives a name several origins or a computed value, imports followed."""
        key = (module, name)
        if key not in self._defined:
            if len(self._defined) >= _MOST_DEFINED:
                self._defined.clear()
            self._defined[key] = self._find_defining(module, name)
        return self._defined[key]

    def _find_defining(self, module: str, name: str) -> ScopeInfo | None:
        for _ in range(_MAX_DEPTH):
            info = self._solver.tree.modules.get(module)
            origins = info.scopes[0].names.get(name) if info is not None else None
            if info is None or not origins:
                return None
            if len(origins) > 1 or origins[0] is DYNAMIC:
                return info.scopes[0]
            if origins[0].form != "member":
                return None
            module, name = origins[0].module, origins[0].name
        return None

    # --- frames ------------------------------------------------------------------------------------------------------

    def solved(self, sid: ScopeId) -> tuple[Frame, Guards] | None:
        """Return a scope run on the solved cells, with its guards."""
        if sid not in self._frames:
            if len(self._frames) >= _MAX_FRAMES:
                self._frames.clear()
            frame = self._solver.frame(self._solver.tree.scopes[sid])
            self._frames[sid] = (frame, Guards(frame.scope)) if frame is not None else None
        return self._frames[sid]

    def of_module(self, scope: ScopeInfo, name: str, value: Value, depth: int) -> list[Entry]:
        """Return where a value enters under a name of module level."""
        key = (scope.sid, name, value, depth)
        found = self._module_entries.get(key)
        if found is None:
            found = self._module_entries[key] = self._of_module(scope, name, value, depth)
        return found

    def _of_module(self, scope: ScopeInfo, name: str, value: Value, depth: int) -> list[Entry]:
        """Search anew, so that what is found depends on the name alone and not on who asked first."""
        solved = self.solved(scope.sid)
        if solved is None:
            return []
        frame, guards = solved
        exports = dict(frame.scope.exports).get(name, ())
        return list(dict.fromkeys(_Search(self, frame, guards).of_definitions(frame, exports, value, depth)))


class _Search:
    """One search; `_seen` keeps it from going round."""

    def __init__(self, choices: Choices, frame: Frame, guards: Guards) -> None:
        self._choices = choices
        self._solver = frame.solver
        self._own = {frame.info.sid: guards}
        self._seen: set[tuple[ScopeId, int]] = set()

    def enter(self, frame: Frame, index: int, value: Value, depth: int) -> list[Entry]:
        """Return where `value` enters expression `index`, each with the guards on the way."""
        key = (frame.info.sid, index)
        if depth > _MAX_DEPTH or key in self._seen:
            return []
        self._seen.add(key)
        try:
            found = self._inside(frame, index, value, depth + 1)
        finally:
            self._seen.discard(key)
        here = self._here(frame, index)
        if not found:
            return [Entry(here, "", frame.info.sid, frame.exprs[index].at)]
        return [e._replace(guards=_both(here, e.guards)) for e in found]

    def _inside(self, frame: Frame, index: int, value: Value, depth: int) -> list[Entry]:
        expr = frame.exprs[index]
        if isinstance(expr, ir.Name):
            return self._name(frame, expr, value, depth)
        if isinstance(expr, ir.Ternary):
            return self._any(frame, (expr.body, expr.orelse), value, depth, "a branch")
        if isinstance(expr, ir.Bool):
            return self._any(frame, expr.values, value, depth, "a branch")
        if isinstance(expr, ir.Call):
            return self._call(frame, expr, value, depth)
        if isinstance(expr, ir.Subscript):
            return self._element(frame, frame.values[expr.value], value, depth)
        if isinstance(expr, ir.Attr):
            return self._attribute(frame, expr, value, depth)
        if isinstance(expr, ir.Await):
            return self.enter(frame, expr.value, value, depth)
        return []

    def _any(self, frame: Frame, operands: Iterable[int], value: Value, depth: int, how: str) -> list[Entry]:
        found: list[Entry] = []
        for operand in operands:
            if value in frame.values[operand]:
                found.extend(_by(e, how) for e in self.enter(frame, operand, value, depth))
        return found

    def _here(self, frame: Frame, index: int) -> tuple[Placed, ...]:
        sid = frame.info.sid
        guards = self._own.get(sid)
        if guards is None:
            solved = self._choices.solved(sid)
            if solved is None:
                return ()
            guards = solved[1]
        return tuple((sid, literal) for literal in guards.of(index))

    # --- names -------------------------------------------------------------------------------------------------------

    def _name(self, frame: Frame, expr: ir.Name, value: Value, depth: int) -> list[Entry]:
        reaching = frame.scope.uses[expr.use]
        if reaching:
            return self.of_definitions(frame, reaching, value, depth)
        for scope in self._choices._around(frame.info):
            if expr.id in scope.names:
                return self._of_closure(scope, expr.id, value, depth)
        defining = self._choices._defining(frame.info.module.name, expr.id)
        return self._choices.of_module(defining, expr.id, value, depth) if defining is not None else []

    def _of_closure(self, scope: ScopeInfo, name: str, value: Value, depth: int) -> list[Entry]:
        solved = self._choices.solved(scope.sid)
        if solved is None:
            return []
        numbers = [n for n, d in enumerate(solved[0].scope.definitions) if d.id == name]
        return self.of_definitions(solved[0], numbers, value, depth)

    def of_definitions(self, frame: Frame, numbers: Sequence[int], value: Value, depth: int) -> list[Entry]:
        """Return where a value enters by some definitions of a name."""
        found: list[Entry] = []
        several = len([n for n in numbers if n >= 0]) > 1
        for number in numbers:
            if number < 0:
                continue
            bind = frame.scope.definitions[number].bind
            if bind < 0:
                found.append(self._of_param(frame, number, value))
                continue
            if value not in frame.values[bind]:
                continue
            expr = frame.exprs[bind]
            assert isinstance(expr, ir.Bind)
            here = self._here(frame, bind)
            inner = self.enter(frame, expr.value, value, depth) if expr.value >= 0 and not expr.how else []
            if not inner or isinstance(frame.exprs[expr.value], _BY_NAME):
                inner = [Entry((), "", frame.info.sid, expr.at)]
            found.extend(_by(e, "a branch" if several else "")._replace(guards=_both(here, e.guards)) for e in inner)
        return found

    def _of_param(self, frame: Frame, number: int, value: Value) -> Entry:
        info = frame.info
        default = info.params[number].default
        around = self._choices.solved(info.outer) if default >= 0 and info.outer >= 0 else None
        if around is not None and value in around[0].values[default]:
            return Entry((), "a default", info.outer, around[0].exprs[default].at)
        return Entry((), "", info.sid, info.at)

    # --- calls, tables and attributes --------------------------------------------------------------------------------

    def _call(self, frame: Frame, expr: ir.Call, value: Value, depth: int) -> list[Entry]:
        found: list[Entry] = []
        for called in frame.values[expr.func]:
            if called[0] in (v.FUNCTION, v.BOUND):
                found.extend(self._of_factory(called[1], value, depth))
            elif called[0] == v.BUILTIN_METHOD:
                found.extend(self._element(frame, frozenset([called[1]]), value, depth))
                found.extend(self._any(frame, [a.value for a in expr.args], value, depth, "a default"))
        return found

    def _of_factory(self, fn: ScopeId, value: Value, depth: int) -> list[Entry]:
        if value not in self._solver.cells.peek((c.RETURN, fn)):
            return []
        solved = self._choices.solved(fn)
        if solved is None:
            return []
        frame = solved[0]
        found = self._any(frame, leaving(frame.scope.body)[0], value, depth, "a factory")
        return [e._replace(how="a factory") for e in found]

    def _element(self, frame: Frame, containers: Iterable[Value], value: Value, depth: int) -> list[Entry]:
        found: list[Entry] = []
        for made in containers:
            if made[0] != v.CONTAINER or not isinstance(made[2], int) or made[2] < 0:
                continue
            solved = (frame, None) if made[1] == frame.info.sid else self._choices.solved(made[1])
            if solved is None:
                continue
            other = solved[0]
            found.extend(self._any(other, _items(other.exprs, made[2]), value, depth, "a table"))
        return found

    def _attribute(self, frame: Frame, expr: ir.Attr, value: Value, depth: int) -> list[Entry]:
        found: list[Entry] = []
        for receiver in frame.values[expr.value]:
            if receiver[0] == v.MODULE:
                defining = self._choices._defining(receiver[1], expr.id)
                if defining is not None:
                    found.extend(self._choices.of_module(defining, expr.id, value, depth))
            elif receiver[0] in (v.INSTANCE, v.OPEN):
                found.extend(self._stored(receiver[1], expr.id, value, depth))
        return found

    def _stored(self, cls: ScopeId, name: str, value: Value, depth: int) -> list[Entry]:
        found: list[Entry] = []
        for owner in self._solver.classes.mro(cls):
            info = self._solver.tree.scopes[owner]
            for inner in info.module.scopes:
                if inner.outer != owner or inner.form != "function" or inner.id != "__init__":
                    continue
                solved = self._choices.solved(inner.sid)
                if solved is None:
                    continue
                frame = solved[0]
                for index, stored in enumerate(frame.exprs):
                    if isinstance(stored, ir.StoreAttr) and stored.id == name and value in frame.values[index]:
                        here = self._here(frame, index)
                        entries = self.enter(frame, stored.value, value, depth) if stored.value >= 0 else []
                        entries = entries or [Entry((), "", inner.sid, stored.at)]
                        found.extend(e._replace(guards=_both(here, e.guards)) for e in entries)
        return found


def _items(exprs: tuple[ir.Expr, ...], index: int) -> list[int]:
    """Return the values that a display holds, or a display among the arguments of a call, and factories given to it."""
    expr = exprs[index]
    if isinstance(expr, ir.Dict):
        return list(expr.values)
    if isinstance(expr, ir.Sequence):
        return list(expr.items)
    if isinstance(expr, ir.Call):
        found: list[int] = []
        for argument in expr.args:
            if isinstance(exprs[argument.value], (ir.Dict, ir.Sequence)):
                found.extend(_items(exprs, argument.value))
        return found
    return []


def _by(entry: Entry, how: str) -> Entry:
    return entry._replace(how=how) if how and not entry.how else entry


def _both(first: tuple[Placed, ...], second: tuple[Placed, ...]) -> tuple[Placed, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def common(entries: Sequence[Entry]) -> tuple[Placed, ...]:
    """Return the guards that all entries have, in the order of the first."""
    if not entries:
        return ()
    rest = [set(e.guards) for e in entries[1:]]
    return tuple(g for g in entries[0].guards if all(g in other for other in rest))
