"""The statements of a scope, one by one, in a form in which equal ones are equal wherever they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from codepath.model import ir
from codepath.program.subtrees import children

Path = tuple[tuple[int, str], ...]
"""The statements around one, outermost first: (number, which of its bodies)."""

_PLACES = frozenset(["at", "end"])
_CHILDREN: dict[type, frozenset[str]] = {
    ir.Attr: frozenset(["value"]),
    ir.Call: frozenset(["func"]),
    ir.Subscript: frozenset(["value", "index"]),
    ir.Slice: frozenset(["lower", "upper", "step"]),
    ir.Unary: frozenset(["value"]),
    ir.Binary: frozenset(["left", "right"]),
    ir.Bool: frozenset(["values"]),
    ir.Compare: frozenset(["left", "rights"]),
    ir.Ternary: frozenset(["test", "body", "orelse"]),
    ir.Comp: frozenset(["element", "value"]),
    ir.Sequence: frozenset(["items"]),
    ir.Dict: frozenset(["keys", "values"]),
    ir.Joined: frozenset(["parts", "reprs"]),
    ir.Starred: frozenset(["value"]),
    ir.Await: frozenset(["value"]),
    ir.Yield: frozenset(["value"]),
    ir.YieldFrom: frozenset(["value"]),
    ir.Bind: frozenset(["value", "annotation"]),
    ir.StoreAttr: frozenset(["object", "value", "annotation"]),
    ir.StoreItem: frozenset(["object", "index", "value"]),
    ir.Remove: frozenset(["object", "index"]),
    ir.Function: frozenset(["decorators"]),
    ir.Class: frozenset(["decorators"]),
    ir.Arg: frozenset(["value"]),
    ir.Clause: frozenset(["iter", "start", "conditions"]),
    ir.Param: frozenset(["annotation", "default"]),
}
"""Fields that hold indices of expressions."""
_SPECIAL = frozenset(["use", "definition", "scope"])


@dataclass(frozen=True, slots=True)
class Unit:
    """A simple statement, or the head of a compound one; its expressions are `[start, stop)` of its scope.

    `form` tells its kind, `jumps` whether what stands behind it does not run, `at` are the places of its regions.
    """

    number: int
    form: str
    start: int
    stop: int
    path: Path
    at: int
    key: tuple[object, ...] = ()

    @property
    def jumps(self) -> bool:
        """Whether what stands behind the statement in its block does not run."""
        return self.form in ("Return", "Raise", "Jump")


@dataclass(frozen=True)
class Source:
    """The facts of one file, decoded: `scopes[i]` is what `heads[i]` describes."""

    heads: tuple[ir.Head, ...]
    scopes: tuple[ir.Scope, ...]

    @classmethod
    def of(cls, facts: ir.ModuleFacts) -> Source:
        """Decode facts."""
        return cls(facts.heads, tuple(ir.decode_scope(raw) for raw in facts.scopes))

    def names(self) -> dict[tuple[str, str, int], int]:
        """Return the number of each scope by form, dotted name, and how many of that name stand before it."""
        found: dict[tuple[str, str, int], int] = {}
        for index, head in enumerate(self.heads):
            nth = 0
            while (head.form, head.qualname, nth) in found:
                nth += 1
            found[head.form, head.qualname, nth] = index
        return found


def units(source: Source, scope: ir.Scope) -> list[Unit]:
    """Return the statements of a scope in source order."""
    found: list[Unit] = []
    normal = _Normal(source, scope)

    def add(form: str, start: int, stop: int, path: Path, at: int, more: object = None) -> int:
        key = (form, more, *(normal.of(index) for index in range(start, stop)))
        found.append(Unit(len(found), form, start, stop, path, at, key))
        return len(found) - 1

    def block(regions: Sequence[ir.Region], path: Path) -> None:
        for region in regions:
            one(region, path)

    def one(region: ir.Region, path: Path) -> None:
        form = type(region).__name__
        if isinstance(region, ir.Jump):
            add(form, 0, 0, path, region.at, region.form)
            return
        if isinstance(region, ir.Try):
            number = add(form, 0, 0, path, region.at, (region.is_star, bool(region.final)))
            block(region.body, (*path, (number, "body")))
            for handler in region.handlers:
                inner = add("Handler", handler.start, handler.stop, (*path, (number, "handlers")), handler.at)
                block(handler.body, (*path, (number, "handlers"), (inner, "body")))
            block(region.orelse, (*path, (number, "orelse")))
            block(region.final, (*path, (number, "final")))
            return
        stop = region.bound if isinstance(region, ir.For) else region.stop
        number = add(form, region.start, stop, path, region.at)
        if isinstance(region, ir.Match):
            for case in region.cases:
                inner = add("Case", case.start, case.stop, (*path, (number, "cases")), case.at, case.text)
                block(case.body, (*path, (number, "cases"), (inner, "body")))
            return
        if isinstance(region, (ir.If, ir.While, ir.For, ir.With)):
            block(region.body, (*path, (number, "body")))
        if isinstance(region, (ir.If, ir.While, ir.For)):
            block(region.orelse, (*path, (number, "orelse")))

    block(scope.body, ())
    return found


class _Normal:
    """Expressions without their places: indices are distances, inner scopes names with their signatures."""

    def __init__(self, source: Source, scope: ir.Scope) -> None:
        self._source = source
        self._scope = scope
        self._texts: dict[int, object] = {}

    def of(self, index: int) -> object:
        """Return what is equal for equal expressions; the definitions that reach a name are left out."""
        expr = self._scope.exprs[index]
        return (type(expr).__name__, *self._fields(expr, index))

    def _fields(self, struct: Any, index: int) -> Iterator[object]:
        children = _CHILDREN.get(type(struct), frozenset())
        for name in struct.__struct_fields__:
            if name in _PLACES:
                continue
            held = getattr(struct, name)
            if name in children:
                yield self._child(held, index)
            elif name in _SPECIAL:
                yield self._special(name, held)
            elif isinstance(held, tuple) and held and not isinstance(held[0], (str, int, type(None))):
                yield tuple(tuple(self._fields(part, index)) for part in held)
            elif name == "value":
                yield type(held).__name__, held
            else:
                yield held

    def _child(self, held: Any, index: int) -> object:
        if isinstance(held, tuple):
            return tuple(self._child(one, index) for one in held)
        if held < 0:
            return None
        return index - held if held < index else self._apart(held)

    def _apart(self, index: int) -> object:
        """Return an expression with all below it: one that stands elsewhere."""
        found = self._texts.get(index)
        if found is None:
            found = self._texts[index] = ("apart", self._whole(index))
        return found

    def _special(self, name: str, held: int) -> object:
        if name == "use":
            return bool(self._scope.uses[held])
        if name == "definition":
            definition = self._scope.definitions[held]
            return definition.form
        head, inner = self._source.heads[held], self._source.scopes[held]
        params = tuple((p.id, p.form, self._whole(p.annotation), self._whole(p.default)) for p in inner.params)
        more = (inner.is_async, inner.is_generator, inner.globals, inner.nonlocals)
        return head.form, head.qualname, params, self._whole(inner.returns), more

    def _whole(self, index: int) -> object:
        """Return an expression of this scope with all below it, wherever they stand."""
        if index < 0:
            return None
        expr = self._scope.exprs[index]
        return self.of(index), tuple(self._whole(child) for child in children(expr))
