"""The keys of the stored rows of a solution, and the counts of a whole tree."""

from __future__ import annotations

from dataclasses import dataclass

from codepath.model.answers import Stats
from codepath.model.solution import StoredFunction

FUNCTION = "f:"
CALLERS = "c:"
NAME = "n:"
GAPS = "g:"
FILE = "p:"
STORES = "a:"
SUBCLASSES = "s:"
LOOKUPS = "hl:"
MEMBERS = "hm:"
CLASSES = "hc:"
REGISTERED = "hr:"
HOOKS = "hn:"
BUILTINS = "builtins."
"""Callers of builtins are too many to be kept; those of other names outside the tree are."""

SITES = ("exact", "inferred", "family", "outside", "by-name", "unresolved")
"""What a call site can be, best first."""


@dataclass(slots=True)
class Counts:
    """Running counts of call sites by their best resolution."""

    call_sites: int = 0
    exact: int = 0
    inferred: int = 0
    family: int = 0
    by_name: int = 0
    outside: int = 0
    unresolved: int = 0

    def add(self, row: StoredFunction) -> None:
        """Count the call sites of one function."""
        for name, count in zip(SITES, row.sites, strict=False):
            field = name.replace("-", "_")
            setattr(self, field, getattr(self, field) + count)
        self.call_sites += row.call_sites

    def join(self, other: Counts) -> None:
        """Add other counts."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def stats(self) -> Stats:
        """Return the counts as an answer has them."""
        return Stats(
            self.call_sites, self.exact, self.inferred, self.family, self.by_name, self.outside, self.unresolved
        )


def last_of(text: str) -> str:
    """Return the last name of what a call calls, as a gap tells it."""
    return text.removesuffix("()").replace("[...]", "").rpartition(".")[2]
