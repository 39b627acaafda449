"""Questions about environment variables, launch options and look-ups that can never find anything."""

from __future__ import annotations

from collections.abc import Sequence

from bug_queries.asking import Asked, Check, Query, last
from bug_queries.trees import BugTree

_NAMES = ("name", "arg", "flag", "option", "attr", "attribute", "hook", "literal", "callable")


def _name(check: Check) -> str:
    """Return what a check asks about, an option as its attribute."""
    found = next((str(check[key]) for key in _NAMES if check.get(key)), "")
    return last(found.lstrip("-").replace("-", "_"))


def _ask_flags(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    return [("flags", _name(check))]


def _ask_dead(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    return [("hooks", _name(check), "--dead")]


def _wrong(answers: Sequence[Asked], *forms: str) -> bool:
    faults = [fault for asked in answers for fault in asked.rows("faults")]
    return any(f["precision"] != "low" and (not forms or f["form"] in forms) for f in faults)


def _env_wrong(check: Check, answers: Sequence[Asked]) -> bool:
    """The variable is not read where it should be, or something is wrong with it."""
    if "site" in check:
        uses = [use for asked in answers for flag in asked.rows("flags") for use in flag["uses"]]
        return not any(u["how"] == "read" and u["place"]["function"] == check["site"] for u in uses)
    return _wrong(answers)


def _choice_missing(check: Check, answers: Sequence[Asked]) -> bool:
    return _wrong(answers, "no-choice")


def _zero_lost(check: Check, answers: Sequence[Asked]) -> bool:
    """Tell whether a truth test of the option is shown as more than a guess, that of the function which is meant."""
    faults = [f for asked in answers for f in asked.rows("faults") if f["form"] == "zero" and f["precision"] != "low"]
    meant = check.get("site") or check.get("reader") or ""
    return any(f["place"]["function"].startswith(meant) for f in faults)


def _callable_tested(check: Check, answers: Sequence[Asked]) -> bool:
    return _wrong(answers, "descriptor", "callable")


def _dead(check: Check, answers: Sequence[Asked]) -> bool:
    return any(p["precision"] != "low" for asked in answers for p in asked.rows("lookups"))


QUERIES = {
    "env": Query("flags", _ask_flags, _env_wrong),
    "choices": Query("flags", _ask_flags, _choice_missing),
    "truthy-optional-int": Query("flags", _ask_flags, _zero_lost),
    "truthy-callable": Query("flags", _ask_flags, _callable_tested),
    "dead-probe": Query("dead-probe", _ask_dead, _dead),
}
