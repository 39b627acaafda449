"""Dicts that a scope makes: the keys that are surely in them."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model import ir
from codepath.program import values as v
from codepath.program.values import ScopeId, Value

_TAKING = frozenset(["pop", "popitem", "clear"])


def written_keys(scope: ir.Scope, sid: ScopeId, value: Value) -> tuple[str, ...]:
    """Return the names under which a dict holds something wherever the scope that makes it uses it; none of other values.

    Approximates: under (keys that are stored later are left out, and all where the scope takes any key out of a dict).
    """
    if value[0] != v.CONTAINER or value[1] != sid or not isinstance(value[2], int) or value[2] < 0:
        return ()
    if any(isinstance(e, ir.Remove) or (isinstance(e, ir.Attr) and e.id in _TAKING) for e in scope.exprs):
        return ()
    return tuple(_keys(scope, scope.exprs[value[2]]))


def _keys(scope: ir.Scope, made: ir.Expr) -> Iterator[str]:
    if isinstance(made, ir.Dict):
        for index in made.keys:
            key = scope.exprs[index] if index >= 0 else None
            if isinstance(key, ir.Const) and isinstance(key.value, str):
                yield key.value
    elif isinstance(made, ir.Call):
        func = scope.exprs[made.func]
        if isinstance(func, ir.Name) and func.id == "dict":
            yield from (argument.name for argument in made.args if argument.name is not None)
