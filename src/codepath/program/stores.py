"""Which functions store an attribute, and on what, as far as the text of one scope tells.

Approximates: over (a method that stores by name counts on every object).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from codepath.model import ir
from codepath.program.tree import ScopeInfo, Tree

_STORING: frozenset[type] = frozenset([ir.StoreAttr, ir.StoreItem, ir.Call])


def attribute_stores(
    tree: Tree, info: ScopeInfo, scope: ir.Scope, methods: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Yield (attribute, storing function, class): the class around where a method stores on its `self`, else "".

    Args:
        methods: Names of methods of outside classes that store an attribute, with the argument that names it.
    """
    owner = tree.class_around(info)
    exprs = scope.exprs
    for expr in (one for one in exprs if type(one) in _STORING):
        if expr.__class__ is ir.StoreAttr:
            name, receiver = expr.id, exprs[expr.object]
        elif expr.__class__ is ir.StoreItem and (held := _dict_of(scope, expr.object)) is not None:
            name, receiver = _constant(scope, expr.index), exprs[held]
        elif expr.__class__ is ir.Call and (found := _set_by_name(scope, expr, methods)) is not None:
            name, receiver = found[0], exprs[found[1]]
        else:
            continue
        own = owner is not None and bool(info.params) and isinstance(receiver, ir.Name)
        own = own and scope.uses[receiver.use] == (0,)  # type: ignore[union-attr]
        own = own or (owner is not None and _is_super(exprs, receiver))
        yield name, tree.code_scope(info).name, owner.name if own and owner is not None else ""


def _set_by_name(scope: ir.Scope, call: ir.Call, methods: Mapping[str, str]) -> tuple[str, int] | None:
    """Return the attribute that a call stores by name, `*` where that is not constant, and the object it is stored on."""
    func = scope.exprs[call.func]
    if isinstance(func, ir.Name) and func.id == "setattr" and len(call.args) == 3:
        return _constant(scope, call.args[1].value), call.args[0].value
    if isinstance(func, ir.Attr) and func.id == "__setattr__" and len(call.args) in (2, 3):
        *on, named, _ = (argument.value for argument in call.args)  # object.__setattr__(x, "name", value)
        return _constant(scope, named), on[0] if on else func.value
    if isinstance(func, ir.Attr) and func.id == "update" and (held := _dict_of(scope, func.value)) is not None:
        return "*", held
    if isinstance(func, ir.Attr) and func.id in methods:
        given = _argument(call, methods[func.id])
        name = _constant(scope, given) if given is not None else "*"
        return (name, func.value) if name != "*" else None
    return None


def _dict_of(scope: ir.Scope, index: int) -> int | None:
    """Return what an expression holds the attributes of as a table: x for `x.__dict__`, `vars(x)`; a call of `globals`."""
    expr = scope.exprs[index]
    if isinstance(expr, ir.Attr) and expr.id == "__dict__":
        return expr.value
    func = scope.exprs[expr.func] if isinstance(expr, ir.Call) and len(expr.args) == 1 else None
    if isinstance(expr, ir.Call) and isinstance(func, ir.Name) and func.id == "vars":
        return expr.args[0].value
    called = scope.exprs[expr.func] if isinstance(expr, ir.Call) and not expr.args else None
    return index if isinstance(called, ir.Name) and called.id == "globals" else None


def _is_super(exprs: tuple[ir.Expr, ...], expr: ir.Expr) -> bool:
    func = exprs[expr.func] if isinstance(expr, ir.Call) else None
    return isinstance(func, ir.Name) and func.id == "super"


def _argument(call: ir.Call, named: str) -> int | None:
    """Return what a call gives for an argument, by position or keyword."""
    if named.isdigit():
        plain = [a.value for a in call.args if not a.name and not a.star]
        return plain[int(named)] if int(named) < len(plain) else None
    return next((a.value for a in call.args if a.name == named), None)


def _constant(scope: ir.Scope, index: int) -> str:
    name = scope.exprs[index]
    return name.value if isinstance(name, ir.Const) and isinstance(name.value, str) else "*"
