"""Which launch options a condition depends on, found backwards over attributes, parameters, globals and their setters.

Approximates: under (what is handed on otherwise, through a library, or over more than a few calls, is not followed).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Iterator

from codepath.model import ir
from codepath.model.answers import Step
from codepath.model.assumptions import Option
from codepath.model.knowledge import Launch
from codepath.program.bodies import Bodies, Body
from codepath.program.graph import CallGraph
from codepath.program.regions import every_region
from codepath.program.subtrees import children
from codepath.program.tree import ScopeInfo

_DEPTH = 5  # times that a value is handed on
_CALLERS = 6  # a function that more call says nothing of one of them
_MOST = 4  # options that one condition depends on; of more none decides it
Found = frozenset[str]
NONE: Found = frozenset()


class LaunchOptions:
    """Finds launch options by the attributes that they become. `launches` name the classes whose objects carry them.

    `off` are the attributes of switches that are off by default.
    """

    def __init__(self, graph: CallGraph, bodies: Bodies, options: Iterable[Option], launches: Iterable[Launch]) -> None:
        self._graph = graph
        self._bodies = bodies
        self._flags: dict[str, str] = {}
        options = tuple(options)
        self.off = frozenset(o.attribute for o in options if o.form == "flag" and o.has_default and o.default is False)
        for option in options:
            if option.strings and option.strings[0].startswith("--"):
                self._flags.setdefault(option.attribute, option.strings[0])
        classes = [launch.cls for launch in launches]
        self._classes = frozenset(name.rpartition(".")[2] for name in classes)
        self._holders = frozenset(_snake(name) for name in self._classes)
        self._known: dict[tuple[int, int, int], Found] = {}
        self._callees: dict[str, dict[int, list[str]]] = {}

    def on_way(self, steps: Iterable[Step], kept: Collection[tuple[str, int]]) -> Iterator[str]:
        """Yield the options on which the guards of steps depend, those nearest to their end first.

        Guards at the places (file, line) of `kept` hold by default and ask for nothing.
        """
        for step in reversed(list(steps)):
            body = self._bodies.body(step.caller)
            index = body.at_place(step.line, step.column) if body is not None else None
            if body is not None and index is not None:
                yield from self.at(body, index, kept)

    def at(self, body: Body, index: int, kept: Collection[tuple[str, int]]) -> Iterator[str]:
        """Yield the options on which the guards of an expression depend, the innermost guard first; `kept` as in `on_way`."""
        for literal in reversed(body.guards.of(index)):
            if (body.info.module.path, ir.line_of(literal.at)) in kept:
                continue
            if not literal.polarity and self._is_option(body, literal.test):
                continue  # a switch that is off
            found = self._of(body, literal.test, 0) if literal.test >= 0 and not literal.when else NONE
            if len(found) <= _MOST:
                yield from sorted(found)

    def _is_option(self, body: Body, index: int) -> bool:
        """Tell whether an expression is just what an option becomes."""
        expr = body.scope.exprs[index] if index >= 0 else None
        return isinstance(expr, ir.Attr) and expr.id in self._flags and self._carries(body, expr.value)

    def _of(self, body: Body, index: int, depth: int) -> Found:
        """Return the options on which an expression depends."""
        if index < 0 or depth > _DEPTH:
            return NONE
        key = (body.info.sid, index, depth)
        found = self._known.get(key)
        if found is None:
            self._known[key] = NONE  # what leads back here adds nothing
            found = self._known[key] = self._read(body, body.scope.exprs[index], depth)
        return found

    def _read(self, body: Body, expr: ir.Expr, depth: int) -> Found:
        if isinstance(expr, ir.Attr):
            if expr.id in self._flags and self._carries(body, expr.value):
                return frozenset([self._flags[expr.id]])
            stored = self._stored(body, expr, depth)
            return stored if stored is not None else self._of(body, expr.value, depth)
        if isinstance(expr, ir.Name):
            return self._named(body, expr, depth)
        if isinstance(expr, ir.Bind):
            return self._of(body, expr.value, depth)
        if isinstance(expr, ir.Call):
            return self._called(body, expr, depth)
        return NONE.union(*(self._of(body, child, depth) for child in children(expr)))

    def _carries(self, body: Body, index: int) -> bool:
        """Tell whether an expression is, by its name or annotation, an object with the launch options."""
        expr = body.scope.exprs[index]
        if isinstance(expr, ir.Attr):
            return expr.id in self._holders
        if isinstance(expr, ir.Call):
            func = body.scope.exprs[expr.func]
            return isinstance(func, (ir.Name, ir.Attr)) and any(func.id.endswith(name) for name in self._holders)
        if not isinstance(expr, ir.Name):
            return False
        around = self._bodies.tree.class_around(body.info)
        if around is not None and around.id in self._classes and body.scope.uses[expr.use] == (0,):
            return True
        return expr.id in self._holders or any(
            param.id == expr.id
            and isinstance(param.annotation, str)
            and param.annotation.rpartition(".")[2] in self._classes
            for param in body.info.params
        )

    def _stored(self, body: Body, expr: ir.Attr, depth: int) -> Found | None:
        """Return what the stores of an attribute of `self` depend on, None for another object's."""
        base = body.scope.exprs[expr.value]
        around = self._bodies.tree.class_around(body.info)
        if around is None or not isinstance(base, ir.Name) or body.scope.uses[base.use] != (0,):
            return None
        found = NONE
        for function in dict.fromkeys(f for f, owner in self._graph.stores_of(expr.id) if owner == around.name):
            other = self._bodies.body(function)
            for index, stored in enumerate(other.scope.exprs if other is not None else ()):
                if other is not None and isinstance(stored, ir.StoreAttr) and stored.id == expr.id:
                    found |= self._of(other, stored.value if stored.value >= 0 else index, depth + 1)
        return found

    def _named(self, body: Body, expr: ir.Name, depth: int) -> Found:
        reaching = body.scope.uses[expr.use]
        if not reaching:
            return self._global(body.info, expr.id, depth)
        found = NONE
        for number in reaching:
            bind = body.scope.definitions[number].bind if number >= 0 else -1
            if bind >= 0:
                found |= self._of(body, bind, depth)
            elif number >= 0:
                found |= self._passed(body.info, number, depth)
        return found

    def _passed(self, info: ScopeInfo, number: int, depth: int) -> Found:
        """Return what the arguments for a parameter depend on."""
        steps = [
            s
            for s in self._graph.steps_into(info.name)
            if s.resolution != "by-name" and s.kind in ("call", "construct")
        ]
        if len(steps) > _CALLERS:
            return NONE
        found = NONE
        skip = 1 if self._bodies.tree.class_around(info) is not None and "staticmethod" not in info.decorators else 0
        for step in steps:
            caller = self._bodies.body(step.caller)
            index = caller.at_place(step.line, step.column) if caller is not None else None
            call = caller.scope.exprs[index] if caller is not None and index is not None else None
            if caller is not None and isinstance(call, ir.Call):
                given = _argument(call, info.params[number].id, number - skip)
                found |= self._of(caller, given, depth + 1)
        return found

    def _global(self, info: ScopeInfo, name: str, depth: int) -> Found:
        """Return what a global depends on: what its module stores, and what its setters are given."""
        found = NONE
        for sid, cell in self._bodies.meaning(info, name).cells:
            module = self._bodies.tree.scopes[sid].module
            for scope in module.scopes:
                body = self._bodies.of(scope) if scope.form in ("module", "function") else None
                if body is None or (scope.form == "function" and cell not in body.scope.globals):
                    continue
                for index, expr in enumerate(body.scope.exprs):
                    if isinstance(expr, ir.Bind) and expr.id == cell and expr.value >= 0:
                        found |= self._of(body, index, depth + 1)
        return found

    def _called(self, body: Body, expr: ir.Call, depth: int) -> Found:
        """Return what the object of a method, the arguments, and what a function of the tree returns depend on.

        What a library makes of its arguments is not known: a time-out that it is handed decides no condition.
        """
        given = () if self._is_of_library(body, expr) else expr.args
        found = NONE.union(*(self._of(body, argument.value, depth) for argument in given))
        func = body.scope.exprs[expr.func]
        if isinstance(func, ir.Attr):
            return found | self._of(body, func.value, depth)
        for name in self._called_at(body.info.name).get(expr.at, ()):
            callee = self._bodies.body(name)
            for region in every_region(callee.scope.body) if callee is not None else ():
                if callee is not None and isinstance(region, ir.Return):
                    found |= self._of(callee, region.value, depth + 1)
        return found

    def _is_of_library(self, body: Body, expr: ir.Call) -> bool:
        """Tell whether a call is known to run only what is neither of the tree nor of Python."""
        tops = {name.partition(".")[0] for name in self._called_at(body.info.name).get(expr.at, ())}
        own = body.info.module.name.partition(".")[0]
        return bool(tops) and not any(top == own or top == "builtins" or top in sys.stdlib_module_names for top in tops)

    def _called_at(self, function: str) -> dict[int, list[str]]:
        """Return, by packed place, the functions that a function calls."""
        found = self._callees.get(function)
        if found is None:
            found = self._callees[function] = {}
            row = self._graph.function(function)
            for step in row.steps if row is not None else ():
                if step.kind in ("call", "construct") and step.resolution != "by-name":
                    found.setdefault(step.at, []).append(step.callee)
        return found


def _argument(call: ir.Call, name: str, position: int) -> int:
    """Return what a call gives for a parameter, -1 where that is not written."""
    for argument in call.args:
        if argument.name == name:
            return argument.value
    plain = [argument.value for argument in call.args if not argument.name and not argument.star]
    return plain[position] if 0 <= position < len(plain) else -1


def _snake(name: str) -> str:
    """Return the name of a variable for an object of a class."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
