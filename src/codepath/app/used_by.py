"""What a plug-in, or the files that a fork adds, use of a tree: functions that they override, replace or call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from codepath.analysis.meanings import values_of
from codepath.model import ir
from codepath.program.bodies import Bodies, Body
from codepath.program.tree import ScopeInfo
from codepath.program.values import CLASS, FUNCTION, MODULE, Values

ReadFacts = Callable[[str], "ir.ModuleFacts | None"]
_OWN = "used-by:"  # before the paths of the plug-in's files, which may be those of the tree


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a tree: the dotted name of each path, and how their facts are read."""

    modules: Mapping[str, str]
    read: ReadFacts


def used_names(tree: Files, other: Files) -> tuple[str, ...]:
    """Return the full names of functions of a tree that the modules which only another tree has use, sorted.

    Approximates: under: a receiver counts where it is `self`, a class, an annotated parameter or made in the same function.
    """
    own = {name: f"{_OWN}{path}" for path, name in other.modules.items() if name not in set(tree.modules.values())}
    paths = {name: path for path, name in tree.modules.items()} | own

    def read(path: str) -> ir.ModuleFacts | None:
        return other.read(path.removeprefix(_OWN)) if path.startswith(_OWN) else tree.read(path)

    used = _Used(Bodies(paths, read), frozenset(own))
    return tuple(sorted({name for module in sorted(own) for name in used.of_module(module)}))


class _Used:
    def __init__(self, bodies: Bodies, own: frozenset[str]) -> None:
        self._bodies = bodies
        self._own = own

    def of_module(self, module: str) -> Iterator[str]:
        body = self._bodies.body(module)
        for info in body.info.module.scopes if body is not None else ():
            if info.form == "class":
                yield from self._overridden(info)
            scope = self._bodies.of(info)
            for index in range(len(scope.scope.exprs)):
                yield from self._by_expression(scope, index)

    def _overridden(self, info: ScopeInfo) -> Iterator[str]:
        """Yield the functions of the tree that the methods of a class stand in for."""
        for name, origins in info.names.items():
            if any(origin.form == "function" for origin in origins):
                yield from self._of_class(info, name)

    def _of_class(self, info: ScopeInfo, name: str) -> Iterator[str]:
        """Yield the method of that name that a class of the tree, or a base of it, has; of its own classes, that of a base."""
        classes = self._bodies.classes
        for sid in classes.mro(info.sid):
            owner = self._bodies.tree.scopes[sid]
            if owner.module.name not in self._own and name in owner.names:
                yield from self._functions(classes.find(sid, name).meaning.values)  # type: ignore[union-attr]
                return

    def _functions(self, values: Values) -> Iterator[str]:
        for value in values:
            if value[0] == FUNCTION:
                info = self._bodies.tree.scopes[value[1]]
                if info.module.name not in self._own:
                    yield info.name

    def _by_expression(self, body: Body, index: int) -> Iterator[str]:
        expr = body.scope.exprs[index]
        if isinstance(expr, (ir.Name, ir.Attr)):
            yield from self._named(body, index)
        elif isinstance(expr, ir.Call):
            for cls in self._classes(self._values(body, expr.func)):
                yield from self._of_class(cls, "__init__")
            yield from self._by_setattr(body, expr)
        elif isinstance(expr, ir.StoreAttr):
            yield from self._member(body, expr.object, expr.id)

    def _values(self, body: Body, index: int) -> Values:
        """Return what a dotted name means, modules that a statement here imports whole too."""
        expr = body.scope.exprs[index]
        if isinstance(expr, ir.Attr):
            found = self._values(body, expr.value)
            return frozenset(
                v for one in found if one[0] == MODULE for v in self._bodies.member(one[1], expr.id).values
            )
        known = values_of(self._bodies, body, index)
        if known or not isinstance(expr, ir.Name):
            return known
        return frozenset(v for number in body.scope.uses[expr.use] for v in self._imported(body, number))

    def _imported(self, body: Body, number: int) -> Values:
        definition = body.scope.definitions[number] if number >= 0 else None
        bind = body.scope.exprs[definition.bind] if definition is not None and definition.bind >= 0 else None
        value = body.scope.exprs[bind.value] if isinstance(bind, ir.Bind) and bind.value >= 0 else None
        if not isinstance(value, ir.Import):
            return frozenset()
        return frozenset([(MODULE, value.bound)])

    def _named(self, body: Body, index: int) -> Iterator[str]:
        yield from self._functions(self._values(body, index))
        expr = body.scope.exprs[index]
        if isinstance(expr, ir.Attr):
            yield from self._member(body, expr.value, expr.id)

    def _by_setattr(self, body: Body, call: ir.Call) -> Iterator[str]:
        func = body.scope.exprs[call.func]
        values = [body.scope.exprs[arg.value] for arg in call.args[:2]]
        if isinstance(func, ir.Name) and func.id == "setattr" and len(values) == 2 and isinstance(values[1], ir.Const):
            yield from self._member(body, call.args[0].value, str(values[1].value))

    def _member(self, body: Body, index: int, name: str) -> Iterator[str]:
        """Yield the functions that an attribute of an expression is."""
        values = self._values(body, index)
        for value in values:
            if value[0] == MODULE:
                yield from self._functions(self._bodies.member(value[1], name).values)
        for cls in (*self._classes(values), *self._receivers(body, index)):
            yield from self._of_class(cls, name)

    def _classes(self, values: Values) -> list[ScopeInfo]:
        return [self._bodies.tree.scopes[value[1]] for value in sorted(values) if value[0] == CLASS]

    def _receivers(self, body: Body, index: int) -> list[ScopeInfo]:
        """Return the classes that a name holds an object of."""
        expr = body.scope.exprs[index]
        if not isinstance(expr, ir.Name):
            if (
                isinstance(expr, ir.Call)
                and isinstance(func := body.scope.exprs[expr.func], ir.Name)
                and func.id == "super"
            ):
                return self._around(body)
            return []
        found: list[ScopeInfo] = []
        for number in body.scope.uses[expr.use]:
            definition = body.scope.definitions[number] if number >= 0 else None
            if definition is None:
                continue
            if definition.bind < 0:
                found += self._parameter(body, definition.id)
            bind = body.scope.exprs[definition.bind] if definition.bind >= 0 else None
            made = body.scope.exprs[bind.value] if isinstance(bind, ir.Bind) and bind.value >= 0 else None
            if isinstance(made, ir.Call):
                found += self._classes(self._values(body, made.func))
        return found

    def _parameter(self, body: Body, name: str) -> list[ScopeInfo]:
        params = body.info.params
        if (
            params
            and params[0].id == name
            and (around := self._around(body))
            and "staticmethod" not in body.info.decorators
        ):
            return around
        term = next((p.annotation for p in params if p.id == name), None)
        return self._classes(self._bodies.term_values(body.info, term)) if term else []

    def _around(self, body: Body) -> list[ScopeInfo]:
        around = self._bodies.tree.class_around(body.info)
        return [around] if around is not None else []
