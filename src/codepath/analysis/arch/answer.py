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
from codepath.analysis.arch.spread import Holding, Part, Spread, deep
from codepath.analysis.arch.tables import Tables
from codepath.analysis.arch.tiles import WORDS, tiles
from codepath.analysis.arch.words import Words
from codepath.analysis.arch.world import World
from codepath.model.answers import Stats
from codepath.model.arch import MISSES, ArchAnswer, ArchReads, ArchRow
from codepath.model.knowledge import Architecture
from codepath.program.tree import ScopeInfo
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
    """One evaluation of a tree, or of a part of it."""

    def __init__(
        self, world: World, targets: Sequence[Architecture], sources: Sources, part: Part | None = None
    ) -> None:
        self._targets = targets
        self._sources = sources
        self.world = world
        self.archs = columns(world.knowledge.architectures, targets)
        self.spread = Spread(world, self.archs, sources.holding, part)
        self.spread.run()
        words = Words(world.knowledge.architectures)
        self.judge = Judge(self.spread, words, Comments(sources.read), Kernels(self.spread))

    def answer(self) -> ArchAnswer:
        """Return all rows."""
        names = tuple(t.name for t in self._targets)
        with deep():
            rows = sorted((_row(d, self.archs, names) for d in self.drafts()), key=order)
        over = sorted({self.world.info(s).name for m in self.spread.machines for s in m.record.over_budget})
        return ArchAnswer(
            names, tuple(a.name for a in self.archs), tuple(rows), len(self.spread.scopes), tuple(over), Stats()
        )

    def reads(self) -> ArchReads:
        """Return what the evaluation of each thing looked at, once all rows are there."""
        attributes = {
            name: sorted(self.world.info(sid).name for sid in owners) for name, owners in self.spread.attributes.items()
        }
        return self.world.reads.told((self.world.info(sid).name for sid in self.spread.scopes), attributes)

    def drafts(self) -> list[Draft]:
        """Return the rows in the making; branches that only test a table are part of its row."""
        scopes = sorted(self.spread.scopes, key=self._place_of)
        branches = [draft for s in scopes for draft in self._branches(self.world.info(s))]
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

    def _branches(self, info: ScopeInfo) -> list[Draft]:
        part = self.spread.part
        if part is not None and info.name not in part.judged:
            return []
        with self.world.reads.within(info.name):
            return [self.judge.judge(site) for site in self.judge.sites(info)]

    def _tiles(self) -> list[Draft]:
        found: list[Draft] = []
        part = self.spread.part
        for name in self._sources.holding(sorted(WORDS)):
            if part is not None and name not in part.modules:
                continue
            sid = self.world.module_sid(name)
            if sid is not None:
                found += tiles(self.judge, [self.world.info(sid)])
        return found

    def _place_of(self, sid: ScopeId) -> tuple[str, int]:
        info = self.world.info(sid)
        return info.module.path, info.at


def rows_of_files(paths: Iterable[str], archs: Sequence[Architecture], targets: Sequence[str]) -> list[ArchRow]:
    """Return the rows of families of files among paths; `archs` are the columns, `targets` the names of those asked about."""
    return [_row(draft, archs, targets) for draft in families(paths, archs)]


def _row(draft: Draft, archs: Sequence[Architecture], targets: Sequence[str]) -> ArchRow:
    asked = {draft.verdicts[target] for target in targets}
    return ArchRow(
        name=draft.name,
        place=draft.place,
        kind=draft.kind,
        keys=draft.keys,
        lookups=tuple(draft.lookups),
        verdicts=tuple((a.name, draft.verdicts[a.name]) for a in archs),
        reasons=tuple((a.name, draft.reasons[a.name]) for a in archs),
        evidence=tuple(draft.evidence),
        severity="error" if "crash" in asked else "warning" if "silent" in asked else "info",
        group=draft.group,
    )


def columns(known: Sequence[Architecture], targets: Sequence[Architecture]) -> list[Architecture]:
    """Return the architectures that are asked about and their neighbours, by capability."""
    names = {*NEIGHBOURS, *(t.name for t in targets)}
    return [a for a in known if a.name in names]


def order(row: ArchRow) -> tuple[str, int, int, str]:
    """Return what rows are sorted by."""
    return row.place.file, row.place.line, row.place.column, row.name


def is_miss(row: ArchRow, targets: Iterable[str]) -> bool:
    """Tell whether a row misses one of some architectures."""
    return any(row.verdict(target) in MISSES for target in targets)
