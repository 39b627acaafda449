"""One tree, opened: its files, its index, its call graph and what is derived of them, each made when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from codepath.app.architectures import Architectures
from codepath.app.assuming import Assuming
from codepath.app.changed import Changed, after_change, remember
from codepath.app.config import Config
from codepath.app.indexing import Indexer, snapshot_id
from codepath.app.meant import inherited_method, named_in_full
from codepath.app.options import Options, Progress
from codepath.app.ordering import Ordering
from codepath.app.remembering import Memory
from codepath.app.solving import NoRows, solution_id, solve, stored_graph
from codepath.app.variables import Variables
from codepath.app.words import Words
from codepath.errors import SourceError
from codepath.knowledge import choose, shipped
from codepath.model import ir
from codepath.model.answers import (
    Entry,
    Place,
    Skipped,
    SourceInfo,
    Symbol,
    Truncation,
)
from codepath.model.knowledge import Knowledge
from codepath.model.solution import StoredName, StoredWhole
from codepath.program.bodies import Bodies
from codepath.program.for_tests import ForTests
from codepath.program.graph import CallGraph, symbol_of
from codepath.program.names import Names, is_place
from codepath.source import SourceTree
from codepath.store import Store

if TYPE_CHECKING:
    pass


_EXCERPTS = 3  # files whose broken line is shown


class Opened:
    """A tree with its store. What a question needs is indexed when the question is asked."""

    def __init__(
        self, tree: SourceTree, store: Store, options: Options, progress: Progress | None, config: Config
    ) -> None:
        self.config = config
        self.tree = tree
        self.store = store
        self.options = options
        self.progress = progress
        self.indexer = Indexer(tree, store, options.workers, progress, no_index=options.no_index)
        self.modules = _module_names(tree)
        self.prefix = _prefix(tree)
        self._declaring: dict[str, bool] = {}
        self.partial: tuple[CallGraph, StoredWhole] | None = None

    def close(self) -> None:
        """Close the tree and the store."""
        self.indexer.close()
        self.tree.close()
        self.store.close()

    @cached_property
    def knowledge(self) -> Knowledge:
        """What is known of the libraries and the project of this tree."""
        return choose(shipped(), self.config.models, frozenset(self.modules.values()))

    @property
    def source(self) -> SourceInfo:
        """The tree as an answer names it, with what was left out of it."""
        return SourceInfo(
            spec=self.tree.spec,
            root=self.tree.root,
            files=len(self.tree.files),
            lines=self.lines,
            skipped=tuple((s.path, s.reason) for s in self.skipped),
            prefix=self.prefix,
            version=self.tree.version,
        )

    @property
    def content(self) -> dict[str, str]:
        """The content key of each file."""
        return self.indexer.keys

    @property
    def repository_prefix(self) -> str:
        """What stands before a file of the tree below the top of the repository around it; "" where there is none."""
        top, folder = self.tree.work_tree_top, self.tree.folder
        if top is None or folder is None:
            return ""
        relative = os.path.relpath(folder, top).replace(os.sep, "/")
        return "" if relative == "." else f"{relative}/"

    @cached_property
    def lines(self) -> int:
        """Lines of the files that were read; of the whole tree where it is solved."""
        return self.whole.lines

    @cached_property
    def skipped(self) -> tuple[Skipped, ...]:
        """The Python files left out, sorted: those that cannot be read, at line 0, and those that do not parse."""
        unread = [Skipped(path, reason, 0, 0) for path, reason in self.tree.skipped]
        failed = [Skipped(*row) for row in self.whole.skipped]
        if len(failed) <= _EXCERPTS:
            failed = [replace(item, excerpt=self.line(item.path, item.line)) for item in failed]
        return tuple(sorted([*unread, *failed], key=lambda s: s.path))

    def line(self, path: str, number: int) -> str:
        """Return a line of a file that does not parse, "" where that cannot be told."""
        try:
            lines = self.tree.read(path).decode("utf-8-sig").splitlines()
        except (SourceError, UnicodeDecodeError):
            return ""
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def declares_globals(self, path: str) -> bool:
        """Tell whether a file may declare a name `global`."""
        if path not in self._declaring:
            try:
                self._declaring[path] = b"global" in self.tree.read(path)
            except SourceError:
                self._declaring[path] = True
        return self._declaring[path]

    @cached_property
    def snapshot(self) -> str:
        """The key of the contents of this very tree in the store."""
        snapshot = snapshot_id(self.tree.files, self.indexer.keys)
        if self.store.snapshot(snapshot) is None:  # first of all: what no snapshot names may be collected
            self.store.put_snapshot(snapshot, self.indexer.keys.items())
        return snapshot

    @cached_property
    def solution(self) -> str:
        """The key of the solution of this very tree in the store."""
        return solution_id(self.snapshot, self.modules, self.knowledge)

    @cached_property
    def solved(self) -> tuple[CallGraph, StoredWhole]:
        """The solution of the whole tree, made where the store has none."""
        found = self.stored
        if found is None:
            self.solve()
            found = self.__dict__["stored"] = self._stored()
            assert found is not None
        remember(self)
        return found

    def solve(self) -> None:
        """Index and solve the whole tree into the store."""
        self.indexer.ensure(self.indexer.keys)
        self.words.keep()  # what a question looks at first once files have changed
        solve(self.indexer, self.solution, self.modules, self.knowledge, self.progress)

    @cached_property
    def stored(self) -> tuple[CallGraph, StoredWhole] | None:
        """The stored solution of this very tree, None where there is none."""
        return self._stored()

    def _stored(self) -> tuple[CallGraph, StoredWhole] | None:
        return stored_graph(self.store, self.solution, self.solve, self.for_tests)

    @cached_property
    def for_tests(self) -> ForTests:
        """Tells which files only tests run."""
        return ForTests(self.words.holding)

    @cached_property
    def words(self) -> Words:
        """Which files hold a word."""
        return Words(self.indexer, self.modules)

    def take_over(self, solution: tuple[CallGraph, StoredWhole]) -> None:
        """Go on with the solution of a tree that differs in nothing that counts; it is as good as stored."""
        self.__dict__["stored"] = solution

    @property
    def graph(self) -> CallGraph:
        """The call graph: what a first question needed of it, else the whole."""
        return self.partial[0] if self.partial is not None else self.solved[0]

    @property
    def whole(self) -> StoredWhole:
        """What is known of the tree as a whole."""
        return self.partial[1] if self.partial is not None else self.solved[1]

    def demand(self, query: str, also: Iterable[str], *, is_direct: bool = False) -> Truncation | None:
        """Make ready the call graph that a question needs; return what is left out of it where it is not the whole.

        Args:
            query: What the question is about.
            also: What else it names.
            is_direct: Whether it needs only the steps into that.
        """
        known = {e.name: e.function for e in self.knowledge.entry_points}
        known.update((name, target.replace(":", ".")) for name, target in self.tree.scripts)
        modules = set(self.modules.values())
        names = [known.get(name, name) for name in (query, *also)]
        if self.stored is None and self.changed is not None:
            self.whole_or_changed()
            return None
        if self.stored is not None or any(is_place(name) or name in modules for name in names):
            self.whole_tree()
            return None
        self.indexer.begin(self.modules)  # while the solver is imported
        from codepath.app.mentions import near
        from codepath.app.ondemand import OnDemand

        demand = OnDemand(self.indexer, self.modules, self.knowledge, self.progress)
        self.use(demand.names(names))
        for name in tuple(names):
            if self.names.find(name):
                continue
            if owner := name.rpartition(".")[0]:
                self.use(demand.names([owner]))
                if inherited := inherited_method(name, self.names, self.bodies):
                    self.use(demand.names([inherited]))
                    names = [inherited if one == name else one for one in names]
                    continue
            last = name.rpartition(".")[2]
            is_defined = bool(owner and self.graph.named(last)) and demand.knows_bases(owner)
            if demand.files.holding(last) and not is_defined:
                self.whole_tree()  # a word of the tree that nothing in it defines: an outside name, a module, an alias
                return None
            self.use(demand.names(near(name, demand.files.words())))
            self.one(name)
        self.one(names[0])
        self.use(demand.graph(names[0], is_direct=is_direct))
        return Truncation("files", len(demand.files.loaded), len(self.tree.files))

    def check_names(self, queries: Iterable[str], *, is_variable: bool = False) -> None:
        """Tell of names that mean nothing or several things before the whole tree is solved for what they name.

        Whatever only the whole tree decides is left to it: places, modules, ways in, words that nothing defines.

        Args:
            queries: Names of the question; "" for none.
            is_variable: Whether variables are asked for: of these only globals are known before.

        Raises:
            QueryError: a name means several things, or stands nowhere in the tree.
        """
        if self.stored is not None or self.changed is not None:
            return
        others = {e.name for e in self.knowledge.entry_points} | {e.name for e in self.knowledge.events}
        others.update(self.modules.values(), (name for name, _ in self.tree.scripts))
        names = [name for name in queries if name and not is_place(name) and name not in others]
        if not names:
            return
        from codepath.app.mentions import near
        from codepath.app.ondemand import OnDemand

        demand = OnDemand(self.indexer, self.modules, self.knowledge, self.progress)
        self.use(demand.names(names))
        for name in names:
            found = self.names.find(name)
            if not found and not demand.files.holding(name.rpartition(".")[2]):
                self.use(demand.names(near(name, demand.files.words())))
            elif sum(1 for one in found if one.kind == "global" or not is_variable) < 2:
                continue
            self.one(name)
        self.use(None)

    def list_names(self, wanted: Callable[[str], bool], inside: Iterable[str]) -> None:
        """Go on with a call graph that holds at least the things whose last names are wanted, `inside` before them."""
        self.whole_or_changed()
        if self.stored is None and self.partial is None:
            from codepath.app.ondemand import OnDemand

            demand = OnDemand(self.indexer, self.modules, self.knowledge, self.progress)
            self.use(demand.listing(wanted, inside))

    def use(self, partial: tuple[CallGraph, StoredWhole] | None) -> None:
        """Go on with a part of the call graph, None for the whole of it."""
        self.partial = partial
        for derived in ("lines", "skipped", "names", "entries", "variables", "ordering"):
            self.__dict__.pop(derived, None)

    @cached_property
    def changed(self) -> Changed | None:
        """The call graph of a tree of which few files differ from one that is solved, None where only solving tells it."""
        return after_change(self)

    @property
    def in_change(self) -> Changed | None:
        """The change from which the call graph in use follows, None where it does not follow from another."""
        found = self.changed if self.partial is not None and not self.graph.is_partial else None
        return found if found is not None and found.graph is self.graph else None

    def whole_or_changed(self) -> None:
        """Go on with the call graph of the whole tree, as it is stored or follows from what is, else as it is solved."""
        found = self.changed if self.stored is None else None
        self.use((found.graph, found.whole) if found is not None else None)

    def solve_anew(self) -> None:
        """Go on with the call graph of the whole tree as it is solved."""
        self.use(None)
        assert self.solved is not None

    def without_calls(self) -> None:
        """Go on with a call graph that holds nothing: of a tree whose calls are not needed only lines and failures are told."""
        lines = sum(self.tree.read(f.path).count(b"\n") for f in self.tree.files)
        failed = sorted((p, f.message, f.line, f.column) for p, f in self.indexer.failures().items())
        self.use((CallGraph(NoRows(), ()), StoredWhole((), 0, 0, (0,) * 7, lines, (), tuple(failed))))

    def whole_tree(self) -> None:
        """Go on with the call graph of the whole tree."""
        if self.partial is not None:
            self.use(None)

    @cached_property
    def names(self) -> Names:
        """What the words of a question name."""
        files = (f.path for f in self.tree.files)
        return Names(self.graph, files, self.prefix, (s.path for s in self.skipped))

    def near(self, query: str) -> list[str]:
        """Return names of the tree that look like a word."""
        from codepath.app.mentions import near

        return near(query, self.vocabulary() or self.graph.all_names())

    def vocabulary(self) -> frozenset[str]:
        """Return the identifiers of the files that were read."""
        return frozenset[str]().union(*self.store.identifiers(self.indexer.keys.values()).values())

    def one(self, query: str) -> StoredName:
        """Return the one thing that a word names.

        Raises:
            QueryError: it names nothing or several things.
        """
        found = self.names.find(query)
        if len(found) == 1:
            return found[0]
        inherited = inherited_method(query, self.names, self.bodies) if not found else ""
        method = named_in_full(self.graph, inherited) if inherited else None
        return method or self.names.one(query, () if found else self.near(query))

    @cached_property
    def bodies(self) -> Bodies:
        """The bodies of functions, read when they are asked for."""
        paths = {name: path for path, name in self.modules.items()}
        return Bodies(paths, self.facts_of)

    @cached_property
    def fresh_bodies(self) -> Bodies:
        """The same of files that are extracted when they are asked for."""

        def read(path: str) -> ir.ModuleFacts | None:
            self.indexer.ensure([path])
            return self.facts_of(path)

        return Bodies({name: path for path, name in self.modules.items()}, read)

    def facts_of(self, path: str) -> ir.ModuleFacts | None:
        """Return the facts of a file, None where it does not parse."""
        found = self.indexer.facts(path)
        return found if isinstance(found, ir.ModuleFacts) else None

    def spelled(self, functions: Iterable[str]) -> tuple[Place, ...]:
        """Return the calls that hand the last names of functions of the tree on as strings; () of a part of the tree."""
        from codepath.analysis.spelled import spelled

        if self.graph.is_partial:
            return ()
        lasts = dict.fromkeys(f.rpartition(".")[2] for f in functions if self.graph.function(f) is not None)
        return tuple(p for last in lasts for p in spelled(self.graph, self.bodies, self.words.holding(last), last))

    def runs(self, name: StoredName) -> tuple[str, ...]:
        """Return the functions that count as a thing: a class is run by its construction."""
        if name.kind == "class":
            return (name.name, f"{name.name}.__init__")
        return (name.name,)

    def starts(self, query: str) -> tuple[str, ...]:
        """Return the functions that a start names: an entry's, or what a thing runs."""
        entry = next((e.function for e in self.entries if e.name == query), None)
        if entry is not None:
            return (entry,)
        found = self.one(query)
        own = tuple(n for n in self.runs(found) if self.graph.function(n) is not None)
        return own or ((inherited,) if (inherited := self.inherited(found)) else (found.name,))

    def inherited(self, name: StoredName) -> str:
        """Return the constructor that a class takes from a base in the tree, "" where it has its own or none."""
        if name.kind != "class":
            return ""
        info = self.bodies.scope(name.name)
        found = self.bodies.classes.find(info.sid, "__init__") if info is not None else None
        if info is None or found is None or found.owner == info.sid:
            return ""
        return f"{self.bodies.tree.scopes[found.owner].name}.__init__"

    def place(self, name: str) -> Place:
        """Return where a function stands, line 0 where that is not known."""
        row = self.graph.function(name)
        if row is None:
            return Place("", 0, 0, name)
        return Place(row.file, ir.line_of(row.at), ir.column_of(row.at), name)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The ways in, declared ones first."""
        found = [Entry(e.name, self.callable(e.function), "declared", None) for e in self.knowledge.entry_points]  # type: ignore[arg-type]
        for name, target in self.tree.scripts:
            found.append(Entry(name, self.callable(target.replace(":", ".")), "script", None))  # type: ignore[arg-type]
        for module in self.whole.mains:
            shown = module.removesuffix(".__main__")
            found.append(Entry(f"python -m {shown}", module, "main", None))  # type: ignore[arg-type]
        known: dict[str, Entry] = {}
        for entry in found:
            if entry.function not in known and self.graph.function(entry.function) is not None:
                known[entry.function] = replace(entry, place=self.place(entry.function))
        return tuple(known.values())

    def callable(self, name: str) -> str:
        """Return the function that an entry's dotted name runs, re-exports followed."""
        if self.graph.function(name) is not None:
            return name
        if self.graph.function(f"{name}.__init__") is not None:
            return f"{name}.__init__"
        return name

    def matches(self, caller: str) -> bool:
        """Tell whether `--only` leaves a function in."""
        return self.options.only is None or matches(caller, self.options.only)

    @cached_property
    def ordering(self) -> Ordering:
        """What answers which of two things comes first."""
        shared = (self.bodies, self.names, self.knowledge, self.entries)
        memory = Memory(self.store, (self.solution,)) if not self.graph.is_partial else None
        return Ordering(self.graph, *shared, self.one, self.runs, self.line, memory)

    @cached_property
    def variables(self) -> Variables:
        """What answers who stores and reads a name."""
        shared = (self.graph, self.bodies, self.names, self.indexer, self.modules, self.prefix)
        return Variables(*shared, lambda: self.entries, lambda *places: self.ordering.is_before(*places))

    @cached_property
    def architectures(self) -> Architectures:
        """What answers questions about GPU architectures."""
        return Architectures(self)

    @property
    def assuming(self) -> Assuming:
        """What turns the words of the user into assumptions."""
        return self.assuming_over(self.graph, self.bodies)

    def assuming_over(self, graph: CallGraph, bodies: Bodies) -> Assuming:
        """Return what turns the words of the user into assumptions, over some bodies and a call graph."""
        modules = sorted(self.modules.values())

        def classes(name: str) -> list[Symbol]:
            return [symbol_of(found) for found in self.names.find(name) if found.kind == "class"]

        return Assuming(bodies, graph, self.knowledge, modules, classes, self.near, self.architectures.gpu)


def _module_names(tree: SourceTree) -> dict[str, str]:
    """Return the dotted name of each file's module; of two files with one name the first counts."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for file in tree.files:
        name = tree.module_name(file.path)
        if name and name not in taken:
            taken.add(name)
            names[file.path] = name
    return names


def _prefix(tree: SourceTree) -> str:
    """Return what stands before a file in text: the folder relative to the current one, nothing for archives."""
    if tree.folder is None:
        return ""
    relative = os.path.relpath(tree.folder).replace(os.sep, "/")
    return "" if relative == "." else f"{relative}/"


def matches(name: str, pattern: str) -> bool:
    """Match a dotted name: `*` within a part, `**` across parts; a pattern that ends in `.**` holds its stem too."""
    import re

    stem = pattern.removesuffix(".**")
    if stem != pattern and name == stem:
        return True
    parts = re.split(r"(\*\*|\*)", pattern)
    regex = "".join(".*" if p == "**" else "[^.]*" if p == "*" else re.escape(p) for p in parts)
    return re.fullmatch(regex, name) is not None
