"""`missing-hook`: a registered class lacks what code looks up on it, although what it makes has it."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.detect.missing_hooks import KIND as NAME
from codepath.analysis.detect.missing_hooks import MissingHooks
from codepath.checks.detected import KEYS, drafts
from codepath.checks.schema import Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    least = settings["precision"]
    return drafts(settings, tree, MissingHooks(tree.detect, tree.hooks).everywhere(least))


KIND = Kind(
    NAME,
    "A registered class must have what code looks up on it and what it makes has.",
    KEYS,
    _find,
    is_local=True,
)
