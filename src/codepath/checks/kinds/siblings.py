"""`siblings`: functions that do the same job, where one call or store is missing in one."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.detect.evidence import evidence_of
from codepath.analysis.detect.siblings import KIND as NAME
from codepath.analysis.detect.siblings import Siblings
from codepath.analysis.detect.siblings_everywhere import SiblingsEverywhere
from codepath.checks.detected import KEYS, drafts
from codepath.checks.schema import Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    everywhere = SiblingsEverywhere(Siblings(evidence_of(tree.detect)), settings["precision"])
    return drafts(settings, tree, everywhere.everywhere())


KIND = Kind(
    NAME, "What nearly all functions that do the same job do must not be missing in one.", KEYS, _find, is_local=True
)
