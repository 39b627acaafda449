"""From what detectors see to what rules find: common keys, the least precision, the order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from codepath.checks.names import fits
from codepath.checks.schema import Key, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.checks import PRECISIONS, Draft
from codepath.model.detect import Detected

KEYS = (
    Key("precision", "text", "the least precision that is reported", default="high", choices=PRECISIONS),
    Key("in", "texts", "patterns of the classes or modules that are looked at; all where it is absent"),
    Key("except", "texts", "patterns of what is left out: the class or module, or that and the name"),
)
"""Keys that all kinds of detectors have."""
_SEVERITY: Mapping[str, str] = {"high": "", "medium": "warning", "low": "info"}


def drafts(settings: Settings, tree: CheckedTree, found: Iterable[Detected]) -> Iterator[Draft]:
    """Yield what a rule finds of what a detector sees, the most surprising first."""
    least = PRECISIONS.index(settings["precision"])
    kept = [d for d in found if PRECISIONS.index(d.precision) <= least and _is_meant(settings, d)]
    for one in sorted(kept, key=lambda d: (-d.surprise, d.place.file, d.place.line, d.place.column, d.name)):
        function = one.place.function
        within = "" if function in tree.detect.paths else tree.short(function)  # no calls are needed to tell it
        subject = (tree.short(one.owner), one.name, one.form, within)
        yield Draft(one.message, one.place, subject, _SEVERITY[one.precision], one.notes)


def _is_meant(settings: Settings, one: Detected) -> bool:
    names = (one.owner, f"{one.owner}.{one.name}")
    if any(fits(name, pattern) for name in names for pattern in settings["except"]):
        return False
    return not settings["in"] or any(fits(name, pattern) for name in names for pattern in settings["in"])
