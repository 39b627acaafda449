"""`arch` of a tree after a change, evaluated in part, is that of the whole tree evaluated."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from codepath.analysis.arch.answer import Evaluation, Sources
from codepath.analysis.arch.spread import Part
from codepath.analysis.arch.world import World
from codepath.app.arch_beside import Again, Version
from codepath.app.kept import KeptArch
from codepath.app.mentions import identifiers
from codepath.app.moved import Block
from codepath.app.touched import Change, Lines, differing, near, shared
from codepath.errors import SourceError
from codepath.extract import extract
from codepath.knowledge import choose, shipped
from codepath.model.arch import ArchRow
from codepath.program.bodies import Bodies
from tests.property.change_programs import BASE, Files, draw_edit, trees
from tests.property.solving import tried
from tests.support import graph_of, module_of

_MORE: Files = {
    "app/tables.py": """
from app.devices import capability

SIZES = {8: 1, 9: 2, 10: 3}
FAR = {9: "wide", 12: "narrow"}


def size_of(major):
    return SIZES[major]


class Sizes:
    def __init__(self):
        self.width = FAR.get(capability()[0], "wide")

    def of(self, world):
        if self.width == "wide":
            return size_of(capability()[0])
        return world
""",
    "app/backends.py": """
from app.devices import capability, is_new
from app.kernels import Kernel

BACKENDS = {}


def register(name):
    def keep(cls):
        BACKENDS[name] = cls
        return cls

    return keep


@register("tiles")
class Tiles(Kernel):
    def run(self, x):
        if not is_new():
            raise ValueError("tiles need a new device")
        return super().run(x)


@register("rows")
class Rows(Kernel):
    limit = 4

    def run(self, x):
        return x if capability() >= (9, 0) else None


def pick(major):
    # tiles are for 9.0 and 10.0 only
    if major in (9, 10):
        name = "tiles"
    else:
        name = "rows"
    return BACKENDS[name]
""",
    "app/other.py": """
from app import tables
from app.backends import pick
from app.devices import is_any as has_any
from app.tables import Sizes, size_of


def start(major, world):
    if has_any():
        pick(major)
    return Sizes().of(world), tables.SIZES[major]


def begin():
    from app.devices import capability

    major = capability()[0]
    assert major in (9, 10, 12), "no such device"
    return start(major, 1), size_of(major)


if __name__ == "__main__":
    begin()
""",
}


class _Tree:
    """A tree evaluated in memory."""

    def __init__(self, files: Files) -> None:
        self.modules = {path: module_of(path) for path in files}
        self._texts = files
        self._facts = {path: extract(text.encode(), path) for path, text in files.items()}
        self._graph = graph_of(dict(files))
        self._knowledge = choose(shipped(), (), frozenset(self.modules.values()))
        self._words = {path: identifiers(text.encode()) for path, text in files.items()}

    def evaluated(self, part: Part | None = None) -> Evaluation:
        """Return the evaluation of the tree, or of a part of it."""
        targets = [a for a in self._knowledge.architectures if a.name == "sm120"]
        sources = Sources(self._holding_any, lambda path: self._texts.get(path, ""), tuple)
        return Evaluation(World(self._bodies(), self._graph, self._knowledge), targets, sources, part)

    def _holding_any(self, words: Iterable[str]) -> list[str]:
        return [self.modules[path] for path, held in self._words.items() if held & set(words)]

    def _bodies(self) -> Bodies:
        return Bodies({name: path for path, name in self.modules.items()}, self._facts.get)

    def version(self) -> Version:
        """Return the tree as one of two."""
        return Version(
            modules=self.modules,
            knowledge=self._knowledge,
            bodies=self._bodies(),
            graph=self._graph,
            facts_of=self._facts.get,
            holding=lambda word: [path for path, held in self._words.items() if word in held],
            evaluated=self.evaluated,
            beside=tuple,
        )


def _change(before: Files, after: Files) -> Change:
    lines: Lines = {}
    gone: Lines = {}
    blocks: dict[str, tuple[Block, ...]] = {}
    for path in sorted({*before, *after}):
        old, new = (files.get(path, "").encode().splitlines() for files in (before, after))
        if old != new:
            removed, added = differing(old, new)
            lines[path], gone[path] = near(added, new), near(removed, old)
            blocks[path] = tuple(shared(removed, added, len(old)))
    return Change(lines, gone, blocks, {}, frozenset())


def after(before: Files, files: Files) -> tuple[list[ArchRow] | None, list[ArchRow]]:
    """Return the rows of a changed tree: from those before, None where these do not tell, and evaluated whole."""
    old, new = _Tree(before), _Tree(files)
    whole = old.evaluated()
    answer = whole.answer()
    kept = KeptArch(answer, tuple(sorted(whole.spread.names)), whole.reads())
    found = Again(old.version(), new.version(), _change(before, files), kept).rows()
    return found, list(new.evaluated().answer().rows)


@st.composite
def _changes(draw: st.DrawFn) -> tuple[Files, Files]:
    before = {**draw(trees()), **_MORE}
    files = dict(before)
    for _ in range(draw(st.integers(1, 3))):
        draw_edit(draw, files)
    return before, files


@tried(400)
@given(_changes())
def test_rows_after_a_change_are_those_of_the_whole_tree(change: tuple[Files, Files]) -> None:
    before, files = change
    assume(before != files)
    try:
        found, whole = after(before, files)
    except SourceError:
        return
    assert found is None or found == whole


_EDITS = {
    "a table elsewhere": (
        "app/tables.py",
        "FAR = {",
        "NEW = {9: 1, 10: 2}\n\n\ndef new():\n    return NEW[capability()[0]]\n\n\nFAR = {",
    ),
    "a row of a table": ("app/tables.py", "10: 3}", "10: 3, 12: 4}"),
    "a row less": ("app/tables.py", "8: 1, 9: 2", "9: 2"),
    "a default": ("app/tables.py", '.get(capability()[0], "wide")', "[capability()[0]]"),
    "a predicate": ("app/devices.py", "majors=[9, 10]", "majors=[9, 10, 12]"),
    "a comment": ("app/backends.py", "9.0 and 10.0 only", "all but consumer devices"),
    "a branch": ("app/backends.py", "if major in (9, 10)", "if major in (9, 10, 12)"),
    "what a constructor stores": ("app/server.py", "self.major = capability()[0]", "self.major = 9"),
    "what is handed on": ("app/other.py", "start(major, 1)", "start(9, 1)"),
    "lines above": ("app/devices.py", "LIMITS =", "# a comment\n# of two lines\n\nLIMITS ="),
    "an override": (
        "app/backends.py",
        "    limit = 4\n",
        "    limit = 4\n\n    def close(self):\n        return capability() > (9, 0)\n",
    ),
    "a word": ("app/backends.py", '@register("rows")', '@register("lines")'),
}


_WHOLE = ("a default", "a predicate", "what a constructor stores")  # a name holds no value any more that differs


@pytest.mark.parametrize("what", _EDITS)
def test_a_change_is_told_from_the_rows_before(what: str) -> None:
    path, old, new = _EDITS[what]
    before = {**BASE, **_MORE}
    assert old in before[path]
    found, whole = after(before, {**before, path: before[path].replace(old, new)})
    assert found == (None if what in _WHOLE else whole)
