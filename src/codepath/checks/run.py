"""Rules over a tree."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import TypeAlias

from codepath.checks.findings import findings_of
from codepath.checks.kinds import kinds
from codepath.checks.rules import nearest
from codepath.checks.schema import IdleError, Settings
from codepath.checks.tree import CheckedTree
from codepath.errors import QueryError
from codepath.model.checks import NEW_IGNORE, UNUSED_IGNORE, Draft, Fact, Finding, Rule, RuleRun

Find: TypeAlias = "Callable[[Settings, CheckedTree], Iterable[Draft]]"
BUILT_IN = (UNUSED_IGNORE, NEW_IGNORE)
NEEDS_BASE = "it compares with a base: --diff REV"


def chosen(rules: Sequence[Rule], select: Sequence[str], ignore: Sequence[str]) -> tuple[list[Rule], frozenset[str]]:
    """Return the rules that patterns of ids choose, and the ids of the built-in ones.

    Raises:
        QueryError: A pattern means no rule.
    """
    ids = [*(rule.id for rule in rules), *BUILT_IN]
    for pattern in (*select, *ignore):
        if not any(fnmatchcase(name, pattern) for name in ids):
            help = (*nearest(pattern, ids), "`codepath rule list` lists the rules")
            raise QueryError(f"there is no rule `{pattern}`", help=help)
    kept = {name for name in ids if is_chosen(name, select, ignore)}
    return [rule for rule in rules if rule.id in kept], frozenset(kept.intersection(BUILT_IN))


def is_chosen(name: str, select: Sequence[str], ignore: Sequence[str]) -> bool:
    """Tell whether patterns of ids choose a rule."""
    if any(fnmatchcase(name, pattern) for pattern in ignore):
        return False
    return not select or any(fnmatchcase(name, pattern) for pattern in select)


def run_rules(
    rules: Iterable[Rule], tree: CheckedTree, projects: frozenset[str], base: CheckedTree | None = None
) -> tuple[list[Finding], list[RuleRun]]:
    """Run rules over a tree, those that compare over two.

    Args:
        rules: Rules.
        tree: The tree.
        projects: The names of the projects that it is.
        base: The tree before.
    """
    found: list[Finding] = []
    runs: list[RuleRun] = []
    for rule in rules:
        state, reason, own = _run(rule, tree, projects, base)
        found += own
        runs.append(RuleRun(rule.id, rule.kind, rule.severity, state, reason, len(own)))
    return found, runs


def _run(
    rule: Rule, tree: CheckedTree, projects: frozenset[str], base: CheckedTree | None
) -> tuple[str, str, list[Finding]]:
    if not applies(rule, projects):
        return "other-project", f"it is for {rule.applies_to}", []
    kind = kinds()[rule.kind]
    try:
        drafts: list[Draft] = []
        if kind.find is not None:
            drafts += _found(rule, kind.find, tree, base) if kind.is_local else _whole(rule, kind.find, tree)
        if base is not None and kind.compare is not None:
            compare = kind.compare
            drafts += tree.compared(rule, lambda: compare(rule.settings, tree, base))
        elif kind.find is None:
            return "idle", NEEDS_BASE, []
        return "ran", "", findings_of(rule, drafts)
    except IdleError as idle:
        return "idle", str(idle), []


def _whole(rule: Rule, find: Find, tree: CheckedTree) -> tuple[Draft, ...]:
    return tree.kept(rule, lambda: find(rule.settings, tree))


def _found(rule: Rule, find: Find, tree: CheckedTree, base: CheckedTree | None) -> Iterable[Draft]:
    """Return what a rule of a local kind finds: of a change, what it touches, and what was found elsewhere in the base."""
    if tree.touched is None:
        return _whole(rule, find, tree)
    stored = tree.stored(rule)
    if stored is not None:
        return stored
    near = tree.near(rule, lambda: find(rule.settings, tree))
    told = {(draft.subject, draft.place) for draft in near}
    before = (base.stored(rule) if base is not None else None) or ()
    return (*near, *(d for d in before if (d.subject, d.place) not in told and _is_far(d, tree.touched)))


def _is_far(draft: Draft, touched: Container[str]) -> bool:
    return not any(place.file in touched for place in (draft.place, *(note.place for note in draft.notes)))


def partly(rules: Iterable[Rule], tree: CheckedTree, base: CheckedTree) -> frozenset[str]:
    """Return the rules of which only what a change touches was looked for."""
    local = (rule for rule in rules if kinds()[rule.kind].is_local and tree.touched is not None)
    return frozenset(rule.id for rule in local if tree.stored(rule) is None and base.stored(rule) is None)


def without_local(rules: Iterable[Rule], reason: str) -> tuple[list[Rule], list[RuleRun]]:
    """Return the rules of other than local kinds, and what became of the rest: they are left out for a reason."""
    kept: list[Rule] = []
    left: list[RuleRun] = []
    for rule in rules:
        if kinds()[rule.kind].is_local:
            left.append(RuleRun(rule.id, rule.kind, rule.severity, "left-out", reason, 0))
        else:
            kept.append(rule)
    return kept, left


def applies(rule: Rule, projects: frozenset[str]) -> bool:
    """Tell whether a rule is for a tree."""
    return rule.applies_to == "any" or rule.applies_to in projects


def facts_of(rules: Iterable[Rule], tree: CheckedTree, projects: frozenset[str]) -> list[Fact]:
    """Return what rules watch in a tree, each once."""
    found: dict[Fact, None] = {}
    for rule in rules:
        if applies(rule, projects):
            try:
                found.update(dict.fromkeys(kinds()[rule.kind].facts(rule.settings, tree)))
            except IdleError:
                continue
    return list(found)
