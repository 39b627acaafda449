"""`flags`: environment variables that are not declared or not parsed, descriptors that are tested for their value."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.detect.families import families_of
from codepath.analysis.detect.flags import KIND as NAME
from codepath.analysis.detect.flags import Flags
from codepath.checks.detected import KEYS, drafts
from codepath.checks.schema import Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    return drafts(settings, tree, Flags(families_of(tree.detect)).everywhere())


KIND = Kind(
    NAME, "An environment variable must be declared where it is read, and its value parsed.", KEYS, _find, is_local=True
)
