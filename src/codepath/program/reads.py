"""Reads of attributes that some of the classes an object can be lack, noted while a solved tree is put into rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.program import values as v
from codepath.program.attributes import Attributes
from codepath.program.values import ScopeId, Value, Values

if TYPE_CHECKING:
    from codepath.program.frame import Frame
    from codepath.program.solver import Solver

_WATCHED = frozenset([v.INSTANCE, v.OPEN, v.CLASS, v.OPEN_CLASS, v.MEMBER])


class WatchedAttributes(Attributes):
    """Reads attributes as `Attributes` does, and notes in `lacking`, by scope and expression, what the receiver can be where
    some class that it can be lacks the attribute.

    What a base outside the tree gives is not known: a class with such a base counts as lacking what the tree does not give it.
    """

    def __init__(self, solver: Solver) -> None:
        super().__init__(solver)
        self.behind_super, self.unbound = solver.attributes.behind_super, solver.attributes.unbound
        self.lacking: dict[ScopeId, dict[int, Values]] = {}
        self._known: dict[tuple[ScopeId, str], bool] = {}
        self._noted: dict[tuple[Value, str], bool] = {}

    def read(self, frame: Frame, index: int, value: Value, name: str) -> Values:
        """Return what `value.name` can be, noted where the class of `value` lacks it."""
        if value[0] in _WATCHED and (expr := frame.exprs[index]).__class__ is ir.Attr:
            self._watch(frame, index, expr, value)
        return super().read(frame, index, value, name)

    def look_over(self, frame: Frame) -> None:
        """Note so all reads of a scope that did not run anew."""
        values = frame.values
        for index, expr in enumerate(frame.exprs):
            if expr.__class__ is ir.Attr:
                for value in values[expr.value]:
                    if value[0] in _WATCHED:
                        self._watch(frame, index, expr, value)

    def _watch(self, frame: Frame, index: int, expr: ir.Attr, value: Value) -> None:
        """Note the read of an attribute of an object where the class of that lacks it."""
        key = (value, expr.id)
        is_noted = self._noted.get(key)
        if is_noted is None:
            is_noted = self._noted[key] = self._is_noted(value, expr.id)
        if is_noted:
            self.lacking.setdefault(frame.info.sid, {})[index] = frame.values[expr.value]

    def _is_noted(self, value: Value, name: str) -> bool:
        if name.startswith("__"):
            return False
        return self._some_lack(value[1], name) if value[0] == v.MEMBER else self.lacks(value[1], name)

    def forget(self) -> None:
        """Drop what was derived, and what classes were asked."""
        super().forget()
        self._known.clear()
        self._noted.clear()

    def _some_lack(self, registry: str, name: str) -> bool:
        """Tell whether some members of a registry have an attribute and some lack it."""
        classes = (member[1] for member in self.solver.members.of(registry) if member[0] == v.CLASS)
        return len({self.lacks(cls, name) for cls in classes}) > 1

    def lacks(self, cls: ScopeId, name: str) -> bool:
        """Tell whether no class in the order of one binds a name, and no method stores it."""
        key = (cls, name)
        found = self._known.get(key)
        if found is None:
            classes = self.solver.classes
            found = classes.find(cls, name) is None and not classes.stores(cls, name, is_open=False)
            self._known[key] = found
        return found
