"""What a function does, as words that functions can be compared by: the functions of the tree that it calls, what it stores.

Approximates: under (calls of what the tree does not define, of builtins and of loggers are left out); what a function reaches
through others is over (a call on an unknown object counts as one of the only function of that name).
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import NamedTuple

from codepath.analysis.detect.families import Families
from codepath.analysis.detect.mentions import is_defined
from codepath.analysis.detect.tables import Site
from codepath.model import ir
from codepath.program.annotations import term_of
from codepath.program.bodies import Body
from codepath.program.tree import ScopeInfo
from codepath.program.values import FUNCTION, OUTSIDE

CALL, STORE = "call", "store"
_TYPES = (list, dict, set, str, bytes, tuple, int, float, type)
_LOGGERS = ("debug", "info", "warning", "warn", "error", "exception", "critical", "log", "warning_once", "info_once")
_USUAL = frozenset([*(name for kind in _TYPES for name in dir(kind)), *dir(builtins), *_LOGGERS])
"""Names that say little: methods of builtin types, builtins, loggers."""
_DEPTH = 3
_MOST = 300
"""Functions that are followed from one; beyond, what is left is not known."""


class Action(NamedTuple):
    """Something that a function does: `what` is `call` or `store`, `name` the last word of it, `text` how it is written."""

    what: str
    name: str
    text: str
    site: Site

    @property
    def key(self) -> tuple[str, str]:
        """What it is compared by."""
        return self.what, self.name


class Way(NamedTuple):
    """How a function comes to an action: the calls that lead there, outermost first, and the action."""

    through: tuple[Site, ...]
    action: Action


class Actions:
    """Reads what functions do; kept for each."""

    def __init__(self, families: Families) -> None:
        self._families = families
        self._tree = families.tree
        self._own: dict[int, tuple[Action, ...]] = {}
        self._named: dict[str, tuple[ScopeInfo, ...]] = {}
        self._known: dict[str, bool] = {}
        self._outside: dict[tuple[str, str], bool] = {}
        self._all: dict[str, list[ScopeInfo]] | None = None

    def read_all(self) -> None:
        """Make the names of the whole tree known at once."""
        self._all = {}
        for module in self._tree.everything():
            for info in module.scopes:
                if info.form in ("function", "class"):
                    self._all.setdefault(info.id, []).append(info)

    def defined(self, name: str) -> tuple[ScopeInfo, ...]:
        """Return the functions and classes of the tree with a name."""
        if self._all is not None:
            return tuple(self._all.get(name, ()))
        found = self._named.get(name)
        if found is None:
            found = self._named[name] = tuple(self._defined(name))
        return found

    def _defined(self, name: str) -> Iterator[ScopeInfo]:
        for path in self._defining(name):
            module = self._tree.module_at(path)
            yield from (i for i in module.scopes if i.id == name) if module is not None else ()

    def _defining(self, name: str) -> Iterator[str]:
        """Yield the files that hold a definition of a name, by their bytes."""
        return (path for path in self._tree.words.holding(name) if is_defined(self._tree.text(path), name))

    def is_defined(self, name: str) -> bool:
        """Tell whether the tree defines a function or class of a name."""
        if self._all is not None:
            return name in self._all
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = next(self._defining(name), None) is not None
        return found

    # --- one function ------------------------------------------------------------------------------------------------

    def of(self, info: ScopeInfo) -> tuple[Action, ...]:
        """Return what a function does, in the order of its text; what functions and lambdas inside it do counts."""
        found = self._own.get(info.sid)
        if found is None:
            inner = [one for one in info.module.scopes[info.index + 1 :] if self._is_inside(one, info)]
            actions = [action for one in (info, *inner) for action in self._scan(one)]
            found = self._own[info.sid] = tuple(sorted(actions, key=lambda a: a.site.at))
        return found

    def _is_inside(self, info: ScopeInfo, outer: ScopeInfo) -> bool:
        while info.outer >= 0:
            if info.form == "class":
                return False
            if info.outer == outer.sid:
                return True
            info = self._tree.info(info.outer)
        return False

    def _scan(self, info: ScopeInfo) -> Iterator[Action]:
        body = self._tree.bodies.of(info)
        for index, expr in enumerate(body.scope.exprs):
            if isinstance(expr, ir.StoreAttr) and (expr.value >= 0 or expr.how):
                text = f"{term_of(body.scope.exprs, expr.object) or '...'}.{expr.id}"
                yield Action(STORE, expr.id, text, Site(info.sid, index, expr.at))
            elif isinstance(expr, ir.Call) and body.guards.covers(index):
                name = self._called(body, expr)
                if name:
                    term = term_of(body.scope.exprs, expr.func)
                    yield Action(
                        CALL, name, term if isinstance(term, str) and term else name, Site(info.sid, index, expr.at)
                    )

    def _called(self, body: Body, call: ir.Call) -> str:
        """Return the last word of what is called, "" for what is left out."""
        func = body.scope.exprs[call.func]
        if not isinstance(func, (ir.Name, ir.Attr)) or func.id in _USUAL or func.id.startswith("__"):
            return ""
        if isinstance(func, ir.Attr) and self._is_outside(body, func.value):
            return ""
        return func.id if self.is_defined(func.id) else ""

    def _is_outside(self, body: Body, index: int) -> bool:
        """Tell whether the object of an attribute hangs on a module that is not of the tree."""
        expr = body.scope.exprs[index]
        while isinstance(expr, ir.Attr):
            expr = body.scope.exprs[expr.value]
        if not isinstance(expr, ir.Name) or body.scope.uses[expr.use]:
            return False
        key = (body.info.module.name, expr.id)
        if key not in self._outside:
            values = self._tree.bodies.meaning(body.info, expr.id).values
            self._outside[key] = bool(values) and all(v[0] == OUTSIDE for v in values)
        return self._outside[key]

    # --- through others ----------------------------------------------------------------------------------------------

    def reached(self, info: ScopeInfo) -> dict[tuple[str, str], Way]:
        """Return all that a function comes to, itself or through what it calls, by the shortest way."""
        found: dict[tuple[str, str], Way] = {}
        seen = {info.sid}
        level: list[tuple[ScopeInfo, tuple[Site, ...]]] = [(info, ())]
        while level:
            following: list[tuple[ScopeInfo, tuple[Site, ...]]] = []
            for one, through in level:
                for action in self.of(one):
                    found.setdefault(action.key, Way(through, action))
                    if len(through) < _DEPTH and len(seen) < _MOST:
                        for callee in self.callees(action, info):
                            if callee.sid not in seen:
                                seen.add(callee.sid)
                                following.append((callee, (*through, action.site)))
            level = following
        return found

    def callees(self, action: Action, start: ScopeInfo) -> tuple[ScopeInfo, ...]:
        """Return the functions that a call runs, none where that is not known; `start` says of which class `self` is."""
        if action.what != CALL:
            return ()
        around = self._tree.info(action.site.sid)
        body = self._tree.bodies.of(around)
        call = body.scope.exprs[action.site.expr]
        func = body.scope.exprs[call.func] if isinstance(call, ir.Call) else None
        if isinstance(func, ir.Name):
            return self._by_meaning(body, func)
        if isinstance(func, ir.Attr):
            own = self._own_methods(start, around, body, func)
            if own:
                return own
        functions = [one for one in self.defined(action.name) if one.form == "function"]
        return (functions[0],) if len(functions) == 1 else ()

    def _by_meaning(self, body: Body, name: ir.Name) -> tuple[ScopeInfo, ...]:
        values = self._tree.bodies.visible(body.info, name.id).values
        found = (self._tree.info(v[1]) for v in values if v[0] == FUNCTION)
        return tuple(sorted(found, key=lambda info: (info.module.path, info.at)))

    def _own_methods(self, start: ScopeInfo, around: ScopeInfo, body: Body, func: ir.Attr) -> tuple[ScopeInfo, ...]:
        """Return the methods that a call on one's own object, or on that of the base, runs."""
        receiver = body.scope.exprs[func.value]
        owner = self._tree.bodies.tree.class_around(around)
        if owner is None:
            return ()
        if isinstance(receiver, ir.Call):
            inner = body.scope.exprs[receiver.func]
            if isinstance(inner, ir.Name) and inner.id == "super":
                return self._found(owner, func.id, after=True)
            return ()
        if not isinstance(receiver, ir.Name) or receiver.id != "self":
            return ()
        mine = self._tree.bodies.tree.class_around(start)
        return self._found(mine, func.id) or self._found(owner, func.id) if mine is not None else ()

    def _found(self, cls: ScopeInfo, name: str, *, after: bool = False) -> tuple[ScopeInfo, ...]:
        classes = self._families.classes
        found = classes.find(cls.sid, name, after=cls.sid) if after else classes.find(cls.sid, name)
        method = self._families.table(found.owner).methods.get(name) if found is not None else None
        return (method.info,) if method is not None else ()
