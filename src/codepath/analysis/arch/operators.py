"""Operators, comparisons and subscripts of values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from codepath.analysis.arch.values import (
    NOT_KNOWN,
    UNKNOWN,
    Cls,
    Instance,
    Member,
    NotPlain,
    Outside,
    Seq,
    Table,
    Truth,
    Unknown,
    Val,
    alternatives,
    join,
    lifted,
    plain,
    trail_of,
)

_LONGEST = 10_000
_LARGEST = 1 << 64

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "|": operator.or_,
    "&": operator.and_,
    "^": operator.xor,
}
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ERRORS = (TypeError, ValueError, ArithmeticError, KeyError, IndexError, MemoryError)


def binary(op: str, left: Val, right: Val) -> Val:
    """Return `left op right`."""
    return _each(lambda one, other: _binary(op.removesuffix("="), one, other), left, right)


def _each(apply: Callable[[Val, Val], Val | None], left: Val, right: Val) -> Val:
    """Apply to every pair of alternatives; pairs that would raise are left out where others do not."""
    trail = trail_of((left, right))
    found = [apply(one, other) for one in alternatives(left) for other in alternatives(right)]
    results = [v for v in found if v is not None]
    if not results:
        return Val(UNKNOWN, trail)
    result = join(results)
    return result if result.trail is not None or trail is None else Val(result.data, trail)


def _binary(op: str, left: Val, right: Val) -> Val | None:
    apply = _BINARY.get(op)
    if apply is None or isinstance(left.data, Unknown) or isinstance(right.data, Unknown):
        return NOT_KNOWN
    try:
        one, other = plain(left), plain(right)
    except NotPlain:
        return NOT_KNOWN
    if op == "*" and (_size(one) * abs(other) if isinstance(other, int) else 0) > _LONGEST and _size(one):
        return NOT_KNOWN
    if op == "*" and (_size(other) * abs(one) if isinstance(one, int) else 0) > _LONGEST and _size(other):
        return NOT_KNOWN
    if op == "%" and isinstance(one, str):
        return NOT_KNOWN
    try:
        result = apply(one, other)
    except _ERRORS:
        return None
    if isinstance(result, int) and abs(result) > _LARGEST:
        return NOT_KNOWN
    if isinstance(result, (str, list, tuple)) and len(result) > _LONGEST:
        return NOT_KNOWN
    return lifted(result, trail_of((left, right)))


def _size(value: object) -> int:
    return len(value) if isinstance(value, (str, list, tuple)) else 0


def unary(op: str, value: Val) -> Val:
    """Return `op value`, for `-`, `+` and `~`."""
    data = value.data
    if isinstance(data, (int, float)) and not isinstance(data, bool):
        if op == "-":
            return Val(-data, value.trail)
        if op == "+":
            return value
    return Val(UNKNOWN, value.trail)


def compare(op: str, left: Val, right: Val) -> Truth:
    """Return whether `left op right` holds; None where that is not known. Pairs that would raise do not count."""
    found = {_compare(op, one, other) for one in alternatives(left) for other in alternatives(right)} - {"raises"}
    result = found.pop() if len(found) == 1 else None
    return result if isinstance(result, bool) else None


def _compare(op: str, left: Val, right: Val) -> Truth | str:
    if op in ("is", "is not"):
        same = _is_same(left.data, right.data)
        return None if same is None else same is (op == "is")
    if op in ("in", "not in"):
        held = _contains(right, left)
        return None if held is None else held is (op == "in")
    if isinstance(left.data, Unknown) or isinstance(right.data, Unknown):
        return None
    left, right = _record(left), _record(right)
    if op in ("==", "!=") and isinstance(left.data, Seq) and isinstance(right.data, Seq):
        same = _same_items(left.data, right.data)
        return None if same is None else same is (op == "==")
    try:
        one, other = plain(left), plain(right)
    except NotPlain:
        return _unequal_kinds(op, left.data, right.data)
    if isinstance(one, Outside) or isinstance(other, Outside):
        return _same_outside(op, one, other)
    try:
        return bool(_COMPARE[op](one, other)) if op in _COMPARE else None
    except _ERRORS:
        return "raises"


def _same_items(one: Seq, other: Seq) -> Truth:
    """Return whether two displays are equal: one element that certainly differs decides, whatever the others are."""
    if "set" in (one.form, other.form):
        try:
            return bool(plain(Val(one)) == plain(Val(other)))
        except NotPlain:
            return None
    if one.form != other.form or len(one.items) != len(other.items):
        return False
    verdicts = [compare("==", mine, theirs) for mine, theirs in zip(one.items, other.items, strict=True)]
    if False in verdicts:
        return False
    return None if None in verdicts else True


def _record(value: Val) -> Val:
    """Return a record of a named tuple as the tuple that it compares as."""
    if isinstance(value.data, Instance) and value.data.fields:
        return Val(Seq("tuple", tuple(v for _, v in value.data.fields)), value.trail)
    return value


def _unequal_kinds(op: str, one: object, other: object) -> Truth:
    """Return what comparing None with something that is certainly not None gives."""
    kinds = (Table, Instance, Cls, Member)
    if (one is None and isinstance(other, kinds)) or (other is None and isinstance(one, kinds)):
        return {"==": False, "!=": True}.get(op)
    return None


def _same_outside(op: str, one: object, other: object) -> Truth:
    """Return whether two names outside the tree are one thing: the same name is, others may be."""
    return {"==": True, "!=": False}.get(op) if one == other else None


def _is_same(one: object, other: object) -> Truth:
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        return None
    if one is None or other is None:
        return one is other
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (Member, Cls)) and isinstance(other, (Member, Cls)):
        return one == other
    return None


def _contains(held: Val, value: Val) -> Truth:
    """Return whether a collection holds a value."""
    data = held.data
    if isinstance(data, str) and isinstance(value.data, str):
        return value.data in data
    items = data.items if isinstance(data, Seq) else data.keys if isinstance(data, Table) else None
    closed = not (isinstance(data, Table) and data.is_open)
    if items is None or isinstance(value.data, Unknown):
        return None if items is None or items or not closed else False
    verdicts = [compare("==", value, item) for item in items]
    if any(v is True for v in verdicts):
        return True
    return False if closed and all(v is False for v in verdicts) else None


class Missing(Exception):
    """A key is certainly not in a table, an index not in a sequence."""


def item(held: Val, key: Val) -> Val:
    """Return `held[key]`.

    Raises:
        Missing: No alternative of the key is there.
    """
    results: list[Val] = []
    misses = 0
    pairs = [(h, k) for h in alternatives(held) for k in alternatives(key)]
    for one, at in pairs:
        found = _item(one, at)
        if found is None:
            misses += 1
        else:
            results.append(found)
    if misses and not results:
        raise Missing
    trail = trail_of((key, held))
    result = join(results)
    return result if result.trail is not None or trail is None else Val(result.data, trail)


def _item(held: Val, key: Val) -> Val | None:
    data = _record(held).data
    if isinstance(data, Table):
        return _of_table(data, key)
    if isinstance(key.data, Unknown):
        return Val(UNKNOWN, held.trail)
    if isinstance(data, Seq) and isinstance(key.data, int):
        inside = -len(data.items) <= key.data < len(data.items)
        return data.items[key.data] if inside and data.form != "set" else None if data.form != "set" else NOT_KNOWN
    if isinstance(data, str) and isinstance(key.data, int):
        return Val(data[key.data], held.trail) if -len(data) <= key.data < len(data) else None
    return Val(UNKNOWN, held.trail)


def _of_table(table: Table, key: Val) -> Val | None:
    """Return the value of a key; None where it certainly is not there."""
    if isinstance(key.data, Unknown):
        return Val(UNKNOWN, key.trail) if table.keys or table.is_open else None
    verdicts = [compare("==", key, one) for one in table.keys]
    for verdict, value in zip(reversed(verdicts), reversed(table.values), strict=True):
        if verdict is True:
            return value
    if table.is_open or any(v is None for v in verdicts):
        return NOT_KNOWN
    return None


def part(value: Val, lower: Val | None, upper: Val | None) -> Val:
    """Return `value[lower:upper]`."""
    ends: list[int | None] = []
    for end in (lower, upper):
        if end is None or end.data is None:
            ends.append(None)
        elif isinstance(end.data, int):
            ends.append(end.data)
        else:
            return Val(UNKNOWN, value.trail)
    cut = slice(ends[0], ends[1])
    if isinstance(value.data, str):
        return Val(value.data[cut], value.trail)
    if isinstance(value.data, Seq) and value.data.form != "set":
        return Val(Seq(value.data.form, value.data.items[cut]), value.trail)
    return Val(UNKNOWN, value.trail)
