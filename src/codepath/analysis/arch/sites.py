"""Branches with what was seen of them, and rows in the making."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from codepath.analysis.arch import shapes
from codepath.analysis.arch.record import Notes
from codepath.analysis.arch.shapes import Chain
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.arch import ArchEvidence, ArchLookup
from codepath.model.knowledge import Architecture
from codepath.program.bodies import Body
from codepath.program.regions import every_region
from codepath.program.tree import ScopeInfo

ABSENT = "absent"
Vector = tuple[object, ...]
"""Of an expression on each architecture: True, False, None where not known, ABSENT where not reached."""


@dataclass
class Draft:
    """A row in the making. `arms` are, for each architecture, those that can be taken; None where none is reached."""

    name: str
    place: Place
    kind: str
    keys: tuple[str, ...]
    lookups: list[ArchLookup] = field(default_factory=list)
    verdicts: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    evidence: list[ArchEvidence] = field(default_factory=list)
    group: str = ""
    tested: frozenset[int] = frozenset()

    def say(self, arch: str, verdict: str, reason: str) -> None:
        """Set the verdict for an architecture."""
        self.verdicts[arch] = verdict
        self.reasons[arch] = reason


@dataclass(frozen=True)
class Site:
    """One branch of one scope with what was seen on each architecture."""

    body: Body
    chain: Chain
    notes: tuple[Notes | None, ...]
    arms: tuple[frozenset[int] | None, ...]
    dependent: tuple[int, ...]

    @property
    def info(self) -> ScopeInfo:
        """The scope."""
        return self.body.info


KINDS = {"if": "branch", "assert": "assert", "ternary": "choice", "value": "predicate"}


def taken_arms(chain: Chain, notes: Notes | None) -> frozenset[int] | None:
    """Return the arms that can be taken by what was seen; None where the branch is not reached."""
    if notes is None:
        return None
    found: set[int] = set()
    for number, arm in enumerate(chain.arms):
        if arm.test < 0:
            found.add(number)
            break
        value = notes.tests.get(arm.test)
        if value is None:
            return frozenset(found) if found else None
        if value.data is not False:
            found.add(number)
        if value.data is True:
            break
    return frozenset(found)


def switches_off(exprs: Sequence[ir.Expr], body: Sequence[ir.Region]) -> bool:
    """Tell whether a block does nothing but store False or None, log, or return one of these."""
    stored = False
    for region in body:
        if isinstance(region, ir.Return):
            value = exprs[region.value] if region.value >= 0 else None
            return value is None or (isinstance(value, ir.Const) and value.value in (False, None))
        if not isinstance(region, ir.Do):
            return False
        for expr in exprs[region.start : region.stop]:
            if isinstance(expr, (ir.Bind, ir.StoreAttr)):
                value = exprs[expr.value] if expr.value >= 0 else None
                if not isinstance(value, ir.Const) or value.value not in (False, None):
                    return False
                stored = True
    return stored


def is_left_open(exprs: Sequence[ir.Expr], arms: Sequence[shapes.Arm], taken: frozenset[int]) -> bool:
    """Tell whether the only branch taken is an `else` that stores the word `auto`."""
    last = len(arms) - 1
    if taken != {last}:
        return False
    stored = [
        exprs[expr.value]
        for start, stop in shapes.ranges(arms[last].body)
        for expr in exprs[start:stop]
        if isinstance(expr, (ir.Bind, ir.StoreAttr)) and expr.value >= 0
    ]
    return bool(stored) and all(isinstance(value, ir.Const) and value.value == "auto" for value in stored)


_TILES = ("block", "tile", "num_stages", "blk")


def sets_tiles(exprs: Sequence[ir.Expr], body: Sequence[ir.Region]) -> bool:
    """Tell whether a block gives constants to names of tile sizes."""
    for start, stop in shapes.ranges(body):
        for expr in exprs[start:stop]:
            if isinstance(expr, ir.Bind) and expr.id.lower().startswith(_TILES) and expr.value >= 0:
                value = exprs[expr.value]
                if isinstance(value, (ir.Const, ir.Sequence, ir.Ternary)):
                    return True
    return False


def numbers(exprs: Sequence[ir.Expr], listed: ir.Expr) -> list[int]:
    """Return the numbers in a display of them: majors, or the two digits together."""
    if not isinstance(listed, ir.Sequence):
        return []
    found = [e.value for i in listed.items if isinstance(e := exprs[i], ir.Const) and isinstance(e.value, int)]
    return [n for n in found if not isinstance(n, bool)]


def generation(number: int) -> int:
    """Return the major of a number that is one, or of the two digits together."""
    return number if number < 20 else number // 10


def is_short(site: Site) -> bool:
    """Tell whether what stands above a branch's function speaks of the branch."""
    return ir.line_of(site.info.end) - ir.line_of(site.info.at) < 25


def short(info: ScopeInfo) -> str:
    """Return a scope's name without its module; the module's last part for its top level."""
    own = info.name.removeprefix(f"{info.module.name}.")
    return own if info.form != "module" else info.module.name.rpartition(".")[2]


def condition(site: Site) -> str:
    """Return the first condition that depends on the architecture, as written."""
    exprs = site.body.scope.exprs
    first = site.dependent[0]
    for expr in exprs:
        if isinstance(expr, ir.Bool) and first in expr.values:
            return expr.texts[expr.values.index(first)]
    for arm, text in zip(site.chain.arms, site.chain.texts, strict=False):
        if first in shapes.atoms(exprs, arm.test):
            return text
    return site.chain.texts[0]


def names_it(scope: ir.Scope, chain: Chain, taken: frozenset[int], arch: Architecture) -> bool:
    """Tell whether the word that the taken arm gives leads, in the same function, to a comparison with this architecture."""
    exprs = scope.exprs
    words = {w for number in taken for w in _words(exprs, chain, number)} if len(taken) == 1 else set()
    for region in every_region(scope.body) if words else ():
        if isinstance(region, ir.If) and words & _compared(exprs, region.test):
            tests = [inner.test for inner in every_region(region.body) if isinstance(inner, (ir.If, ir.Assert))]
            if any(_asks_for(exprs, atom, arch) for test in tests for atom in shapes.atoms(exprs, test)):
                return True
    return False


def _words(exprs: Sequence[ir.Expr], chain: Chain, number: int) -> set[str]:
    """Return the texts that an arm stores or gives."""
    if chain.form == "ternary":
        values = [chain.inner[number]]
    else:
        spans = shapes.ranges(chain.arms[number].body)
        stores = (e for start, stop in spans for e in exprs[start:stop] if isinstance(e, (ir.Bind, ir.StoreAttr)))
        values = [e.value for e in stores if e.value >= 0]
    return {e.value for v in values if isinstance(e := exprs[v], ir.Const) and isinstance(e.value, str)}


def _compared(exprs: Sequence[ir.Expr], test: int) -> set[object]:
    """Return what a condition compares with by `==`."""
    found = (exprs[atom] for atom in shapes.atoms(exprs, test))
    rights = (exprs[e.rights[0]] for e in found if isinstance(e, ir.Compare) and e.ops == ("==",))
    return {e.value for e in rights if isinstance(e, ir.Const)}


def _asks_for(exprs: Sequence[ir.Expr], atom: int, arch: Architecture) -> bool:
    """Tell whether a comparison is with the number of an architecture, by `==` or `!=`."""
    expr = exprs[atom]
    if not isinstance(expr, ir.Compare) or expr.ops not in (("==",), ("!=",)):
        return False
    right = exprs[expr.rights[0]]
    major, minor = arch.capability
    return isinstance(right, ir.Const) and right.value in (major, major * 10 + minor) and right.value is not True
