"""What one stretch of a run can come to for two things A and B: sets of outcomes, and how they follow each other.

An outcome tells which of A and B has started first so far. Sets are bit masks, so that joining is `|`; `then` is the
sequential composition, exact for each pair of outcomes. First starts count: once both have started, an outcome is final.

Approximates: over (a set holds every outcome that can happen).
"""

from __future__ import annotations

from functools import cache
from typing import Final

NONE: Final = 1  # neither has started
A: Final = 2  # A has run, B has not started
B: Final = 4
AB: Final = 8  # A started first, B outside its call
BA: Final = 16
B_INSIDE: Final = 32  # B started inside the call of A
A_INSIDE: Final = 64
BESIDE: Final = 128  # they run at the same time, in different threads of control
A_ASIDE: Final = 256  # A runs in a thread of control of its own
B_ASIDE: Final = 512
A_LATER: Final = 1024  # A is registered, to run at a time that is not known
B_LATER: Final = 2048
A_APART: Final = 4096  # A runs in a process of its own
B_APART: Final = 8192
APART: Final = 16384  # they run in different processes; an order inside one process counts more
AB_ASIDE: Final = 32768  # one other thread of control runs A, then B
BA_ASIDE: Final = 65536

BOTH: Final = AB | BA | B_INSIDE | A_INSIDE | BESIDE
ONLY_A: Final = A | A_ASIDE | A_LATER | A_APART
ONLY_B: Final = B | B_ASIDE | B_LATER | B_APART
ORDERED: Final = BOTH | AB_ASIDE | BA_ASIDE
SOME_A: Final = ORDERED | APART | ONLY_A
SOME_B: Final = ORDERED | APART | ONLY_B
_A_FIRST: Final = AB | B_INSIDE | AB_ASIDE
_B_FIRST: Final = BA | A_INSIDE | BA_ASIDE
_BITS: Final = tuple(1 << n for n in range(17))
_SWAPPED: Final = {
    NONE: NONE,
    A: B,
    B: A,
    AB: BA,
    BA: AB,
    B_INSIDE: A_INSIDE,
    A_INSIDE: B_INSIDE,
    BESIDE: BESIDE,
    A_ASIDE: B_ASIDE,
    B_ASIDE: A_ASIDE,
    A_LATER: B_LATER,
    B_LATER: A_LATER,
    A_APART: B_APART,
    B_APART: A_APART,
    APART: APART,
    AB_ASIDE: BA_ASIDE,
    BA_ASIDE: AB_ASIDE,
}


def bits(outcomes: int) -> tuple[int, ...]:
    """Return the single outcomes of a set."""
    return tuple(bit for bit in _BITS if outcomes & bit)


def swapped(outcomes: int) -> int:
    """Return outcomes with the parts of A and B exchanged."""
    return sum(_SWAPPED[bit] for bit in bits(outcomes))


@cache
def then(first: int, second: int) -> int:
    """Return what a stretch with outcomes `first` followed by one with `second` comes to."""
    if second == NONE:
        return first
    found = 0
    for one in bits(first):
        for other in bits(second):
            found |= _after(one, other)
    return found


def _after(one: int, other: int) -> int:
    if one == NONE:
        return other
    if other == NONE or one & BOTH:
        return one
    if one == APART:
        return other if other & BOTH else APART
    if one & (ONLY_B | BA_ASIDE):
        return swapped(_after(_SWAPPED[one], _SWAPPED[other]))
    if one == A:
        return A if other & ONLY_A else AB
    if one == AB_ASIDE:
        return _after_pair(other)
    if one == A_APART:
        return _after_apart(other)
    return _after_aside(other) if one == A_ASIDE else _after_later(other)


def _after_pair(other: int) -> int:
    """Another thread of control runs A, then B, beside what follows."""
    if other & (ONLY_A | B_APART | APART):
        return AB_ASIDE
    return other if other & _A_FIRST else BESIDE


def _after_apart(other: int) -> int:
    """A runs in another process beside what follows; the order inside this one stays open."""
    return APART | other if other & ONLY_B else other


def _after_aside(other: int) -> int:
    """A runs beside what follows."""
    if other == A or other & _A_FIRST:
        return other
    if other & (ONLY_A | B_APART | APART):
        return A_ASIDE
    return BESIDE


def _after_later(other: int) -> int:
    """A may run at any time from here on."""
    if other & (B | BA | B_LATER):
        return AB | BA
    if other & (B_APART | APART):
        return A_LATER | APART
    if other & (B_ASIDE | BA_ASIDE):
        return BESIDE
    return other | AB if other == A_INSIDE else other


@cache
def inside_a(outcomes: int) -> int:
    """Return what a call that is A itself comes to, its body having `outcomes`."""
    found = 0
    for one in bits(outcomes):
        if one == NONE or one & ONLY_A:
            found |= A
        elif one == B_LATER:
            found |= AB
        else:
            found |= B_INSIDE
    return found


@cache
def inside_b(outcomes: int) -> int:
    """Return what a call that is B itself comes to."""
    return swapped(inside_a(swapped(outcomes)))


@cache
def beside(outcomes: int) -> int:
    """Return what starting code in a thread of control of its own comes to for the code that goes on."""
    found = outcomes & (NONE | APART | A_APART | B_APART | AB_ASIDE | BA_ASIDE | BESIDE)
    if outcomes & (A | A_LATER | A_ASIDE):
        found |= A_ASIDE
    if outcomes & (B | B_LATER | B_ASIDE):
        found |= B_ASIDE
    if outcomes & (AB | B_INSIDE):
        found |= AB_ASIDE
    if outcomes & (BA | A_INSIDE):
        found |= BA_ASIDE
    return found


@cache
def apart(outcomes: int) -> int:
    """Return what starting a process comes to for the code that goes on."""
    found = outcomes & NONE
    if outcomes & SOME_A:
        found |= A_APART
    if outcomes & SOME_B:
        found |= B_APART
    return found


@cache
def later(outcomes: int) -> int:
    """Return what registering code to run at some later time comes to."""
    found = NONE
    if outcomes & SOME_A:
        found |= A_LATER
    if outcomes & SOME_B:
        found |= B_LATER
    return found | joined(outcomes) & BOTH


@cache
def joined(outcomes: int) -> int:
    """Return what waiting for all that runs aside comes to."""
    ends = {A_ASIDE: A, B_ASIDE: B, AB_ASIDE: AB, BA_ASIDE: BA}
    return sum({ends.get(one, one) for one in bits(outcomes)})


@cache
def repeated(outcomes: int) -> int:
    """Return what running a stretch any number of times comes to."""
    found = NONE
    while True:
        wider = found | then(found, outcomes)
        if wider == found:
            return found
        found = wider


@cache
def decided(outcomes: int) -> int:
    """Leave out that one alone ran where one always comes first when both run: that is a skip, not an order."""
    both = outcomes & ORDERED
    if both and (not both & ~_A_FIRST or not both & ~_B_FIRST):
        return outcomes & ~(A | B)
    return outcomes


def verdict(outcomes: int) -> str:
    """Return the verdict on A relative to B."""
    both = joined(outcomes) & BOTH
    if not both and outcomes & APART:
        return "concurrent"
    if not both:
        return "exclusive" if outcomes & SOME_A and outcomes & SOME_B else "unreached"
    if both & BESIDE:
        return "concurrent"
    single = {AB: "before", BA: "after", B_INSIDE: "inside", A_INSIDE: "inside"}
    return single.get(both, "either")
