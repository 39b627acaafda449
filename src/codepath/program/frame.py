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
from codepath.program.kept import FIRST, LEAVING, WHOLE, Kept, Note, index_of, reader
from codepath.program.lexical import Meaning
from codepath.program.narrowing import Test, narrow
from codepath.program.outflow import adopt, leave
from codepath.program.patches import patch
from codepath.program.promises import within
from codepath.program.tree import ScopeInfo
from codepath.program.values import NOTHING, ScopeId, Value, Values

if TYPE_CHECKING:
    from codepath.program.annotated import Meant
    from codepath.program.solver import Solver

_MAX_PASSES = 16
WITH_FACTORY = 9
"""The part of an expression that makes a dict whose missing values a factory makes."""
MAX_INDEX = 16
"""Elements of a collection that are told apart by their place."""
_LONGEST_TEXT = 80


Handlers = dict[type, Callable[["Frame", int, Any], Values]]
"""What an expression of a kind can be, asked of the frame that runs it with the number of the expression."""


class Recorder(Protocol):
    """Takes what a frame finds at the places of a scope."""

    def __call__(self, index: int, callee: ScopeId | str, kind: str, family: bool) -> None:
        """Note that expression `index` runs `callee`, a function of the tree or a dotted name outside it."""


class Frame:
    """A run of one scope. `values[i]` is what expression i can be.

    `again` is the first expression that another pass may change: one that reads what is bound further on, or a stored element
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
        self.again = len(scope.exprs)
        self.fresh: dict[tuple[Value, Any], tuple[int, Values]] = {}
        self.kept = kept
        self.is_retold = False
        self._noted: list[Note] | None = None
        self._seen: dict[str, Meaning] | None = None
        self._params: dict[int, Values] = {}
        self._fixed: dict[int, Meant | None] = {}
        self.cells.reader = reader(info.sid, WHOLE)
        self.narrowed = solver.narrowed(info, scope)
        self.forward = solver.wrapping.forwards.get(info.sid)
        self.lends = info.form == "module" or solver.captured(info)

    def run(self) -> None:
        """Evaluate the scope until its own loops add nothing, then pass on what leaves it."""
        self.values = [NOTHING] * len(self.exprs)
        self.spans = [(0, len(self.exprs))]
        self._noted = self.kept.begin() if self.kept is not None else None
        start = 0
        for _ in range(_MAX_PASSES):
            self._ahead.clear()
            self._evaluate(start, len(self.exprs))
            start = self.again
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
            self.values[index] = self.const(index, self.exprs[index])  # type: ignore[arg-type]

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
        if self.fresh:
            self.fresh.clear()
        self.cells.reader = reader(self.info.sid, index + FIRST)
        handler = self.solver.handlers.get(expr.__class__)
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
        self.fresh.clear()
        handlers = self.solver.handlers
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
            self.again = min(self.again, index)
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

    def const(self, index: int, expr: ir.Const) -> Values:
        """Return what a constant is: a string is itself, if it is short."""
        value = expr.value
        if value.__class__ is str and not expr.form and len(value) < _LONGEST_TEXT:
            return self.solver.text(value)
        return NOTHING

    def awaited(self, values: Values) -> Values:
        """Return what awaiting values gives."""
        found: set[Value] = set()
        for value in values:
            if value[0] == v.STARTED and self.solver.tree.scopes[value[1]].is_async:
                found |= self.solver.returned(value[1], value[2], self.cells.read((c.RETURN, value[1])))
            else:
                found.add(value)
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
        promised = self.solver.annotations.element_classes.get(container)
        return found if promised is None else within(self.solver.classes, found, promised)

    def keys(self, container: Value) -> Values:
        """Return the keys of a dict that are of the tree."""
        return self.cells.read((c.KEYS, container))

    def put_key(self, container: Value, values: Values) -> None:
        """Store a key of a dict where it is of the tree: names and numbers are many, and lead nowhere."""
        kept = frozenset(value for value in values if value[0] in _KEYS)
        if kept and container[4] == "builtins.dict":
            self.cells.join((c.KEYS, container), kept)

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

    def is_asked_name(self, expr: ir.Expr) -> bool:
        """Tell whether an expression is the name that the `__getattr__` around is asked for; a module's own has no `self`."""
        asked = 0 if self.info.outer == self.info.module.scopes[0].sid else 1
        return isinstance(expr, ir.Name) and self.info.id == "__getattr__" and self.scope.uses[expr.use] == (asked,)

    # --- stores ------------------------------------------------------------------------------------------------------

    def take(self, values: Values, how: tuple[int, ...], index: int = -1) -> Values:
        """Return what the steps `how` of a store take from values. Source: `ir.Bind.how`."""
        for number, step in enumerate(how):
            if not values:
                break
            awaited = how[number + 1 : number + 2] == (ir.AWAITED,)
            values = self.solver.taking.step(self, index, values, step, awaited=awaited)
        return values

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

    # --- what runs ---------------------------------------------------------------------------------------------------

    def note(self, index: int, callee: ScopeId | str, kind: str, family: bool = False) -> None:
        """Tell the recorder, if there is one, that expression `index` runs `callee`."""
        if self._noted is not None and index >= 0:
            self._noted.append((index - index_of(self.cells.reader), callee, kind, family))
        if self.record is not None:
            self.record(index, callee, kind, family)


_KEYS = (v.FUNCTION, v.CLASS, v.OPEN_CLASS, v.INSTANCE, v.OPEN, v.BOUND)
"""Kinds of values that are kept as keys of dicts."""
