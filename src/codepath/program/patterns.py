"""Names built at run time: strings of which a start and an end are constant, and the attributes that they can mean.

`f"visit_{kind}"`, `"visit_" + kind`, `"visit_%s" % kind` and `"visit_{}".format(kind)` are one string to the solver, known by
its ends. `getattr` with such a name gives the attributes that fit, or, where many do, one value that stands for them all.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.program import values as v
from codepath.program.arguments import Arguments
from codepath.program.values import NOTHING, ScopeId, Value, Values

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
_Named = tuple[()] | tuple[ScopeId, str, tuple[int, ...]]
"""A name in a scope by whose class something is chosen, empty where there is none."""
_ENDS = 3  # items of a string that is known by its ends alone
_OF_NAMES = re.compile(r"\w*")
_CASES = {"lower": str.lower, "upper": str.upper, "casefold": str.casefold, "swapcase": str.swapcase}
_SPLITTING = frozenset(["split", "rsplit", "partition", "rpartition"])
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
            known, last = self._text_of(frame.values[part])
            module = _own_module(frame, part)
            is_whole = bool(module) or known == last != ""
            start = start or (module or known) + (_constant_at(frame.exprs, expr, 1) if is_whole else "")
        filled = [part for part in expr.parts if not isinstance(frame.exprs[part], ir.Const)]
        return self._string(start, end, _class_named(frame, filled[0]) if len(filled) == 1 else ())

    def added(self, frame: Frame, left: Values, right: int) -> Values:
        """Return what a string and the expression `right` are known to be together."""
        start, end = self._text_of(left)[0], self._text_of(frame.values[right])[1]
        return self._string(start, end, _class_named(frame, right) if all(one[0] == v.TEXT for one in left) else ())

    def formatted(self, text: str, fields: str, of: _Named = ()) -> Values:
        """Return what a constant string with places to fill in is known to be.

        Args:
            text: the constant string.
            fields: "%" or "{".
            of: the name whose class's name is filled in, where that is all.
        """
        pieces = (_SPEC if fields == "%" else _FIELD).split(text)
        return self._string(pieces[0], pieces[-1], of if len(pieces) == 2 else ()) if len(pieces) > 1 else _A_STRING

    def percent(self, frame: Frame, text: str, right: int) -> Values:
        """Return what `text % right` is known to be."""
        return self.formatted(text, "%", _class_named(frame, right))

    def _text_of(self, values: Values) -> tuple[str, str]:
        """Return the constant start and end of a string, empty where they are not known."""
        known = [value for value in values if value[0] in (v.TEXT, v.TEXT_LIKE)]
        if len(known) != 1 or any(value[0] not in (v.TEXT, v.TEXT_LIKE, v.RESULT) for value in values):
            return "", ""
        (value,) = known
        if value[0] == v.TEXT_LIKE:
            return value[1], value[2]
        return (value[1], value[1]) if isinstance(value[1], str) and len(values) == 1 else ("", "")

    def _string(self, start: str, end: str, of: _Named = ()) -> Values:
        if not _OF_NAMES.fullmatch(start + end):
            if not self._starts_module(start):
                return _A_STRING
        elif len(start) + len(end) < _SHORTEST:
            return _A_STRING
        return frozenset([*_A_STRING, (v.TEXT_LIKE, start, end, *of)])

    def _starts_module(self, start: str) -> bool:
        """Tell whether a string goes on with the name of a module in a package of the tree, or in one beside a module."""
        head = start.rpartition(".")[0]
        return "." in start and (start.startswith(".") or self.solver.tree.is_module(head))

    def method(self, value: Value, name: str) -> Values:
        """Return the method `name` of a string."""
        if (value[0] == v.TEXT_LIKE and (name in _CASES or name in _KEEPING)) or (
            name == "format" and "{" in str(value[1])
        ):
            return frozenset([(v.BUILTIN_METHOD, value, name)])
        if name in _SPLITTING and value[0] == v.TEXT and isinstance(value[1], str) and self.solver.is_path(value[1]):
            return frozenset([(v.BUILTIN_METHOD, value, name)])
        if name == "join" and value == (v.TEXT, "."):
            return frozenset([(v.BUILTIN_METHOD, value, name)])
        return NOTHING if value[0] == v.TEXT_LIKE else frozenset([(v.OUTSIDE, f"builtins.str.{name}")])

    def call_method(self, frame: Frame, index: int, value: Value, arguments: Arguments) -> Values:
        """Return what calling a method of a string gives."""
        text, name = value[1], value[2]
        frame.note(index, f"builtins.str.{name}", "call")
        for values in (*arguments.positional, *arguments.keywords.values()) if name == "format" else ():
            self.solver.operators.text(frame, index, values, ("__format__", "__str__", "__repr__"))
        if name in _SPLITTING:
            return self._split(frame, index, text[1], name, arguments)
        if name == "join":
            pieces = [value[1] for values in arguments.positional for value in values if value[0] == v.PIECES]
            return _A_STRING.union(*(self.solver.text(".".join(one)) for one in pieces))
        if text[0] == v.TEXT:
            filled = _filled(text[1], arguments.positional)
            return self.formatted(filled, "{") if "{" in filled else self.solver.text(filled)
        if name in _CASES:
            return self._string(_CASES[name](text[1]), _CASES[name](text[2]))
        return frozenset([text, *_A_STRING])

    def _split(self, frame: Frame, index: int, text: str, name: str, arguments: Arguments) -> Values:
        """Return the parts of a constant string."""
        given = [value[1] for values in arguments.positional[:1] for value in values if value[0] == v.TEXT]
        if len(given) != 1 or not given[0]:
            return frozenset([(v.RESULT, f"builtins.str.{name}")])
        expr = frame.exprs[index]
        counts = [a.value for a in expr.args[1:] if a.name in (None, "maxsplit")] if isinstance(expr, ir.Call) else []
        limit = frame.exprs[counts[0]] if counts else None
        most = limit.value if isinstance(limit, ir.Const) and isinstance(limit.value, int) else -1
        split = {"split": str.split, "rsplit": str.rsplit}.get(name)
        if split is not None:
            return frozenset([(v.PIECES, tuple(split(text, given[0], most)))])
        return frozenset([(v.PIECES, getattr(text, name)(given[0]))])

    def piece(self, frame: Frame, value: Value, key: int) -> Values:
        """Return what stands at a constant index, or between constant bounds, of a split string."""
        expr = frame.exprs[key]
        pieces: tuple[str, ...] = value[1]
        if isinstance(expr, ir.Slice):
            lower, upper = (_number(frame, bound) for bound in (expr.lower, expr.upper))
            is_known = (expr.lower < 0) == (lower is None) and (expr.upper < 0) == (upper is None) and expr.step < 0
            return frozenset([(v.PIECES, pieces[lower:upper])]) if is_known else _A_STRING
        number = _number(frame, key)
        if number is None or not -len(pieces) <= number < len(pieces):
            return _A_STRING
        return self.solver.text(pieces[number])

    # --- attributes --------------------------------------------------------------------------------------------------

    def names_something(self, value: Value) -> bool:
        """Tell whether an attribute of some class fits a string."""
        if self._declared != len(self.solver.tree.scopes):
            scopes = self.solver.tree.scopes
            self._declared = len(scopes)
            self._names = sorted({name for info in scopes if info.form == "class" for name in info.names})
        start, end = value[1], value[2]
        if "." in start:
            return True
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
            if len(names) > _MOST_MATCHES or (names and _is_called_with(frame, index, name[_ENDS:])):
                found.add((v.ATTRIBUTE_LIKE, value, *name[1:]))
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
        """Call every attribute that fits a string; one named by the class of an argument gets objects of that class only."""
        found: set[Value] = set()
        named = _arguments_named(frame, frame.exprs[index], value[_ENDS + 1 :])
        for name in self.fitting(value[1], value[2], value[3]):
            middle = name[len(value[2]) : len(name) - len(value[3])]
            given = self._of_class(arguments, named, middle) if named else arguments
            if given is None:
                continue
            for held in self.solver.attributes.read(frame, index, value[1], name):
                if held[0] in (v.FUNCTION, v.BOUND):
                    found |= self.solver.calls.call(frame, index, _as_family(held), given, kind)
        return frozenset(found) if len(found) <= _MOST_MATCHES else NOTHING

    def _of_class(self, arguments: Arguments, positions: list[int], name: str) -> Arguments | None:
        """Return arguments, at some positions only the objects whose class is called `name`; None where there are none."""
        positional = list(arguments.positional)
        for position in positions:
            given = positional[position]
            kept = frozenset(one for value in given for one in self._called(value, name))
            if given and not kept:
                return None
            positional[position] = kept
        return arguments._replace(positional=positional)

    def _called(self, value: Value, name: str) -> list[Value]:
        """Return what of a value can be an object of the very class `name`."""
        scopes = self.solver.tree.scopes
        if value[0] == v.INSTANCE:
            return [value] if scopes[value[1]].id == name else []
        if value[0] != v.OPEN:
            return [value]
        near = (value[1], *self.solver.classes.below(value[1]))
        return [(v.INSTANCE, cls) for cls in near if scopes[cls].id == name]


def _own_module(frame: Frame, index: int) -> str:
    """Return the name of the module or package around, where an expression is that."""
    expr = frame.exprs[index]
    module = frame.info.module
    if not isinstance(expr, ir.Name) or expr.id not in ("__name__", "__package__"):
        return ""
    return module.name if expr.id == "__name__" or module.is_package else module.name.rpartition(".")[0]


def _constant_at(exprs: tuple[ir.Expr, ...], expr: ir.Joined, number: int) -> str:
    """Return the constant text that is part `number` of an f-string."""
    part = exprs[expr.parts[number]] if number < len(expr.parts) else None
    return part.value if isinstance(part, ir.Const) and isinstance(part.value, str) else ""


def _filled(text: str, given: Sequence[Values]) -> str:
    """Return a format string whose places `{}` are filled in with the constant strings that are given for them."""
    if any(field != "{}" for field in _FIELD.findall(text)):
        return text
    pieces = _FIELD.split(text)
    made = pieces[0]
    for number, piece in enumerate(pieces[1:]):
        values = given[number] if number < len(given) else NOTHING
        known = [value[1] for value in values if value[0] == v.TEXT and isinstance(value[1], str)]
        is_known = len(known) == len(values) == 1 and "{" not in known[0]
        made += (known[0] if is_known else "{}") + piece
    return made


def _number(frame: Frame, index: int) -> int | None:
    """Return the integer that an expression is, None for any other."""
    expr = frame.exprs[index] if index >= 0 else None
    sign = 1
    if isinstance(expr, ir.Unary) and expr.op == "-":
        expr, sign = frame.exprs[expr.value], -1
    number = expr.value if isinstance(expr, ir.Const) and not expr.form else None
    return sign * number if isinstance(number, int) and not isinstance(number, bool) else None


def _class_named(frame: Frame, index: int) -> _Named:
    """Return the name of which an expression is the name of the class: `node.__class__.__name__`, `type(node).__name__`."""
    expr = frame.exprs[index]
    if not isinstance(expr, ir.Attr) or expr.id not in ("__name__", "__qualname__"):
        return ()
    inner = frame.exprs[expr.value]
    if isinstance(inner, ir.Attr) and inner.id == "__class__":
        of = frame.exprs[inner.value]
    elif isinstance(inner, ir.Call) and len(inner.args) == 1 and _is_type(frame.exprs[inner.func]):
        of = frame.exprs[inner.args[0].value]
    else:
        return ()
    return (frame.info.sid, of.id, frame.scope.uses[of.use]) if isinstance(of, ir.Name) else ()


def _is_type(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Name) and expr.id == "type"


def _arguments_named(frame: Frame, call: ir.Expr, of: _Named) -> list[int]:
    """Return the positions of the arguments of a call that are the name by whose class an attribute was chosen."""
    if not of or of[0] != frame.info.sid or not isinstance(call, ir.Call):
        return []
    plain = [frame.exprs[argument.value] for argument in call.args if not argument.star and argument.name is None]
    return [n for n, one in enumerate(plain) if isinstance(one, ir.Name) and _is_same(frame, one, of)]


def _is_same(frame: Frame, expr: ir.Name, of: _Named) -> bool:
    return len(of) > 1 and expr.id == of[1] and frame.scope.uses[expr.use] == of[2]


def _is_called_with(frame: Frame, index: int, of: _Named) -> bool:
    """Tell whether the scope calls what expression `index` gives with the name by whose class that was chosen."""
    calls = (expr for expr in frame.exprs if isinstance(expr, ir.Call) and _arguments_named(frame, expr, of))
    return any(expr.func == index or _is_bound_to(frame, frame.exprs[expr.func], index) for expr in calls)


def _is_bound_to(frame: Frame, expr: ir.Expr, index: int) -> bool:
    if not isinstance(expr, ir.Name):
        return False
    places = [frame.scope.definitions[number].bind for number in frame.scope.uses[expr.use] if number >= 0]
    binds = [frame.exprs[place] for place in places if place >= 0]
    return any(isinstance(bind, ir.Bind) and bind.value == index for bind in binds)


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
