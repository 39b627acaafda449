"""The row of one function of a changed file: what stands in unchanged statements as it was, the rest as it is emitted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from msgspec import structs

from codepath.model import ir
from codepath.model.solution import StoredFunction, StoredGap, StoredGuard, StoredStep
from codepath.program.changes.alike import Pair, Side
from codepath.program.changes.patched import gap_moved, guard_moved, how_moved
from codepath.program.changes.places import Places
from codepath.program.changes.shapes import Unclear
from codepath.program.guards import Guards, Literal, Literals
from codepath.program.rows import SITES
from codepath.program.steps import FROM_OUTSIDE, Emitted

Nested = tuple[object, ...]
"""A guard with those under which it counts: (text, polarity, kind, line, file, when, choice)."""


@dataclass(frozen=True)
class Part:
    """One scope of a function: itself, or a class body in it. `around` are the guards of the class, before and after."""

    pair: Pair
    around: tuple[Literals, Literals]
    emitted: tuple[Emitted | None, Emitted | None]


def shifted(row: StoredFunction, path: str, head: ir.Head, places: dict[str, Places]) -> StoredFunction:
    """Return the row of a function of which nothing changed but its place."""
    own = places[path]
    return structs.replace(
        row,
        at=head.at,
        end=head.end,
        guards=tuple(guard_moved(guard, guard.file or path, places) for guard in row.guards),
        steps=tuple(structs.replace(how_moved(s, path, places), at=own.of(s.at)) for s in row.steps),
        gaps=tuple(gap_moved(gap, own) for gap in row.gaps),
    )


class Rewriting:
    """Makes the row of a function with changed statements."""

    def __init__(self, path: str, places: dict[str, Places], parts: list[Part]) -> None:
        self._path = path
        self._places = places
        self._parts = parts
        self._guards: dict[int, Guards] = {}
        self._out = Emitted()

    def row(self, before: StoredFunction | None, kind: str, head: ir.Head) -> StoredFunction:
        """Return the new row.

        Raises:
            Unclear: What was stored is not what is emitted for the changed statements as they were.
        """
        steps: list[StoredStep] = []
        gaps: list[StoredGap] = []
        sites = list(before.sites) if before is not None else [0] * len(SITES)
        calls = before.call_sites if before is not None else 0
        if before is not None:
            self._compare(before)
            own = self._places[self._path]
            steps += [self._kept(before, step) for step in before.steps if step.at not in own.gone]
            gaps += [gap_moved(gap, own) for gap in before.gaps if gap.at not in own.gone]
        for part in self._parts:
            for side, out, sign in ((part.pair.old, part.emitted[0], -1), (part.pair.new, part.emitted[1], 1)):
                for index, site in out.placed or () if side is not None and out is not None else ():
                    if side is not None and side.unit_of(index) in side.changed:
                        sites[site] += sign
                        calls += sign
            fresh = self._fresh(part.pair.new, part.emitted[1])
            steps += [self._numbered(step, _guards_of(out, step)) for out, step in fresh[0]]
            gaps += fresh[1]
        return StoredFunction(
            kind=kind,
            file=self._path,
            at=head.at,
            end=head.end,
            guards=tuple(self._out.guards),
            steps=tuple(sorted(set(steps), key=self._order)),
            gaps=tuple(sorted(gaps, key=lambda g: (g.at, g.text))),
            call_sites=calls,
            sites=tuple(sites),
        )

    def _order(self, step: StoredStep) -> tuple[object, ...]:
        guards = [
            (g.file, g.line, g.text, g.polarity, g.kind, g.choice)
            for g in map(self._out.guards.__getitem__, step.guards)
        ]
        how = (step.how, step.how_file, step.how_at, step.how_function)
        return (step.at, step.callee, step.kind, step.resolution, *how, guards)

    # --- changed statements ------------------------------------------------------------------------------------------

    def _fresh(
        self, side: Side | None, out: Emitted | None
    ) -> tuple[list[tuple[Emitted, StoredStep]], list[StoredGap]]:
        """Return what the changed statements of one version of a scope emit."""
        if side is None or out is None or not side.changed:
            return [], []
        places = {e.at for u in side.changed_units() for e in side.scope.exprs[u.start : u.stop]}
        gaps = [gap for gap in out.gaps if gap.at in places]
        for gap in gaps:
            if not gap.outside and not gap.reason.startswith(FROM_OUTSIDE):
                raise Unclear(f"the call `{gap.text}` is not known")
        return [(out, step) for step in out.steps if step.at in places], gaps

    def _compare(self, before: StoredFunction) -> None:
        """Make sure that the changed statements as they were are emitted as they are stored."""
        emitted: set[object] = set()
        stored: set[object] = set()
        gone = self._places[self._path].gone
        for part in self._parts:
            for out, step in self._fresh(part.pair.old, part.emitted[0])[0]:
                emitted.add((structs.replace(step, guards=()), _guards_of(out, step)))
        for step in before.steps:
            if step.at in gone:
                held = tuple(_nested(before.guards, number) for number in step.guards)
                stored.add((structs.replace(step, guards=()), held))
        if emitted != stored:
            raise Unclear("what was stored of the changed statements is not told by names alone")

    # --- unchanged statements ----------------------------------------------------------------------------------------

    def _kept(self, before: StoredFunction, step: StoredStep) -> StoredStep:
        """Return a step of an unchanged statement as it is now, with the guards that it has now."""
        own = self._places[self._path]
        held = tuple(_nested(before.guards, number) for number in step.guards)
        for old, new in self._literals(step.at):
            was = tuple(dict.fromkeys(_stored(literal) for literal in old))
            if held[: len(was)] == was:
                now = tuple(dict.fromkeys(_stored(literal) for literal in new))
                chosen = tuple(self._moved(guard) for guard in held[len(was) :])
                moved = structs.replace(how_moved(step, self._path, self._places), at=own.of(step.at))
                return self._numbered(moved, tuple(dict.fromkeys((*now, *chosen))))
        if not held and own.of(step.at):
            return structs.replace(how_moved(step, self._path, self._places), at=own.of(step.at))
        raise Unclear(f"the guards of a step at line {ir.line_of(step.at)}")

    def _literals(self, at: int) -> Iterator[tuple[Literals, Literals]]:
        """Yield the guards, before and after, of the unchanged expressions at a place."""
        for part in self._parts:
            old, new = part.pair.old, part.pair.new
            if old is None or new is None:
                continue
            for number, before in part.pair.same.items():
                one, other = old.units[before], new.units[number]
                for offset in range(one.stop - one.start if number not in new.changed else 0):
                    if old.scope.exprs[one.start + offset].at == at:
                        guards = (
                            self._guards_in(old).of(one.start + offset),
                            self._guards_in(new).of(other.start + offset),
                        )
                        yield (*part.around[0], *guards[0]), (*part.around[1], *guards[1])

    def _guards_in(self, side: Side) -> Guards:
        found = self._guards.get(id(side))
        if found is None:
            found = self._guards[id(side)] = Guards(side.scope)
        return found

    def _moved(self, guard: Nested) -> Nested:
        """Return a guard of where a callee was chosen with its line where it is now."""
        text, polarity, kind, line, file, when, choice = guard
        known = self._places.get(str(file) or self._path)
        now = known.line(line) if known is not None else line  # type: ignore[arg-type]
        return (text, polarity, kind, now, file, tuple(self._moved(one) for one in when), choice)  # type: ignore[attr-defined]

    def _numbered(self, step: StoredStep, guards: Iterable[Nested]) -> StoredStep:
        return structs.replace(step, guards=tuple(dict.fromkeys(self._number(guard) for guard in guards)))

    def _number(self, guard: Nested) -> int:
        text, polarity, kind, line, file, when, choice = guard
        inner = tuple(self._number(one) for one in when)  # type: ignore[attr-defined]
        return self._out.number(StoredGuard(text, polarity, kind, line, file, inner, choice))  # type: ignore[arg-type]


def _nested(table: Iterable[StoredGuard], number: int) -> Nested:
    guards = tuple(table)
    one = guards[number]
    return (
        one.text,
        one.polarity,
        one.kind,
        one.line,
        one.file,
        tuple(_nested(guards, n) for n in one.when),
        one.choice,
    )


def _guards_of(out: Emitted, step: StoredStep) -> tuple[Nested, ...]:
    return tuple(_nested(out.guards, number) for number in step.guards)


def _stored(literal: Literal) -> Nested:
    when = tuple(_stored(inner) for inner in literal.when)
    return (literal.text, literal.polarity, literal.kind, ir.line_of(literal.at), "", when, False)
