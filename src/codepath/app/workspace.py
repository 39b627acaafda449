"""One tree, opened: its questions and what answers them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from codepath.analysis.assuming import Assumptions
from codepath.analysis.cone import Cone
from codepath.analysis.constants import NOTHING_KNOWN, Folding
from codepath.analysis.feasibility import MAX_ASSUMED, MAX_FUNCTIONS, Search
from codepath.analysis.groups import SHOWN, only_group
from codepath.analysis.makers import Makers
from codepath.analysis.reach import Question, Through, reach
from codepath.analysis.settled import Settled
from codepath.app.assuming import Assuming
from codepath.app.config import Config, find_config
from codepath.app.indexing import Indexer, snapshot_id
from codepath.app.meant import inherited_method, named_in_full, outside_calls
from codepath.app.options import Options, Progress, cache_folder
from codepath.app.ordering import Ordering
from codepath.app.solving import NoRows, solution_id, solve, stored_graph
from codepath.app.unresolved import reasons as _reasons
from codepath.app.variables import Variables
from codepath.errors import QueryError, SourceError
from codepath.knowledge import choose, shipped
from codepath.model import ir
from codepath.model.answers import (
    EntriesAnswer,
    Entry,
    IndexAnswer,
    Place,
    ReachAnswer,
    Skipped,
    SourceInfo,
    Stats,
    StatusAnswer,
    Step,
    StepsAnswer,
    Symbol,
    SymbolsAnswer,
    Truncation,
    Unresolved,
)
from codepath.model.arch import ArchAnswer, ExplainAnswer
from codepath.model.assumptions import NOTHING_SAID, Said
from codepath.model.knowledge import Knowledge
from codepath.model.orders import OrderAnswer
from codepath.model.pictures import Picture
from codepath.model.solution import StoredName, StoredWhole
from codepath.model.values import ValuesAnswer
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph, gaps_of, symbol_of
from codepath.program.names import Names, is_place, place_of
from codepath.source import SourceTree, open_tree
from codepath.store import Failure, Store

if TYPE_CHECKING:
    from codepath.analysis.hooks import Hooks
    from codepath.app.arch import Tree as ArchTree
    from codepath.app.checked import Checked
    from codepath.app.reading import Scopes
    from codepath.app.tracing import Tracing
    from codepath.model.hooks import HookAnswer, HooksAnswer
    from codepath.model.trace import AbsentAnswer, TraceAnswer
    from codepath.program.hook_facts import HookFacts

_EXCERPTS = 3  # files whose broken line is shown
RESOLUTIONS = ("exact", "inferred", "family", "by-name")


class Workspace:
    """A tree with its store. Questions index what they need."""

    def __init__(
        self, tree: SourceTree, store: Store, options: Options, progress: Progress | None, config: Config
    ) -> None:
        self._config = config
        self._tree = tree
        self._store = store
        self._options = options
        self._progress = progress
        self._indexer = Indexer(tree, store, options.workers, progress, no_index=options.no_index)
        self._modules = _module_names(tree)
        self._prefix = _prefix(tree)
        self._partial: tuple[CallGraph, StoredWhole] | None = None

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._indexer.close()
        self._tree.close()
        self._store.close()

    @cached_property
    def knowledge(self) -> Knowledge:
        """What is known of the libraries and the project of this tree."""
        return choose(shipped(), self._config.models, frozenset(self._modules.values()))

    @property
    def source(self) -> SourceInfo:
        """The tree as an answer names it, with what was left out of it."""
        return SourceInfo(
            spec=self._tree.spec,
            root=self._tree.root,
            files=len(self._tree.files),
            lines=self._lines,
            skipped=tuple((s.path, s.reason) for s in self._skipped),
            prefix=self._prefix,
            version=self._tree.version,
        )

    @property
    def content(self) -> dict[str, str]:
        """The content key of each file."""
        return self._indexer.keys

    @property
    def parsed(self) -> int:
        """How many files were parsed so far."""
        return self._indexer.parsed

    @property
    def repository_prefix(self) -> str:
        """What stands before a file of the tree below the top of the repository around it; "" where there is none."""
        top, folder = self._tree.work_tree_top, self._tree.folder
        if top is None or folder is None:
            return ""
        relative = os.path.relpath(folder, top).replace(os.sep, "/")
        return "" if relative == "." else f"{relative}/"

    @cached_property
    def _lines(self) -> int:
        return self._whole.lines

    @cached_property
    def _skipped(self) -> tuple[Skipped, ...]:
        """The Python files left out, sorted: those that cannot be read, at line 0, and those that do not parse."""
        unread = [Skipped(path, reason, 0, 0) for path, reason in self._tree.skipped]
        failed = [Skipped(*row) for row in self._whole.skipped]
        if len(failed) <= _EXCERPTS:
            failed = [replace(item, excerpt=self._line(item.path, item.line)) for item in failed]
        return tuple(sorted([*unread, *failed], key=lambda s: s.path))

    def _line(self, path: str, number: int) -> str:
        """Return a line of a file that does not parse, "" where that cannot be told."""
        try:
            lines = self._tree.read(path).decode("utf-8-sig").splitlines()
        except (SourceError, UnicodeDecodeError):
            return ""
        return lines[number - 1] if 0 < number <= len(lines) else ""

    # --- the call graph ----------------------------------------------------------------------------------------------

    @cached_property
    def _solution(self) -> str:
        snapshot = snapshot_id(self._tree.files, self._indexer.keys)
        if self._store.snapshot(snapshot) is None:  # first of all: what no snapshot names may be collected
            self._store.put_snapshot(snapshot, self._indexer.keys.items())
        return solution_id(snapshot, self._modules, self.knowledge)

    @cached_property
    def _solved(self) -> tuple[CallGraph, StoredWhole]:
        found = self._stored
        if found is None:
            self._solve()
            found = self.__dict__["_stored"] = stored_graph(self._store, self._solution, self._solve)
            assert found is not None
        return found

    def _solve(self) -> None:
        self._indexer.ensure(self._indexer.keys)
        solve(self._indexer, self._solution, self._modules, self.knowledge, self._progress)

    @cached_property
    def _stored(self) -> tuple[CallGraph, StoredWhole] | None:
        """The stored solution of this very tree, None where there is none."""
        return stored_graph(self._store, self._solution, self._solve)

    @property
    def _graph(self) -> CallGraph:
        return self._partial[0] if self._partial is not None else self._solved[0]

    @property
    def _whole(self) -> StoredWhole:
        return self._partial[1] if self._partial is not None else self._solved[1]

    def _demand(self, query: str, also: Iterable[str]) -> Truncation | None:
        """Make ready the call graph that a question needs; return what is left out of it where it is not the whole."""
        known = {e.name: e.function for e in self.knowledge.entry_points}
        known.update((name, target.replace(":", ".")) for name, target in self._tree.scripts)
        modules = set(self._modules.values())
        names = [known.get(name, name) for name in (query, *also)]
        if self._stored is not None or any(is_place(name) or name in modules for name in names):
            return None
        from codepath.app.mentions import near
        from codepath.app.ondemand import OnDemand

        demand = OnDemand(self._indexer, self._modules, self.knowledge, self._progress)
        self._use(demand.names(names))
        for name in tuple(names):
            if self._names.find(name):
                continue
            owner = name.rpartition(".")[0]
            if owner:
                self._use(demand.names([owner]))
                if inherited := inherited_method(name, self._names, self._bodies):
                    self._use(demand.names([inherited]))
                    names = [inherited if one == name else one for one in names]
                    continue
            if demand.files.holding(name.rpartition(".")[2]):
                self._whole_tree()  # a word of the tree that nothing in it defines: an outside name, a module, an alias
                return None
            self._use(demand.names(near(name, demand.files.words())))
            self._one(name)
        self._one(names[0])
        self._use(demand.graph(names[0]))
        return Truncation("files", len(demand.files.loaded), len(self._tree.files))

    def _use(self, partial: tuple[CallGraph, StoredWhole] | None) -> None:
        self._partial = partial
        for derived in ("_lines", "_skipped", "_names", "_entries", "_variables"):
            self.__dict__.pop(derived, None)

    def _whole_tree(self) -> None:
        """Go on with the call graph of the whole tree."""
        self._use(None)

    @cached_property
    def _names(self) -> Names:
        files = (f.path for f in self._tree.files)
        return Names(self._graph, files, self._prefix, (s.path for s in self._skipped))

    def _near(self, query: str) -> list[str]:
        """Return names of the tree that look like a word."""
        from codepath.app.mentions import near

        keys = self._indexer.keys.values()
        words = frozenset[str]().union(*self._store.identifiers(keys).values())
        return near(query, words or self._graph.all_names())

    def _one(self, query: str) -> StoredName:
        found = self._names.find(query)
        if len(found) == 1:
            return found[0]
        inherited = inherited_method(query, self._names, self._bodies) if not found else ""
        method = named_in_full(self._graph, inherited) if inherited else None
        return method or self._names.one(query, () if found else self._near(query))

    # --- questions ---------------------------------------------------------------------------------------------------

    def reach(
        self,
        target: str,
        *,
        start: str | None = None,
        via: str | None = None,
        paths: int = 1,
        all_paths: bool = False,
        group_by: str = "",
        all_matches: bool = False,
        calls: bool = False,
        group: int | None = None,
        event: str | None = None,
        said: Said = NOTHING_SAID,
    ) -> ReachAnswer:
        """Answer which paths reach a function, method or class, and in what order relative to an event.

        With `calls`, the target may be a name outside the tree: then what reaches calls of it. `group` shows the paths of
        one group alone.
        """
        whole = all_matches or calls or event is not None
        cut = None if whole else self._demand(target, [start] if start else [])
        paths = paths if group is None else max(paths, SHOWN)

        def ask() -> ReachAnswer:
            answer = self._reach(target, start, via, paths, all_paths, all_matches, calls, group_by, event, said, group)
            return replace(answer, stored_value=self._variables.stored_by(answer.target.name))

        if cut is not None:
            answer = ask()
            if answer.paths:
                return replace(answer, truncated=cut)
            self._whole_tree()
        return ask()

    def _reach(
        self,
        target: str,
        start: str | None,
        via: str | None,
        paths: int,
        all_paths: bool,
        all_matches: bool,
        calls: bool,
        group_by: str,
        event: str | None,
        said: Said,
        group: int | None,
    ) -> ReachAnswer:
        symbol, targets = self._targets(target, all_matches, calls)
        starts = self._starts(start) if start is not None else ()
        entries = self._entries
        if start is not None:
            entries = tuple(Entry(start, name, "declared", self._place(name)) for name in starts)
        question = Question(
            symbol=symbol,
            targets=targets,
            entries=entries,
            starts=starts,
            via=tuple(self._through(part) for part in _parts(via)),
            paths=paths,
            all_paths=all_paths,
            group_by=group_by,
        )
        ways = self._entries if start is not None else ()
        assuming = self._assuming
        assumed = assuming.assumptions(said, self._config.assume)
        answer = reach(self._graph, question, lambda cone, entries: self._decide(cone, entries, ways, assumed))
        answer = assuming.told(assuming.with_defaults(answer))
        if group is not None:
            answer = self._group(answer, group)
        if self._partial is not None:
            return replace(answer, bypasses=(), overridden=())  # files not read may hold more
        return replace(answer, paths=self._ordering.with_orders(answer.paths, event, assumed))

    def _targets(self, query: str, all_matches: bool, calls: bool) -> tuple[Symbol, tuple[str, ...]]:
        """Return what a question is about, and the functions that count as it."""
        found = self._names.find(query) if all_matches or calls else ()
        if calls and not found:
            return outside_calls(self._graph, query)
        found = found if all_matches and found else (self._one(query),)
        if all(name.kind == "global" for name in found):
            raise self._not_run(found[0])
        if len(found) == 1 and (inherited := self._inherited(found[0])):
            raise QueryError(
                f"`{found[0].name}` has no constructor of its own: it runs `{inherited}`",
                help=(f"codepath reach {inherited}    also counts the other classes that run it",),
            )
        return symbol_of(found[0]), tuple(name for one in found for name in self._runs(one))

    def _group(self, answer: ReachAnswer, number: int) -> ReachAnswer:
        """Return an answer with the paths of one group alone."""
        last = max((group.number for group in answer.groups), default=0)
        if answer.paths and not 1 <= number <= last:
            raise QueryError(f"there is no group {number}: the paths to `{answer.target.name}` form {last} groups")
        return only_group(answer, number)

    @property
    def _assuming(self) -> Assuming:
        modules = sorted(self._modules.values())

        def classes(name: str) -> list[Symbol]:
            return [symbol_of(found) for found in self._names.find(name) if found.kind == "class"]

        return Assuming(self._bodies, self._graph, self.knowledge, modules, classes, self._near)

    def _decide(
        self, cone: Cone, entries: Sequence[Entry], ways: Sequence[Entry], assumed: Assumptions | None
    ) -> Search | None:
        """Search a cone from the ways in, or from some starts with what the ways in to them pass on."""
        most = MAX_ASSUMED if assumed is not None else MAX_FUNCTIONS
        if len(cone.next_step) > most:
            return None
        bodies = self._bodies
        folding = Folding(bodies, Settled(self._graph, bodies), assumed)
        makers = Makers(self._graph, bodies, folding, cone.steps_in)
        starts = [(e.function, NOTHING_KNOWN) for e in entries]
        if ways:
            names = [e.function for e in entries]
            before = Cone(self._graph, names, by_name=False)
            inside = [(e.function, NOTHING_KNOWN) for e in ways if e.function in before.next_step]
            if inside and len(before.next_step) <= most:
                starts = Search(bodies, folding, before.steps_in, inside, assumed, makers).states_of(names) or starts
        search = Search(bodies, folding, cone.steps_in, starts, assumed, makers)
        return search if search.is_whole else None

    @cached_property
    def _bodies(self) -> Bodies:
        paths = {name: path for path, name in self._modules.items()}

        return Bodies(paths, self._parsed)

    def _parsed(self, path: str) -> ir.ModuleFacts | None:
        found = self._indexer.facts(path)
        return found if isinstance(found, ir.ModuleFacts) else None

    def _runs(self, name: StoredName) -> tuple[str, ...]:
        """Return the functions that count as a thing: a class is run by its construction."""
        if name.kind == "class":
            return (name.name, f"{name.name}.__init__")
        return (name.name,)

    def _through(self, part: str) -> Through:
        """Return what a part of a call string stands for: a place, or functions."""
        if is_place(part):
            path, line = place_of(part)
            return Through(path=path, line=line)
        return Through(functions=self._runs(self._one(part)))

    def _not_run(self, name: StoredName) -> QueryError:
        place = f"{self._prefix}{name.file}:{ir.line_of(name.at)}"
        return QueryError(
            f"`{name.name}` is a global, which nothing calls", help=(f"it is assigned at {place}", "name what runs")
        )

    def _starts(self, query: str) -> tuple[str, ...]:
        entry = next((e.function for e in self._entries if e.name == query), None)
        if entry is not None:
            return (entry,)
        found = self._one(query)
        own = tuple(n for n in self._runs(found) if self._graph.function(n) is not None)
        return own or ((inherited,) if (inherited := self._inherited(found)) else (found.name,))

    def _inherited(self, name: StoredName) -> str:
        """Return the constructor that a class takes from a base in the tree, "" where it has its own or none."""
        if name.kind != "class":
            return ""
        info = self._bodies.scope(name.name)
        found = self._bodies.classes.find(info.sid, "__init__") if info is not None else None
        if info is None or found is None or found.owner == info.sid:
            return ""
        return f"{self._bodies.tree.scopes[found.owner].name}.__init__"

    def _place(self, name: str) -> Place:
        row = self._graph.function(name)
        if row is None:
            return Place("", 0, 0, name)
        return Place(row.file, ir.line_of(row.at), ir.column_of(row.at), name)

    @cached_property
    def _entries(self) -> tuple[Entry, ...]:
        """The ways in, declared ones first."""
        found = [Entry(e.name, self._callable(e.function), "declared", None) for e in self.knowledge.entry_points]  # type: ignore[arg-type]
        for name, target in self._tree.scripts:
            found.append(Entry(name, self._callable(target.replace(":", ".")), "script", None))  # type: ignore[arg-type]
        for module in self._whole.mains:
            shown = module.removesuffix(".__main__")
            found.append(Entry(f"python -m {shown}", module, "main", None))  # type: ignore[arg-type]
        known: dict[str, Entry] = {}
        for entry in found:
            if entry.function not in known and self._graph.function(entry.function) is not None:
                known[entry.function] = replace(entry, place=self._place(entry.function))
        return tuple(known.values())

    def _callable(self, name: str) -> str:
        """Return the function that an entry's dotted name runs, re-exports followed."""
        if self._graph.function(name) is not None:
            return name
        if self._graph.function(f"{name}.__init__") is not None:
            return f"{name}.__init__"
        return name

    def order(self, first: str, then: str) -> OrderAnswer:
        """Answer which of two things comes first."""
        return self._ordering.order(first, then)

    @cached_property
    def _ordering(self) -> Ordering:
        shared = (self._bodies, self._names, self.knowledge, self._entries)
        return Ordering(self._graph, *shared, self._one, self._runs, self._line)

    def init_order(
        self,
        root: str,
        *,
        until: str | None = None,
        depth: int = 0,
        show: Sequence[str] = (),
        limit: int = 40,
        said: Said = NOTHING_SAID,
    ) -> Picture:
        """Answer what runs below a function, in which order; `depth` 0 is no limit."""
        from codepath.app.drawing import Drawing

        self._whole_tree()
        assumed = self._assuming.assumptions(said, self._config.assume)
        drawing = Drawing(self._ordering, assumed, self._names.find, self._starts, self._setters)
        return drawing.init_order(root, until, depth, show, limit)

    def _setters(self, name: str) -> list[str]:
        """Return the functions that store a global or an attribute."""
        return list(dict.fromkeys(writer.place.function for writer in self.values(name).writers))

    def values(self, name: str) -> ValuesAnswer:
        """Answer who writes and reads a global or an attribute, and what it can hold."""
        if self._partial is not None:
            self._whole_tree()
        found = self._variables.values(name)
        if found is None:
            raise self._names.unknown(name, self._near(name))
        return found

    @cached_property
    def _variables(self) -> Variables:
        return Variables(
            self._graph, self._bodies, self._names, self._indexer, self._modules, self._prefix, lambda: self._entries
        )

    def callers(self, name: str) -> StepsAnswer:
        """Answer who calls a function."""
        found = self._one(name)
        steps = tuple(step for target in self._runs(found) for step in self._graph.steps_into(target))
        return StepsAnswer(symbol_of(found), steps, (), _count(steps, 0))

    def callees(self, name: str) -> StepsAnswer:
        """Answer what a function calls."""
        found = self._one(name)
        names = self._starts(found.name)
        steps = tuple(step for n in names for step in self._graph.steps(n))
        rows = [(n, self._graph.function(n)) for n in names]
        gaps = tuple(gap for n, row in rows if row is not None for gap in gaps_of(n, row))
        return StepsAnswer(symbol_of(found), steps, gaps, _count(steps, len(gaps)))

    def symbols(self, pattern: str, limit: int) -> SymbolsAnswer:
        """List the named things that match a pattern: a part of a dotted name, with `*` and `?` as in a shell."""
        wanted = pattern if any(ch in pattern for ch in "*?[") else f"*{pattern}*"
        last = pattern.rpartition(".")[2]
        exact = [symbol_of(n) for n in self._names.find(pattern)]
        rest = [
            symbol_of(n)
            for name in self._graph.all_names()
            if fnmatchcase(name, wanted if "." not in pattern else f"*{last}*")
            for n in self._graph.named(name)
            if fnmatchcase(n.name, f"*{wanted.strip('*')}*" if "." in pattern else "*")
        ]
        found = list(dict.fromkeys([*exact, *sorted(rest, key=lambda s: s.name)]))
        cut = Truncation("symbols", limit, len(found)) if len(found) > limit else None
        return SymbolsAnswer(tuple(found[:limit]), cut)

    def entries(self, uncalled: bool = False) -> EntriesAnswer:
        """List the ways in; with `uncalled`, also the functions that nothing calls."""
        lonely: tuple[Symbol, ...] = ()
        if uncalled:
            lonely = tuple(symbol_of(n) for n in self._graph.uncalled())
        return EntriesAnswer(self._entries, lonely)

    def graph(self, min_resolution: str = "by-name") -> Iterator[Step]:
        """Yield every step of the tree, by caller's file, line, column, callee."""
        allowed = frozenset(RESOLUTIONS[: RESOLUTIONS.index(min_resolution) + 1])
        for caller, row in self._graph.everything():
            if self._matches(caller):
                yield from (s for s in self._graph.steps_of(caller, row) if s.resolution in allowed)

    def unresolved(self) -> Iterator[Unresolved]:
        """Yield every call site of unknown target."""
        for caller, row in self._graph.everything():
            if self._matches(caller):
                yield from gaps_of(caller, row)

    def _matches(self, caller: str) -> bool:
        return self._options.only is None or matches(caller, self._options.only)

    # --- hooks -------------------------------------------------------------------------------------------------------

    @cached_property
    def _hook_facts(self) -> HookFacts:
        from codepath.program.hook_facts import HookFacts

        return HookFacts(self._solved[0], (r.name for r in self.knowledge.registries))

    @cached_property
    def _scopes(self) -> Scopes:
        from codepath.app.reading import Scopes

        return Scopes({name: path for path, name in self._modules.items()}, self._parsed)

    @cached_property
    def _hooks(self) -> Hooks:
        from codepath.analysis.hooks import Hooks

        return Hooks(self._hook_facts, self._scopes.store_of, self._scopes.guards_at)

    @cached_property
    def _tracing(self) -> Tracing:
        from codepath.app.flows import NoneFlows
        from codepath.app.tracing import Tracing

        self._whole_tree()
        facts, graph = self._hook_facts, self._solved[0]
        flows = NoneFlows(graph, self._bodies)
        return Tracing(graph, self._bodies, self._hooks, facts, self._scopes, self._modules, self._tree.read, flows)

    def trace(self, log: bytes, *, assume: Sequence[str] = (), launch_args: str = "") -> TraceAnswer:
        """Answer what caused the failure that a log shows."""
        return self._tracing.trace(log, assume, launch_args)

    def absent(self, text: str) -> AbsentAnswer:
        """Answer where the tree would print a text, and under which guards."""
        return self._tracing.absent(text)

    def hook(self, name: str, *, family: str = "", missing: bool = False) -> HookAnswer:
        """Answer which classes have an attribute that is looked up by name, `Class.name` for one class and those below."""
        self._whole_tree()
        owner, _, hook = name.rpartition(".")
        below = self._one(owner) if owner else None
        if below is not None and below.kind != "class":
            raise QueryError(f"`{owner}` is no class", help=("name an attribute, or CLASS.NAME",))
        answer = self._hooks.one(hook, family, below.name if below is not None else "")
        if answer is None:
            near = [n for n in self._near(hook) if n != hook]
            help = ("did you mean", *(f"    {n}" for n in near)) if near else ()
            raise QueryError(f"nothing in this tree looks up or has an attribute `{hook}`", help=help)
        if not missing:
            return answer
        return replace(answer, classes=tuple(c for c in answer.classes if c.has is not True))

    def hooks(self, *, family: str = "", missing: bool = False, limit: int = 0) -> HooksAnswer:
        """Answer which attributes are looked up by name on classes of the tree, and which classes lack each."""
        self._whole_tree()
        answer = self._hooks.every(family, missing)
        if not limit or len(answer.hooks) <= limit:
            return answer
        return replace(answer, hooks=answer.hooks[:limit], truncated=Truncation("hooks", limit, len(answer.hooks)))

    def arch(self, targets: Sequence[str]) -> ArchAnswer:
        """Answer which tables and branches miss some GPU architectures."""
        from codepath.app.arch import evaluate

        return evaluate(self._for_arch(), targets)

    def arch_explained(self, targets: Sequence[str], asked: str) -> ExplainAnswer:
        """Answer what a name or a line is on each architecture."""
        from codepath.app.arch import explained

        return explained(self._for_arch(), targets, asked, self._one)

    def _for_arch(self) -> ArchTree:
        from codepath.app.arch import Tree

        stats = Stats(*self._whole.counts)
        parts = (self._indexer, self._modules, self.knowledge, self._bodies, self._graph)
        return Tree(*parts, self._entries, stats, self._progress)

    def checked(self, targets: Sequence[str]) -> Checked:
        """Return the tree as rules see it; `targets` are the architectures that are asked for."""
        from codepath.app.arch import evaluate
        from codepath.app.checked import Checked

        self._whole_tree()
        return Checked(
            graph=self._graph,
            hooks=self._hooks,
            targets=tuple(targets),
            indexer=self._indexer,
            modules=self._modules,
            knowledge=self.knowledge,
            ordering=self._ordering,
            values_of=self._variables.values,
            arch_of=lambda names: evaluate(self._for_arch(), names),
        )

    # --- the index ---------------------------------------------------------------------------------------------------

    def index(self) -> IndexAnswer:
        """Bring the whole tree's facts and call graph up to date."""
        whole = self._whole
        status = self._store.status()
        kinds = Counter(e.kind for e in self._entries)
        return IndexAnswer(
            files=len(self._tree.files),
            parsed=self._indexer.parsed,
            classes=whole.classes,
            functions=whole.functions,
            stats=Stats(*whole.counts),
            entries=tuple(sorted(kinds.items())),
            namespace_folders=_namespace_folders(self._modules),
            byte_order_marks=whole.byte_order_marks,
            skipped=self._skipped,
            cache=str(status.path) if status.path is not None else "",
            database=status.size,
        )

    def status(self, reasons: bool = False, receivers: int = 0) -> StatusAnswer:
        """Describe the tree and its index; calls are counted where they are solved, and solved for `reasons`, `only`.

        Args:
            reasons: say why calls have no known target.
            receivers: list so many receivers for each reason.
        """
        status = self._store.status()
        solved = reasons or self._options.only is not None or self._stored is not None
        if not solved:
            self._partial = CallGraph(NoRows(), ()), self._unsolved()
        whole = self._whole
        stats = Stats(*whole.counts) if solved else None
        if self._options.only is not None:
            stats = self._graph.count(self._matches)
        return StatusAnswer(
            files=len(self._tree.files),
            lines=whole.lines,
            stored=len(self._tree.files) - len(self._indexer.missing(self._indexer.keys)),
            solved=solved,
            skipped=self._skipped,
            stats=stats,
            unresolved=tuple(_reasons(self.unresolved(), receivers=receivers, named=self._named)) if reasons else (),
            cache=str(status.path) if status.path is not None else "",
            database=status.size,
            other_versions=status.other_versions,
            projects=tuple(p.name for p in self.knowledge.projects),
            config=str(self._config.path) if self._config.path is not None else None,
        )

    def _unsolved(self) -> StoredWhole:
        """Return what can be said of a tree whose calls are not solved: its lines, and what did not parse so far."""
        lines = sum(self._tree.read(f.path).count(b"\n") for f in self._tree.files)
        failed = sorted((p, f.message, f.line, f.column) for p, f in self._indexer.failures().items())
        return StoredWhole((), 0, 0, (0,) * 7, lines, (), tuple(failed))

    def _named(self, last: str) -> tuple[str, ...]:
        found = [n for n in self._graph.named(last) if n.kind in ("function", "method")]
        return tuple(n.name for n in sorted(found, key=lambda n: (n.kind != "method", n.name)))


def open_workspace(
    options: Options, progress: Progress | None, note: Callable[[str], None], config: Config | None = None
) -> Workspace:
    """Open the tree and the store that options name, under their own configuration or a given one."""
    from codepath.extract.version import EXTRACTOR_VERSION

    folder = cache_folder(options.cache_dir)
    store = Store.open(folder, extractor_version=EXTRACTOR_VERSION)
    if store.note:
        note(store.note)
    try:
        config = find_config(_around(options.source)) if config is None else config
        tree = open_tree(
            _spec(options, config),
            cwd=Path.cwd(),
            cache=folder,
            package_root=options.package_root,
            package_roots=() if options.package_root else config.package_roots,
            include=frozenset((*options.include, *config.include)),
            respect_gitignore=options.respect_gitignore,
            hashes=store.hashes,
            python=options.python,
            progress=note,
        )
    except BaseException:
        store.close()
        raise
    return Workspace(tree, store, options, progress, config)


def _around(source: str | None) -> Path:
    """Return the folder whose configuration holds: the source's where it is one, else the current one."""
    folder = Path(source) if source is not None else Path.cwd()
    return (folder if folder.is_dir() else Path.cwd()).resolve()


def _spec(options: Options, config: Config) -> str | None:
    """Return the SPEC that is asked; that of the configuration is relative to its file."""
    if options.source is not None or config.source is None or config.path is None:
        return options.source
    folder = config.path.parent / config.source
    return str(folder) if folder.is_dir() else config.source


def clear_cache(cache_dir: Path | None) -> tuple[str, int]:
    """Empty the cache; return its folder and the bytes freed."""
    with _bare_store(cache_dir) as store:
        before = store.status().size
        store.clear()
        return str(cache_folder(cache_dir)), max(before - store.status().size, 0)


def gc_cache(cache_dir: Path | None) -> tuple[str, int]:
    """Drop from the cache what no recent tree needs; return its folder and the bytes freed."""
    with _bare_store(cache_dir) as store:
        return str(cache_folder(cache_dir)), store.gc().size


def _bare_store(cache_dir: Path | None) -> Store:
    from codepath.extract.version import EXTRACTOR_VERSION

    return Store.open(cache_folder(cache_dir), extractor_version=EXTRACTOR_VERSION)


def _parts(via: str | None) -> list[str]:
    """Return the parts of a call string, outermost first: `,` or `>` stands between."""
    return [part.strip() for part in (via or "").replace(">", ",").split(",") if part.strip()]


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


def _namespace_folders(modules: dict[str, str]) -> int:
    folders = {path.rpartition("/")[0] for path in modules if "/" in path}
    packages = {path.rpartition("/")[0] for path in modules if path.endswith("/__init__.py")}
    return len(folders - packages)


def matches(name: str, pattern: str) -> bool:
    """Match a dotted name: `*` within a part, `**` across parts; a pattern that ends in `.**` holds its stem too."""
    import re

    stem = pattern.removesuffix(".**")
    if stem != pattern and name == stem:
        return True
    parts = re.split(r"(\*\*|\*)", pattern)
    regex = "".join(".*" if p == "**" else "[^.]*" if p == "*" else re.escape(p) for p in parts)
    return re.fullmatch(regex, name) is not None


def _count(steps: tuple[Step, ...], unresolved: int) -> Stats:
    best: dict[tuple[str, int, int], str] = {}
    for step in steps:
        key = (step.file, step.line, step.column)
        if key not in best or RESOLUTIONS.index(step.resolution) < RESOLUTIONS.index(best[key]):
            best[key] = step.resolution
    tiers = Counter(best.values())
    return Stats(
        call_sites=len(best) + unresolved,
        exact=tiers["exact"],
        inferred=tiers["inferred"],
        family=tiers["family"],
        by_name=tiers["by-name"],
        unresolved=unresolved,
    )


__all__ = ["Failure", "Workspace", "clear_cache", "gc_cache", "open_workspace"]
