"""What detectors ask about one tree, each part made once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from codepath.analysis.detect.construction import Constructions
from codepath.analysis.detect.families import Families, families_of
from codepath.analysis.detect.guard_values import GuardValues
from codepath.analysis.detect.runs import Runs
from codepath.analysis.detect.tables import Site
from codepath.analysis.detect.tree import DetectTree
from codepath.analysis.detect.when import When
from codepath.model.answers import Place
from codepath.model.detect import Detected
from codepath.program.tree import ScopeInfo


class Evidence:
    """The families of a tree's classes, what guards come to, what can run, and what constructors do."""

    def __init__(self, families: Families) -> None:
        self.families = families
        self.guard_values = GuardValues(families)
        self.runs = Runs(families, self.guard_values)
        self.when = When(families, self.runs)
        self.constructions = Constructions(families)

    def place(self, site: Site) -> Place:
        """Return where a site stands."""
        tree = self.families.tree
        return tree.place(tree.info(site.sid), site.at)

    def made(self) -> list[ScopeInfo]:
        """Return the classes of which there can be objects, by file and place."""
        return [info for info in self.families.tree.classes() if self.runs.is_made(info)]

    def beside(self, found: Iterable[Detected], infos: Iterable[ScopeInfo]) -> list[ScopeInfo]:
        """Return the other classes below the bases of what was found: what these do alike is counted, not reported.

        None where the whole tree is asked about, which has them all.
        """
        tree = self.families.tree
        if tree.within is None:
            return []
        bases = filter(None, (tree.bodies.scope(name) for name in {one.base for one in found if one.base}))
        known = {info.sid for info in infos}
        return [info for info in tree.with_below(bases) if info.sid not in known and self.runs.is_made(info)]

    def highest(self, of: Callable[[ScopeInfo], Iterable[Detected]]) -> Iterator[Detected]:
        """Ask about every class of which there can be objects, bases first; yield what is found once, at the first class."""
        seen: set[tuple[Place, str]] = set()
        infos = sorted(self.made(), key=lambda info: len(self.families.classes.mro(info.sid)))
        for info in self.families.tree.each(infos):
            for found in of(info):
                if (found.place, found.name) not in seen:
                    seen.add((found.place, found.name))
                    yield found


def evidence_of(tree: DetectTree) -> Evidence:
    """Return the evidence of a tree, the same for all that ask about it."""
    found = tree.kept.get("evidence")
    if not isinstance(found, Evidence):
        found = tree.kept["evidence"] = Evidence(families_of(tree))
    return found


class StateDetector:
    """What the detectors of state start from."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._families = evidence.families
        self._guard_values = evidence.guard_values
        self._runs = evidence.runs
        self._when = evidence.when
        self._constructions = evidence.constructions
