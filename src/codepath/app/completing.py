"""Names that a shell completes: those of the tree as it was solved last, since somebody who types does not wait."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from codepath.app.changed import last_solved
from codepath.errors import CodepathError
from codepath.model.solution import decode_names
from codepath.program.rows import NAME
from codepath.store import SolutionLost

if TYPE_CHECKING:
    from codepath.app.opened import Opened
    from codepath.app.options import Options

_LEFT_OUT = frozenset(["module", "lambda"])


class _Slow(CodepathError):
    """Something that takes long was about to begin, such as a download."""


def completions(options: Options, begun: str) -> list[str]:
    """Return the names of a tree that begin as a word does, sorted; none where the tree is not solved or not at hand.

    A name is completed as it was begun: a last name, a last name behind its class or module, or a dotted name from the
    first module on, of which the modules are given part by part.
    """
    from codepath.app.opening import open_workspace

    def give_up(_: str) -> None:
        raise _Slow("it takes too long")

    try:
        with open_workspace(options, None, give_up) as workspace:
            return sorted({*workspace.begun(begun)})
    except CodepathError:
        return []


def rule_ids(options: Options, begun: str) -> list[str]:
    """Return the ids of the rules that hold in the current folder and begin as a word does, sorted."""
    from codepath.app.checking import settings_of

    try:
        return sorted(rule.id for rule in settings_of(options).rules if rule.id.startswith(begun))
    except CodepathError:
        return []


def begun_names(opened: Opened, begun: str) -> Iterator[str]:
    """Yield what `completions` does of an opened tree, unordered."""
    yield from _modules(opened.modules.values(), begun)
    solved = last_solved(opened)
    if solved is None or not begun:
        return
    owner, dot, last = begun.rpartition(".")
    try:
        rows = opened.store.solution_scan(solved[0], NAME + last)
    except SolutionLost:
        return
    for _, row in rows:
        for found in decode_names(row):
            if found.kind not in _LEFT_OUT and (not dot or _stands_in(found.name, owner)):
                yield f"{owner}{dot}{found.name.rpartition('.')[2]}"


def _stands_in(name: str, owner: str) -> bool:
    inside = name.rpartition(".")[0]
    return inside == owner or inside.endswith(f".{owner}")


def _modules(modules: Iterable[str], begun: str) -> set[str]:
    """Return the modules that begin so, up to the next dot behind what all of them share."""
    fitting = sorted(module for module in modules if module.startswith(begun))
    if not fitting:
        return set()
    shared = len(begun)
    while True:
        parts = {_up_to_dot(module, shared) for module in fitting}
        only = next(iter(parts))
        if len(parts) > 1 or not only.endswith("."):
            return parts
        shared = len(only)


def _up_to_dot(module: str, start: int) -> str:
    end = module.find(".", start)
    return module if end < 0 else module[: end + 1]
