"""Rules, what they find, and what changed between two trees: plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from codepath.model.answers import Place, SourceInfo, Step, Truncation

SEVERITIES: Final = ("error", "warning", "info")
PRECISIONS: Final = ("high", "medium", "low")
UNUSED_IGNORE: Final = "unused-ignore"
NEW_IGNORE: Final = "new-ignore"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: what its folder says. `tables` are those of the kind, one or more; absent keys are there with their defaults.

    `origin` is the folder as text shows it; `document` the text of its rule.md, "" where there is none. `applies_to` is the
    name of a project, or `any`.
    """

    id: str
    kind: str
    severity: str
    precision: str
    summary: str
    why: str
    applies_to: str
    tables: tuple[Mapping[str, object], ...]
    origin: str
    document: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Note:
    """A place beside a finding's own, and what it shows."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What a kind of rule finds.

    `subject` are names that stay the same when lines move: of functions, classes, variables, without their modules.
    `severity` is "" for the rule's own.
    """

    message: str
    place: Place
    subject: tuple[str, ...]
    severity: str = ""
    notes: tuple[Note, ...] = ()
    steps: tuple[Step, ...] = ()
    help: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A result of a rule. `status` is `new`, `existing`, `fixed` or `suppressed`; `reason` is that of the comment that does so.

    `lines` are the source lines of its place and of its notes, in their order.
    """

    rule: str
    severity: str
    message: str
    place: Place
    subject: tuple[str, ...]
    fingerprint: str
    status: str = "new"
    notes: tuple[Note, ...] = ()
    steps: tuple[Step, ...] = ()
    help: str = ""
    reason: str = ""
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleRun:
    """What became of a rule.

    `state` is `ran`, `idle` (nothing that it names is in the tree), `other-project`, or `left-out`: too much differs.
    `reason` says why, also which part of a rule that ran had nothing to look at.
    """

    id: str
    kind: str
    severity: str
    state: str
    reason: str
    findings: int


@dataclass(frozen=True, slots=True)
class Known:
    """An entry of a baseline."""

    rule: str
    subject: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """The answer to `check`. `base` is the revision that findings are compared with, `commit` what it is; "" for none.

    `known` counts the entries of the baseline at `baseline`, `stale` those that no longer occur. `changed` are the files that
    differ from the base, `parsed` how many were read anew.
    """

    findings: tuple[Finding, ...]
    runs: tuple[RuleRun, ...]
    rules: tuple[Rule, ...]
    base: str = ""
    baseline: str = ""
    known: int = 0
    stale: tuple[Known, ...] = ()
    changed: int = 0
    parsed: int = 0
    truncated: Truncation | None = None
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that a rule watches, as one tree has it. Facts of two trees are compared by aspect and subject.

    `aspect` is `paths`, `guards`, `order`, `none`, `hook` or `arch`; `values` are sorted texts.
    """

    aspect: str
    subject: str
    values: tuple[str, ...]
    place: Place | None


@dataclass(frozen=True, slots=True)
class Change:
    """A fact that differs between two trees. `kind` is one of those of DESIGN.md section 6."""

    kind: str
    subject: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class DiffAnswer:
    """The answer to `diff`. `same` are watched facts that did not change; `changed` counts the files that differ."""

    base: SourceInfo
    head: SourceInfo
    changes: tuple[Change, ...]
    same: tuple[Fact, ...]
    findings: tuple[Finding, ...]
    runs: tuple[RuleRun, ...]
    rules: tuple[Rule, ...]
    changed: int
    truncated: Truncation | None = None
