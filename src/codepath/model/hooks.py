"""Hooks: attributes that code looks up on objects that may lack them. Stored rows, and the answers made of them."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from codepath.model.answers import Guard, Place, Truncation

STYLES = ("hasattr", "getattr", "getattr-default", "except-attribute-error", "call", "isinstance")
IF_MISSING = ("raises", "default", "skipped", "other-branch")


class StoredReceiver(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a look-up can be on.

    `kind` is `registry` (any member), `class` (that very class or an instance of it), `family` (the class or one below it),
    `outside` (a dotted name outside the tree), `module` or `many` (too many to tell); `on` is `class` or `instance`.
    """

    kind: str
    name: str
    on: str


class StoredLookup(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One look-up of an attribute; style `call` is a plain read, called or not.

    `at` is packed. `if_missing` is one of `IF_MISSING`; what then runs or is given stands at `missing_at` (0 where nothing
    does) and is written `missing`.
    """

    function: str
    file: str
    at: int
    style: str
    text: str
    receivers: tuple[StoredReceiver, ...]
    if_missing: str
    missing_at: int = 0
    missing: str = ""


class StoredClass(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A class: `mro` are numbers of classes of the tree, itself first; `outside` the dotted names of its other bases.

    `abstract` tells whether its own body leaves a method abstract, `fields` whether annotated names are its attributes.
    """

    name: str
    file: str
    at: int
    mro: tuple[int, ...]
    outside: tuple[str, ...]
    abstract: bool
    fields: bool


class StoredMember(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the body of a class binds a name to; `form` is `method`, `classmethod`, `staticmethod`, `property`,
    `attribute`, `class` or `annotation`."""

    owner: str
    form: str
    at: int


class StoredRegistered(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A member of a registry and the classes that constructing it constructs, nearest first."""

    name: str
    makes: tuple[str, ...]


_encode = msgspec.msgpack.Encoder().encode
_decode_lookups = msgspec.msgpack.Decoder(tuple[StoredLookup, ...]).decode
_decode_classes = msgspec.msgpack.Decoder(tuple[StoredClass, ...]).decode
_decode_members = msgspec.msgpack.Decoder(tuple[StoredMember, ...]).decode
_decode_registered = msgspec.msgpack.Decoder(tuple[StoredRegistered, ...]).decode


def encode_row(row: object) -> bytes:
    """Return the stored form of a row of this module."""
    return _encode(row)


def decode_lookups(blob: bytes) -> tuple[StoredLookup, ...]:
    """Return the look-ups of a row."""
    return _decode_lookups(blob)


def decode_classes(blob: bytes) -> tuple[StoredClass, ...]:
    """Return the classes of a row."""
    return _decode_classes(blob)


def decode_members(blob: bytes) -> tuple[StoredMember, ...]:
    """Return the members of a row."""
    return _decode_members(blob)


def decode_registered(blob: bytes) -> tuple[StoredRegistered, ...]:
    """Return the registered classes of a row."""
    return _decode_registered(blob)


# --- answers ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lookup:
    """One look-up. `on` is `class` or `instance`; `receiver` is what it is made on as written, `can_be` what that can be.

    `missing` is what is then given or run, as written, "" where nothing is.
    """

    place: Place
    style: str
    on: str
    receiver: str
    can_be: tuple[str, ...]
    if_missing: str
    missing: str
    missing_place: Place | None
    guards: tuple[Guard, ...] = ()


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a class has an attribute from; `how` as `StoredMember.form`, or `instance` where a method stores it."""

    cls: str
    how: str
    place: Place


@dataclass(frozen=True, slots=True)
class Holder:
    """A class that a look-up can meet.

    `has` is None where only running tells (`__getattr__`, a base that is not in the tree and makes attributes at will);
    `why` then says so. `wraps` is a class it makes that has the attribute, "" where there is none; `hides` one that
    it wraps and whose own attribute it does not hand on. `surprise` orders those
    that lack it: the share of classes like it that have it, from 0 to 1; `like` says which those are.
    """

    cls: str
    file: str
    line: int
    has: bool | None
    provider: Provider | None
    why: str = ""
    wraps: str = ""
    hides: str = ""
    like: str = ""
    like_have: int = 0
    like_total: int = 0
    surprise: float = 0.0
    bases: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """The answer to `hooks NAME`. `family` says which classes are meant; `registry` is the registry's name, or ""."""

    hook: str
    lookups: tuple[Lookup, ...]
    family: str
    registry: str
    classes: tuple[Holder, ...]
    have: int
    lack: int
    unknown: int
    truncated: Truncation | None = None


@dataclass(frozen=True, slots=True)
class HookRow:
    """One line of the list of all hooks."""

    hook: str
    family: str
    on: str
    styles: tuple[str, ...]
    if_missing: tuple[str, ...]
    places: tuple[Place, ...]
    have: int
    lack: int
    unknown: int
    surprising: tuple[str, ...]
    surprise: float


@dataclass(frozen=True, slots=True)
class HooksAnswer:
    """The answer to `hooks` without a name, the most surprising gaps first; `gaps` counts all that some have and some lack."""

    hooks: tuple[HookRow, ...]
    gaps: int
    truncated: Truncation | None = None
