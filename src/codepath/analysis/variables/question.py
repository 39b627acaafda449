"""`values`: who writes and reads a variable, and what each stored value can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from codepath.analysis.nulls.blame import Blame, Nullness
from codepath.analysis.nulls.cells import INITIAL
from codepath.analysis.nulls.nodes import Context
from codepath.analysis.nulls.states import key_of
from codepath.analysis.reach import Through
from codepath.analysis.variables.access import Access, Globals, Words
from codepath.analysis.variables.attributes import Attributes, own_class
from codepath.analysis.variables.preceded import Located, with_preceded
from codepath.analysis.variables.readers import MAX_HANDED, Obtained, Readers
from codepath.analysis.variables.unset import SKIPPING, IsBefore, UnsetReads, Writes, not_known
from codepath.analysis.variables.within import Way, within
from codepath.analysis.variables.writers import Writers
from codepath.model import ir
from codepath.model.answers import Entry, Place, Stats, Truncation
from codepath.model.values import NeededRead, Reader, UnsetRead, ValuesAnswer, Writer
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph
from codepath.program.regions import every_region
from codepath.program.scopes import Read, Scopes
from codepath.program.subtrees import first_of
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId


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
        words: Which of its files hold a word.
        entries: Returns its entry points.
        is_before: Tells whether the code at one place always runs before that at another.
    """

    def __init__(
        self,
        graph: CallGraph,
        bodies: Bodies,
        scopes: Scopes,
        paths: dict[str, str],
        words: Words,
        entries: Callable[[], Sequence[Entry]] = tuple,
        is_before: IsBefore = not_known,
    ) -> None:
        self._graph = graph
        self._entries = entries
        self._is_before = is_before
        self.blame = Blame(graph, bodies)
        self._globals = Globals(scopes, paths, words)
        self._attributes = Attributes(self.blame.world, self.blame.receivers, scopes, words)
        self._scopes = scopes
        self._readers = Readers(graph, scopes)
        self._writers = Writers(self.blame, self._readers)

    def of(self, variable: Variable, *, unset: bool = True) -> ValuesAnswer:
        """Answer about a variable; `unset`: whether the ways to reads before any write are wanted, which take the longest."""
        accesses = self._accesses(variable)
        obtained = self._readers.of(accesses)
        self._drop_safe(obtained)
        setters = self._setters(accesses, obtained)
        writers = self._all_writers(variable, accesses, obtained, setters)
        strongest = _strongest(obtained.readers)
        readers = sorted(with_preceded(strongest, writers, variable.name, self._located), key=_place_key)
        return ValuesAnswer(
            variable=f"{variable.owner}.{variable.name}",
            kind=variable.kind,
            place=variable.place,
            states=self._states(variable, writers),
            setters=setters,
            getters=tuple(sorted(obtained.getters)),
            writers=tuple(writers),
            readers=tuple(readers),
            unset_reads=self._unset(variable, writers, readers, obtained.getters) if unset else (),
            stats=self._stats(accesses),
            truncated=self._left_out(obtained, len(accesses)),
            needed=tuple(self._needed(readers)),
        )

    def parameter(self, info: ScopeInfo, number: int) -> ValuesAnswer:
        """Answer about a parameter of a function: what its calls hand on, and what it does with that."""
        param = self.blame.world.body(info.sid).scope.params[number]
        reads = (r for r in self._scopes.of_function(info.module.path, info.name) if r.head.at == info.at)
        accesses = [Access(r, i, "read") for r in reads for i in _reads_of(r.scope, param.id)]
        place = Place(info.module.path, ir.line_of(param.at), ir.column_of(param.at), info.name)
        variable = Variable(info.name, param.id, "parameter", place)
        writers = sorted(self._writers.arguments(info, number), key=_place_key)
        return ValuesAnswer(
            variable=f"{info.name}.{param.id}",
            kind=variable.kind,
            place=place,
            states=self._states(variable, writers),
            setters=(),
            getters=(),
            writers=tuple(writers),
            readers=tuple(sorted(_strongest(self._readers.of(accesses).readers), key=_place_key)),
            unset_reads=(),
            stats=self._stats(accesses),
            truncated=None,
        )

    def within(self, variable: Variable, parts: Sequence[Through]) -> ValuesAnswer | None:
        """Answer about a variable under a call string, None where its steps lead to no write and no read of it."""
        answer = self.of(variable)
        accesses = {(a.read.path, a.at): a for a in self._accesses(variable) if a.how == "store"}

        def again(writer: Writer, ways: Sequence[Way]) -> Writer:
            access = accesses.get((writer.place.file, ir.pack(writer.place.line, writer.place.column)))
            contexts = [self._context(way) for way in ways]
            if writer.how != "store" or access is None or any(context is None for context in contexts):
                return writer
            return self._writers.along(access, writer, [context for context in contexts if context is not None])

        return within(self._graph, answer, parts, again)

    def _context(self, way: Way) -> Context | None:
        """Return the call sites of a way, None where one of them is not found."""
        found: list[tuple[ScopeId, int]] = []
        for step in way:
            at = ir.pack(step.line, step.column)
            for sid in self.blame.world.scopes_named(step.caller):
                exprs = self.blame.world.body(sid).scope.exprs
                sites = [i for i, e in enumerate(exprs) if isinstance(e, ir.Call) and e.at == at]
                if sites:
                    found.append((sid, sites[-1]))
                    break
            else:
                return None
        return tuple(found)

    def value_at(self, function: str, line: int, path: str) -> Nullness | None:
        """Return what is known of a name or dotted path as a line of a function reads it, None where it does not.

        What was checked before the line counts; of several reads on the line the first that can be None is taken.
        """
        found: list[Nullness] = []
        for sid in self.blame.world.scopes_named(function):
            exprs = self.blame.world.body(sid).scope.exprs
            for index, expr in enumerate(exprs):
                if (
                    ir.line_of(expr.at) == line
                    and isinstance(expr, (ir.Name, ir.Attr))
                    and key_of(exprs, index) == path
                ):
                    found.append(self.blame.of(("value", sid, index, ())))
        return min(found, key=lambda known: not known.may_be_none, default=None)

    def declaring(self, name: str) -> list[str]:
        """Return the classes whose bodies bind or annotate a name, sorted."""
        return self._attributes.declaring(name)

    def stored_by(self, info: ScopeInfo) -> Writer | None:
        """Return what the calls of a setter store: the first that can store None; None for what is no setter.

        A setter stores one global, or one attribute of another object out of what it is called with.
        """
        reads = self._scopes.of_function(info.module.path, info.name)
        stores = [access for read in reads if read.head.at == info.at for access in _set_elsewhere(read)]
        if len({_stored_name(access) for access in stores}) != 1:
            return None
        found = [*islice(self._writers.calls(info.name, stores), _MAX_CALLS), *self._writers.stores(stores)]
        return min(found, key=lambda w: not w.may_be_none, default=None)

    def _states(self, variable: Variable, writers: list[Writer]) -> tuple[str, ...]:
        """Return the states in which a reader can meet a variable."""
        stored = [w for w in writers if w.how in ("store", "setter")]
        is_deleted = any(w.how == "delete" for w in writers)
        is_late = variable.kind == "global" and not any(self._is_first(variable, w) for w in stored)
        found = {
            "unset": is_deleted or is_late,
            "none": any(w.may_be_none for w in stored),
            "set": any(not is_empty(w) for w in stored),
            "unknown": any(w.may_be_none is None or w.unknown for w in stored),
        }
        return tuple(state for state, holds in found.items() if holds)

    def _unset(
        self, variable: Variable, writers: list[Writer], readers: list[Reader], getters: Iterable[str]
    ) -> tuple[UnsetRead, ...]:
        """Return the ways to reads before any write; none where the variable is set at import, or by its constructor."""
        first = [w for w in writers if w.how in ("store", "setter") and self._is_first(variable, w)]
        if any(not is_empty(writer) for writer in first):
            return ()
        later = tuple(w for w in writers if w.how in ("store", "setter") and w not in first)
        return (
            UnsetReads(self._graph, self._entries(), Writes(variable.name, later, self._is_before)).of(readers, getters)
            if later
            else ()
        )

    def _is_first(self, variable: Variable, writer: Writer) -> bool:
        """Tell whether a variable is written before any read: a store at import, for attributes also in a constructor."""
        function = writer.place.function
        if variable.kind != "global" and function.rpartition(".")[2] in _CONSTRUCTORS:
            return not any(guard.kind in SKIPPING for guard in writer.guards)
        row = self._graph.function(function)
        return writer.how == "store" and row is not None and row.kind == "module"

    def _accesses(self, variable: Variable) -> list[Access]:
        if variable.kind == "global":
            accesses = self._globals.of(variable.owner, variable.name)
            self._tell_outer(variable, accesses)
            return accesses
        info = self.blame.world.bodies.scope(variable.owner)
        return self._attributes.of(info.sid, variable.name) if info is not None else []

    def _left_out(self, obtained: Obtained, total: int) -> Truncation | None:
        """Return what the answer leaves out: accesses on objects of unknown class, or arguments that are not followed."""
        unsettled = self._attributes.unsettled
        if unsettled:
            return Truncation("accesses", total, total + unsettled)
        handed = obtained.left_out
        return Truncation("arguments", MAX_HANDED, MAX_HANDED + handed) if handed else None

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

    def _located(self, place: Place) -> Located | None:
        """Return the expression that starts at a place of a function, and its guards; None where none does."""
        at = ir.pack(place.line, place.column)
        for read in self._scopes.of_function(place.file, place.function):
            index = next((i for i, e in reversed(list(enumerate(read.scope.exprs))) if e.at == at), -1)
            if index >= 0:
                return index, self._writers.guards(read, index)
        return None

    def _needed(self, readers: Iterable[Reader]) -> Iterator[NeededRead]:
        """Yield the readers that require the variable to be set, with their guards; those that are not found are left out."""
        for place in dict.fromkeys(r.place for r in readers if r.requires_set):
            located = self._located(place)
            if located is not None:
                yield NeededRead(place, tuple(located[1]))

    def _setters(self, accesses: list[Access], obtained: Obtained) -> tuple[str, ...]:
        """Return the functions that store the variable, but those that take no argument and return it."""
        storing = {a.read.function: a.read for a in accesses if a.how != "read" and a.read.head.form == "function"}
        storing = {name: read for name, read in storing.items() if not _is_plain_constructor(name, accesses)}
        lazy = {name for name, read in storing.items() if name in obtained.getters and not _takes_arguments(read)}
        return tuple(sorted(set(storing) - lazy))

    def _all_writers(
        self, variable: Variable, accesses: list[Access], obtained: Obtained, setters: tuple[str, ...]
    ) -> list[Writer]:
        found = list(self._writers.stores(accesses))
        for setter in setters:
            found.extend(self._writers.calls(setter, accesses))
        owner = self.blame.world.bodies.scope(variable.owner)
        if owner is not None and owner.form == "class":
            found.extend(self._writers.fields(owner, variable.name))
        for _, through, read, at in obtained.mutations:
            found.append(self._writers.mutation(read, at, through))
        return sorted(dict.fromkeys(found), key=lambda w: (_ORDER[w.how], *_place_key(w)))

    def _stats(self, accesses: list[Access]) -> Stats:
        functions = {a.read.function for a in accesses}
        self._graph.fetch(functions)
        return self._graph.count_of(functions)


def _reads_of(scope: ir.Scope, name: str) -> Iterator[int]:
    """Yield where a function reads a parameter that it may not have replaced."""
    for index, expr in enumerate(scope.exprs):
        if isinstance(expr, ir.Name) and expr.id == name:
            reaching = (scope.definitions[d] for d in scope.uses[expr.use] if d >= 0)
            if any(definition.form == "param" for definition in reaching):
                yield index


def is_initial(writer: Writer) -> bool:
    """Tell whether a writer is the None that a module or class body starts a variable with."""
    chain = writer.none_chain
    return writer.how == "store" and len(chain) == 1 and chain[0].reason.startswith(INITIAL)


def is_empty(writer: Writer) -> bool:
    """Tell whether a writer stores nothing but None, as a first value does."""
    return bool(writer.may_be_none) and writer.value == "None"


def _is_plain_constructor(function: str, accesses: list[Access]) -> bool:
    """Tell whether a function is a constructor that stores the same whatever it is called with."""
    if function.rpartition(".")[2] not in _CONSTRUCTORS:
        return False
    stores = [a for a in accesses if a.how == "store" and a.read.function == function]
    return not any(_uses_argument(access) for access in stores)


def _set_elsewhere(read: Read) -> Iterator[Access]:
    """Yield the stores of globals, and in small functions those of attributes of other objects that store an argument."""
    is_small = sum(1 for _ in every_region(read.scope.body)) <= _SMALL
    for index, expr in enumerate(read.scope.exprs):
        access = Access(read, index, "store")
        is_global = isinstance(expr, ir.Bind) and expr.id in read.scope.globals
        is_other = isinstance(expr, ir.StoreAttr) and own_class(read, expr.object) is None
        if is_global or (is_other and is_small and _uses_argument(access, 0)):
            yield access


def _stored_name(access: Access) -> str:
    expr = access.read.scope.exprs[access.expr]
    return expr.id if isinstance(expr, (ir.Bind, ir.StoreAttr)) else ""


def _uses_argument(access: Access, first: int = 1) -> bool:
    """Tell whether a store stores something made of a parameter, the first ones left out."""
    scope = access.read.scope
    expr = scope.exprs[access.expr]
    value = expr.value if isinstance(expr, (ir.Bind, ir.StoreAttr)) else -1
    params = {p.id for p in scope.params[first:]}
    inside = (scope.exprs[i] for i in range(first_of(scope.exprs, value), value + 1)) if value >= 0 else ()
    return any(isinstance(e, ir.Name) and e.id in params for e in inside)


def _takes_arguments(read: Read) -> bool:
    return any(p.id not in ("self", "cls") for p in read.scope.params)


_MAX_CALLS = 12  # calls of a setter that `reach` looks into
_SMALL = 6  # statements
_CONSTRUCTORS = ("__init__", "__new__", "__post_init__")
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
