"""`dead-probe`: a look-up by name of an attribute that nothing in the tree defines, stores or spells."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.detect.families import families_of
from codepath.analysis.detect.probes import KIND as NAME
from codepath.analysis.detect.probes import DeadProbes
from codepath.checks.detected import KEYS, drafts
from codepath.checks.schema import Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    return drafts(settings, tree, DeadProbes(families_of(tree.detect)).everywhere())


KIND = Kind(
    NAME, "An attribute that is looked up by name must be one that something gives.", KEYS, _find, is_local=True
)
