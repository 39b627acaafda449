"""Names that a module imports under a condition alone, read where the condition need not hold.

Approximates: under (where several functions read such names, one stands out only if the others are called under the flag).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from codepath.analysis.detect.tree import DetectTree
from codepath.analysis.detect.trying import catches
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.checks import Note
from codepath.model.detect import Detected
from codepath.program.guards import Literal
from codepath.program.tree import ModuleInfo, ScopeInfo

_KIND = "stale-name"
_WORD = re.compile(r"[A-Za-z_]\w*")
_COMMON = frozenset("not and or in is None True False len if isinstance hasattr getattr".split())

_REFUSING = ("assert", "early-raise")
"""Kinds of conditions without which a function fails."""


class _Read(NamedTuple):
    info: ScopeInfo
    expr: int
    name: str
    at: int


@dataclass(frozen=True, slots=True)
class _Import:
    """A name that is bound under a condition alone, its place, and the words of the condition."""

    name: str
    place: Place
    text: str
    words: frozenset[str]


class Optional:
    """Finds such reads."""

    def __init__(self, tree: DetectTree) -> None:
        self._tree = tree
        self._bodies = tree.bodies

    def of(self, module: ModuleInfo) -> Iterator[Detected]:
        """Yield the reads of one module."""
        imports = {found.name: found for found in self._imports(module)}
        if not imports:
            return
        reads = [read for info in module.scopes for read in self._reads(info, imports)]
        by_flag: dict[str, list[_Read]] = {}
        for read in reads:
            found = imports[read.name]
            if "TYPE_CHECKING" in found.words and self._mentions(self._guards(read), found.words):
                continue
            if "TYPE_CHECKING" in found.words:
                yield self._typing(read, found)
            else:
                by_flag.setdefault(found.text, []).append(read)
        for same in by_flag.values():
            yield from self._unguarded(same, imports)

    def _imports(self, module: ModuleInfo) -> Iterator[_Import]:
        top = module.scopes[0]
        body = self._bodies.of(top)
        unbound = {name for name, found in body.scope.exports if ir.UNBOUND in found}
        binds = {d.id: d for d in body.scope.definitions if d.id in unbound}
        counts: dict[str, int] = {}
        for definition in body.scope.definitions:
            counts[definition.id] = counts.get(definition.id, 0) + 1
        for name, definition in sorted(binds.items()):
            if counts[name] != 1 or definition.form != "import" or name in self._declared(module):
                continue
            literals = [one for one in body.guards.of(definition.bind) if one.kind == "if"]
            if len(literals) == 1 and literals[0].polarity:
                text = literals[0].text
                yield _Import(name, self._tree.place(top, definition.at), text, _words(text))

    def _declared(self, module: ModuleInfo) -> frozenset[str]:
        """Return the names that functions of a module declare as global."""
        return frozenset(name for info in module.scopes for name in module.body(info.index).globals)

    def _reads(self, info: ScopeInfo, imports: dict[str, _Import]) -> Iterator[_Read]:
        """Yield the reads that run in functions and find the global, under no condition that has to do with its import."""
        if info.form == "module" or info.form == "class":
            return
        body = self._bodies.of(info)
        for index, expr in enumerate(body.scope.exprs):
            if not isinstance(expr, ir.Name) or expr.id not in imports or body.scope.uses[expr.use]:
                continue
            is_run = body.guards.covers(index) and not self._is_inner(info, expr.id)
            if is_run and not catches(body.scope, index, "NameError", "Exception"):
                yield _Read(info, index, expr.id, expr.at)

    def _is_inner(self, info: ScopeInfo, name: str) -> bool:
        """Tell whether a function around a scope, or the scope itself, binds a name."""
        while info.outer >= 0:
            if info.form != "class" and any(d.id == name for d in self._bodies.of(info).scope.definitions):
                return True
            info = self._tree.info(info.outer)
        return False

    def _typing(self, read: _Read, found: _Import) -> Detected:
        message = f"`{read.name}` is imported for type checkers alone, and is read here"
        return self._detected("typing", read, found, message, "high", 0.9)

    # --- flags -------------------------------------------------------------------------------------------------------

    def _unguarded(self, reads: list[_Read], imports: dict[str, _Import]) -> Iterator[Detected]:
        """Yield the reads of the functions that may run without the flag."""
        words = imports[reads[0].name].words
        functions: dict[ScopeInfo, list[_Read]] = {}
        for read in reads:
            functions.setdefault(read.info, []).append(read)
        for info, own in functions.items():
            ways = self._ways(info, own, words)
            if ways:
                read = next(r for r in own if not self._mentions(self._guards(r), words))
                found = imports[read.name]
                message = (
                    f"`{read.name}` is imported where `{found.text}`, and `{info.id}` reads it where that need not hold"
                )
                is_neutral = self._is_neutral(info, own, words)
                yield self._detected("guarded", read, found, message, "high" if is_neutral else "low", 0.7, ways)

    def _is_neutral(self, info: ScopeInfo, reads: list[_Read], words: frozenset[str]) -> bool:
        """Tell whether a function is made to run without what it reads: it does so under conditions over its parameters alone,
        and each of its callers, one of another module among them, has nothing to do with the flag."""
        params = {p.id for p in info.params}
        if self._tree.info(info.outer).form != "module":
            return False
        for read in reads:
            tests = [_names(literal.text) for literal in self._guards(read) if literal.kind not in _REFUSING]
            if not tests or any(not test or not test <= params for test in tests):
                return False
        callers = {step.caller for step in self._tree.graph.steps_into(info.name)}
        scopes = [scope for caller in callers if (scope := self._bodies.scope(caller)) is not None]
        is_used = any(scope.module is not info.module for scope in scopes)
        return is_used and not any(self._reads_flag(scope, words) for scope in scopes)

    def _ways(self, info: ScopeInfo, reads: list[_Read], words: frozenset[str]) -> list[Note]:
        """Return the calls of a function under no condition that has to do with the flag, for reads that are under none."""
        if all(self._mentions(self._guards(read), words) for read in reads):
            return []
        found: list[Note] = []
        for step in self._tree.graph.steps_into(info.name):
            is_under = any(_words(guard.text) & words for guard in step.guards)
            if step.resolution in ("exact", "inferred") and step.caller != info.name and not is_under:
                caller = self._bodies.scope(step.caller)
                if caller is not None and not self._reads_flag(caller, words):
                    found.append(Note(Place(step.file, step.line, step.column, step.caller), "called from here"))
        return found

    def _reads_flag(self, info: ScopeInfo, words: frozenset[str]) -> bool:
        """Tell whether a function has to do with the flag."""
        exprs = self._bodies.of(info).scope.exprs
        names = {e.id for e in exprs if isinstance(e, (ir.Name, ir.Attr))}
        return bool({_plain(name) for name in names} & words)

    def _guards(self, read: _Read) -> tuple[Literal, ...]:
        return self._bodies.of(read.info).guards.of(read.expr)

    def _mentions(self, guards: tuple[Literal, ...], words: frozenset[str]) -> bool:
        return any(_words(literal.text) & words for literal in guards)

    def _detected(
        self,
        form: str,
        read: _Read,
        found: _Import,
        message: str,
        precision: str,
        surprise: float,
        ways: list[Note] | None = None,
    ) -> Detected:
        return Detected(
            kind=_KIND,
            form=form,
            owner=read.info.module.name,
            name=read.name,
            message=message,
            place=self._tree.place(read.info, read.at),
            precision=precision,
            surprise=surprise,
            notes=(Note(found.place, "it is imported here"), *(ways or [])[:3]),
            base=read.info.module.name,
            method=read.info.id,
        )


def _words(text: str) -> frozenset[str]:
    return frozenset(_plain(word) for word in _WORD.findall(text) if word not in _COMMON)


def _names(text: str) -> frozenset[str]:
    """Return the names that a condition asks about, attributes left out."""
    found = re.findall(r"(?<![\w.])[A-Za-z_]\w*", text)
    return frozenset(word for word in found if word not in _COMMON)


def _plain(word: str) -> str:
    """Return a word as flags are compared: `_is_cuda` and `is_cuda` are one."""
    return word if word == "TYPE_CHECKING" else word.strip("_").lower()
