"""The answer to `arch`: tables and branches with a verdict for each architecture. DESIGN.md section 6 gives its JSON form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from codepath.model.answers import Guard, Place, Stats, Truncation

VERDICTS: Final = ("covered", "crash", "fallback", "silent", "excluded")
MISSES: Final = ("crash", "fallback", "silent")


@dataclass(frozen=True, slots=True)
class ArchLookup:
    """A place where a table is looked up, or a further condition of a branch; `style` says how."""

    place: Place
    style: str


@dataclass(frozen=True, slots=True)
class ArchEvidence:
    """One thing that a verdict rests on: `what` happens, where; `place` is None for what the models say."""

    what: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class ArchUse:
    """A way in from which a row is reached, with the guards on the way that stand nearest to the row.

    `options` are launch options on which guards of the way depend, nearest first.
    """

    entry: str
    guards: tuple[Guard, ...]
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ArchRow:
    """A table or branch.

    `kind` is `table`, `branch`, `assert`, `choice`, `predicate`, `tiles` or `files`; `keys` what it knows, as text;
    `verdicts` are (architecture, verdict) in the order of the columns, `reasons` one sentence for each; `group` is what rows
    of one root cause share.
    """

    name: str
    place: Place
    kind: str
    keys: tuple[str, ...]
    lookups: tuple[ArchLookup, ...]
    verdicts: tuple[tuple[str, str], ...]
    reasons: tuple[tuple[str, str], ...]
    evidence: tuple[ArchEvidence, ...]
    severity: str
    group: str
    uses: tuple[ArchUse, ...] = ()

    def verdict(self, arch: str) -> str:
        """Return the verdict for an architecture, "" where it is not a column."""
        return dict(self.verdicts).get(arch, "")


@dataclass(frozen=True, slots=True)
class ArchAnswer:
    """All rows, by file and line, and what was asked.

    `targets` are the architectures that were asked about, `columns` these beside their neighbours. `scopes` were evaluated,
    of `over_budget` not to the end; `left_out` counts the rows of tests and vendored code.
    """

    targets: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[ArchRow, ...]
    scopes: int
    over_budget: tuple[str, ...]
    stats: Stats
    truncated: Truncation | None = None
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class ArchReads:
    """What the evaluation of each thing of a tree looked at elsewhere: `read` and `passed` hold numbers of `names`.

    Attributes:
        names: The things, sorted.
        read: (thing, what its evaluation looked at).
        passed: (function, the scopes that pass it values which differ between architectures).
        ran: The scopes that were run for themselves.
        attributes: (attribute, the classes that store a value which differs under it).
    """

    names: tuple[str, ...]
    read: tuple[tuple[int, tuple[int, ...]], ...]
    passed: tuple[tuple[int, tuple[int, ...]], ...]
    ran: tuple[str, ...]
    attributes: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class ExplainedValue:
    """What an expression or name is on each architecture: (architecture, value as text)."""

    text: str
    place: Place
    values: tuple[tuple[str, str], ...]
    trail: tuple[ArchEvidence, ...] = ()


@dataclass(frozen=True, slots=True)
class ExplainAnswer:
    """The answer to `arch --explain`: one construct, evaluated for each architecture."""

    asked: str
    columns: tuple[str, ...]
    values: tuple[ExplainedValue, ...]
    rows: tuple[ArchRow, ...]
    stats: Stats
