"""What a kind of rule is, and the keys of its table. The reference and the errors are made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from codepath.checks.tree import CheckedTree
from codepath.model.checks import Draft, Fact

Settings: TypeAlias = "Mapping[str, Any]"


class IdleError(Exception):
    """A rule has nothing to look at: what it names is not in the tree."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a kind's table.

    `form` is `text`, `texts` (a list of strings; one string counts as a list of one) or `flag`. `choices` are the words
    allowed, any where there are none.
    """

    name: str
    form: str
    meaning: str
    required: bool = False
    default: Any = None
    choices: tuple[str, ...] = ()

    @property
    def absent(self) -> Any:
        """The value where the key is not given."""
        if self.default is not None:
            return self.default
        return {"text": "", "texts": (), "flag": False}[self.form]


def no_facts(settings: Settings, tree: CheckedTree) -> Iterable[Fact]:
    """Return nothing to compare."""
    return ()


@dataclass(frozen=True, slots=True)
class Kind:
    """An algorithm that rules use.

    Attributes:
        name: As `kind` in a rule names it, and its table.
        summary: What it finds, in one sentence.
        keys: The keys of its table.
        find: Gives what a rule finds in a tree. Raises `IdleError` where nothing that it names is there.
        facts: Gives what `diff` compares of the things that a rule names.
        compare: Gives what a rule finds in a tree beside the one before, in addition to what `find` gives.
        is_local: Whether what it finds rests on a file and on those that hold its names, so that of a change only these count.
    """

    name: str
    summary: str
    keys: tuple[Key, ...]
    find: Callable[[Settings, CheckedTree], Iterable[Draft]] | None = None
    facts: Callable[[Settings, CheckedTree], Iterable[Fact]] = no_facts
    compare: Callable[[Settings, CheckedTree, CheckedTree], Iterable[Draft]] | None = None
    is_local: bool = False
