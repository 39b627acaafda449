"""What `arch` finds, as findings of the rules on architectures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from codepath.app.rules import shipped_rules
from codepath.app.workspace import Workspace
from codepath.checks.findings import sort_key, suppressed
from codepath.checks.run import run_rules
from codepath.model.arch import MISSES
from codepath.model.checks import Finding, Rule

_KIND = "arch-covered"


def arch_findings(workspace: Workspace, targets: Sequence[str]) -> tuple[tuple[Finding, ...], tuple[Rule, ...]]:
    """Return the tables and branches that miss any of some architectures, whatever the verdict, and the rules they are of."""
    rules = tuple(_about(rule, targets) for rule in shipped_rules() if rule.kind == _KIND)
    ids = frozenset(rule.id for rule in rules)
    tree = workspace.checked(targets)
    found, _ = run_rules(rules, tree, frozenset())
    told = [f for f in suppressed(found, tree.comments(), ids, ids) if f.rule in ids]
    return tuple(sorted(told, key=sort_key)), rules


def _about(rule: Rule, targets: Sequence[str]) -> Rule:
    told = {"targets": tuple(targets), "verdicts": MISSES}
    return replace(rule, tables=tuple({**table, **told} for table in rule.tables))
