"""Classes that stand for an object they hold: they forward methods to it under their own names.

Approximates: under (a class that forwards fewer than two methods is none); over (what it holds is taken from annotations and
from what its constructor makes, else to be any class beside it below one of its bases).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from codepath.analysis.detect.families import Families
from codepath.analysis.detect.tables import Site
from codepath.model import ir
from codepath.program.annotations import Term
from codepath.program.bodies import Body
from codepath.program.tree import ScopeInfo
from codepath.program.values import CLASS, MODULE, OUTSIDE

_FEWEST = 2
_OWN = ("self", "cls")


class Held(NamedTuple):
    """A class of something that an object holds; `is_made`: its constructor makes one of just that class."""

    info: ScopeInfo
    is_made: bool


@dataclass(frozen=True)
class Wrapper:
    """A class that wraps another object.

    Args:
        info: The class.
        forwards: The methods that it hands on, with a place that does so.
        inner: The classes of what it holds, their subclasses included where it does not make it itself.
        is_known: Whether annotations or constructions tell what it holds.
    """

    info: ScopeInfo
    forwards: dict[str, Site]
    inner: tuple[ScopeInfo, ...]
    is_known: bool


class Wrappers:
    """Finds wrappers; kept for each class. `fewest` are the methods that one forwards to what has a base in common with it."""

    def __init__(self, families: Families, fewest: int = _FEWEST) -> None:
        self._families = families
        self._fewest = fewest
        self._tree = families.tree
        self._found: dict[int, Wrapper | None] = {}

    def of(self, info: ScopeInfo, alike: frozenset[str] = frozenset()) -> Wrapper | None:
        """Return a class as a wrapper, None where it is none; `alike` are classes of which one wraps another in any case."""
        if info.sid not in self._found:
            self._found[info.sid] = self._wrapper(info, alike)
        return self._found[info.sid]

    def _wrapper(self, info: ScopeInfo, alike: frozenset[str]) -> Wrapper | None:
        forwards = self.forwards(info)
        is_one = info.name in alike
        if not forwards or (len(forwards) < self._fewest and not is_one):
            return None
        held = [one for one in self.held(info) if one.info.sid != info.sid]
        if len(forwards) < _FEWEST and not is_one:  # so little tells only of what is beside it
            held = [one for one in held if self._is_beside(info, one.info)]
            if not held:
                return None
        kin = [one for one in held if (is_one and one.info.name in alike) or self._is_kin(one.info, forwards)]
        if held and not kin:
            return None
        kin = [one for one in kin if self._is_beside(info, one.info)] or kin
        inner = {c.sid: c for one in kin for c in ([one.info] if one.is_made else self._below(one.info))}
        if not held:
            inner = {c.sid: c for base in self._beside(info) for c in self._below(base)}
        own = {info.sid, *self._families.classes.below(info.sid)}
        rest = (c for c in inner.values() if c.sid not in own)
        kept = tuple(sorted(rest, key=lambda c: (c.module.path, c.at)))
        return Wrapper(info, forwards, kept, bool(kin)) if kept else None

    def forwards(self, info: ScopeInfo) -> dict[str, Site]:
        """Return the methods of a class body that call a method of their own name on another object."""
        found: dict[str, Site] = {}
        for name, method in self._families.table(info.sid).methods.items():
            if name.startswith("__") or method.form in ("static", "class"):
                continue
            body = self._tree.bodies.of(method.info)
            for index, expr in enumerate(body.scope.exprs):
                if isinstance(expr, ir.Attr) and expr.id == name and self._is_other(body, expr.value):
                    found.setdefault(name, Site(method.info.sid, index, expr.at))
        return found

    def _is_other(self, body: Body, index: int) -> bool:
        """Tell whether an expression is another object: not `self`, `super()`, a class or a module."""
        expr = body.scope.exprs[index]
        if isinstance(expr, ir.Call):
            func = body.scope.exprs[expr.func]
            return not (isinstance(func, ir.Name) and func.id == "super")
        if isinstance(expr, ir.Name):
            if expr.id in _OWN:
                return False
            values = () if body.scope.uses[expr.use] else self._tree.bodies.meaning(body.info, expr.id).values
            return not any(v[0] in (CLASS, MODULE, OUTSIDE) for v in values)
        return isinstance(expr, (ir.Attr, ir.Subscript))

    # --- what it holds -----------------------------------------------------------------------------------------------

    def held(self, info: ScopeInfo) -> list[Held]:
        """Return the classes of what the constructor stores: by annotations of its parameters, or because it makes them."""
        found = self._families.method(info, "__init__")
        if found is None:
            return []
        body = self._tree.bodies.of(found[1].info)
        classes: dict[int, Held] = {}
        for expr in body.scope.exprs:
            if isinstance(expr, ir.StoreAttr) and expr.value >= 0 and not expr.how:
                for held in self._classes_of(body, expr.value):
                    classes[held.info.sid] = held
        return list(classes.values())

    def _classes_of(self, body: Body, index: int) -> Iterator[Held]:
        expr = body.scope.exprs[index]
        outer = self._tree.info(body.info.outer)
        if isinstance(expr, ir.Name):
            param = next((p for p in body.info.params if p.id == expr.id), None)
            for term in _parts(param.annotation) if param is not None else ():
                values = self._tree.bodies.term_values(outer, term)
                yield from (Held(cls, False) for cls in self._tree.bodies.class_values(values))
        elif isinstance(expr, ir.Call):
            func = body.scope.exprs[expr.func]
            if isinstance(func, ir.Name) and not any(d >= 0 for d in body.scope.uses[func.use]):
                values = self._tree.bodies.meaning(body.info, func.id).values
                yield from (Held(cls, True) for cls in self._tree.bodies.class_values(values))

    def _is_kin(self, cls: ScopeInfo, forwards: dict[str, Site]) -> bool:
        """Tell whether a class is what the methods are forwarded to: it, or one below it, has two of them."""
        return any(
            sum(1 for name in forwards if self._families.method(one, name) is not None) >= min(_FEWEST, len(forwards))
            for one in self._below(cls)
        )

    def _is_beside(self, info: ScopeInfo, cls: ScopeInfo) -> bool:
        """Tell whether two classes have a base of the tree in common, or one is the base of the other."""
        order = self._families.classes.mro
        return not set(order(info.sid)).isdisjoint(order(cls.sid))

    def _below(self, cls: ScopeInfo) -> list[ScopeInfo]:
        return self._tree.with_below([cls])

    def _beside(self, info: ScopeInfo) -> list[ScopeInfo]:
        """Return the nearest base of the tree that has other classes below it."""
        for sid in self._families.classes.mro(info.sid)[1:]:
            base = self._tree.info(sid)
            self._tree.load_below(base.id)
            if len(self._families.classes.below(sid)) > 1:
                return [base]
        return []


def _parts(term: Term) -> Iterator[str]:
    if isinstance(term, str):
        if term:
            yield term
    else:
        for part in term[1]:
            yield from _parts(part)
