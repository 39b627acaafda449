"""`flags`: environment variables that are not declared, not read, or not parsed; descriptors that are tested for their value.

Forms: `undeclared`: an attribute of a holder or table of variables that declares none of that name. `unread`: a declared
variable that nothing in the tree reads; never more than `medium`, for a program outside the tree may. `descriptor`: a
descriptor, or its bound `get`, tested or compared in place of its value. `parse`: `bool` of a string, so that "0" is true.

Approximates: under (what stands in `analysis/detect/environment.py` as not seen).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from codepath.analysis.detect.environment import Environment, EnvUse
from codepath.analysis.detect.families import Families
from codepath.model import ir
from codepath.model.checks import Note
from codepath.model.detect import Detected
from codepath.model.flags import Flag, FlagUse
from codepath.program.values import ScopeId

KIND = "flags"
_OPERATORS = ("__eq__", "__lt__", "__gt__", "__le__", "__ge__")


class Flags:
    """Finds variables and what is wrong with them."""

    def __init__(self, families: Families) -> None:
        self._families = families
        self._tree = families.tree
        self._environment = Environment(families)

    def everywhere(self) -> Iterator[Detected]:
        """Yield what is wrong with the variables of the whole tree."""
        yield from self.faults(self._environment.every())

    def uses(self, name: str = "") -> list[EnvUse]:
        """Return the uses of a variable, of all for ""."""
        return self._environment.of(name) if name else self._environment.every()

    def flags(self, uses: Iterable[EnvUse]) -> tuple[Flag, ...]:
        """Return the variables that are used, by name."""
        found: dict[str, list[EnvUse]] = {}
        for use in uses:
            found.setdefault(use.name, []).append(use)
        return tuple(self._flag(name, found[name]) for name in sorted(found))

    def _flag(self, name: str, uses: list[EnvUse]) -> Flag:
        rows = dict.fromkeys(
            FlagUse(self._tree.place(u.info, u.at), _HOW.get(u.how, u.how), u.through, u.default) for u in uses
        )
        ordered = sorted(rows, key=lambda u: (u.place.file, u.place.line, u.place.column, u.how))
        default = next((u.default for u in ordered if u.how == "declared"), "")
        default = default or next((u.default for u in ordered if u.default), "")
        return Flag(name, "environment", tuple(ordered), default=default)

    def faults(self, uses: Iterable[EnvUse]) -> Iterator[Detected]:
        """Yield what is wrong in some uses, those of a variable together."""
        found = list(uses)
        reading = {u.name for u in found if u.how not in ("declared", "parsed", "set")}
        for use in found:
            if use.how == "unknown":
                yield self._undeclared(use)
            elif use.how == "declared" and use.name not in reading and not self._is_named(use):
                yield self._fault(use, "unread", f"`{use.name}` is declared and nothing in the tree reads it", "medium")
            elif use.declared is not None and (use.is_tested or use.is_compared):
                yield from self._descriptor(use)
        for use in found:
            yield from self._parsed(use)

    # --- declarations ------------------------------------------------------------------------------------------------

    def _undeclared(self, use: EnvUse) -> Detected:
        owner = use.through.rpartition(".")[0]
        return self._fault(use, "undeclared", f"`{owner}` declares no `{use.name}`, which is read of it here", "high")

    def _is_named(self, use: EnvUse) -> bool:
        """Tell whether another file holds the name of a variable: in a string, a script, by another accessor."""
        return any(path != use.info.module.path for path in self._tree.words.holding(use.name))

    # --- values ------------------------------------------------------------------------------------------------------

    def _descriptor(self, use: EnvUse) -> Iterator[Detected]:
        if use.declared is None or use.declared.cls is None:
            return
        what = "compared" if use.is_compared else "tested"
        if use.how == "bare" and self._has_value(use.declared.cls, _OPERATORS if use.is_compared else ("__bool__",)):
            return
        bare = f"`{use.through}` is the declaration, not its value, and is {what} here: `.get()` gives the value"
        bound = f"`{use.through}` is a method, which is always true, and is {what} here without being called"
        is_own = use.info.module is use.declared.info.module  # which shows, or tries, how declarations behave
        yield self._fault(use, "descriptor", bare if use.how == "bare" else bound, "low" if is_own else "high")

    def _has_value(self, cls: ScopeId, names: tuple[str, ...]) -> bool:
        """Tell whether objects of a class stand for their value: by `__get__`, or by operators that do more than raise."""
        if self._families.classes.outside_bases(cls):
            return True
        if self._families.method(self._tree.info(cls), "__get__") is not None:
            return True
        methods = [self._families.method(self._tree.info(cls), name) for name in names]
        return any(m is not None and not self._raises(m[1].info.sid) for m in methods)

    def _raises(self, sid: ScopeId) -> bool:
        scope = self._tree.bodies.of(self._tree.info(sid)).scope
        return bool(scope.body) and isinstance(scope.body[-1], ir.Raise) and len(scope.body) <= _DOC_AND_RAISE

    def _parsed(self, use: EnvUse) -> Iterator[Detected]:
        """Yield a string of the environment that is taken for a truth value."""
        if use.how not in ("read", "parsed") or use.expr < 0 or use.declared is not None or use.through not in _STRINGS:
            return
        exprs = self._tree.bodies.of(use.info).scope.exprs
        is_bool = any(_is_bool_of(exprs, e, use.expr) for e in exprs)
        if not (is_bool or use.is_tested):
            return
        default = _constant(use.default)
        if default is _UNKNOWN or default in (None, ""):
            return  # it asks whether the variable is set
        text = "`bool` of it is true for '0'" if is_bool else "it is tested as a string, which is true for '0'"
        is_false = isinstance(default, (str, int)) and not isinstance(default, bool) and str(default).lower() in _FALSE
        precision = "high" if is_false else "medium"
        yield self._fault(use, "parse", f"`{use.name}` is not parsed: {text}", precision)

    def _fault(self, use: EnvUse, form: str, message: str, precision: str) -> Detected:
        notes = []
        if use.declared is not None and use.how != "declared":
            notes.append(Note(self._tree.place(use.declared.info, use.declared.at), "declared here"))
        return Detected(
            kind=KIND,
            form=form,
            owner=use.info.module.name,
            name=use.name,
            message=message,
            place=self._tree.place(use.info, use.at),
            precision=precision,
            surprise={"undeclared": 1.0, "descriptor": 0.9, "parse": 0.8}.get(form, 0.2),
            notes=tuple(notes),
        )


_HOW = {"bare": "read", "unknown": "read", "parsed": "declared"}
_DOC_AND_RAISE = 2
_FALSE = frozenset(["0", "false", "no", "off"])
_STRINGS = frozenset(["os.getenv", "getenv", "os.environ.get", "environ.get"])
_UNKNOWN = object()


def _is_bool_of(exprs: tuple[ir.Expr, ...], expr: ir.Expr, index: int) -> bool:
    """Tell whether an expression is `bool` of another one."""
    if not isinstance(expr, ir.Call) or len(expr.args) != 1 or expr.args[0].value != index:
        return False
    func = exprs[expr.func]
    return isinstance(func, ir.Name) and func.id == "bool"


def _constant(text: str) -> object:
    """Return the constant that a default is, None for none."""
    if not text:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return _UNKNOWN
