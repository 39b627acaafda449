"""Pictures: from what a person types to what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from codepath.analysis.assuming import Assumptions
from codepath.analysis.cone import Cone
from codepath.analysis.constants import Folding
from codepath.analysis.feasibility import Search
from codepath.analysis.makers import Makers
from codepath.analysis.pictures.choose import LeadsTo, Numbering, chosen, up_to
from codepath.analysis.pictures.compare import Titled, marked
from codepath.analysis.pictures.explore import MAX_FRAMES, Explorer, Node, Wanted
from codepath.analysis.pictures.state import with_reads
from codepath.analysis.settled import Settled
from codepath.app.ordering import DEFAULT_EVENT, Ordering
from codepath.checks.names import fits
from codepath.errors import QueryError
from codepath.model import ir
from codepath.model.answers import Place, Symbol, Truncation
from codepath.model.checks import Rule
from codepath.model.pictures import Picture
from codepath.model.solution import StoredName
from codepath.program.graph import CallGraph
from codepath.report.names import without_module

_NAMING = frozenset(["must-precede", "must-reach", "guard-required", "unchanged"])
_KEYS = ("first", "second", "function", "to")


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps below a function, and what was looked for; `is_cut` tells that some functions were not followed."""

    function: str
    nodes: list[Node]
    wanted: Wanted
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """Draws what one tree does.

    Args:
        ordering: Knows the events of the tree.
        assumed: What is assumed.
        find: Returns all things that a name means.
        starts: Returns the functions that a thing runs.
        setters: Returns the functions that store a global or an attribute.
        rules: The rules that hold for the tree.
    """

    ordering: Ordering
    assumed: Assumptions | None
    find: Callable[[str], Sequence[StoredName]]
    starts: Callable[[str], tuple[str, ...]]
    setters: Callable[[str], Iterable[str]]
    rules: Sequence[Rule] = ()
    declares: Callable[[str], bool] | None = None

    def init_order(self, root: str, until: str | None, depth: int, show: Sequence[str], limit: int) -> Picture:
        """Return the picture of the order of what runs below a function.

        Raises:
            QueryError: A name means nothing or several things, or nothing that matters runs below the function.
        """
        found = self.found(root, until, depth, show)
        return self.picture(found, found.nodes, until or "", limit)

    def found(self, root: str, until: str | None, depth: int, show: Sequence[str]) -> Steps:
        """Return the steps below a function, all that are looked at. Raises QueryError as `init_order`."""
        function = self._root(root)
        wanted = self._wanted(until, show)
        graph, bodies = self.ordering.graph, self.ordering.bodies
        cone = Cone(graph, sorted({*wanted.events, *wanted.shown, *wanted.until}), by_name=False)
        wanted = Wanted(wanted.events, wanted.shown, wanted.until, cone.next_step.keys(), named_by(self.rules, graph))
        folding = Folding(bodies, Settled(graph, bodies), self.assumed)
        makers = Makers(graph, bodies, folding, cone.steps_in)
        search = Search(bodies, folding, {}, (), self.assumed, makers)
        more = (self.declares,) if self.declares is not None else ()
        explorer = Explorer(graph, bodies, search, wanted, self.ordering.tools().when, depth, *more)
        nodes = explorer.below(function)
        if until is not None:
            nodes = self._cut(nodes, root, until, wanted, explorer.is_cut)
        return Steps(function, nodes, wanted, explorer.is_cut)

    def _cut(self, nodes: Sequence[Node], root: str, until: str, wanted: Wanted, is_cut: bool) -> list[Node]:
        """Return the steps up to the first that ends the picture."""
        found = up_to(nodes, lambda n: n.step.callee in wanted.until and n.is_open)
        if found is None:
            within = f" within {MAX_FRAMES} functions" if is_cut else ""
            raise QueryError(f"nothing below `{root}` runs `{until}`{within}", help=(f"codepath reach {until}",))
        return found

    def picture(
        self, found: Steps, nodes: Sequence[Node], until: str, limit: int, title: Titled | None = None
    ) -> Picture:
        """Return the picture of some of the steps that were found. Raises QueryError where there are none."""
        function = found.function
        if not nodes:
            raise QueryError(
                f"nothing that matters runs below `{function}`: no event of the project, no global that is set",
                help=("name what to look for: --show NAME", f"codepath callees {function}"),
            )
        symbol = self._symbol(function)
        assumed = tuple(a.text for a in self.assumed.all) if self.assumed is not None else ()
        leads_to = _leads_to(self.ordering.graph, found.wanted)
        rows = chosen(nodes, limit)
        numbering = Numbering(rows, self.title(function, ""), title or self.title, assumed, leads_to)
        steps = with_reads(numbering.steps(), self.ordering.graph, self.ordering.bodies)
        return Picture(
            root=symbol,
            until=until,
            steps=steps,
            lanes=tuple(numbering.lanes),
            total=sum(1 for node in nodes for _ in node.all()),
            hidden=numbering.hidden(nodes),
            assumed=assumed,
            truncated=Truncation("functions", MAX_FRAMES, -1) if found.is_cut else None,
        )

    def _root(self, query: str) -> str:
        functions = self.starts(query)
        if len(functions) == 1:
            return functions[0]
        return next((f for f in functions if f.endswith(".__init__")), functions[0])

    def _symbol(self, function: str) -> Symbol:
        row = self.ordering.graph.function(function)
        if row is None:
            raise QueryError(f"`{function}` is not a function of this tree", help=("name what runs",))
        return Symbol(function, row.kind, Place(row.file, ir.line_of(row.at), ir.column_of(row.at), function))

    def title(self, function: str, kind: str) -> str:
        """Return the name of a function without its module; a construction as the call of its class."""
        row = self.ordering.graph.function(function)
        name = without_module(function, row.file) if row is not None else self._of_class(function)
        return f"{name.removesuffix('.__init__')}()" if kind == "construct" else name

    def _of_class(self, function: str) -> str:
        """Return the name of a constructor that a class inherits without its module; any other as it is."""
        owner = function.removesuffix(".__init__")
        info = self.ordering.bodies.scope(owner) if owner != function else None
        return function if info is None else function[len(info.module.name) + 1 :]

    # --- what is looked for --------------------------------------------------------------------------------------------

    def _wanted(self, until: str | None, show: Sequence[str]) -> Wanted:
        events: dict[str, tuple[str, ...]] = {}
        for event in self.ordering.knowledge.events:
            functions = self.ordering.event_functions(event)
            if event.name != DEFAULT_EVENT and all(self.ordering.graph.function(f) is None for f in functions):
                continue  # of a library, and of no matter to this project: --show names it
            for function in functions:
                events[function] = (*events.get(function, ()), event.title)
        shown = frozenset(f for name in show for f in self._named(name))
        return Wanted(events, shown, frozenset(self._named(until) if until is not None else ()), ())

    def _named(self, name: str) -> tuple[str, ...]:
        """Return the functions that a name means: an event, what runs, or what stores a global or an attribute."""
        event = next((e for e in self.ordering.knowledge.events if e.name == name), None)
        if event is not None:
            return tuple(self.ordering.event_functions(event))
        found = self.find(name)
        if found and all(one.kind != "global" for one in found):
            return self.ordering.runs(self.ordering.one(name))
        return tuple(self.setters(name))


def named_by(rules: Iterable[Rule], graph: CallGraph) -> dict[str, tuple[str, ...]]:
    """Return the functions that rules about order and guards name, with the ids of the rules.

    Approximates: under (a pattern with `*` in its last name is left out).
    """
    found: dict[str, tuple[str, ...]] = {}
    for rule in rules:
        if rule.kind not in _NAMING:
            continue
        values = (table.get(key) for table in rule.tables for key in _KEYS)
        patterns = {p for value in values if isinstance(value, tuple) for p in value if isinstance(p, str)}
        for pattern in sorted(p for p in patterns if "*" not in p.rpartition(".")[2]):
            for one in graph.named(pattern.rpartition(".")[2]):
                if (
                    one.kind in ("function", "method")
                    and fits(one.name, pattern)
                    and rule.id not in found.get(one.name, ())
                ):
                    found[one.name] = (*found.get(one.name, ()), rule.id)
    return found


def _leads_to(graph: CallGraph, wanted: Wanted) -> LeadsTo:
    """Return what tells the events that a function leads to; what leads to each is found when it is first asked."""
    cones: dict[str, Cone] = {}

    def titles(function: str) -> tuple[str, ...]:
        if function not in wanted.leading:
            return ()
        if not cones:
            for title in sorted({t for titles in wanted.events.values() for t in titles}):
                cones[title] = Cone(graph, sorted(f for f, t in wanted.events.items() if title in t), by_name=False)
        return tuple(title for title, cone in cones.items() if function in cone.next_step)

    return titles


def compared(
    base: Drawing,
    head: Drawing,
    versions: tuple[str, str],
    *,
    root: str,
    until: str | None = None,
    depth: int = 0,
    show: Sequence[str] = (),
    limit: int = 40,
) -> Picture:
    """Return the picture of one tree with what it adds to another, drops and reorders.

    Raises:
        QueryError: As `Drawing.init_order`, for either tree.
    """
    before, after = base.found(root, until, depth, show), head.found(root, until, depth, show)

    def title(function: str, kind: str) -> str:
        own = head if head.ordering.graph.function(function) is not None else base
        return own.title(function, kind)

    nodes = marked(before.nodes, after.nodes, title)
    return replace(head.picture(after, nodes, until or "", limit, title), versions=versions)
