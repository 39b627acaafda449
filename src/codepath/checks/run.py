"""Rules over a tree."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
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
    if kinds()[rule.kind].find is None and base is None:
        return "idle", NEEDS_BASE, []
    drafts: list[Draft] = []
    idle: dict[str, None] = {}
    ran = 0
    for part in _parts(rule):
        try:
            drafts += _drafts(part, tree, base)
            ran += 1
        except IdleError as error:
            idle[str(error)] = None
    return "ran" if ran else "idle", "; ".join(idle), findings_of(rule, drafts) if ran else []


def _parts(rule: Rule) -> Iterator[Rule]:
    """Yield a rule once for each of its tables, with that one alone."""
    return (replace(rule, tables=(table,)) for table in rule.tables)


def _drafts(part: Rule, tree: CheckedTree, base: CheckedTree | None) -> list[Draft]:
    """Return what one table of a rule finds.

    Raises:
        IdleError: It has nothing to look at.
    """
    kind = kinds()[part.kind]
    (table,) = part.tables
    found: list[Draft] = []
    if kind.find is not None:
        found += _found(part, kind.find, tree, base) if kind.is_local else _whole(part, kind.find, tree)
    if base is not None and kind.compare is not None:
        compare = kind.compare
        found += tree.compared(part, lambda: compare(table, tree, base))
    return found


def _whole(part: Rule, find: Find, tree: CheckedTree) -> tuple[Draft, ...]:
    return tree.kept(part, lambda: find(part.tables[0], tree))


def _found(part: Rule, find: Find, tree: CheckedTree, base: CheckedTree | None) -> Iterable[Draft]:
    """Return what is found for a table of a local kind: of a change, what it touches, and what the base had elsewhere."""
    if tree.touched is None:
        return _whole(part, find, tree)
    stored = tree.stored(part)
    if stored is not None:
        return stored
    near = tree.near(part, lambda: find(part.tables[0], tree))
    told = {(draft.subject, draft.place) for draft in near}
    before = (base.stored(part) if base is not None else None) or ()
    return (*near, *(d for d in before if (d.subject, d.place) not in told and _is_far(d, tree.touched)))


def _is_far(draft: Draft, touched: Container[str]) -> bool:
    return not any(place.file in touched for place in (draft.place, *(note.place for note in draft.notes)))


def partly(rules: Iterable[Rule], tree: CheckedTree, base: CheckedTree) -> frozenset[str]:
    """Return the rules of which only what a change touches was looked for."""
    local = (rule for rule in rules if kinds()[rule.kind].is_local and tree.touched is not None)
    parts = ((rule.id, part) for rule in local for part in _parts(rule))
    return frozenset(name for name, part in parts if tree.stored(part) is None and base.stored(part) is None)


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
            for table in rule.tables:
                with suppress(IdleError):
                    found.update(dict.fromkeys(kinds()[rule.kind].facts(table, tree)))
    return list(found)
