"""What leaves a scope: what it returns, raises, exports and lends to the functions inside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codepath.model import ir
from codepath.program import cells as c
from codepath.program import values as v
from codepath.program.arguments import Arguments
from codepath.program.kept import LEAVING, reader
from codepath.program.leaving import among, is_left_to_others, leaving
from codepath.program.optional import Giving, Taken, taken
from codepath.program.tree import DYNAMIC
from codepath.program.values import NOTHING, ScopeId, Values

if TYPE_CHECKING:
    from codepath.program.frame import Frame

_METHODS = (v.FUNCTION, v.PROPERTY, v.SETTER)


def leave(frame: Frame, changed: set[int] | None = None) -> None:
    """Pass on what leaves the scope: all of it, or what comes of expressions that have changed."""
    frame.cells.reader = reader(frame.info.sid, LEAVING)
    found = frame.kept.leaving if frame.kept is not None else leaving(frame.scope.body)
    returns, contexts, tests, raised = found if changed is None else among(found, changed)
    for context in contexts:
        frame.solver.taking.step(frame, context, frame.values[context], ir.ENTER)
    for test in tests:
        if frame.values[test]:
            frame.solver.operators.truth(frame, test, frame.values[test])
    for index in raised:
        _raise(frame, index)
    if raised and changed is None and is_left_to_others(frame.scope):
        frame.solver.left_to_others.add(frame.info.sid)
    if frame.cells.is_frozen:
        return
    if frame.info.form in ("module", "class"):
        _export(frame)
    else:
        if returns:
            _give(frame, found[0])
        if frame.solver.captured(frame.info):
            _lend(frame)


def _give(frame: Frame, returns: tuple[int, ...]) -> None:
    """Pass on what the function returns; what it gives back as it came is its caller's to know."""
    sid = frame.info.sid
    back = {value: number for value in returns if (number := _given_back(frame, value)) is not None}
    under = frame.solver.absences(frame.info, frame.scope)
    items = _taken(frame, returns)
    if back or under or items:
        numbers, absences = tuple(sorted(set(back.values()))), tuple(sorted(set(under.values())))
        frame.solver.giving[sid] = Giving(numbers, absences, tuple(sorted(set(items.values()))))
    for value in returns:
        found = frame.solver.passed(frame.values[value])
        frame.cells.join((c.RETURN, sid), found)
        if (back or under or items) and value not in back and value not in items:
            frame.cells.join((c.MADE, sid, *under.get(value, ())), found)
        if frame.forward is not None and value not in frame.forward.given_on:
            frame.cells.join((c.OWN, sid), found)


def _taken(frame: Frame, returns: tuple[int, ...]) -> dict[int, Taken]:
    """Return the returned expressions that are items of a parameter other than `self`."""
    if frame.narrowed:
        return {}
    first = 0 if frame.solver.tree.class_around(frame.info) is None else 1
    found = ((value, taken(frame.scope, value)) for value in returns)
    return {value: item for value, item in found if item is not None and item[0] >= first}


def _given_back(frame: Frame, index: int) -> int | None:
    """Return the number of the parameter that an expression is, None where it is something else."""
    expr = frame.exprs[index]
    reaching = frame.scope.uses[expr.use] if isinstance(expr, ir.Name) and index not in frame.narrowed else ()
    if len(reaching) != 1 or not 0 <= reaching[0] < len(frame.info.params):
        return None
    number = reaching[0]
    is_plain = frame.info.params[number].form in ("positional", "normal")
    is_self = number == 0 and frame.solver.tree.class_around(frame.info) is not None
    return number if is_plain and not is_self and frame.scope.definitions[number].bind < 0 else None


def _raise(frame: Frame, index: int) -> None:
    """Raise what expression `index` gives: a class is constructed first."""
    for value in frame.values[index]:
        if value[0] in (v.CLASS, v.OPEN_CLASS):
            frame.solver.calls.call(frame, index, value, Arguments())


def _export(frame: Frame) -> None:
    for name, reaching in frame.scope.exports:
        origins = frame.info.names.get(name, ())
        if DYNAMIC in origins:
            found = NOTHING.union(*(frame.values[frame.scope.definitions[d].bind] for d in reaching if d >= 0))
            frame.cells.join((c.NAME, frame.info.sid, name), found)
            if frame.info.form == "class":
                adopt(frame, found, frame.info.sid)


def adopt(frame: Frame, values: Values, cls: ScopeId) -> None:
    """Give functions from elsewhere that a class gets an object of the class as their first argument."""
    scopes = frame.solver.tree.scopes
    for value in values:
        if value[0] in _METHODS and scopes[value[1]].outer != cls and scopes[value[1]].params:
            frame.cells.join((c.PARAM, value[1], 0), frozenset([(v.OPEN, cls)]))


def _lend(frame: Frame) -> None:
    """Give closures the values of the names of this function."""
    for number, definition in enumerate(frame.scope.definitions):
        found = frame.values[definition.bind] if definition.bind >= 0 else frame.param(number)
        frame.cells.join((c.NAME, frame.info.sid, definition.id), found)
