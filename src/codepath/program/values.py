"""The abstract values that the solver moves through the tree.

A value is a tuple whose first item is its kind; the rest are ids of the tree (`ScopeId` of a function, of a class body),
dotted names, or other values. Sets of values are frozen sets. Recursion is bounded: a bound method holds an instance or a
class, never another bound method.
"""

from __future__ import annotations

from typing import Any, Final, NewType

ScopeId = NewType("ScopeId", int)
"""A number for one scope of the loaded tree; class bodies stand for their classes."""

Value = tuple[Any, ...]
Values = frozenset[Value]

FUNCTION: Final = 0  # (FUNCTION, function), with what it wraps as a third item (Source: `wrapping`)
CLASS: Final = 1  # (CLASS, class): the class object itself
OPEN_CLASS: Final = 2  # (OPEN_CLASS, class): the class or a subclass (`cls`, `type[C]`)
INSTANCE: Final = 3  # (INSTANCE, class): made by calling that very class
OPEN: Final = 4  # (OPEN, class): an instance of the class or of a subclass (`self`, annotations)
MODULE: Final = 5  # (MODULE, dotted name): a module of the tree
OUTSIDE: Final = 6  # (OUTSIDE, dotted name): a name outside the tree
RESULT: Final = 7  # (RESULT, dotted name): what calling an outside name gives; opaque
BOUND: Final = 8  # (BOUND, function, receiver or None, family): with its receiver; family 1: found in a subclass only;
# with what the function wraps as a fifth item
PARTIAL: Final = 9  # (PARTIAL, value, scope, call): `functools.partial(value, ...)` made at that call
CONTAINER: Final = 10  # (CONTAINER, scope, expression, part, builtin type): a collection made there
SUPER: Final = 11  # (SUPER, class, receiver): `super()` inside the class
STATIC: Final = 12  # (STATIC, value): `staticmethod(value)`
CLASSMETHOD: Final = 13  # (CLASSMETHOD, value)
PROPERTY: Final = 14  # (PROPERTY, function): read through an instance
STARTED: Final = (
    15  # (STARTED, function, receiver or None): generator, coroutine or context manager of a called function
)
TEXT: Final = 16  # (TEXT, str): a constant string
BUILTIN_METHOD: Final = 17  # (BUILTIN_METHOD, container, name): a method of a collection that the solver knows
MEMBER: Final = 18  # (MEMBER, registry, "class" | "instance"): any member of a registry, kept symbolic
SETTER: Final = 19  # (SETTER, function): the setter of a property, beside its PROPERTY
OUTER: Final = 20  # (OUTER, dotted name, receiver): a method of an outside base, bound to an object of the tree
NAMED: Final = 21  # (NAMED, value): the attribute of a value whose name `__getattr__` was asked for
CALLED_MEMBER: Final = 22  # (CALLED_MEMBER, registry, "class" | "instance", name): a method of any member of a registry
TEXT_LIKE: Final = (
    23  # (TEXT_LIKE, start, end): a string of which only a constant start and end are known; with a scope
)
# and a name there, what stands between is the name of that one's class
ATTRIBUTE_LIKE: Final = (
    24  # (ATTRIBUTE_LIKE, value, start, end, ...): any attribute of a value whose name fits such a string
)
REFERENCE: Final = 25  # (REFERENCE, value): a weak reference, called for its value
PIECES: Final = 26  # (PIECES, tuple of str): what splitting a constant string gives
NAMESPACE: Final = 27  # (NAMESPACE, value): the dict of a value's attributes, `x.__dict__`, `vars(x)`, `globals()`

NOTHING: Final[Values] = frozenset()
OPAQUE: Final[Values] = frozenset([(RESULT, "")])


def bound(function: Value, receiver: Value | None, family: bool) -> Value:
    """Return a function bound to a receiver."""
    return (BOUND, function[1], receiver, int(family), *function[2:])


def wrapped_by(value: Value) -> tuple[Value, ...]:
    """Return the value that a function or method wraps; empty where that is not known."""
    return value[2:] if value[0] == FUNCTION else value[4:]


def outside(name: str) -> Value:
    """Return the value of a dotted name outside the tree."""
    return (OUTSIDE, name)
