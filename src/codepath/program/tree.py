"""The loaded modules of a tree: their scopes by number, and where each name of a scope comes from.

Declaring a module decodes each of its scopes once and keeps what other scopes ask for: parameters, annotations as terms,
origins of names. Who wants the bodies too takes them then (`Tree.on_declared`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from sys import intern
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Raw

from codepath.model import ir
from codepath.program.annotations import Term, term_of
from codepath.program.values import ScopeId


class Origin(NamedTuple):
    """Where a definition of a name takes its value from.

    `form` is `module` (`module` is its dotted name), `member` (`name` of `module`), `function`, `class` (`scope`) or
    `dynamic`: whatever the scope's code computes.
    """

    form: str
    module: str = ""
    name: str = ""
    scope: ScopeId = ScopeId(-1)


DYNAMIC = Origin("dynamic")
_DYNAMIC_ONLY = (DYNAMIC,)
_NOTHING_STORED: frozenset[str] = frozenset()  # one for all: each empty set is an object of its own
_NO_NAMES: Mapping[str, tuple[Origin, ...]] = MappingProxyType({})
_DECLARED = frozenset("params returns is_async is_generator names stars decorators bases fields stored".split())
Pool = dict[tuple[Origin, ...], tuple[Origin, ...]]
"""Origins that many modules share: what they import."""


class Parameter(NamedTuple):
    """One parameter of a function; `annotation` (a term) and `default` (an expression, -1 for none) are of the scope around.

    `absent` is what is known of its value where it is not given: `none`, `constant` (which names nothing) or "".
    """

    id: str
    form: str
    annotation: Term
    default: int
    absent: str = ""


Parameters = dict[Parameter, Parameter]
"""Equal parameters, which many functions have."""


class ScopeInfo:
    """What is kept of one scope. `name` is its full dotted name, `outer` the scope around it, -1 for a module.

    `names` gives the origins of each name bound in the scope: for modules and classes those that reach its end, for
    functions around other scopes all, for other functions those that the solver is not needed for. `fields` are the
    annotated names of a class body, in order, and
    `stored` the attributes that its methods store on their `self`.
    """

    __slots__ = (
        "at",
        "bases",
        "decorators",
        "end",
        "fields",
        "form",
        "id",
        "index",
        "is_async",
        "is_generator",
        "module",
        "name",
        "names",
        "outer",
        "params",
        "returns",
        "sid",
        "stars",
        "stored",
    )

    def __init__(self, sid: ScopeId, module: ModuleInfo, index: int, head: ir.Head) -> None:
        self.sid = sid
        self.module = module
        self.index = index
        self.form = intern(head.form)
        self.id = intern(head.id)
        self.name = f"{module.name}.{head.qualname}" if head.qualname else module.name
        self.outer = ScopeId(module.base + head.parent) if head.parent >= 0 else ScopeId(-1)
        self.at = head.at
        self.end = head.end
        if TYPE_CHECKING:  # declared with the module, or when first asked for: see `__getattr__`
            self.params: tuple[Parameter, ...] = ()
            self.returns: Term = ""
            self.is_async = False
            self.is_generator = False
            self.names: Mapping[str, tuple[Origin, ...]] = _NO_NAMES
            self.stars: tuple[str, ...] = ()
            self.decorators: tuple[Term, ...] = ()
            self.bases: tuple[tuple[str | None, Term], ...] = ()
            self.fields: tuple[tuple[str, Term], ...] = ()
            self.stored = _NOTHING_STORED

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Declare what has not been, in a tree that does so when asked. Python calls this for unset slots only."""
            if name not in _DECLARED:
                raise AttributeError(name)
            self.module.declare(self, name)
            return object.__getattribute__(self, name)


class ModuleInfo:
    """A loaded module. Its scopes are numbered `base`, `base + 1`, ... in the order of its facts."""

    __slots__ = (
        "_decoded",
        "_origins",
        "_parameters",
        "_raws",
        "base",
        "bom",
        "is_package",
        "lines",
        "name",
        "path",
        "scopes",
    )

    def __init__(
        self, name: str, path: str, base: int, facts: ir.ModuleFacts, origins: Pool, parameters: Parameters
    ) -> None:
        self.name = name
        self.path = path
        self.base = base
        self.lines = facts.lines
        self.bom = facts.bom
        self.is_package = path.rpartition("/")[2] == "__init__.py"
        self.scopes: list[ScopeInfo] = []
        self._raws = facts.scopes
        self._decoded: dict[int, ir.Scope] = {}
        self._origins = origins
        self._parameters = parameters

    def declare_all(self, take: TakeBodies | None) -> None:
        """Declare every scope at once; nothing is kept to do so later, but by who takes the bodies."""
        around = {info.outer for info in self.scopes}
        for info in self.scopes:
            info.decorators, info.bases = (), ()
        for info in self.scopes:
            self._declare_own(info, info.sid in around)
            if info.sid in around:
                self._declare_inner(info)
        for info in self.scopes:
            self._declare_stored(info)
        if take is not None:
            take(self, [self.body(info.index) for info in self.scopes], self._raws)
        self._raws, self._decoded, self._origins, self._parameters = (), {}, {}, {}

    def declare(self, info: ScopeInfo, name: str) -> None:
        """Declare what a scope has under the name of one of its attributes."""
        if name == "stored":
            self._declare_stored(info)
        elif name in ("is_async", "is_generator"):  # asked of many callees of which nothing else is
            scope = self.body(info.index)
            info.is_async, info.is_generator = scope.is_async, scope.is_generator
        elif name in ("decorators", "bases"):
            info.decorators, info.bases = (), ()
            if info.outer >= 0:
                self._declare_inner(self.scopes[info.outer - self.base])
        else:
            self._declare_own(info, any(other.outer == info.sid for other in self.scopes))

    def body(self, index: int) -> ir.Scope:
        """Return the body of scope number `index`; in a lazy tree only."""
        found = self._decoded.get(index)
        if found is None:
            found = self._decoded[index] = ir.decode_scope(self._raws[index])
        return found

    def forget(self) -> None:
        """Drop the decoded bodies; they are decoded again when they are asked for."""
        self._decoded.clear()

    def _declare_own(self, info: ScopeInfo, is_around: bool) -> None:
        scope = self.body(info.index)
        info.is_async, info.is_generator = scope.is_async, scope.is_generator
        info.params, info.returns = (), ""
        if scope.params or scope.returns >= 0:
            exprs = self.body(info.outer - self.base).exprs
            params = (
                Parameter(
                    intern(p.id), intern(p.form), term_of(exprs, p.annotation), p.default, _absent(exprs, p.default)
                )
                for p in scope.params
            )
            info.params = tuple([self._parameters.setdefault(one, one) for one in params])
            info.returns = term_of(exprs, scope.returns)
        info.names = _names(self, scope, is_around, self._origins) or _NO_NAMES
        info.fields = _fields(scope) if info.form == "class" else ()
        stars = [e for e in scope.exprs if e.__class__ is ir.ImportFrom and e.name == "*"] if info.outer < 0 else []
        info.stars = tuple(self.absolute(e.module, e.level) for e in stars)

    def _declare_inner(self, info: ScopeInfo) -> None:
        """Note the decorators and bases of the functions and classes that a scope defines."""
        exprs = self.body(info.index).exprs
        for expr in exprs:
            if isinstance(expr, (ir.Function, ir.Class)):
                inner = self.scopes[expr.scope]
                inner.decorators = tuple(term_of(exprs, d) for d in expr.decorators)
                bases = expr.bases if isinstance(expr, ir.Class) else ()
                inner.bases = tuple(("*" if b.star else b.name, term_of(exprs, b.value)) for b in bases)

    def _declare_stored(self, info: ScopeInfo) -> None:
        """Note for a class the attributes that its methods store on their first parameter."""
        found: set[str] = set()
        for method in self.scopes if info.form == "class" else ():
            scope = self.body(method.index) if method.outer == info.sid else None
            if scope is not None and scope.params:
                found.update(_stored_on_self(scope))
        info.stored = frozenset(found) if found else _NOTHING_STORED

    def absolute(self, module: str, level: int) -> str:
        """Return the dotted name that `from {level dots}module` means here."""
        if not level:
            return module
        parts = self.name.split(".")
        keep = len(parts) - level + (1 if self.is_package else 0)
        return ".".join([*parts[: max(keep, 0)], *([module] if module else [])])


TakeBodies = Callable[[ModuleInfo, Sequence[ir.Scope], Sequence[Raw]], None]
"""Takes the bodies of a module that has been declared, decoded and as they are stored."""


class Tree:
    """The modules loaded so far. `known` tells which dotted names are modules of the whole tree, loaded or not.

    A lazy tree declares what a scope has when it is first asked for, and keeps the facts to do so. In others `on_declared`
    takes the bodies of each module that is loaded.
    """

    def __init__(self, known: Iterable[str], *, is_lazy: bool = False) -> None:
        self._is_lazy = is_lazy
        self.known = frozenset(known)
        self._packages = _prefixes(self.known)
        self.modules: dict[str, ModuleInfo] = {}
        self.scopes: list[ScopeInfo] = []
        self._origins: Pool = {}
        self._parameters: Parameters = {}
        self._last_names: frozenset[str] = frozenset()
        self._in_packages: dict[str, list[str]] = {}
        self._importing: dict[str, list[ScopeId]] = {}
        self._indexed = 0
        self.on_declared: TakeBodies | None = None

    def is_module(self, name: str) -> bool:
        """Tell whether a dotted name is a module or a (namespace) package of the tree."""
        return name in self.known or name in self._packages

    def modules_like(self, start: str, end: str) -> list[str]:
        """Return the modules whose names have a start and an end and no dot between, sorted; none where they are many."""
        names = self._in_packages.get(start.rpartition(".")[0])
        if names is None:
            package = start.rpartition(".")[0]
            names = sorted(name for name in self.known if name.rpartition(".")[0] == package)
            self._in_packages[package] = names
        found = [n for n in names if n.startswith(start) and n.endswith(end) and len(n) > len(start) + len(end)]
        return found if len(found) <= _MOST_MODULES else []

    def has_module_called(self, last: str) -> bool:
        """Tell whether the last part of the name of a module of the tree is `last`."""
        if not self._last_names:
            self._last_names = frozenset(name.rpartition(".")[2] for name in self.known)
        return last in self._last_names

    def importing(self, module: str) -> list[ScopeId]:
        """Return the scopes of loaded modules that import names of a module, ascending."""
        for info in self.scopes[self._indexed :]:
            members = (
                origin.module for origins in info.names.values() for origin in origins if origin.form == "member"
            )
            for name in dict.fromkeys((*info.stars, *members)):
                self._importing.setdefault(name, []).append(info.sid)
        self._indexed = len(self.scopes)
        return self._importing.get(module, [])

    def load(self, name: str, path: str, facts: ir.ModuleFacts) -> ModuleInfo:
        """Declare a module."""
        module = ModuleInfo(name, path, len(self.scopes), facts, self._origins, self._parameters)
        self.modules[name] = module
        for index, head in enumerate(facts.heads):
            info = ScopeInfo(ScopeId(len(self.scopes)), module, index, head)
            self.scopes.append(info)
            module.scopes.append(info)
        if not self._is_lazy:
            module.declare_all(self.on_declared)
        return module

    def class_around(self, info: ScopeInfo) -> ScopeInfo | None:
        """Return the class in whose body a function stands, None for other functions."""
        outer = self.scopes[info.outer] if info.outer >= 0 else None
        return outer if outer is not None and outer.form == "class" else None

    def code_scope(self, info: ScopeInfo) -> ScopeInfo:
        """Return the function or module that a scope's code is part of: a class body runs in the scope around it."""
        while info.form == "class":
            info = self.scopes[info.outer]
        return info


_MOST_MODULES = 48  # that a name which is known in part can mean


def _prefixes(names: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    for name in names:
        while "." in name:
            name = name.rpartition(".")[0]
            if name in found:
                break
            found.add(name)
    return frozenset(found)


def _stored_on_self(scope: ir.Scope) -> Iterator[str]:
    """Yield the attributes that a method stores on its first parameter, by name or past what its class does about stores."""
    for expr in scope.exprs:
        kind = expr.__class__
        if kind is ir.StoreAttr:
            if _is_first(scope, expr.object):  # type: ignore[union-attr]
                yield intern(expr.id)  # type: ignore[union-attr]
        elif kind is ir.StoreItem:
            held = scope.exprs[expr.object]  # type: ignore[union-attr]
            if isinstance(held, ir.Attr) and held.id == "__dict__" and _is_first(scope, held.value):
                yield from _constant(scope, expr.index)  # type: ignore[union-attr]
        elif kind is ir.Call and len(expr.args) == _STORE:  # type: ignore[union-attr]
            func = scope.exprs[expr.func]  # type: ignore[union-attr]
            given = [argument.value for argument in expr.args]  # type: ignore[union-attr]
            if isinstance(func, ir.Attr) and func.id == "__setattr__" and _is_first(scope, given[0]):
                yield from _constant(scope, given[1])


_STORE = 3  # arguments of `object.__setattr__(self, name, value)`


def _is_first(scope: ir.Scope, index: int) -> bool:
    """Tell whether an expression is the first parameter."""
    expr = scope.exprs[index]
    return isinstance(expr, ir.Name) and scope.uses[expr.use] == (0,)


def _constant(scope: ir.Scope, index: int) -> Iterator[str]:
    expr = scope.exprs[index]
    if isinstance(expr, ir.Const) and isinstance(expr.value, str) and not expr.form:
        yield intern(expr.value)


def _names(module: ModuleInfo, scope: ir.Scope, is_around: bool, pool: Pool) -> dict[str, tuple[Origin, ...]]:
    """Return the origins of names; of a function with no scope inside only those that are not dynamic, for annotations."""
    reaching: dict[str, tuple[int, ...]]
    if scope.form in ("module", "class"):
        reaching = {name: tuple(d for d in found if d >= 0) for name, found in scope.exports}
    else:
        if not is_around and all(_origin(module, scope, d) is DYNAMIC for d in scope.definitions):
            return {}
        grouped: dict[str, list[int]] = {}
        for number, definition in enumerate(scope.definitions):
            grouped.setdefault(definition.id, []).append(number)
        reaching = {name: tuple(found) for name, found in grouped.items()}
    names: dict[str, tuple[Origin, ...]] = {}
    for name, found in reaching.items():
        origins = tuple(dict.fromkeys(_origin(module, scope, scope.definitions[d]) for d in found))
        if all(o is DYNAMIC for o in origins):
            if is_around or scope.form in ("module", "class"):
                names[intern(name)] = _DYNAMIC_ONLY
        else:
            is_import = all(o.scope < 0 for o in origins)
            names[intern(name)] = pool.setdefault(origins, origins) if is_import else origins
    return names


_NAMING: frozenset[type] = frozenset([ir.Import, ir.ImportFrom, ir.Function, ir.Class])
"""Expressions that alone can say what a name bound to them means."""


def _origin(module: ModuleInfo, scope: ir.Scope, definition: ir.Definition) -> Origin:
    if definition.bind < 0:
        return DYNAMIC
    bind = scope.exprs[definition.bind]
    assert isinstance(bind, ir.Bind)
    if bind.value < 0 or bind.how:
        return DYNAMIC
    value = scope.exprs[bind.value]
    if type(value) not in _NAMING:
        return DYNAMIC
    if isinstance(value, ir.Import):
        return Origin("module", intern(value.bound))
    if isinstance(value, ir.ImportFrom):
        return Origin("member", intern(module.absolute(value.module, value.level)), intern(value.name))
    if isinstance(value, ir.Function) and not value.decorators:
        return Origin("function", scope=module.scopes[value.scope].sid)
    if isinstance(value, ir.Class):
        return Origin("class", scope=module.scopes[value.scope].sid)
    return DYNAMIC


def _absent(exprs: tuple[ir.Expr, ...], default: int) -> str:
    """Return what `Parameter.absent` says of a default."""
    expr = exprs[default] if default >= 0 else None
    if not isinstance(expr, ir.Const) or isinstance(expr.value, str):
        return ""
    return "none" if expr.value is None and not expr.form else "constant"


def _fields(scope: ir.Scope) -> tuple[tuple[str, Term], ...]:
    found = {
        expr.id: term_of(scope.exprs, expr.annotation)
        for expr in scope.exprs
        if expr.__class__ is ir.Bind and expr.annotation >= 0
    }
    return tuple(found.items())
