"""What a dotted name in a function means by the text of the tree: modules, classes and functions of the tree."""

from __future__ import annotations

from codepath.model import ir
from codepath.program.bodies import Bodies, Body
from codepath.program.values import MODULE, NOTHING, Value, Values


def values_of(bodies: Bodies, body: Body, index: int) -> Values:
    """Return what a name, or an attribute of a module, means; nothing for any other expression."""
    expr = body.scope.exprs[index]
    if isinstance(expr, ir.Name):
        reaching = body.scope.uses[expr.use]
        return _imported(bodies, body, reaching) if reaching else bodies.meaning(body.info, expr.id).values
    if isinstance(expr, ir.Attr):
        found = values_of(bodies, body, expr.value)
        return frozenset(v for one in found if one[0] == MODULE for v in bodies.member(one[1], expr.id).values)
    return NOTHING


def _imported(bodies: Bodies, body: Body, reaching: tuple[int, ...]) -> Values:
    found: set[Value] = set()
    for number in reaching:
        bind = body.scope.exprs[body.scope.definitions[number].bind] if number >= 0 else None
        value = body.scope.exprs[bind.value] if isinstance(bind, ir.Bind) and bind.value >= 0 else None
        if isinstance(value, ir.ImportFrom):
            module = body.info.module.absolute(value.module, value.level)
            found |= bodies.member(module, value.name).values
        elif body.info.form == "module" and isinstance(value, (ir.Class, ir.Function)) and not value.decorators:
            found |= bodies.member(body.info.name, body.scope.exprs[body.scope.definitions[number].bind].id).values  # type: ignore[union-attr]
    return frozenset(found)
