"""Dicts of attributes: `globals()`, `vars(x)`, `x.__dict__` and `sys.modules`, read and stored by constant keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.arguments import Arguments
from codepath.program.values import NOTHING, OPAQUE, Value, Values

if TYPE_CHECKING:
    from codepath.program.frame import Frame
    from codepath.program.solver import Solver

MODULES = "sys.modules"
_HOLDERS = (v.INSTANCE, v.OPEN, v.CLASS, v.OPEN_CLASS, v.MODULE)


def namespaces(values: Iterable[Value]) -> Values:
    """Return the dicts of attributes of values that have one."""
    return frozenset((v.NAMESPACE, value) for value in values if value[0] in _HOLDERS)


class Namespaces:
    """Reads and stores of dicts of attributes."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver

    def item(self, frame: Frame, index: int, space: Value, keys: Values) -> Values:
        """Return what a dict of attributes holds under keys; what a key that is not constant gives is opaque."""
        found: set[Value] = set()
        for key in keys:
            if key[0] == v.TEXT and isinstance(key[1], str):
                found |= self.solver.attributes.read(frame, -1, space[1], key[1])  # a dict runs no property
            elif key[0] == v.TEXT_LIKE:
                found |= self.solver.patterns.attributes(frame, index, frozenset([space[1]]), key)
        return frozenset(found) or OPAQUE

    def module(self, keys: Values) -> Values:
        """Return the modules of the tree that `sys.modules` holds under keys."""
        names = (key[1] for key in keys if key[0] == v.TEXT and isinstance(key[1], str))
        return frozenset((v.MODULE, name) for name in names if self.solver.tree.is_module(name))

    def store(self, frame: Frame, index: int, space: Value, keys: Values, values: Values) -> None:
        """Store values under the constant ones of keys."""
        for key in keys:
            if key[0] == v.TEXT and isinstance(key[1], str):
                frame.store_attribute(index, frozenset([space[1]]), key[1], values, is_plain=True)

    def call_method(self, frame: Frame, index: int, value: Value, arguments: Arguments) -> Values:
        """Return what a method of a dict of attributes gives."""
        space, name = value[1], value[2]
        frame.note(index, f"builtins.dict.{name}", "call")
        given = arguments.positional
        if name in ("get", "pop", "setdefault", "__getitem__") and given:
            if name == "setdefault" and len(given) > 1:
                self.store(frame, index, space, given[0], given[1])
            return self.item(frame, index, space, given[0]).union(*given[1:2])
        if name == "update":
            for key, values in self._entries(frame, arguments):
                frame.store_attribute(index, frozenset([space[1]]), key, values, is_plain=True)
            return NOTHING
        return frozenset([(v.RESULT, f"builtins.dict.{name}")])

    def _entries(self, frame: Frame, arguments: Arguments) -> Iterator[tuple[str, Values]]:
        yield from arguments.keywords.items()
        for values in (*arguments.positional, *arguments.double_stars):
            for value in values:
                if value[0] == v.CONTAINER:
                    table = frame.cells.table((c.ELEMENT, value))
                    yield from [(key, held) for key, held in table.items() if isinstance(key, str) and key != c.ANY]
