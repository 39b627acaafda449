"""`guard-mismatch`: an attribute is set under one condition and read under another that does not imply it."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.detect.evidence import evidence_of
from codepath.analysis.detect.mismatches import KIND as NAME
from codepath.analysis.detect.mismatches import Mismatches
from codepath.checks.detected import KEYS, drafts
from codepath.checks.schema import Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    return drafts(settings, tree, Mismatches(evidence_of(tree.detect), settings["precision"]).everywhere())


KIND = Kind(
    NAME,
    "An attribute must not be read under a condition that does not imply the one under which it is set.",
    KEYS,
    _find,
    is_local=True,
)
