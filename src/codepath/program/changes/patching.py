"""From the facts of changed files, before and after, to a patch of the rows of a solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from msgspec import Raw

from codepath.model import ir
from codepath.model.knowledge import Knowledge
from codepath.model.solution import StoredFunction, StoredName, StoredWhole, decode_function
from codepath.program.bodies import Bodies
from codepath.program.build import is_main
from codepath.program.changes.alike import Pair, compare
from codepath.program.changes.emission import Emission, Files
from codepath.program.changes.judge import Solved, Version, judge
from codepath.program.changes.patched import Patch
from codepath.program.changes.places import Places
from codepath.program.changes.privacy import Elsewhere, Privacy
from codepath.program.changes.rewriting import Part, Rewriting, shifted
from codepath.program.changes.shapes import Given
from codepath.program.changes.units import Source
from codepath.program.graph import CallGraph, Rows
from codepath.program.guards import Guards, Literals
from codepath.program.rows import FUNCTION, SITES
from codepath.program.steps import IMPLICIT, Emitted
from codepath.program.stores import attribute_stores
from codepath.program.tree import ModuleInfo, ScopeInfo, Tree

ReadFacts = Callable[[str], "ir.ModuleFacts | None"]


@dataclass(frozen=True)
class File:
    """A changed file before and after."""

    path: str
    old: ir.ModuleFacts
    new: ir.ModuleFacts


class Patching:
    """Makes the patch of a change.

    Args:
        files: The files that differ.
        modules: The names of the modules by path, the same before and after.
        reads: Give the facts of a file before and after.
        knowledge: What is known of the tree.
        rows: The rows of the tree before.
    """

    def __init__(
        self,
        files: list[File],
        modules: dict[str, str],
        reads: tuple[ReadFacts, ReadFacts],
        knowledge: Knowledge,
        rows: Rows,
    ) -> None:
        self._files = files
        self._modules = modules
        self._reads = reads
        self._knowledge = knowledge
        self._rows = rows
        self._graph = CallGraph(rows, ())
        self._old, self._new = (self._version(read) for read in reads)
        self._storing = {s.function.rpartition(".")[2]: s.name for s in knowledge.stores}
        self._sources = {f.path: (Source.of(f.old), Source.of(f.new)) for f in files}
        self._pairs = {path: compare(*both) for path, both in self._sources.items()}
        self._places = {path: Places(*both, self._pairs[path]) for path, both in self._sources.items()}

    def _version(self, read: ReadFacts) -> Version:
        bodies = Bodies({name: path for path, name in self._modules.items()}, read)
        modules = ((file.path, bodies.module_at(file.path)) for file in self._files)
        return Version(bodies, {path: module for path, module in modules if module is not None})

    def _emission(self, version: Version, read: ReadFacts) -> Emission:
        """Return what emits on the modules to which the names of changed statements lead."""

        def bodies(path: str) -> tuple[Raw, ...] | None:
            facts = read(path)
            return facts.scopes if facts is not None else None

        loaded = version.bodies.tree.modules
        return Emission(
            Files(self._modules, read, bodies), self._knowledge, loaded, lambda name: bool(self._methods(name))
        )

    def _methods(self, name: str) -> list[str]:
        return [one.name for one in self._graph.named(name) if one.kind == "method"]

    def _row(self, name: str) -> StoredFunction | None:
        blob = self._rows.get([FUNCTION + name]).get(FUNCTION + name)
        return decode_function(blob) if blob is not None else None

    def patch(self, elsewhere: Elsewhere) -> Patch:
        """Return the patch.

        Raises:
            Unclear: The change may concern statements that it leaves as they are.
        """
        passing = frozenset(p.function.rpartition(".")[2] for p in self._knowledge.passes)
        privacy = Privacy(self._pairs, elsewhere)
        given = Given(self._methods, self._graph.stores_of, privacy.may_lend, self._graph.subclasses, passing)
        judge(self._pairs, self._old, self._new, Solved(given, self._implicit), privacy)
        emissions = self._emissions() if self._is_any_changed() else None
        patch = Patch(places=self._places)
        for path in self._pairs:
            self._add_rows(patch, path, emissions)
            self._add_names(patch, self._new.modules[path], path)
        return patch

    def _emissions(self) -> tuple[Emission, Emission]:
        return self._emission(self._old, self._reads[0]), self._emission(self._new, self._reads[1])

    def _implicit(self, function: str) -> frozenset[int]:
        row = self._row(function)
        return frozenset(step.at for step in row.steps if step.kind in IMPLICIT) if row is not None else frozenset()

    def _is_any_changed(self) -> bool:
        return any(pair.is_changed for pairs in self._pairs.values() for pair in pairs)

    def _add_rows(self, patch: Patch, path: str, emissions: tuple[Emission, Emission] | None) -> None:
        old, new = self._old.modules[path], self._new.modules[path]
        for name in dict.fromkeys(info.name for info in old.scopes if info.form != "class"):
            row = self._row(name)
            if row is not None:
                patch.before[name] = row
        heads: dict[str, ScopeInfo] = {}
        for info in new.scopes:
            if info.form != "class":
                heads.setdefault(info.name, info)
        groups = self._groups(path, old, new)
        for name, info in heads.items():
            pairs = groups.get(name, [])
            head = self._sources[path][1].heads[info.index]
            before = patch.before.get(name)
            if before is not None and not any(pair.is_changed for pair in pairs):
                patch.functions[name] = shifted(before, path, head, self._places)
            else:
                parts = [self._part(path, pair, emissions) for pair in pairs]
                kind = _kind(self._new.bodies.tree, info)
                patch.functions[name] = Rewriting(path, self._places, parts).row(before, kind, head)

    def _groups(self, path: str, old: ModuleInfo, new: ModuleInfo) -> dict[str, list[Pair]]:
        """Return the scopes whose code is part of each function or module."""
        groups: dict[str, list[Pair]] = {}
        for pair in self._pairs[path]:
            module, side = (new, pair.new) if pair.new is not None else (old, pair.old)
            tree = self._new.bodies.tree if pair.new is not None else self._old.bodies.tree
            assert side is not None
            groups.setdefault(tree.code_scope(module.scopes[side.index]).name, []).append(pair)
        return groups

    def _part(self, path: str, pair: Pair, emissions: tuple[Emission, Emission] | None) -> Part:
        around: list[Literals] = []
        emitted: list[Emitted | None] = []
        for number, (version, side) in enumerate(((self._old, pair.old), (self._new, pair.new))):
            around.append(_around(version, path, side.index) if side is not None else ())
            if side is None or emissions is None or not side.changed:
                emitted.append(None)
                continue
            emitted.append(emissions[number].of(version.modules[path].name, side.index))
        return Part(pair, (around[0], around[1]), (emitted[0], emitted[1]))

    def _add_names(self, patch: Patch, module: ModuleInfo, path: str) -> None:
        tree = self._new.bodies.tree
        patch.names[path] = [StoredName(i.name, _kind(tree, i), path, i.at, i.end) for i in module.scopes]
        places: dict[str, int] = {}
        for info in module.scopes:
            scope = self._new.bodies.of(info).scope
            for attribute, function, owner in attribute_stores(tree, info, scope, self._storing):
                patch.stores.setdefault(attribute, set()).add((function, owner))
            for definition in scope.definitions if info.form == "module" else ():
                if definition.form in ("assign", "annotation"):
                    places.setdefault(definition.id, definition.at)
        patch.globals += [StoredName(f"{module.name}.{last}", "global", path, at, at) for last, at in places.items()]

    def whole(self, before: StoredWhole, patch: Patch) -> StoredWhole:
        """Return what is known of the whole tree after the change."""
        names = {module.name for module in self._new.modules.values()}
        mains = [name for name in before.mains if name not in names]
        counts = dict(zip(_COUNTS, before.counts, strict=True))
        for sign, rows in ((-1, patch.before), (1, patch.functions)):
            for row in rows.values():
                counts["call_sites"] += sign * row.call_sites
                for site, number in zip(SITES, row.sites, strict=False):
                    counts[site] += sign * number
        marks = {path for path in before.byte_order_marks if path not in self._sources}
        for file in self._files:
            module = self._new.modules[file.path]
            if is_main(module, self._sources[file.path][1].scopes[0]):
                mains.append(module.name)
            if file.new.bom:
                marks.add(file.path)
        return StoredWhole(
            tuple(sorted(mains)),
            before.classes + self._more(("class",)),
            before.functions + self._more(("function", "lambda")),
            tuple(counts[name] for name in _COUNTS),
            before.lines + sum(file.new.lines - file.old.lines for file in self._files),
            tuple(sorted(marks)),
            before.skipped,
        )

    def _more(self, forms: tuple[str, ...]) -> int:
        counted = ((sum(h.form in forms for h in facts.heads) for facts in (f.old, f.new)) for f in self._files)
        return sum(after - before for before, after in counted)


_COUNTS = ("call_sites", "exact", "inferred", "family", "by-name", "outside", "unresolved")


def _kind(tree: Tree, info: ScopeInfo) -> str:
    if info.form != "function":
        return info.form
    return "method" if tree.class_around(info) is not None else "function"


def _around(version: Version, path: str, index: int) -> Literals:
    """Return the guards of the code around a class body; none for other scopes."""
    module = version.modules[path]
    found: list[Literals] = []
    info = module.scopes[index]
    while info.form == "class":
        outer = version.bodies.tree.scopes[info.outer]
        scope = version.bodies.of(outer).scope
        at = next(i for i, e in enumerate(scope.exprs) if isinstance(e, ir.Class) and e.scope == info.index)
        found.insert(0, Guards(scope).of(at))
        info = outer
    return tuple(literal for literals in found for literal in literals)
