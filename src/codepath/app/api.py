"""The Python API: a tree opened once, every question a method, every answer frozen data.

    >>> import codepath
    >>> with codepath.Index.open("examples/mini_server") as index:
    ...     answer = index.reach("set_expert_layout")
    ...     blocked = [path for path in answer.paths if path.feasible == "blocked"]

What `codepath.__all__` names is stable; anything else may change with any release.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal

from codepath.app.opening import open_workspace
from codepath.app.options import Options, Progress
from codepath.app.workspace import Workspace
from codepath.model.assumptions import Said
from codepath.model.requests import ReachRequest

if TYPE_CHECKING:
    from codepath.analysis.exported import Graph
    from codepath.model.answers import (
        EntriesAnswer,
        IndexAnswer,
        ReachAnswer,
        SourceInfo,
        StatusAnswer,
        Step,
        StepsAnswer,
        SymbolsAnswer,
        Unresolved,
    )
    from codepath.model.arch import ArchAnswer, ExplainAnswer
    from codepath.model.checks import CheckAnswer, DiffAnswer, Rule
    from codepath.model.detect import DeadLookups, FamilyAnswer, MismatchAnswer, UsesAnswer
    from codepath.model.flags import FlagsAnswer
    from codepath.model.hooks import HookAnswer, HooksAnswer
    from codepath.model.orders import OrderAnswer
    from codepath.model.pictures import Family, Picture
    from codepath.model.siblings import MembersAnswer, SiblingsAnswer
    from codepath.model.trace import AbsentAnswer, TraceAnswer
    from codepath.model.values import ValuesAnswer

Resolution = Literal["exact", "inferred", "family", "by-name"]


class Index:
    """One source tree, opened: what was read of it before is kept in the cache, the rest is read when it is asked for.

    A context manager. Every method may raise `CodepathError`: `QueryError` where a name is unknown or means several things,
    `SourceError` where a file cannot be read. Nothing of the tree is imported or executed.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @classmethod
    def open(
        cls,
        source: str | Path | None = None,
        *,
        cache_dir: str | Path | None = None,
        package_root: str | None = None,
        include: Sequence[str] = (),
        only: str | None = None,
        workers: int | None = None,
        python: str | None = None,
        progress: Progress | None = None,
    ) -> Index:
        """Open a tree.

        Args:
            source: A folder, `git:REV`, `git:REV@FOLDER`, a `.whl`, `.zip` or `.tar.gz`, `dist:NAME` or `NAME==VERSION`;
                None for the tree around the current folder.
            cache_dir: The cache folder; None for `CODEPATH_CACHE_DIR` or the user's.
            package_root: The folder where names of modules begin, from the top of the tree.
            include: Of `tests`, `vendored`: folders that are else left out.
            only: A pattern of dotted names (`*` within a part, `**` across) for `steps` and `unresolved`.
            workers: Processes that read files; None for one a core.
            python: The interpreter of the environment that `dist:NAME` means.
            progress: Told how far a long stage is.

        Raises:
            CodepathError: There is no such tree, or a configuration is wrong.
        """
        options = Options(
            source=str(source) if source is not None else None,
            cache_dir=Path(cache_dir) if cache_dir is not None else None,
            package_root=package_root,
            include=tuple(include),
            only=only,
            workers=workers,
            python=python,
        )
        return cls(open_workspace(options, progress, _unsaid))

    def close(self) -> None:
        """Close the tree and the cache; the index answers nothing from then on."""
        self._workspace.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def source(self) -> SourceInfo:
        """The tree: how it was named, its files and lines, what could not be read."""
        return self._workspace.source

    def reach(
        self,
        target: str,
        *,
        start: str | None = None,
        via: str | None = None,
        paths: int = 1,
        all_paths: bool = False,
        group_by: str = "",
        all_matches: bool = False,
        event: str | None = None,
        assume: Sequence[str] = (),
        launch_args: str | None = None,
        launch_defaults: bool = False,
    ) -> ReachAnswer:
        """Answer which paths reach a function, method or class, under which guards, and which of them can happen.

        Args:
            target: The last parts of a dotted name, as many as it takes to be the only one.
            start: Only paths from there, not from the ways in.
            via: A call string: names and `file:line`, outermost first, with commas between.
            paths: Paths for each group.
            all_paths: Every path.
            group_by: `entry`, `guard`, `caller` or "" for what decides the paths.
            all_matches: Where a name means several things, all of them.
            event: An event or function against which the paths are ordered; None for the project's.
            assume: Texts as `--assume` takes them, such as `is_draft_worker=False`.
            launch_args: A launch line; its options become assumptions.
            launch_defaults: Whether launch options that are not given have their defaults.
        """
        said = Said(tuple(assume), launch_args, launch_defaults)
        return self._workspace.reach(
            ReachRequest(target, start, via, paths, all_paths, group_by, all_matches, event=event, said=said)
        )

    def order(
        self,
        first: str,
        then: str,
        *,
        assume: Sequence[str] = (),
        launch_args: str | None = None,
        launch_defaults: bool = False,
    ) -> OrderAnswer:
        """Answer which of two things comes first; each is a name, an event, or `file:line` of a call."""
        return self._workspace.order(first, then, Said(tuple(assume), launch_args, launch_defaults))

    def callers(self, name: str) -> StepsAnswer:
        """Answer who calls a function."""
        return self._workspace.callers(name)

    def mismatches(self, name: str) -> MismatchAnswer:
        """Answer which call sites of a function its parameters do not fit."""
        return self._workspace.mismatches(name)

    def callees(self, name: str) -> StepsAnswer:
        """Answer what a function calls, and which of its calls have no known target."""
        return self._workspace.callees(name)

    def symbols(self, pattern: str, limit: int = 50) -> SymbolsAnswer:
        """List what a pattern matches: a part of a dotted name, with `*` and `?` as in a shell."""
        return self._workspace.symbols(pattern, limit)

    def entries(self, uncalled: bool = False) -> EntriesAnswer:
        """List the ways in; with `uncalled` also the functions that nothing calls."""
        return self._workspace.entries(uncalled)

    def values(self, name: str) -> ValuesAnswer:
        """Answer who writes and reads a global or an attribute, what it can hold, and where a None comes from."""
        return self._workspace.values(name)

    def uses(self, name: str, *, guards: bool = True, instances: bool = True) -> UsesAnswer:
        """Answer under which conditions an attribute is set and used, and which instances write it where all share it."""
        return self._workspace.uses(name, guards=guards, instances=instances)

    def hook(self, name: str, *, family: str = "", missing: bool = False) -> HookAnswer:
        """Answer which classes have an attribute that is looked up by name; `missing` leaves out those that have it."""
        return self._workspace.hook(name, family=family, missing=missing)

    def hooks(self, *, family: str = "", missing: bool = False, limit: int = 0) -> HooksAnswer:
        """Answer which attributes are looked up by name and which classes lack each; `limit` 0 is no limit."""
        return self._workspace.hooks(family=family, missing=missing, limit=limit)

    def dead_lookups(self, name: str = "") -> DeadLookups:
        """Answer which look-ups by name can never find anything, the typing errors first; `name` chooses one attribute."""
        return self._workspace.dead_lookups(name)

    def flags(self, name: str = "", *, limit: int = 0) -> FlagsAnswer:
        """Answer where environment variables and launch options are declared and read; `name` chooses one flag."""
        return self._workspace.flags(name, limit=limit)

    def family(self, name: str) -> FamilyAnswer:
        """Answer which attributes a class and those below it lose by the methods that they replace."""
        return self._workspace.family(name)

    def siblings(self, *names: str) -> SiblingsAnswer:
        """Answer what some of several functions do and others do not; one name stands for it and its siblings."""
        return self._workspace.siblings(names)

    def members(self, *names: str) -> MembersAnswer:
        """Answer what enumerations of the members of families leave out; without names, where they leave out few."""
        return self._workspace.members(names)

    def overrides(self, name: str, methods: Sequence[str] = ()) -> Family:
        """Answer which classes are above and below a class, and which methods each overrides; `methods` chooses some."""
        return self._workspace.overrides(name, tuple(methods))

    def trace(self, log: str | bytes, *, assume: Sequence[str] = (), launch_args: str = "") -> TraceAnswer:
        """Answer what caused the failure that a log or traceback shows."""
        data = log.encode() if isinstance(log, str) else log
        return self._workspace.trace(data, assume=tuple(assume), launch_args=launch_args)

    def absent(self, text: str) -> AbsentAnswer:
        """Answer where the tree would log a text that is missing from a log, and under which guards."""
        return self._workspace.absent(text)

    def arch(self, targets: Sequence[str] = ()) -> ArchAnswer:
        """Answer which tables and branches miss some GPU architectures, such as `sm120`; none given means those shipped."""
        return self._workspace.arch(tuple(targets))

    def arch_explained(self, targets: Sequence[str], asked: str) -> ExplainAnswer:
        """Answer what a name or `file:line` is on each architecture."""
        return self._workspace.arch_explained(tuple(targets), asked)

    def init_order(
        self,
        root: str,
        *,
        until: str | None = None,
        depth: int = 0,
        show: Sequence[str] = (),
        limit: int = 40,
        assume: Sequence[str] = (),
        launch_args: str | None = None,
        launch_defaults: bool = False,
    ) -> Picture:
        """Answer what runs below a function, in run order; `depth` 0 is no limit, `limit` how many steps are shown."""
        said = Said(tuple(assume), launch_args, launch_defaults)
        return self._workspace.init_order(root, until=until, depth=depth, show=tuple(show), limit=limit, said=said)

    def steps(self, min_resolution: Resolution = "by-name") -> Iterator[Step]:
        """Yield every call of the tree with its callee, sorted by the caller's file, line and column."""
        return self._workspace.graph(min_resolution)

    def networkx(self, min_resolution: Resolution = "family") -> Graph:
        """Return the call graph for networkx: functions by dotted name, an edge for each call and callee.

        An edge has `file`, `line`, `column`, `kind`, `resolution` and `guards`, a text.
        """
        from codepath.analysis.exported import to_networkx

        return to_networkx(self.steps(min_resolution))

    def unresolved(self) -> Iterator[Unresolved]:
        """Yield every call whose target is not known, with the reason."""
        return self._workspace.unresolved()

    def index(self) -> IndexAnswer:
        """Read and solve the whole tree now, so that later questions are quick."""
        return self._workspace.index()

    def status(self, reasons: bool = False, receivers: int = 0) -> StatusAnswer:
        """Describe the tree and what is stored of it; `reasons` says why calls have no known target."""
        return self._workspace.status(reasons, receivers)


def check(
    source: str | Path | None = None,
    *,
    diff: str = "",
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    targets: Sequence[str] = (),
    cache_dir: str | Path | None = None,
) -> CheckAnswer:
    """Run the rules over a tree; with `diff` only what is new since that revision counts as new. Nothing is written.

    Args:
        source: As for `Index.open`; a folder where `diff` is given.
        diff: A revision, or `REV...` for the merge base with it.
        select: Patterns of rules that run; all where there are none.
        ignore: Patterns of rules that do not.
        targets: GPU architectures in place of those that rules name.
        cache_dir: As for `Index.open`.

    Raises:
        CodepathError: It could not be checked.
    """
    from codepath.app.checking import CheckRequest
    from codepath.app.checking import check as run

    request = CheckRequest(select=tuple(select), ignore=tuple(ignore), targets=tuple(targets), diff=diff)
    answer, _source, _prefix = run(_options(source, cache_dir), request, None, _unsaid)
    return answer


def rules(source: str | Path | None = None) -> tuple[Rule, ...]:
    """Return the rules that hold for a tree, its own and those shipped, sorted by id.

    Raises:
        CodepathError: A rule of the tree is wrong.
    """
    from codepath.app.checking import settings_of

    return tuple(settings_of(_options(source, None)).rules)


def diff(
    base: str | Path,
    head: str | Path,
    *,
    symbols: Sequence[str] = (),
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    cache_dir: str | Path | None = None,
) -> DiffAnswer:
    """Compare what rules watch and find in two trees; `symbols` are functions that are watched in their place.

    Raises:
        CodepathError: They could not be compared.
    """
    from codepath.app.checking import CheckRequest
    from codepath.app.checking import diff as run

    request = CheckRequest(select=tuple(select), ignore=tuple(ignore), symbols=tuple(symbols))
    return run(_options(None, cache_dir), str(base), str(head), request, None, _unsaid)


def _options(source: str | Path | None, cache_dir: str | Path | None) -> Options:
    return Options(
        source=str(source) if source is not None else None, cache_dir=Path(cache_dir) if cache_dir is not None else None
    )


def _unsaid(remark: str) -> None:
    """Take a remark that the command line would show."""
