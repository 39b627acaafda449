"""A patch of the rows of a solution is made only where it gives the rows of the whole tree solved anew."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hypothesis import assume, given

from codepath.errors import SourceError
from codepath.extract import extract
from codepath.knowledge import choose, shipped
from codepath.model import ir
from codepath.model.knowledge import Knowledge
from codepath.model.solution import StoredWhole, decode_function, decode_names, decode_strings
from codepath.program.build import SolutionBuilder
from codepath.program.changes.patched import PatchedRows
from codepath.program.changes.patching import File, Patching
from codepath.program.changes.privacy import Elsewhere
from codepath.program.changes.shapes import Unclear
from codepath.program.graph import CallGraph
from codepath.program.rows import CALLERS, FILE, FUNCTION, GAPS, NAME, STORES
from tests.property.change_programs import Files, changes
from tests.property.solving import tried
from tests.support import DictRows, module_of, solver_of

_WORD = re.compile(r"[A-Za-z_]\w*")


class Version:
    """A tree solved whole."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.facts = {path: extract(text.encode(), path) for path, text in files.items()}
        builder = SolutionBuilder(solver_of(files))
        self.rows = DictRows(builder.every_row())
        self.whole = builder.whole(())


def patched(old: Version, files: Files) -> tuple[PatchedRows, StoredWhole]:
    """Return the rows of a changed tree without solving it.

    Raises:
        Unclear: Only the solver can tell.
    """
    facts = {path: extract(text.encode(), path) for path, text in files.items()}
    changed = [path for path in files if files[path] != old.files[path]]
    modules = {path: module_of(path) for path in files}
    knowledge = choose(shipped(), (), frozenset(modules.values()))
    differing = [File(path, old.facts[path], facts[path]) for path in changed]
    patching = Patching(differing, modules, (old.facts.get, facts.get), knowledge, old.rows)
    patch = patching.patch(_elsewhere(files, changed, facts, knowledge))
    return PatchedRows(old.rows.get, old.rows.scan, patch), patching.whole(old.whole, patch)


def _elsewhere(files: Files, changed: list[str], facts: dict[str, ir.ModuleFacts], knowledge: Knowledge) -> Elsewhere:
    words = {path: frozenset(_WORD.findall(text)) for path, text in files.items() if path not in changed}

    def holding(word: str) -> Iterable[str]:
        return [path for path, held in words.items() if word in held]

    return Elsewhere(holding, facts.get, frozenset(_WORD.findall(repr(knowledge))))


def told(rows: PatchedRows | DictRows) -> dict[str, object]:
    """Return what rows tell, whatever the numbers of their guards."""
    graph = CallGraph(rows, ())
    found: dict[str, object] = {}
    for key, blob in rows.scan():
        if key.startswith(FUNCTION):
            row = decode_function(blob)
            steps = graph.steps(key[len(FUNCTION) :])
            found[key] = (row.kind, row.file, row.at, row.end, row.call_sites, row.sites, row.gaps, steps)
        elif key.startswith((NAME, FILE)):
            found[key] = decode_names(blob)
        elif key.startswith((CALLERS, STORES, GAPS)):
            found[key] = decode_strings(blob)
    return found


@tried(400)
@given(changes())
def test_rows_of_a_change_are_those_of_the_tree_solved_anew(change: tuple[Files, Files]) -> None:
    before, after = change
    assume(before != after)
    try:
        old, new = Version(before), Version(after)
    except SourceError:
        return
    try:
        rows, whole = patched(old, after)
    except Unclear:
        return
    mine, real = told(rows), told(new.rows)
    assert {k: v for k, v in mine.items() if real.get(k) != v} == {
        k: real.get(k) for k in mine if real.get(k) != mine[k]
    }
    assert mine == real
    assert whole == new.whole
