"""`stale-name`: names that modules of the tree no longer provide, or that are not there where they are read."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.detect.stale import KIND as NAME
from codepath.analysis.detect.stale import Stale
from codepath.checks.detected import KEYS, drafts
from codepath.checks.schema import Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    return drafts(settings, tree, Stale(tree.detect).everywhere())


KIND = Kind(
    NAME,
    "What an import or `module.name` names must be there, and an optional import be read where it is there.",
    KEYS,
    _find,
    is_local=True,
)
