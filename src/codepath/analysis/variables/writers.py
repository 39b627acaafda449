"""The writers of a variable: stores, calls of functions that store it, changes in place; and what each can store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from codepath.analysis.nulls.blame import Blame, Nullness
from codepath.analysis.nulls.fields import given_field
from codepath.analysis.nulls.nodes import Context, Hops, Node
from codepath.analysis.variables.access import Access
from codepath.analysis.variables.readers import Readers, place_in
from codepath.model import ir
from codepath.model.answers import Guard, Place
from codepath.model.values import NoneHop, Writer
from codepath.program.guards import Guards, Literal
from codepath.program.scopes import Read
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId

MAX_SETTER_CALLS = 80
"""Calls of one setter whose argument is followed; what others store is not worked out."""
_SHOWN_LABELS = 4


class Writers:
    """Describes writers."""

    def __init__(self, blame: Blame, readers: Readers) -> None:
        self._blame = blame
        self._readers = readers
        self._guards: dict[int, Guards] = {}

    def stores(self, accesses: Iterable[Access]) -> Iterator[Writer]:
        """Yield a writer for each store and `del`."""
        for access in accesses:
            if access.how == "store":
                known = self._nullness([("held", self._sid(access.read), access.expr, ())])
                yield self._writer(access.read, access.expr, "store", None, known)
            elif access.how == "delete":
                yield self._writer(access.read, access.expr, "delete", None, _NOTHING)

    def calls(self, setter: str, stores: Iterable[Access]) -> Iterator[Writer]:
        """Yield a writer for each call of a function that stores the variable."""
        stores = [access for access in stores if access.how == "store" and access.read.function == setter]
        for number, (read, index) in enumerate(self._readers.calls_of(setter)):
            known = _NOT_FOLLOWED
            if number < MAX_SETTER_CALLS:
                context = ((self._sid(read), index),)
                known = self._nullness([("held", self._sid(a.read), a.expr, context) for a in stores], within=setter)
            yield self._writer(read, index, "setter", setter, known)

    def arguments(self, info: ScopeInfo, number: int) -> Iterator[Writer]:
        """Yield a writer for each call of a function: what it hands on as a parameter."""
        sid = info.sid
        for count, (read, index) in enumerate(self._readers.calls_of(info.name)):
            known = _NOT_FOLLOWED
            if count < MAX_SETTER_CALLS:
                known = self._nullness([("param", sid, number, ((self._sid(read), index),))])
            yield self._writer(read, index, "setter", info.name, known)

    def fields(self, cls: ScopeInfo, name: str) -> Iterator[Writer]:
        """Yield a writer for each construction of a class that passes a field whose constructor is generated."""
        world = self._blame.world
        if not world.bodies.classes.is_dataclass(cls.sid) or all(field != name for field, _ in cls.fields):
            return
        for number, (read, index) in enumerate(self._readers.calls_of(cls.name)):
            sid = self._sid(read)
            given = given_field(world, sid, index, cls.sid, name)
            if given >= 0:
                follow = number < MAX_SETTER_CALLS
                known = self._nullness([("value", sid, given, ())]) if follow else _NOT_FOLLOWED
                yield self._writer(read, index, "setter", cls.name, known)

    def mutation(self, read: Read, at: int, through: str | None) -> Writer:
        """Return the writer for a change in place."""
        index = next(i for i, e in enumerate(read.scope.exprs) if e.at == at)
        return self._writer(read, index, "mutate", through, _NOTHING)

    def along(self, access: Access, writer: Writer, contexts: Iterable[Context]) -> Writer:
        """Return the writer of a store with what is stored where its function is entered through some call sites."""
        known = self._nullness([("held", self._sid(access.read), access.expr, context) for context in contexts])
        new = self._writer(access.read, access.expr, writer.how, writer.through, known)
        return replace(new, place=writer.place, guards=writer.guards)

    def _sid(self, read: Read) -> ScopeId:
        info = self._blame.world.bodies.scope(read.name)
        assert info is not None
        same = (i for i in info.module.scopes if i.name == read.name and i.at == read.head.at)
        return next(same, info).sid

    def _nullness(self, nodes: list[Node], within: str = "") -> Nullness:
        """Return what is known of several stores; steps inside the setter are left out of its calls' chains."""
        found = [self._blame.of(node) for node in nodes]
        if len(found) != 1:
            return _merged(found)
        return _outside(found[0], within) if within else found[0]

    def _writer(self, read: Read, index: int, how: str, through: str | None, known: Nullness) -> Writer:
        expr = read.scope.exprs[index]
        return Writer(
            place=place_in(read, expr.at),
            how=how,
            through=through,
            value=described(known) if how in ("store", "setter") else "",
            may_be_none=known.may_be_none,
            none_chain=_hops(known.passed),
            causes=tuple(_hops(chain) for chain in known.chains),
            total=known.total,
            unknown=tuple(NoneHop(u.place, u.reason) for u in known.unknown),
            guards=self.guards(read, index),
        )

    def guards(self, read: Read, index: int) -> tuple[Guard, ...]:
        """Return the guards of an expression inside its scope."""
        key = id(read.scope)
        if key not in self._guards:
            self._guards[key] = Guards(read.scope)
        return tuple(guard_of(literal, read.path) for literal in self._guards[key].of(index))


_NOTHING = Nullness(False)
_NOT_FOLLOWED = Nullness(None)


def guard_of(literal: Literal, path: str) -> Guard:
    """Return a literal as an answer has it."""
    when = tuple(guard_of(other, path) for other in literal.when)
    return Guard(literal.text, literal.polarity, literal.kind, path, ir.line_of(literal.at), when=when)


def described(known: Nullness) -> str:
    """Return in words what a value can be."""
    labels = [label for label in known.labels if label]
    shown = labels[:_SHOWN_LABELS]
    if len(labels) > _SHOWN_LABELS:
        shown.append(f"{len(labels) - _SHOWN_LABELS} other kinds of value")
    if known.may_be_none:
        shown.append("None")
    if known.unknown:
        shown.append("what is not known")
    return " or ".join(shown) or ("something that is not None" if known.may_be_none is False else "not known")


def _hops(hops: Hops) -> tuple[NoneHop, ...]:
    return tuple(NoneHop(hop.place, hop.reason) for hop in hops)


def _merged(found: list[Nullness]) -> Nullness:
    """Return what is known where any of several values is stored."""
    if not found:
        return _NOT_FOLLOWED
    may: bool | None = any(n.may_be_none for n in found)
    if not may and any(n.may_be_none is None for n in found):
        may = None
    return Nullness(
        may,
        tuple(chain for n in found for chain in n.chains),
        sum(n.total for n in found),
        tuple(dict.fromkeys(label for n in found for label in n.labels)),
        tuple(dict.fromkeys(u for n in found for u in n.unknown)),
        tuple(dict.fromkeys(hop for n in found for hop in n.passed)),
    )


def _outside(known: Nullness, setter: str) -> Nullness:
    """Return what is known with the hops inside a function left off the ends of chains."""
    chains = tuple(_without_end(chain, setter) for chain in known.chains)
    return Nullness(
        known.may_be_none, chains, known.total, known.labels, known.unknown, _without_end(known.passed, setter)
    )


def _without_end(hops: Hops, setter: str) -> Hops:
    end = len(hops)
    while end and hops[end - 1].place.function == setter:
        end -= 1
    return hops[:end] or hops


def last_place(writer: Writer) -> Place:
    """Return where a writer's value ends its way."""
    return writer.none_chain[-1].place if writer.none_chain else writer.place
