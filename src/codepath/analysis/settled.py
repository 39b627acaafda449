"""Attributes that only constructors store: what a constructor has set holds for the life of the object.

Approximates: over (a `setattr` on another object with a name made at run time is not seen to store anything).
"""

from __future__ import annotations

from collections.abc import Iterable

from codepath.model import ir
from codepath.model.places import Place
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph
from codepath.program.tree import ScopeInfo


class Settled:
    """Tells whether an attribute of a class is stored by constructors alone, on `self`."""

    def __init__(self, graph: CallGraph, bodies: Bodies) -> None:
        self._graph = graph
        self._bodies = bodies
        self._known: dict[tuple[str, str], bool] = {}
        self._related: dict[tuple[str, str], bool] = {}

    def __call__(self, cls: str, attribute: str) -> bool:
        """Tell it for a class by its dotted name; "" is no known class."""
        key = (cls, attribute)
        if key not in self._known:
            self._known[key] = bool(cls) and self._is_settled(cls, attribute)
        return self._known[key]

    def constructors(self, cls: str, attribute: str) -> tuple[str, ...]:
        """Return the constructors that store an attribute of a class or a related one; none where others store it too."""
        if not self(cls, attribute):
            return ()
        found = (f for f, owner in self._graph.all_stores_of(attribute) if owner and self.is_related(cls, owner))
        return tuple(dict.fromkeys(found))

    def changed_at(self, cls: str, attribute: str) -> Place | None:
        """Return the first store for which an attribute is not settled, None where it is, or no class is known."""
        if not cls or self(cls, attribute):
            return None
        named = self._graph.all_stores_of(attribute)
        others = tuple(f for f, owner in named if not owner or self._changes(f, owner, cls))
        others = (
            *others,
            *(f for f, owner in self._graph.all_stores_of("*") if owner and self.is_related(cls, owner)),
        )
        return self.store_in(others[0], attribute) if others else None

    def stored_from_outside_at(self, name: str) -> Place | None:
        """Return the first store of an attribute of this name on what may be a module or a class."""
        found = next((f for f, owner in self._graph.all_stores_of(name) if not owner), None)
        return self.store_in(found, name) if found is not None else None

    def store_in(self, function: str, name: str) -> Place | None:
        """Return where a function stores an attribute or a global, the function's own place where that is not written."""
        body = self._bodies.body(function)
        if body is None:
            return None
        stores = (e.at for e in body.scope.exprs if isinstance(e, (ir.StoreAttr, ir.Bind)) and e.id == name)
        at = next(stores, body.info.at)
        return Place(body.info.module.path, ir.line_of(at), ir.column_of(at), function)

    def binds(self, cls: str, name: str) -> bool:
        """Tell whether a class, or one above or below it, binds a name in its body; one in a file not read may."""
        info = self._bodies.scope(cls)
        above = self._bodies.classes.mro(info.sid) if info is not None else ()
        if any(name in self._bodies.tree.scopes[sid].names for sid in above) or self._graph.is_bound_unread(name):
            return True
        return self.is_overridden(cls, name)

    def is_overridden(self, cls: str, name: str) -> bool:
        """Tell whether a class below another binds a name in its body; one in a file not read may."""
        if self._graph.is_bound_unread(name, cls):
            return True
        below = (self._bodies.scope(other) for other in self._graph.subclasses(cls))
        return any(one is not None and name in one.names for one in below)

    def is_stored(self, cls: str, name: str) -> bool:
        """Tell whether anything stores an attribute of this name, on what may be the class or an object of it."""
        made_up = (owner for _, owner in self._graph.all_stores_of("*") if owner)
        return bool(self._graph.all_stores_of(name)) or any(self.is_related(cls, owner) for owner in made_up)

    def is_stored_from_outside(self, name: str) -> bool:
        """Tell whether an attribute of this name is stored on what may be a module or a class."""
        read = self._graph.run_stores_of(name)  # what was not read costs time
        return any(not owner for _, owner in read) or any(not owner for _, owner in self._graph.all_stores_of(name))

    def _is_settled(self, cls: str, attribute: str) -> bool:
        if self._is_changed(self._graph.run_stores_of(attribute), cls):  # of what was read, which costs nothing
            return False
        if self._is_changed(self._graph.all_stores_of(attribute), cls):
            return False
        return not any(owner and self.is_related(cls, owner) for _, owner in self._graph.all_stores_of("*"))

    def _is_changed(self, stores: Iterable[tuple[str, str]], cls: str) -> bool:
        """Tell whether one of some stores is on an object that may be of a class, and not its constructor's."""
        return any(not owner or self._changes(function, owner, cls) for function, owner in stores)

    def _changes(self, function: str, owner: str, cls: str) -> bool:
        """Tell whether a method of `owner`, no constructor, can store on an object of a class."""
        return function.rpartition(".")[2] != "__init__" and self.is_related(cls, owner)

    def is_related(self, cls: str, owner: str) -> bool:
        """Tell whether a method of `owner` can run on an instance of `cls` or of a subclass."""
        key = (cls, owner)
        if key not in self._related:
            self._related[key] = is_related(self._graph, self._bodies, cls, owner)
        return self._related[key]

    @property
    def is_partial(self) -> bool:
        """Whether files of the tree were not read."""
        return self._graph.is_partial

    def heirs(self, cls: ScopeInfo, constructor: str) -> tuple[ScopeInfo, ...]:
        """Return the subclasses, in files that were read, that inherit a constructor of a class."""
        below = (self._bodies.scope(name) for name in self._graph.subclasses(cls.name))
        found = ((heir, self._bodies.classes.find(heir.sid, constructor)) for heir in below if heir is not None)
        return tuple(heir for heir, one in found if one is not None and one.owner == cls.sid)


def is_related(graph: CallGraph, bodies: Bodies, cls: str, owner: str) -> bool:
    """Tell whether a method of `owner`, "" for any function, can run on an instance of `cls` or of a subclass."""
    if not owner:
        return True
    if not graph.is_partial:  # then the stored rows say it, and no module is loaded
        mine, theirs = graph.subclasses(cls), graph.subclasses(owner)
        if cls == owner or owner in mine or cls in theirs or not set(mine).isdisjoint(theirs):
            return True
        return bodies.scope(cls) is None
    one, other = bodies.scope(cls), bodies.scope(owner)
    if one is None or other is None:
        return True
    mro = bodies.classes.mro
    if other.sid in mro(one.sid) or one.sid in mro(other.sid):
        return True
    if graph.are_joined_unread(cls, owner):
        return True
    return not set(graph.subclasses(cls)).isdisjoint(graph.subclasses(owner))
