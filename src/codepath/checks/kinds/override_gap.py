"""`override-gap`: what a class loses by a method that replaces one of its base and never calls it."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.detect.evidence import evidence_of
from codepath.analysis.detect.overrides import KIND as NAME
from codepath.analysis.detect.overrides import Overrides
from codepath.checks.detected import KEYS, drafts
from codepath.checks.schema import Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    return drafts(settings, tree, Overrides(evidence_of(tree.detect)).everywhere())


KIND = Kind(
    NAME,
    "An attribute that only a replaced method of a base sets must not be read by methods that still run.",
    KEYS,
    _find,
    is_local=True,
)
