"""Conditions that a function tests more than once: they cannot differ within one activation.

Only what cannot have changed in between counts: parameters and local names that are bound at the same places, outside any
loop, constants, and attributes of `self` that constructors alone store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import product

from codepath.analysis.meanings import is_self
from codepath.model import ir
from codepath.program.bodies import Body
from codepath.program.subtrees import children

MAX_ATOMS = 5
Atom = tuple[object, ...]


class Conditions:
    """The tests of one function as combinations of atoms. `is_fixed` tells whether an attribute of `self` cannot change."""

    def __init__(self, body: Body, tests: Iterable[int], is_fixed: Callable[[str], bool]) -> None:
        self._body = body
        self._exprs = body.scope.exprs
        self._is_fixed = is_fixed
        self._known: dict[int, Atom | None] = {}
        self.tests = sorted(set(tests))

    def shared(self) -> list[Atom]:
        """Return the atoms that several tests hold, those of most tests first."""
        counts: dict[Atom, int] = {}
        for test in self.tests:
            for atom in dict.fromkeys(self._atoms(test)):
                counts[atom] = counts.get(atom, 0) + 1
        found = [atom for atom, count in counts.items() if count > 1]
        return sorted(found, key=lambda a: -counts[a])[:MAX_ATOMS]

    def assignments(self, truths: Mapping[int, bool]) -> Iterator[dict[int, bool]]:
        """Yield what tests come to under each way in which the shared atoms can be true or false."""
        atoms = self.shared()
        for values in product((True, False), repeat=len(atoms)):
            found = self.under(dict(zip(atoms, values, strict=True)), truths)
            if found is not None:
                yield found

    def under(self, atoms: Mapping[Atom, bool], truths: Mapping[int, bool]) -> dict[int, bool] | None:
        """Return what tests come to where atoms have values, None where that contradicts what is known."""
        found = dict(truths)
        for test in self.tests:
            value = self._value(test, atoms)
            if value is None:
                continue
            if found.get(test, value) != value:
                return None
            found[test] = value
        return found

    def setting(self, test: int, value: bool) -> dict[Atom, bool]:
        """Return the atoms that must have values for a test to have one; empty where it is no single atom."""
        expr = self._exprs[test]
        while isinstance(expr, ir.Unary) and expr.op == "not":
            test, value = expr.value, not value
            expr = self._exprs[test]
        atom = self._atom(test)
        return {atom: value} if atom is not None else {}

    def _atoms(self, index: int) -> Iterator[Atom]:
        expr = self._exprs[index]
        if isinstance(expr, ir.Unary) and expr.op == "not":
            yield from self._atoms(expr.value)
        elif isinstance(expr, ir.Bool):
            for value in expr.values:
                yield from self._atoms(value)
        elif (atom := self._atom(index)) is not None:
            yield atom

    def _value(self, index: int, atoms: Mapping[Atom, bool]) -> bool | None:
        expr = self._exprs[index]
        if isinstance(expr, ir.Unary) and expr.op == "not":
            inner = self._value(expr.value, atoms)
            return None if inner is None else not inner
        if isinstance(expr, ir.Bool):
            values = [self._value(i, atoms) for i in expr.values]
            stops = expr.op == "or"
            if stops in values:
                return stops
            return None if None in values else not stops
        atom = self._atom(index)
        return atoms.get(atom) if atom is not None else None

    def _atom(self, index: int) -> Atom | None:
        if index not in self._known:
            self._known[index] = self._made(index)
        return self._known[index]

    def _made(self, index: int) -> Atom | None:
        expr = self._exprs[index]
        if isinstance(expr, ir.Name):
            name = self._name(expr)
            return name if name is not None and self._is_flag(expr) else None
        if isinstance(expr, ir.Attr):
            fixed = is_self(self._body, self._exprs[expr.value]) and self._is_fixed(expr.id)
            return ("self", expr.id) if fixed else None
        if isinstance(expr, ir.Compare) and len(expr.ops) == 1:
            left, right = (self._operand(i) for i in (expr.left, expr.rights[0]))
            return None if left is None or right is None else ("compare", expr.ops, left, right)
        return None

    def _operand(self, index: int) -> Atom | None:
        expr = self._exprs[index]
        if isinstance(expr, ir.Const):
            return ("const", type(expr.value).__name__, expr.value, expr.form)
        return self._name(expr) if isinstance(expr, ir.Name) else None

    def _is_flag(self, expr: ir.Name) -> bool:
        """Tell whether the truth of a name cannot change while its value stays: it is a bool, or only ever tested."""
        first = self._body.scope.uses[expr.use][0]
        definition = self._body.scope.definitions[first]
        if definition.bind < 0 and self._body.around is not None:
            param = self._body.scope.params[first]
            if is_bool(self._body.around.exprs, param.annotation, param.default):
                return True
        return not any(
            isinstance(e, ir.Name) and e.id == expr.id and i in self._handed for i, e in enumerate(self._exprs)
        )

    @cached_property
    def _handed(self) -> frozenset[int]:
        """The expressions on whose value something can be done: receivers, arguments, what is kept or iterated."""
        found: set[int] = set()
        for expr in self._exprs:
            if isinstance(expr, _TESTING):
                continue
            found.update(children(expr))
            if isinstance(expr, (ir.Bind, ir.StoreAttr, ir.StoreItem)):
                found.update((expr.value, getattr(expr, "object", -1)))
        return frozenset(found)

    def _name(self, expr: ir.Name) -> Atom | None:
        reaching = self._body.scope.uses[expr.use]
        if not reaching or reaching[0] < 0:
            return None
        for number in reaching:
            bind = self._body.scope.definitions[number].bind
            if bind >= 0 and any(g.kind in _LOOPS for g in self._body.guards.of(bind)):
                return None
        return ("name", expr.id, reaching)


def is_bool(exprs: tuple[ir.Expr, ...], annotation: int, default: int) -> bool:
    """Tell whether a parameter says that it is a bool; annotation and default are expressions, -1 where absent."""
    said = exprs[annotation] if annotation >= 0 else None
    given = exprs[default] if default >= 0 else None
    return (isinstance(said, ir.Name) and said.id == "bool") or (
        said is None and isinstance(given, ir.Const) and isinstance(given.value, bool)
    )


_TESTING = (ir.Unary, ir.Bool, ir.Compare, ir.Ternary)
_LOOPS = frozenset(["for", "while", "comprehension"])
