"""The answer to `values`."""

from __future__ import annotations

from dataclasses import dataclass

from codepath.model.answers import Guard, Place, Stats, Step, Truncation
from codepath.model.detect import Detected


@dataclass(frozen=True, slots=True)
class NoneHop:
    """A place that a None passes, and what happens there."""

    place: Place
    reason: str


@dataclass(frozen=True, slots=True)
class AskedHook:
    """A hook for the lack of which a value is None: how many of the classes of `family` have it, lack it, or are not known.

    `place` is where it is looked up. `model` is the class of the model that is assumed, "" where none is or the look-up does
    not meet it; `has` then tells whether it has the hook (None where only running tells), and `defined` where it stands.
    """

    hook: str
    place: Place
    family: str
    have: int
    lack: int
    unknown: int
    model: str = ""
    has: bool | None = None
    defined: Place | None = None


@dataclass(frozen=True, slots=True)
class Writer:
    """A store of a variable, a call of a function that stores it (`through`), a change in place, or a `del`.

    `how` is store, setter, mutate or delete. `may_be_none` is None where that is not known (`unknown` says why).
    `none_chain` has every place that a None passes, causes first; `causes` the shortest chain from each, `total` how many
    causes there are.
    """

    place: Place
    how: str
    through: str | None
    value: str
    may_be_none: bool | None
    none_chain: tuple[NoneHop, ...]
    causes: tuple[tuple[NoneHop, ...], ...]
    total: int
    unknown: tuple[NoneHop, ...]
    guards: tuple[Guard, ...]


@dataclass(frozen=True, slots=True)
class Reader:
    """A place where the value is obtained, asserted, tested or dereferenced; `through` a getter, or null.

    `how` is assert, dereference, test or use. `requires_set`: None fails there, and no check before excludes it.
    """

    place: Place
    through: str | None
    how: str
    requires_set: bool


@dataclass(frozen=True, slots=True)
class NeededRead:
    """A place that fails where the variable is None, with the conditions of its function under which it runs."""

    place: Place
    guards: tuple[Guard, ...]


@dataclass(frozen=True, slots=True)
class UnsetRead:
    """A way from an entry point to a read before which nothing has to have written the variable."""

    entry: str
    reader: Place
    steps: tuple[Step, ...]
    why: str
    guards: tuple[Guard, ...]


@dataclass(frozen=True, slots=True)
class ValuesAnswer:
    """Who writes and reads a variable. `kind` is global, class-attribute, instance-attribute or parameter (calls write it).

    `setters` store it, `getters` return it; a function that takes no argument and does both is a getter. `states` are those in
    which a reader can meet it: unset (a global that nothing has to have stored), none, set, unknown. `gaps` are what detectors
    see: objects of some class on which nothing, or not every way, sets it. `needed` are the readers that require it set.
    """

    variable: str
    kind: str
    place: Place
    states: tuple[str, ...]
    setters: tuple[str, ...]
    getters: tuple[str, ...]
    writers: tuple[Writer, ...]
    readers: tuple[Reader, ...]
    unset_reads: tuple[UnsetRead, ...]
    stats: Stats
    truncated: Truncation | None
    gaps: tuple[Detected, ...] = ()
    needed: tuple[NeededRead, ...] = ()


@dataclass(frozen=True, slots=True)
class VariableFinding:
    """What a rule about a variable finds: at a place, with the steps to it, the way of a None, and the guards that matter."""

    kind: str
    message: str
    place: Place
    steps: tuple[Step, ...]
    hops: tuple[NoneHop, ...]
    guards: tuple[Guard, ...]
