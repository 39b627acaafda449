"""Questions that detectors answer about one name: what a family of classes loses, where an attribute is never set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from codepath.analysis.detect.contracts import Contracts
from codepath.analysis.detect.drift import Drift
from codepath.analysis.detect.evidence import Evidence, evidence_of
from codepath.analysis.detect.families import Families, Family
from codepath.analysis.detect.formulas import said
from codepath.analysis.detect.mismatches import Mismatches, Use
from codepath.analysis.detect.overrides import Overrides
from codepath.analysis.detect.parameters import Parameters
from codepath.analysis.detect.probes import DeadProbes
from codepath.analysis.detect.shared import Shared
from codepath.analysis.detect.tables import Site
from codepath.analysis.detect.tree import DetectTree
from codepath.analysis.detect.unset import Unset
from codepath.app.mentions import defines, near
from codepath.app.opened import Opened
from codepath.errors import QueryError
from codepath.model import ir
from codepath.model.answers import Stats, Truncation
from codepath.model.checks import PRECISIONS
from codepath.model.detect import (
    AttributeUse,
    DeadLookups,
    Detected,
    FamilyAnswer,
    InstanceWrite,
    Member,
    Replaced,
    UsesAnswer,
)
from codepath.model.values import Reader, ValuesAnswer, Writer
from codepath.program.graph import CallGraph
from codepath.program.tree import ScopeInfo

_SHOWN = 4


def detect_tree(opened: Opened) -> DetectTree:
    """Return an opened tree as detectors see it: files are read as they are asked for, calls solved when they are."""
    return DetectTree(
        bodies=opened.fresh_bodies,
        words=opened.words,
        paths={name: path for path, name in opened.modules.items()},
        read=opened.tree.read,
        solved=lambda: _graph(opened),
        is_solved=opened.stored is not None,
        knowledge=opened.knowledge,
        progress=opened.progress,
        vocabulary=opened.vocabulary,
        compiled=opened.tree.compiled,
    )


def _graph(opened: Opened) -> CallGraph:
    """Return the call graph of a tree: as it follows from that of a tree that few files differ from, else as it is solved."""
    found = opened.changed if opened.stored is None else None
    return found.graph if found is not None else opened.solved[0]


class Detecting:
    """Answers about the classes of one tree."""

    def __init__(self, tree: DetectTree) -> None:
        self._tree = tree

    @property
    def families(self) -> Families:
        """The families of its classes."""
        return self._evidence.families

    @property
    def _evidence(self) -> Evidence:
        return evidence_of(self._tree)

    @cached_property
    def _overrides(self) -> Overrides:
        return Overrides(self._evidence)

    def classes(self, query: str) -> list[ScopeInfo]:
        """Return the classes that a name means, by file and place; their bases and subclasses are loaded."""
        last = query.rpartition(".")[2]
        found: list[ScopeInfo] = []
        for path in self._tree.words.holding(last):
            module = self._tree.module_at(path) if defines(self._tree.read(path), last) else None
            classes = [i for i in module.scopes if i.form == "class"] if module is not None else []
            found.extend(i for i in classes if i.name == query or i.name.endswith(f".{query}"))
        if found:
            self._tree.load_below(last)
        return [info for info in found if info.name == query] or found

    def family(self, query: str) -> FamilyAnswer:
        """Answer what a class and those below it lose by what they replace.

        Raises:
            QueryError: The name means no class, or several.
        """
        info = self._one(query)
        infos = [info, *(self._tree.info(sid) for sid in self.families.classes.below(info.sid))]
        gaps = [gap for one in infos for detector in self._detectors for gap in detector.of(one)]
        members = tuple(self._member(one) for one in infos)
        return FamilyAnswer(info.name, self._tree.place(info, info.at), members, tuple(sorted(gaps, key=_rank)))

    def attribute(self, query: str) -> tuple[Detected, ...]:
        """Return what detectors see of `Class.attribute` on objects of the class and of those below it, the surest first."""
        owner, _, name = query.rpartition(".")
        infos = dict.fromkeys(
            self._tree.info(sid)
            for info in (self.classes(owner) if owner else ())
            for sid in (info.sid, *self.families.classes.below(info.sid))
        )
        found = [gap for info in infos for detector in self._detectors for gap in detector.of(info)]
        return tuple(sorted((gap for gap in found if gap.name == name), key=_rank))

    def parameter(self, variable: str) -> tuple[Detected, ...]:
        """Return what is seen of a parameter, as `function.name`."""
        owner, _, name = variable.rpartition(".")
        info = self._tree.bodies.scope(owner)
        return tuple(g for g in (Parameters(self._evidence).of(info) if info is not None else ()) if g.name == name)

    def uses(self, query: str, *, guards: bool, instances: bool) -> UsesAnswer:
        """Answer under which conditions an attribute is set and used, and which instances of a class write shared state.

        Raises:
            QueryError: The name means no class with such an attribute, and no shared state of that name is written.
        """
        owner, _, name = query.rpartition(".")
        found = self.classes(owner) if owner else []
        uses, gaps, writes = [], [], []
        if guards:
            info = found[0] if len(found) == 1 else self._one(owner or name)
            mismatches = Mismatches(self._evidence)
            uses = [self._use(use) for use in mismatches.uses(info, name)]
            gaps = [gap for gap in mismatches.of(info) if gap.name == name]
        if instances:
            writes = list(self._instances(name))
        if not uses and not writes:
            what = "an attribute" if guards else "shared state"
            raise QueryError(
                f"nothing is seen to store or read `{query}` as {what}", help=(f"codepath values {query}",)
            )
        place = self._tree.place(found[0], found[0].at) if len(found) == 1 else None
        variable = f"{found[0].name}.{name}" if len(found) == 1 else query
        return UsesAnswer(
            variable, place, tuple(uses) if guards else None, tuple(writes) if instances else None, tuple(gaps)
        )

    def mismatches(self, names: Sequence[str]) -> tuple[Detected, ...]:
        """Return the calls that do not fit functions, and overrides that calls through a base do not fit, the surest first."""
        drift = Drift(self._evidence)
        found = {(gap.place, gap.form): gap for name in names for gap in drift.of(name)}
        return tuple(sorted(found.values(), key=_rank))

    def _use(self, use: Use) -> AttributeUse:
        return AttributeUse(self._evidence.place(use.site), use.what, said(use.when))

    def _instances(self, name: str) -> Iterator[InstanceWrite]:
        shared = Shared(self._evidence)
        for info in self._storing(name):
            for write in (w for w in shared.writes(info) if w.name == name and w.method.info.outer == info.sid):
                passing = [self._evidence.place(s) for s in shared.passing(write.flag)]
                place = self._evidence.place(write.site)
                yield InstanceWrite(info.name, write.holder, place, write.flag, not write.asks, tuple(passing))

    def _storing(self, name: str) -> list[ScopeInfo]:
        """Return the classes whose methods store an attribute or a global of a name."""
        found: dict[ScopeInfo, None] = {}
        for path in self._tree.words.holding(name):
            module = self._tree.module_at(path)
            for info in self._tree.bodies.holding(module.name, name) if module is not None else ():
                exprs = self._tree.bodies.of(info).scope.exprs
                owner = self._tree.bodies.tree.class_around(info)
                if owner is not None and any(isinstance(e, ir.StoreItem) or _is_stored(e, name) for e in exprs):
                    found[owner] = None
        return list(found)

    def first_answer(self, query: str, gaps: tuple[Detected, ...]) -> ValuesAnswer:
        """Answer about an attribute by what its own class does with it: whole where nothing stores it, else cut off."""
        owner, _, name = query.rpartition(".")
        cls = self.classes(owner)[0]
        family = self.families.of(cls)
        stores = [site for _, method in family.live for site in method.stores.get(name, ())]
        reads = [site for _, method in family.live for site in method.reads.get(name, ())]
        shown = (
            [place for gap in gaps for place in (gap.place, *(note.place for note in gap.notes))] if not stores else []
        )
        places = dict.fromkeys([*shown, *(self._evidence.place(site) for site in reads)])
        loaded = len(self._tree.bodies.tree.modules)
        return ValuesAnswer(
            variable=f"{cls.name}.{name}",
            kind="instance-attribute",
            place=self._tree.place(cls, cls.at),
            states=("unset", "set", "unknown") if stores else ("unset",),
            setters=(),
            getters=(),
            writers=tuple(self._writer(site) for site in sorted(set(stores), key=lambda s: (s.sid, s.at))),
            readers=tuple(Reader(place, None, "use", True) for place in sorted(places, key=lambda p: (p.file, p.line))),
            unset_reads=(),
            stats=Stats(),
            truncated=Truncation("files", loaded, len(self._tree.paths)) if stores else None,
            gaps=gaps,
        )

    def _writer(self, site: Site) -> Writer:
        return Writer(self._evidence.place(site), "store", None, "", None, (), (), 0, (), ())

    def dead_lookups(self, name: str = "") -> DeadLookups:
        """Answer which look-ups by name can never find anything; `name` chooses one attribute."""
        found = DeadProbes(self.families).everywhere()
        return DeadLookups(tuple(one for one in found if not name or one.name == name))

    @cached_property
    def _detectors(self) -> tuple[Overrides | Unset | Contracts, ...]:
        return (Unset(self._evidence), self._overrides, Contracts(self._evidence))

    def _one(self, query: str) -> ScopeInfo:
        found = self.classes(query)
        if len(found) == 1:
            return found[0]
        if found:
            shown = [f"    {i.name}    {i.module.path}:{ir.line_of(i.at)}" for i in found[:_SHOWN]]
            more = [f"    ... {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
            raise QueryError(f"`{query}` names {len(found)} classes; give one of", help=(*shown, *more))
        close = [word for word in near(query, self._tree.vocabulary()) if self.classes(word)][:_SHOWN]
        help = ("did you mean", *(f"    {word}" for word in close)) if close else ()
        raise QueryError(f"no class of this tree is named `{query}`", help=help)

    def _member(self, info: ScopeInfo) -> Member:
        classes = self.families.classes
        bases = tuple(self._tree.info(sid).name for sid in classes.mro(info.sid)[1:])
        replaced = tuple(self._replaced(self.families.of(info)))
        place = self._tree.place(info, info.at)
        return Member(
            info.name, place, bases, classes.outside_bases(info.sid), self._evidence.runs.is_made(info), replaced
        )

    def _replaced(self, family: Family) -> Iterator[Replaced]:
        """Yield the methods that are lost and store something, or construct."""
        for owner, method in family.lost:
            if not method.stores and method.info.id != "__init__":
                continue
            by = next((m for _, m in family.live if m.info.id == method.info.id), None)
            place = self._tree.place(method.info, method.info.at)
            where = self._tree.place(by.info, by.info.at) if by is not None else None
            yield Replaced(method.info.id, owner.name, place, where, tuple(sorted(method.stores)))


def _rank(gap: Detected) -> tuple[int, float, str, str, int, str]:
    return (PRECISIONS.index(gap.precision), -gap.surprise, gap.owner, gap.place.file, gap.place.line, gap.name)


def _is_stored(expr: ir.Expr, name: str) -> bool:
    return isinstance(expr, (ir.StoreAttr, ir.Bind)) and expr.id == name
