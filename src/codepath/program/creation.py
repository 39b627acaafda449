"""What runs when a class statement is executed: metaclasses, `__init_subclass__` and `__set_name__`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.arguments import Arguments
from codepath.program.tree import DYNAMIC, ScopeInfo
from codepath.program.values import NOTHING, ScopeId, Value, Values

if TYPE_CHECKING:
    from codepath.program.frame import Frame
    from codepath.program.solver import Solver


class Creation:
    """The creation of classes. `metaclass` and `made_by` tell which metaclass a class has, and the reverse."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self._metaclasses: dict[ScopeId, ScopeId | None] = {}
        self._made_by: dict[ScopeId, tuple[ScopeId, ...]] = {}
        self._declared = 0

    def create(self, frame: Frame, index: int, expr: ir.Class, inner: ScopeInfo) -> None:
        """Run what a class statement runs beside the body."""
        cls = inner.sid
        keywords = {a.name: frame.values[a.value] for a in expr.bases if a.name and a.name != "metaclass"}
        self._make(frame, index, self.metaclass(cls))
        self._init_subclass(frame, index, cls, keywords)
        if self.solver.calls.is_defined("__set_name__"):
            self._set_names(frame, index, inner)

    def create_at_run_time(self, frame: Frame, index: int, bases: Values) -> Values:
        """Return the classes that `type(name, bases, dict)` gives: they stand for subclasses of the bases."""
        held = {base for value in bases if value[0] == v.CONTAINER for base in frame.elements(value)}
        found: set[Value] = set()
        for base in sorted(b for b in held if b[0] in (v.CLASS, v.OPEN_CLASS)):
            self._make(frame, index, self.metaclass(base[1]))
            found.add((v.OPEN_CLASS, base[1]))
        return frozenset(found)

    def _make(self, frame: Frame, index: int, metaclass: ScopeId | None) -> None:
        if metaclass is None:
            return
        for name in ("__prepare__", "__new__", "__init__"):
            self._run(frame, index, metaclass, name, None, {})

    def _init_subclass(self, frame: Frame, index: int, cls: ScopeId, keywords: Mapping[str, Values]) -> None:
        if self.solver.calls.is_defined("__init_subclass__"):
            self._run(frame, index, cls, "__init_subclass__", cls, keywords)

    def _run(
        self, frame: Frame, index: int, cls: ScopeId, name: str, after: ScopeId | None, keywords: Mapping[str, Values]
    ) -> None:
        found = self.solver.classes.find(cls, name, after=after)
        for held in frame.meaning(found.meaning) if found is not None else ():
            inner = held[1] if held[0] == v.CLASSMETHOD else held
            if inner[0] == v.FUNCTION:
                frame.note(index, inner[1], "dispatch")
                self.solver.calls.hand(frame, inner, (v.CLASS, cls), Arguments(keywords=dict(keywords)))

    def _set_names(self, frame: Frame, index: int, inner: ScopeInfo) -> None:
        for name, origins in inner.names.items():
            if DYNAMIC not in origins:
                continue
            for value in self.solver.cells.read((c.NAME, inner.sid, name)):
                if value[0] == v.INSTANCE and self.solver.calls.is_special(value[1], "__set_name__"):
                    owner: Values = frozenset([(v.OPEN_CLASS, inner.sid)])
                    self.solver.calls.method(frame, index, value, "__set_name__", [owner, NOTHING], "dispatch")

    # --- metaclasses -------------------------------------------------------------------------------------------------

    def metaclass(self, cls: ScopeId) -> ScopeId | None:
        """Return the metaclass of a class where it is one of the tree."""
        self._refresh()
        if cls in self._metaclasses:
            return self._metaclasses[cls]
        before = self.solver.lexical.misses
        found = self._find_metaclass(cls)
        if self.solver.lexical.misses == before:
            self._metaclasses[cls] = found
        return found

    def _find_metaclass(self, cls: ScopeId) -> ScopeId | None:
        scopes = self.solver.tree.scopes
        for owner in self.solver.classes.mro(cls):
            for name, term in scopes[owner].bases:
                if name == "metaclass":
                    around = scopes[scopes[owner].outer]
                    values = self.solver.lexical.term_values(around, term)
                    found = [value[1] for value in values if value[0] == v.CLASS]
                    return min(found, key=lambda sid: (scopes[sid].name, scopes[sid].at), default=None)
        return None

    def made_by(self, metaclass: ScopeId) -> tuple[ScopeId, ...]:
        """Return the classes that name a metaclass, sorted."""
        self._refresh()
        if not self._made_by:
            self._made_by = {ScopeId(-1): ()}
            for info in self.solver.tree.scopes:
                if info.form == "class" and any(name == "metaclass" for name, _ in info.bases):
                    found = self.metaclass(info.sid)
                    if found is not None:
                        self._made_by[found] = (*self._made_by.get(found, ()), info.sid)
        return self._made_by.get(metaclass, ())

    def _refresh(self) -> None:
        if self._declared != len(self.solver.tree.scopes):
            self._declared = len(self.solver.tree.scopes)
            self._metaclasses.clear()
            self._made_by = {}
