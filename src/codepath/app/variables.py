"""Questions about variables: from what a person types to a global or an attribute, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from codepath.analysis.reach import Through
from codepath.analysis.variables.question import Values, Variable
from codepath.analysis.variables.unset import IsBefore
from codepath.app.indexing import Indexer
from codepath.app.words import Words
from codepath.errors import QueryError
from codepath.model import ir
from codepath.model.answers import Entry, Place
from codepath.model.solution import StoredName
from codepath.model.values import ValuesAnswer, Writer
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph
from codepath.program.names import Names, is_place, place_of
from codepath.program.regions import every_region
from codepath.program.scopes import Scopes
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId

_SHOWN = 6


class Variables:
    """Answers `values` about one tree; `modules` maps paths to dotted names."""

    def __init__(
        self,
        graph: CallGraph,
        bodies: Bodies,
        names: Names,
        indexer: Indexer,
        modules: dict[str, str],
        prefix: str,
        entries: Callable[[], Sequence[Entry]],
        is_before: IsBefore,
    ) -> None:
        self._graph = graph
        self._bodies = bodies
        self._names = names
        self._indexer = indexer
        self._modules = modules
        self._prefix = prefix
        self._entries = entries
        self._is_before = is_before

    @cached_property
    def _values(self) -> Values:
        scopes = Scopes(self._modules, self._facts)
        paths = {name: path for path, name in self._modules.items()}
        words = Words(self._indexer, self._modules)
        return Values(self._graph, self._bodies, scopes, paths, words, self._entries, self._is_before)

    def _facts(self, path: str) -> ir.ModuleFacts | None:
        found = self._indexer.facts(path)
        return found if isinstance(found, ir.ModuleFacts) else None

    def values(self, query: str, through: Callable[[str], Through], *, unset: bool = True) -> ValuesAnswer | None:
        """Answer about the variable that a query names; None where it names nothing.

        Args:
            query: A name, or a call string that ends in one: `path.py:LINE,NAME`.
            through: Returns what a part of a call string stands for.
            unset: Whether the ways to reads before any write are wanted.

        Raises:
            QueryError: It names several variables, or something that is none; the call string leads to no use of it.
        """
        *before, name = [part.strip() for part in query.replace(">", ",").split(",") if part.strip()] or [query]
        variable = self.find(name)
        if variable is None or not before:
            return self._values.of(variable, unset=unset) if variable is not None else None
        answer = self._values.within(variable, [through(part) for part in before])
        if answer is None:
            message = f"`{', '.join(before)}` leads to no write and no read of `{variable.owner}.{variable.name}`"
            raise QueryError(message, help=(f"ask about all of them: `codepath values {name}`",))
        return answer

    def parameter(self, query: str) -> ValuesAnswer | None:
        """Answer about a parameter that is written behind its function; None where that means no function, or several."""
        owner, _, name = query.rpartition(".")
        found = [i for n in (self._names.find(owner) if owner else ()) if (i := self._bodies.scope(n.name)) is not None]
        ways = [(i, k) for i in found if i.form == "function" for k, p in enumerate(i.params) if p.id == name]
        return self._values.parameter(*ways[0]) if len(ways) == 1 else None

    def stored_by(self, function: str) -> Writer | None:
        """Return what the calls of a setter store, None for what is no setter."""
        info = self._bodies.scope(function)
        return self._values.stored_by(info) if info is not None and info.form == "function" else None

    def find(self, query: str) -> Variable | None:
        """Return the variable that a query names, None where it names nothing.

        Raises:
            QueryError: It names several variables, or something that is none.
        """
        if is_place(query):
            return self._at(query)
        found = self._names.find(query)
        stored = [name for name in found if name.kind == "global"]
        if len(stored) == 1:
            return self._global(stored[0])
        if len(stored) > 1:
            self._names.one(query, ())  # raises: several
        owner, _, name = query.rpartition(".")
        variable = self._held_by(found) or (self._member(owner, name) if owner else self._attribute(name))
        if variable is None and found:
            raise self._no_variable(self._names.one(query, ()))
        return variable

    def _held_by(self, names: tuple[StoredName, ...]) -> Variable | None:
        """Return the one variable that a setter stores or a getter returns; None for other things, or several."""
        info = self._bodies.scope(names[0].name) if len(names) == 1 else None
        return self._held_by_function(info) if info is not None and info.form == "function" else None

    def _held_by_function(self, info: ScopeInfo) -> Variable | None:
        """Return the one variable that a function stores, else returns."""
        scope = self._bodies.of(info).scope
        stored = {e.id for e in scope.exprs if isinstance(e, ir.Bind) and e.id in scope.globals}
        returns = (r.value for r in every_region(scope.body) if isinstance(r, ir.Return) and r.value >= 0)
        returned = {e.id for e in map(scope.exprs.__getitem__, returns) if isinstance(e, ir.Name)}
        known = stored or returned & set(info.module.scopes[0].names)
        if known:
            return self._find_global(info.module.name, known.pop()) if len(known) == 1 else None
        return self._attribute_of(info)

    def _attribute_of(self, info: ScopeInfo) -> Variable | None:
        """Return the one attribute of another object that a function stores or returns, where its class is known."""
        scope = self._bodies.of(info).scope
        stored = [(e.object, e.id) for e in scope.exprs if isinstance(e, ir.StoreAttr)]
        returns = (r.value for r in every_region(scope.body) if isinstance(r, ir.Return) and r.value >= 0)
        returned = [(e.value, e.id) for e in map(scope.exprs.__getitem__, returns) if isinstance(e, ir.Attr)]
        found = set(stored or returned)
        if len(found) != 1 or self._bodies.tree.class_around(info) is not None:
            return None
        receiver, name = found.pop()
        classes = {self._bodies.tree.scopes[r.cls] for r in self._values.blame.receivers.of(info.sid, receiver)}
        return self._of_scope(classes.pop(), name) if len(classes) == 1 else None

    def _find_global(self, module: str, name: str) -> Variable | None:
        stored = (n for n in self._graph.named(name) if n.kind == "global" and n.name == f"{module}.{name}")
        found = next(stored, None)
        return self._global(found) if found is not None else None

    def _global(self, name: StoredName) -> Variable:
        owner, _, last = name.name.rpartition(".")
        place = Place(name.file, ir.line_of(name.at), ir.column_of(name.at), owner)
        return Variable(owner, last, "global", place)

    # --- attributes --------------------------------------------------------------------------------------------------

    def _member(self, owner: str, name: str) -> Variable | None:
        """Return an attribute of a class, or a global that only functions of a module store."""
        holders = [n for n in self._names.find(owner) if n.kind in ("class", "module")]
        found = [v for v in (self._of(holder, name) for holder in holders) if v is not None]
        if len(found) > 1:
            raise self._several(f"{owner}.{name}", [v.owner for v in found], name)
        return found[0] if found else None

    def _of(self, holder: StoredName, name: str) -> Variable | None:
        info = self._bodies.scope(holder.name)
        return self._of_scope(info, name) if info is not None else None

    def _of_scope(self, info: ScopeInfo, name: str) -> Variable | None:
        if info.form == "module":
            holding = self._bodies.holding(info.name, name)
            storing = [i for i in holding if name in self._bodies.of(i).scope.globals]
            place = self._first_store(storing, name)
            return Variable(info.name, name, "global", place) if place is not None else None
        near = [self._bodies.tree.scopes[c] for c in sorted(self._bodies.classes.related(info.sid))]
        body = self._first_store([i for i in near if name in i.names], name)
        methods = [m for i in near if name in i.stored for m in i.module.scopes if m.outer == i.sid]
        place = self._first_store(methods, name)
        if place is None and body is None:
            return None
        kind = "instance-attribute" if place is not None else "class-attribute"
        return Variable(info.name, name, kind, body or place or Place(info.module.path, 1, 0, info.name))

    def _first_store(self, infos: list[ScopeInfo], name: str) -> Place | None:
        for info in infos:
            for expr in self._bodies.of(info).scope.exprs:
                if isinstance(expr, (ir.Bind, ir.StoreAttr)) and expr.id == name:
                    return Place(info.module.path, ir.line_of(expr.at), ir.column_of(expr.at), info.name)
        return None

    def _attribute(self, name: str) -> Variable | None:
        """Return the attribute of a name where the classes of one family alone store one."""
        stores = self._graph.stores_of(name)
        owners = sorted({owner for _, owner in stores if owner})
        if stores and not owners:
            owners = self._values.declaring(name)
        tops: dict[ScopeId, str] = {}
        for owner in owners:
            info = self._bodies.scope(owner)
            if info is not None:
                root = min(self._bodies.classes.related(info.sid))
                tops.setdefault(root, owner)
        if len(tops) > 1:
            raise self._several(name, list(tops.values()), name)
        return self._member(next(iter(tops.values())), name) if tops else None

    def _several(self, query: str, owners: list[str], name: str) -> QueryError:
        shown = [f"  {'.'.join((*owner.split('.')[-1:], name))}    {owner}" for owner in owners[:_SHOWN]]
        more = [f"  ... {len(owners) - _SHOWN} more"] if len(owners) > _SHOWN else []
        return QueryError(f"`{query}` is an attribute of {len(owners)} classes; give one of", help=(*shown, *more))

    def _at(self, query: str) -> Variable | None:
        """Return the variable that is stored on a line, or by a function that is called there.

        Raises:
            QueryError: None is, or there is no such line.
        """
        path, line = place_of(query)
        files = self._names.fitting(path)
        for file in files:
            module = self._modules.get(file, "")
            scope = self._bodies.scope(module)
            for info in scope.module.scopes if scope is not None else ():
                found = self._stored_on(info, line)
                if found is not None:
                    return found
        found = next(self._set_on(files, line), None)
        if found is not None:
            return found
        message = f"nothing is stored at `{query}`" if files else f"`{path}` is no file of this tree"
        raise QueryError(message, help=("give the line of an assignment to a global or an attribute",))

    def _set_on(self, files: Sequence[str], line: int) -> Iterator[Variable]:
        """Yield the variables that functions store which are called on a line."""
        for name in (name for file in files for name in self._graph.in_file(file)):
            steps = self._graph.steps(name.name) if ir.line_of(name.at) <= line <= ir.line_of(name.end) else ()
            for step in steps:
                info = self._bodies.scope(step.callee) if step.line == line and step.kind == "call" else None
                found = self._held_by_function(info) if info is not None and info.form == "function" else None
                if found is not None:
                    yield found

    def _stored_on(self, info: ScopeInfo, line: int) -> Variable | None:
        scope = self._bodies.of(info).scope
        for expr in scope.exprs:
            if ir.line_of(expr.at) != line:
                continue
            place = Place(info.module.path, line, ir.column_of(expr.at), info.name)
            if isinstance(expr, ir.Bind) and (info.form == "module" or expr.id in scope.globals):
                return Variable(info.module.name, expr.id, "global", place)
            if isinstance(expr, ir.Bind) and info.form == "class":
                return Variable(info.name, expr.id, "class-attribute", place)
            owner = self._bodies.tree.class_around(info)
            if isinstance(expr, ir.StoreAttr) and owner is not None and expr.id in owner.stored:
                return Variable(owner.name, expr.id, "instance-attribute", place)
        return None

    def _no_variable(self, name: StoredName) -> QueryError:
        place = f"{self._prefix}{name.file}:{ir.line_of(name.at)}"
        return QueryError(
            f"`{name.name}` is a {name.kind}, no variable",
            help=(f"it is defined at {place}", "name a global of a module, or Class.attribute"),
        )
