"""What an expression can be, as names alone tell: what lies outside the tree, functions of the tree, or an object.

Approximates: over (what is not told by names is an object, of which nothing is known).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from codepath.model import ir
from codepath.program.bodies import Bodies
from codepath.program.regions import every_region
from codepath.program.tree import ScopeInfo
from codepath.program.values import FUNCTION, MODULE, OUTSIDE, ScopeId

Token = tuple[object, ...]
Shape = frozenset[Token]
NOTHING: Shape = frozenset()
OBJECT: Shape = frozenset([("object",)])
RESULT: Shape = frozenset([("result", "")])
WRAPPERS = frozenset(["functools.lru_cache", "functools.cache"])
"""Outside functions that give back the function that they are given, maybe after a call with options."""
PARTIAL = "functools.partial"
_LEADING = frozenset(
    f"builtins.{n}"
    for n in "getattr setattr delattr globals locals vars eval exec compile __import__ super type".split()
) | {"importlib.import_module"}
"""Outside functions that lead back into the tree."""
REFUSED = _LEADING | frozenset(f"builtins.{n}" for n in ("isinstance", "issubclass", "hasattr", "callable"))
"""Those, and functions that tell of what kind an object is."""
_MAKING = frozenset(
    f"builtins.{n}"
    for n in "all any ascii bin bool bytes chr divmod float format hash hex id int len ord print range repr round str".split()
)
"""Builtin functions of which no argument, and nothing in one, comes back."""
_OF_TREE = frozenset(["object", "function", "partial", "module"])
_OF_DICTS = frozenset(["get", "items", "keys", "values", "copy", "index", "count"])
_COMPARED = {
    "==": ("__eq__",),
    "!=": ("__ne__", "__eq__"),
    "<": ("__lt__", "__gt__"),
    ">": ("__gt__", "__lt__"),
    "<=": ("__le__", "__ge__"),
    ">=": ("__ge__", "__le__"),
}
_DEEP = 300


class Unclear(Exception):
    """A change of which only the solver knows what it does; the text says why."""


@dataclass(frozen=True)
class Given:
    """What is known of a tree beside its text.

    Attributes:
        methods: Gives the dotted names of the methods of the tree with a name.
        stores: Gives the (function, class of `self`) that store an attribute, `*` for any.
        lends: Tells whether a method may be called through its class, so that its `self` is an object of any.
        subclasses: Gives the classes below a class.
        passing: The last names of the outside functions that are known to give back what they are given.
    """

    methods: Callable[[str], Iterable[str]]
    stores: Callable[[str], Iterable[tuple[str, str]]]
    lends: Callable[[str, str], bool]
    subclasses: Callable[[str], Iterable[str]]
    passing: frozenset[str]


@dataclass(frozen=True)
class Own:
    """A scope in which names are looked up; `is_fresh` where nothing but changed code calls it."""

    info: ScopeInfo
    scope: ir.Scope
    is_fresh: bool


def is_plain(shape: Shape) -> bool:
    """Tell whether no object of the tree is among what an expression can be."""
    return all(token[0] not in _OF_TREE for token in shape)


class Shapes:
    """Shapes of the expressions of one version of a tree.

    Args:
        bodies: The version.
        fresh: The dotted names of the scopes that only this version has.
        given: What is known beside it.
        is_judged: Tells whether what an expression asks of objects is judged apart.
    """

    def __init__(
        self, bodies: Bodies, fresh: frozenset[str], given: Given, is_judged: Callable[[ScopeId, int], bool]
    ) -> None:
        self._bodies = bodies
        self._fresh = fresh
        self._given = given
        self._is_judged = is_judged
        self._running: set[tuple[ScopeId, int]] = set()
        self._compared: dict[str, bool] = {}

    def own(self, info: ScopeInfo) -> Own:
        """Return a scope in which names are looked up."""
        return Own(info, self._bodies.of(info).scope, info.name in self._fresh)

    def of(self, own: Own, index: int) -> Shape:
        """Return what an expression can be."""
        key = (own.info.sid, index)
        if key in self._running:
            return NOTHING
        if len(self._running) > _DEEP:
            return OBJECT
        self._running.add(key)
        try:
            return self._of(own, own.scope.exprs[index], index)
        finally:
            self._running.discard(key)

    def _of(self, own: Own, expr: ir.Expr, index: int) -> Shape:
        match expr:
            case ir.Const():
                return frozenset([("text", expr.value)]) if isinstance(expr.value, str) and not expr.form else NOTHING
            case ir.Name():
                return self._name(own, expr)
            case ir.Attr():
                held = self._own_attribute(own, expr)
                if held is not None:
                    return held
                return NOTHING.union(*(self._attribute(token, expr.id) for token in self.of(own, expr.value)))
            case ir.Call():
                return self._call(own, expr)
            case ir.Bind():
                return _taken(self.of(own, expr.value), expr.how) if expr.value >= 0 else NOTHING
            case ir.Compare():
                return self._compare(own, expr, index)
            case ir.Bool():
                return self._all(own, expr.values)
            case ir.Ternary():
                return self._all(own, (expr.body, expr.orelse))
            case ir.Import() | ir.ImportFrom():
                return self._imported(own, expr)
            case ir.Function():
                return self._defined(own, expr)
            case _:
                return self._compound(own, expr)

    def _compound(self, own: Own, expr: ir.Expr) -> Shape:
        match expr:
            case ir.Unary(op="not"):
                return NOTHING
            case ir.Unary():
                return _computed(expr.op, self.of(own, expr.value))
            case ir.Binary():
                return _computed(expr.op, self._all(own, (expr.left, expr.right)))
            case ir.Joined():
                ends = (own.scope.exprs[i] for i in (expr.parts[:1] + expr.parts[-1:]))
                return frozenset([("text", *(str(e.value) if isinstance(e, ir.Const) else "" for e in ends))])
            case ir.Sequence():
                return frozenset([("container", expr.form, self._all(own, expr.items))])
            case ir.Dict():
                held = self._all(own, (*(key for key in expr.keys if key >= 0), *expr.values))
                return frozenset([("container", "dict", held)])
            case ir.Subscript():
                return _elements(self.of(own, expr.value))
            case ir.Slice():
                return NOTHING
            case ir.Starred():
                return _elements(self.of(own, expr.value))
            case _:
                return OBJECT

    def _all(self, own: Own, indices: Iterable[int]) -> Shape:
        return NOTHING.union(*(self.of(own, index) for index in indices))

    def _compare(self, own: Own, expr: ir.Compare, index: int) -> Shape:
        held = self._all(own, (expr.left, *expr.rights))
        if not is_plain(held):
            names = {name for op in expr.ops for name in _COMPARED.get(op, ())}
            is_plain_too = self._is_judged(own.info.sid, index) or all(map(self._gives_plain, sorted(names)))
            return frozenset([("compared",)]) if is_plain_too else OBJECT
        if any(token[0] == "result" for token in held):
            return RESULT
        return frozenset([("compared",)]) if any(token[0] in ("computed", "compared") for token in held) else NOTHING

    def _gives_plain(self, name: str) -> bool:
        """Tell whether no method of the tree with the name of a comparison gives an object of the tree."""
        if name not in self._compared:
            self._compared[name] = True
            self._compared[name] = all(is_plain(self.returned(method)) for method in self._given.methods(name))
        return self._compared[name]

    # --- names -------------------------------------------------------------------------------------------------------

    def _name(self, own: Own, expr: ir.Name) -> Shape:
        reaching = own.scope.uses[expr.use]
        if not reaching:
            return self._free(own.info, expr.id)
        found = NOTHING
        for number in reaching:
            if number < 0:
                found |= NOTHING if own.info.form == "function" else self._free(own.info, expr.id)
                continue
            bind = own.scope.definitions[number].bind
            found |= self.of(own, bind) if bind >= 0 else self._parameter(own, number)
        return found

    def _parameter(self, own: Own, number: int) -> Shape:
        """Return what a parameter can be: plain where changed statements alone call its function, which pass no more."""
        around = self._bodies.tree.scopes[own.info.outer]
        param = own.info.params[number]
        if not own.is_fresh or around.form != "module" or param.form != "normal":
            return OBJECT
        if self._is_of_tree(around, param.annotation):
            return OBJECT
        if param.default >= 0 and not is_plain(self.of(self.own(around), param.default)):
            return OBJECT
        return frozenset([("result", f"{param.id}:{param.annotation}")])

    def _is_of_tree(self, around: ScopeInfo, term: object) -> bool:
        if isinstance(term, tuple):
            return any(self._is_of_tree(around, part) for part in (term[0], *term[1]))
        if not isinstance(term, str) or not term:
            return False
        return any(value[0] != OUTSIDE for value in self._bodies.term_values(around, term))

    def _free(self, info: ScopeInfo, name: str) -> Shape:
        meaning = self._bodies.meaning(info, name)
        found = NOTHING.union(*(self._value(value) for value in meaning.values))
        return found.union(*(self._cell(*cell) for cell in meaning.cells))

    def _value(self, value: tuple[object, ...]) -> Shape:
        if value[0] == OUTSIDE:
            return frozenset([("outside", value[1])])
        if value[0] == MODULE:
            return frozenset([("module", value[1])])
        if value[0] == FUNCTION:
            return frozenset([("function", self._bodies.tree.scopes[value[1]].name)])  # type: ignore[call-overload]
        return OBJECT

    def _cell(self, sid: ScopeId, name: str) -> Shape:
        """Return what a global can be whose value is computed."""
        info = self._bodies.tree.scopes[sid]
        if info.form != "module":
            return OBJECT
        inner = (s for s in info.module.scopes if s.form == "function")
        if any(name in self._bodies.of(s).scope.globals for s in inner):
            return OBJECT
        own = self.own(info)
        numbers = next((found for one, found in own.scope.exports if one == name), ())
        binds = (own.scope.definitions[n].bind for n in numbers if n >= 0)
        return self._all(own, (bind for bind in binds if bind >= 0))

    def _attribute(self, token: Token, name: str) -> Shape:
        if token[0] == "outside":
            return frozenset([("outside", f"{token[1]}.{name}")])
        if token[0] == "module":
            meaning = self._bodies.member(str(token[1]), name)
            found = NOTHING.union(*(self._value(value) for value in meaning.values))
            return found.union(*(self._cell(*cell) for cell in meaning.cells))
        if token[0] in ("result", "text", "computed", "compared"):
            return RESULT
        if token[0] == "container" and name in _OF_DICTS:
            return frozenset([("method", token)])
        return OBJECT

    def _own_attribute(self, own: Own, expr: ir.Attr) -> Shape | None:
        """Return what an attribute of `self` can be that only methods of a class on its own store; None for any other."""
        base = own.scope.exprs[expr.value]
        around = self._bodies.tree.class_around(own.info)
        if around is None or not isinstance(base, ir.Name) or own.scope.uses[base.use] != (0,):
            return None
        if own.info.decorators or not self._is_apart(around, expr.id):
            return None
        methods = [s for s in around.module.scopes if s.outer == around.sid and s.form == "function"]
        found = [shape for method in methods for shape in self._stored(self.own(method), expr.id)]
        return NOTHING.union(*found) if found else None

    def _is_apart(self, cls: ScopeInfo, attribute: str) -> bool:
        """Tell whether nothing but stores in its own methods gives the objects of a class an attribute."""
        stores = self._given.stores
        if cls.bases or cls.decorators or attribute in cls.names or "__getattr__" in cls.names:
            return False
        if self._given.subclasses(cls.name) or any(name == attribute for name, _ in cls.fields):
            return False
        others = [(function, owner) for function, owner in stores(attribute) if owner != cls.name]
        if any(not owner or self._given.lends(function, owner) for function, owner in others):
            return False
        by_name = (function for function, owner in stores("*") if owner in ("", cls.name))
        return not any(self._mentions(function, attribute) for function in by_name)

    def _mentions(self, function: str, word: str) -> bool:
        """Tell whether a function may store an attribute by a name that it writes out itself: others are not followed."""
        body = self._bodies.body(function)
        if body is None:
            return True
        exprs = body.scope.exprs
        given = (argument.name for expr in exprs if isinstance(expr, ir.Call) for argument in expr.args)
        return word in given or any(isinstance(expr, ir.Const) and expr.value == word for expr in exprs)

    def _stored(self, own: Own, attribute: str) -> Iterator[Shape]:
        for expr in own.scope.exprs:
            if isinstance(expr, ir.StoreAttr) and expr.id == attribute:
                is_known = expr.value >= 0 and expr.annotation < 0
                yield _taken(self.of(own, expr.value), expr.how) if is_known else OBJECT

    def _imported(self, own: Own, expr: ir.Import | ir.ImportFrom) -> Shape:
        module = own.info.module
        if isinstance(expr, ir.Import):
            return self._value((MODULE if self._bodies.tree.is_module(expr.bound) else OUTSIDE, expr.bound))
        if expr.name == "*":
            return OBJECT
        return self._attribute(("module", module.absolute(expr.module, expr.level)), expr.name)

    def _defined(self, own: Own, expr: ir.Function) -> Shape:
        tokens = self._all(own, expr.decorators)
        if any(token[0] not in ("outside", "result") for token in tokens):
            return OBJECT
        return frozenset([("function", own.info.module.scopes[expr.scope].name)])

    # --- calls -------------------------------------------------------------------------------------------------------

    def _call(self, own: Own, expr: ir.Call) -> Shape:
        given = [self.of(own, argument.value) for argument in expr.args]
        defaults, every = NOTHING.union(*given[1:]), NOTHING.union(*given)
        found = self.of(own, expr.func)
        return NOTHING.union(*(self._called(one, defaults if one[0] == "method" else every) for one in found))

    def _called(self, token: Token, given: Shape) -> Shape:
        held = frozenset(one for one in given if one[0] in _OF_TREE)
        if token[0] in ("function", "partial"):
            return self.returned(str(token[1]))
        if token[0] == "method":
            return _elements(frozenset([token[1]])) | given  # type: ignore[list-item]
        if token[0] not in ("outside", "result"):
            return OBJECT
        name = str(token[1])
        if token[0] == "outside" and name == PARTIAL:
            functions = frozenset(("partial", one[1]) for one in held if one[0] in ("function", "partial"))
            return functions if len(functions) == len(held) else OBJECT
        if name in WRAPPERS:
            return held or frozenset([("result", name)])
        if name in _LEADING:
            return OBJECT
        if name in REFUSED:
            return frozenset([("result", name)])
        return frozenset([("result", name)]) | (OBJECT if held and self._may_pass(name) else NOTHING)

    def _may_pass(self, name: str) -> bool:
        """Tell whether an outside function may give back what it is given, or what is in that."""
        if not name or name.rpartition(".")[2] in self._given.passing:
            return True
        return name.partition(".")[0] in sys.stdlib_module_names and name not in _MAKING

    def returned(self, name: str) -> Shape:
        """Return what calling a function of the tree gives."""
        body = self._bodies.body(name)
        if body is None or body.info.form != "function" or body.info.is_async or body.info.is_generator:
            return OBJECT
        if self._is_of_tree(self._bodies.tree.scopes[body.info.outer], body.info.returns):
            return OBJECT
        own = self.own(body.info)
        values = [r.value for r in every_region(body.scope.body) if isinstance(r, ir.Return) and r.value >= 0]
        found = self._all(own, values)
        return frozenset(("result", "") if token[0] == "result" else token for token in found)


def _computed(op: str, shape: Shape) -> Shape:
    if not is_plain(shape):
        return OBJECT
    return frozenset([("computed", op, shape)]) if shape else NOTHING


def _elements(shape: Shape) -> Shape:
    """Return what an element of a collection can be."""
    found: set[Token] = set()
    for token in shape:
        if token[0] == "container":
            found |= token[2]  # type: ignore[arg-type]
        elif token[0] in ("result", "outside", "text", "computed"):
            found.add(("result", ""))
        else:
            found |= OBJECT
    return frozenset(found)


def _taken(shape: Shape, how: tuple[int, ...]) -> Shape:
    """Return what is taken of a value by the steps of a store."""
    for step in how:
        if step == ir.CAUGHT:
            return RESULT
        if step < 0 and step not in (ir.ITERATE, ir.REST, ir.ENTER):
            return OBJECT
        shape = _elements(shape)
    return shape
