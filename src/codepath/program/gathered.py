"""What the rows beside those of functions are made from: gathered module by module, and joined where several processes did."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from codepath.model.hooks import StoredLookup, StoredMember, encode_row
from codepath.model.solution import StoredName
from codepath.program.rows import CALLERS, GAPS, HOOKS, LOOKUPS, MEMBERS, NAME, STORES, Counts

_pack = msgspec.msgpack.encode


class Gathered(msgspec.Struct):
    """Who calls what, and what stands where, of some modules.

    Args:
        callers: By callee the functions that step into it.
        names: By last name what is called so.
        gaps: By last name of an unknown callee the functions with such a call site.
        stores: By attribute the (function, class of `self`) that store it.
        mains: The modules that are run as programs.
        counts: The call sites.
        members: By name the (file, place of the class, member) of class bodies that bind it.
        lookups: By name the look-ups that ask for it.
    """

    callers: dict[str, list[str]] = {}
    names: dict[str, list[StoredName]] = {}
    gaps: dict[str, set[str]] = {}
    stores: dict[str, set[tuple[str, str]]] = {}
    mains: list[str] = []
    counts: Counts = msgspec.field(default_factory=Counts)
    members: dict[str, list[tuple[str, int, StoredMember]]] = {}
    lookups: dict[str, list[StoredLookup]] = {}

    def join(self, other: Gathered) -> None:
        """Add what was gathered of other modules."""
        for name, callers in other.callers.items():
            self.callers.setdefault(name, []).extend(callers)
        for name, names in other.names.items():
            self.names.setdefault(name, []).extend(names)
        for name, functions in other.gaps.items():
            self.gaps.setdefault(name, set()).update(functions)
        for name, stores in other.stores.items():
            self.stores.setdefault(name, set()).update(stores)
        self.mains.extend(other.mains)
        self.counts.join(other.counts)
        for name, members in other.members.items():
            self.members.setdefault(name, []).extend(members)
        for name, lookups in other.lookups.items():
            self.lookups.setdefault(name, []).extend(lookups)

    def rows(self) -> Iterator[tuple[str, bytes]]:
        """Yield (key, row) pairs of the call graph; each row is sorted, whatever the order of the modules."""
        for name, callers in sorted(self.callers.items()):
            yield CALLERS + name, _pack(sorted(callers))
        for last, found in sorted(self.names.items()):
            yield NAME + last, _pack(sorted(found, key=lambda n: (n.name, n.file, n.at)))
        for attribute, stores in sorted(self.stores.items()):
            yield STORES + attribute, _pack([f"{function}\0{owner}" for function, owner in sorted(stores)])
        for last, functions in sorted(self.gaps.items()):
            yield GAPS + last, _pack(sorted(functions))

    def hook_rows(self) -> Iterator[tuple[str, bytes]]:
        """Yield (key, row) pairs of members and look-ups."""
        for name, members in sorted(self.members.items()):
            yield MEMBERS + name, encode_row(tuple(m for *_, m in sorted(members, key=_by_class)))
        for name, lookups in sorted(self.lookups.items()):
            yield LOOKUPS + name, encode_row(tuple(sorted(set(lookups), key=_by_place)))
        yield (
            HOOKS,
            encode_row(tuple(sorted(name for name, found in self.lookups.items() if any(map(_is_of_tree, found))))),
        )


def _by_class(member: tuple[str, int, StoredMember]) -> tuple[str, int, str]:
    return (member[0], member[1], member[2].owner)


def _by_place(lookup: StoredLookup) -> tuple[object, ...]:
    return (lookup.file, lookup.at, lookup.style, lookup.text, str(lookup.receivers), str(lookup))


def _is_of_tree(lookup: StoredLookup) -> bool:
    return any(r.kind in ("registry", "class", "family") for r in lookup.receivers)
