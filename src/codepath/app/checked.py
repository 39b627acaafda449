"""A tree as rules see it: what kinds of rules ask, answered by the analyses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property

from codepath.analysis.detect.tree import DetectTree
from codepath.analysis.hooks import Hooks
from codepath.analysis.order import Comparison
from codepath.analysis.sides import Named, named
from codepath.analysis.skips import contexts_of
from codepath.analysis.summaries import Summaries
from codepath.analysis.tools import Tools
from codepath.app.indexing import Indexer
from codepath.app.kept import KeptDrafts
from codepath.app.ordering import Ordering
from codepath.app.words import Words
from codepath.checks.names import fits
from codepath.checks.schema import IdleError
from codepath.checks.tree import Ordered
from codepath.errors import QueryError, SourceError
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.arch import ArchAnswer
from codepath.model.checks import Draft, Rule
from codepath.model.knowledge import Knowledge
from codepath.model.values import ValuesAnswer
from codepath.program.graph import CallGraph

_RUN = frozenset(["function", "method", "class"])
_NAMED = frozenset([*_RUN, "global", "module"])


@dataclass
class Checked:
    """One tree for rules.

    Args:
        graph_of: Gives its call graph, as `hooks_of` and `ordering_of` give what rests on that: some rules need none of them.
        modules: Maps paths to dotted names.
        beside: The solution of the tree that it is compared with, "" where what is found then is not stored.
    """

    graph_of: Callable[[], CallGraph]
    hooks_of: Callable[[], Hooks]
    targets: tuple[str, ...]
    indexer: Indexer
    modules: dict[str, str]
    knowledge: Knowledge
    ordering_of: Callable[[], Ordering]
    values_of: Callable[[str, bool], ValuesAnswer | None]
    arch_of: Callable[[Sequence[str]], ArchAnswer]
    keeping: KeptDrafts
    beside: str
    detect: DetectTree
    _arch: dict[tuple[str, ...], ArchAnswer] = field(default_factory=dict)
    _values: dict[tuple[str, bool], ValuesAnswer | None] = field(default_factory=dict)
    _sides: dict[tuple[str, ...], Named] = field(default_factory=dict)
    _lines: dict[str, list[str]] = field(default_factory=dict)
    _names: frozenset[str] | None = None

    @cached_property
    def graph(self) -> CallGraph:
        """Its call graph."""
        return self.graph_of()

    @cached_property
    def hooks(self) -> Hooks:
        """Which classes have which attributes."""
        return self.hooks_of()

    @cached_property
    def ordering(self) -> Ordering:
        """What answers about order."""
        return self.ordering_of()

    def functions(self, pattern: str) -> tuple[str, ...]:
        """Return the functions that a pattern means; a class stands for its constructor too.

        A dotted name in full may be that of a function outside the tree.
        """
        last = pattern.rpartition(".")[2]
        lasts = [n for n in self.graph.all_names() if fnmatchcase(n, last)] if "*" in last else [last]
        found = {n.name: n.kind for one in lasts for n in self.graph.named(one) if n.kind in _RUN}
        names = sorted(name for name in found if fits(name, pattern)) or self._inherited(pattern)
        found.update((name, "method") for name in names if name not in found)
        if not names and "." in pattern and self.graph.callers(pattern):
            return (pattern,)  # outside the tree, and called in it
        return tuple(x for n in names for x in ((n, f"{n}.__init__") if found[n] == "class" else (n,)))

    def _inherited(self, pattern: str) -> list[str]:
        """Return the methods that classes have from a base under a name that is written with the class."""
        owner, _, last = pattern.rpartition(".")
        if not owner or "*" in pattern:
            return []
        bodies = self.ordering.bodies
        classes = [
            n.name for n in self.graph.named(owner.rpartition(".")[2]) if n.kind == "class" and fits(n.name, owner)
        ]
        names = set()
        for info in filter(None, map(bodies.scope, classes)):
            held = bodies.classes.find(info.sid, last)
            if held is not None:
                names.add(f"{bodies.tree.scopes[held.owner].name}.{last}")
        return sorted(name for name in names if self.graph.function(name) is not None)

    def events(self, name: str) -> tuple[str, ...]:
        """Return the functions that are an event of the project."""
        event = next((e for e in self.knowledge.events if e.name == name), None)
        return tuple(self.ordering.event_functions(event)) if event is not None else ()

    def place(self, function: str) -> Place | None:
        """Return where a function or class is defined."""
        last = function.rpartition(".")[2]
        found = next((n for n in self.graph.named(last) if n.name == function), None)
        return Place(found.file, ir.line_of(found.at), ir.column_of(found.at), function) if found is not None else None

    def short(self, name: str) -> str:
        """Return a dotted name without its module; in full where it is not of the tree."""
        if self._names is None:
            self._names = frozenset(self.modules.values())
        module = name
        while module and module not in self._names:
            module = module.rpartition(".")[0]
        if not module:
            return name
        return name[len(module) + 1 :] or name.rpartition(".")[2]

    def order(self, frame: str, first: Sequence[str], second: Sequence[str]) -> Ordered | None:
        """Return how two things stand in what a function runs, None where it runs neither."""
        one, other = self._side(first), self._side(second)
        runs_first, runs_second = frame in one.functions, frame in other.functions
        if not (runs_first or runs_second):
            return None
        if not (runs_first and runs_second):
            return Ordered("unreached", (), runs_first, runs_second, False)
        comparison = Comparison(Summaries(self._tools, one, other))
        found = comparison.compare([frame])
        if found.is_cut:
            return Ordered("unknown", (), True, True, False)
        return Ordered(found.verdict, contexts_of(comparison, found), True, True, found.is_skipped)

    @cached_property
    def _tools(self) -> Tools:
        """What all questions about order share."""
        return self.ordering.tools()

    def _side(self, functions: Sequence[str]) -> Named:
        key = tuple(functions)
        if key not in self._sides:
            self._sides[key] = named(self.graph, (), key, {})
        return self._sides[key]

    def values(self, variable: str, *, unset: bool) -> ValuesAnswer | None:
        """Return what is known of a variable, with `unset` also the ways to reads before any write."""
        key = (variable, unset)
        if key not in self._values:
            try:
                self._values[key] = self.values_of(*key)
            except QueryError as error:
                raise IdleError(error.message) from None
        return self._values[key]

    def arch(self, targets: Sequence[str]) -> ArchAnswer:
        """Return the tables and branches that depend on the architecture."""
        key = tuple(targets)
        if key not in self._arch:
            self._arch[key] = self.arch_of(key)
        return self._arch[key]

    def kept(self, rule: Rule, find: Callable[[], Iterable[Draft]]) -> tuple[Draft, ...]:
        """Return what a rule finds, as it was stored where it was found before."""
        return self.keeping.get(rule, find)

    def stored(self, rule: Rule) -> tuple[Draft, ...] | None:
        """Return what a rule found before in the whole tree, None where that is not known."""
        return self.keeping.stored(rule)

    def near(self, rule: Rule, find: Callable[[], Iterable[Draft]]) -> tuple[Draft, ...]:
        """Return what a rule finds around what differs from the other tree, as it was stored where it was found before."""
        return self._beside("near", rule, find)

    def compared(self, rule: Rule, find: Callable[[], Iterable[Draft]]) -> tuple[Draft, ...]:
        """Return what a rule finds by comparing with the other tree, as it was stored where it was found before."""
        return self._beside("compared", rule, find)

    def _beside(self, what: str, rule: Rule, find: Callable[[], Iterable[Draft]]) -> tuple[Draft, ...]:
        return self.keeping.beside(self.beside, what).get(rule, find) if self.beside else tuple(find())

    @property
    def entries(self) -> tuple[frozenset[str], ...]:
        """The functions and modules with which a program starts: those that are declared, then all."""
        declared = frozenset(entry.function for entry in self.ordering.entries if entry.kind == "declared")
        return declared, frozenset(entry.function for entry in self.ordering.entries)

    @property
    def touched(self) -> Mapping[str, tuple[int, ...]] | None:
        """The lines by file that a change touches, where only what it changes is asked for."""
        return self.detect.within

    # --- files -------------------------------------------------------------------------------------------------------

    def line(self, path: str, number: int) -> str:
        """Return a source line, "" where there is none."""
        lines = self._lines.get(path)
        if lines is None:
            try:
                lines = self.indexer.tree.read(path).decode("utf-8-sig", "replace").splitlines()
            except SourceError:
                lines = []
            self._lines[path] = lines
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def comments(self) -> dict[str, tuple[ir.Suppression, ...]]:
        """Return the comments that silence rules, by file."""
        return dict(self._comments())

    def _comments(self) -> Iterator[tuple[str, tuple[ir.Suppression, ...]]]:
        for path in Words(self.indexer, self.modules).holding("codepath"):
            facts = self.indexer.facts(path)
            if isinstance(facts, ir.ModuleFacts) and facts.suppressions:
                yield path, facts.suppressions
