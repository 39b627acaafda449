"""Tile sizes that need more shared memory than the device has, chosen without asking for the device."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codepath.analysis.arch.judge import Judge
from codepath.analysis.arch.sites import Draft
from codepath.model import ir
from codepath.model.answers import Place
from codepath.program.bodies import Body
from codepath.program.regions import every_region
from codepath.program.tree import ScopeInfo

SIZES = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K")
WORDS = frozenset({*SIZES, "num_stages"})


def tiles(judge: Judge, modules: Iterable[ScopeInfo]) -> Iterator[Draft]:
    """Yield a row for each display of tile sizes that does not fit into some architecture's shared memory.

    A pipelined matrix product keeps `num_stages - 1` pairs of tiles beside the one that is computed; elements have one
    byte at the least. Source: Triton's software pipeliner (`num_stages - 1` buffers of each operand).

    What a test on the device keeps an architecture from is nothing that it takes.

    Approximates: under (an element may be larger, a kernel may keep more).
    """
    for module in modules:
        for info in module.module.scopes:
            if info.form == "function" or info.sid == module.sid:
                yield from _of_scope(judge, judge.spread.world.bodies.of(info))


def _of_scope(judge: Judge, body: Body) -> Iterator[Draft]:
    for index, expr in enumerate(body.scope.exprs):
        if isinstance(expr, ir.Dict):
            draft = _row(judge, body, index, expr)
            if draft is not None:
                yield draft


def _row(judge: Judge, body: Body, index: int, expr: ir.Dict) -> Draft | None:
    exprs = body.scope.exprs
    keys = {e.value: v for k, v in zip(expr.keys, expr.values, strict=True) if isinstance(e := exprs[k], ir.Const)}
    if not all(size in keys for size in SIZES) or "num_stages" not in keys:
        return None
    needs: list[int | None] = []
    for machine in judge.spread.machines:
        frame = machine.bare(body)
        sizes = [machine.eval(frame, keys[name]).data for name in (*SIZES, "num_stages")]
        needs.append(_bytes(sizes) if all(isinstance(s, int) for s in sizes) else None)
    fits = [n is None or not a.shared_memory or n <= a.shared_memory for n, a in zip(needs, judge.archs, strict=True)]
    kept_from = _kept_from(judge, body, index)
    if all(fit or kept for fit, kept in zip(fits, kept_from, strict=True)) or not any(fits):
        return None
    need = max(n for n in needs if n is not None)
    place = Place(body.info.module.path, ir.line_of(expr.at), ir.column_of(expr.at), body.info.name)
    own = body.info.name.removeprefix(f"{body.info.module.name}.")
    draft = Draft(f"{own}: tile sizes", place, "tiles", tuple(str(keys and s) for s in SIZES))
    for arch, fit, kept in zip(judge.archs, fits, kept_from, strict=True):
        room = f"{arch.shared_memory} bytes"
        if kept:
            draft.say(arch.name, "covered", "takes other tiles: a test on the device comes before")
        elif fit:
            draft.say(arch.name, "covered", f"fits into {room} of shared memory")
        else:
            draft.say(arch.name, "crash", f"needs {need} bytes of shared memory, the device has {room}")
    draft.group = body.info.name
    return draft


def _kept_from(judge: Judge, body: Body, index: int) -> list[bool]:
    """Tell for each architecture whether it never comes to an expression of a function to which others come."""
    around = [region for region in every_region(body.scope.body) if _holds(region, index)]
    notes = [machine.record.notes.get(body.info.sid) for machine in judge.spread.machines]
    if not around or body.info.form != "function" or any(note is None for note in notes):
        return [False] * len(notes)
    entered = [note is not None and around[-1].at in note.regions for note in notes]
    return [any(entered) and not one for one in entered]


def _holds(region: ir.Region, index: int) -> bool:
    return isinstance(region, (ir.Do, ir.Return)) and region.start <= index < region.stop


def _bytes(sizes: list[int]) -> int:
    """Return the bytes of shared memory that the tiles of one block take, with elements of one byte."""
    m, n, k, stages = sizes
    return (m * k + k * n) * max(stages - 1, 1)
