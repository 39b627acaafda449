"""The use case `arch`: a tree evaluated for architectures, and one construct explained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from codepath.analysis.arch.answer import Evaluation, Sources, columns
from codepath.analysis.arch.assumed import AssumedGpu
from codepath.analysis.arch.explain import Asked, explain
from codepath.analysis.arch.options import LaunchOptions
from codepath.analysis.arch.spread import Part
from codepath.analysis.arch.uses import Uses
from codepath.analysis.arch.world import World
from codepath.analysis.likelihood import DefaultOf
from codepath.app.indexing import Indexer, without_collector
from codepath.app.kept import KeptArch
from codepath.app.options import Progress
from codepath.app.unread_files import UnreadFiles
from codepath.errors import QueryError, SourceError
from codepath.model.answers import Entry, Guard, Stats
from codepath.model.arch import MISSES, ArchRow, ExplainAnswer
from codepath.model.assumptions import Option
from codepath.model.knowledge import Architecture, Knowledge
from codepath.model.solution import StoredName
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph
from codepath.program.names import Names, is_place, place_of


@dataclass(frozen=True)
class Tree:
    """What of an open tree is needed. `modules` maps paths to dotted names, `options` gives the launch options of the tree."""

    indexer: Indexer
    modules: dict[str, str]
    knowledge: Knowledge
    bodies: Bodies
    graph: CallGraph
    entries: Sequence[Entry]
    options: Callable[[], Sequence[Option]]
    defaults_of: Callable[[Sequence[Guard]], DefaultOf]
    stats: Stats
    progress: Progress | None

    def read(self, path: str) -> str:
        """Return the text of a file, "" where it cannot be read."""
        try:
            return self.indexer.tree.read(path).decode("utf-8-sig", "replace")
        except SourceError:
            return ""


def evaluate(tree: Tree, targets: Sequence[str]) -> KeptArch:
    """Answer which tables and branches miss some architectures, and which names hold values that differ between them.

    The rows have no uses.
    """
    with without_collector():
        evaluation = _evaluation(tree, targets)
        answer = replace(evaluation.answer(), stats=tree.stats)
        return KeptArch(answer, tuple(sorted(evaluation.spread.names)), evaluation.reads())


def with_uses(tree: Tree, kept: KeptArch) -> KeptArch:
    """Return an answer with the ways in from which the rows that miss an architecture are reached."""
    with without_collector():
        answer = kept.answer
        uses = Uses(tree.graph, tree.bodies, tree.entries, cache(lambda: _options(tree)), tree.defaults_of)
        missed = [row for row in answer.rows if any(row.verdict(t) in MISSES for t in answer.targets)]
        found = dict(zip(map(id, missed), uses.of(missed), strict=True))
        rows = tuple(replace(row, uses=found[id(row)]) if id(row) in found else row for row in answer.rows)
    return replace(kept, answer=replace(answer, rows=rows))


def evaluated_part(tree: Tree, targets: Sequence[str], part: Part, files: Callable[[str], Iterable[str]]) -> Evaluation:
    """Return the evaluation of a part of a tree; `files` gives those that hold a word."""

    def holding(words: Iterable[str]) -> list[str]:
        found = {path for word in words for path in files(word)}
        return [module for path, module in tree.modules.items() if path in found]

    world = World(tree.bodies, tree.graph, tree.knowledge)
    return Evaluation(world, chosen(tree.knowledge, targets), Sources(holding, tree.read, tuple), part)


def _options(tree: Tree) -> LaunchOptions:
    return LaunchOptions(tree.graph, tree.bodies, tree.options(), tree.knowledge.launches)


def assumed_gpu(tree: Tree, word: str, names: Sequence[str]) -> AssumedGpu:
    """Return the GPU that a word means, to be assumed; `names` hold values that differ between architectures.

    Raises:
        QueryError: There is none of that name.
    """
    return AssumedGpu(World(tree.bodies, tree.graph, tree.knowledge), chosen(tree.knowledge, [word])[0], names)


def explained(tree: Tree, targets: Sequence[str], asked: str, names: Names, near: Sequence[str]) -> ExplainAnswer:
    """Answer what one name or line is on each architecture.

    Raises:
        QueryError: Nothing of that name or on that line depends on the architecture, or several things do.
    """
    with without_collector():
        evaluation = _evaluation(tree, targets)
        rows = evaluation.answer().rows
        if is_place(asked):
            path, line = place_of(asked)
            question = Asked(asked, path=_file(tree.modules, path), line=line)
        elif any(row.name == asked for row in rows):
            question = Asked(asked, row_name=asked)
        else:
            return replace(_named(evaluation, rows, asked, names, near), stats=tree.stats)
        return replace(explain(evaluation, rows, question), stats=tree.stats)


def _named(
    evaluation: Evaluation, rows: Sequence[ArchRow], asked: str, names: Names, near: Sequence[str]
) -> ExplainAnswer:
    """Answer about the one of the things with a name that depends on the architecture."""
    every = names.every(asked) or (names.one(asked, near),)
    found: list[tuple[StoredName, ExplainAnswer]] = []
    refused: QueryError | None = None
    for one in every:
        try:
            found.append((one, explain(evaluation, rows, Asked(asked, name=one.name, path=one.file))))
        except QueryError as error:
            refused = error
    if len(found) > 1:
        raise names.ambiguous(asked, tuple(one for one, _ in found))
    if not found:
        assert refused is not None
        raise refused
    return found[0][1]


def rows_in(tree: Tree, modules: Sequence[str]) -> tuple[ArchRow, ...]:
    """Return the tables and branches of some modules on every architecture, of all that mention one where none are named."""
    with without_collector():
        return _evaluation(tree, (), frozenset(modules)).answer().rows


def _file(modules: dict[str, str], path: str) -> str:
    """Return the file of the tree that a path means: the path itself, or the only one that ends with it."""
    fitting = [p for p in modules if p == path or p.endswith(f"/{path}") or path.endswith(f"/{p}")]
    if len(fitting) != 1:
        raise QueryError(f"`{path}` is {'no file' if not fitting else 'several files'} of this tree")
    return fitting[0]


def _evaluation(tree: Tree, targets: Sequence[str], only: frozenset[str] = frozenset()) -> Evaluation:
    files = UnreadFiles(tree.indexer, tree.modules, tree.progress)

    def holding(words: Iterable[str]) -> list[str]:
        found = (tree.modules[path] for path in files.with_any(frozenset(words)))
        return [module for module in found if not only or module in only]

    world = World(tree.bodies, tree.graph, tree.knowledge)
    beside = tree.indexer.tree.beside if not only else tuple
    return Evaluation(world, chosen(tree.knowledge, targets), Sources(holding, tree.read, beside))


def chosen(knowledge: Knowledge, names: Sequence[str]) -> list[Architecture]:
    """Return architectures by name: `sm120`, `120`, `12.0` or the word of a device; the neighbours where none is named.

    Raises:
        QueryError: There is none of that name.
    """
    if not names:
        return columns(knowledge.architectures, ())
    found: list[Architecture] = []
    for name in names:
        one = next((a for a in knowledge.architectures if _means(name, a)), None) or _with_device(knowledge, name)
        if one is None:
            known = ", ".join(a.name for a in knowledge.architectures)
            ways = (f"known: {known}", "a new one is an [[architectures]] table in codepath.toml")
            raise QueryError(f"no architecture is called `{name}`", help=ways)
        if one not in found:
            found.append(one)
    return found


def _with_device(knowledge: Knowledge, name: str) -> Architecture | None:
    """Return the one architecture with a device or machine whose name ends with a word: `5090`, `PRO 6000`, `Spark`."""
    wanted = name.lower().split()
    found = [
        a
        for a in knowledge.architectures
        if any(d.lower().split()[-len(wanted) :] == wanted for d in (*a.devices, *a.machines))
    ]
    return found[0] if len(found) == 1 and wanted else None


def _means(name: str, arch: Architecture) -> bool:
    major, minor = arch.capability
    plain = name.lower().replace("_", "").replace(" ", "")
    devices = {device.lower().replace(" ", "") for device in arch.devices}
    return plain in {arch.name, f"{major}{minor}", f"{major}.{minor}"} | devices
