"""The family of a class: what is above and below it, and which methods of one replace those of another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.hooks import StoredClass
from codepath.model.pictures import Family, FamilyClass, FamilyMethod
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph
from codepath.program.hook_facts import HookFacts


@dataclass(frozen=True, slots=True)
class Families:
    """Answers about families of one tree."""

    graph: CallGraph
    bodies: Bodies
    facts: HookFacts

    def of(self, name: str, methods: Sequence[str]) -> Family:
        """Return the family of a class by its dotted name; with `methods` the classes that define one of these, and itself."""
        cls = self.facts.by_name[name]
        around = {c.name: c for c in (*self.facts.order(cls), *self.facts.below(name))}
        own = {c.name: self._methods(c) for c in around.values()}
        shown = [c for c in around.values() if not methods or c.name == name or own[c.name].keys() & set(methods)]
        names = {c.name for c in shown}
        classes = [self._class(c, names, own, methods) for c in shown]
        return Family(name, tuple(classes), tuple(methods))

    def _class(
        self, cls: StoredClass, shown: set[str], own: dict[str, dict[str, Place]], methods: Sequence[str]
    ) -> FamilyClass:
        order = self.facts.order(cls)
        found = []
        for name, place in own[cls.name].items():
            if methods and name not in methods:
                continue
            above = next((c.name for c in order[1:] if name in own.get(c.name, ())), "")
            found.append(FamilyMethod(name, place, above, bool(above) and self._calls_super(cls.name, name)))
        return FamilyClass(
            name=cls.name,
            place=Place(cls.file, ir.line_of(cls.at), ir.column_of(cls.at), cls.name),
            bases=self._bases(order, shown),
            outside=cls.outside,
            abstract=cls.abstract,
            methods=tuple(found),
        )

    def _bases(self, order: Sequence[StoredClass], shown: Iterable[str]) -> tuple[str, ...]:
        """Return the nearest shown classes above one: those above another of them are left out."""
        above = [c for c in order[1:] if c.name in set(shown)]
        covered = {b.name for c in above for b in self.facts.order(c)[1:]}
        return tuple(c.name for c in above if c.name not in covered)

    def _methods(self, cls: StoredClass) -> dict[str, Place]:
        """Return the methods that the body of a class defines, in the order of the file."""
        info = self.bodies.scope(cls.name)
        if info is None:
            return {}
        return {
            s.id: Place(cls.file, ir.line_of(s.at), ir.column_of(s.at), s.name)
            for s in info.module.scopes
            if s.outer == info.sid and s.form == "function"
        }

    def _calls_super(self, cls: str, method: str) -> bool:
        return any(s.kind == "super" and s.callee.endswith(f".{method}") for s in self.graph.steps(f"{cls}.{method}"))
