"""Whether a change of some files can change what is known of any statement that it leaves as it was.

It cannot where what the changed statements pass on is the same before and after, or goes nowhere but to each other, and is no
object of the tree. Then the rows of all other statements hold, and those of the changed ones follow from names alone.

Approximates: under (a change that does no harm may not be recognised).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from codepath.model import ir
from codepath.program.bodies import Bodies
from codepath.program.changes.alike import Pair, Side
from codepath.program.changes.privacy import Privacy
from codepath.program.changes.shapes import (
    NOTHING,
    PARTIAL,
    REFUSED,
    WRAPPERS,
    Given,
    Own,
    Shape,
    Shapes,
    Token,
    Unclear,
    is_plain,
)
from codepath.program.changes.telling import is_telling, path_of, tells_of
from codepath.program.changes.units import Unit
from codepath.program.subtrees import children
from codepath.program.tree import ModuleInfo
from codepath.program.values import ScopeId

Place = tuple[str, str, str]
Outflow = dict[Place, Shape]
"""What statements pass on, or ask of objects: by (kind of place, scope or callee, name)."""
_TELLING = frozenset(
    ["isinstance", "issubclass", "hasattr", "callable", "type", "getattr", "__class__", "TYPE_CHECKING"]
)
_SIMPLE = frozenset(["Do", "Return", "Raise", "Assert", "Jump", "If", "While", "For", "With", "Try", "Handler"])
_CHECKED = (
    ir.Name, ir.Const, ir.Attr, ir.Call, ir.Subscript, ir.Slice, ir.Unary, ir.Binary, ir.Bool, ir.Compare, ir.Ternary,
    ir.Sequence, ir.Dict, ir.Joined, ir.Starred, ir.Import, ir.ImportFrom, ir.Function, ir.Bind, ir.StoreAttr,
)  # fmt: skip
_ASKING = (ir.Attr, ir.Compare, ir.Bool, ir.Unary, ir.Subscript)
_MOST_SITES = 20
_CLOSED = frozenset(["bool", "int", "float", "str", "bytes"])
"""Annotations beside which what is passed is not followed."""


@dataclass(frozen=True)
class Version:
    """One version of the tree, and the modules of the changed files in it by path."""

    bodies: Bodies
    modules: Mapping[str, ModuleInfo]


@dataclass(frozen=True)
class Solved:
    """What the stored solution tells.

    Attributes:
        given: What is known of the tree beside its text.
        implicit: Gives the places, packed, at which a function runs something that is no call.
    """

    given: Given
    implicit: Callable[[str], frozenset[int]]


def judge(pairs: Mapping[str, list[Pair]], old: Version, new: Version, solved: Solved, privacy: Privacy) -> None:
    """Make sure that a change leaves all other statements what they are.

    Raises:
        Unclear: Only the solver can tell.
    """
    before, after = (_Flows(pairs, version, is_new, solved) for version, is_new in ((old, False), (new, True)))
    flows = before.changed(), after.changed()
    evidence: Outflow | None = None
    for place in sorted({*flows[0], *flows[1]}):
        one, other = (flow.get(place) for flow in flows)
        if one is not None and other is not None and one == other:
            continue
        if place[0] == "asks" and other is None:
            continue  # what is no longer asked is compared with what is stored of it
        if place[0] in ("argument", "asks"):
            evidence = before.unchanged() if evidence is None else evidence
            if place[0] == "argument" and not (one or other):
                continue
            if place[0] == "argument" and after.is_fresh(place[1]) and before.is_fresh(place[1]):
                continue
            _like_others(place, (one or NOTHING) ^ (other or NOTHING), evidence, privacy)
        else:
            _in_private(place, one, other, privacy)


def _like_others(place: Place, differing: Shape, evidence: Outflow, privacy: Privacy) -> None:
    """Make sure that unchanged statements pass on, or ask, the same."""
    if place not in evidence or not differing <= evidence[place]:
        raise Unclear(f"{place[1]} gets what nothing else gives it as {place[2]}")
    if place[0] == "argument":
        privacy.only_in_changed_files(place[1].rpartition(".")[2])


def _in_private(place: Place, before: Shape | None, after: Shape | None, privacy: Privacy) -> None:
    kind, scope, name = place
    if kind in ("attribute", "return") and not before and not after:
        return  # nothing is passed on, as it was
    privacy.check(scope.rpartition(".")[2] if kind == "return" else name)


class _Flows:
    """What the statements of one version pass on."""

    def __init__(self, pairs: Mapping[str, list[Pair]], version: Version, is_new: bool, solved: Solved) -> None:
        self._pairs = pairs
        self._version = version
        self._is_new = is_new
        self._solved = solved
        self._fresh = frozenset(self._fresh_names())
        self._shapes = Shapes(version.bodies, self._fresh, solved.given, self._is_changed)
        self._sides_of = {own.info.sid: (pair, side) for own, pair, side in self._sides()}

    def _is_changed(self, scope: ScopeId, index: int) -> bool:
        """Tell whether an expression stands in a statement that changes: what it asks of objects is judged for itself."""
        found = self._sides_of.get(scope)
        return found is not None and found[1].unit_of(index) in found[1].changed

    def _fresh_names(self) -> Iterator[str]:
        for path, pairs in self._pairs.items():
            for pair in pairs:
                if (pair.old if self._is_new else pair.new) is None:
                    yield f"{self._version.modules[path].name}.{pair.key[1]}"

    def is_fresh(self, name: str) -> bool:
        """Tell whether a function is in this version alone, or in none."""
        return name in self._fresh or self._version.bodies.scope(name) is None

    def _sides(self) -> Iterator[tuple[Own, Pair, Side]]:
        for path, pairs in self._pairs.items():
            for pair in pairs:
                side = pair.new if self._is_new else pair.old
                if side is not None:
                    yield self._shapes.own(self._version.modules[path].scopes[side.index]), pair, side

    def changed(self) -> Outflow:
        """Return what the changed statements pass on, and where to.

        Raises:
            Unclear: They do what is not judged.
        """
        found: Outflow = {}
        for own, pair, side in self._sides():
            if pair.is_changed:
                self._whole_scope(own, side)
                for unit in side.changed_units():
                    for place, shape in self._of_unit(own, side, unit):
                        found[place] = found.get(place, NOTHING) | shape
        return found

    def unchanged(self) -> Outflow:
        """Return what the unchanged statements of the changed files give functions, and ask of objects without running code."""
        found: Outflow = {}
        sites: dict[Place, int] = {}
        for own, _, side in self._sides():
            implicit = self._solved.implicit(self._version.bodies.tree.code_scope(own.info).name)
            for index, expr in enumerate(own.scope.exprs):
                if side.unit_of(index) in side.changed:
                    continue
                if isinstance(expr, ir.Call):
                    for place, shape in self._given(own, expr):
                        found[place] = found.get(place, NOTHING) | shape
                        sites[place] = sites.get(place, 0) + 1
                elif isinstance(expr, _ASKING) and expr.at not in implicit:
                    with suppress(Unclear):
                        found.update(dict.fromkeys(self._asked(own, expr), NOTHING))
        return {place: shape for place, shape in found.items() if sites.get(place, 0) < _MOST_SITES}

    # --- changed statements ------------------------------------------------------------------------------------------

    def _whole_scope(self, own: Own, side: Side) -> None:
        """Refuse scopes of kinds that are not judged."""
        outer = self._version.bodies.tree.scopes[own.info.outer] if own.info.outer >= 0 else None
        is_simple = own.info.form == "module" or (outer is not None and outer.form in ("module", "class"))
        if (own.info.form not in ("module", "function") or not is_simple) and (side.changed or own.is_fresh):
            raise Unclear(f"{own.info.name} is a {own.info.form} that changes")
        if (own.scope.is_async or own.scope.is_generator) and own.is_fresh:
            raise Unclear(f"{own.info.name} is a coroutine or generator")
        if own.scope.globals or own.scope.nonlocals:
            raise Unclear(f"{own.info.name} stores names of others")

    def _of_unit(self, own: Own, side: Side, unit: Unit) -> Iterator[tuple[Place, Shape]]:
        if unit.form not in _SIMPLE:
            raise Unclear(f"a changed {unit.form}")
        exprs = own.scope.exprs
        stored_on = {e.object for e in exprs[unit.start : unit.stop] if isinstance(e, ir.StoreAttr)}
        for index in range(unit.start, unit.stop):
            expr = exprs[index]
            if not isinstance(expr, _CHECKED) or (isinstance(expr, ir.ImportFrom) and expr.name == "*"):
                raise Unclear(f"a changed {type(expr).__name__}")
            if unit.form != "Do" and is_telling(expr):
                raise Unclear("a condition about kinds of objects")
            if isinstance(expr, ir.StoreAttr):
                yield self._stored(own, expr)
            elif isinstance(expr, ir.Bind):
                yield from self._bound(own, expr)
            elif isinstance(expr, ir.Call):
                self._called(own, expr)
                yield from self._given(own, expr)
            elif index not in stored_on:
                yield from self._operands(own, expr)
        yield from self._leaves(own, side, unit)

    def _leaves(self, own: Own, side: Side, unit: Unit) -> Iterator[tuple[Place, Shape]]:
        """Yield what a return gives; refuse jumps below conditions about kinds of objects."""
        if unit.jumps:
            for number, _ in unit.path:
                around = side.units[number]
                if any(is_telling(e) for e in own.scope.exprs[around.start : around.stop]):
                    raise Unclear("a jump below a condition about kinds of objects")
        if unit.form == "Return" and unit.start < unit.stop:
            yield ("return", own.info.name, ""), self._plain(own, unit.stop - 1)
        elif unit.form in ("With", "For", "Raise"):
            for index in range(unit.start, unit.stop):
                if not isinstance(own.scope.exprs[index], (ir.Bind, ir.Name, ir.Attr)):
                    self._plain(own, index)
        elif unit.form in ("If", "While", "Assert") and unit.start < unit.stop:
            yield from self._tested(own, unit.stop - 1)

    def _plain(self, own: Own, index: int) -> Shape:
        """Return what an expression can be.

        Raises:
            Unclear: It may be an object of the tree.
        """
        found = self._shapes.of(own, index)
        if not is_plain(found):
            raise Unclear(f"an object is passed on at line {ir.line_of(own.scope.exprs[index].at)} of {own.info.name}")
        return found

    def _bound(self, own: Own, expr: ir.Bind) -> Iterator[tuple[Place, Shape]]:
        shape = self._shapes.of(own, own.scope.definitions[expr.definition].bind)
        if any(token[0] == "object" for token in shape):
            raise Unclear(f"{expr.id} may hold an object")
        if own.info.form == "module":
            yield ("name", own.info.name, expr.id), shape
        elif self._is_captured(own, expr.id):
            raise Unclear(f"inner functions may read {expr.id}")

    def _is_captured(self, own: Own, name: str) -> bool:
        bodies = self._version.bodies
        inner = [info for info in own.info.module.scopes if info.outer == own.info.sid]
        if any(info.form == "class" for info in inner):
            return True
        return any(isinstance(e, ir.Name) and e.id == name for info in inner for e in bodies.of(info).scope.exprs)

    def _stored(self, own: Own, expr: ir.StoreAttr) -> tuple[Place, Shape]:
        receiver = own.scope.exprs[expr.object]
        around = self._version.bodies.tree.class_around(own.info)
        is_self = isinstance(receiver, ir.Name) and own.scope.uses[receiver.use] == (0,)
        if around is None or not is_self:
            raise Unclear(f"the attribute {expr.id} of an object is stored")
        if expr.value < 0 or expr.how or any(is_telling(e) for e in own.scope.exprs):
            raise Unclear(f"the attribute {expr.id} is stored in part")
        return ("attribute", own.info.name, expr.id), self._plain(own, expr.value)

    # --- calls -------------------------------------------------------------------------------------------------------

    def _called(self, own: Own, expr: ir.Call) -> None:
        """Refuse calls of what names do not tell, and of outside functions that may lead back into the tree."""
        tokens = self._shapes.of(own, expr.func)
        for token in tokens:
            if token[0] not in ("outside", "function", "partial", "result", "method") or token[1] in REFUSED:
                raise Unclear(f"a call of {token[-1]} at line {ir.line_of(expr.at)} of {own.info.name}")
            if token[0] in ("function", "partial"):
                self._refuse_methods(str(token[1]))
        takes_functions = all(token[1] == PARTIAL or token[1] in WRAPPERS for token in tokens)
        for argument in expr.args:
            shape = self._shapes.of(own, argument.value)
            if any(token[0] in ("object", "module") for token in shape) or not (takes_functions or is_plain(shape)):
                raise Unclear(f"an object is passed on at line {ir.line_of(expr.at)} of {own.info.name}")

    def _refuse_methods(self, name: str) -> None:
        info = self._version.bodies.scope(name)
        if info is None or info.is_async or info.is_generator:
            raise Unclear(f"a call of {name}")
        if self._version.bodies.tree.scopes[info.outer].form != "module":
            raise Unclear(f"a call of {name}, which stands in a class or function")

    def _given(self, own: Own, expr: ir.Call) -> Iterator[tuple[Place, Shape]]:
        """Yield what a call gives the functions of the tree that it runs now, or later as a partial."""
        tokens = self._shapes.of(own, expr.func)
        arguments = list(expr.args)
        if tokens == {("outside", PARTIAL)} and arguments:
            tokens = self._shapes.of(own, arguments[0].value)
            arguments = arguments[1:]
        for token in tokens:
            if token[0] not in ("function", "partial"):
                continue
            for number, argument in enumerate(arguments):
                slot = "*" * argument.star or argument.name or str(number)
                if self._is_closed(str(token[1]), slot):
                    continue
                yield ("argument", str(token[1]), slot), _sort_of(self._shapes.of(own, argument.value))

    def _is_closed(self, callee: str, slot: str) -> bool:
        """Tell whether the annotation of a parameter says all that is known of it."""
        info = self._version.bodies.scope(callee)
        params = info.params if info is not None else ()
        number = next((n for n, p in enumerate(params) if p.id == slot or str(n) == slot), None)
        return number is not None and params[number].form == "normal" and params[number].annotation in _CLOSED

    # --- what is asked of objects ------------------------------------------------------------------------------------

    def _operands(self, own: Own, expr: ir.Expr) -> Iterator[tuple[Place, Shape]]:
        """Yield what an expression asks of its operands where these may be objects."""
        if isinstance(expr, _ASKING):
            yield from ((asked, NOTHING) for asked in self._asked(own, expr))
            return
        for index in children(expr):
            shape = self._shapes.of(own, index)
            if any(token[0] == "object" for token in shape):
                raise Unclear(f"an object in an expression at line {ir.line_of(expr.at)} of {own.info.name}")

    def _asked(self, own: Own, expr: ir.Expr) -> Iterator[Place]:
        role = "item" if isinstance(expr, ir.Subscript) else "truth"
        if isinstance(expr, ir.Attr):
            role = f"attribute {expr.id}"
        elif isinstance(expr, ir.Compare):
            role = " ".join(sorted({op.removeprefix("not ") for op in expr.ops}))
        for index in children(expr):
            asked = self._tested(own, index) if role == "truth" else self._operand(own, index, role)
            yield from (place for place, _ in asked)

    def _tested(self, own: Own, index: int) -> Iterator[tuple[Place, Shape]]:
        """Yield what a condition asks of its parts."""
        expr = own.scope.exprs[index]
        if isinstance(expr, ir.Bool) or (isinstance(expr, ir.Unary) and expr.op == "not"):
            for inner in children(expr):
                yield from self._tested(own, inner)
        else:
            yield from self._operand(own, index, "truth")

    def _operand(self, own: Own, index: int, role: str) -> Iterator[tuple[Place, Shape]]:
        """Yield what is asked of an expression that may be an object.

        Raises:
            Unclear: It is not read from a parameter, or what it is may depend on where it is read.
        """
        if any(token[0] == "object" for token in self._shapes.of(own, index)):
            path = self._path(own, index)
            if path is None:
                raise Unclear(f"an object at line {ir.line_of(own.scope.exprs[index].at)} of {own.info.name}")
            yield ("asks", own.info.name, f"{role} {path}"), NOTHING

    def _path(self, own: Own, index: int) -> str | None:
        """Return how an expression is read from a parameter or from what unchanged statements bind; None where it is read
        otherwise, or where conditions may tell what it is."""
        found = path_of(own.scope, index)
        if found is None or tells_of(own.scope, found[0]):
            return None
        reaching = [self._source(own, number) for number in own.scope.uses[found[1].use]]
        if not reaching or None in reaching:
            return None
        return ".".join((*found[0], *map(str, sorted(filter(None, reaching)))))

    def _source(self, own: Own, number: int) -> str | None:
        """Return where a name is bound as both versions have it, None where one alone does."""
        if number < 0:
            return None
        bind = own.scope.definitions[number].bind
        if bind < 0:
            return f"<{number}>"
        pair, side = self._sides_of[own.info.sid]
        unit = side.unit_of(bind)
        if unit < 0 or unit in side.changed:
            return None
        before = pair.same[unit] if self._is_new else unit
        return f"<{before}:{bind - side.units[unit].start}>"


def _sort_of(shape: Shape) -> Shape:
    """Return a shape without what tells constants apart."""
    return frozenset(_sort(token) for token in shape)


def _sort(token: Token) -> Token:
    if token[0] == "text":
        return ("text", *("" if is_idle(part) else part for part in token[1:]))
    if token[0] == "container":
        return ("container", token[1], _sort_of(token[2]))  # type: ignore[arg-type]
    return token


def is_idle(text: object) -> bool:
    """Tell whether a text names nothing that code could be looked up by."""
    return isinstance(text, str) and (not text.replace(".", "").replace("_", "").isalnum() or text.islower())
