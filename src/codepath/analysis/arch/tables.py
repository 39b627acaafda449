"""Rows for tables: every look-up by an architecture value, and what a key that is not there does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from codepath.analysis.arch.judge import Judge
from codepath.analysis.arch.record import Lookup
from codepath.analysis.arch.sites import Draft
from codepath.analysis.arch.values import Seq, Table, Val, alternatives
from codepath.model import ir
from codepath.model.answers import Place
from codepath.model.arch import ArchLookup
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId

TableKey = tuple[ScopeId, int]
_WORST = ("crash", "silent", "fallback", "covered")


class Tables:
    """Collects look-ups by table and judges them."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._machines = judge.spread.machines
        self._found: dict[TableKey, dict[tuple[ScopeId, int], list[Lookup | None]]] = {}
        self._values: dict[TableKey, Table] = {}

    def collect(self, scopes: Iterable[ScopeId]) -> None:
        """Take in the look-ups of scopes."""
        for sid in scopes:
            for column, machine in enumerate(self._machines):
                notes = machine.record.notes.get(sid)
                for at, lookup in notes.lookups.items() if notes is not None else ():
                    rows = self._found.setdefault(lookup.table, {})
                    rows.setdefault((sid, at), [None] * len(self._machines))[column] = lookup

    def rows(self, branches: Sequence[Draft]) -> list[Draft]:
        """Return a row for each table that some architecture misses or has for itself."""
        drafts = []
        for key in sorted(self._found, key=self._order):
            draft = self._row(key, branches)
            if draft is not None:
                drafts.append(draft)
        return drafts

    def _order(self, key: TableKey) -> tuple[str, int]:
        return self._judge.spread.world.info(key[0]).module.path, key[1]

    def _row(self, key: TableKey, branches: Sequence[Draft]) -> Draft | None:
        info = self._judge.spread.world.info(key[0])
        uses = self._found[key]
        sample = next(one for held in uses.values() for one in held if one is not None)
        draft = Draft(self._name(info, key[1]), self._judge.place(info, key[1]), "table", self._keys(info, key[1]))
        for (sid, at), held in sorted(uses.items(), key=lambda u: self._order(u[0])):
            style = next(one.style for one in held if one is not None)
            draft.lookups.append(ArchLookup(self._judge.place(self._judge.spread.world.info(sid), at), style))
        draft.evidence.extend(self._judge.trail(sample.key))
        draft.group = self._judge.root(self._judge.spread.world.info(min(uses)[0]), sample.key)
        for column, arch in enumerate(self._judge.archs):
            draft.say(arch.name, *self._verdict(uses, column, branches, draft))
        return draft

    def _verdict(
        self,
        uses: dict[tuple[ScopeId, int], list[Lookup | None]],
        column: int,
        branches: Sequence[Draft],
        draft: Draft,
    ) -> tuple[str, str]:
        found: list[tuple[str, str]] = []
        for (sid, at), held in uses.items():
            lookup = held[column]
            if lookup is not None:
                found.append(self._one(sid, at, lookup, column, branches))
        if not found:
            return "excluded", "no look-up is reached: refused or handled before"
        return min(found, key=lambda f: _WORST.index(f[0]) if f[0] in _WORST else 9)

    def _one(self, sid: ScopeId, at: int, lookup: Lookup, column: int, branches: Sequence[Draft]) -> tuple[str, str]:
        if lookup.hit is not False:
            return "covered", "has an entry"
        world = self._judge.spread.world
        info = world.info(sid)
        with world.reads.within(info.name):
            return self._missed(info, at, lookup, column, branches)

    def _missed(
        self, info: ScopeInfo, at: int, lookup: Lookup, column: int, branches: Sequence[Draft]
    ) -> tuple[str, str]:
        where = f"{info.module.path}:{ir.line_of(at)}"
        key = shown(lookup.key)
        if lookup.style == "[]":
            if lookup.is_caught:
                return "fallback", f"no entry for {key}; the KeyError at {where} is caught"
            if self._stopped(info, column):
                return "fallback", f"no entry for {key}; the constructor returned before for such architectures"
            return "crash", f"KeyError: {key} at {where}"
        if lookup.style == "get":
            return self._defaulted(lookup, key, where)
        arch = self._judge.archs[column].name
        for branch in branches:
            is_here = any((p.file, p.line) == (info.module.path, ir.line_of(at)) for p in _places(branch))
            if is_here and branch.verdicts.get(arch) in ("crash", "excluded"):
                return branch.verdicts[arch], branch.reasons[arch]
        return "fallback", f"no entry for {key}; tested at {where}"

    def _defaulted(self, lookup: Lookup, key: str, where: str) -> tuple[str, str]:
        """Return the verdict of a `.get` without a hit: an empty default falls back, another value is taken silently."""
        value = lookup.default.data if lookup.default is not None else None
        empty = value is None or value is False or value == 0 or value == "" or _is_empty(value)
        if empty:
            return "fallback", f"no entry for {key}; the default at {where} is empty"
        return "silent", f"no entry for {key}; the default at {where} is a value for other architectures"

    def _stopped(self, info: ScopeInfo, column: int) -> bool:
        """Tell whether the constructor of the class around returns early here, where it can run to its end elsewhere."""
        world = self._judge.spread.world
        cls = world.bodies.tree.class_around(info)
        if cls is None or info.id == "__init__":
            return False
        init = next((m for m in world.methods(cls.sid) if m.id == "__init__"), None)
        if init is None:
            return False
        runs = [m.run_scope(init.sid) for m in self._machines]
        mine = runs[column]
        others = [r for r in runs if r is not None]
        notes = self._machines[column].record.notes.get(init.sid)
        if notes is not None and any(notes.raises.values()):
            return False
        return mine is not None and mine.ends and not mine.late and any(r.late for r in others)

    def _name(self, info: ScopeInfo, at: int) -> str:
        """Return the name that a table is bound to, else its scope's."""
        scope = self._judge.spread.world.bodies.of(info).scope
        for expr in scope.exprs:
            if isinstance(expr, ir.Bind) and expr.value >= 0 and not expr.how and scope.exprs[expr.value].at == at:
                return expr.id
        return info.name.removeprefix(f"{info.module.name}.")

    def _keys(self, info: ScopeInfo, at: int) -> tuple[str, ...]:
        scope = self._judge.spread.world.bodies.of(info).scope
        for expr in scope.exprs:
            if isinstance(expr, ir.Dict) and expr.at == at:
                return tuple(_constant(scope, key) for key in expr.keys)
        return ()


def _places(draft: Draft) -> list[Place]:
    return [draft.place, *(lookup.place for lookup in draft.lookups)]


def _is_empty(value: object) -> bool:
    return (isinstance(value, Seq) and not value.items) or (isinstance(value, Table) and not value.keys)


def _constant(scope: ir.Scope, index: int) -> str:
    if index < 0:
        return "**"
    expr = scope.exprs[index]
    if isinstance(expr, ir.Const):
        return repr(expr.value)
    if isinstance(expr, ir.Sequence):
        return f"({', '.join(_constant(scope, item) for item in expr.items)})"
    return "..."


def shown(value: Val) -> str:
    """Return a value as a reader writes it; `?` where it is not known."""
    parts = []
    for one in alternatives(value):
        data = one.data
        if isinstance(data, Seq):
            inner = ", ".join(shown(item) for item in data.items)
            around = {"tuple": "()", "list": "[]", "set": "{}"}[data.form]
            parts.append(f"{around[0]}{inner}{around[1]}")
        elif data is None or isinstance(data, (bool, int, float, str)):
            parts.append(repr(data))
        else:
            parts.append("?")
    return " or ".join(parts)
