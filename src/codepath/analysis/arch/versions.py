"""Comparisons of the version of a library with a constant: what is imported is taken to be current."""

from __future__ import annotations

from codepath.model import ir

_OF_DEVICES = frozenset(["sm", "arch", "compute", "capability", "gpu", "device", "cc", "model"])
_READERS = frozenset(["parse", "Version", "LooseVersion", "tuple", "int", "map", "split"])
_WHEN_CURRENT = {"<": False, "<=": False, ">": True, ">=": True, "==": False, "!=": True}


def when_current(exprs: tuple[ir.Expr, ...], left: int, op: str, right: int) -> bool | None:
    """Return what a comparison is for the latest version of a library; None where it is no such comparison."""
    if op in _WHEN_CURRENT and _is_version(exprs, left) and _is_constant(exprs, right):
        return _WHEN_CURRENT[op]
    return None


def _is_version(exprs: tuple[ir.Expr, ...], index: int) -> bool:
    """Tell whether an expression is, by its name, a version, and not that of a device."""
    expr = exprs[index]
    if isinstance(expr, ir.Call):
        func = exprs[expr.func]
        name = func.id if isinstance(func, (ir.Name, ir.Attr)) else ""
        if name in _READERS:
            inside = [argument.value for argument in expr.args]
            return any(_is_version(exprs, one) for one in inside) or (name == "split" and _is_version(exprs, expr.func))
        return _names_version(name)
    if isinstance(expr, ir.Subscript):
        return _is_version(exprs, expr.value)
    if isinstance(expr, ir.Attr):
        return _names_version(expr.id) or (expr.id in _READERS and _is_version(exprs, expr.value))
    return isinstance(expr, ir.Name) and _names_version(expr.id)


def _names_version(name: str) -> bool:
    parts = name.lower().strip("_").split("_")
    return "version" in parts and _OF_DEVICES.isdisjoint(parts)


def _is_constant(exprs: tuple[ir.Expr, ...], index: int) -> bool:
    """Tell whether an expression is a constant version, as it stands or read from a text."""
    expr = exprs[index]
    if isinstance(expr, ir.Call):
        func = exprs[expr.func]
        is_reader = isinstance(func, (ir.Name, ir.Attr)) and func.id in _READERS
        return is_reader and len(expr.args) == 1 and _is_constant(exprs, expr.args[0].value)
    if isinstance(expr, ir.Sequence):
        return all(_is_constant(exprs, item) for item in expr.items)
    return isinstance(expr, ir.Const) and isinstance(expr.value, (int, float, str)) and not isinstance(expr.value, bool)
