"""What one stretch of a run can come to for two things A and B: sets of outcomes, and how they follow each other.

An outcome tells which of A and B has started first so far. Sets are bit masks, so that joining is `|`; `then` is the
sequential composition, exact for each pair of outcomes. First starts count: once both have started, an outcome is final.

Outcomes of a function that separates the two bear its number, their *origin*. Where one of its activations ran only one of
the two and another activation runs the other, they are not compared with each other: the function says what their order is.

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
AB_LATER: Final = 131072  # something that is registered will run A, then B
BA_LATER: Final = 262144

BOTH: Final = AB | BA | B_INSIDE | A_INSIDE | BESIDE
ONLY_A: Final = A | A_ASIDE | A_LATER | A_APART
ONLY_B: Final = B | B_ASIDE | B_LATER | B_APART
ORDERED: Final = BOTH | AB_ASIDE | BA_ASIDE | AB_LATER | BA_LATER
SOME_A: Final = ORDERED | APART | ONLY_A
SOME_B: Final = ORDERED | APART | ONLY_B
A_FIRST: Final = AB | B_INSIDE | AB_ASIDE | AB_LATER
B_FIRST: Final = BA | A_INSIDE | BA_ASIDE | BA_LATER
TAGGED: Final = (A, B, AB, BA, B_INSIDE, A_INSIDE)
"""The outcomes that can bear an origin."""
_FIRST_TAG: Final = 20
_PLAIN: Final = (1 << _FIRST_TAG) - 1
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
    AB_LATER: BA_LATER,
    BA_LATER: AB_LATER,
}


def bits(outcomes: int) -> tuple[int, ...]:
    """Return the single outcomes of a set."""
    found = []
    while outcomes:
        low = outcomes & -outcomes
        found.append(low)
        outcomes ^= low
    return tuple(found)


def tagged(outcome: int, origin: int) -> int:
    """Return an outcome with its origin."""
    return 1 << (_FIRST_TAG + len(TAGGED) * origin + TAGGED.index(outcome))


@cache
def _untagged(bit: int) -> tuple[int, int]:
    """Return the plain form of an outcome and its origin, -1 for none."""
    if bit <= _PLAIN:
        return bit, -1
    origin, kind = divmod(bit.bit_length() - 1 - _FIRST_TAG, len(TAGGED))
    return TAGGED[kind], origin


@cache
def plain(outcomes: int) -> int:
    """Return outcomes without their origins."""
    found = outcomes & _PLAIN
    for bit in bits(outcomes & ~_PLAIN):
        found |= _untagged(bit)[0]
    return found


@cache
def swapped(outcomes: int) -> int:
    """Return outcomes with the parts of A and B exchanged."""
    found = 0
    for bit in bits(outcomes):
        base, origin = _untagged(bit)
        other = _SWAPPED[base]
        found |= other if origin < 0 else tagged(other, origin)
    return found


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


@cache
def _after(one: int, other: int) -> int:
    base, origin = _untagged(one)
    if one == NONE:
        return other
    if other == NONE or base & BOTH:
        return one
    if base & (ONLY_B | BA_ASIDE | BA_LATER):
        return swapped(_after(swapped(one), swapped(other)))
    if origin >= 0:
        return _after_alone(one, other)
    return _after_plain(one, _untagged(other)[0])


def _after_alone(one: int, other: int) -> int:
    """A alone has run in an activation of a function that separates the two."""
    (_, origin), (base, another) = _untagged(one), _untagged(other)
    if origin == another:
        return one if base & (A | B) else other
    return _after_plain(A, base)


def _after_plain(one: int, other: int) -> int:
    if one == APART:
        return other if other & BOTH else APART
    if one == A:
        return A if other & ONLY_A else AB
    if one == AB_ASIDE:
        return _after_pair(other)
    if one == AB_LATER:
        return _after_later_pair(other)
    if one == A_APART:
        return _after_apart(other)
    return _after_aside(other) if one == A_ASIDE else _after_later(other)


def _after_later_pair(other: int) -> int:
    """Something that is registered will run A, then B, at any time from here on."""
    if other & (ONLY_A | AB_LATER | B_APART | APART):
        return AB_LATER
    if other & (B_ASIDE | AB_ASIDE | BA_ASIDE | BESIDE):
        return BESIDE
    if other & A_FIRST:
        return other
    return AB | BA | other & A_INSIDE


def _after_pair(other: int) -> int:
    """Another thread of control runs A, then B, beside what follows."""
    if other & (ONLY_A | B_APART | APART):
        return AB_ASIDE
    return other if other & A_FIRST else BESIDE


def _after_apart(other: int) -> int:
    """A runs in another process beside what follows; the order inside this one stays open."""
    return APART | other if other & ONLY_B else other


def _after_aside(other: int) -> int:
    """A runs beside what follows."""
    if other == A or other & A_FIRST:
        return other
    if other & (ONLY_A | B_APART | APART):
        return A_ASIDE
    return BESIDE


def _after_later(other: int) -> int:
    """A may run at any time from here on."""
    if other & (B | BA | B_LATER | BA_LATER):
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
    for one in bits(plain(outcomes)):
        if one == NONE or one & ONLY_A:
            found |= A
        elif one & (B_LATER | AB_LATER | BA_LATER):
            found |= AB
        else:
            found |= B_INSIDE
    return found


@cache
def inside_b(outcomes: int) -> int:
    """Return what a call that is B itself comes to."""
    return swapped(inside_a(swapped(outcomes)))


@cache
def during_a(outcomes: int) -> int:
    """Return what a call at a place that is A comes to; where A runs again inside, its function says what the order is."""
    kept = plain(outcomes) & AB
    return kept | inside_a(plain(outcomes) & ~AB)


@cache
def during_b(outcomes: int) -> int:
    """Return what a call at a place that is B comes to."""
    return swapped(during_a(swapped(outcomes)))


@cache
def beside(outcomes: int) -> int:
    """Return what starting code in a thread of control of its own comes to for the code that goes on."""
    outcomes = plain(outcomes)
    found = outcomes & (NONE | APART | A_APART | B_APART | AB_ASIDE | BA_ASIDE | BESIDE)
    if outcomes & (A | A_LATER | A_ASIDE):
        found |= A_ASIDE
    if outcomes & (B | B_LATER | B_ASIDE):
        found |= B_ASIDE
    if outcomes & (AB | B_INSIDE | AB_LATER):
        found |= AB_ASIDE
    if outcomes & (BA | A_INSIDE | BA_LATER):
        found |= BA_ASIDE
    return found


@cache
def apart(outcomes: int) -> int:
    """Return what starting a process comes to for the code that goes on."""
    outcomes = plain(outcomes)
    found = outcomes & NONE
    if outcomes & SOME_A:
        found |= A_APART
    if outcomes & SOME_B:
        found |= B_APART
    return found


@cache
def later(outcomes: int) -> int:
    """Return what registering code to run at some later time comes to."""
    outcomes = plain(outcomes)
    found = NONE | outcomes & (BESIDE | APART | A_APART | B_APART)
    if outcomes & (A | A_ASIDE | A_LATER):
        found |= A_LATER
    if outcomes & (B | B_ASIDE | B_LATER):
        found |= B_LATER
    if outcomes & A_FIRST:
        found |= AB_LATER
    if outcomes & B_FIRST:
        found |= BA_LATER
    return found


@cache
def joined(outcomes: int) -> int:
    """Return what waiting for all that runs aside comes to."""
    ends = {A_ASIDE: A, B_ASIDE: B, AB_ASIDE: AB, BA_ASIDE: BA}
    return sum({ends.get(one, one) for one in bits(outcomes)})


@cache
def ended(outcomes: int) -> int:
    """Return the outcomes in which both have run, once nothing is left to run."""
    ends = {AB_LATER: AB, BA_LATER: BA}
    return joined(sum({ends.get(one, one) for one in bits(plain(outcomes))})) & BOTH


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
def originating(outcomes: int, origin: int) -> int:
    """Return the outcomes of a function as its callers see them: what it separates itself bears its number."""
    own = outcomes & (AB | BA | B_INSIDE | A_INSIDE)
    if not own or (own & A_FIRST and own & B_FIRST):
        return outcomes
    moved = outcomes & (own | A | B)
    found = outcomes & ~moved
    for bit in bits(moved):
        found |= tagged(bit, origin)
    return found


def always_before(outcomes: int) -> bool:
    """Tell whether A has started whenever B does, and B does; one that runs in another process does so there."""
    outcomes = plain(outcomes)
    return bool(outcomes & A_FIRST) and not outcomes & ~(A_FIRST | ONLY_A | NONE | APART | B_APART)


def verdict(outcomes: int) -> str:
    """Return the verdict on A relative to B."""
    outcomes = plain(outcomes)
    both = ended(outcomes)
    if not both and outcomes & APART:
        return "concurrent"
    if not both:
        return "exclusive" if outcomes & SOME_A and outcomes & SOME_B else "unreached"
    if both & BESIDE:
        return "concurrent"
    single = {AB: "before", BA: "after", B_INSIDE: "inside", A_INSIDE: "inside"}
    return single.get(both, "either")
