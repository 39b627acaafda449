"""What a dotted name in a function means by the text of the tree: modules, classes and functions of the tree."""

from __future__ import annotations

from codepath.model import ir
from codepath.program.bodies import Bodies, Body
from codepath.program.lexical import Meaning
from codepath.program.tree import ScopeInfo
from codepath.program.values import FUNCTION, MODULE, NOTHING, Value, Values


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


def function_of(bodies: Bodies, body: Body, index: int) -> ScopeInfo | None:
    """Return the one function of the tree that a name, or an attribute of a module, means for certain; None for others."""
    expr = body.scope.exprs[index]
    if isinstance(expr, ir.Attr):
        modules = [value for value in values_of(bodies, body, expr.value) if value[0] == MODULE]
        meaning = bodies.member(modules[0][1], expr.id) if len(modules) == 1 else None
    elif isinstance(expr, ir.Name):
        meaning = _meaning(bodies, body, expr)
    else:
        return None
    if meaning is None or meaning.cells or len(meaning.values) != 1:
        return None
    (value,) = meaning.values
    return bodies.tree.scopes[value[1]] if value[0] == FUNCTION else None


def function_named(bodies: Bodies, body: Body, index: int) -> ScopeInfo | None:
    """Return a function of the tree that a name can mean, decorated or not, by the text of its module."""
    found = function_of(bodies, body, index)
    if found is not None:
        return found
    expr = body.scope.exprs[index]
    meaning = _meaning(bodies, body, expr) if isinstance(expr, ir.Name) else None
    if isinstance(expr, ir.Attr):
        modules = [value for value in values_of(bodies, body, expr.value) if value[0] == MODULE]
        meaning = bodies.member(modules[0][1], expr.id) if len(modules) == 1 else None
    for sid, name in meaning.cells if meaning is not None else ():
        return bodies.scope(f"{bodies.tree.scopes[sid].name}.{name}")
    return None


def _meaning(bodies: Bodies, body: Body, expr: ir.Name) -> Meaning | None:
    """Return what a name means that its scope imports once, or takes from around."""
    reaching = body.scope.uses[expr.use]
    if not reaching:
        return bodies.meaning(body.info, expr.id)
    if body.info.form == "module":
        return bodies.member(body.info.name, expr.id)
    definition = body.scope.definitions[reaching[0]] if len(reaching) == 1 and reaching[0] >= 0 else None
    bind = body.scope.exprs[definition.bind] if definition is not None and definition.bind >= 0 else None
    value = body.scope.exprs[bind.value] if isinstance(bind, ir.Bind) and bind.value >= 0 else None
    if not isinstance(value, ir.ImportFrom):
        return None
    return bodies.member(body.info.module.absolute(value.module, value.level), value.name)


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


def is_super(body: Body, expr: ir.Expr) -> bool:
    """Tell whether an expression is `super()`, with or without arguments."""
    func = body.scope.exprs[expr.func] if isinstance(expr, ir.Call) else None
    return isinstance(func, ir.Name) and func.id == "super"


def is_self(body: Body, expr: ir.Expr) -> bool:
    """Tell whether an expression is the first parameter of a method, not bound again."""
    info = body.info
    if not isinstance(expr, ir.Name) or info.form != "function" or not info.params:
        return False
    around = info.module.scopes[info.outer - info.module.base]
    if around.form != "class" or any(term in ("staticmethod", "classmethod") for term in info.decorators):
        return False
    return body.scope.uses[expr.use] == (0,)
