"""Attributes that only constructors store: what a constructor has set holds for the life of the object.

Approximates: over (a `setattr` on another object with a name made at run time is not seen to store anything).
"""

from __future__ import annotations

from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph


class Settled:
    """Tells whether an attribute of a class is stored by constructors alone, on `self`."""

    def __init__(self, graph: CallGraph, bodies: Bodies) -> None:
        self._graph = graph
        self._bodies = bodies
        self._known: dict[tuple[str, str], bool] = {}

    def __call__(self, cls: str, attribute: str) -> bool:
        """Tell it for a class by its dotted name; "" is no known class."""
        key = (cls, attribute)
        if key not in self._known:
            self._known[key] = bool(cls) and self._is_settled(cls, attribute)
        return self._known[key]

    def is_stored(self, cls: str, name: str) -> bool:
        """Tell whether anything stores an attribute of this name, on what may be the class or an object of it."""
        made_up = (owner for _, owner in self._graph.stores_of("*") if owner)
        return bool(self._graph.stores_of(name)) or any(is_related(self._bodies, cls, owner) for owner in made_up)

    def is_stored_from_outside(self, name: str) -> bool:
        """Tell whether an attribute of this name is stored on what may be a module or a class."""
        return any(not owner for _, owner in self._graph.stores_of(name))

    def _is_settled(self, cls: str, attribute: str) -> bool:
        named = self._graph.stores_of(attribute)
        if any(not owner for _, owner in named):
            return False  # stored on an object that may be of this class
        for function, owner in (*named, *self._graph.stores_of("*")):
            if owner and function.rpartition(".")[2] != "__init__" and is_related(self._bodies, cls, owner):
                return False
        return True


def is_related(bodies: Bodies, cls: str, owner: str) -> bool:
    """Tell whether a method of `owner` can run on an instance of `cls` or of a subclass."""
    one, other = bodies.scope(cls), bodies.scope(owner)
    if one is None or other is None:
        return True
    mro = bodies.classes.mro
    return other.sid in mro(one.sid) or one.sid in mro(other.sid)
