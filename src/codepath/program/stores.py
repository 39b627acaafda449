"""Which functions store an attribute, and on what, as far as the text of one scope tells."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model import ir
from codepath.program.tree import ScopeInfo, Tree


def attribute_stores(tree: Tree, info: ScopeInfo, scope: ir.Scope) -> Iterator[tuple[str, str, str]]:
    """Yield (attribute, storing function, class): the class around where a method stores on its `self`, else ""."""
    owner = tree.class_around(info)
    exprs = scope.exprs
    for expr in exprs:
        if expr.__class__ is ir.StoreAttr:
            name, receiver = expr.id, exprs[expr.object]
        elif expr.__class__ is ir.Call and (named := _set_by_name(scope, expr)) is not None:
            name, receiver = named, exprs[expr.args[0].value]
        else:
            continue
        own = owner is not None and bool(info.params) and isinstance(receiver, ir.Name)
        own = own and scope.uses[receiver.use] == (0,)  # type: ignore[union-attr]
        yield name, tree.code_scope(info).name, owner.name if own and owner is not None else ""


def _set_by_name(scope: ir.Scope, call: ir.Call) -> str | None:
    """Return the attribute that `setattr(x, "name", value)` stores, `*` where the name is not constant."""
    func = scope.exprs[call.func]
    if not isinstance(func, ir.Name) or func.id != "setattr" or len(call.args) != 3:
        return None
    name = scope.exprs[call.args[1].value]
    return name.value if isinstance(name, ir.Const) and isinstance(name.value, str) else "*"
