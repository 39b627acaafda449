"""Bodies of functions by name, for analyses that read what a function does: modules are loaded as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from codepath.model import ir
from codepath.program.annotations import Term
from codepath.program.classes import Classes
from codepath.program.guards import Guards
from codepath.program.lexical import Lexical, Meaning
from codepath.program.tree import ModuleInfo, ScopeInfo, Tree
from codepath.program.values import CLASS, ScopeId, Values

ReadFacts = Callable[[str], "ir.ModuleFacts | None"]


_PLACED = (ir.Attr, ir.Subscript, ir.Function, ir.Class)


@dataclass(frozen=True)
class Body:
    """One function, module or class body with the expressions of the scope around it."""

    info: ScopeInfo
    scope: ir.Scope
    around: ir.Scope | None

    @cached_property
    def guards(self) -> Guards:
        """The guards of its expressions."""
        return Guards(self.scope)

    @cached_property
    def _places(self) -> dict[int, int]:
        """The last expression that starts at each place: the call site, where one does."""
        found: dict[int, int] = {}
        for index, expr in enumerate(self.scope.exprs):
            if isinstance(expr, ir.Call) or (expr.at not in found and isinstance(expr, _PLACED)):
                found[expr.at] = index
        return found

    def at_place(self, line: int, column: int) -> int | None:
        """Return the last expression that starts at a place: the call site, where one does."""
        return self._places.get(ir.pack(line, column))


class Bodies:
    """Loads modules of a tree on demand. `paths` maps dotted module names to files."""

    def __init__(self, paths: Mapping[str, str], read: ReadFacts) -> None:
        self._paths = paths
        self._read = read
        self._facts: dict[str, ir.ModuleFacts] = {}
        self._bodies: dict[ScopeId, Body] = {}
        self._named: dict[str, dict[str, ScopeInfo]] = {}
        self._names: dict[str, str] | None = None
        self.tree = Tree(paths, is_lazy=True)
        self.lexical = Lexical(self.tree)
        self.classes = Classes(self.tree, self.lexical)
        self._missed: set[str] = set()
        self.lexical.on_miss = self._missed.add

    def body(self, name: str) -> Body | None:
        """Return a function or module by its dotted name, None for what is not in the tree."""
        info = self.scope(name)
        return self.of(info) if info is not None else None

    def scope(self, name: str) -> ScopeInfo | None:
        """Return the first scope with a dotted name."""
        module = name
        while module and module not in self._paths:
            module = module.rpartition(".")[0]
        if not module or not self._load(module):
            return None
        named = self._named.get(module)
        if named is None:
            scopes = self.tree.modules[module].scopes
            named = self._named[module] = {i.name: i for i in reversed(scopes)}
        return named.get(name)

    def module_at(self, path: str) -> ModuleInfo | None:
        """Return the module of a file, None for a file that is none."""
        if self._names is None:
            self._names = {path: name for name, path in self._paths.items()}
        name = self._names.get(path)
        return self.tree.modules[name] if name is not None and self._load(name) else None

    def of(self, info: ScopeInfo) -> Body:
        """Return the body of a scope."""
        found = self._bodies.get(info.sid)
        if found is None:
            around = self.of(self.tree.scopes[info.outer]).scope if info.outer >= 0 else None
            found = self._bodies[info.sid] = Body(info, info.module.body(info.index), around)
        return found

    def forget(self) -> None:
        """Drop the decoded bodies; they are decoded again when they are asked for."""
        self._bodies.clear()
        for module in self.tree.modules.values():
            module.forget()

    def holding(self, module: str, word: str) -> Iterator[ScopeInfo]:
        """Yield the scopes of a loaded module whose bodies hold a word."""
        wanted = word.encode()
        facts = self._facts[module]
        for info in self.tree.modules[module].scopes:
            if wanted in bytes(facts.scopes[info.index]):
                yield info

    def _load(self, module: str) -> bool:
        if module in self.tree.modules:
            return True
        path = self._paths.get(module)
        facts = self._read(path) if path is not None else None
        if facts is None or path is None:
            return False
        self._facts[module] = facts
        loaded = self.tree.load(module, path, facts)
        classes = [info for info in loaded.scopes if info.form == "class"]
        if classes:  # what names mean stays true: it is kept only where no module was missing
            self.classes.forget()
        for info in classes:
            self._settled(lambda info=info: self.classes.add(info))  # type: ignore[misc]
        return True

    def _settled(self, ask: Callable[[], object]) -> None:
        """Ask until no module that the answer needs is missing."""
        for _ in range(len(self._paths)):
            self._missed.clear()
            ask()
            wanted = [m for m in sorted(self._missed) if m not in self.tree.modules]
            before = len(self.tree.modules)
            for module in wanted:
                self._load(module)
            if len(self.tree.modules) == before:
                return

    def meaning(self, info: ScopeInfo, name: str) -> Meaning:
        """Return what a name that a scope does not bind means."""
        found: list[Meaning] = []
        self._settled(lambda: found.append(self.lexical.free(info, name)))
        return found[-1]

    def visible(self, info: ScopeInfo, name: str) -> Meaning:
        """Return what a name means in a scope, whatever the place."""
        found: list[Meaning] = []
        self._settled(lambda: found.append(self.lexical.visible(info, name)))
        return found[-1]

    def member(self, module: str, name: str) -> Meaning:
        """Return what a name of a module means."""
        found: list[Meaning] = []
        self._settled(lambda: found.append(self.lexical.member(module, name)))
        return found[-1]

    def term_values(self, info: ScopeInfo, term: Term) -> Values:
        """Return what a dotted term of an annotation means in a scope."""
        found: list[Values] = []
        self._settled(lambda: found.append(self.lexical.term_values(info, term)))
        return found[-1]

    def class_values(self, values: Values) -> Iterable[ScopeInfo]:
        """Return the classes among values."""
        return (self.tree.scopes[value[1]] for value in sorted(values) if value[0] == CLASS)
