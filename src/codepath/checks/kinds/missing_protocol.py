"""`missing-protocol`: an object that is used like others of its kind lacks a method, or hides that of what it wraps."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.detect.declared import Declared
from codepath.analysis.detect.evidence import evidence_of
from codepath.analysis.detect.protocols import KIND as NAME
from codepath.analysis.detect.protocols import Protocols
from codepath.checks.detected import KEYS, drafts
from codepath.checks.schema import Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import PRECISIONS, Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    evidence, least = evidence_of(tree.detect), settings["precision"]
    found = list(Protocols(evidence, tree.hooks).everywhere(least))
    if least != PRECISIONS[0]:  # what is declared is never that sure
        found += Declared(evidence).everywhere()
    return drafts(settings, tree, found)


KIND = Kind(NAME, "A class that wraps another one must not hide what code looks up on it.", KEYS, _find, is_local=True)
