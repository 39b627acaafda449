"""Functions that do the same job, members of a family, and where one is left out: plain data."""

from __future__ import annotations

from dataclasses import dataclass

from codepath.model.answers import Guard, Place


@dataclass(frozen=True, slots=True)
class Sibling:
    """A function that is compared. `found` says why: `asked`, `override`, `alternative`, `name`, `version` or `body`."""

    function: str
    place: Place
    found: str


@dataclass(frozen=True, slots=True)
class Doing:
    """Where a sibling does something: over the calls `through`, outermost first, under `guards`."""

    function: str
    place: Place
    text: str
    through: tuple[Place, ...]
    guards: tuple[Guard, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that some do and others do not.

    Args:
        form: `sibling`: siblings call or store it, and others do not; `pair`: what calls `beside` on an object calls it too;
            `object`: a function does it to one object, and not to another one that it treats alike otherwise.
        what: `call` or `store`.
        name: The last word of what is called or stored.
        beside: For `pair`: what it goes with; for `object` the objects that it is done to; else "".
        have: Who does it; for `pair` some.
        lack: The functions, or objects, that do not.
        place: Where it is missing: the function, or the call that it goes with.
        total: How many could do it; `have_total` how many do.
        precision: `high`, `medium` or `low`.
        surprise: From 0 to 1: the share that does it, weighed with how alike those are that do not.
        message: One sentence.
    """

    form: str
    what: str
    name: str
    beside: str
    have: tuple[Doing, ...]
    lack: tuple[str, ...]
    place: Place
    have_total: int
    total: int
    precision: str
    surprise: float
    message: str


@dataclass(frozen=True, slots=True)
class SiblingsAnswer:
    """The answer to `siblings F...`: the functions compared, and what some do and others do not, most surprising first."""

    siblings: tuple[Sibling, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class FamilyMember:
    """A member of a family; `names` are the words that stand for it: its own, and functions that give it."""

    name: str
    place: Place
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Enumeration:
    """A place that names several members of a family one by one. `how`: `function` or `display`."""

    place: Place
    how: str
    covers: tuple[str, ...]
    misses: tuple[str, ...]
    precision: str
    surprise: float


@dataclass(frozen=True, slots=True)
class MemberFamily:
    """Things of one kind that belong together. `kind`: `globals`, `classes` or `enum`; `of` is what they are."""

    kind: str
    of: str
    place: Place
    members: tuple[FamilyMember, ...]
    enumerations: tuple[Enumeration, ...]


@dataclass(frozen=True, slots=True)
class MembersAnswer:
    """The answer to `siblings --family`."""

    families: tuple[MemberFamily, ...]
