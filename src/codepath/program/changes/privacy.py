"""Which names nothing but changed statements mentions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from codepath.model import ir
from codepath.program.changes.alike import Pair, Side
from codepath.program.changes.shapes import Unclear


@dataclass(frozen=True)
class Elsewhere:
    """The files that a change leaves as they are.

    Attributes:
        holding: Gives the unchanged files that hold a word.
        facts: Gives the facts of one.
        known: The words of the models of the tree: what stands there may be asked for without a mention.
    """

    holding: Callable[[str], Iterable[str]]
    facts: Callable[[str], ir.ModuleFacts | None]
    known: frozenset[str]


class Privacy:
    """Looks for mentions of names in what a change leaves as it is."""

    def __init__(self, pairs: Mapping[str, list[Pair]], elsewhere: Elsewhere) -> None:
        self._pairs = pairs
        self._elsewhere = elsewhere
        self._checked: set[str] = set()
        self._kept: frozenset[str] | None = None

    def check(self, name: str) -> None:
        """Make sure that nothing that is not changed can get at a name.

        Raises:
            Unclear: Something may.
        """
        if name in self._checked:
            return
        self._checked.add(name)
        if name.startswith("__") or name in self._elsewhere.known or name in self._unchanged():
            raise Unclear(f"{name} is mentioned where nothing changes")
        for part in _parts(name):
            if any(self._elsewhere.holding(part)):
                raise Unclear(f"{name} may be asked for by a part of its name, {part}")
        self.only_in_changed_files(name)

    def only_in_changed_files(self, name: str) -> None:
        """Make sure that no unchanged file mentions a name.

        Raises:
            Unclear: One does.
        """
        for path in self._elsewhere.holding(name):
            facts = self._elsewhere.facts(path)
            if facts is None or _mentions(facts, name):
                raise Unclear(f"{name} is mentioned in {path}")

    def may_lend(self, function: str, cls: str) -> bool:
        """Tell whether a method may be called through its class: `Class.method(thing)`."""
        name, method = cls.rpartition(".")[2], function.rpartition(".")[2]
        unchanged = set(self._elsewhere.holding(name)) & set(self._elsewhere.holding(method))
        facts = (self._elsewhere.facts(path) for path in sorted(unchanged))
        found = (
            ir.decode_scope(raw)
            for one in facts
            if one is not None
            for raw in one.scopes
            if name.encode() in bytes(raw)
        )
        changed = (
            side.scope for pairs in self._pairs.values() for pair in pairs for side in (pair.old, pair.new) if side
        )
        return any(_is_through_class(scope, name, method) for scope in (*found, *changed))

    def _unchanged(self) -> frozenset[str]:
        """Return the words of the statements of changed files that are as they were."""
        if self._kept is None:
            self._kept = frozenset(
                word
                for pairs in self._pairs.values()
                for pair in pairs
                for side in (pair.old, pair.new)
                if side is not None
                for word in _words(side)
            )
        return self._kept


def _is_through_class(scope: ir.Scope, cls: str, method: str) -> bool:
    """Tell whether a scope reads a method from a class."""
    attributes = (expr for expr in scope.exprs if isinstance(expr, ir.Attr) and expr.id == method)
    bases = (scope.exprs[expr.value] for expr in attributes)
    return any(isinstance(base, (ir.Name, ir.Attr)) and base.id == cls for base in bases)


def _words(side: Side) -> Iterator[str]:
    for index, expr in enumerate(side.scope.exprs):
        if side.unit_of(index) not in side.changed:
            yield from _named(expr)


def _named(expr: ir.Expr) -> Iterator[str]:
    """Yield the names that an expression mentions."""
    if isinstance(expr, (ir.Name, ir.Attr, ir.StoreAttr, ir.Bind)):
        yield expr.id
    elif isinstance(expr, ir.ImportFrom):
        yield expr.name
    elif isinstance(expr, ir.Const) and isinstance(expr.value, str) and expr.value.isidentifier():
        yield expr.value
    elif isinstance(expr, ir.Call):
        yield from (a.name for a in expr.args if a.name is not None)


def _mentions(facts: ir.ModuleFacts, name: str) -> bool:
    """Tell whether a file may mean another file's thing by a name: its own variables of that name are none."""
    wanted = name.encode()
    if any(isinstance(expr, ir.ImportFrom) and expr.name == "*" for expr in ir.decode_scope(facts.scopes[0]).exprs):
        return True
    for raw in facts.scopes:
        if wanted not in bytes(raw):
            continue
        for expr in ir.decode_scope(raw).exprs:
            if not isinstance(expr, (ir.Name, ir.Bind)) and name in _named(expr):
                return True
    return any(head.id == name and head.parent > 0 for head in facts.heads)


def _parts(name: str) -> Iterator[str]:
    """Yield beginnings and ends of a name that may stand in a text that is put together."""
    cuts = [k for k, ch in enumerate(name) if ch == "_" and 0 < k < len(name) - 1]
    for cut in cuts:
        yield name[: cut + 1]
        yield name[cut:]
