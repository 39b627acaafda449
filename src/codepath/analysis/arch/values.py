"""The values that code is evaluated to on one architecture.

A `Val` holds `data` and the `trail` of what made it: the places between the probe where an architecture value was born and
here, None where no probe had a part in it. `data` is a constant of Python, one of the classes below, or `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from codepath.program.values import ScopeId


class Unknown:
    """Some value that is not known."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()


@dataclass(frozen=True, slots=True)
class Trail:
    """A place on the way of a value: file, packed place, what happens there; `before` is the step before."""

    file: str
    at: int
    what: str
    before: Trail | None = None
    length: int = 1


@dataclass(frozen=True, slots=True)
class Val:
    """A value and where its dependence on the architecture comes from."""

    data: Any
    trail: Trail | None = None


NOT_KNOWN: Final = Val(UNKNOWN)


@dataclass(frozen=True, slots=True)
class Seq:
    """A list, tuple, set or frozen set with all of its elements."""

    form: Literal["list", "tuple", "set"]
    items: tuple[Val, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A dict display: `at` is where it stands in scope `sid`, `name` what it is bound to, "" where to nothing.

    `is_open` tells whether keys that are not known may be in it too.
    """

    sid: ScopeId
    at: int
    keys: tuple[Val, ...]
    values: tuple[Val, ...]
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Func:
    """A function of the tree; `bound` is the receiver it is called with, None for none."""

    sid: ScopeId
    bound: Val | None = None


@dataclass(frozen=True, slots=True)
class Cls:
    """A class of the tree, or a subclass where `is_open`."""

    sid: ScopeId
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the tree, of a subclass where `is_open`; `fields` are those of a record, in order."""

    sid: ScopeId
    fields: tuple[tuple[str, Val], ...] = ()
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the tree."""

    name: str


@dataclass(frozen=True, slots=True)
class Outside:
    """A thing outside the tree by its dotted name."""

    name: str


@dataclass(frozen=True, slots=True)
class Partial:
    """`functools.partial`."""

    func: Val
    args: tuple[Val, ...]
    keywords: tuple[tuple[str, Val], ...]


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a builtin value."""

    of: Val
    name: str


@dataclass(frozen=True, slots=True)
class Decorator:
    """What gives back the function that it is called with: `lru_cache(maxsize=1)`."""


@dataclass(frozen=True, slots=True)
class Properties:
    """The properties of the device."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an enumeration of the tree."""

    sid: ScopeId
    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several values."""

    of: tuple[Val, ...]


MAX_CHOICES = 6
_MAX_TRAIL = 24


def grown(trail: Trail | None, file: str, at: int, what: str) -> Trail | None:
    """Return a trail with one more step; None stays None."""
    if trail is None or trail.length >= _MAX_TRAIL:
        return trail
    if trail.file == file and trail.at >> 16 == at >> 16 and trail.what == what:
        return trail
    return Trail(file, at, what, trail, trail.length + 1)


def trail_of(values: Iterable[Val]) -> Trail | None:
    """Return the first trail of some values."""
    for value in values:
        if value.trail is not None:
            return value.trail
    return None


def alternatives(value: Val) -> tuple[Val, ...]:
    """Return what a value can be."""
    return value.data.of if isinstance(value.data, Choice) else (value,)


def join(values: Iterable[Val]) -> Val:
    """Return a value that may be any of some.

    Where one is not known, all is not known, but for values that depend on the architecture: the question is what becomes
    of those, and another source of the same variable does not answer it.
    """
    values = tuple(values)
    if len(values) == 1 and not isinstance(values[0].data, (Choice, Seq)):
        return values[0]
    seen: dict[Any, Val] = {}
    unknown: Val | None = None
    for value in values:
        for one in alternatives(value):
            if one.data is UNKNOWN or _is_hollow(one.data):
                unknown = one if unknown is None or one.trail is not None else unknown
                continue
            key = key_of(one.data)
            if key not in seen or seen[key].trail is None:
                seen[key] = one
    nothing = key_of(None)
    if nothing in seen and seen[nothing].trail is None and any(_is_number(v) for v in seen.values()):
        del seen[nothing]  # "no device" beside the device that is asked about
    trail = trail_of((*seen.values(), *([unknown] if unknown is not None else ())))
    if unknown is not None:
        kept = [v for v in seen.values() if v.trail is not None and not isinstance(v.data, bool)]
        if not kept or unknown.trail is not None:
            return Val(UNKNOWN, trail)
        seen = {key_of(v.data): v for v in kept}
    if not seen:
        return Val(UNKNOWN, trail) if unknown is None else unknown
    if len(seen) == 1:
        return next(iter(seen.values()))
    if len(seen) > MAX_CHOICES:
        return Val(UNKNOWN, trail)
    return Val(Choice(tuple(seen.values())), trail)


def _is_number(value: Val) -> bool:
    """Tell whether a value is a capability or a part of one."""
    return value.trail is not None and value.data is not None and not isinstance(value.data, bool)


def _is_hollow(data: Any) -> bool:
    """Tell whether data is a display of nothing but values that are not known."""
    return isinstance(data, Seq) and bool(data.items) and all(v.data is UNKNOWN and v.trail is None for v in data.items)


def key_of(data: Any) -> Any:
    """Return what tells data apart: 1 and True are two things."""
    return (type(data), _stripped(data)) if not isinstance(data, (Func, Cls)) else data


def _stripped(data: Any) -> Any:
    """Return data without trails."""
    if isinstance(data, Seq):
        return (data.form, tuple(key_of(v.data) for v in data.items))
    if isinstance(data, Table):
        return (data.sid, data.at)
    if isinstance(data, Choice):
        return frozenset(key_of(v.data) for v in data.of)
    if isinstance(data, Instance):
        return (data.sid, tuple((name, key_of(v.data)) for name, v in data.fields))
    if isinstance(data, Partial):
        inner = tuple(key_of(v.data) for v in data.args)
        return (key_of(data.func.data), inner, tuple((name, key_of(v.data)) for name, v in data.keywords))
    if isinstance(data, Method):
        return (key_of(data.of.data), data.name)
    if isinstance(data, Func):
        return (data.sid, None if data.bound is None else key_of(data.bound.data))
    if isinstance(data, Unknown):
        return None
    return data


class NotPlain(Exception):
    """A value is not a constant of Python."""


def plain(value: Val) -> Any:
    """Return a value as a constant of Python, collections included. Raises `NotPlain`."""
    data = value.data
    if data is None or isinstance(data, (bool, int, float, str)):
        return data
    if isinstance(data, Seq):
        items = [plain(v) for v in data.items]
        try:
            return tuple(items) if data.form == "tuple" else frozenset(items) if data.form == "set" else items
        except TypeError as error:
            raise NotPlain from error
    if isinstance(data, (Member, Cls, Outside)):
        return data
    raise NotPlain


def lifted(data: Any, trail: Trail | None) -> Val:
    """Return a constant of Python, collections included, as a value; elements carry the same trail."""
    if isinstance(data, (list, tuple, set, frozenset)):
        form = "list" if isinstance(data, list) else "tuple" if isinstance(data, tuple) else "set"
        items = sorted(data, key=repr) if form == "set" else data
        return Val(Seq(form, tuple(lifted(item, trail) for item in items)), trail)  # type: ignore[arg-type]
    return Val(data, trail)


Truth = bool | None
"""True, False, or None where it is not known."""


def truth(value: Val) -> Truth:
    """Return whether a value is true; None where that is not known."""
    found = {_truth(one.data) for one in alternatives(value)}
    return found.pop() if len(found) == 1 else None


def _truth(data: Any) -> Truth:
    if data is None or isinstance(data, (bool, int, float, str)):
        return bool(data)
    if isinstance(data, Seq):
        return bool(data.items)
    if isinstance(data, Table):
        return True if data.keys else None if data.is_open else False
    if isinstance(data, (Func, Cls, Module, Outside, Partial, Method, Decorator, Properties, Member)):
        return True
    return None


def of_truth(found: Truth, trail: Trail | None) -> Val:
    """Return a truth value as a value."""
    return Val(UNKNOWN if found is None else found, trail)


Env = dict[str, Val]


def joined(one: Mapping[str, Val], other: Mapping[str, Val]) -> Env:
    """Return what names can be behind two branches.

    A name that only one binds keeps that value; an attribute, `name.attribute`, that only one stores is no longer known here.
    """
    result: Env = {name: value for name, value in one.items() if "." not in name or name in other}
    for name, value in other.items():
        mine = result.get(name)
        if mine is None:
            if "." not in name:
                result[name] = value
        elif mine is not value:
            result[name] = join((mine, value))
    return result
