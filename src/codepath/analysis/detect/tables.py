"""What each method of a class does with its own object: a small table, so that bodies need not be kept.

A nested function or lambda counts as part of the method around it, as long as it means the same `self`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from codepath.model import ir
from codepath.program.annotations import term_of
from codepath.program.regions import every_region
from codepath.program.tree import ModuleInfo, ScopeInfo
from codepath.program.values import ScopeId


class Site(NamedTuple):
    """Expression number `expr` of a scope, which can be one nested in the method, and its place."""

    sid: ScopeId
    expr: int
    at: int


class Asked(NamedTuple):
    """A call of a method of one's own: `self.m()` (`through` ""), `super().m()` ("super"), `super(X, self).m()` or
    `X.m(self)` (`through` "super X" and "X", X as written)."""

    method: str
    through: str
    site: Site


@dataclass
class Method:
    """What a method does with its first parameter.

    Args:
        info: The method.
        form: `method`, `property`, `static` or `class`.
        reads: The attributes that it reads, with where.
        stores: Those that it stores.
        asked: The methods of its own that it calls.
        probed: The attributes that it looks for with `hasattr` or `getattr`, or deletes.
        given: Words that it hands to a method of its own or to `setattr`: attributes that this may store.
        is_wild: It stores attributes whose names are not written.
        by_name: Methods of its own that it calls with a name made at run time and something else.
        catches: It catches the error that a missing attribute raises.
    """

    info: ScopeInfo
    form: str = "method"
    reads: dict[str, list[Site]] = field(default_factory=dict)
    stores: dict[str, list[Site]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    probed: set[str] = field(default_factory=set)
    given: dict[str, list[Site]] = field(default_factory=dict)
    by_name: set[str] = field(default_factory=set)
    is_wild: bool = False
    catches: bool = False

    def needs(self, name: str) -> bool:
        """Tell whether it reads an attribute without asking whether it is there."""
        return name not in self.probed and not self.catches and self.form != "class"


@dataclass
class ClassTable:
    """The methods of a class, the last of each name, and what else its body binds.

    Args:
        info: The class.
        methods: By name.
        aliases: Names bound to a method of another class, as written: `forward = Base.forward`.
    """

    info: ScopeInfo
    methods: dict[str, Method] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether the class answers for attributes that nothing stores."""
        return "__getattr__" in self.methods or "__getattribute__" in self.methods


def tables_of(module: ModuleInfo) -> dict[ScopeId, ClassTable]:
    """Return the tables of the classes of a module; decoded bodies are dropped behind it."""
    found = {info.sid: _table(info) for info in module.scopes if info.form == "class"}
    module.forget()
    return found


def _table(info: ScopeInfo) -> ClassTable:
    table = ClassTable(info)
    scope = info.module.body(info.index)
    for expr in scope.exprs:
        if isinstance(expr, ir.Bind) and expr.value >= 0 and not expr.how:
            value = scope.exprs[expr.value]
            if isinstance(value, ir.Function):
                inner = info.module.scopes[value.scope]
                table.methods[expr.id] = _method(inner, _form(inner))
            elif isinstance(value, ir.Attr):
                table.aliases[expr.id] = str(term_of(scope.exprs, expr.value))
    return table


def _form(info: ScopeInfo) -> str:
    for term in info.decorators:
        last = term.rpartition(".")[2] if isinstance(term, str) else ""
        if last in ("staticmethod", "classmethod"):
            return last.removesuffix("method")
        if last in ("property", "cached_property", "setter", "abstractproperty", "lazy_property"):
            return "property"
    return "method"


def _method(info: ScopeInfo, form: str) -> Method:
    method = Method(info, form)
    scope = info.module.body(info.index)
    if form == "static" or not scope.params or scope.params[0].form not in ("positional", "normal"):
        return method
    name = scope.params[0].id
    _scan(method, info, scope, name, is_own=True)
    for inner in _nested(info):
        body = inner.module.body(inner.index)
        if not any(p.id == name for p in body.params) and not any(d.id == name for d in body.definitions):
            _scan(method, inner, body, name, is_own=False)
    return method


def _nested(info: ScopeInfo) -> Iterator[ScopeInfo]:
    for other in info.module.scopes[info.index + 1 :]:
        if other.outer == info.sid and other.form != "class":
            yield other
            yield from _nested(other)


class _Self:
    """Tells which expressions of a scope are the object itself."""

    def __init__(self, scope: ir.Scope, name: str, is_own: bool) -> None:
        self._scope = scope
        self._name = name
        self._uses = (0,) if is_own else ()

    def is_self(self, index: int) -> bool:
        expr = self._scope.exprs[index] if index >= 0 else None
        return isinstance(expr, ir.Name) and expr.id == self._name and self._scope.uses[expr.use] == self._uses


def _scan(method: Method, info: ScopeInfo, scope: ir.Scope, name: str, *, is_own: bool) -> None:
    own = _Self(scope, name, is_own)
    for index, expr in enumerate(scope.exprs):
        kind = type(expr)
        if kind is ir.Attr:
            assert isinstance(expr, ir.Attr)
            if own.is_self(expr.value):
                method.reads.setdefault(expr.id, []).append(Site(info.sid, index, expr.at))
        elif kind is ir.StoreAttr:
            assert isinstance(expr, ir.StoreAttr)
            if own.is_self(expr.object) and (expr.value >= 0 or expr.how):
                method.stores.setdefault(expr.id, []).append(Site(info.sid, index, expr.at))
        elif kind is ir.Call:
            assert isinstance(expr, ir.Call)
            _call(method, info, scope, own, index, expr)
        elif kind is ir.Remove:
            assert isinstance(expr, ir.Remove)
            if expr.object >= 0 and own.is_self(expr.object) and expr.id:
                method.probed.add(expr.id)
    handlers = (h.text for r in every_region(scope.body) if isinstance(r, ir.Try) for h in r.handlers)
    method.catches = method.catches or any("AttributeError" in text for text in handlers)
    if "__dict__" in method.reads:
        method.is_wild = True


def _call(method: Method, info: ScopeInfo, scope: ir.Scope, own: _Self, index: int, call: ir.Call) -> None:
    func = scope.exprs[call.func]
    site = Site(info.sid, index, call.at)
    if isinstance(func, ir.Name):
        _builtin(method, scope, own, func.id, call, site)
    elif isinstance(func, ir.Attr):
        receiver = scope.exprs[func.value]
        if own.is_self(func.value):
            method.asked.append(Asked(func.id, "", site))
            _give(method, _words(scope, call), site)
            if len(call.args) > 1 and not isinstance(scope.exprs[call.args[0].value], ir.Const):
                method.by_name.add(func.id)
        elif isinstance(receiver, ir.Call) and _is_named(scope, receiver.func, "super"):
            args = receiver.args
            term = term_of(scope.exprs, args[0].value) if args else ""
            method.asked.append(Asked(func.id, f"super {term}" if term else "super", site))
        elif call.args and own.is_self(call.args[0].value) and not call.args[0].star:
            words = _words(scope, call)
            _give(method, words, site)
            method.is_wild = method.is_wild or (func.id == "__setattr__" and not words)
            term = term_of(scope.exprs, func.value)
            if isinstance(term, str) and term:
                method.asked.append(Asked(func.id, term, site))


def _give(method: Method, words: list[str], site: Site) -> None:
    for word in words:
        method.given.setdefault(word, []).append(site)


def _builtin(method: Method, scope: ir.Scope, own: _Self, name: str, call: ir.Call, site: Site) -> None:
    if name not in ("hasattr", "getattr", "setattr", "delattr", "vars") or not call.args:
        return
    if not own.is_self(call.args[0].value):
        return
    words = _words(scope, call)
    if name in ("hasattr", "getattr", "delattr"):
        method.probed.update(words[:1])
    elif name == "setattr" and words:
        _give(method, words[:1], site)
    else:
        method.is_wild = True


def _words(scope: ir.Scope, call: ir.Call) -> list[str]:
    values = (scope.exprs[arg.value] for arg in call.args)
    return [v.value for v in values if isinstance(v, ir.Const) and isinstance(v.value, str) and v.value.isidentifier()]


def _is_named(scope: ir.Scope, index: int, name: str) -> bool:
    expr = scope.exprs[index]
    return isinstance(expr, ir.Name) and expr.id == name
