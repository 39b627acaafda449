"""What the steps of a store take from a value: elements, what is entered, what is caught."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.frame import Frame
from codepath.program.values import NOTHING, OPAQUE, ScopeId, Value, Values

if TYPE_CHECKING:
    from codepath.program.solver import Solver


_ELSE = (v.RESULT, v.CONTAINER, v.STARTED)


class Taking:
    """Steps of stores, `next` and `with`. Source: `ir.Bind.how`."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.calls = solver.calls
        self.cells = solver.cells
        self.classes = solver.classes
        self.tree = solver.tree

    def step(self, frame: Frame, index: int, values: Values, step: int, *, awaited: bool = False) -> Values:
        """Return what one step of `ir.Bind.how` takes from values, in its awaited form if `awaited`."""
        names = ("__aiter__", "__anext__") if awaited else ("__iter__", "__next__")
        if step == ir.ITERATE and not awaited and any(value[0] in _ELSE and value in OPAQUE for value in values):
            index = -1  # something else may be iterated: nothing is claimed of `__iter__`
        found: set[Value] = set()
        for value in values:
            if step == ir.ITERATE:
                found.update(self._iterate(frame, index, value, names))
            else:
                found.update(self._step(frame, index, value, step))
        return frozenset(found)

    def _step(self, frame: Frame, index: int, value: Value, step: int) -> Iterable[Value]:
        if step >= 0:
            return self._unpack(frame, index, value, step)
        if step == ir.ENTER:
            return self.enter(frame, index, value)
        if step == ir.CAUGHT:
            return self._caught(frame, value)
        if step == ir.CAPTURED:
            return NOTHING
        return (value,)

    def _unpack(self, frame: Frame, index: int, value: Value, position: int) -> Iterable[Value]:
        if value[0] == v.CONTAINER:
            return frame.elements(value, position)
        if value[0] == v.MEMBER:
            return (value,)
        if value[0] == v.PIECES:
            return self.solver.text(value[1][position]) if position < len(value[1]) else NOTHING
        if value[0] in (v.INSTANCE, v.OPEN):
            fields = self.tree.scopes[value[1]].fields
            if position < len(fields) and self.classes.find(value[1], "__iter__") is None:
                return self.solver.attributes.of_instance(frame, index, value, fields[position][0])
        return self._iterate(frame, index, value)

    def _iterate(
        self, frame: Frame, index: int, value: Value, names: tuple[str, str] = ("__iter__", "__next__")
    ) -> Iterable[Value]:
        kind = value[0]
        if kind == v.CONTAINER:
            return frame.keys(value) if value[4] == "builtins.dict" else frame.elements(value)
        if kind == v.STARTED:
            return self.cells.read((c.YIELD, value[1]))
        if kind in (v.INSTANCE, v.OPEN):
            return self._iterate_instance(frame, index, value, *names)
        if kind in (v.CLASS, v.OPEN_CLASS):
            return (*self._iterate_class(frame, index, value, names[0]), (v.INSTANCE, value[1]))
        return OPAQUE if kind in (v.RESULT, v.OUTSIDE, v.OUTER) else NOTHING

    def _iterate_class(self, frame: Frame, index: int, value: Value, start: str) -> Iterable[Value]:
        """Iterate a class as its metaclass has it."""
        metaclass = self.solver.creation.metaclass(value[1])
        if metaclass is None or not self.calls.is_special(metaclass, start):
            return NOTHING
        return self._iterate(frame, index, (v.INSTANCE, metaclass))

    def _iterate_instance(self, frame: Frame, index: int, value: Value, start: str, following: str) -> Iterable[Value]:
        if start == "__iter__" and self._is_indexed(value[1]):
            return self.calls.method(frame, index, value, "__getitem__", [], "operator")
        found: set[Value] = set()
        for iterator in self.calls.method(frame, index, value, start, [], "operator"):
            if iterator[0] == v.STARTED:
                found |= self.cells.read((c.YIELD, iterator[1]))
            elif iterator[0] in (v.INSTANCE, v.OPEN):
                found |= frame.awaited(self.calls.method(frame, index, iterator, following, [], "operator"))
            elif iterator[0] == v.CONTAINER:
                found |= frame.elements(iterator)
        return found

    def _is_indexed(self, cls: ScopeId) -> bool:
        """Tell whether objects of a class are iterated by index, as sequences were before PEP 234."""
        if self.classes.find(cls, "__iter__") is not None or not self.calls.is_special(cls, "__getitem__"):
            return False
        return not self.solver.construction.outside_constructors(cls)

    def following(self, frame: Frame, index: int, value: Value, name: str) -> Iterable[Value]:
        """Return what `next(value)` gives, `name` being `__next__` or `__anext__`."""
        if value[0] in (v.INSTANCE, v.OPEN):
            return self.calls.method(frame, index, value, name, [], "operator")
        return self._iterate(frame, index, value)

    def enter(self, frame: Frame, index: int, value: Value) -> Iterable[Value]:
        """Enter a context manager."""
        kind = value[0]
        if kind in (v.INSTANCE, v.OPEN):
            found: set[Value] = set()
            for name in ("__enter__", "__aenter__"):
                found |= frame.awaited(self.calls.method(frame, index, value, name, [], "context"))
            for name in ("__exit__", "__aexit__"):
                self.calls.method(frame, index, value, name, [], "context")
            return found
        if kind == v.STARTED:
            return self.cells.read((c.YIELD, value[1]))
        if kind == v.RESULT and self.solver.is_modelled(value[1]):
            return (value,)  # a pool, an executor, a group of tasks
        return OPAQUE if kind in (v.RESULT, v.OUTSIDE, v.OUTER) else (value,)

    def _caught(self, frame: Frame, value: Value) -> Iterable[Value]:
        if value[0] in (v.CLASS, v.OPEN_CLASS):
            return ((v.OPEN, value[1]),)
        if value[0] == v.OUTSIDE:
            return ((v.RESULT, value[1]),)
        if value[0] == v.CONTAINER:
            return {got for held in frame.elements(value) for got in self._caught(frame, held)}
        return NOTHING
