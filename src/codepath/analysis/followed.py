"""Globals that one setter fills from what is assumed, such as a launch option.

Under an assumption such a global is what the setter stores. Other stores may only stand aside: the first value in the
module, a stand-in where the global is still None, and what a context manager stores for the time of its body. Inside such a
context manager, and in the code of modules, which runs before any setter, the global is not known.

Approximates: over (before the setter has run the global is still its first value; the answer names the setter).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codepath.analysis.meanings import function_named
from codepath.model import ir
from codepath.program.bodies import Bodies, Body
from codepath.program.regions import every_region

if TYPE_CHECKING:
    from codepath.analysis.constants import Folding
    from codepath.analysis.known import Facts, Known

ANYWHERE = "*"
"""Stands among the context managers around code of which it is not known inside which it runs."""
_MANAGERS = frozenset(["contextmanager", "contextlib.contextmanager"])
_Key = tuple[int, str]


@dataclass(frozen=True, slots=True)
class _Filled:
    """How a global is filled: the setter with its store, and what context managers store for a time."""

    setter: Body
    bind: int
    managers: Mapping[str, tuple[tuple[Body, int], ...]]


class Followed:
    """Tells what globals are that a setter fills."""

    def __init__(self, bodies: Bodies, folding: Folding) -> None:
        self._bodies = bodies
        self._folding = folding
        self._filled: dict[_Key, _Filled | None] = {}
        self._values: dict[_Key, Known | None] = {}
        self._differing: dict[_Key, frozenset[str]] = {}

    def value(self, owner: Body, name: str, around: Body, facts: Facts) -> tuple[Known, str] | None:
        """Return what a global of module `owner` is under what is assumed, and the function that stores it.

        `around` is the function that reads it.
        """
        filled = self._of(owner, name)
        if filled is None or around.info.form == "module" or around is filled.setter:
            return None
        found = self._value(owner, name, filled)
        if found is None:
            return None
        differing = self._differ(owner, name, filled, found) if filled.managers else frozenset()
        if differing and (ANYWHERE in facts.within or differing.intersection((*facts.within, around.info.name))):
            return None
        return found, filled.setter.info.name

    def matters(self, manager: Body) -> bool:
        """Tell whether a context manager stores something else in a global that is followed."""
        module = self._bodies.of(manager.info.module.scopes[0])
        for name in manager.scope.globals:
            filled = self._of(module, name)
            found = self._value(module, name, filled) if filled is not None else None
            if filled is None or found is None:
                continue
            if manager.info.name in self._differ(module, name, filled, found):
                return True
        return False

    def _of(self, owner: Body, name: str) -> _Filled | None:
        key = (owner.info.sid, name)
        if key not in self._filled:
            self._filled[key] = self._find(owner, name)
        return self._filled[key]

    def _value(self, owner: Body, name: str, filled: _Filled) -> Known | None:
        """Return what the setter stores, None where that does not rest on an assumption or is None."""
        key = (owner.info.sid, name)
        if key not in self._values:
            self._values[key] = None  # a setter that reads the global itself
            found = self._folding.value(filled.setter, filled.bind, self._folding.nowhere())
            if found is not None and found.assumed >= 0 and found.value is not None:
                self._values[key] = found  # of a None a stand-in would take the place
        return self._values[key]

    def _differ(self, owner: Body, name: str, filled: _Filled, found: Known) -> frozenset[str]:
        """Return the context managers that store, or may store, another value than the setter."""
        key = (owner.info.sid, name)
        if key not in self._differing:
            self._differing[key] = frozenset()  # while it is asked, the global is what the setter stores
            self._differing[key] = frozenset(
                manager
                for manager, stores in filled.managers.items()
                if not all(self._is_same(body, bind, name, found) for body, bind in stores)
            )
        return self._differing[key]

    def _is_same(self, body: Body, bind: int, name: str, found: Known) -> bool:
        """Tell whether a store puts back what was there, or stores the same."""
        stored = body.scope.exprs[bind]
        assert isinstance(stored, ir.Bind)
        value = body.scope.exprs[stored.value]
        reaching = body.scope.uses[value.use] if isinstance(value, ir.Name) else ()
        if len(reaching) == 1 and reaching[0] >= 0:
            local = body.scope.exprs[body.scope.definitions[reaching[0]].bind]
            if isinstance(local, ir.Bind) and local.value >= 0 and _is_named(body.scope.exprs[local.value], name):
                return True
        other = self._folding.value(body, bind, self._folding.nowhere())
        return other is not None and type(other.value) is type(found.value) and other.value == found.value

    def _find(self, owner: Body, name: str) -> _Filled | None:
        setters: list[tuple[Body, int]] = []
        managers: dict[str, tuple[tuple[Body, int], ...]] = {}
        for body, definition in self._stores(owner, name):
            bind = body.scope.exprs[definition.bind] if definition.bind >= 0 else None
            if definition.form != "assign" or not isinstance(bind, ir.Bind) or bind.how or bind.value < 0:
                return None
            if is_manager(body):
                known = managers.get(body.info.name, ())
                managers[body.info.name] = (*known, (body, definition.bind))
            elif not _is_stand_in(body, definition.bind, name):
                setters.append((body, definition.bind))
        if len(setters) != 1 or setters[0][0].guards.of(setters[0][1]):
            return None
        return _Filled(*setters[0], managers)

    def _stores(self, owner: Body, name: str) -> Iterator[tuple[Body, ir.Definition]]:
        """Yield the stores of a global inside functions."""
        for info in owner.info.module.scopes:
            body = self._bodies.of(info)
            if name in body.scope.globals and info.form != "module":
                for definition in body.scope.definitions:
                    if definition.id == name and definition.form != "annotation":
                        yield body, definition


class Within:
    """Tells inside which context managers of the tree that change what is followed an expression stands."""

    def __init__(self, bodies: Bodies, followed: Followed) -> None:
        self._bodies = bodies
        self._followed = followed
        self._known: dict[int, list[tuple[int, int, str]]] = {}

    def at(self, body: Body, index: int) -> tuple[str, ...]:
        """Return the context managers around an expression of a function."""
        found = self._known.get(body.info.sid)
        if found is None:
            found = self._known[body.info.sid] = list(self._of(body))
        return tuple(name for start, stop, name in found if start <= index < stop)

    def _of(self, body: Body) -> Iterator[tuple[int, int, str]]:
        """Yield the extents of the bodies of `with` with the managers they enter."""
        exprs = body.scope.exprs
        for region in every_region(body.scope.body):
            if not isinstance(region, ir.With):
                continue
            for context in region.contexts:
                call = exprs[context]
                info = function_named(self._bodies, body, call.func) if isinstance(call, ir.Call) else None
                if info is not None and self._followed.matters(self._bodies.of(info)):
                    yield region.stop, _end(region), info.name


def _end(region: ir.With) -> int:
    """Return the number behind the last expression of a region."""
    end = region.stop
    for part in every_region(region.body):
        if not isinstance(part, (ir.Jump, ir.Try)):
            end = max(end, part.stop)
    return end


def is_manager(body: Body) -> bool:
    """Tell whether a function is a context manager written as a generator."""
    return body.scope.is_generator and bool(
        _MANAGERS.intersection(t for t in body.info.decorators if isinstance(t, str))
    )


def _is_stand_in(body: Body, bind: int, name: str) -> bool:
    """Tell whether a store runs only where the global is still None."""
    exprs = body.scope.exprs
    for guard in body.guards.of(bind):
        test = exprs[guard.test] if guard.test >= 0 else None
        if isinstance(test, ir.Compare) and test.ops == ("is",) and guard.polarity:
            other = exprs[test.rights[0]]
            if _is_named(exprs[test.left], name) and isinstance(other, ir.Const) and other.value is None:
                return True
    return False


def _is_named(expr: ir.Expr, name: str) -> bool:
    return isinstance(expr, ir.Name) and expr.id == name
