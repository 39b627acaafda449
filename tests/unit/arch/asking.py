"""Snippets evaluated for architectures, in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import dedent

from codepath.analysis.arch.answer import Evaluation, Sources
from codepath.analysis.arch.world import World
from codepath.app.mentions import identifiers
from codepath.extract import extract
from codepath.knowledge import choose, shipped
from codepath.model.arch import ArchRow
from codepath.program.bodies import Bodies
from tests.support import graph_of, module_of


def evaluated(files: Mapping[str, str], target: str = "sm120", beside: Iterable[str] = ()) -> Evaluation:
    """Return the evaluation of source files by path."""
    files = {path: dedent(text) for path, text in files.items()}
    modules = {module_of(path): path for path in files}
    facts = {path: extract(text.encode(), path) for path, text in files.items()}
    bodies = Bodies(modules, facts.get)
    knowledge = choose(shipped(), (), frozenset(modules))
    words = {module: identifiers(files[path].encode()) for module, path in modules.items()}

    def holding(wanted: Iterable[str]) -> list[str]:
        return [module for module, held in words.items() if held & set(wanted)]

    targets = [a for a in knowledge.architectures if a.name == target]
    sources = Sources(holding, lambda path: files.get(path, ""), lambda: beside)
    return Evaluation(World(bodies, graph_of(files), knowledge), targets, sources)


def rows_of(text: str, target: str = "sm120") -> list[ArchRow]:
    """Return the rows of one file, `m.py`."""
    return list(evaluated({"m.py": text}, target).answer().rows)


def only(text: str, target: str = "sm120") -> ArchRow:
    """Return the one row of one file."""
    (row,) = rows_of(text, target)
    return row


def verdict(text: str, target: str = "sm120") -> str:
    """Return the verdict of the one row of one file for the target."""
    return only(text, target).verdict(target)
