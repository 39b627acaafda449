"""`order-contract`: an attribute that is read while its object is made, before anything can have set it."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.detect.contracts import KIND as NAME
from codepath.analysis.detect.contracts import Contracts
from codepath.analysis.detect.evidence import evidence_of
from codepath.checks.detected import KEYS, drafts
from codepath.checks.schema import Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    return drafts(settings, tree, Contracts(evidence_of(tree.detect)).everywhere())


KIND = Kind(
    NAME, "A constructor, with all that it calls, must set an attribute before it reads it.", KEYS, _find, is_local=True
)
