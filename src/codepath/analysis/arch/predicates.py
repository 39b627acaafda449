"""Stored conditions whose name says one generation and whose value says more: `is_hopper` that holds on later ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codepath.analysis.arch.judge import Judge
from codepath.analysis.arch.sites import Draft
from codepath.analysis.arch.values import Val, truth
from codepath.model import ir
from codepath.model.arch import ArchLookup
from codepath.program.tree import ScopeInfo
from codepath.program.values import ScopeId


def misnamed(judge: Judge, scopes: Iterable[ScopeId]) -> Iterator[Draft]:
    """Yield a row for each stored or returned condition whose name tells a family that it does not keep to."""
    for sid in scopes:
        info = judge.spread.world.info(sid)
        if info.form == "module":
            yield from _globals(judge, info)
        elif info.form == "function":
            values = [run.value if (run := m.runs.get(sid)) is not None else None for m in judge.spread.machines]
            draft = _row(judge, info, info.id, info.at, values)
            if draft is not None:
                yield draft


def _globals(judge: Judge, info: ScopeInfo) -> Iterator[Draft]:
    exprs = judge.spread.world.bodies.of(info).scope.exprs
    for expr in exprs:
        if isinstance(expr, ir.Bind) and judge.words.is_family(expr.id) and expr.value >= 0:
            if isinstance(exprs[expr.value], (ir.ImportFrom, ir.Import)):
                continue
            values = []
            for machine in judge.spread.machines:
                held = machine.modules.get(info.sid, {}).get(expr.id)
                values.append(machine.forced(held) if held is not None else None)
            at = _atom(exprs, expr.value)
            draft = _row(judge, info, expr.id, at, values)
            if draft is not None:
                yield draft


def _atom(exprs: tuple[ir.Expr, ...], index: int) -> int:
    """Return the place of the last comparison in a value: the bound."""
    from codepath.program.subtrees import first_of

    first = first_of(exprs, index)
    found = [e.at for e in exprs[first : index + 1] if isinstance(e, ir.Compare)]
    return found[-1] if found else exprs[index].at


def _row(judge: Judge, info: ScopeInfo, name: str, at: int, values: list[Val | None]) -> Draft | None:
    meant = judge.words.is_family(name)
    if not meant:
        return None
    truths = [truth(value) if value is not None else None for value in values]
    if not any(v is not None and v.trail is not None for v in values) or len(set(truths)) < 2:
        return None
    held = {a.name for a, t in zip(judge.archs, truths, strict=True) if t is not False}
    newer = [a for a in judge.archs if a.name in held and a.name not in meant]
    if not newer or not held & meant:
        return None
    draft = Draft(name, judge.place(info, at), "predicate", tuple(sorted(held)))
    for arch, found in zip(judge.archs, truths, strict=True):
        if arch.name in meant or found is False:
            draft.say(arch.name, "covered", "as its name says")
        else:
            draft.say(arch.name, "silent", f"`{name}` holds, although the architecture is of another family")
    draft.evidence.extend(judge.trail(next(v for v in values if v is not None and v.trail is not None)))
    draft.group = info.name if info.form == "function" else f"{info.module.name}.{name}"
    draft.lookups.append(ArchLookup(judge.place(info, at), "stored"))
    return draft
