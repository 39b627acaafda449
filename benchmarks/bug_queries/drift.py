"""Queries about names that drifted apart."""

from __future__ import annotations

from collections.abc import Sequence

from bug_queries.asking import Asked, Check, Query, last
from bug_queries.trees import BugTree


def _ask_callers(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    return [("callers", last(check["callee"], 2), "--mismatch")]


def _drifted(check: Check, answers: Sequence[Asked]) -> bool:
    """Tell whether the caller is shown, or the callee as an override that a call in it does not fit."""
    gaps = [gap for asked in answers for gap in asked.rows("gaps")]
    places = [gap["place"]["function"] for gap in gaps if gap["form"] != "override"]
    places += [e["place"]["function"] for gap in gaps if gap["form"] == "override" for e in gap["evidence"]]
    return any(place == check["caller"] or place.startswith(f"{check['caller']}.") for place in places)


def _ask_check(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    return [("check", "--select", "stale-name", "--exit-zero")]


def _stale(check: Check, answers: Sequence[Asked]) -> bool:
    """Tell whether a finding in the module names the name, and the function where one is told."""
    found = [f for asked in answers for f in asked.rows("findings") if f["rule"] == "stale-name"]
    named = [f for f in found if f"`{check['name']}`" in f["message"] or f".{check['name']}`" in f["message"]]
    wanted = ".".join(part for part in (check["module"], check.get("reader")) if part)
    return any(f["place"]["function"] == wanted or f["place"]["function"].startswith(f"{wanted}.") for f in named)


QUERIES = {
    "signature-drift": Query("signature-drift", _ask_callers, _drifted),
    "stale-import": Query("stale-name", _ask_check, _stale),
    "module-called": Query("stale-name", _ask_check, _stale),
    "conditional-import": Query("stale-name", _ask_check, _stale),
}
