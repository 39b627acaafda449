"""Calls that Python itself makes: operators, comparisons, membership, tests of truth, formatting."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.values import NOTHING, OPAQUE, Value, Values

if TYPE_CHECKING:
    from codepath.program.frame import Frame
    from codepath.program.solver import Solver

_A_STRING: Values = frozenset([(v.RESULT, "builtins.str")])
_INSTANCES = (v.INSTANCE, v.OPEN)
_ACTING = (*_INSTANCES, v.TEXT, v.TEXT_LIKE, v.CONTAINER, v.CLASS, v.OPEN_CLASS)
"""Kinds of values on the left of an operator that decide what it gives."""
_NOT_OF_TREE = (v.RESULT, v.OUTSIDE)
_RESULTS = (v.RESULT,)
_HASHED = frozenset(f"builtins.{n}" for n in ("dict", "set", "frozenset")) | {
    "collections.OrderedDict",
    "collections.defaultdict",
}
_SEARCHED = frozenset(["builtins.list", "builtins.tuple"])
_FEW = 2
"""Of so many values the last way to make text, `__repr__`, is still claimed."""
_BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}
_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_COMPARE = {
    "==": ("__eq__", "__eq__"),
    "!=": ("__ne__", "__ne__"),
    "<": ("__lt__", "__gt__"),
    ">": ("__gt__", "__lt__"),
    "<=": ("__le__", "__ge__"),
    ">=": ("__ge__", "__le__"),
}


class Operators:
    """Special methods that run without being named. Each method joins what it passes on and returns what comes back."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver

    # --- arithmetic --------------------------------------------------------------------------------------------------

    def binary(self, frame: Frame, index: int, expr: ir.Binary) -> Values:
        """Return what `left op right` gives."""
        left, right = frame.values[expr.left], frame.values[expr.right]
        if not left and not right:
            return NOTHING
        if not _holds(left, _ACTING) and not _holds(right, _INSTANCES):
            return OPAQUE if _holds(left, _NOT_OF_TREE) or _holds(right, _NOT_OF_TREE) else NOTHING
        op = expr.op.removesuffix("=")
        found: set[Value] = set()
        for value in left:
            found |= self._left(frame, index, expr, op, value, right)
        reflected = f"__r{_BINARY.get(op, '')}__"
        if any(not self._takes(value, f"__{_BINARY.get(op, '')}__") for value in left) or _is_constant(
            frame, expr.left
        ):
            found |= self._run(frame, index, right, (reflected,), (left,))
        if any(value[0] in (v.RESULT, v.OUTSIDE) for value in (*left, *right)):
            found |= OPAQUE
        return frozenset(found)

    def _left(self, frame: Frame, index: int, expr: ir.Binary, op: str, value: Value, right: Values) -> Values:
        kind = value[0]
        if kind in _INSTANCES:
            name = _BINARY.get(op, "")
            names = (f"__i{name}__", f"__{name}__") if expr.op != op else (f"__{name}__",)
            return self._run(frame, index, (value,), names, (right,))
        if kind == v.TEXT:
            if op == "%":
                is_repr = "%r" in str(value[1]) and "%s" not in str(value[1])
                names = ("__repr__",) if is_repr else ("__str__", "__repr__")
                self.text(frame, index, self._formatted(frame, right), names)
                return self.solver.patterns.percent(frame, str(value[1]), expr.right)
            return self.solver.patterns.added(frame, frozenset([value]), expr.right) if op == "+" else _A_STRING
        if kind == v.TEXT_LIKE and op == "+":
            return self.solver.patterns.added(frame, frozenset([value]), expr.right)
        if kind == v.CONTAINER:
            return self._joined(frame, index, expr, op, value, right)
        if kind in (v.CLASS, v.OPEN_CLASS) and op == "|":
            return frozenset([value]) | right
        return NOTHING

    def _formatted(self, frame: Frame, values: Values) -> Values:
        held = (frame.elements(value) for value in values if value[0] == v.CONTAINER)
        return values.union(*held)

    def _joined(self, frame: Frame, index: int, expr: ir.Binary, op: str, value: Value, right: Values) -> Values:
        """A collection joined with another: in place, or as a new one."""
        held = frame.elements(value).union(*(frame.elements(other) for other in right if other[0] == v.CONTAINER))
        if all(one[0] in (v.RESULT, v.TEXT, v.TEXT_LIKE) for one in held):
            return frozenset([value if expr.op != op else (v.RESULT, value[4])])
        made = value if expr.op != op else frame.container(index, 0, value[4])
        if value[4] == "builtins.dict":
            frame.copy_entries(frozenset([value]) | right, made)
        else:
            frame.put(made, c.ANY, held)
        return frozenset([made])

    def unary(self, frame: Frame, index: int, expr: ir.Unary) -> Values:
        """Return what `op value` gives."""
        values = frame.values[expr.value]
        if not values:
            return NOTHING
        if expr.op == "not":
            self.truth(frame, index, values)
            return NOTHING
        found = self._run(frame, index, values, (_UNARY[expr.op],), ())
        return found | OPAQUE if any(value[0] in (v.RESULT, v.OUTSIDE) for value in values) else found

    def subscript(self, frame: Frame, index: int, value: Value, key: Values) -> Values:
        """Return what `value[key]` gives for an instance: a dict of the tree asks `__missing__` for what it lacks."""
        calls = self.solver.calls
        found = calls.method(frame, index, value, "__getitem__", [key], "operator")
        if found or not calls.is_special(value[1], "__missing__") or calls.is_special(value[1], "__getitem__"):
            return found
        return calls.method(frame, index, value, "__missing__", [key], "operator")

    # --- comparison --------------------------------------------------------------------------------------------------

    def compare(self, frame: Frame, index: int, expr: ir.Compare) -> Values:
        """Run what comparisons run."""
        left = expr.left
        opaque = False
        found: set[Value] = set()
        for op, right in zip(expr.ops, expr.rights, strict=True):
            one, other = frame.values[left], frame.values[right]
            left = right
            if not one and not other:
                continue
            opaque = opaque or _holds(one, _RESULTS) or _holds(other, _RESULTS)
            if op in ("in", "not in"):
                self._contains(frame, index, other, one)
            elif op in _COMPARE and (_holds(one, _INSTANCES) or _holds(other, _INSTANCES)):
                found |= self._compared(frame, index, op, one, other)
        return frozenset(found) | OPAQUE if opaque else frozenset(found)

    def _compared(self, frame: Frame, index: int, op: str, left: Values, right: Values) -> Values:
        name, reflected = _COMPARE[op]
        names = (name, "__eq__") if op == "!=" else (name,)
        found = self._run(frame, index, left, names, (right,))
        if any(not self._takes_any(value, names) for value in left):
            others = (reflected, "__eq__") if op == "!=" else (reflected,)
            found |= self._run(frame, index, right, others, (left,))
        return found

    def keyed(self, frame: Frame, index: int, receivers: Iterable[Value], key: Values) -> None:
        """Look a key up in a dict or a set: its `__hash__` runs, then its `__eq__` where an equal one is there."""
        if not any(value[0] in _INSTANCES for value in key) or not self.solver.calls.is_defined("__hash__"):
            return
        if any(_type_of(value) in _HASHED for value in receivers):
            for name in ("__hash__", "__eq__"):
                hashed = [one for one in key if one[0] in _INSTANCES and self._takes(one, "__hash__")]
                self._run(frame, index, hashed, (name,), (key,))

    def _contains(self, frame: Frame, index: int, receivers: Values, item: Values) -> None:
        self.keyed(frame, index, receivers, item)
        for value in receivers:
            if _type_of(value) in _SEARCHED:
                held = frame.elements(value) if value[0] == v.CONTAINER else NOTHING
                compared = [one for one in held if self._takes(one, "__eq__")] or item
                self._run(frame, index, compared, ("__eq__",), (item,))
        for value in receivers:
            if value[0] not in _INSTANCES:
                continue
            if self._takes(value, "__contains__"):
                self._run(frame, index, (value,), ("__contains__",), (item,))
            elif not self.solver.construction.outside_constructors(value[1]):
                frame.take(frozenset([value]), (ir.ITERATE,), index)

    # --- truth and text ----------------------------------------------------------------------------------------------

    def truth(self, frame: Frame, index: int, values: Values) -> None:
        """Test values for truth."""
        if values:
            self._run(frame, index, values, ("__bool__", "__len__"), ())

    def text(self, frame: Frame, index: int, values: Values, names: tuple[str, ...]) -> None:
        """Turn values into text by the first of the methods `names` that their classes have.

        Approximates: under (where something else may be among the values, nothing is claimed).
        """
        objects = [value for value in values if value[0] in _INSTANCES]
        if objects and all(value[0] in _INSTANCES or _is_builtin(value) for value in values):
            kept = names if len(objects) <= _FEW or len(names) == 1 else names[:-1]
            self._run(frame, index, objects, kept, ())

    def joined(self, frame: Frame, index: int, expr: ir.Joined) -> Values:
        """Return what an f-string gives."""
        for part in expr.parts:
            values = frame.values[part]
            if part not in expr.reprs:
                self.text(frame, index, values, ("__format__", "__str__", "__repr__"))
            elif len(values) <= _FEW:
                self.text(frame, index, values, ("__repr__",))
        return self.solver.patterns.joined(frame, expr)

    def special(self, frame: Frame, index: int, values: Values, name: str) -> Values:
        """Return what the special method `name` of values gives."""
        return self._run(frame, index, values, (name,), ())

    # --- methods -----------------------------------------------------------------------------------------------------

    def _takes(self, value: Value, name: str) -> bool:
        return value[0] in _INSTANCES and self.solver.classes.find(value[1], name) is not None

    def _takes_any(self, value: Value, names: tuple[str, ...]) -> bool:
        return any(self._takes(value, name) for name in names)

    def _run(
        self,
        frame: Frame,
        index: int,
        values: Iterable[Value],
        names: tuple[str, ...],
        arguments: tuple[Values, ...],
    ) -> Values:
        """Run the first of the methods `names` that the class of each value has."""
        found: set[Value] = set()
        for value in values:
            if value[0] not in _INSTANCES:
                continue
            for name in names:
                if self.solver.calls.is_special(value[1], name):
                    found |= self.solver.calls.method(frame, index, value, name, list(arguments), "operator")
                    break
        return frozenset(found)


def _holds(values: Values, kinds: tuple[int, ...]) -> bool:
    """Tell whether some value is of one of some kinds."""
    for value in values:  # noqa: SIM110 - this runs for each operator of the tree
        if value[0] in kinds:
            return True
    return False


def _type_of(value: Value) -> str:
    """Return the builtin type of a collection, empty for other values."""
    if value[0] == v.CONTAINER:
        return str(value[4])
    return str(value[1]) if value[0] == v.RESULT else ""


def _is_builtin(value: Value) -> bool:
    """Tell whether a value is known to be of a builtin type."""
    return value[0] in (v.TEXT, v.TEXT_LIKE, v.CONTAINER) or _type_of(value).startswith("builtins.")


def _is_constant(frame: Frame, index: int) -> bool:
    return isinstance(frame.exprs[index], ir.Const)
