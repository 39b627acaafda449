"""What a query of the bug collection is: commands, and how their answers are judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from bug_queries.trees import BugTree

Check: TypeAlias = "dict[str, Any]"
Answer: TypeAlias = "dict[str, Any]"


@dataclass(frozen=True)
class Asked:
    """A command without `codepath` and the options of the source, and its answer.

    `answer` is the JSON document, None where the command could not answer; `error` then says why.
    """

    words: tuple[str, ...]
    tree: BugTree
    answer: Answer | None
    error: str = ""

    def rows(self, key: str) -> list[Answer]:
        """Return a list of the answer, empty where there is none."""
        found = (self.answer or {}).get(key) or []
        return list(found)


@dataclass(frozen=True)
class Query:
    """How one word of the collection is asked.

    Attributes:
        kind: The kind of rule or the question that answers it, as the table of results names it.
        asked: Gives the commands for a check in a tree, each without the options of the source.
        flagged: Tells whether the answers show the fault.
        is_built: Whether codepath has the question.
    """

    kind: str
    asked: Callable[[Check, BugTree], Sequence[tuple[str, ...]]]
    flagged: Callable[[Check, Sequence[Asked]], bool]
    is_built: bool = True


def nothing(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    """Ask nothing: the question is not built."""
    return ()


def not_built(kind: str) -> Query:
    """Return a query that codepath cannot answer yet."""
    return Query(kind, nothing, lambda check, answers: False, is_built=False)


def last(name: str, parts: int = 1) -> str:
    """Return the last parts of a dotted name."""
    return ".".join(name.split(".")[-parts:])
