"""A tree as detectors see it: bodies loaded on demand, the files that hold a word, the call graph when it is needed."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from codepath.analysis.variables.access import Words
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.knowledge import Knowledge
from codepath.program.bodies import Bodies
from codepath.program.graph import CallGraph
from codepath.program.tree import ModuleInfo, ScopeInfo
from codepath.program.values import ScopeId

Progress = Callable[[str, int, int], None]

_FORGET_EVERY = 400  # classes


@dataclass
class DetectTree:
    """One tree.

    Args:
        bodies: Its functions and classes, loaded as they are asked for.
        words: Which of its files hold a word.
        paths: Its files by dotted module name.
        read: Gives the bytes of a file.
        solved: Gives its call graph; asked only by what needs it.
        is_solved: Whether that is stored, and costs nothing to ask for.
        knowledge: What is known of classes outside the tree.
        progress: Told a stage, how much of it is done, and how much there is.
        vocabulary: Gives the words of its files that can be names.
        compiled: Gives the paths of the compiled modules beside its files.
        within: The lines, 1-based and ascending by file, around which findings are asked for; None for everywhere.
        kept: What detectors share.
    """

    bodies: Bodies
    words: Words
    paths: Mapping[str, str]
    read: Callable[[str], bytes]
    solved: Callable[[], CallGraph]
    knowledge: Knowledge = field(default_factory=Knowledge)
    progress: Progress | None = None
    vocabulary: Callable[[], frozenset[str]] = frozenset
    compiled: Callable[[], Iterable[str]] = tuple
    within: Mapping[str, tuple[int, ...]] | None = None
    kept: dict[str, object] = field(default_factory=dict)
    is_solved: bool = False
    _texts: dict[str, bytes] = field(default_factory=dict)
    _below: set[str] = field(default_factory=set)

    @cached_property
    def graph(self) -> CallGraph:
        """The call graph of the whole tree."""
        return self.solved()

    @cached_property
    def names(self) -> frozenset[str]:
        """Every word of its files that can be a name."""
        return self.vocabulary()

    def text(self, path: str) -> bytes:
        """Return the bytes of a file, kept."""
        found = self._texts.get(path)
        if found is None:
            found = self._texts[path] = self.read(path)
        return found

    @cached_property
    def modules(self) -> dict[str, str]:
        """Its dotted module names by file."""
        return {path: module for module, path in self.paths.items()}

    def module_at(self, path: str) -> ModuleInfo | None:
        """Return the module of a file, loaded now; None where it does not parse."""
        return self.module(self.modules[path])

    def module(self, name: str) -> ModuleInfo | None:
        """Return a module, loaded now; None where it does not parse."""
        info = self.bodies.scope(name)
        return info.module if info is not None else None

    def is_asked(self, path: str, first: int = 0, last: int = sys.maxsize) -> bool:
        """Tell whether findings in some lines of a file are asked for."""
        if self.within is None:
            return True
        lines = self.within.get(path, ())
        position = bisect_left(lines, first)
        return position < len(lines) and lines[position] <= last

    def asked(self, module: ModuleInfo) -> Iterator[ScopeInfo]:
        """Yield the scopes of a module in which findings are asked for."""
        for info in module.scopes:
            extent = (ir.line_of(info.at), ir.line_of(info.end))
            if self.within is None or info.form == "module" or self.is_asked(module.path, *extent):
                yield info

    def everything(self) -> Iterator[ModuleInfo]:
        """Load the files that are asked for and yield their modules by path."""
        names = sorted((name for name, path in self.paths.items() if self.is_asked(path)), key=self.paths.__getitem__)
        for number, name in enumerate(names):
            if self.progress is not None and number % 50 == 0:
                self.progress("load", number, len(names))
            module = self.module(name)
            if module is not None:
                yield module

    def classes(self) -> list[ScopeInfo]:
        """Return the classes of the files that are asked for, and those below them, by file and place."""
        found = [info for module in list(self.everything()) for info in self.asked(module) if info.form == "class"]
        return found if self.within is None else self.with_below(found)

    def with_below(self, infos: Iterable[ScopeInfo]) -> list[ScopeInfo]:
        """Return classes and all below them, by file and place; their files are loaded."""
        given = {info.sid: info for info in infos}
        for info in given.values():
            self.load_below(info.id)
        for sid in [below for one in given for below in self.bodies.classes.below(one)]:
            given[sid] = self.info(sid)
        return sorted(given.values(), key=lambda info: (info.module.path, info.at))

    def each(self, infos: Iterable[ScopeInfo]) -> Iterator[ScopeInfo]:
        """Yield classes, and drop the decoded bodies from time to time."""
        for number, info in enumerate(infos, 1):
            yield info
            if number % _FORGET_EVERY == 0:
                self.bodies.forget()

    def load_below(self, name: str) -> None:
        """Load the files from which subclasses of a class can come: those that hold its name, and those of their classes."""
        todo = [name]
        while todo:
            word = todo.pop()
            if word in self._below:
                continue
            self._below.add(word)
            for path in self.words.holding(word):
                module = self.module_at(path) if path in self.modules else None
                classes = [i for i in module.scopes if i.form == "class"] if module is not None else []
                todo.extend(i.id for i in classes if any(_ends(term, word) for _, term in i.bases))

    def info(self, sid: ScopeId) -> ScopeInfo:
        """Return a scope by its number."""
        return self.bodies.tree.scopes[sid]

    def place(self, info: ScopeInfo, at: int) -> Place:
        """Return a packed place in a scope."""
        return Place(info.module.path, ir.line_of(at), ir.column_of(at), info.name)


def _ends(term: object, word: str) -> bool:
    text = term if isinstance(term, str) else term[0] if isinstance(term, tuple) and term else ""
    return isinstance(text, str) and text.rpartition(".")[2] == word
