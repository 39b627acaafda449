"""Where a change can give new findings of local kinds: the lines that it changes, and those that hold what these name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from codepath.analysis.variables.access import Words
from codepath.app.moved import Block, Blocks
from codepath.app.opened import Opened
from codepath.errors import SourceError
from codepath.program.changes.runs import shared_runs

_MOST = 60
"""A word that more files hold is too common to tell which of them a change concerns."""
_SHORT = 3
_TELLING = re.compile(
    rb"\b(?:def|class)\s+([A-Za-z_]\w*)"  # a signature, a base
    rb"|\.([A-Za-z_]\w*)\s*(?::[^=\n]+)?=(?!=)"  # an attribute that is stored
    rb"|setattr\([^,\n]+,\s*[\"']([A-Za-z_]\w*)[\"']"
    rb"|\b([A-Za-z_]\w*)\s*=\s*True\b"  # a flag that is passed
    rb"|^([A-Za-z_]\w*)\s*(?::[^=\n]+)?=(?!=)"  # a name of a module
    rb"|^\s*([A-Za-z_]\w*)(?:\s+as\s+\w+)?\s*,?\s*$"  # a line of an import
    rb"|\bimport\s+([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)"
)
_WORD = re.compile(rb"[A-Za-z_]\w*")


Lines: TypeAlias = "dict[str, tuple[int, ...]]"  # 1-based, ascending, by file


@dataclass(frozen=True, slots=True)
class Change:
    """What differs between a tree and the one before.

    Attributes:
        lines: The lines of the tree that the change touches: those that differ, or stand where lines were taken out; in other
            files those that hold a name which these define, store, import or pass as a flag.
        before: Those of the tree before.
        blocks: The lines that both have of each file that differs.
        edges: The lines of the tree before that differ, 1-based, and those around lines that were put in; of these files alone.
        words: Every name in the lines that differ.
    """

    lines: Lines
    before: Lines
    blocks: Blocks
    edges: Lines
    words: frozenset[str]


def change_between(head: Opened, base: Opened, words: Sequence[Words]) -> Change:
    """Return what differs between two trees.

    `words` tell which files of each tree hold a word.

    Approximates: under (names of fewer than three letters and those that more than 60 files hold are left out).
    """
    old, new = base.content, head.content
    changed = sorted(path for path in {*old, *new} if old.get(path) != new.get(path))
    names = {_stem(path).encode() for path in changed if path not in old or path not in new}
    every: set[bytes] = set()
    lines: tuple[Lines, Lines] = ({}, {})
    blocks: dict[str, tuple[Block, ...]] = {}
    edges: Lines = {}
    for path in changed:
        before, after = _text(base, path, old).splitlines(), _text(head, path, new).splitlines()
        removed, added = differing(before, after)
        unlike = [
            *(before[n] for numbers in removed for n in numbers),
            *(after[n] for numbers in added for n in numbers),
        ]
        names.update(telling(unlike))
        every.update(word for line in unlike for word in _WORD.findall(line))
        lines[0][path], lines[1][path] = near(added, after), near(removed, before)
        blocks[path] = tuple(shared(removed, added, len(before)))
        edges[path] = tuple(sorted({n + 1 for r in removed for n in (r or range(r.start - 1, r.start + 1))}))
    for tree, holding, found in zip((head, base), words, lines, strict=True):
        _add_holding(tree, holding, names, found)
    return Change(*lines, blocks, edges, frozenset(word.decode() for word in every))


def shared(removed: Sequence[range], added: Sequence[range], count: int) -> Iterator[Block]:
    """Yield the lines that two texts share; `count` are those of the first."""
    start, other = 0, 0
    for gone, fresh in zip([*removed, range(count, count)], [*added, range(-1, -1)], strict=True):
        if gone.start > start:
            yield Block(start + 1, other + 1, gone.start - start)
        start, other = gone.stop, fresh.stop


def _add_holding(tree: Opened, words: Words, names: Iterable[bytes], found: Lines) -> None:
    """Add the lines of the files that are not there yet and hold one of some names."""
    holding: dict[str, list[bytes]] = {}
    for name in sorted(name for name in names if len(name) >= _SHORT):
        paths = words.holding(name.decode())
        for path in paths if len(paths) <= _MOST else ():
            if path not in found:
                holding.setdefault(path, []).append(name)
    for path, held in holding.items():
        pattern = re.compile(rb"\b(?:" + b"|".join(held) + rb")\b")
        text = _text(tree, path, tree.content).splitlines()
        found[path] = tuple(n for n, line in enumerate(text, 1) if pattern.search(line))


def near(found: Iterable[range], lines: Sequence[bytes]) -> tuple[int, ...]:
    """Return the 1-based lines of 0-based ranges; of an empty one the line where it stands."""
    numbers = (n for numbers in found for n in (numbers or [numbers.start]))
    return tuple(sorted({min(n + 1, max(len(lines), 1)) for n in numbers}))


def differing(before: Sequence[bytes], after: Sequence[bytes]) -> tuple[list[range], list[range]]:
    """Return the ranges of lines, 0-based, in which two texts differ: one of each text for each difference, maybe empty."""
    removed: list[range] = []
    added: list[range] = []
    start, other = 0, 0
    for first, second, size in [*shared_runs(before, after), (len(before), len(after), 0)]:
        if first > start or second > other:
            removed.append(range(start, first))
            added.append(range(other, second))
        start, other = first + size, second + size
    return removed, added


def _stem(path: str) -> str:
    parts = path.removesuffix(".py").split("/")
    return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]


def _text(tree: Opened, path: str, content: Mapping[str, str]) -> bytes:
    if path not in content:
        return b""
    try:
        return tree.tree.read(path)
    except SourceError:
        return b""


def telling(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the names that lines define, store, import or pass as a flag."""
    for line in lines:
        for found in _TELLING.finditer(line):
            text = next(group for group in found.groups() if group is not None)
            yield from (word for word in _WORD.findall(text) if not word.startswith(b"__"))
