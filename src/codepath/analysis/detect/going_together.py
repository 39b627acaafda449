"""Calls that go together: on what object one method is called, the other one is called too, nearly everywhere.

Also objects that a function treats alike: what it hands to several functions and forgets with one.

Source: deviant pairs (Engler et al., SOSP 2001).
Approximates: under (pairs are counted in one function at a time, on receivers that are written alike).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from codepath.analysis.detect.actions import CALL, Action, Actions
from codepath.analysis.detect.families import Families
from codepath.model import ir
from codepath.program.bodies import Body
from codepath.program.tree import ScopeInfo

_MOST_FILES = 60
_FEWEST = 3
_SHARE = 0.5
_DEPTH = 6


class Pair(NamedTuple):
    """`with_it` is called where `call` is, in `having` of `total` functions; `site` is a call without it."""

    call: Action
    with_it: str
    having: tuple[tuple[ScopeInfo, Action], ...]
    total: int


class Forgotten(NamedTuple):
    """A call that a function makes for one object and not for another one, both of which `shared` other calls get."""

    call: Action
    done: str
    left_out: str
    shared: tuple[str, ...]


class Together:
    """Finds both."""

    def __init__(self, families: Families, actions: Actions) -> None:
        self._tree = families.tree
        self._actions = actions
        self._families = families
        self._callers: dict[str, list[tuple[ScopeInfo, Action]]] = {}

    # --- pairs -------------------------------------------------------------------------------------------------------

    def pairs(self, info: ScopeInfo, share: float = _SHARE, fewest: int = _FEWEST) -> Iterator[Pair]:
        """Yield the calls of a function beside which others make one more on the same object, and it does not."""
        own = [a for a in self._actions.of(info) if a.what == CALL and "." in a.text]
        reached: set[tuple[str, str]] = set()
        for call in {a.name: a for a in own if a.name != info.id}.values():  # one that only hands on is no caller
            counts: dict[str, list[tuple[ScopeInfo, Action]]] = {}
            total = 0
            target = self._target(info, call)
            for caller, action in self.callers(call.name):
                if caller.sid == info.sid or self._target(caller, action) != target:
                    continue
                total += 1
                for name, beside in self._beside(caller, call.name).items():
                    counts.setdefault(name, []).append((caller, beside))
            for name, having in sorted(counts.items()):
                if len(having) < fewest or len(having) < share * total:
                    continue
                reached = reached or set(self._actions.reached(info))
                if (CALL, name) not in reached:
                    yield Pair(call, name, tuple(having), total)

    def _target(self, info: ScopeInfo, call: Action) -> int:
        """Return the highest method that a call on one's own object means, -1 for a call on another object."""
        owner = self._tree.bodies.tree.class_around(info)
        if owner is None or call.text != f"self.{call.name}":
            return -1
        having = [c for c in self._families.classes.mro(owner.sid) if call.name in self._families.table(c).methods]
        return having[-1] if having else -2

    def callers(self, name: str) -> list[tuple[ScopeInfo, Action]]:
        """Return the functions that call something of a name as a method, none for a name that is all over the tree."""
        found = self._callers.get(name)
        if found is None:
            found = self._callers[name] = list(self._calling(name))
        return found

    def _calling(self, name: str) -> Iterator[tuple[ScopeInfo, Action]]:
        paths = self._tree.words.holding(name)
        for path in paths if len(paths) <= _MOST_FILES else ():
            module = self._tree.module_at(path)
            for info in self._tree.bodies.holding(module.name, name) if module is not None else ():
                actions = self._actions.of(info) if info.form == "function" else ()
                call = next((a for a in actions if a.key == (CALL, name) and "." in a.text), None)
                if call is not None:
                    yield info, call

    def _beside(self, info: ScopeInfo, name: str) -> dict[str, Action]:
        """Return what a function calls on the objects on which it calls a method of a name."""
        actions = [a for a in self._actions.of(info) if a.what == CALL and "." in a.text]
        objects = {a.text.rpartition(".")[0] for a in actions if a.name == name}
        return {a.name: a for a in actions if a.name != name and a.text.rpartition(".")[0] in objects}

    # --- objects -----------------------------------------------------------------------------------------------------

    def forgotten(self, info: ScopeInfo) -> Iterator[Forgotten]:
        """Yield the calls that a function makes for one object and not for another one that it treats alike."""
        body = self._tree.bodies.of(info)
        given: dict[str, dict[str, Action]] = {}
        for action in self._actions.of(info):
            if action.what == CALL and action.site.sid == info.sid:
                for text in self._objects(body, action):
                    given.setdefault(text, {}).setdefault(action.name, action)
        for done, calls in sorted(given.items()):
            for other, others in sorted(given.items()):
                shared = tuple(sorted(set(calls) & set(others)))
                if done != other and shared and _last(done) == _last(other) and "." in done and "." in other:
                    for name, call in sorted(calls.items()):
                        if name not in others:
                            yield Forgotten(call, done, other, shared)

    def _objects(self, body: Body, action: Action) -> Iterator[str]:
        """Yield what a call is handed, as texts in which local names stand for what they hold."""
        call = body.scope.exprs[action.site.expr]
        assert isinstance(call, ir.Call)
        for arg in call.args:
            text = held(body, arg.value) if not arg.star else ""
            if "." in text:
                yield text


def held(body: Body, index: int, depth: int = _DEPTH) -> str:
    """Return a dotted expression with local names replaced by what they hold, "" for what is none."""
    exprs = body.scope.exprs
    expr = exprs[index] if index >= 0 else None
    if isinstance(expr, ir.Attr):
        inner = held(body, expr.value, depth)
        return f"{inner}.{expr.id}" if inner else ""
    if isinstance(expr, ir.Bind) and not expr.how:
        return held(body, expr.value, depth - 1)
    if isinstance(expr, ir.Call):
        return _looked_up(body, expr, depth)
    if not isinstance(expr, ir.Name):
        return ""
    definitions = body.scope.uses[expr.use]
    binds = [body.scope.definitions[d].bind for d in definitions if d >= 0]
    if len(binds) == 1 and binds[0] >= 0 and depth:
        bind = exprs[binds[0]]
        text = held(body, bind.value, depth - 1) if isinstance(bind, ir.Bind) and not bind.how else ""
        return text or expr.id
    return expr.id


def _looked_up(body: Body, call: ir.Call, depth: int) -> str:
    """Return `x.name` for `getattr(x, "name", ...)`, "" for another call."""
    func = body.scope.exprs[call.func]
    args = [body.scope.exprs[arg.value] for arg in call.args]
    if isinstance(func, ir.Name) and func.id == "getattr" and len(args) > 1 and isinstance(args[1], ir.Const):
        inner = held(body, call.args[0].value, depth - 1) if depth else ""
        return f"{inner}.{args[1].value}" if inner else ""
    return ""


def _last(text: str) -> str:
    return text.rpartition(".")[2]
