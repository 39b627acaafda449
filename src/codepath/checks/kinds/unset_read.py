"""`unset-read`: an attribute that a method reads and that nothing, or only some branches, has set."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.detect.evidence import evidence_of
from codepath.analysis.detect.parameters import Parameters
from codepath.analysis.detect.unset import KIND as NAME
from codepath.analysis.detect.unset import Unset
from codepath.checks.detected import KEYS, drafts
from codepath.checks.schema import Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    evidence = evidence_of(tree.detect)
    return drafts(settings, tree, [*Unset(evidence).everywhere(), *Parameters(evidence).everywhere()])


KIND = Kind(
    NAME,
    "An attribute that a method reads must have been set on every object of the class.",
    KEYS,
    _find,
    is_local=True,
)
