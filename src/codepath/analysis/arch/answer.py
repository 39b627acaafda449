"""The answer to `arch`: all rows of a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from codepath.analysis.arch.declared import declared
from codepath.analysis.arch.families import families
from codepath.analysis.arch.judge import Judge
from codepath.analysis.arch.kernels import Kernels
from codepath.analysis.arch.predicates import misnamed
from codepath.analysis.arch.sites import Draft
from codepath.analysis.arch.source import Comments
from codepath.analysis.arch.spread import Holding, Spread, deep
from codepath.analysis.arch.tables import Tables
from codepath.analysis.arch.tiles import WORDS, tiles
from codepath.analysis.arch.words import Words
from codepath.analysis.arch.world import World
from codepath.model.answers import Stats
from codepath.model.arch import MISSES, ArchAnswer, ArchRow
from codepath.model.knowledge import Architecture
from codepath.program.values import ScopeId

NEIGHBOURS = ("sm89", "sm90", "sm100", "sm103", "sm120", "sm121")


@dataclass(frozen=True)
class Sources:
    """What beside the program is read: modules that hold words, the text of a file, the paths of all files."""

    holding: Holding
    read: Callable[[str], str]
    paths: Callable[[], Iterable[str]]


def answer(world: World, targets: Sequence[Architecture], sources: Sources) -> ArchAnswer:
    """Evaluate a tree for some architectures beside their neighbours."""
    return Evaluation(world, targets, sources).answer()


class Evaluation:
    """One evaluation of a tree."""

    def __init__(self, world: World, targets: Sequence[Architecture], sources: Sources) -> None:
        self._targets = targets
        self._sources = sources
        self.world = world
        self.archs = columns(world.knowledge.architectures, targets)
        self.spread = Spread(world, self.archs, sources.holding)
        self.spread.run()
        words = Words(world.knowledge.architectures)
        self.judge = Judge(self.spread, words, Comments(sources.read), Kernels(self.spread))

    def answer(self) -> ArchAnswer:
        """Return all rows."""
        with deep():
            rows = sorted((self._row(d) for d in self.drafts()), key=_order)
        over = sorted({self.world.info(s).name for m in self.spread.machines for s in m.record.over_budget})
        names = tuple(t.name for t in self._targets)
        return ArchAnswer(
            names, tuple(a.name for a in self.archs), tuple(rows), len(self.spread.scopes), tuple(over), Stats()
        )

    def drafts(self) -> list[Draft]:
        """Return the rows in the making; branches that only test a table are part of its row."""
        scopes = sorted(self.spread.scopes, key=self._place_of)
        branches = [self.judge.judge(site) for s in scopes for site in self.judge.sites(self.world.info(s))]
        tables = Tables(self.judge)
        tables.collect(scopes)
        rows = tables.rows(branches)
        looked = {(p.place.file, p.place.line) for row in rows for p in row.lookups if p.style in ("in", "not in")}
        rows += [b for b in branches if (b.place.file, b.place.line) not in looked]
        rows += declared(self.judge)
        rows += misnamed(self.judge, scopes)
        rows += self._tiles()
        rows += families(self._sources.paths(), self.archs)
        return rows

    def _tiles(self) -> list[Draft]:
        found: list[Draft] = []
        for name in self._sources.holding(sorted(WORDS)):
            sid = self.world.module_sid(name)
            if sid is not None:
                found += tiles(self.judge, [self.world.info(sid)])
        return found

    def _place_of(self, sid: ScopeId) -> tuple[str, int]:
        info = self.world.info(sid)
        return info.module.path, info.at

    def _row(self, draft: Draft) -> ArchRow:
        verdicts = tuple((a.name, draft.verdicts[a.name]) for a in self.archs)
        asked = {draft.verdicts[t.name] for t in self._targets}
        return ArchRow(
            name=draft.name,
            place=draft.place,
            kind=draft.kind,
            keys=draft.keys,
            lookups=tuple(draft.lookups),
            verdicts=verdicts,
            reasons=tuple((a.name, draft.reasons[a.name]) for a in self.archs),
            evidence=tuple(draft.evidence),
            severity="error" if "crash" in asked else "warning" if "silent" in asked else "info",
            group=draft.group,
        )


def columns(known: Sequence[Architecture], targets: Sequence[Architecture]) -> list[Architecture]:
    """Return the architectures that are asked about and their neighbours, by capability."""
    names = {*NEIGHBOURS, *(t.name for t in targets)}
    return [a for a in known if a.name in names]


def _order(row: ArchRow) -> tuple[str, int, int, str]:
    return row.place.file, row.place.line, row.place.column, row.name


def is_miss(row: ArchRow, targets: Iterable[str]) -> bool:
    """Tell whether a row misses one of some architectures."""
    return any(row.verdict(target) in MISSES for target in targets)
