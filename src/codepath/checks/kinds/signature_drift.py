"""`signature-drift`: calls and overrides whose arguments and parameters no longer fit."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.detect.drift import KIND as NAME
from codepath.analysis.detect.drift import Drift
from codepath.analysis.detect.evidence import evidence_of
from codepath.checks.detected import KEYS, drafts
from codepath.checks.schema import Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    return drafts(settings, tree, Drift(evidence_of(tree.detect)).everywhere())


KIND = Kind(
    NAME,
    "The arguments of a call must fit the parameters of what it calls, and an override the calls through its base.",
    KEYS,
    _find,
    is_local=True,
)
