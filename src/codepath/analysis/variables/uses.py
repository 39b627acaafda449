"""What a scope does with a value: where it asserts, tests, dereferences or changes it, through local names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from codepath.analysis.nulls.flow import Flow, flow_of
from codepath.analysis.nulls.states import EITHER, ENTRY, NONE
from codepath.analysis.variables.parents import Parents, parents_of, raises_on, truth_when_none
from codepath.model import ir

MUTATORS = frozenset(
    """
    append appendleft extend extendleft insert add update pop popleft popitem clear remove discard setdefault sort reverse
    move_to_end difference_update intersection_update symmetric_difference_update __setitem__ __delitem__
    """.split()
)
_ASKING = frozenset(["isinstance", "hasattr", "getattr", "callable", "bool", "issubclass"])
_HARMLESS = frozenset(["print", "str", "repr", "type", "id", "format", "hash", "copy", "deepcopy"])
_OPENING = frozenset(
    ["len", "iter", "next", "list", "tuple", "set", "dict", "sorted", "sum", "min", "max", "int", "float"]
)
_FAILING = (ir.Binary, ir.Unary, ir.Await, ir.Starred, ir.YieldFrom)
STRENGTH = {"assert": 0, "dereference": 1, "test": 2, "use": 3}


class Use(NamedTuple):
    """One use: `how` is assert, dereference, test, use or mutate; `needs` tells whether None fails there."""

    at: int
    how: str
    needs: bool


class Handed(NamedTuple):
    """A call that gets the value: the call site, and the position or the name of the argument."""

    call: int
    position: int
    name: str
    needs: bool


@dataclass(slots=True)
class Found:
    """The uses of a value in one scope, and the calls that get it."""

    uses: dict[Use, None] = field(default_factory=dict)
    handed: dict[Handed, None] = field(default_factory=dict)
    returned: bool = False


class Usage:
    """The uses of values in one scope."""

    def __init__(self, scope: ir.Scope) -> None:
        self.scope = scope
        self._exprs = scope.exprs
        self._parents: Parents = parents_of(scope)
        self._flow: Flow = flow_of(scope, lambda call, key: False)

    def of(self, index: int) -> Found:
        """Return what is done with the value of an expression."""
        found = Found()
        seen: set[int] = set()
        todo = [index]
        while todo:
            value = todo.pop()
            if value not in seen:
                seen.add(value)
                todo.extend(self._follow(value, found))
        return found

    def reads_of(self, name: str, origin: int) -> Iterator[int]:
        """Yield the reads of a name that the store `origin` (or `ENTRY`) can reach."""
        for index, expr in enumerate(self._exprs):
            if isinstance(expr, ir.Name) and expr.id == name:
                origins = dict(self._flow.reads.get(index, ((ENTRY, EITHER),)))
                if origin in origins:
                    yield index

    def can_be_none(self, index: int) -> bool:
        """Tell whether what was checked before leaves open that a read gives None."""
        return any(mask & NONE for _, mask in self._flow.reads.get(index, ((ENTRY, EITHER),)))

    def _follow(self, value: int, found: Found) -> Iterator[int]:
        """Note the uses of one expression; yield the expressions that hold its value next."""
        for region in self._parents.regions.get(value, ()):
            self._in_region(region, value, found)
        for parent in self._parents.exprs.get(value, ()):
            yield from self._in_expression(parent, value, found)

    def _note(self, at: int, how: str, value: int, found: Found) -> None:
        found.uses[Use(at, how, how in ("assert", "dereference") and self.can_be_none(value))] = None

    # --- statements --------------------------------------------------------------------------------------------------

    def _in_region(self, region: ir.Region, value: int, found: Found) -> None:
        if isinstance(region, (ir.If, ir.While, ir.Assert)):
            self._tested(region.test, value, found)
        elif isinstance(region, ir.Return):
            found.returned = True
        elif isinstance(region, (ir.For, ir.With)):
            self._note(region.at, "dereference", value, found)
        elif isinstance(region, ir.Match):
            found.uses[Use(region.at, "test", False)] = None

    def _tested(self, test: int, value: int, found: Found) -> None:
        """Note a condition that decides a statement: an assertion where None fails it."""
        for region in self._parents.regions.get(test, ()):
            truth = truth_when_none(self._exprs, test, value)
            if isinstance(region, ir.Assert):
                found.uses[Use(region.at, "assert", truth is False and self.can_be_none(value))] = None
            elif raises_on(region, truth):
                found.uses[Use(region.at, "assert", self.can_be_none(value))] = None
            elif isinstance(region, (ir.If, ir.While, ir.Return)):
                found.uses[Use(self._exprs[value].at, "test", False)] = None

    def _condition(self, parent: int, value: int, found: Found) -> None:
        """Note a test inside a larger condition, up to the statement that it decides."""
        top = parent
        while (up := self._parents.exprs.get(top)) and isinstance(self._exprs[up[0]], (ir.Bool, ir.Unary)):
            top = up[0]
        before = len(found.uses)
        self._tested(top, value, found)
        if len(found.uses) == before:
            found.uses[Use(self._exprs[value].at, "test", False)] = None

    # --- expressions -------------------------------------------------------------------------------------------------

    def _in_expression(self, parent: int, value: int, found: Found) -> Iterator[int]:
        expr = self._exprs[parent]
        if isinstance(expr, ir.Attr):
            self._note(
                ir.pack(ir.line_of(expr.end), max(ir.column_of(expr.end) - len(expr.id), 0)),
                "dereference",
                value,
                found,
            )
            if expr.id in MUTATORS and any(
                self._is_called(call, parent) for call in self._parents.exprs.get(parent, ())
            ):
                found.uses[Use(expr.at, "mutate", False)] = None
        elif isinstance(expr, (ir.StoreAttr, ir.StoreItem)):
            if expr.object == value:
                self._note(expr.at, "dereference", value, found)
                found.uses[Use(expr.at, "mutate", False)] = None
        elif isinstance(expr, ir.Remove):
            self._note(expr.at, "dereference", value, found)
            found.uses[Use(expr.at, "mutate", False)] = None
        elif isinstance(expr, ir.Call):
            self._in_call(parent, expr, value, found)
        elif isinstance(expr, ir.Bind):
            yield from self._bound(parent, expr, value, found)
        elif isinstance(expr, (ir.Bool, ir.Ternary)):
            yield from self._chosen(parent, expr, value, found)
        elif isinstance(expr, ir.Compare):
            self._compared(parent, expr, value, found)
        elif isinstance(expr, ir.Unary) and expr.op == "not":
            self._condition(parent, value, found)
        elif isinstance(expr, _FAILING) or (isinstance(expr, ir.Subscript) and expr.value == value):
            self._note(expr.at, "dereference", value, found)

    def _is_called(self, call: int, func: int) -> bool:
        expr = self._exprs[call]
        return isinstance(expr, ir.Call) and expr.func == func

    def _in_call(self, index: int, call: ir.Call, value: int, found: Found) -> None:
        if call.func == value:
            self._note(call.at, "dereference", value, found)
            return
        func = self._exprs[call.func]
        name = func.id if isinstance(func, (ir.Name, ir.Attr)) else ""
        if isinstance(func, ir.Name) and name in _ASKING:
            self._condition(index, value, found)
        elif isinstance(func, ir.Name) and name in _OPENING:
            self._note(call.at, "dereference", value, found)
        elif name not in _HARMLESS:
            for position, argument in enumerate(call.args):
                if argument.value == value:
                    given = argument.name or ""
                    at = -1 if argument.star or given else position
                    found.handed[Handed(index, at, given, self.can_be_none(value))] = None

    def _bound(self, index: int, expr: ir.Bind, value: int, found: Found) -> Iterator[int]:
        if expr.value != value:
            return
        if expr.how:
            if expr.how != (ir.ENTER,):
                self._note(expr.at, "dereference", value, found)
            return
        if expr.id in self.scope.globals or expr.id in self.scope.nonlocals or self.scope.form in ("module", "class"):
            return
        if index in self._parents.exprs or index in self._parents.regions:
            yield index  # a walrus
        yield from self.reads_of(expr.id, index)

    def _chosen(self, index: int, expr: ir.Bool | ir.Ternary, value: int, found: Found) -> Iterator[int]:
        """Note a test by `and`, `or` or a conditional expression; the value may come out of it too."""
        if isinstance(expr, ir.Ternary):
            if expr.test == value:
                self._condition(index, value, found)
            else:
                yield index
            return
        if value != expr.values[-1]:
            self._condition(index, value, found)
        elif index in self._parents.exprs:
            yield index
        else:
            self._condition(index, value, found)

    def _compared(self, index: int, expr: ir.Compare, value: int, found: Found) -> None:
        if (expr.ops[0] in ("in", "not in") and expr.rights[0] == value) or expr.ops[0] in ("<", "<=", ">", ">="):
            self._note(expr.at, "dereference", value, found)
        else:
            self._condition(index, value, found)
