"""What constructors are given: the constants that their parameters hold for every object that the tree makes of a class.

Approximates: under (of a class that is handed on as a value, decorated, named by a string or made by way of its own object,
nothing is known; only other programs may give its constructor anything else).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from codepath.analysis.detect.accesses import parameter_of
from codepath.analysis.detect.families import Families, Family
from codepath.analysis.detect.tables import Method
from codepath.analysis.nulls.arguments import argument_of
from codepath.analysis.variables.parents import Parents, parents_of
from codepath.model import ir
from codepath.program.annotations import term_of
from codepath.program.bodies import Body
from codepath.program.tree import ScopeInfo

Constants: TypeAlias = "Mapping[str, bool | int | float | str | None]"
_NOTHING: Constants = {}


class Given:
    """Works out what the parameters of constructors hold."""

    def __init__(self, families: Families) -> None:
        self._families = families
        self._tree = families.tree
        self._found: dict[int, dict[int, Constants]] = {}

    def of(self, family: Family, constructor: int) -> Constants:
        """Return the parameters of a constructor that hold the same constant for all objects of a class."""
        if family.cls.sid not in self._found:
            self._found[family.cls.sid] = {}
            self._found[family.cls.sid] = self._constructors(family)
        return self._found[family.cls.sid].get(constructor, _NOTHING)

    def _constructors(self, family: Family) -> dict[int, Constants]:
        """Return the constants of the constructor of a class, and of those of its bases that it calls."""
        first = self._families.method(family.cls, "__init__")
        if first is None or first[1].form != "method":
            return {}
        found: dict[int, Constants] = {first[1].info.sid: self._by_calls(family, first[1])}
        todo = [first]
        while todo:
            owner, method = todo.pop()
            body = self._tree.bodies.of(method.info)
            for asked in (one for one in method.asked if one.method == "__init__" and one.site.sid == method.info.sid):
                callee = self._families.called(family.cls, owner, asked)
                call = body.scope.exprs[asked.site.expr]
                if callee is None or not isinstance(call, ir.Call):
                    continue
                skipped = 1 if asked.through and not asked.through.startswith("super") else 0
                passed = _passed(body, call, self._tree.bodies.of(callee[1].info), skipped, found[method.info.sid])
                if callee[1].info.sid in found:
                    found[callee[1].info.sid] = _both(found[callee[1].info.sid], passed)
                else:
                    found[callee[1].info.sid] = passed
                    todo.append(callee)
        return found

    def _by_calls(self, family: Family, constructor: Method) -> Constants:
        """Return what all calls of a class give its constructor, nothing where not all of them are seen."""
        cls = family.cls
        if cls.decorators or self._families.is_spelled(cls.id) or self._makes_itself(family):
            return _NOTHING
        callee = self._tree.bodies.of(constructor.info)
        found: Constants | None = None
        for body, call in self._calls(cls):
            passed = _passed(body, call, callee, 0, _NOTHING) if call is not None else _NOTHING
            found = passed if found is None else _both(found, passed)
            if not found:
                return _NOTHING
        return found or _NOTHING

    def _makes_itself(self, family: Family) -> bool:
        """Tell whether methods may make objects of the class without its name: by `cls` or `type(self)`."""
        for _, method in family.live:
            exprs = self._tree.bodies.of(method.info).scope.exprs
            own = method.info.params[0].id if method.form == "class" and method.info.params else ""
            if any(isinstance(expr, ir.Call) and _is_own_class(exprs, expr.func, own) for expr in exprs):
                return True
        return False

    def _calls(self, cls: ScopeInfo) -> Iterator[tuple[Body, ir.Call | None]]:
        """Yield the calls of a class, None for a place that does something else with it."""
        renamed = re.compile(rb"\b" + re.escape(cls.id).encode() + rb"\s+as\s")
        for path in self._tree.words.holding(cls.id):
            module = self._tree.module_at(path)
            for info in self._tree.bodies.holding(module.name, cls.id) if module is not None else ():
                body = self._tree.bodies.of(info)
                if renamed.search(self._tree.text(path)):
                    yield body, None
                yield from ((body, call) for call in self._uses(body, cls))

    def _uses(self, body: Body, cls: ScopeInfo) -> Iterator[ir.Call | None]:
        """Yield what a scope does with a class: its calls, and None for what may make objects of it elsewhere."""
        exprs = body.scope.exprs
        named = [i for i, e in enumerate(exprs) if isinstance(e, (ir.Name, ir.Attr)) and e.id == cls.id]
        named = [i for i in named if body.guards.covers(i) and self._is_meant(body, i, cls)]
        parents = parents_of(body.scope) if named else Parents()
        for index in named:
            around = [exprs[parent] for parent in parents.exprs.get(index, ())]
            calls = [one for one in around if isinstance(one, ir.Call) and one.func == index]
            if calls:
                yield calls[0]
            elif index in parents.regions or not all(_is_harmless(exprs, one) for one in around):
                yield None

    def _is_meant(self, body: Body, index: int, cls: ScopeInfo) -> bool:
        """Tell whether a name may mean a class: it does, or it means nothing that is known."""
        bodies = self._tree.bodies
        term = term_of(body.scope.exprs, index)
        found = list(bodies.class_values(bodies.term_values(body.info, term))) if isinstance(term, str) and term else []
        return not found or cls in found


def _is_own_class(exprs: tuple[ir.Expr, ...], index: int, own: str) -> bool:
    """Tell whether an expression is the class of an object: `own`, `x.__class__` or `type(x)`."""
    expr = exprs[index]
    if isinstance(expr, ir.Call):
        func = exprs[expr.func]
        return isinstance(func, ir.Name) and func.id == "type"
    return (isinstance(expr, ir.Attr) and expr.id == "__class__") or (isinstance(expr, ir.Name) and expr.id == own)


def _is_harmless(exprs: tuple[ir.Expr, ...], expr: ir.Expr) -> bool:
    """Tell whether what holds the name of a class makes no objects of it: a subclass, a look at it, one of its methods."""
    if isinstance(expr, ir.Attr):
        return not expr.id.startswith("__") or expr.id == "__init__"
    func = exprs[expr.func] if isinstance(expr, ir.Call) else None
    is_look = isinstance(func, ir.Name) and func.id in ("isinstance", "issubclass", "super")
    return is_look or isinstance(expr, (ir.Class, ir.Compare))


def _both(one: Constants, other: Constants) -> Constants:
    return {k: v for k, v in one.items() if k in other and type(other[k]) is type(v) and other[k] == v}


def _passed(body: Body, call: ir.Call, callee: Body, skipped: int, known: Constants) -> Constants:
    """Return the parameters that a call gives constants, by its arguments or by their defaults.

    `skipped` arguments are for the object itself; `known` are the parameters of the caller that are constants.
    """
    found: dict[str, bool | int | float | str | None] = {}
    is_open = any(arg.star for arg in call.args)
    for number, param in enumerate(callee.scope.params[1:]):
        if param.form not in ("positional", "normal", "keyword"):
            continue
        given = argument_of(call, number + skipped, param)
        exprs, index = (body.scope.exprs, given) if given >= 0 else ((), -1)
        if given < 0 and not is_open and param.default >= 0 and callee.around is not None:
            exprs, index = callee.around.exprs, param.default
        if index < 0:
            continue
        expr = exprs[index]
        if isinstance(expr, ir.Const) and not expr.form:
            found[param.id] = expr.value
        elif given >= 0 and isinstance(expr, ir.Name) and expr.id in known and parameter_of(body.scope, given) >= 0:
            found[param.id] = known[expr.id]
    return found
