"""The parameters of functions and classes as their text gives them, and nothing where something may change them."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.model import ir
from codepath.program.annotations import Term, term_of
from codepath.program.bodies import Bodies
from codepath.program.tree import Parameter, ScopeInfo
from codepath.program.values import CLASS, OUTSIDE, ScopeId

_SAME = frozenset(
    "abstractmethod no_grad inference_mode contextmanager asynccontextmanager override final lru_cache cache "
    "staticmethod classmethod".split()
)
"""Decorators, by last name, that leave the parameters of a function as they are."""
_PLAIN_BASES = frozenset(
    "builtins.object abc.ABC typing.Generic typing.Protocol typing_extensions.Protocol typing.NamedTuple".split()
)
_KNOWN_BASES = frozenset("Module Thread Process Exception RuntimeError ValueError".split())
"""Bases outside the tree, by last name, whose objects are made by calling the class's own `__init__`."""


class Signatures:
    """Reads signatures off the scopes of a tree."""

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self._counted: dict[ScopeId, dict[str, int]] = {}
        self._fields: dict[ScopeId, tuple[Parameter, ...] | None] = {}

    def function(self, info: ScopeInfo) -> tuple[Parameter, ...] | None:
        """Return the parameters that callers of a function meet; None where they are not known."""
        if info.form != "function" or info.outer < 0:
            return None
        if any(not isinstance(d, str) or d.rpartition(".")[2] not in _SAME for d in info.decorators):
            return None
        return info.params if self._is_only(info) else None

    def _is_only(self, info: ScopeInfo) -> bool:
        """Tell whether the scope around a definition binds its name nowhere else."""
        counts = self._counted.get(info.outer)
        if counts is None:
            counts = self._counted[info.outer] = {}
            for definition in self._bodies.of(self._bodies.tree.scopes[info.outer]).scope.definitions:
                counts[definition.id] = counts.get(definition.id, 0) + 1
        return counts.get(info.id, 0) == 1

    def form(self, info: ScopeInfo) -> str:
        """Return how a function is bound: `function`, `method`, `static` or `class`."""
        if self._bodies.tree.class_around(info) is None:
            return "function"
        lasts = {d.rpartition(".")[2] for d in info.decorators if isinstance(d, str)}
        if "staticmethod" in lasts:
            return "static"
        implicit = info.id in ("__init_subclass__", "__class_getitem__")
        if info.id == "__new__":
            return "static"
        return "class" if "classmethod" in lasts or implicit else "method"

    # --- classes -----------------------------------------------------------------------------------------------------

    def is_plain(self, cls: ScopeInfo) -> bool:
        """Tell whether calling a class runs its `__init__` with the arguments as they are."""
        classes, scopes = self._bodies.classes, self._bodies.tree.scopes
        if not self._is_only(cls):
            return False
        for sid in classes.mro(cls.sid):
            info = scopes[sid]
            named = sum(1 for name, _ in info.bases if name is None)
            if sid in classes.incomplete or named != classes.count_bases(sid) or "__new__" in info.names:
                return False
            if any(name is not None and not _is_abstract(term) for name, term in info.bases):
                return False
            if any(not _is_dataclass(term) for term in info.decorators):
                return False
        return all(b in _PLAIN_BASES or b.rpartition(".")[2] in _KNOWN_BASES for b in classes.outside_bases(cls.sid))

    def constructor(self, cls: ScopeInfo) -> tuple[Parameter, ...] | None:
        """Return the parameters of a class without an `__init__`, `self` left out: those of its fields."""
        if cls.sid not in self._fields:
            self._fields[cls.sid] = self._constructor(cls)
        return self._fields[cls.sid]

    def _constructor(self, cls: ScopeInfo) -> tuple[Parameter, ...] | None:
        classes, scopes = self._bodies.classes, self._bodies.tree.scopes
        outside = classes.outside_bases(cls.sid)
        if not self.is_plain(cls) or any(b not in _PLAIN_BASES for b in outside):
            return None
        if "typing.NamedTuple" in outside:
            is_direct = "typing.NamedTuple" in classes.direct_outside_bases(cls.sid)
            return tuple(p for p, _ in self._own_fields(cls, False)) if is_direct else None
        order = [scopes[sid] for sid in classes.mro(cls.sid)]
        if any("__init__" in info.names for info in order):
            return None
        if not cls.decorators:
            return () if not any(info.decorators for info in order) else None
        fields: dict[str, Parameter] = {}
        for info in reversed(order):
            options = self._options(info)
            if options is None:
                return None
            for param, is_given in self._own_fields(info, options.get("kw_only") is True):
                fields.pop(param.id, None) if not is_given else fields.update({param.id: param})
        by_place = [p for p in fields.values() if p.form == "normal"]
        return (*by_place, *(p for p in fields.values() if p.form == "keyword"))

    def _options(self, info: ScopeInfo) -> dict[str, object] | None:
        """Return the constant options of the one `dataclass` decorator of a class; None where it has no such constructor."""
        exprs = self._bodies.of(self._bodies.tree.scopes[info.outer]).scope.exprs
        made = [e for e in exprs if isinstance(e, ir.Class) and info.module.scopes[e.scope] is info]
        if len(made) != 1 or len(made[0].decorators) != 1 or not self._is_standard(info):
            return None
        decorator = exprs[made[0].decorators[0]]
        options: dict[str, object] = {}
        for arg in decorator.args if isinstance(decorator, ir.Call) else ():
            value = exprs[arg.value]
            if arg.name is None or not isinstance(value, ir.Const):
                return None
            options[arg.name] = value.value
        return options if options.get("init", True) is True else None

    def _is_standard(self, info: ScopeInfo) -> bool:
        around = self._bodies.tree.scopes[info.outer]
        values = self._bodies.term_values(around, info.decorators[0])
        return values == frozenset([(OUTSIDE, "dataclasses.dataclass")])

    def _own_fields(self, info: ScopeInfo, kw_only: bool) -> Iterator[tuple[Parameter, bool]]:
        """Yield the fields of a class body, each with whether the constructor takes it."""
        exprs = self._bodies.of(info).scope.exprs
        for expr in exprs:
            if not isinstance(expr, ir.Bind) or expr.annotation < 0:
                continue
            term = term_of(exprs, expr.annotation)
            head = term[0] if isinstance(term, tuple) else term
            last = head.rpartition(".")[2] if isinstance(head, str) else ""
            note = exprs[expr.annotation]
            text = note.value if isinstance(note, ir.Const) and isinstance(note.value, str) else ""
            if last == "ClassVar" or "ClassVar" in text:
                continue
            if last == "KW_ONLY":
                kw_only = True
                continue
            default, is_given, alone = _default(exprs, expr)
            form = "keyword" if (kw_only if alone is None else alone) else "normal"
            yield Parameter(expr.id, form, term, default), is_given

    def meant(self, info: ScopeInfo, term: Term) -> ScopeInfo | None:
        """Return the one class that a term certainly means in a scope."""
        values = self._bodies.term_values(info, term)
        found = [v for v in values if v[0] == CLASS]
        return self._bodies.tree.scopes[found[0][1]] if len(values) == len(found) == 1 else None


def _default(exprs: tuple[ir.Expr, ...], bind: ir.Bind) -> tuple[int, bool, bool | None]:
    """Return the default of a field (-1 for none), whether the constructor takes it, and its own `kw_only`."""
    if bind.value < 0:
        return -1, True, None
    value = exprs[bind.value]
    func = term_of(exprs, value.func) if isinstance(value, ir.Call) else ""
    if not isinstance(value, ir.Call) or not isinstance(func, str) or func.rpartition(".")[2] != "field":
        return bind.value, True, None
    given = {arg.name: exprs[arg.value] for arg in value.args}
    constants = {name: e.value for name, e in given.items() if isinstance(e, ir.Const)}
    has_default = "default" in given or "default_factory" in given or None in given
    alone = constants.get("kw_only")
    return (
        bind.value if has_default else -1,
        constants.get("init") is not False,
        alone if alone is None else bool(alone),
    )


def _is_dataclass(term: Term) -> bool:
    return isinstance(term, str) and term.rpartition(".")[2] == "dataclass"


def _is_abstract(term: Term) -> bool:
    return isinstance(term, str) and term.rpartition(".")[2] == "ABCMeta"
