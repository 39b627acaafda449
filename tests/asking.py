"""Questions about variables of source files in memory."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from codepath.analysis.nulls.blame import Blame
from codepath.analysis.variables.question import Values, Variable
from codepath.extract import extract
from codepath.model import ir
from codepath.model.answers import Entry, Place
from codepath.program.bodies import Bodies
from codepath.program.scopes import Scopes
from tests.support import graph_of, module_of


class TextWords:
    """The words of texts."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    def holding(self, word: str) -> list[str]:
        return [path for path in sorted(self._files) if self.holds(path, word)]

    def holds(self, path: str, word: str) -> bool:
        return re.search(rf"\b{word}\b", self._files[path]) is not None


class Asked:
    """A tree in memory, ready to be asked about its variables."""

    def __init__(self, files: Mapping[str, str], entries: Sequence[str] = ()) -> None:
        facts = {path: extract(text.encode(), path) for path, text in files.items()}
        modules = {path: module_of(path) for path in files}
        paths = {name: path for path, name in modules.items()}

        def read(path: str) -> ir.ModuleFacts | None:
            return facts.get(path)

        ways = [Entry(name, name, "declared", Place("", 1, 0, name)) for name in entries]
        self.graph = graph_of(files)
        self.bodies = Bodies(paths, read)
        self.values = Values(self.graph, self.bodies, Scopes(modules, read), paths, TextWords(files), lambda: ways)

    @property
    def blame(self) -> Blame:
        return self.values.blame

    def variable(self, owner: str, name: str) -> Variable:
        info = self.bodies.scope(owner)
        assert info is not None
        kind = "global" if info.form == "module" else "instance-attribute"
        return Variable(owner, name, kind, Place(info.module.path, 1, 0, owner))
