"""`siblings`: functions that do the same job, where one call or store is missing in some.

Forms: `sibling`: overrides of one method, alternatives in one caller, functions of one name pattern, versions of one class;
what some call or store and others do not come to at all. `pair`: a call beside which others make one more on the same object.
`object`: a call that a function makes for one object and not for another one that it treats alike otherwise.

Approximates: under (what a sibling comes to through calls counts as done by it, whatever the guards); over (a difference can be
meant: where siblings differ on purpose is not known).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from codepath.analysis.detect.actions import CALL, Actions, Way
from codepath.analysis.detect.alike import Alike, Sibling
from codepath.analysis.detect.compared import Comparison, Row
from codepath.analysis.detect.evidence import Evidence
from codepath.analysis.detect.going_together import Forgotten, Pair, Together
from codepath.analysis.detect.tables import Site
from codepath.model import ir
from codepath.model.answers import Guard, Place
from codepath.model.checks import PRECISIONS
from codepath.model.siblings import Difference, Doing
from codepath.model.siblings import Sibling as Shown
from codepath.program.guards import Literal
from codepath.program.tree import ScopeInfo

KIND = "siblings"
_MOST_SHOWN = 12
_NEARLY_ALL = 0.75
_SURE = 0.9


class Siblings:
    """Compares functions with their siblings."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.tree = evidence.families.tree
        self.actions = Actions(evidence.families)
        self.alike = Alike(evidence.families, self.actions)
        self.together = Together(evidence.families, self.actions)

    def shown(self, siblings: Iterable[Sibling]) -> tuple[Shown, ...]:
        """Return siblings as an answer has them."""
        return tuple(Shown(s.info.name, self.tree.place(s.info, s.info.at), s.found) for s in siblings)

    def differences(self, siblings: Sequence[Sibling], asked: Sequence[ScopeInfo]) -> tuple[Difference, ...]:
        """Return what some siblings do and others do not, and what the functions asked about leave out beside others."""
        comparison = Comparison(self.actions)
        found = [self.difference(row, len(siblings)) for row in comparison.rows([s.info for s in siblings])]
        for info in asked:
            found += [self.pair(info, pair) for pair in self.together.pairs(info)]
            found += [self.forgotten(info, one) for one in self.together.forgotten(info)]
        return tuple(sorted(found, key=_rank))

    # --- forms -------------------------------------------------------------------------------------------------------

    def difference(self, row: Row, total: int) -> Difference:
        """Return a difference between siblings as an answer has it."""
        having = len(row.have)
        share = having / total
        names = [short(one) for one in row.lack]
        does = f"calls `{row.key[1]}`" if row.key[0] == CALL else f"stores `{row.key[1]}`"
        is_sure = share >= _NEARLY_ALL and total > 2
        never = does if len(names) == 1 else does.replace("s ", " ", 1)
        do = "do" if having > 1 else "does"
        return Difference(
            form="sibling",
            what=row.key[0],
            name=row.key[1],
            beside="",
            have=tuple(self._doing(one, way) for one, way in list(row.have.items())[:_MOST_SHOWN]),
            lack=tuple(one.name for one in row.lack),
            place=self.tree.place(row.lack[0], row.lack[0].at),
            have_total=having,
            total=total,
            precision="medium" if is_sure and row.level == 0 else "low",
            surprise=round(share * row.alike, 2),
            message=f"{listed(names)} never {never}, which {having} of {total} siblings {do}",
        )

    def pair(self, info: ScopeInfo, pair: Pair) -> Difference:
        """Return a call that others make beside one of a function as an answer has it."""
        share = len(pair.having) / pair.total
        shown = [self._doing(one, Way((), action)) for one, action in pair.having[:_MOST_SHOWN]]
        return Difference(
            form="pair",
            what=CALL,
            name=pair.with_it,
            beside=pair.call.name,
            have=tuple(shown),
            lack=(info.name,),
            place=self._evidence.place(pair.call.site),
            have_total=len(pair.having),
            total=pair.total,
            precision="medium" if share >= _SURE else "low",
            surprise=round(share, 2),
            message=f"{short(info)} calls `{pair.call.name}` and never `{pair.with_it}` on the same object, as "
            f"{len(pair.having)} of {pair.total} other functions do",
        )

    def forgotten(self, info: ScopeInfo, one: Forgotten) -> Difference:
        """Return a call that leaves out an object as an answer has it."""
        return Difference(
            form="object",
            what=CALL,
            name=one.call.name,
            beside=one.done,
            have=(self._doing(info, Way((), one.call)),),
            lack=(one.left_out,),
            place=self._evidence.place(one.call.site),
            have_total=1,
            total=2,
            precision="medium" if len(one.shared) > 1 else "low",
            surprise=round(len(one.shared) / (len(one.shared) + 1), 2),
            message=f"{short(info)} calls `{one.call.name}` for `{one.done}` and not for `{one.left_out}`; "
            f"{listed([f'`{name}`' for name in one.shared])} {'get' if len(one.shared) > 1 else 'gets'} both",
        )

    def _doing(self, info: ScopeInfo, way: Way) -> Doing:
        site = way.action.site
        through = tuple(self._evidence.place(one) for one in way.through)
        return Doing(info.name, self._evidence.place(site), way.action.text, through, self._guards(site))

    def _guards(self, site: Site) -> tuple[Guard, ...]:
        info = self.tree.info(site.sid)
        return tuple(self._guard(info, one) for one in self.tree.bodies.of(info).guards.of(site.expr))

    def _guard(self, info: ScopeInfo, one: Literal) -> Guard:
        when = tuple(self._guard(info, w) for w in one.when)
        return Guard(one.text, one.polarity, one.kind, info.module.path, ir.line_of(one.at), when=when)


def short(info: ScopeInfo) -> str:
    """Return a function's name without its module."""
    return info.name[len(info.module.name) + 1 :]


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them, at most three."""
    if len(names) > 3:
        return f"{', '.join(names[:2])} and {len(names) - 2} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _rank(one: Difference) -> tuple[object, ...]:
    place: Place = one.place
    return (PRECISIONS.index(one.precision), -one.surprise, one.form, place.file, place.line, one.name, one.lack)


def rank_all(found: Iterable[Difference]) -> Iterator[Difference]:
    """Yield differences, the surest and most surprising first."""
    yield from sorted(found, key=_rank)
