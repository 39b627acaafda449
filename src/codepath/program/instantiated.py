"""Which classes have instances: class hierarchy analysis pruned to them (rapid type analysis).

Known only once a whole tree is solved. A class counts as instantiated where it is called, where its object is passed on as
a value, and where no subclass of the tree is instantiated either: somebody outside may do it.

Source: Bacon and Sweeney, Fast Static Analysis of C++ Virtual Function Calls (OOPSLA 1996).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.values import ScopeId, Value

if TYPE_CHECKING:
    from codepath.program.solver import Solver


class Instantiated:
    """The classes with instances, and which methods an open instance can therefore run."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._classes = solver.classes
        self._runs: dict[tuple[ScopeId, ScopeId], bool] = {}
        self._made = self._find()

    def _find(self) -> frozenset[ScopeId]:
        made: set[ScopeId] = set()
        for kind, cls in (*self._solver.calls.constructed, *self._passed_on()):
            made.add(cls)
            if kind == v.OPEN_CLASS:
                made.update(self._classes.below(cls))
        made.update(info.sid for info in self._solver.tree.scopes if info.form == "class" and info.decorators)
        for name in self._solver.members.names():
            made.update(value[1] for value in self._solver.members.of(name))
        return frozenset(made)

    def _passed_on(self) -> set[Value]:
        held: set[Value] = set()
        for key, values in self._solver.cells.everything():
            if key[0] != c.NAME:
                held.update(value for value in values if value[0] in (v.CLASS, v.OPEN_CLASS))
        return held

    def has_instances(self, cls: ScopeId) -> bool:
        """Tell whether a class, as opposed to its subclasses only, may have instances."""
        return cls in self._made or self._made.isdisjoint(self._classes.below(cls))

    def can_run(self, fn: ScopeId, cls: ScopeId) -> bool:
        """Tell whether calling the method on an instance of `cls` or of a subclass can run the function `fn`."""
        key = (fn, cls)
        found = self._runs.get(key)
        if found is None:
            found = self._runs[key] = self._can_run(fn, cls)
        return found

    def _can_run(self, fn: ScopeId, cls: ScopeId) -> bool:
        info = self._solver.tree.scopes[fn]
        owner = self._solver.tree.class_around(info)
        if owner is None or owner.names.get(info.id) is None:
            return True
        if any(str(term).rpartition(".")[2] == "abstractmethod" for term in info.decorators):
            return not self._classes.overrides(owner.sid, info.id)
        able = [one for one in (cls, *self._classes.below(cls)) if self.has_instances(one)]
        owners = {got.owner for one in able if (got := self._classes.find(one, info.id)) is not None}
        return not owners or owner.sid in owners
