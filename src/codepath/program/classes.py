"""Classes of the loaded tree: bases, linear order (C3), subclasses, families and attribute look-up."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from codepath.program.annotations import Term
from codepath.program.lexical import Lexical, Meaning
from codepath.program.tree import ScopeInfo, Tree
from codepath.program.values import CLASS, OUTSIDE, ScopeId

_PROTOCOLS = frozenset(["typing.Protocol", "typing_extensions.Protocol"])


class Found(NamedTuple):
    """An attribute found in the body of class `owner`."""

    owner: ScopeId
    meaning: Meaning


class Classes:
    """The class hierarchy. `add` declares classes; the rest asks about declared ones.

    `incomplete` are classes some base of which stands in a module that is not loaded. `on_ask` is told each class that is
    asked about, `on_merge` each pair of families that become one.
    """

    def __init__(self, tree: Tree, lexical: Lexical) -> None:
        self._tree = tree
        self._lexical = lexical
        self._bases: dict[ScopeId, tuple[ScopeId, ...]] = {}
        self._outside: dict[ScopeId, tuple[str, ...]] = {}
        self._alternatives: dict[ScopeId, set[tuple[ScopeId, ...]]] = {}
        self._children: dict[ScopeId, dict[ScopeId, None]] = {}
        self._mro: dict[ScopeId, tuple[ScopeId, ...]] = {}
        self._below: dict[ScopeId, tuple[ScopeId, ...]] = {}
        self._related: dict[ScopeId, frozenset[ScopeId]] = {}
        self._root: dict[ScopeId, ScopeId] = {}
        self._found: dict[ScopeId, dict[str, Found | None]] = {}
        self._overrides: dict[tuple[ScopeId, str], tuple[Found, ...]] = {}
        self._outside_all: dict[ScopeId, tuple[str, ...]] = {}
        self.incomplete: set[ScopeId] = set()
        self.on_ask: Callable[[ScopeId], None] | None = None
        self.on_merge: Callable[[ScopeId, ScopeId], None] | None = None

    def forget(self) -> None:
        """Drop what was derived from the hierarchy: classes have been added since."""
        for derived in (self._mro, self._below, self._related, self._found, self._overrides, self._outside_all):
            derived.clear()

    def add(self, info: ScopeInfo) -> None:
        """Resolve the bases of a class and place it in the hierarchy."""
        before = self._lexical.misses
        inner: list[ScopeId] = []
        outer: list[str] = []
        for name, term in info.bases:
            if name is not None:
                continue
            values = sorted(self._lexical.term_values(self._around(info), _base_term(term)))
            meant = [value[1] for value in values if value[0] == CLASS and value[1] != info.sid]
            inner.extend(meant)
            outer.extend(value[1] for value in values if value[0] == OUTSIDE)
            if len(meant) > 1:
                self._alternatives.setdefault(info.sid, set()).add(tuple(meant))
        self._bases[info.sid] = tuple(dict.fromkeys(inner))
        self._outside[info.sid] = tuple(outer)
        for base in self._bases[info.sid]:
            self._children.setdefault(base, {})[info.sid] = None
            self._join(info.sid, base)
        if self._lexical.misses > before:
            self.incomplete.add(info.sid)
        else:
            self.incomplete.discard(info.sid)

    def _around(self, info: ScopeInfo) -> ScopeInfo:
        return self._tree.scopes[info.outer]

    def _join(self, one: ScopeId, other: ScopeId) -> None:
        low, high = sorted((self.root(one), self.root(other)))
        if low != high:
            self._root[high] = low
            if self.on_merge is not None:
                self.on_merge(low, high)

    def root(self, cls: ScopeId) -> ScopeId:
        """Return the representative of the classes connected to `cls` by inheritance within the tree."""
        path = []
        while (up := self._root.get(cls)) is not None:
            path.append(cls)
            cls = up
        for step in path[:-1]:
            self._root[step] = cls
        return cls

    def mro(self, cls: ScopeId) -> tuple[ScopeId, ...]:
        """Return the classes of the tree in method resolution order, `cls` first; unknown bases leave local precedence.

        Source: C3 linearisation (Barrett et al. 1996), as Python has it since 2.3.
        """
        found = self._mro.get(cls)
        if found is None:
            self._mro[cls] = (cls,)  # a cycle of bases, impossible at run time, ends here
            bases = self._bases.get(cls, ())
            merged = _merge([list(self.mro(b)) for b in bases] + [list(bases)])
            found = self._mro[cls] = (cls, *(c for c in merged if c != cls))
        return found

    def below(self, cls: ScopeId) -> tuple[ScopeId, ...]:
        """Return the strict subclasses in the tree, sorted."""
        found = self._below.get(cls)
        if found is None:
            seen: set[ScopeId] = set()
            todo = [cls]
            while todo:
                for child in self._children.get(todo.pop(), ()):
                    if child not in seen and child != cls:
                        seen.add(child)
                        todo.append(child)
            found = self._below[cls] = tuple(sorted(seen))
        return found

    def related(self, cls: ScopeId) -> frozenset[ScopeId]:
        """Return the classes that an instance of `cls` or of a subclass can take attributes from."""
        found = self._related.get(cls)
        if found is None:
            found = frozenset(c for one in (cls, *self.below(cls)) for c in self.mro(one))
            self._related[cls] = found
        return found

    def outside_bases(self, cls: ScopeId) -> tuple[str, ...]:
        """Return the dotted names of the bases outside the tree, over the whole order."""
        found = self._outside_all.get(cls)
        if found is None:
            found = tuple(dict.fromkeys(name for c in self.mro(cls) for name in self._outside.get(c, ())))
            self._outside_all[cls] = found
        return found

    def direct_outside_bases(self, cls: ScopeId) -> tuple[str, ...]:
        """Return the dotted names of the bases outside the tree that the class itself names."""
        return self._outside.get(cls, ())

    def count_bases(self, cls: ScopeId) -> int:
        """Return how many classes, in the tree and outside, the bases that a class names are known to mean."""
        return len(self._bases.get(cls, ())) + len(self._outside.get(cls, ()))

    def has_base(self, cls: ScopeId, dotted: str) -> bool:
        """Tell whether a base outside the tree has this dotted name."""
        return dotted in self.outside_bases(cls)

    def is_protocol(self, cls: ScopeId) -> bool:
        """Tell whether a class only describes others: its methods are theirs, and run only where one derives from it."""
        return any(base in _PROTOCOLS for base in self.direct_outside_bases(cls))

    def find(self, cls: ScopeId, name: str, *, after: ScopeId | None = None) -> Found | None:
        """Return the first class in the order of `cls` whose body binds `name`, starting behind `after`."""
        if self.on_ask is not None:
            self.on_ask(cls)
        if after is not None:
            return self._search(self._behind(cls, after), name)
        known = self._found.get(cls)
        if known is None:
            known = self._found[cls] = {}
        elif name in known:
            return known[name]
        before = self._lexical.misses
        found = self._search(self.mro(cls), name)
        if self._lexical.misses == before:
            known[name] = found
        return found

    def _behind(self, cls: ScopeId, inside: ScopeId) -> tuple[ScopeId, ...]:
        """Return the classes behind one in the order of `cls`, without those that only stand in its stead.

        A base that names several classes, as imports succeed or not, is one of them.
        """
        order = self.mro(cls)
        rest = order[order.index(inside) + 1 :] if inside in order else ()
        for one in order if self._alternatives else ():
            for group in self._alternatives.get(one, ()):
                taken = {c for base in group if inside in self.mro(base) for c in self.mro(base)}
                if taken:
                    others = {c for base in group for c in self.mro(base)} - taken
                    rest = tuple(c for c in rest if c not in others)
        return rest

    def _search(self, order: tuple[ScopeId, ...], name: str) -> Found | None:
        for owner in order:
            if name in self._tree.scopes[owner].names:
                return Found(owner, self.body(owner, name))
        return None

    def stores(self, cls: ScopeId, name: str, *, is_open: bool) -> bool:
        """Tell whether a method that can run on an instance stores `name` on its `self`, or a field declares it."""
        near = self.related(cls) if is_open else self.mro(cls)
        scopes = self._tree.scopes
        return any(name in scopes[c].stored or any(f == name for f, _ in scopes[c].fields) for c in near)

    def keeps(self, cls: ScopeId, name: str, *, is_open: bool) -> bool:
        """Tell whether an instance has an attribute of its own: a method stores it, or its constructor is made of fields."""
        near = self.related(cls) if is_open else self.mro(cls)
        scopes = self._tree.scopes
        return any(name in scopes[c].stored or (scopes[c].fields and self.is_dataclass(c)) for c in near)

    def overrides(self, cls: ScopeId, name: str) -> tuple[Found, ...]:
        """Return what an open instance of `cls` can have besides `find`: bodies below that bind `name`, and what a subclass
        gets from another branch of its bases (mixins)."""
        below = self.below(cls)
        if not below or is_private(name):
            return ()
        key = (cls, name)
        known = self._overrides.get(key)
        if known is not None:
            return known
        before = self._lexical.misses
        first = self.find(cls, name)
        seen = {first.owner} if first is not None else set()
        found = []
        for sub in below:
            got = self.find(sub, name)
            if got is not None and got.owner not in seen:
                seen.add(got.owner)
                found.append(got)
        if self._lexical.misses == before:
            self._overrides[key] = tuple(found)
        return tuple(found)

    def body(self, owner: ScopeId, name: str) -> Meaning:
        """Return what the body of a class binds a name of it to."""
        info = self._tree.scopes[owner]
        return self._lexical.class_member(info, name)

    def is_dataclass(self, cls: ScopeId) -> bool:
        """Tell whether a decorator of the class generates its `__init__` from its fields."""
        info = self._tree.scopes[cls]
        for term in info.decorators:
            for value in self._lexical.term_values(self._around(info), term):
                if value[0] == OUTSIDE and value[1].rpartition(".")[2] in ("dataclass", "define", "frozen", "s"):
                    return True
        return False


def is_private(name: str) -> bool:
    """Tell whether a name means the class body around it alone, whatever subclasses bind."""
    return name.startswith("__") and not name.endswith("__")


def _base_term(term: Term) -> str:
    return term if isinstance(term, str) else term[0]


def _merge(orders: list[list[ScopeId]]) -> list[ScopeId]:
    """Merge linear orders; where C3 finds none (inconsistent bases), take the first head left."""
    result: list[ScopeId] = []
    orders = [o for o in orders if o]
    while orders:
        tails = {c for o in orders for c in o[1:]}
        head = next((o[0] for o in orders if o[0] not in tails), orders[0][0])
        result.append(head)
        orders = [[c for c in o if c != head] for o in orders]
        orders = [o for o in orders if o]
    return result
