"""What an assumption decides of a comparison with a constant, in three values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from codepath.analysis.known import Constant, Member
from codepath.model.assumptions import Assumption, Scalar

_OPS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "is": operator.eq,
    "!=": operator.ne,
    "is not": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "bool": lambda value, _: bool(value),
}


def decide(assumption: Assumption, op: str, other: Constant, given: Callable[[Scalar], Scalar]) -> bool | None:
    """Return what comparing the assumed thing with a constant gives, None where that is open.

    With `op` "" it tells whether the assumption allows the constant: False where it certainly does not.
    """
    if isinstance(other, Member):
        return None
    alternatives = assumption.value if isinstance(assumption.value, tuple) else (assumption.value,)
    if not op:
        return _allows(assumption, alternatives, other)
    if assumption.op in ("=", "in"):
        found = {_compare(op, given(value), other) for value in alternatives}
        return found.pop() if len(found) == 1 else None
    if assumption.op in ("!=", "not in"):
        if op in ("==", "is", "!=", "is not") and any(_equal(value, other) for value in alternatives):
            return op in ("!=", "is not")
        if op == "bool" and all(isinstance(value, bool) for value in alternatives):
            return not alternatives[0] if len(set(alternatives)) == 1 else None
        return None
    return _bounded(assumption.op, alternatives[0], op, other)


def _allows(assumption: Assumption, alternatives: tuple[Scalar, ...], other: Scalar) -> bool:
    if assumption.op in ("=", "in"):
        return any(_equal(value, other) for value in alternatives)
    if assumption.op in ("!=", "not in"):
        return not any(_equal(value, other) for value in alternatives)
    return _compare(assumption.op, other, alternatives[0]) is not False


def _bounded(bound: str, limit: Scalar, op: str, other: Scalar) -> bool | None:
    """Return what `x op other` is where `x bound limit` holds: told from values around both numbers.

    Where both are whole, so is `x`.
    """
    if op == "bool":
        op, other = "!=", 0
    if not isinstance(limit, (int, float)) or not isinstance(other, (int, float)):
        return None
    whole = isinstance(limit, int) and isinstance(other, int)
    near = {v + d for v in (limit, other) for d in ((-1, 0, 1) if whole else (-1, -0.5, 0, 0.5, 1))}
    found = {_compare(op, value, other) for value in near if _OPS[bound](value, limit)}
    return found.pop() if len(found) == 1 else None


def _compare(op: str, value: Scalar, other: Scalar) -> bool | None:
    if op in ("is", "is not") and not (isinstance(other, bool) or other is None):
        return None
    if op in ("is", "is not"):
        return (type(value) is type(other) and value == other) is (op == "is")
    if op not in _OPS:
        return None
    try:
        return bool(_OPS[op](value, other))
    except TypeError:
        return None


def _equal(one: Scalar, other: Scalar) -> bool:
    return one == other and (isinstance(one, str) == isinstance(other, str))
