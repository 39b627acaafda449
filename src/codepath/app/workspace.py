"""One tree, opened: its questions and what answers them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING

from codepath.app.ordering import parts_of
from codepath.app.reaching import Reaching
from codepath.app.solving import NoRows
from codepath.app.unresolved import reasons as _reasons
from codepath.errors import QueryError
from codepath.model.answers import (
    EntriesAnswer,
    Entry,
    IndexAnswer,
    ReachAnswer,
    RegistrySize,
    SourceInfo,
    Stats,
    StatusAnswer,
    Step,
    StepsAnswer,
    SymbolsAnswer,
    Truncation,
    Unresolved,
)
from codepath.model.arch import ArchAnswer, ExplainAnswer
from codepath.model.assumptions import NOTHING_SAID, Said
from codepath.model.knowledge import Knowledge
from codepath.model.orders import OrderAnswer
from codepath.model.pictures import Family, Picture
from codepath.model.requests import ReachRequest
from codepath.model.values import ValuesAnswer
from codepath.program.graph import CallGraph, gaps_of, symbol_of
from codepath.program.names import is_place

if TYPE_CHECKING:
    from codepath.analysis.detect.tree import DetectTree
    from codepath.analysis.hooks import Hooks
    from codepath.app.checked import Checked
    from codepath.app.comparing import Comparing
    from codepath.app.detecting import Detecting
    from codepath.app.drawing import Drawing
    from codepath.app.kept import KeptDrafts
    from codepath.app.opened import Opened
    from codepath.app.reading import Scopes
    from codepath.app.touched import Lines
    from codepath.app.tracing import Tracing
    from codepath.model.detect import DeadLookups, FamilyAnswer, MismatchAnswer, UsesAnswer
    from codepath.model.flags import FlagsAnswer
    from codepath.model.hooks import HookAnswer, HooksAnswer
    from codepath.model.siblings import MembersAnswer, SiblingsAnswer
    from codepath.model.trace import AbsentAnswer, TraceAnswer
    from codepath.program.hook_facts import HookFacts

RESOLUTIONS = ("exact", "inferred", "family", "by-name")


class Workspace:
    """A tree with its store. Questions index what they need."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def close(self) -> None:
        """Close the tree and the store."""
        self._opened.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def knowledge(self) -> Knowledge:
        """What is known of the libraries and the project of this tree."""
        return self._opened.knowledge

    @property
    def source(self) -> SourceInfo:
        """The tree as an answer names it, with what was left out of it."""
        return self._opened.source

    @property
    def content(self) -> dict[str, str]:
        """The content key of each file."""
        return self._opened.content

    @property
    def folder(self) -> str | None:
        """The folder of the tree, None where it is none."""
        return self._opened.tree.folder

    @property
    def repository_prefix(self) -> str:
        """What stands before a file of the tree below the top of the repository around it; "" where there is none."""
        return self._opened.repository_prefix

    @property
    def parsed(self) -> int:
        """How many files were parsed so far."""
        return self._opened.indexer.parsed

    def reach(self, asked: ReachRequest) -> ReachAnswer:
        """Answer which paths reach a function, method or class, and in what order relative to an event."""
        opened = self._opened
        answer = Reaching(opened).reach(asked)
        writer = answer.stored_value
        if writer is None or opened.graph.is_partial:
            return answer
        from codepath.analysis.asked_hooks import asked_hooks, lacked_hooks

        change = opened.in_change
        if change is None:
            return replace(answer, hooks=asked_hooks(writer, self._hooks, answer.assumptions))
        if all(change.keeps_hook(hook) for hook, _ in lacked_hooks(writer)):
            return replace(
                answer, hooks=asked_hooks(writer, self._hooks_on(self._hook_facts_on(change.graph)), answer.assumptions)
            )
        opened.solve_anew()
        return self.reach(asked)

    @property
    def _whole(self) -> Opened:
        """The tree with the whole of its call graph: a first question may have left a part of it."""
        self._opened.whole_tree()
        return self._opened

    @property
    def _current(self) -> Opened:
        """The tree with the whole of its call graph, solved or following from that of a tree that few files differ from."""
        self._opened.whole_or_changed()
        return self._opened

    def order(self, first: str, then: str, said: Said = NOTHING_SAID) -> OrderAnswer:
        """Answer which of two things comes first."""
        self._opened.check_names(parts_of(first) + parts_of(then))
        opened = self._current
        answer = opened.ordering.order(first, then, opened.assuming.assumptions(said, opened.config.assume))
        if answer.verdict != "unreached":
            return answer
        sides = list(zip((answer.first, answer.then), answer.is_reached, strict=True))
        is_blocked = all(answer.is_reached)  # then guards stop the ways to one of them
        missed = (f for side, known in sides if is_blocked or not known for f in side.functions)
        return replace(answer, spelled=opened.spelled(missed))

    def init_order(
        self,
        root: str,
        *,
        until: str | None = None,
        depth: int = 0,
        show: Sequence[str] = (),
        limit: int = 40,
        said: Said = NOTHING_SAID,
    ) -> Picture:
        """Answer what runs below a function, in which order; `depth` 0 is no limit."""
        self._opened.check_names([root, until or ""])
        return self.drawing(said).init_order(root, until, depth, show, limit)

    def drawing(self, said: Said = NOTHING_SAID) -> Drawing:
        """Return what draws this tree."""
        from codepath.app.drawing import Drawing
        from codepath.app.rules import applying

        opened = self._whole
        assumed = opened.assuming.assumptions(said, opened.config.assume)
        rules = applying(opened.config, opened.tree.folder, frozenset(p.name for p in opened.knowledge.projects))
        named = (opened.names.find, opened.starts, self._setters)
        return Drawing(opened.ordering, assumed, *named, rules, opened.declares_globals)

    def overrides(self, name: str, methods: Sequence[str]) -> Family:
        """Answer which classes are above and below a class, and what each overrides."""
        from codepath.analysis.pictures.family import Families

        self._opened.check_names([name])
        found = self._whole.one(name)
        if found.kind != "class":
            raise QueryError(f"`{name}` is no class", help=(f"codepath draw paths {name}",))
        return Families(self._whole.graph, self._whole.bodies, self._hook_facts).of(found.name, methods)

    def _setters(self, name: str) -> list[str]:
        """Return the functions that store a global or an attribute."""
        return list(dict.fromkeys(writer.place.function for writer in self.values(name).writers))

    def values(self, name: str) -> ValuesAnswer:
        """Answer who writes and reads a global or an attribute, and what it can hold."""
        self._opened.check_names([name], is_variable=True)
        gaps = self._detecting.attribute(name) if "." in name and not is_place(name) else ()
        is_never = all(gap.form == "never" for gap in gaps)
        if gaps and (is_never or self._opened.stored is None):
            self._opened.without_calls()
            return self._detecting.first_answer(name, gaps)
        found = self._whole.variables.values(name, self._whole.ordering.through)
        if found is not None:
            return replace(found, gaps=gaps)
        found = self._whole.variables.parameter(name)
        if found is None:
            raise self._whole.names.unknown(name, self._whole.near(name))
        return replace(found, gaps=self._detecting.parameter(found.variable))

    def uses(self, name: str, *, guards: bool, instances: bool) -> UsesAnswer:
        """Answer under which conditions an attribute is set and used, and which instances write shared state."""
        answer = self._detecting.uses(name, guards=guards, instances=instances)
        self._opened.without_calls()
        return answer

    def callers(self, name: str) -> StepsAnswer:
        """Answer who calls a function, of the tree or outside of it."""
        cut = self._opened.demand(name, (), is_direct=True)
        answer = self._callers(name)
        if cut is not None and not answer.steps:  # "not called" must not rest on a part
            cut = None
            self._opened.whole_tree()
            answer = self._callers(name)
        return replace(answer, truncated=cut)

    def _callers(self, name: str) -> StepsAnswer:
        opened = self._opened
        try:
            found = opened.one(name)
        except QueryError:
            return self._callers_outside(name)
        steps = tuple(step for target in opened.runs(found) for step in opened.graph.steps_into(target))
        if opened.graph.is_partial:  # what a name could mean depends on files that were not read
            steps = tuple(step for step in steps if step.resolution != "by-name")
        return StepsAnswer(symbol_of(found), steps, (), _count(steps, 0))

    def _callers_outside(self, name: str) -> StepsAnswer:
        """Answer who calls something by its dotted name outside the tree; raises what is wrong where nothing does."""
        from codepath.app.meant import outside_calls

        opened = self._opened
        if "." not in name or opened.graph.is_partial or opened.names.find(name) or not opened.graph.called(name):
            opened.one(name)
        symbol, called = outside_calls(opened.graph, name)
        steps = (step for target in called for step in opened.graph.steps_into(target))
        ordered = tuple(sorted(steps, key=lambda s: (s.file, s.line, s.column, s.callee)))
        return StepsAnswer(symbol, ordered, (), _count(ordered, 0))

    def mismatches(self, name: str) -> MismatchAnswer:
        """Answer which call sites of a function its parameters do not fit."""
        from codepath.model import detect

        self._opened.check_names([name])
        found = self._whole.one(name)
        names = [found.name, *self._whole.runs(found)]
        steps = [step for target in dict.fromkeys(names) for step in self._whole.graph.steps_into(target)]
        calls = len({(step.file, step.line, step.column) for step in steps})
        return detect.MismatchAnswer(symbol_of(found), calls, self._detecting.mismatches(names))

    def callees(self, name: str) -> StepsAnswer:
        """Answer what a function calls."""
        self._opened.check_names([name])
        opened = self._current
        found = opened.one(name)
        names = opened.starts(found.name)
        steps = tuple(step for n in names for step in opened.graph.steps(n))
        rows = [(n, opened.graph.function(n)) for n in names]
        gaps = tuple(gap for n, row in rows if row is not None for gap in gaps_of(n, row))
        return StepsAnswer(symbol_of(found), steps, gaps, _count(steps, len(gaps)))

    def symbols(self, pattern: str, limit: int) -> SymbolsAnswer:
        """List the named things that match a pattern: a part of a dotted name, with `*` and `?` as in a shell."""
        wanted = pattern if any(ch in pattern for ch in "*?[") else f"*{pattern}*"
        last = wanted if "." not in pattern else f"*{pattern.rpartition('.')[2]}*"
        opened = self._opened
        parts = re.split(r"[.*?]", pattern.rpartition(".")[0]) if "[" not in pattern else ()
        opened.list_names(lambda word: fnmatchcase(word, last), filter(None, parts))
        exact = [symbol_of(n) for n in opened.names.find(pattern)]
        rest = [
            symbol_of(n)
            for name in opened.graph.all_names()
            if fnmatchcase(name, last)
            for n in opened.graph.named(name)
            if fnmatchcase(n.name, f"*{wanted.strip('*')}*" if "." in pattern else "*")
        ]
        found = list(dict.fromkeys([*exact, *sorted(rest, key=lambda s: s.name)]))
        cut = Truncation("symbols", limit, len(found)) if len(found) > limit else None
        return SymbolsAnswer(tuple(found[:limit]), cut)

    def begun(self, word: str) -> Iterator[str]:
        """Yield the names that begin as a word does, of the tree as it was solved last."""
        from codepath.app.completing import begun_names

        return begun_names(self._opened, word)

    def entries(self, uncalled: bool = False) -> EntriesAnswer:
        """List the ways in, targets of processes and registries; with `uncalled`, also the functions that nothing calls."""
        opened = self._current
        lonely = tuple(symbol_of(n) for n in opened.graph.uncalled()) if uncalled else ()
        spawned = (Entry(name, name, "spawned", opened.place(name)) for name in opened.graph.spawned())
        registered = self._hook_facts_on(opened.graph).registered
        registries = (
            RegistrySize(one.name, len(registered[one.name]), one.variable, one.modules, one.table)
            for one in self.knowledge.registries
            if registered[one.name]
        )
        return EntriesAnswer((*opened.entries, *spawned), tuple(registries), lonely)

    def graph(self, min_resolution: str = "by-name") -> Iterator[Step]:
        """Yield every step of the tree, by caller's file, line, column, callee."""
        allowed = frozenset(RESOLUTIONS[: RESOLUTIONS.index(min_resolution) + 1])
        for caller, row in self._whole.graph.everything():
            if self._whole.matches(caller):
                yield from (s for s in self._whole.graph.steps_of(caller, row) if s.resolution in allowed)

    def unresolved(self) -> Iterator[Unresolved]:
        """Yield every call site of unknown target."""
        for caller, row in self._whole.graph.everything():
            if self._whole.matches(caller):
                yield from gaps_of(caller, row)

    @cached_property
    def _hook_facts(self) -> HookFacts:
        return self._hook_facts_on(self._whole.solved[0])

    def _hook_facts_on(self, graph: CallGraph) -> HookFacts:
        from codepath.program.hook_facts import HookFacts

        return HookFacts(graph, (r.name for r in self.knowledge.registries))

    @cached_property
    def _scopes(self) -> Scopes:
        from codepath.app.reading import Scopes

        return Scopes({name: path for path, name in self._opened.modules.items()}, self._opened.facts_of)

    @cached_property
    def _hooks(self) -> Hooks:
        return self._hooks_on(self._hook_facts)

    def _hooks_on(self, facts: HookFacts) -> Hooks:
        from codepath.analysis.hooks import Hooks

        return Hooks(facts, self._scopes.store_of, self._scopes.guards_at, self._scopes.names_in)

    @cached_property
    def _tracing(self) -> Tracing:
        from codepath.app.flows import NoneFlows
        from codepath.app.supposing import Supposing
        from codepath.app.tracing import Tracing

        return Tracing(
            self._whole.solved[0],
            self._whole.bodies,
            self._hooks,
            self._hook_facts,
            self._scopes,
            self._whole.modules,
            self._whole.tree.read,
            NoneFlows(self._whole.solved[0], self._whole.bodies),
            arch_rows=self._opened.architectures.rows_in,
            architectures=self.knowledge.architectures,
            supposing=Supposing(self._whole.assuming, self._whole.bodies, tuple(self._whole.config.assume)),
        )

    def trace(self, log: bytes, *, assume: Sequence[str] = (), launch_args: str = "") -> TraceAnswer:
        """Answer what caused the failure that a log shows."""
        return self._tracing.trace(log, assume, launch_args)

    def absent(self, text: str) -> AbsentAnswer:
        """Answer where the tree would print a text, and under which guards."""
        return self._tracing.absent(text)

    def hook(self, name: str, *, family: str = "", missing: bool = False) -> HookAnswer:
        """Answer which classes have an attribute that is looked up by name, `Class.name` for one class and those below."""
        from codepath.app.hooking import interface, with_hidden

        declared = interface(name, self._detect)
        if declared is not None:
            self._opened.without_calls()
            return _lacking(declared) if missing else declared
        owner, _, hook = name.rpartition(".")
        self._opened.check_names([owner])
        if self._opened.stored is None and not self._opened.words.holding(hook):
            raise self._no_hook(hook)
        below = self._whole.one(owner) if owner else None
        if below is not None and below.kind != "class":
            raise QueryError(f"`{owner}` is no class", help=("name an attribute, or CLASS.NAME",))
        answer = self._hooks.one(hook, family, below.name if below is not None else "")
        if answer is None:
            raise self._no_hook(hook)
        answer = with_hidden(answer, self._detect, self._hooks)
        return _lacking(answer) if missing else answer

    def _no_hook(self, hook: str) -> QueryError:
        """Return the error for an attribute that the tree neither looks up nor has."""
        near = [n for n in self._opened.near(hook) if n != hook]
        help = ("did you mean", *(f"    {n}" for n in near)) if near else ()
        return QueryError(f"nothing in this tree looks up or has an attribute `{hook}`", help=help)

    def hooks(self, *, family: str = "", missing: bool = False, limit: int = 0) -> HooksAnswer:
        """Answer which attributes are looked up by name on classes of the tree, and which classes lack each."""
        answer = self._hooks.every(family, missing)
        if not limit or len(answer.hooks) <= limit:
            return answer
        return replace(answer, hooks=answer.hooks[:limit], truncated=Truncation("hooks", limit, len(answer.hooks)))

    def family(self, name: str) -> FamilyAnswer:
        """Answer what a class and those below it lose by the methods that they replace."""
        answer = self._detecting.family(name)
        self._opened.without_calls()
        return answer

    def dead_lookups(self, name: str = "") -> DeadLookups:
        """Answer which look-ups by name can never find anything; `name` chooses one attribute."""
        from codepath.app.kept import kept_answer
        from codepath.model.detect import DeadLookups

        about = (*self._about, name)
        answer = kept_answer(self._opened.store, about, DeadLookups, lambda: self._detecting.dead_lookups(name))
        self._opened.without_calls()
        return answer

    def flags(self, name: str = "", *, limit: int = 0) -> FlagsAnswer:
        """Answer where environment variables and launch options are declared and read; `name` chooses one."""
        from codepath.app.kept import kept_answer
        from codepath.model.flags import FlagsAnswer

        about = (*self._about, name, limit)
        answer = kept_answer(self._opened.store, about, FlagsAnswer, lambda: self._flags(name, limit))
        self._opened.without_calls()
        return answer

    def _flags(self, name: str, limit: int) -> FlagsAnswer:
        from codepath.app.flagging import Flagging

        opened = self._opened
        options = opened.assuming_over(CallGraph(NoRows(), ()), opened.fresh_bodies).options()
        flagging = Flagging(self._detecting.families, options)
        return flagging.one(name, self._opened.near(name)) if name else flagging.every(limit)

    @property
    def _about(self) -> tuple[object, ...]:
        """All that answers of detectors without calls depend on, as plain data."""
        opened, known = self._opened, self.knowledge
        return opened.solution, known, known.requirements, sorted(opened.tree.beside())

    def siblings(self, names: Sequence[str]) -> SiblingsAnswer:
        """Answer what some of several functions do and others do not; one name stands for it and its siblings."""
        answer = self._comparing.siblings(names)
        self._opened.without_calls()
        return answer

    def members(self, names: Sequence[str]) -> MembersAnswer:
        """Answer what enumerations of families leave out; without names, of all families of which one leaves out few."""
        answer = self._comparing.members(names)
        self._opened.without_calls()
        return answer

    @cached_property
    def _comparing(self) -> Comparing:
        from codepath.app.comparing import Comparing

        return Comparing(self._detect)

    @cached_property
    def _detecting(self) -> Detecting:
        from codepath.app.detecting import Detecting

        return Detecting(self._detect)

    def _kept_drafts(self, targets: Sequence[str]) -> KeptDrafts:
        from codepath.app.kept import KeptDrafts

        opened, known = self._opened, self.knowledge
        beside = sorted(opened.tree.beside())
        about = (opened.solution, known, known.requirements, tuple(targets), opened.tree.scripts, beside)
        return KeptDrafts(opened.store, about)

    def arch(self, targets: Sequence[str]) -> ArchAnswer:
        """Answer which tables and branches miss some GPU architectures."""
        return self._opened.architectures.arch(targets)

    def arch_explained(self, targets: Sequence[str], asked: str) -> ExplainAnswer:
        """Answer what a name or a line is on each architecture."""
        return self._opened.architectures.explained(targets, asked)

    def without_needless_calls(self) -> None:
        """Go on without the call graph where nothing has asked for it yet; failures of all files are told all the same."""
        if self._opened.stored is None:
            self._opened.indexer.ensure(self._opened.indexer.keys)
            self._opened.without_calls()

    def checked_beside(self, base: Workspace, targets: Sequence[str]) -> tuple[Checked, Checked]:
        """Return this tree and the one before as rules see them that ask what the change between them brings."""
        from codepath.app.arch_beside import after_change
        from codepath.app.taking_over import take_over
        from codepath.app.touched import change_between

        take_over(self._opened, base._opened)
        change = change_between(self._opened, base._opened, (self._detect.words, base._detect.words))

        def arch(asked: Sequence[str]) -> ArchAnswer:
            known = base._opened.architectures.unconcerned(asked, change)
            if known is None:
                known = after_change(base._opened, self._opened, asked, change)
            return known if known is not None else self._opened.architectures.rows(asked)

        here, there = self._opened.solution, base._opened.solution
        after = self._checked(targets, change.lines, arch, there)
        return after, base._checked(targets, change.before, base._opened.architectures.rows, here)

    def checked(self, targets: Sequence[str]) -> Checked:
        """Return the tree as rules see it; `targets` are the architectures that are asked for."""
        return self._checked(targets, None, self._opened.architectures.rows)

    def _checked(
        self,
        targets: Sequence[str],
        near: Lines | None,
        arch: Callable[[Sequence[str]], ArchAnswer],
        beside: str = "",
    ) -> Checked:
        """Return the tree as rules see it.

        Args:
            targets: The architectures that are asked for.
            near: The lines around which local kinds look, None for everywhere.
            arch: Answers for architectures.
            beside: The solution of the tree that it is compared with.
        """
        from codepath.app.checked import Checked

        return Checked(
            graph_of=lambda: self._whole.graph,
            hooks_of=lambda: self._hooks,
            targets=tuple(targets),
            indexer=self._opened.indexer,
            modules=self._opened.modules,
            knowledge=self.knowledge,
            ordering_of=lambda: self._whole.ordering,
            values_of=lambda name, unset: self._whole.variables.values(name, self._whole.ordering.through, unset=unset),
            arch_of=arch,
            keeping=self._kept_drafts(targets),
            beside=beside,
            detect=self._detect if near is None else replace(self._detect, within=near, kept={}),
        )

    @cached_property
    def _detect(self) -> DetectTree:
        from codepath.app.detecting import detect_tree

        return detect_tree(self._opened)

    def used_by(self, other: Workspace) -> tuple[str, ...]:
        """Return the functions of this tree that the modules which only another tree has override, replace or call."""
        from codepath.app.used_by import Files, used_names

        mine, others = self._opened, other._opened
        others.indexer.ensure(others.indexer.keys)
        return used_names(Files(mine.modules, mine.facts_of), Files(others.modules, others.facts_of))

    # --- the index ---------------------------------------------------------------------------------------------------

    def index(self) -> IndexAnswer:
        """Bring the whole tree's facts and call graph up to date."""
        whole = self._whole.whole
        status = self._whole.store.status()
        kinds = Counter(e.kind for e in self._whole.entries)
        return IndexAnswer(
            files=len(self._whole.tree.files),
            parsed=self._whole.indexer.parsed,
            classes=whole.classes,
            functions=whole.functions,
            stats=Stats(*whole.counts),
            entries=tuple(sorted(kinds.items())),
            namespace_folders=_namespace_folders(self._whole.modules),
            byte_order_marks=whole.byte_order_marks,
            skipped=self._whole.skipped,
            cache=str(status.path) if status.path is not None else "",
            database=status.size,
        )

    def status(self, reasons: bool = False, receivers: int = 0) -> StatusAnswer:
        """Describe the tree and its index; calls are counted where they are solved, and solved for `reasons`, `only`.

        Args:
            reasons: say why calls have no known target.
            receivers: list so many receivers for each reason.
        """
        from codepath.app.rules import on_and_off

        status = self._opened.store.status()
        solved = reasons or self._opened.options.only is not None or self._opened.stored is not None
        if solved:
            self._opened.whole_tree()
        else:
            self._opened.without_calls()
        whole = self._opened.whole
        stats = Stats(*whole.counts) if solved else None
        if self._opened.options.only is not None:
            stats = self._opened.graph.count(self._opened.matches)
        projects = tuple(p.name for p in self.knowledge.projects)
        on, off = on_and_off(self._opened.config, self._opened.tree.folder, projects)
        return StatusAnswer(
            files=len(self._opened.tree.files),
            lines=whole.lines,
            stored=len(self._opened.tree.files) - len(self._opened.indexer.missing(self._opened.indexer.keys)),
            solved=solved,
            skipped=self._opened.skipped,
            stats=stats,
            unresolved=tuple(_reasons(self.unresolved(), receivers=receivers, named=self._named)) if reasons else (),
            cache=str(status.path) if status.path is not None else "",
            database=status.size,
            other_versions=status.other_versions,
            projects=projects,
            config=str(self._opened.config.path) if self._opened.config.path is not None else None,
            rules_on=on,
            rules_off=off,
        )

    def _named(self, last: str) -> tuple[str, ...]:
        found = [n for n in self._opened.graph.named(last) if n.kind in ("function", "method")]
        return tuple(n.name for n in sorted(found, key=lambda n: (n.kind != "method", n.name)))


def _lacking(answer: HookAnswer) -> HookAnswer:
    """Return an answer without the classes that have the hook."""
    return replace(answer, classes=tuple(c for c in answer.classes if c.has is not True))


def _namespace_folders(modules: dict[str, str]) -> int:
    folders = {path.rpartition("/")[0] for path in modules if "/" in path}
    packages = {path.rpartition("/")[0] for path in modules if path.endswith("/__init__.py")}
    return len(folders - packages)


def _count(steps: tuple[Step, ...], unresolved: int) -> Stats:
    best: dict[tuple[str, int, int], str] = {}
    for step in steps:
        key = (step.file, step.line, step.column)
        if key not in best or RESOLUTIONS.index(step.resolution) < RESOLUTIONS.index(best[key]):
            best[key] = step.resolution
    tiers = Counter(best.values())
    return Stats(
        call_sites=len(best) + unresolved,
        exact=tiers["exact"],
        inferred=tiers["inferred"],
        family=tiers["family"],
        by_name=tiers["by-name"],
        unresolved=unresolved,
    )
