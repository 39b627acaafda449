"""The stored rows about hooks, as the analyses ask for them: classes and their order, who binds a name, registries."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import msgspec

from codepath.model import hooks as h
from codepath.model.hooks import StoredClass, StoredLookup, StoredMember, StoredRegistered
from codepath.program.graph import CallGraph
from codepath.program.rows import CLASSES, HOOKS, LOOKUPS, MEMBERS, REGISTERED

_decode_names = msgspec.msgpack.Decoder(tuple[str, ...]).decode


class HookFacts:
    """Rows about hooks over a call graph, read as they are needed and kept."""

    def __init__(self, graph: CallGraph, registries: Iterable[str]) -> None:
        self.graph = graph
        self.registries = tuple(registries)
        self._members: dict[str, dict[str, StoredMember]] = {}
        self._lookups: dict[str, tuple[StoredLookup, ...]] = {}
        self._stores: dict[str, dict[str, str]] = {}

    @cached_property
    def classes(self) -> tuple[StoredClass, ...]:
        """Every class of the tree; `mro` are positions in this."""
        blob = self.graph.stored([CLASSES]).get(CLASSES)
        return h.decode_classes(blob) if blob is not None else ()

    @cached_property
    def by_name(self) -> dict[str, StoredClass]:
        """The classes by dotted name, the first of each."""
        found: dict[str, StoredClass] = {}
        for cls in self.classes:
            found.setdefault(cls.name, cls)
        return found

    @cached_property
    def _below(self) -> dict[str, list[StoredClass]]:
        found: dict[str, list[StoredClass]] = {}
        for cls in self.classes:
            for number in cls.mro:
                found.setdefault(self.classes[number].name, []).append(cls)
        return found

    def below(self, name: str) -> tuple[StoredClass, ...]:
        """Return a class and all classes below it, by place."""
        return tuple(self._below.get(name, ()))

    def order(self, cls: StoredClass) -> tuple[StoredClass, ...]:
        """Return the classes of the tree in which an attribute is looked for, the class itself first."""
        return tuple(self.classes[number] for number in cls.mro)

    @cached_property
    def registered(self) -> dict[str, tuple[StoredRegistered, ...]]:
        """The classes of each registry by its name."""
        rows = self.graph.stored([REGISTERED + name for name in self.registries])
        blobs = ((name, rows.get(REGISTERED + name)) for name in self.registries)
        return {name: h.decode_registered(blob) if blob is not None else () for name, blob in blobs}

    @cached_property
    def hooks(self) -> tuple[str, ...]:
        """The names that are looked up on classes of the tree."""
        blob = self.graph.stored([HOOKS]).get(HOOKS)
        return _decode_names(blob) if blob is not None else ()

    def fetch(self, names: Iterable[str]) -> None:
        """Read the look-ups and members of many names at once."""
        wanted = [n for n in names if n not in self._members]
        if not wanted:
            return
        rows = self.graph.stored([*(LOOKUPS + n for n in wanted), *(MEMBERS + n for n in wanted)])
        for name in wanted:
            blob = rows.get(LOOKUPS + name)
            self._lookups[name] = h.decode_lookups(blob) if blob is not None else ()
            blob = rows.get(MEMBERS + name)
            self._members[name] = {m.owner: m for m in h.decode_members(blob)} if blob is not None else {}

    def lookups(self, name: str) -> tuple[StoredLookup, ...]:
        """Return the look-ups of a name by place."""
        self.fetch([name])
        return self._lookups[name]

    def members(self, name: str) -> dict[str, StoredMember]:
        """Return what class bodies bind a name to, by class."""
        self.fetch([name])
        return self._members[name]

    def stores(self, name: str) -> dict[str, str]:
        """Return, by class, a function that stores an attribute on `self`; "" has one that stores it on another object."""
        found = self._stores.get(name)
        if found is None:
            found = self._stores[name] = {}
            for function, owner in self.graph.stores_of(name):
                if owner not in found or function.endswith(".__init__"):
                    found[owner] = function
        return found
