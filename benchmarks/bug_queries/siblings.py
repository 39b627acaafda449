"""Queries about functions that do the same job, families that are enumerated, and interfaces that classes declare."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bug_queries.asking import Answer, Asked, Check, Query, last
from bug_queries.trees import BugTree

_NAME = re.compile(r"[\w.]+")


def _ask_siblings(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    """Ask about one of those that lack it, or the function in which objects are; then about all that are named, together."""
    lacking = [last(name, 3) for name in check["absent_in"]]
    if "scope" in check:
        return [("siblings", last(check["scope"], 2))]
    named = [name for name in check["present_in"] if _NAME.fullmatch(name)]
    together = [last(name, 3) for name in (*named, *check["absent_in"])]
    return [("siblings", lacking[0]), ("siblings", *together)]


def _missing(check: Check, answers: Sequence[Asked]) -> bool:
    """Tell whether the differences of one answer that are about the callee name all that lack it."""
    return any(_says(check, asked.rows("differences")) for asked in answers)


def _says(check: Check, differences: Sequence[Answer]) -> bool:
    about = [one for one in differences if _is_meant(check["callee"], one["name"])]
    lacking = {word for one in about for word in _words(one["lack"])}
    return all(_ends(lacking, name) for name in check["absent_in"])


def _words(names: Sequence[str]) -> Iterator[str]:
    for name in names:
        yield name
        yield name.partition("self.")[2]


def _ends(names: set[str], wanted: str) -> bool:
    return any(name == wanted or name.endswith(f".{wanted}") for name in names)


def _is_meant(callee: str, name: str) -> bool:
    """Tell whether a name is the callee's last word, or shares two words with it: repairs rename."""
    wanted = last(callee.split()[-1])
    return name == wanted or len(set(_parts(callee)) & set(_parts(name))) >= 2


def _parts(name: str) -> list[str]:
    return [part for part in re.split(r"[\W_]+", name.lower()) if part]


def _ask_family(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    return [("siblings", "--family", check["universe"].split()[0])]


def _left_out(check: Check, answers: Sequence[Asked]) -> bool:
    places = [
        one
        for asked in answers
        for family in asked.rows("families")
        for one in family["enumerations"]
        if last(one["place"]["function"]) == check["covered_by"]
    ]
    return any(set(check["buggy_missing"]) <= {last(name) for name in one["misses"]} for one in places)


def _ask_protocol(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    return [("hooks", last(check["protocol"]), "--missing")]


def _undeclared(check: Check, answers: Sequence[Asked]) -> bool:
    rows = [row for asked in answers for row in asked.rows("classes")]
    return any(row["class"] == check["cls"] and row["has"] is False for row in rows)


QUERIES = {
    "siblings": Query("siblings", _ask_siblings, _missing),
    "set-difference": Query("set-difference", _ask_family, _left_out),
    "protocol": Query("missing-protocol", _ask_protocol, _undeclared),
}
