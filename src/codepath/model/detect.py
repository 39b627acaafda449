"""What the detectors find: plain data, which rules turn into findings and questions into answers."""

from __future__ import annotations

from dataclasses import dataclass

from codepath.model.answers import Guard, Place, Symbol
from codepath.model.checks import Note


@dataclass(frozen=True, slots=True)
class Detected:
    """A fault that a detector sees.

    Args:
        kind: The detector: `unset-read`, `guard-mismatch`, `override-gap`, `order-contract`, `shared-write`, ...
        form: Which of its forms: for `override-gap` `attribute`, `call` or `foreign-self`.
        owner: The class or module that it is about, dotted.
        name: The attribute, global or method.
        message: One sentence, names short.
        place: Where it would be seen: the read, the call.
        precision: `high`, `medium` or `low`, by how its evidence was resolved.
        surprise: From 0 to 1, how far it departs from its like: what comes first is most surprising.
        notes: The places that it rests on.
        guards: The conditions under which it happens.
        base: For overrides: the class whose method is lost; else "".
        method: For overrides: the method; else "".
    """

    kind: str
    form: str
    owner: str
    name: str
    message: str
    place: Place
    precision: str
    surprise: float
    notes: tuple[Note, ...] = ()
    guards: tuple[Guard, ...] = ()
    base: str = ""
    method: str = ""


@dataclass(frozen=True, slots=True)
class Replaced:
    """A method of a base that a class replaces and never calls. `sets` are the attributes that it stores."""

    method: str
    base: str
    place: Place
    by: Place | None
    sets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A class of a family: its bases in the tree in the order in which attributes are looked for, and those outside."""

    cls: str
    place: Place
    bases: tuple[str, ...]
    outside: tuple[str, ...]
    is_made: bool
    replaced: tuple[Replaced, ...]


@dataclass(frozen=True, slots=True)
class FamilyAnswer:
    """The answer to `family`: a class and those below it, and what they lose by what they replace."""

    cls: str
    place: Place
    members: tuple[Member, ...]
    gaps: tuple[Detected, ...]


@dataclass(frozen=True, slots=True)
class MismatchAnswer:
    """The answer to `callers --mismatch`: of the call sites of a function, those that its parameters do not fit.

    `calls` counts all its call sites that are seen. `gaps` also hold overrides that calls through a base do not fit.
    """

    target: Symbol
    calls: int
    gaps: tuple[Detected, ...]


@dataclass(frozen=True, slots=True)
class AttributeUse:
    """What a place does with an attribute of its own object: `store`, `read`, or the method that it calls on it.

    `when` is the condition under which it runs, the calls of its method on the same object included; `always` for none.
    """

    place: Place
    what: str
    when: str


@dataclass(frozen=True, slots=True)
class InstanceWrite:
    """A write of state that the process shares by a class with instances of two roles.

    `flag` is the argument of its constructor that tells them apart, `passing` the calls that pass it as true. `shared`: both
    write it.
    """

    cls: str
    holder: str
    writer: Place
    flag: str
    shared: bool
    passing: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class UsesAnswer:
    """The answer to `values --guards` and `values --instances`; what was not asked for is None."""

    variable: str
    place: Place | None
    uses: tuple[AttributeUse, ...] | None
    instances: tuple[InstanceWrite, ...] | None
    gaps: tuple[Detected, ...]


@dataclass(frozen=True, slots=True)
class DeadLookups:
    """The answer to `hooks --dead`: the look-ups by name that can never find anything, the typing errors first."""

    lookups: tuple[Detected, ...]
