"""Queries about state: set, read, lost by an override, written twice."""

from __future__ import annotations

from collections.abc import Sequence

from bug_queries.asking import Asked, Check, Query, last
from bug_queries.trees import BugTree


def _ask_unset(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    return [("values", f"{last(check['owner'], 2)}.{check['attr']}")]


def _is_unset(check: Check, answers: Sequence[Asked]) -> bool:
    gaps = [gap for asked in answers for gap in asked.rows("gaps")]
    return any(check["owner"] in (gap["class"], gap["base"]) and gap["precision"] != "low" for gap in gaps)


def _is_none(check: Check, answers: Sequence[Asked]) -> bool:
    """Tell whether an answer shows the use of a parameter that calls leave out."""
    gaps = [gap for asked in answers for gap in asked.rows("gaps") if gap["precision"] != "low"]
    return any(g["place"]["function"] == check["owner"] and g["attribute"] == check["attr"] for g in gaps)


def _ask_global(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    return [("values", last(check["global_"], 2))]


def _read_before_set(check: Check, answers: Sequence[Asked]) -> bool:
    """Tell whether a way to a read that nothing need have set passes the reader, or ends where the reader gets it."""
    ways = [way for asked in answers for way in asked.rows("unset_reads")]
    readers = [row for asked in answers for row in asked.rows("readers")]
    through = {row["through"] for row in readers if row["place"]["function"].startswith(f"{check['reader']}.")}
    return any(check["reader"] in str(way) or way["reader"]["function"] in through for way in ways)


def _ask_mismatch(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    names = check["callee"].split(".")
    return [("values", f"{last(check['scope'], 2)}.{names[0]}", "--guards")]


def _mismatched(check: Check, answers: Sequence[Asked]) -> bool:
    missing = set(check["guard_b"]) - set(check["guard_a"])
    messages = [gap["message"] for asked in answers for gap in asked.rows("gaps") if check["callee"] in gap["message"]]
    return any(name in message.partition("also where")[2] for message in messages for name in missing)


def _ask_family(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    return [("family", last(check.get("cls") or check["self_class"], 1))]


def _lost(check: Check, answers: Sequence[Asked]) -> bool:
    """Tell whether an answer names every attribute that the buggy release misses."""
    cls = check.get("cls") or check["self_class"]
    found = {g["attribute"] for asked in answers for g in asked.rows("gaps") if g["class"] == cls}
    return set(check["buggy_missing"]) <= found


def _ask_shared(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    return [("values", f"ServerArgs.{check['attr']}", "--instances")]


def _written_twice(check: Check, answers: Sequence[Asked]) -> bool:
    rows = [row for asked in answers for row in asked.rows("instances")]
    return any(row["writer"]["function"] == check["writer"] and row["shared"] for row in rows)


QUERIES = {
    "unset-read": Query("unset-read", _ask_unset, _is_unset),
    "none-deref": Query("unset-read", _ask_unset, _is_none),
    "global-set-before-read": Query("unset-read", _ask_global, _read_before_set),
    "guard-mismatch": Query("guard-mismatch", _ask_mismatch, _mismatched),
    "override-gap": Query("override-gap", _ask_family, _lost),
    "foreign-self": Query("override-gap", _ask_family, _lost),
    "shared-write": Query("shared-write", _ask_shared, _written_twice),
}
