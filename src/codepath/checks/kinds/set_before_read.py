"""`set-before-read`: a variable that must have been written before it is read."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.analysis.variables.rules import set_before_read
from codepath.checks.kinds.never_none import answers, draft
from codepath.checks.names import condition, holds
from codepath.checks.schema import Key, Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    for answer in answers(settings, tree, unset=True):
        for found in set_before_read(answer):
            if not any(holds(condition(g), pattern) for g in found.guards for pattern in settings["unless"]):
                yield draft(tree, answer, found)


KIND = Kind(
    "set-before-read",
    "A global or attribute that must have been written on every path to a read that needs it.",
    (
        Key("variable", "texts", "the variables: module.name or Class.attribute", required=True),
        Key("unless", "texts", "conditions under which a read may come first"),
    ),
    _find,
)
