"""What is assumed of expressions: names by their dotted suffix, attributes of a class, environment, calls.

Approximates: exact under the assumption; a receiver counts as an object of a class by its annotation, by the return
annotation of the function that gives it, or by bearing the class's name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Protocol

from codepath.analysis.comparing import decide
from codepath.analysis.known import Constant, Facts, Known
from codepath.analysis.meanings import values_of
from codepath.model import ir
from codepath.model.answers import Place, Step
from codepath.model.assumptions import Assumption, Filled, Scalar
from codepath.program.bodies import Bodies, Body
from codepath.program.tree import Parameter
from codepath.program.values import CLASS, FUNCTION

_YES = frozenset(["1", "true", "yes", "on", "y"])
_NO = frozenset(["0", "false", "no", "off", "n", ""])
_MAX_HOPS = 4


class Gpu(Protocol):
    """One GPU that is assumed."""

    def value(self, body: Body, index: int) -> tuple[Scalar, Place] | None:
        """Return what an expression is on it, and where that begins; None where it does not decide the expression."""


class Assumptions:
    """Assumptions as a search asks about them; counts what each of them met."""

    def __init__(
        self,
        bodies: Bodies,
        assumptions: Sequence[Assumption],
        members: Sequence[str] = (),
        holders: Sequence[str] = (),
        views: Sequence[str] = (),
        gpus: Mapping[str, Gpu] = MappingProxyType({}),
    ) -> None:
        """Take assumptions.

        `members` are patterns of the modules that hold the members of the registry of models, `holders` the classes whose
        objects carry the launch options, `views` patterns of functions whose result has the attributes of the first,
        `gpus` the architectures that are assumed, by name.
        """
        self.all = tuple(assumptions)
        self._bodies = bodies
        self._members = tuple(members)
        self._views = tuple(views)
        self._viewed = holders[0] if holders else ""
        self._gpus = [(number, gpus[str(a.value)]) for number, a in enumerate(self.all) if a.kind == "gpu"]
        self._by_last: dict[str, list[int]] = {}
        for number, assumption in enumerate(self.all):
            last = assumption.name.rpartition(".")[2]
            self._by_last.setdefault(last, []).append(number)
        classes = (*holders, *(a.holder for a in self.all if a.kind == "attribute"))
        self._snakes = {cls: snake(cls.rpartition(".")[2]) for cls in classes}
        self.variables: list[dict[str, None]] = [{} for _ in self.all]
        self.filled: list[set[Filled]] = [set() for _ in self.all]
        self.guards: list[set[tuple[str, int, str]]] = [set() for _ in self.all]
        self.asking: tuple[str, int, str] | None = None
        """The guard (file, line, text) that is being folded."""

    # --- what the folding asks -----------------------------------------------------------------------------------------

    def value(self, body: Body, index: int) -> Known | None:
        """Return what an expression is assumed to be."""
        for number, given in self._about(body, index):
            assumption = self.all[number]
            if assumption.op == "=" and not isinstance(assumption.value, tuple):
                value = given(assumption.value)
                return Known(value, self._place(body, index, number), number)
        for number, gpu in self._gpus:
            found = gpu.value(body, index)
            if found is not None:
                self._note_gpu(number, body, index)
                return Known(found[0], found[1], number)
        return None

    def _note_gpu(self, number: int, body: Body, index: int) -> None:
        expr = body.scope.exprs[index]
        while isinstance(expr, (ir.Compare, ir.Subscript)):
            index = expr.left if isinstance(expr, ir.Compare) else expr.value
            expr = body.scope.exprs[index]
        self._note(number, body, _dotted(body.scope.exprs, index) or ["gpu"])

    def compared(self, body: Body, index: int, op: str, other: Constant) -> Known | None:
        """Return what comparing an expression with a constant is assumed to give; `bool` asks whether it is true."""
        for number, given in self._about(body, index):
            holds = decide(self.all[number], op, other, given)
            if holds is not None:
                return Known(holds, self._place(body, index, number), number)
        return None

    def denied(self, body: Body, facts: Facts) -> int:
        """Return the number of an assumption that what is passed on to a function contradicts, -1 for none."""
        for name, known in (*facts.params, *facts.attributes):
            for number in self._by_last.get(name, ()):
                assumption = self.all[number]
                met = assumption.kind == "name" and self._is_named(body, assumption.name.split("."), ["self", name])
                if met and known.assumed < 0 and decide(assumption, "", known.value, _same) is False:
                    return number
        return -1

    def unchosen(self, step: Step) -> int:
        """Return the number of the assumption by which a step from the registry of models is not taken, -1 for none."""
        if step.kind != "registry":
            return -1
        for number, assumption in enumerate(self.all):
            if assumption.kind == "model" and self._is_other_member(step.callee, assumption.holder):
                self.variables[number]["model"] = None
                return number
        return -1

    def _is_other_member(self, callee: str, chosen: str) -> bool:
        """Tell whether a callee belongs to a member of the registry that is not the chosen class or a base of it."""
        info, mine = self._bodies.scope(callee), self._bodies.scope(chosen)
        if info is None or mine is None:
            return False
        owner = info if info.form == "class" else self._bodies.tree.class_around(info)
        if owner is None or not any(fnmatchcase(owner.module.name, pattern) for pattern in self._members):
            return False
        return owner.sid not in self._bodies.classes.mro(mine.sid)

    # --- matching ------------------------------------------------------------------------------------------------------

    def _about(self, body: Body, index: int) -> list[tuple[int, Callable[[Scalar], Scalar]]]:
        """Return the assumptions about an expression, with how each value is read there."""
        found: list[tuple[int, Callable[[Scalar], Scalar]]] = []
        expr = body.scope.exprs[index]
        if isinstance(expr, (ir.Name, ir.Attr)):
            parts = _dotted(body.scope.exprs, index)
            for number in self._by_last.get(expr.id, ()) if parts else ():
                if self._meets(body, index, parts, self.all[number]):
                    self._note(number, body, parts)
                    found.append((number, _read_env if self.all[number].kind == "env" else _same))
        elif isinstance(expr, ir.Call):
            found += self._of_call(body, expr)
        elif isinstance(expr, (ir.Subscript, ir.Compare)):
            found += self._of_environment(body, expr)
        return found

    def follow(self, number: int, variable: str, setter: str) -> None:
        """Note that a global is taken to hold what a setter stores under assumption `number`."""
        self.filled[number].add(Filled(variable, setter))
        self._met(number, variable)

    def _met(self, number: int, variable: str) -> None:
        self.variables[number][variable] = None
        if self.asking is not None:
            self.guards[number].add(self.asking)

    def _note(self, number: int, body: Body, parts: list[str]) -> None:
        own = self._bodies.tree.class_around(body.info) if parts[0] == "self" else None
        if len(parts) == 1:
            variable = f"{body.info.name}.{parts[0]}"
        elif own is not None and len(parts) == 2:
            variable = f"{own.name}.{parts[1]}"
        else:
            variable = ".".join(parts[1:] if parts[0] == "self" else parts)
        self._met(number, variable)

    def _meets(self, body: Body, index: int, parts: list[str], assumption: Assumption) -> bool:
        if assumption.kind == "name":
            wanted = assumption.name.split(".")
            return self._is_named(body, wanted, parts) or any(
                len(wanted) == 2 and wanted[0] == called and self._is_attribute(body, index, holder)
                for holder, called in self._snakes.items()
            )
        if assumption.kind == "attribute":
            return self._is_attribute(body, index, assumption.holder)
        return assumption.kind == "env" and len(parts) > 1

    def _is_attribute(self, body: Body, index: int, holder: str) -> bool:
        expr = body.scope.exprs[index]
        return isinstance(expr, ir.Attr) and self._is_held(body, expr.value, holder, 0)

    def _is_named(self, body: Body, wanted: list[str], parts: list[str]) -> bool:
        """Tell whether a dotted name ends as wanted; modules or classes in front narrow where it stands."""
        around = body.info.name.split(".")
        for kept in range(len(wanted)):
            tail = wanted[kept:]
            if parts[-len(tail) :] == tail and (not kept or _holds_run(around, wanted[:kept])):
                return True
        return False

    def _is_held(self, body: Body, index: int, holder: str, hops: int) -> bool:
        """Tell whether an expression is an object of a class, as far as its text says."""
        expr = body.scope.exprs[index]
        name = holder.rpartition(".")[2]
        if hops > _MAX_HOPS:
            return False
        if isinstance(expr, ir.Attr):
            return expr.id == self._snakes[holder] or self._is_part_of_view(body, expr.value, holder)
        if isinstance(expr, ir.Call):
            return self._gives(body, expr, name) or self._is_part_of_view(body, index, holder)
        if not isinstance(expr, ir.Name):
            return False
        if expr.id == self._snakes[holder]:
            return True
        owner = self._bodies.tree.class_around(body.info)
        if expr.id == "self" and owner is not None:
            return owner.name == holder
        bound = _bound(body, expr)
        if bound is not None:
            return self._is_held(body, bound, holder, hops + 1)
        param = _param(body, expr)
        return param is not None and _names_class(param.annotation, name)

    def _is_part_of_view(self, body: Body, index: int, holder: str) -> bool:
        """Tell whether an expression is the result of a view of a class, or a part of it."""
        expr = body.scope.exprs[index]
        while isinstance(expr, ir.Attr):
            expr = body.scope.exprs[expr.value]
        if isinstance(expr, ir.Name) and (bound := _bound(body, expr)) is not None:
            expr = body.scope.exprs[bound]
        if not self._views or holder != self._viewed or not isinstance(expr, ir.Call):
            return False
        names = (
            self._bodies.tree.scopes[v[1]].name for v in values_of(self._bodies, body, expr.func) if v[0] == FUNCTION
        )
        return any(fnmatchcase(name, pattern) for name in names for pattern in self._views)

    def may_be(self, body: Body, index: int, holder: str) -> bool:
        """Tell whether an expression can be an object of a class: a bare name of which nothing else is said can."""
        expr = body.scope.exprs[index]
        if self._is_held(body, index, holder, 0):
            return True
        if not isinstance(expr, ir.Name) or expr.id == "self":
            return False
        param = _param(body, expr)
        if param is not None:
            return not param.annotation
        bound = _bound(body, expr)
        made = body.scope.exprs[bound] if bound is not None else None
        called = values_of(self._bodies, body, made.func) if isinstance(made, ir.Call) else frozenset()
        return not any(value[0] == CLASS for value in called)

    def _gives(self, body: Body, call: ir.Call, name: str) -> bool:
        """Tell whether a function is annotated to return an object of a class."""
        return any(
            _names_class(self._bodies.tree.scopes[value[1]].returns, name)
            for value in values_of(self._bodies, body, call.func)
            if value[0] == FUNCTION
        )

    def _of_call(self, body: Body, call: ir.Call) -> list[tuple[int, Callable[[Scalar], Scalar]]]:
        parts = _dotted(body.scope.exprs, call.func)
        found: list[tuple[int, Callable[[Scalar], Scalar]]] = []
        for number in self._by_last.get(parts[-1], ()) if parts else ():
            wanted = self.all[number].name.split(".")
            shared = min(len(wanted), len(parts))
            if self.all[number].kind == "call" and wanted[-shared:] == parts[-shared:]:
                self._note(number, body, parts)
                found.append((number, _same))
        named = _first_text(body, call)
        if named is not None:
            for number in self._by_last.get(named, ()):
                if self.all[number].kind == "env" and self._reads_environment(body, call, parts):
                    self._met(number, f"env:{named}")
                    raw = parts[-2:] in (["os", "getenv"], ["environ", "get"]) or parts == ["getenv"]
                    found.append((number, _same if raw else _read_env))
        if len(parts) > 2 and parts[-1] == "get" and not call.args:
            for number in self._by_last.get(parts[-2], ()):
                if self.all[number].kind == "env":
                    self._met(number, f"env:{parts[-2]}")
                    found.append((number, _read_env))
        return found

    def _reads_environment(self, body: Body, call: ir.Call, parts: list[str]) -> bool:
        """Tell whether a call reads the environment variable that its first argument names."""
        if parts[-2:] in (["os", "getenv"], ["environ", "get"]) or parts == ["getenv"]:
            return True
        return bool(parts) and "env" in parts[-1].lower()

    def _of_environment(
        self, body: Body, expr: ir.Subscript | ir.Compare
    ) -> list[tuple[int, Callable[[Scalar], Scalar]]]:
        """Return the assumptions about `os.environ["NAME"]` and `"NAME" in os.environ`."""
        exprs = body.scope.exprs
        is_read = isinstance(expr, ir.Subscript)
        table = expr.value if isinstance(expr, ir.Subscript) else expr.rights[0]
        key = exprs[expr.index if isinstance(expr, ir.Subscript) else expr.left]
        parts = _dotted(exprs, table)
        if not parts or parts[-1] != "environ" or not isinstance(key, ir.Const) or not isinstance(key.value, str):
            return []
        if isinstance(expr, ir.Compare) and expr.ops not in (("in",), ("not in",)):
            return []
        found: list[tuple[int, Callable[[Scalar], Scalar]]] = []
        for number in self._by_last.get(key.value, ()):
            if self.all[number].kind == "env":
                self._met(number, f"env:{key.value}")
                found.append((number, _same if is_read else _is_there if expr.ops == ("in",) else _is_missing))  # type: ignore[union-attr]
        return found

    def _place(self, body: Body, index: int, number: int) -> Place:
        place = self.all[number].place
        if place is not None:
            return place
        at = body.scope.exprs[index].at
        return Place(body.info.module.path, ir.line_of(at), ir.column_of(at), body.info.name)


def _same(value: Scalar) -> Scalar:
    return value


def _is_there(value: Scalar) -> Scalar:
    return value is not None


def _is_missing(value: Scalar) -> Scalar:
    return value is None


def _read_env(value: Scalar) -> Scalar:
    """Return an environment variable as programs read it: a truth value or a number where it looks like one."""
    if not isinstance(value, str):
        return value
    if value.lower() in _YES and value != "1":
        return True
    if value.lower() in _NO and value != "0":
        return False
    return int(value) if re.fullmatch(r"-?\d+", value) else value


def _param(body: Body, expr: ir.Name) -> Parameter | None:
    """Return the parameter that a name is, None where it is none or may be something else."""
    reaching = body.scope.uses[expr.use]
    if len(reaching) != 1 or reaching[0] < 0 or body.scope.definitions[reaching[0]].bind >= 0:
        return None
    return next((p for p in body.info.params if p.id == expr.id), None)


def _bound(body: Body, expr: ir.Name) -> int | None:
    """Return the expression that the one definition of a local name binds, None where there is no such."""
    reaching = body.scope.uses[expr.use]
    if len(reaching) != 1 or reaching[0] < 0 or body.scope.definitions[reaching[0]].bind < 0:
        return None
    bind = body.scope.exprs[body.scope.definitions[reaching[0]].bind]
    return bind.value if isinstance(bind, ir.Bind) and not bind.how and bind.value >= 0 else None


def _holds_run(parts: list[str], run: list[str]) -> bool:
    return any(parts[k : k + len(run)] == run for k in range(len(parts) - len(run) + 1))


def _dotted(exprs: tuple[ir.Expr, ...], index: int) -> list[str]:
    """Return the parts of a dotted name, a call in it by the name of what is called; empty for anything else."""
    expr = exprs[index]
    if isinstance(expr, ir.Name):
        return [expr.id]
    if isinstance(expr, ir.Attr):
        base = _dotted(exprs, expr.value)
        return [*base, expr.id] if base else ["", expr.id]
    if isinstance(expr, ir.Call):
        base = _dotted(exprs, expr.func)
        return [*base[:-1], f"{base[-1]}()"] if base else []
    return []


def _first_text(body: Body, call: ir.Call) -> str | None:
    first = body.scope.exprs[call.args[0].value] if call.args and not call.args[0].star else None
    return first.value if isinstance(first, ir.Const) and isinstance(first.value, str) else None


def _names_class(term: object, name: str) -> bool:
    """Tell whether an annotation names a class, alone or as one of several."""
    if isinstance(term, str):
        return term.rpartition(".")[2] == name
    if isinstance(term, tuple):
        head, arguments = term
        return head in ("Optional", "typing.Optional", "|", "Union") and any(_names_class(a, name) for a in arguments)
    return False


def snake(name: str) -> str:
    """Return a class's name as variables that hold an object of it are called."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
