"""`values`: who writes and reads a variable, and what each stored value can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from codepath.analysis.nulls.blame import Blame
from codepath.analysis.variables.access import Access, Globals
from codepath.analysis.variables.readers import Obtained, Readers
from codepath.analysis.variables.writers import Writers
from codepath.model.answers import Place, Stats, Truncation
from codepath.model.values import Reader, ValuesAnswer, Writer
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph
from codepath.program.scopes import Read, Scopes


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable that is asked about: a global of `owner`, a module, or an attribute of `owner`, a class."""

    owner: str
    name: str
    kind: str
    place: Place


class Values:
    """Answers about the variables of one tree.

    Args:
        graph: Its call graph.
        bodies: Its functions, by name.
        scopes: Its scopes, by file.
        paths: Its files by dotted module name.
        holding: Returns the files that hold a word.
    """

    def __init__(
        self,
        graph: CallGraph,
        bodies: Bodies,
        scopes: Scopes,
        paths: dict[str, str],
        holding: Callable[[str], Iterable[str]],
    ) -> None:
        self._graph = graph
        self.blame = Blame(graph, bodies)
        self._globals = Globals(scopes, paths, holding)
        self._readers = Readers(graph, scopes)
        self._writers = Writers(self.blame, self._readers)

    def of(self, variable: Variable) -> ValuesAnswer:
        """Answer about a variable."""
        accesses = self._globals.of(variable.owner, variable.name)
        self._tell_outer(variable, accesses)
        obtained = self._readers.of(accesses)
        self._drop_safe(obtained)
        setters = self._setters(accesses, obtained)
        writers = self._all_writers(accesses, obtained, setters)
        readers = sorted(_strongest(obtained.readers), key=_place_key)
        cut = Truncation("arguments", 0, obtained.left_out) if obtained.left_out else None
        return ValuesAnswer(
            variable=f"{variable.owner}.{variable.name}",
            kind=variable.kind,
            place=variable.place,
            setters=setters,
            getters=tuple(sorted(obtained.getters)),
            writers=tuple(writers),
            readers=tuple(readers),
            unset_reads=(),
            stats=self._stats(accesses),
            truncated=cut,
        )

    def _tell_outer(self, variable: Variable, accesses: list[Access]) -> None:
        """Tell the flow of None which stores stand outside the module of a global."""
        world = self.blame.world
        owner = world.bodies.scope(variable.owner)
        if owner is None:
            return
        found = []
        for access in accesses:
            info = world.bodies.scope(access.read.name) if access.how == "store" else None
            if info is not None and info.module.name != variable.owner:
                found.append((info.sid, access.expr))
        world.outer_stores[owner.sid, variable.name] = tuple(found)

    def _drop_safe(self, obtained: Obtained) -> None:
        """Note that what a getter never gives as None is not required to be set where it is used."""
        for getter in obtained.getters:
            info = self.blame.world.bodies.scope(getter)
            if info is None or self.blame.of(("return", info.sid, ())).may_be_none is not False:
                continue
            through = [r for r in obtained.readers if r.through == getter and r.requires_set]
            for reader in through:
                del obtained.readers[reader]
                obtained.readers[replace(reader, requires_set=False)] = None

    def _setters(self, accesses: list[Access], obtained: Obtained) -> tuple[str, ...]:
        """Return the functions that store the variable, but those that take no argument and return it."""
        storing = {a.read.function: a.read for a in accesses if a.how != "read" and a.read.head.form == "function"}
        lazy = {name for name, read in storing.items() if name in obtained.getters and not _takes_arguments(read)}
        return tuple(sorted(set(storing) - lazy))

    def _all_writers(self, accesses: list[Access], obtained: Obtained, setters: tuple[str, ...]) -> list[Writer]:
        found = list(self._writers.stores(accesses))
        for setter in setters:
            found.extend(self._writers.calls(setter, accesses))
        for _, through, read, at in obtained.mutations:
            found.append(self._writers.mutation(read, at, through))
        return sorted(dict.fromkeys(found), key=lambda w: (_ORDER[w.how], *_place_key(w)))

    def _stats(self, accesses: list[Access]) -> Stats:
        functions = {a.read.function for a in accesses}
        self._graph.fetch(functions)
        return self._graph.count_of(functions)


def _takes_arguments(read: Read) -> bool:
    return any(p.id not in ("self", "cls") for p in read.scope.params)


_ORDER = {"store": 0, "setter": 1, "delete": 2, "mutate": 3}


def _place_key(item: Writer | Reader) -> tuple[object, ...]:
    return (item.place.file, item.place.line, item.place.column, item.through or "", item.how)


def _strongest(readers: Iterable[Reader]) -> list[Reader]:
    """Return readers with those at one place and of one kind as one, which requires what any of them does."""
    found: dict[tuple[Place, str], Reader] = {}
    for reader in readers:
        known = found.get((reader.place, reader.how))
        if known is None or (reader.requires_set and not known.requires_set):
            found[reader.place, reader.how] = reader
    return list(found.values())
