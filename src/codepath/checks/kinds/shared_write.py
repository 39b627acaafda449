"""`shared-write`: state that the process shares is written again by a second instance."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.detect.evidence import evidence_of
from codepath.analysis.detect.shared import KIND as NAME
from codepath.analysis.detect.shared import Shared
from codepath.checks.detected import KEYS, drafts
from codepath.checks.schema import Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    return drafts(settings, tree, Shared(evidence_of(tree.detect)).everywhere())


KIND = Kind(
    NAME,
    "State that the whole process shares must not be written by each instance of a class with two roles.",
    KEYS,
    _find,
    is_local=True,
)
