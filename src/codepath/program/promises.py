"""What the annotation of a collection rules out: elements that are of none of the classes of the tree that it names.

Only collections: what is stored under an annotated name or returned is nearly always seen where it is made, and is believed
before the annotation; what a collection holds comes from all over the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codepath.program import values as v
from codepath.program.values import ScopeId, Value, Values

if TYPE_CHECKING:
    from codepath.program.classes import Classes

_OBJECTS = (v.INSTANCE, v.OPEN)


def promised_classes(values: Values) -> frozenset[ScopeId]:
    """Return the classes of the tree that an annotation names, empty where it names something else too."""
    if any(value[0] not in _OBJECTS for value in values):
        return frozenset()
    return frozenset(value[1] for value in values)


def within(classes: Classes, values: Values, promised: frozenset[ScopeId]) -> Values:
    """Return values without the objects of the tree that are of none of the promised classes; all where none is of them.

    An object that is known by a base of promised classes is one of those.
    """
    if all(value[0] not in _OBJECTS or value[1] in promised for value in values):
        return values
    kept = {value: _within(classes, value, promised) for value in values}
    if not any(kept[value] for value in values if value[0] in _OBJECTS):
        return values
    return frozenset(one for rest in kept.values() for one in rest)


def _within(classes: Classes, value: Value, promised: frozenset[ScopeId]) -> tuple[Value, ...]:
    if value[0] not in _OBJECTS or not promised.isdisjoint(classes.mro(value[1])):
        return (value,)
    if value[0] != v.OPEN:
        return ()
    return tuple((v.OPEN, cls) for cls in promised.intersection(classes.below(value[1])))
