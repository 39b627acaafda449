"""`arch-covered`: tables and branches that must know an architecture."""

from __future__ import annotations

from collections.abc import Iterator

from codepath.checks.names import fits, stable
from codepath.checks.schema import Key, Kind, Settings
from codepath.checks.tree import CheckedTree
from codepath.model.arch import MISSES, ArchRow
from codepath.model.checks import Draft, Fact, Note

_TABLES = ("table", "files")
_BRANCHES = ("branch", "assert", "choice", "predicate", "tiles")
_RANK = ("covered", "excluded", "fallback", "silent", "crash")
_SEVERITY = {"crash": "", "silent": "warning", "fallback": "info", "excluded": "info"}


def _targets(settings: Settings, tree: CheckedTree) -> tuple[str, ...]:
    return tree.targets or tuple(settings["targets"])


def _rows(settings: Settings, tree: CheckedTree) -> Iterator[ArchRow]:
    forms = _TABLES if settings["what"] == "tables" else _BRANCHES
    for row in tree.arch(_targets(settings, tree)).rows:
        wanted = settings["names"]
        if row.kind not in forms or any(fits(row.name, pattern) for pattern in settings["except"]):
            continue
        if not wanted or any(fits(row.name, pattern) for pattern in wanted):
            yield row


def _find(settings: Settings, tree: CheckedTree) -> Iterator[Draft]:
    for row in _rows(settings, tree):
        verdicts = {t: row.verdict(t) for t in _targets(settings, tree)}
        missed = {t: v for t, v in verdicts.items() if v in settings["verdicts"]}
        if not missed:
            continue
        worst = max(missed.values(), key=_RANK.index)
        names = " and ".join(missed)
        reason = dict(row.reasons).get(next(t for t, v in missed.items() if v == worst), "")
        message = f"{row.name} does not cover {names}: {reason or worst}"
        notes = [Note(e.place, e.what) for e in row.evidence if e.place is not None]
        notes += [Note(p.place, f"looked up with {p.style}") for p in row.lookups if p.place != row.place]
        severity = _SEVERITY[worst] if worst != "crash" or row.severity == "error" else row.severity
        subject = (stable(tree, row.place.function), row.name, row.kind, *missed)
        yield Draft(message, row.place, subject, severity, tuple(notes[:5]))


def _facts(settings: Settings, tree: CheckedTree) -> Iterator[Fact]:
    for row in _rows(settings, tree):
        values = tuple(f"{t} {row.verdict(t)}" for t in _targets(settings, tree))
        if any(row.verdict(t) in MISSES for t in _targets(settings, tree)) or row.kind in _TABLES:
            yield Fact("arch", f"{row.name} in {row.place.file.rpartition('/')[2]}", values, row.place)


KIND = Kind(
    "arch-covered",
    "A table or branch that depends on the GPU architecture must know some architectures.",
    (
        Key("targets", "texts", "the architectures; `codepath check --target` replaces them", required=True),
        Key("what", "text", "which constructs", default="tables", choices=("tables", "branches")),
        Key("names", "texts", "patterns of the tables or functions; all where it is absent"),
        Key("except", "texts", "patterns of those that may miss them"),
        Key("verdicts", "texts", "which verdicts are findings", default=("crash", "silent"), choices=MISSES),
    ),
    _find,
    _facts,
)
