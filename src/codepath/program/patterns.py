"""Names built at run time: strings of which a start and an end are constant, and the attributes that they can mean.

`f"visit_{kind}"`, `"visit_" + kind`, `"visit_%s" % kind` and `"visit_{}".format(kind)` are one string to the solver, known by
its ends. `getattr` with such a name gives the attributes that fit, or, where many do, one value that stands for them all.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.program import values as v
from codepath.program.arguments import Arguments
from codepath.program.values import NOTHING, Value, Values

if TYPE_CHECKING:
    from codepath.program.frame import Frame
    from codepath.program.solver import Solver

_SHORTEST = 3
"""Constant characters of a name that is built at run time."""
_MOST_MATCHES = 24
"""Attributes that are followed one by one; more stay one value."""
_A_STRING: Values = frozenset([(v.RESULT, "builtins.str")])
_FIELD = re.compile(r"\{[^{}]*\}")
_SPEC = re.compile(r"%(?:\([^)]*\))?[#0\- +]*\d*(?:\.\d+)?[a-zA-Z]")
_OF_NAMES = re.compile(r"\w*")
_CASES = {"lower": str.lower, "upper": str.upper, "casefold": str.casefold, "swapcase": str.swapcase}
_KEEPING = frozenset(["strip", "rstrip", "lstrip", "replace", "format"])


class Patterns:
    """Strings known by their ends, and the attributes that such a string can be the name of."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self._names: list[str] = []
        self._declared = 0

    # --- strings -----------------------------------------------------------------------------------------------------

    def joined(self, frame: Frame, expr: ir.Joined) -> Values:
        """Return what an f-string is known to be."""
        start, end = _constant_ends(frame.exprs, expr)
        for part in expr.parts[:1]:
            start = start or self._text_of(frame.values[part])[0]
        return self._string(start, end)

    def added(self, left: Values, right: Values) -> Values:
        """Return what `left + right` is known to be where one of them is a constant string."""
        return self._string(self._text_of(left)[0], self._text_of(right)[1])

    def formatted(self, text: str, fields: str) -> Values:
        """Return what a constant string with places to fill in is known to be; `fields`: "%" or "{"."""
        pieces = (_SPEC if fields == "%" else _FIELD).split(text)
        return self._string(pieces[0], pieces[-1]) if len(pieces) > 1 else _A_STRING

    def _text_of(self, values: Values) -> tuple[str, str]:
        """Return the constant start and end of a string, empty where they are not known."""
        known = [value for value in values if value[0] in (v.TEXT, v.TEXT_LIKE)]
        if len(known) != 1 or any(value[0] not in (v.TEXT, v.TEXT_LIKE, v.RESULT) for value in values):
            return "", ""
        (value,) = known
        if value[0] == v.TEXT_LIKE:
            return value[1], value[2]
        return (value[1], value[1]) if isinstance(value[1], str) and len(values) == 1 else ("", "")

    def _string(self, start: str, end: str) -> Values:
        if len(start) + len(end) < _SHORTEST or not _OF_NAMES.fullmatch(start + end):
            return _A_STRING
        return frozenset([*_A_STRING, (v.TEXT_LIKE, start, end)])

    def method(self, value: Value, name: str) -> Values:
        """Return the method `name` of a string."""
        if (value[0] == v.TEXT_LIKE and (name in _CASES or name in _KEEPING)) or (
            name == "format" and "{" in str(value[1])
        ):
            return frozenset([(v.BUILTIN_METHOD, value, name)])
        return NOTHING if value[0] == v.TEXT_LIKE else frozenset([(v.OUTSIDE, f"builtins.str.{name}")])

    def call_method(self, frame: Frame, index: int, value: Value, arguments: Arguments) -> Values:
        """Return what calling a method of a string gives."""
        text, name = value[1], value[2]
        frame.note(index, f"builtins.str.{name}", "call")
        for values in (*arguments.positional, *arguments.keywords.values()) if name == "format" else ():
            self.solver.operators.text(frame, index, values, ("__format__", "__str__", "__repr__"))
        if text[0] == v.TEXT:
            return self.formatted(text[1], "{")
        if name in _CASES:
            return self._string(_CASES[name](text[1]), _CASES[name](text[2]))
        return frozenset([text, *_A_STRING])

    # --- attributes --------------------------------------------------------------------------------------------------

    def names_something(self, value: Value) -> bool:
        """Tell whether an attribute of some class fits a string."""
        if self._declared != len(self.solver.tree.scopes):
            scopes = self.solver.tree.scopes
            self._declared = len(scopes)
            self._names = sorted({name for info in scopes if info.form == "class" for name in info.names})
        start, end = value[1], value[2]
        for name in self._names[bisect_left(self._names, start) :]:
            if not name.startswith(start):
                return False
            if name.endswith(end) and len(name) > len(start) + len(end):
                return True
        return False

    def attributes(self, frame: Frame, index: int, receivers: Values, name: Value) -> Values:
        """Return the attributes of receivers whose names fit a string."""
        found: set[Value] = set()
        for value in receivers:
            names = self.fitting(value, name[1], name[2])
            if len(names) > _MOST_MATCHES:
                found.add((v.ATTRIBUTE_LIKE, value, name[1], name[2]))
                continue
            for one in names:
                found |= self.solver.attributes.read(frame, index, value, one)
        return frozenset(_as_family(value) for value in found)

    def fitting(self, value: Value, start: str, end: str) -> list[str]:
        """Return the names of the attributes of a value that fit a string with constant ends, sorted."""
        scopes = self.solver.tree.scopes
        if value[0] == v.MODULE:
            info = self.solver.tree.modules.get(value[1])
            names = set(info.scopes[0].names) if info is not None else set()
        elif value[0] in (v.INSTANCE, v.OPEN, v.CLASS, v.OPEN_CLASS):
            is_open = value[0] in (v.OPEN, v.OPEN_CLASS)
            owners = self.solver.classes.related(value[1]) if is_open else self.solver.classes.mro(value[1])
            names = {name for owner in owners for name in scopes[owner].names}
        else:
            return []
        return sorted(n for n in names if n.startswith(start) and n.endswith(end) and len(n) >= len(start) + len(end))

    def call(self, frame: Frame, index: int, value: Value, arguments: Arguments, kind: str) -> Values:
        """Call every attribute that fits a string."""
        found: set[Value] = set()
        for name in self.fitting(value[1], value[2], value[3]):
            for held in self.solver.attributes.read(frame, index, value[1], name):
                if held[0] in (v.FUNCTION, v.BOUND):
                    found |= self.solver.calls.call(frame, index, _as_family(held), arguments, kind)
        return frozenset(found) if len(found) <= _MOST_MATCHES else NOTHING


def _constant_ends(exprs: tuple[ir.Expr, ...], expr: ir.Joined) -> tuple[str, str]:
    """Return the constant text with which an f-string starts and ends."""
    first, last = (exprs[expr.parts[0]], exprs[expr.parts[-1]]) if expr.parts else (None, None)
    start = first.value if isinstance(first, ir.Const) and isinstance(first.value, str) else ""
    end = last.value if isinstance(last, ir.Const) and isinstance(last.value, str) and len(expr.parts) > 1 else ""
    return start, end


def _as_family(value: Value) -> Value:
    """Return a method that is one of several by name only."""
    if value[0] == v.BOUND:
        return (v.BOUND, value[1], value[2], 1, *value[4:])
    return v.bound(value, None, True) if value[0] == v.FUNCTION else value
