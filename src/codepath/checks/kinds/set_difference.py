"""`set-difference`: what an enumeration of the members of a family leaves out."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.detect.families import families_of
from codepath.analysis.detect.members import KIND as NAME
from codepath.analysis.detect.members import Members
from codepath.checks.detected import KEYS, drafts
from codepath.checks.schema import Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    return drafts(settings, tree, Members(families_of(tree.detect), settings["precision"]).everywhere())


KIND = Kind(
    NAME,
    "A place that names nearly all members of a family must name those that others do.",
    KEYS,
    _find,
    is_local=True,
)
