"""What is known at one point of a scope of its names and dotted paths: which store each holds, and whether that is None.

A *key* is a name or a dotted path as written (`x`, `self.cache`, `module.X`). An *origin* is the expression that stored the
value (a `Bind`, `StoreAttr` or `Remove`), or `ENTRY` where the scope has not stored it: a parameter, or a value from outside.
"""

from __future__ import annotations

from codepath.model import ir

NONE = 1
SOME = 2
EITHER = NONE | SOME
"""Masks: a value may be None, may be something else."""

ENTRY = -1

Origins = tuple[tuple[int, int], ...]
"""(origin, mask) pairs, sorted."""

State = dict[str, Origins]
"""What differs from `UNTOUCHED`, by key."""

UNTOUCHED: Origins = ((ENTRY, EITHER),)


def at(state: State, key: str) -> Origins:
    """Return what is known of a key."""
    return state.get(key, UNTOUCHED)


def join(one: State | None, other: State | None) -> State | None:
    """Return what holds where either state does; None stands for a point that is never reached."""
    if one is None or other is None or one is other:
        return other if one is None else one
    return {key: _union(at(one, key), at(other, key)) for key in {**one, **other}}


def _union(one: Origins, other: Origins) -> Origins:
    if one == other:
        return one
    masks = dict(one)
    for origin, mask in other:
        masks[origin] = masks.get(origin, 0) | mask
    return tuple(sorted(masks.items()))


def narrowed(state: State, key: str, mask: int) -> State | None:
    """Return a state in which a key has only values of a mask; None where it has none such."""
    kept = tuple((origin, held & mask) for origin, held in at(state, key) if held & mask)
    if not kept:
        return None
    return state if kept == at(state, key) else {**state, key: kept}


def stored(state: State, key: str, origin: int, roots: frozenset[str]) -> State:
    """Return the state behind a store: what is known of paths through the key is gone; `roots` are names with paths."""
    new: Origins = ((origin, EITHER),)
    if state.get(key) == new and key not in roots:
        return state
    inner = f"{key}."
    alike = f".{key.rpartition('.')[2]}"
    found: State = {}
    for known, origins in state.items():
        if known.startswith(inner):
            continue
        is_alias = "." in key and known != key and known.endswith(alike)
        found[known] = _union(origins, UNTOUCHED) if is_alias else origins
    found[key] = new
    return found


def overwritten(state: State, key: str) -> State:
    """Return the state behind code that may store a key."""
    return {**state, key: _union(at(state, key), UNTOUCHED)} if key in state else state


def key_of(exprs: tuple[ir.Expr, ...], index: int) -> str:
    """Return the name or dotted path that an expression reads or stores, "" where it is no such path."""
    parts: list[str] = []
    expr = exprs[index] if index >= 0 else None
    if isinstance(expr, ir.StoreAttr):
        parts.append(expr.id)
        expr = exprs[expr.object]
    while isinstance(expr, ir.Attr):
        parts.append(expr.id)
        expr = exprs[expr.value]
    if not isinstance(expr, (ir.Name, ir.Bind)):
        return ""
    return ".".join((expr.id, *reversed(parts)))
