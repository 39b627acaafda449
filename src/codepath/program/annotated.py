"""What annotations promise of values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.annotations import Term
from codepath.program.promises import promised_classes
from codepath.program.tree import ScopeInfo
from codepath.program.values import NOTHING, ScopeId, Value, Values

if TYPE_CHECKING:
    from codepath.program.solver import Solver

_ANYTHING = frozenset(
    """
    builtins.object typing.Any typing.Callable typing.Type builtins.type collections.abc.Callable
    typing.Hashable typing.TypeVar typing.Optional typing.Union typing.Protocol typing.Self
    typing_extensions.Self
    """.split()
)
_LISTS = frozenset(
    """
    List list Sequence MutableSequence Tuple tuple Set set FrozenSet frozenset Deque deque Iterable Iterator
    Collection Generator AsyncIterator AsyncIterable AsyncGenerator
    """.split()
)
_DICTS = frozenset(["Dict", "dict", "Mapping", "MutableMapping", "DefaultDict", "defaultdict", "OrderedDict"])
_WRAPPERS = frozenset(
    ["Optional", "Union", "|", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "Awaitable"]
)
_CLOSED = frozenset(f"builtins.{n}" for n in ("str", "bytes", "int", "float", "bool"))
"""Types whose annotation says all: what is passed beside it is not followed."""


@dataclass(frozen=True, slots=True)
class Meant:
    """What an annotation promises; `open`: what is passed adds to it."""

    values: Values
    open: bool


class Annotated:
    """Reads annotations. `element_classes` are the classes that the annotation of a collection says its elements are of."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._known: dict[tuple[ScopeId, Term], Meant | None] = {}
        self.element_classes: dict[Value, frozenset[ScopeId]] = {}

    def forget(self) -> None:
        """Drop what was read, which is read again as it is needed."""
        self._known.clear()

    def meant(self, scope: ScopeInfo, term: Term) -> Meant | None:
        """Return what an annotation in `scope` promises, None where it says nothing."""
        if not term:
            return None
        key = (scope.sid, term)
        if key in self._known:
            return self._known[key]
        before = self._solver.lexical.misses
        found = self._read_annotation(scope, term)
        if self._solver.lexical.misses == before:
            self._known[key] = found
        return found

    def _read_annotation(self, scope: ScopeInfo, term: Term) -> Meant | None:
        if isinstance(term, tuple):
            return self._read_subscript(scope, term)
        if term == "None":
            return Meant(NOTHING, False)
        if term.rpartition(".")[2] == "Self":
            cls = self._solver.class_around_code(scope) if scope.form != "class" else scope
            return Meant(frozenset([(v.OPEN, cls.sid)]), False) if cls is not None else None
        found: set[Value] = set()
        anything = False
        for value in self._solver.lexical.term_values(scope, term):
            if value[0] == v.CLASS:
                found.add((v.OPEN, value[1]))
                anything = anything or self._solver.classes.is_protocol(value[1])
            elif value[0] == v.OUTSIDE and value[1] not in _ANYTHING:
                found.add((v.RESULT, value[1]))
            else:
                anything = True
        if not found:
            return None
        is_open = anything or any(value[0] == v.RESULT and value[1] not in _CLOSED for value in found)
        return Meant(frozenset(found), is_open)

    def _read_subscript(self, scope: ScopeInfo, term: tuple[str, tuple[Term, ...]]) -> Meant | None:
        head, arguments = term
        last = head.rpartition(".")[2]
        if last in _WRAPPERS:
            kept = arguments[:1] if last == "Annotated" else arguments
            return _either([self.meant(scope, argument) for argument in kept if argument != "None"])
        if last in ("Type", "type"):
            meant = self.meant(scope, arguments[0])
            found = {(v.OPEN_CLASS, value[1]) for value in meant.values if value[0] == v.OPEN} if meant else set()
            return Meant(frozenset(found), False) if found else None
        if last in _LISTS or last in _DICTS or last == "ContextVar":
            return self._read_collection(scope, last, arguments)
        return self.meant(scope, head)

    def _read_collection(self, scope: ScopeInfo, last: str, arguments: tuple[Term, ...]) -> Meant | None:
        kind = "builtins.dict" if last in _DICTS else f"builtins.{last.lower()}"
        kind = "contextvars.ContextVar" if last == "ContextVar" else kind
        made: Value = (v.CONTAINER, scope.sid, (last, arguments), 0, kind)
        self.declare_elements(scope, (last, arguments), made)
        held = arguments[-1:] if last in _DICTS else arguments
        inner = [self.meant(scope, argument) for argument in held]
        keys = self.meant(scope, arguments[0]) if last in _DICTS and len(arguments) == 2 else None
        if keys is not None and any(value[0] == v.RESULT for value in keys.values):
            keys = None
        if keys is None and all(m is None or all(value[0] == v.RESULT for value in m.values) for m in inner):
            return Meant(frozenset([(v.RESULT, kind)]), True)
        for position, argument in enumerate(held):
            meant = self.meant(scope, argument)
            if meant is not None:
                indexed = last.lower() == "tuple" and "" not in held
                self._solver.cells.join_table((c.ELEMENT, made), position if indexed else c.ANY, meant.values)
        if keys is not None:
            self._solver.cells.join((c.KEYS, made), keys.values)
        return Meant(frozenset([made]), True)

    def declare_elements(self, scope: ScopeInfo, term: Term, made: Value) -> None:
        """Note what the annotation of a name says of the elements of the collection that is made for it."""
        if made in self.element_classes or not isinstance(term, tuple):
            return
        head, arguments = term
        last = head.rpartition(".")[2]
        if last in _DICTS or (last in _LISTS and len(arguments) == 1):
            meant = self.meant(scope, arguments[-1])
            if meant is not None and not meant.open and (promised := promised_classes(meant.values)):
                self.element_classes[made] = promised


def _either(parts: list[Meant | None]) -> Meant | None:
    known = [p for p in parts if p is not None]
    if not known:
        return None
    values: Values = frozenset().union(*(p.values for p in known))
    return Meant(values, len(known) < len(parts) or any(p.open for p in known))
