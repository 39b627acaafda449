"""Queries that the questions about calls, orders, hooks and architectures answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from bug_queries.asking import Answer, Asked, Check, Query, last
from bug_queries.trees import BugTree

_ABOVE = 8  # lines from a condition to what it decides
_ORDERED = ("before", "after", "either")
_MISSES = ("crash", "silent", "fallback", "excluded")


def _names(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\s*[|/]\s+|\|", text) if part.strip()]


# --- hooks -----------------------------------------------------------------------------------------------------------


def _ask_hook(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    return [("hooks", f"{last(check['cls'])}.{hook}") for hook in _names(check["hook"])]


def _hook_missing(check: Check, answers: Sequence[Asked]) -> bool:
    """Tell whether the class is shown without the hook, or with one that hides its inner object's, or that is of a base."""
    holders = [row for asked in answers for row in asked.rows("classes") if row["class"] == check["cls"]]
    return any(row["has"] is False or bool(row.get("hides")) or _is_inherited(check, row) for row in holders)


def _is_inherited(check: Check, row: Answer) -> bool:
    """Tell whether the class has only what a base gives, where the fault is that it should have its own."""
    giver = (row["from"] or {}).get("class", check["cls"])
    return str(check["buggy"]).startswith("absent") and row["has"] is True and giver != check["cls"]


# --- order -----------------------------------------------------------------------------------------------------------


def _ask_order(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    stored = re.match(r"self\.(\w+)\s*=", check["a"])
    if stored:  # an attribute that its own constructor stores too late
        return [("values", f"{last(check['scope'].rpartition('.')[0])}.{stored[1]}")]
    firsts, seconds = _sides(check["scope"], check["a"], tree), _sides(check["scope"], check["b"], tree)
    if len(firsts) > 1 and check["query"] == "must-precede":
        firsts = [*firsts[:3], *_called(check["a"])]  # one in each arm: together, by its name
    return [("order", first, second) for first in firsts[:4] for second in seconds[:3]]


def _sides(scope: str, text: str, tree: BugTree) -> list[str]:
    """Return how a person names what a text says: the lines of the scope that hold it, else the names in it."""
    for part in _names(text):
        found = tree.places(scope, part) or tree.places(scope, part.partition(": ")[0] if ": " in part else part)
        if found:
            return found
    for name in re.findall(r"(\w+) assignment", text):
        found = tree.places(scope, f"{name} = ")
        if found:
            return found
    words = _words(text)
    placed = [place for word in words for place in tree.places(scope, f"{last(word)}(")]
    return placed or _called(text)


def _words(text: str) -> list[str]:
    """Return the names in a text that are no words of English."""
    return [w for w in _every_word(text) if "_" in w or "." in w]


def _every_word(text: str) -> list[str]:
    return re.findall(r"[A-Za-z_][\w.]*[A-Za-z_]\w*", text)


def _called(text: str) -> list[str]:
    """Return the last name of a text as a command takes it."""
    return [last(w, 2) if "." in w else w for w in (_words(text) or _every_word(text))[-1:]]


def _wrong_order(check: Check, answers: Sequence[Asked]) -> bool:
    known = [asked.answer for asked in answers if asked.answer is not None]
    if any("contexts" not in answer for answer in known):
        return any(g["kind"] == "order-contract" and g["precision"] != "low" for a in known for g in a["gaps"])
    always = check["query"] == "must-precede"
    return bool(known) and not any(_is_before(check["scope"], answer, always=always) for answer in known)


def _is_before(scope: str, answer: Answer, *, always: bool) -> bool:
    """Tell whether one thing comes before another in the scope; `always`, whether it must have run then."""
    inside = [c for c in answer["contexts"] if c["function"].startswith(scope) and not c.get("again")]
    chosen = inside or answer["contexts"]
    verdicts = {c["verdict"] for c in chosen} or {answer["verdict"]}
    return verdicts <= {"before", "inside"} and not (always and any(c["skips"] for c in chosen))


# --- calls -----------------------------------------------------------------------------------------------------------


def _ask_callers(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    return [("callers", check["target"])]


def _called_from(check: Check, answers: Sequence[Asked]) -> bool:
    named = re.findall(r"\w+(?:\.\w+)+", check["buggy"])
    callers = [step["caller"] for asked in answers for step in asked.rows("steps")]
    return any(caller.startswith(name) for caller in callers for name in named)


def _ask_guard(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    return [("callers", name) for name in re.findall(r"(\w+)\(", check["expr"])[:1]]


def _not_dominated(check: Check, answers: Sequence[Asked]) -> bool:
    steps = [s for asked in answers for s in asked.rows("steps") if s["caller"] == check["site"]]
    parts = [re.sub(r"^not ", "", part) for part in check["dominator"].split(" or ")]
    return any(not any(part in guard["text"] for guard in step["guards"] for part in parts) for step in steps)


def _ask_paths(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    if "missing_literal" in check:  # one of several names that a condition looks up
        return [("hooks", check["missing_literal"])]
    words = re.findall(r"[A-Za-z_]\w*", check["target"])
    return [("reach", words[-1], *(("--from", last(check["start"])) if "start" in check else ()))]


def _paths_open(check: Check, answers: Sequence[Asked]) -> bool:
    if "missing_literal" in check:
        places = [row["place"]["function"] for asked in answers for row in asked.rows("lookups")]
        return not any(place.startswith(check["site"]) for place in places)
    paths = [path for asked in answers for path in asked.rows("paths") if path["feasible"] != "blocked"]
    return any(not _is_held_back(check, path["steps"]) for path in paths)


def _is_held_back(check: Check, steps: Sequence[Answer]) -> bool:
    """Tell whether a path has the guard that is missing, or passes the function by which the repair goes."""
    wanted = re.findall(r"\w+", check.get("guard_missing", ""))[-1:]
    passed = re.findall(r"\bvia (\w+)", str(check.get("fixed", "")))
    guards = [guard["text"] for step in steps for guard in step["guards"]]
    return any(w in text for w in wanted for text in guards) or any(last(s["caller"]) in passed for s in steps)


def _ask_count(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    """Ask in which order the calls of a function in the module of the start run: two of one run are ordered."""
    places = tree.places(tree.module_of(check["start"]), f"{check['callee']}(")
    return [("order", one, other) for one, other in combinations(places, 2)] or [("callers", check["callee"])]


def _runs_twice(check: Check, answers: Sequence[Asked]) -> bool:
    contexts = [context for asked in answers for context in asked.rows("contexts")]
    return any(c["function"] == check["start"] and c["verdict"] in _ORDERED for c in contexts)


# --- architectures ---------------------------------------------------------------------------------------------------


def _targets(check: Check) -> list[str]:
    return [check["arch"]] if isinstance(check["arch"], str) else list(check["arch"])


def _ask_arch(check: Check, tree: BugTree) -> Sequence[tuple[str, ...]]:
    targets = [word for target in _targets(check) for word in ("--target", target)]
    return [("arch", *targets, "--all")]


def _arch_misses(check: Check, answers: Sequence[Asked]) -> bool:
    """Tell whether the row of the site, that which names the feature where there is one, says what the fault is."""
    name = check.get("table") or check["site"]
    every = [row for asked in answers for row in asked.rows("tables")]
    rows = [row for row in every if _is_at(row, name)]
    if not rows and "keys" in check:  # a function that tells architectures apart: the rows where it decides
        deciding = [row["verdicts"] for row in every if f"{last(name)}(" in row["name"]]
        known = [f"sm{key}0" for key in check["keys"]]
        return bool(deciding) and all(_is_apart(one, known, _targets(check)) for one in deciding)
    if "feature" in check:
        places = [place for asked in answers for place in asked.tree.places(name, check["feature"])]
        rows = [row for row in rows if any(_is_above(row, place) for place in places)] or rows
    verdicts = [row["verdicts"].get(target) for row in rows for target in _targets(check)]
    if check["buggy"] == "included":
        return any(verdict not in (None, "excluded", "fallback") for verdict in verdicts)
    if check["buggy"] == "KeyError":
        return "crash" in verdicts
    return any(verdict in _MISSES for verdict in verdicts)


def _is_apart(verdicts: Answer, known: Sequence[str], targets: Sequence[str]) -> bool:
    """Tell whether the targets fare otherwise than all architectures that are known."""
    return {verdicts.get(t) for t in targets}.isdisjoint(verdicts[k] for k in known if k in verdicts)


def _is_above(row: Answer, place: str) -> bool:
    line = int(place.rpartition(":")[2])
    return bool(line - _ABOVE <= row["place"]["line"] <= line)


def _is_at(row: Answer, name: str) -> bool:
    return row["name"] in (name, last(name), last(name, 2)) or row["place"]["function"].startswith(name)


QUERIES = {
    "hook": Query("hooks", _ask_hook, _hook_missing),
    "order": Query("order", _ask_order, _wrong_order),
    "must-precede": Query("order", _ask_order, _wrong_order),
    "callers": Query("callers", _ask_callers, _called_from),
    "guard": Query("callers", _ask_guard, _not_dominated),
    "paths-to": Query("reach", _ask_paths, _paths_open),
    "path-count": Query("order", _ask_count, _runs_twice),
    "arch-branch": Query("arch", _ask_arch, _arch_misses),
    "arch-table": Query("arch", _ask_arch, _arch_misses),
}
