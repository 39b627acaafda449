"""Questions about variables: from what a person types to a global or an attribute, and what is known of it."""

from __future__ import annotations

from functools import cached_property

from codepath.analysis.variables.question import Values, Variable
from codepath.app.indexing import Indexer
from codepath.app.words import files_holding
from codepath.errors import QueryError
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.solution import StoredName
from codepath.model.values import ValuesAnswer
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph
from codepath.program.names import Names
from codepath.program.scopes import Scopes


class Variables:
    """Answers `values` about one tree; `modules` maps paths to dotted names."""

    def __init__(
        self, graph: CallGraph, bodies: Bodies, names: Names, indexer: Indexer, modules: dict[str, str], prefix: str
    ) -> None:
        self._graph = graph
        self._bodies = bodies
        self._names = names
        self._indexer = indexer
        self._modules = modules
        self._prefix = prefix

    @cached_property
    def _values(self) -> Values:
        scopes = Scopes(self._modules, self._facts)
        paths = {name: path for path, name in self._modules.items()}
        return Values(self._graph, self._bodies, scopes, paths, self._holding)

    def _facts(self, path: str) -> ir.ModuleFacts | None:
        found = self._indexer.facts(path)
        return found if isinstance(found, ir.ModuleFacts) else None

    def _holding(self, word: str) -> list[str]:
        return files_holding(self._indexer, self._modules, word)

    def values(self, query: str) -> ValuesAnswer | None:
        """Answer about the variable that a query names; None where it names nothing."""
        variable = self.find(query)
        return self._values.of(variable) if variable is not None else None

    def find(self, query: str) -> Variable | None:
        """Return the variable that a query names, None where it names nothing.

        Raises:
            QueryError: It names several variables, or something that is none.
        """
        found = self._names.find(query)
        stored = [name for name in found if name.kind == "global"]
        if len(stored) == 1:
            return self._global(stored[0])
        if len(stored) > 1:
            self._names.one(query, ())  # raises: several
        if found:
            raise self._no_variable(found[0])
        return None

    def _global(self, name: StoredName) -> Variable:
        owner, _, last = name.name.rpartition(".")
        place = Place(name.file, ir.line_of(name.at), ir.column_of(name.at), owner)
        return Variable(owner, last, "global", place)

    def _no_variable(self, name: StoredName) -> QueryError:
        place = f"{self._prefix}{name.file}:{ir.line_of(name.at)}"
        return QueryError(
            f"`{name.name}` is a {name.kind}, no variable",
            help=(f"it is defined at {place}", "name a global of a module, or Class.attribute"),
        )
