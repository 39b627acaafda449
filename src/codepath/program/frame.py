"""One scope run over the abstract values: the transfer function of the solver.

A frame goes through a scope's expressions in evaluation order, reads interprocedural cells, and joins into them what the
scope passes on: arguments, returns, stores, elements. Nothing is kept but the cells, so that a scope can be run again when
a cell that it read has grown. With a recorder, the frame also tells which callees each call site has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.annotations import Term, term_of
from codepath.program.arguments import Arguments
from codepath.program.kept import FIRST, LEAVING, WHOLE, Kept, Note, index_of, reader
from codepath.program.leaving import leaving, same_run
from codepath.program.lexical import Meaning
from codepath.program.namespaces import MODULES
from codepath.program.narrowing import Test, narrow
from codepath.program.outflow import adopt, leave
from codepath.program.patches import patch
from codepath.program.promises import within
from codepath.program.tree import ScopeInfo
from codepath.program.values import NOTHING, ScopeId, Value, Values

if TYPE_CHECKING:
    from codepath.program.solver import Meant, Solver

_MAX_PASSES = 16
WITH_FACTORY = 9
"""The part of an expression that makes a dict whose missing values a factory makes."""
MAX_INDEX = 16
"""Elements of a collection that are told apart by their place."""
_LONGEST_TEXT = 80


class Recorder(Protocol):
    """Takes what a frame finds at the places of a scope."""

    def __call__(self, index: int, callee: ScopeId | str, kind: str, family: bool) -> None:
        """Note that expression `index` runs `callee`, a function of the tree or a dotted name outside it."""


class Frame:
    """A run of one scope. `values[i]` is what expression i can be.

    `_again` is the first expression that another pass may change: one that reads what is bound further on, or a stored element
    that is known to those behind it.
    """

    def __init__(
        self,
        solver: Solver,
        info: ScopeInfo,
        scope: ir.Scope,
        record: Recorder | None = None,
        kept: Kept | None = None,
    ) -> None:
        self.solver = solver
        self.cells = solver.cells
        self.info = info
        self.scope = scope
        self.exprs = scope.exprs
        self.values: list[Values] = kept.values if kept is not None else []
        self.record = record
        self.spans: list[tuple[int, int]] = []
        self._ahead: dict[int, Values] = {}
        self._again = len(scope.exprs)
        self._fresh: dict[tuple[Value, Any], tuple[int, Values]] = {}
        self.kept = kept
        self.is_retold = False
        self._noted: list[Note] | None = None
        self._seen: dict[str, Meaning] | None = None
        self._params: dict[int, Values] = {}
        self._fixed: dict[int, Meant | None] = {}
        self.cells.reader = reader(info.sid, WHOLE)
        self.narrowed = solver.narrowed(info, scope)
        self.forward = solver.wrapping.forwards.get(info.sid)
        self._lends = info.form == "module" or solver.captured(info)

    def run(self) -> None:
        """Evaluate the scope until its own loops add nothing, then pass on what leaves it."""
        self.values = [NOTHING] * len(self.exprs)
        self.spans = [(0, len(self.exprs))]
        self._noted = self.kept.begin() if self.kept is not None else None
        start = 0
        for _ in range(_MAX_PASSES):
            self._ahead.clear()
            self._evaluate(start, len(self.exprs))
            start = self._again
            grown = [i for i, seen in self._ahead.items() if self.values[i] != seen]
            if not grown:
                break
            if self.kept is not None:
                self.kept.link(self.scope)
                self._spread(self.kept, self.kept.users(grown))
                break
        self._noted = None
        leave(self)

    def resume(self, mask: int) -> None:
        """Evaluate the parts of a mask again, and those that read what changes, then pass on what leaves the scope."""
        kept = self.kept
        if kept is None or mask >> WHOLE & 1 or not kept.values:
            self.run()
            return
        kept.resume(self.scope)
        self._restore_constants(kept)
        self._noted = kept.listen()
        changed = self._spread(kept, mask >> FIRST << FIRST)
        self._noted = None
        if mask >> LEAVING & 1:
            leave(self)
        elif changed:
            leave(self, changed)
        for index in kept.constants():
            self.values[index] = NOTHING

    def retell(self, mask: int, record: Recorder) -> bool:
        """Tell `record` what the scope ran when it was last run, the expressions of a mask evaluated again.

        False, with nothing told, where one of them comes to another value now and it is not plain what that changes: then the
        scope has to run.
        """
        kept = self.kept
        assert kept is not None
        if kept.is_circular:
            return False
        self._restore_constants(kept)
        self._noted = kept.listen()
        todo = mask >> FIRST
        while todo:
            index = (todo & -todo).bit_length() - 1
            todo &= todo - 1
            if self._again_at(index):
                users = kept.users_behind(self.scope, index)
                if users is None:
                    return False
                todo |= users
        self._noted = None
        for at, notes in kept.told():
            for behind, callee, kind, family in notes:
                record(at + behind, callee, kind, family)
        self.is_retold = True
        self.record = record
        leave(self)
        return True

    def _restore_constants(self, kept: Kept) -> None:
        for index in kept.constants():
            self.values[index] = self._const(index, self.exprs[index])  # type: ignore[arg-type]

    def _spread(self, kept: Kept, mask: int) -> set[int]:
        """Evaluate the expressions of a mask, and those that read what changes there; return what changed."""
        runs: dict[int, int] = {}
        changed: set[int] = set()
        while mask:
            number = (mask & -mask).bit_length() - 1
            first, end = kept.run_of(number - FIRST)
            mask &= -1 << end + FIRST
            runs[first] = runs.get(first, 0) + 1
            if runs[first] > _MAX_PASSES:
                continue
            self.spans.append((first, end))
            grown = self._again_at(first) if end == first + 1 else self._again_in(first, end)
            if grown:
                changed.update(grown)
                mask |= kept.users(grown)
        return changed

    def _again_in(self, first: int, end: int) -> Sequence[int]:
        """Evaluate a run of expressions; return those that changed."""
        values, pooled = self.values, self.solver.pooled
        if self.kept is not None:
            self.kept.forget(first, end)
        before = values[first:end]
        self._evaluate(first, end)
        grown = [i for i, seen in enumerate(before, first) if values[i] is not seen and values[i] != seen]
        for index in grown:
            values[index] = pooled(values[index])
        return grown

    def _again_at(self, index: int) -> Sequence[int]:
        """Evaluate one expression, as most that run again are; return it if it changed."""
        seen = self.values[index]
        expr = self.exprs[index]
        if self._fresh:
            self._fresh.clear()
        self.cells.reader = reader(self.info.sid, index + FIRST)
        handler = _HANDLERS.get(expr.__class__)
        if handler is not None:
            found = handler(self, index, expr)
        elif expr.__class__ is ir.Name:
            found = self._name(index, expr, self.scope.uses[expr.use])
        else:
            return ()
        if self._noted is not None and self.kept is not None:
            self.kept.note(index, self._noted)
        if index in self.narrowed:
            self.values[index] = found
            found = self._narrow(index, expr, self.narrowed[index])
        is_same = found is seen or found == seen
        self.values[index] = seen if is_same else self.solver.pooled(found)
        return () if is_same else (index,)

    def _evaluate(self, start: int, stop: int) -> None:
        """Evaluate some expressions in order."""
        self._fresh.clear()
        handlers = _HANDLERS
        values = self.values
        exprs = self.exprs
        narrowed = self.narrowed
        cells = self.cells
        uses, definitions = self.scope.uses, self.scope.definitions
        kept, noted = self.kept, self._noted
        step = 1 if kept is not None else 0
        number = reader(self.info.sid, start + FIRST if step else WHOLE)
        for index in range(start, stop):
            expr = exprs[index]
            kind = expr.__class__
            cells.reader = number
            number += step
            if kind is ir.Name:  # every third expression; most are plain
                reaching = uses[expr.use]  # type: ignore[union-attr]
                if len(reaching) == 1 and reaching[0] >= 0 and 0 <= (bind := definitions[reaching[0]].bind) < index:
                    values[index] = values[bind]
                else:
                    values[index] = self._name(index, expr, reaching)  # type: ignore[arg-type]
            else:
                handler = handlers.get(kind)
                if handler is None:
                    continue
                values[index] = handler(self, index, expr)
                if noted:
                    kept.note(index, noted)  # type: ignore[union-attr]
            if narrowed and index in narrowed:
                values[index] = self._narrow(index, expr, narrowed[index])

    def _narrow(self, index: int, expr: Any, tests: tuple[Test, ...]) -> Values:
        """Return the values of a name that pass tests, definition by definition where a test is known for some only."""
        if not any(test.of for test in tests):
            return narrow(self.solver, self.values[index], tests)
        found: set[Value] = set()
        for number in self.scope.uses[expr.use]:
            known = [test for test in tests if not test.of or number in test.of]
            values = self._definition(index, number) if number >= 0 else self.values[index]
            found |= narrow(self.solver, values, known)
        return frozenset(found)

    # --- names -------------------------------------------------------------------------------------------------------

    def _name(self, index: int, expr: ir.Name, reaching: tuple[int, ...]) -> Values:
        if not reaching:
            return self._outer(expr.id)
        if len(reaching) == 1 and reaching[0] >= 0:
            return self._definition(index, reaching[0])
        found: set[Value] = set()
        for number in reaching:
            if number >= 0:
                found |= self._definition(index, number)
            elif self.info.form != "function":
                found |= self._outer(expr.id)
        return frozenset(found)

    def _definition(self, index: int, number: int) -> Values:
        bind = self.scope.definitions[number].bind
        if bind < 0:
            return self.param(number)
        if bind > index:
            self._ahead[bind] = self.values[bind]
            self._again = min(self._again, index)
        return self.values[bind]

    def param(self, number: int) -> Values:
        """Return what parameter `number` of this scope can be."""
        known = self._params.get(number)
        if known is not None:
            return known
        before = self.solver.lexical.misses
        fixed = self._fixed[number] if number in self._fixed else self.solver.fixed_param(self.info, number)
        is_known = self.solver.lexical.misses == before
        is_closed = fixed is not None and not fixed.open and is_known
        if is_known:
            self._fixed[number] = fixed
        found = NOTHING if fixed is not None and not fixed.open else self.cells.read((c.PARAM, self.info.sid, number))
        if fixed is not None:
            found = found | fixed.values if found else fixed.values
        if is_closed or self.cells.is_frozen:
            self._params[number] = found
        return found

    def _outer(self, name: str) -> Values:
        if self._seen is None:
            self._seen = self.solver.lexical.seen_from(self.info)
        if name in self.scope.globals:
            meaning = self.solver.lexical.global_name(self.info, name)
        else:
            meaning = self._seen.get(name) or self.solver.lexical.free(self.info, name)
        return self.meaning(meaning) if meaning.cells else meaning.values

    def meaning(self, meaning: Meaning) -> Values:
        """Return the values of a looked-up name, its cells read."""
        return self.solver.meaning(meaning)

    # --- simple expressions ------------------------------------------------------------------------------------------

    def _const(self, index: int, expr: ir.Const) -> Values:
        value = expr.value
        if value.__class__ is str and not expr.form and len(value) < _LONGEST_TEXT:
            return self.solver.text(value)
        return NOTHING

    def _joined(self, index: int, expr: ir.Joined) -> Values:
        return self.solver.operators.joined(self, index, expr)

    def _bool(self, index: int, expr: ir.Bool) -> Values:
        for tested in expr.values[:-1]:
            if self.values[tested]:
                self.solver.operators.truth(self, tested, self.values[tested])
        return NOTHING.union(*(self.values[i] for i in expr.values))

    def _unary(self, index: int, expr: ir.Unary) -> Values:
        return self.solver.operators.unary(self, index, expr)

    def _binary(self, index: int, expr: ir.Binary) -> Values:
        return self.solver.operators.binary(self, index, expr)

    def _compare(self, index: int, expr: ir.Compare) -> Values:
        return self.solver.operators.compare(self, index, expr)

    def _ternary(self, index: int, expr: ir.Ternary) -> Values:
        if self.values[expr.test]:
            self.solver.operators.truth(self, expr.test, self.values[expr.test])
        return self.values[expr.body] | self.values[expr.orelse]

    def _lambda(self, index: int, expr: ir.Lambda) -> Values:
        inner = self.solver.inner(self.info, expr.scope)
        self._pass_defaults(inner)
        return frozenset([(v.FUNCTION, inner.sid)])

    def _starred(self, index: int, expr: ir.Starred) -> Values:
        return self.values[expr.value]

    def _await(self, index: int, expr: ir.Await) -> Values:
        values = self.values[expr.value]
        found = self.awaited(values)
        for value in values:
            if value[0] in (v.INSTANCE, v.OPEN) and self.solver.calls.is_special(value[1], "__await__"):
                started = self.solver.calls.method(self, index, value, "__await__", [], "operator")
                given = (self.cells.read((c.RETURN, one[1])) for one in started if one[0] == v.STARTED)
                found = (found - {value}).union(*given)
        return found

    def awaited(self, values: Values) -> Values:
        """Return what awaiting values gives."""
        found: set[Value] = set()
        for value in values:
            if value[0] == v.STARTED and self.solver.tree.scopes[value[1]].is_async:
                found |= self.solver.returned(value[1], value[2], self.cells.read((c.RETURN, value[1])))
            else:
                found.add(value)
        return frozenset(found)

    def _yield(self, index: int, expr: ir.Yield) -> Values:
        if expr.value >= 0:
            self.cells.join((c.YIELD, self.info.sid), self.solver.passed(self.values[expr.value]))
        return self.cells.read((c.SENT, self.info.sid))

    def _yield_from(self, index: int, expr: ir.YieldFrom) -> Values:
        values = self.values[expr.value]
        self.cells.join((c.YIELD, self.info.sid), self.solver.passed(self.take(values, (ir.ITERATE,))))
        found: set[Value] = set()
        for value in values:
            if value[0] == v.STARTED:
                self.cells.join((c.SENT, value[1]), self.cells.read((c.SENT, self.info.sid)))
                found |= self.cells.read((c.RETURN, value[1]))
        return frozenset(found)

    # --- collections -------------------------------------------------------------------------------------------------

    def container(self, index: int, part: int, kind: str) -> Value:
        """Return the collection that expression `index` makes; `part` tells several apart."""
        return (v.CONTAINER, self.info.sid, index, part, kind)

    def put(self, container: Value, key: Any, values: Iterable[Value]) -> None:
        """Store an element."""
        if self.cells.is_frozen:
            return
        self.cells.join_table((c.ELEMENT, container), key, self.solver.passed(frozenset(values)))

    def elements(self, container: Value, key: Any = c.ANY) -> Values:
        """Return the elements of a collection, those under `key` where it is known."""
        if key == c.ANY:
            found = self.cells.whole((c.ELEMENT, container))
        else:
            table = self.cells.table((c.ELEMENT, container))
            found = table.get(key, NOTHING) | table.get(c.ANY, NOTHING)
        return self._promised(container, found) if self.solver.emitting else found

    def _promised(self, container: Value, found: Values) -> Values:
        """Return what the annotation of a collection leaves of its elements: all, where none of them is what it says.

        Only while emitting: leaving values out is not monotone.
        """
        promised = self.solver.element_classes.get(container)
        return found if promised is None else within(self.solver.classes, found, promised)

    def keys(self, container: Value) -> Values:
        """Return the keys of a dict that are of the tree."""
        return self.cells.read((c.KEYS, container))

    def put_key(self, container: Value, values: Values) -> None:
        """Store a key of a dict where it is of the tree: names and numbers are many, and lead nowhere."""
        kept = frozenset(value for value in values if value[0] in _KEYS)
        if kept and container[4] == "builtins.dict":
            self.cells.join((c.KEYS, container), kept)

    def _sequence(self, index: int, expr: ir.Sequence) -> Values:
        if expr.form == "tuple" and not self._holds_tree(expr.items):
            return _TUPLE
        made = self.container(index, 0, f"builtins.{expr.form}")
        indexed = expr.form != "set" and len(expr.items) <= MAX_INDEX
        for position, item in enumerate(expr.items):
            if isinstance(self.exprs[item], ir.Starred):
                indexed = False
                self.put(made, c.ANY, self.take(self.values[item], (ir.ITERATE,)))
            else:
                self.put(made, position if indexed else c.ANY, self.values[item])
        return frozenset([made, *_TUPLE]) if expr.form == "tuple" else frozenset([made])

    def _holds_tree(self, items: Iterable[int]) -> bool:
        """Tell whether something of the tree is among the items: a tuple of outside values is an outside value."""
        held = (value for item in items for value in self.values[item] if value[0] not in (v.RESULT, v.TEXT_LIKE))
        return any(value[0] != v.TEXT or self.solver.names_something(value) for value in held)

    def _dict(self, index: int, expr: ir.Dict) -> Values:
        made = self.container(index, 0, "builtins.dict")
        for key, value in zip(expr.keys, expr.values, strict=True):
            if key < 0:
                self.copy_entries(self.values[value], made)
            else:
                self.put(made, self.key_of(key), self.values[value])
                self.put_key(made, self.values[key])
        return frozenset([made])

    def copy_entries(self, values: Values, made: Value) -> None:
        """Copy what collections hold into another one, key by key."""
        for value in values:
            if value[0] == v.CONTAINER and value != made:
                self.cells.copy((c.ELEMENT, value), (c.ELEMENT, made))
                if value[4] == "builtins.dict":
                    self.put_key(made, self.keys(value))

    def key_of(self, index: int) -> Any:
        """Return the constant that an index or key expression is, ANY where it is none."""
        expr = self.exprs[index]
        if isinstance(expr, ir.Const) and not expr.form and isinstance(expr.value, (str, int)):
            return expr.value
        if isinstance(expr, ir.Unary) and expr.op == "-":
            return c.ANY
        texts = [value[1] for value in self.values[index] if value[0] == v.TEXT]
        return texts[0] if len(texts) == 1 == len(self.values[index]) else c.ANY

    def _comp(self, index: int, expr: ir.Comp) -> Values:
        for clause in expr.clauses:
            for test in clause.conditions:
                if self.values[test]:
                    self.solver.operators.truth(self, test, self.values[test])
        made = self.container(index, 0, "builtins." + ("list" if expr.form == "generator" else expr.form))
        self.put(made, c.ANY, self.values[expr.value if expr.value >= 0 else expr.element])
        if expr.value >= 0:
            self.put_key(made, self.values[expr.element])
            self.solver.operators.keyed(self, index, (made,), self.values[expr.element])
        return frozenset([made])

    def _subscript(self, index: int, expr: ir.Subscript) -> Values:
        found: set[Value] = set()
        self.solver.operators.keyed(self, index, self.values[expr.value], self.values[expr.index])
        for value in self.values[expr.value]:
            kind = value[0]
            if kind == v.CONTAINER:
                found |= self._item(value, index, expr)
            elif kind in (v.CLASS, v.OPEN_CLASS):
                self.solver.calls.index_class(self, index, value)
                found.add(value)
            elif kind in (v.OUTSIDE, v.RESULT, v.OUTER):
                found.add(_OPAQUE if kind != v.OUTSIDE else value)
                if kind == v.OUTSIDE and value[1] == MODULES:
                    found |= self.solver.namespaces.module(self.values[expr.index])
            elif kind in (v.MEMBER, v.FUNCTION):
                found.add(value)  # a function is subscripted where a decorator made a kernel of it: `kernel[grid](...)`
            elif kind in (v.INSTANCE, v.OPEN):
                found |= self.solver.operators.subscript(self, index, value, self.values[expr.index])
            elif kind in (v.TEXT, v.TEXT_LIKE):
                found.add(_A_STRING)
            elif kind == v.NAMESPACE:
                found |= self.solver.namespaces.item(self, index, value, self.values[expr.index])
            elif kind == v.PIECES:
                found |= self.solver.patterns.piece(self, value, expr.index)
        return frozenset(found)

    def _item(self, value: Value, index: int, expr: ir.Subscript) -> Values:
        inner = self.exprs[expr.index]
        if isinstance(inner, ir.Slice):
            return self._slice(value, index, inner)
        key = self.key_of(expr.index)
        fresh = self._fresh.get((value, key)) if self._fresh else None
        if fresh is not None and len(self.values[expr.value]) == 1 and same_run(self.scope.body, fresh[0], index):
            return fresh[1]
        if value[3] == WITH_FACTORY:
            self.solver.collections.lacking(self, index, value)
        if key == c.ANY and self.info.id == "__getattr__" and self._gives_asked(index, inner):
            return frozenset([(v.NAMED, value)])
        return self.elements(value, key)

    def _gives_asked(self, index: int, key: ir.Expr) -> bool:
        """Tell whether a `__getattr__` returns what an expression finds under the very name that it is asked for."""
        return self.is_asked_name(key) and index in leaving(self.scope.body)[0]

    def is_asked_name(self, expr: ir.Expr) -> bool:
        """Tell whether an expression is the name that the `__getattr__` around is asked for; a module's own has no `self`."""
        asked = 0 if self.info.outer == self.info.module.scopes[0].sid else 1
        return isinstance(expr, ir.Name) and self.info.id == "__getattr__" and self.scope.uses[expr.use] == (asked,)

    def _slice(self, value: Value, index: int, expr: ir.Slice) -> Values:
        """A slice with constant bounds shifts the elements whose index is known."""
        lower = self._bound(expr.lower, 0)
        upper = self._bound(expr.upper, MAX_INDEX)
        if expr.step >= 0 or lower is None or upper is None or (value[1] == self.info.sid and value[2] == index):
            return frozenset([value])
        made = self.container(index, 0, value[4])
        for key, held in self.cells.table((c.ELEMENT, value)).items():
            if not isinstance(key, int):
                self.put(made, c.ANY, held)
            elif lower <= key < upper:
                self.put(made, key - lower, held)
        return frozenset([made])

    def _bound(self, index: int, absent: int) -> int | None:
        expr = self.exprs[index] if index >= 0 else None
        if expr is None:
            return absent
        if isinstance(expr, ir.Const) and isinstance(expr.value, int) and not isinstance(expr.value, bool):
            return expr.value
        return None

    # --- stores ------------------------------------------------------------------------------------------------------

    def take(self, values: Values, how: tuple[int, ...], index: int = -1) -> Values:
        """Return what the steps `how` of a store take from values. Source: `ir.Bind.how`."""
        for number, step in enumerate(how):
            if not values:
                break
            awaited = how[number + 1 : number + 2] == (ir.AWAITED,)
            values = self.solver.calls.step(self, index, values, step, awaited=awaited)
        return values

    def _stored(self, index: int, value: int, how: tuple[int, ...], annotation: int) -> Values:
        found = self.values[value] if value >= 0 else NOTHING
        if how:
            found = self.take(found, how, index)
            if how[0] == ir.ITERATE and isinstance(shown := self.exprs[value], ir.Sequence):
                found |= self._texts(shown, how[1:])
        if annotation >= 0 and not (value >= 0 and not how and self._is_plain(value)):
            term = term_of(self.exprs, annotation)
            meant = self.solver.annotated(self.info, term)
            if meant is not None:
                self._declare_elements(found, value, term)
                found = found | meant.values
        return found

    def _texts(self, shown: ir.Sequence, how: tuple[int, ...]) -> Values:
        """Return the constant strings that a loop takes from a display: collections keep only those that lead to code."""
        if len(shown.items) > MAX_INDEX or len(how) > 1:
            return NOTHING
        items = list(shown.items)
        if how:
            pairs = [expr.items for item in items if isinstance(expr := self.exprs[item], ir.Sequence)]
            items = [pair[how[0]] for pair in pairs if 0 <= how[0] < len(pair)]
        return frozenset(value for item in items for value in self.values[item] if value[0] == v.TEXT)

    def _declare_elements(self, found: Values, value: int, term: Term) -> None:
        """Note what the annotation of a name says of the elements of a collection that is made for it."""
        for made in found:
            if made[0] == v.CONTAINER and made[1] == self.info.sid and made[2] == value:
                self.solver.declare_elements(self.info, term, made)

    def _is_plain(self, index: int) -> bool:
        """Tell whether names alone say what class an expression is or makes: its annotation then adds nothing."""
        expr = self.exprs[index]
        if not isinstance(expr, (ir.Name, ir.Attr, ir.Call)):
            return False
        values = self.solver.lexical.term_values(self.info, term_of(self.exprs, index))
        return bool(values) and all(value[0] == v.CLASS for value in values)

    def _bind(self, index: int, expr: ir.Bind) -> Values:
        is_plain = expr.value >= 0 > expr.annotation and not expr.how
        found = self.values[expr.value] if is_plain else self._stored(index, expr.value, expr.how, expr.annotation)
        if not found and self.info.form == "module" and expr.value >= 0:
            found = self._number(expr.value)
        if expr.id in self.scope.globals:
            self.cells.join((c.NAME, self.info.module.scopes[0].sid, expr.id), found)
        elif expr.id in self.scope.nonlocals:
            for scope, name in self.solver.lexical.free(self.info, expr.id).cells:
                self.cells.join((c.NAME, scope, name), found)
        return found

    def _number(self, index: int) -> Values:
        """Keep an integer that a module gives a name: it may index a table."""
        expr = self.exprs[index]
        if isinstance(expr, ir.Const) and expr.value.__class__ is int and not expr.form:
            return frozenset([(v.TEXT, expr.value)])
        return NOTHING

    def _store_attr(self, index: int, expr: ir.StoreAttr) -> Values:
        found = self._stored(index, expr.value, expr.how, expr.annotation)
        self.store_attribute(index, self.values[expr.object], expr.id, found)
        return found

    def store_attribute(
        self, index: int, receivers: Values, name: str, found: Values, *, is_plain: bool = False
    ) -> None:
        """Store values under an attribute of receivers; `is_plain`: in their dict, so that nothing runs."""
        kept = self.solver.passed(found) if not self.cells.is_frozen else NOTHING
        for value in receivers:
            kind = value[0]
            if kind in (v.INSTANCE, v.OPEN, v.CLASS, v.OPEN_CLASS):
                if kept:
                    root = self.solver.classes.root(value[1])
                    held = kept if kind in (v.INSTANCE, v.OPEN) else self._as_methods(kept, value[1])
                    self.cells.join_table((c.ATTRIBUTE, root, name), value[1], held)
                if kind in (v.INSTANCE, v.OPEN) and not is_plain:
                    self.solver.calls.set_property(self, index, value, name, found)
                    if self.solver.calls.is_special(value[1], "__setattr__"):
                        self.solver.calls.method(self, index, value, "__setattr__", [NOTHING, found], "operator")
            elif kind == v.MODULE:
                module = self.solver.tree.modules.get(value[1])
                if module is not None:
                    self.cells.join((c.NAME, module.scopes[0].sid, name), kept)
                    if kept:
                        patch(self.solver, module, name)

    def _as_methods(self, values: Values, cls: ScopeId) -> Values:
        """Return what objects of a class have of values that are stored on the class: its functions are their methods."""
        if all(value[0] != v.FUNCTION for value in values):
            return values
        adopt(self, values, cls)
        return frozenset(v.bound(o, (v.OPEN, cls), False) if o[0] == v.FUNCTION else o for o in values)

    def _store_item(self, index: int, expr: ir.StoreItem) -> Values:
        found = self.values[expr.value] if expr.value >= 0 else NOTHING
        if expr.how:
            found = self.take(found, expr.how, index)
        self.solver.operators.keyed(self, index, self.values[expr.object], self.values[expr.index])
        for value in self.values[expr.object]:
            if value[0] == v.CONTAINER:
                key = self.key_of(expr.index)
                self.put(value, key, found)
                self.put_key(value, self.values[expr.index])
                if key != c.ANY and len(self.values[expr.object]) == 1:
                    self._fresh[value, key] = (index, found)
                    self._again = min(self._again, index)
            elif value[0] in (v.INSTANCE, v.OPEN):
                arguments = [self.values[expr.index], found]
                self.solver.calls.method(self, index, value, "__setitem__", arguments, "operator")
            elif value[0] == v.NAMESPACE:
                self.solver.namespaces.store(self, index, value, self.values[expr.index], found)
        return NOTHING

    def _remove(self, index: int, expr: ir.Remove) -> Values:
        if expr.object >= 0:
            name = "__delitem__" if expr.index >= 0 else "__delattr__"
            if expr.index >= 0:
                self.solver.operators.keyed(self, index, self.values[expr.object], self.values[expr.index])
            self.solver.operators.special(self, index, self.values[expr.object], name)
        return NOTHING

    # --- definitions and imports -------------------------------------------------------------------------------------

    def _import(self, index: int, expr: ir.Import) -> Values:
        return frozenset([self.solver.lexical.module_value(expr.bound)])

    def _import_from(self, index: int, expr: ir.ImportFrom) -> Values:
        if expr.name == "*":
            return NOTHING
        module = self.info.module.absolute(expr.module, expr.level)
        found = self.meaning(self.solver.lexical.member(module, expr.name))
        return found | self.solver.attributes.ask_module(self, index, module, expr.name, not found)

    def _function(self, index: int, expr: ir.Function) -> Values:
        inner = self.solver.inner(self.info, expr.scope)
        self._pass_defaults(inner)
        self.solver.wrapping.declare(self, inner)
        values: Values = frozenset([(v.FUNCTION, inner.sid)])
        for decorator in reversed(expr.decorators):
            values = self.solver.calls.decorate(self, decorator, values)
        return values

    def _class(self, index: int, expr: ir.Class) -> Values:
        inner = self.solver.inner(self.info, expr.scope)
        values: Values = frozenset([(v.CLASS, inner.sid)])
        self.solver.creation.create(self, index, expr, inner)
        for decorator in reversed(expr.decorators):
            self.solver.calls.decorate(self, decorator, values)
        return values

    def _pass_defaults(self, inner: ScopeInfo) -> None:
        if self.cells.is_frozen:
            return
        for number, default in self.solver.defaults(inner):
            self.cells.join((c.PARAM, inner.sid, number), self.solver.passed(self.values[default]))

    # --- attributes and calls ----------------------------------------------------------------------------------------

    def _attr(self, index: int, expr: ir.Attr) -> Values:
        read = self.solver.attributes.read
        values = self.values[expr.value]
        if len(values) == 1:
            (value,) = values
            found = read(self, index, value, expr.id)
        else:
            found = NOTHING.union(*[read(self, index, value, expr.id) for value in values])
        return self._defined_before(index, found) if self._lends and len(found) > 1 else found

    def _defined_before(self, index: int, values: Values) -> Values:
        """Return what an attribute held, without the functions that this scope only defines behind it, to replace it."""
        scopes = self.solver.tree.scopes
        own = [o for o in values if o[0] in (v.FUNCTION, v.BOUND) and scopes[o[1]].outer == self.info.sid]
        if not own:
            return values
        places = {e.scope: at for at, e in enumerate(self.exprs) if isinstance(e, (ir.Function, ir.Lambda))}
        later = {
            o
            for o in own
            if (at := places.get(scopes[o[1]].index, -1)) > index and same_run(self.scope.body, index, at)
        }
        return values - later

    def _call(self, index: int, expr: ir.Call) -> Values:
        called = self.values[expr.func]
        if self._fresh:
            self._fresh.clear()
        if not called:
            return NOTHING
        if self.forward is not None and index in self.forward.calls:
            return self._call_wrapped(index, called, self._arguments(expr))
        if len(called) == 1:
            (value,) = called
            plain = self.solver.outside.plain(value)
            if plain is not None:
                if value[0] == v.OUTSIDE:
                    self.note(index, value[1], "call")
                return plain
            return self.solver.calls.call(self, index, value, self._arguments(expr))
        arguments = self._arguments(expr)
        found: set[Value] = set()
        for value in called:
            found |= self.solver.calls.call(self, index, value, arguments)
        return frozenset(found)

    def _call_wrapped(self, index: int, called: Values, arguments: Arguments) -> Values:
        """Call what this function wraps: those who call it have given that its arguments. Source: `wrapping`."""
        stars, double_stars = ([NOTHING] * len(given) for given in (arguments.stars, arguments.double_stars))
        bare = Arguments(arguments.positional, arguments.keywords, stars, double_stars)
        is_loose = self.solver.wrapping.is_loose(self.info.sid)
        found: set[Value] = set()
        for value in called:
            is_given = value[0] in (v.FUNCTION, v.BOUND) and not is_loose
            found |= self.solver.calls.call(self, index, value, bare if is_given else arguments)
        return frozenset(found)

    def _arguments(self, expr: ir.Call) -> Arguments:
        given = self.values
        positional: list[Values] = []
        others: list[ir.Arg] = []
        for argument in expr.args:
            if others or argument.star or argument.name is not None:
                others.append(argument)
            else:
                positional.append(given[argument.value])
        if not others:
            return Arguments(positional)
        keywords = {a.name: given[a.value] for a in others if a.name is not None}
        stars = [given[a.value] for a in others if a.star == 1]
        double_stars = [given[a.value] for a in others if a.star == 2]
        tail = [given[a.value] for a in others if not a.star and a.name is None]
        return Arguments(positional, keywords, stars, double_stars, tail)

    def note(self, index: int, callee: ScopeId | str, kind: str, family: bool = False) -> None:
        """Tell the recorder, if there is one, that expression `index` runs `callee`."""
        if self._noted is not None and index >= 0:
            self._noted.append((index - index_of(self.cells.reader), callee, kind, family))
        if self.record is not None:
            self.record(index, callee, kind, family)


_KEYS = (v.FUNCTION, v.CLASS, v.OPEN_CLASS, v.INSTANCE, v.OPEN, v.BOUND)
"""Kinds of values that are kept as keys of dicts."""
_TUPLE: Values = frozenset([(v.RESULT, "builtins.tuple")])
_A_STRING: Value = (v.RESULT, "builtins.str")
_OPAQUE: Value = (v.RESULT, "")


_HANDLERS: dict[type, Callable[[Frame, int, Any], Values]] = {
    ir.Const: Frame._const,
    ir.Attr: Frame._attr,
    ir.Call: Frame._call,
    ir.Subscript: Frame._subscript,
    ir.Bool: Frame._bool,
    ir.Unary: Frame._unary,
    ir.Binary: Frame._binary,
    ir.Compare: Frame._compare,
    ir.Ternary: Frame._ternary,
    ir.Lambda: Frame._lambda,
    ir.Comp: Frame._comp,
    ir.Sequence: Frame._sequence,
    ir.Dict: Frame._dict,
    ir.Joined: Frame._joined,
    ir.Starred: Frame._starred,
    ir.Await: Frame._await,
    ir.Yield: Frame._yield,
    ir.YieldFrom: Frame._yield_from,
    ir.Bind: Frame._bind,
    ir.StoreAttr: Frame._store_attr,
    ir.StoreItem: Frame._store_item,
    ir.Remove: Frame._remove,
    ir.Import: Frame._import,
    ir.ImportFrom: Frame._import_from,
    ir.Function: Frame._function,
    ir.Class: Frame._class,
}
