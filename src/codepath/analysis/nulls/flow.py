"""One scope walked forwards: which stores reach each read, and which of them can be None there.

A typestate per name and dotted path, {unset, None, set, unknown}, kept as the origins that reach a point with masks
(`states`). Conditions narrow it, so do dereferences (what follows `x.a` runs only where `x` is not None).

Approximates: over (a condition that is not understood tells nothing; a path that two names mean is two keys). A call keeps
what was checked unless `may_store` says that it can store it.
Source: typestate with branch conditions as in ESP (Das, Lerner, Seigle, PLDI 2002), over regions in place of a flow graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from codepath.analysis.nulls.conditions import is_none, refined
from codepath.analysis.nulls.states import (
    EITHER,
    ENTRY,
    NONE,
    SOME,
    UNTOUCHED,
    Origins,
    State,
    at,
    join,
    key_of,
    narrowed,
    overwritten,
    stored,
)
from codepath.analysis.nulls.turns import Turn, Turns, turns_of
from codepath.model import ir

_MAX_ROUNDS = 8


class Condition(NamedTuple):
    """A condition that holds at a point: its text, the truth value it has, and its place, packed."""

    text: str
    polarity: bool
    at: int


class Gate(NamedTuple):
    """A key that is None at a point, by the origins that reach it."""

    key: str
    origins: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """What holds where a None is written: the conditions around it, outermost first, and the keys that are None there."""

    conditions: tuple[Condition, ...]
    gates: tuple[Gate, ...]


MayStore = Callable[[int, str], bool]


@dataclass(slots=True)
class Flow:
    """What the walk found.

    `reads` holds the origins of each read of a key that is not `UNTOUCHED`; `points` by expression for constants None and by
    negated place for a `return` without a value; `end` is the point at which the body ends, None where it does not.
    """

    reads: dict[int, Origins] = field(default_factory=dict)
    points: dict[int, Point] = field(default_factory=dict)
    end: Point | None = None


def flow_of(scope: ir.Scope, may_store: MayStore) -> Flow:
    """Walk a scope."""
    walker = _Walker(scope, may_store)
    state = walker.regions(scope.body, _stored_once(scope))
    if state is not None:
        walker.flow.end = walker.point(state)
    return walker.flow


def _roots(scope: ir.Scope) -> frozenset[str]:
    """Return the names of a scope through which it reads or stores attributes."""
    exprs = scope.exprs
    bases = (e.value if isinstance(e, ir.Attr) else e.object for e in exprs if isinstance(e, (ir.Attr, ir.StoreAttr)))
    return frozenset(base.id for base in map(exprs.__getitem__, bases) if isinstance(base, ir.Name))


def _stored_once(scope: ir.Scope) -> State:
    """Return the origins of local names with one store, which is what any read of them gets.

    With them in place from the start, walking that store changes nothing: module bodies have thousands.
    """
    if scope.form == "class":
        return {}
    binds: dict[str, list[int]] = {}
    for definition in scope.definitions:
        binds.setdefault(definition.id, []).append(definition.bind if definition.form in _PLAIN else ENTRY)
    removed = {e.id for e in scope.exprs if isinstance(e, ir.Remove)}
    others = {*scope.globals, *scope.nonlocals, *removed}
    once = {name: found[0] for name, found in binds.items() if len(found) == 1 and found[0] >= 0 and name not in others}
    return {name: ((bind, EITHER),) for name, bind in once.items()}


_PLAIN = frozenset(["assign", "import", "function", "class"])


class _Walker:
    """Walks regions in the order of execution; None as a state is a point that is never reached."""

    def __init__(self, scope: ir.Scope, may_store: MayStore) -> None:
        self._exprs = scope.exprs
        self._turns: Turns = turns_of(scope)
        self._may_store = may_store
        self._roots = _roots(scope)
        self.flow = Flow()
        self._conditions: list[Condition] = []
        self._breaks: list[State | None] = []
        self._continues: list[State | None] = []
        self._raised: list[State | None] = []
        self._seen: set[int] = set()

    def point(self, state: State) -> Point:
        """Return what holds at a state."""
        gates = [
            Gate(key, tuple(o for o, _ in origins))
            for key, origins in state.items()
            if origins and all(mask == NONE for _, mask in origins)
        ]
        return Point(tuple(dict.fromkeys(self._conditions)), tuple(gates))

    # --- regions -----------------------------------------------------------------------------------------------------

    def regions(self, body: Sequence[ir.Region], state: State | None) -> State | None:
        """Walk regions; return the state behind them."""
        depth = len(self._conditions)
        for region in body:
            if state is None:
                break
            self._note_raise(state)
            state = self._region(region, state)
            self._note_raise(state)
        del self._conditions[depth:]
        return state

    def _note_raise(self, state: State | None) -> None:
        if self._raised:
            self._raised[-1] = join(self._raised[-1], state)

    def _region(self, region: ir.Region, state: State) -> State | None:
        if isinstance(region, ir.If):
            return self._if(region, state)
        if isinstance(region, (ir.While, ir.For)):
            return self._loop(region, state)
        if isinstance(region, ir.Try):
            return self._try(region, state)
        if isinstance(region, ir.With):
            return self._with(region, state)
        if isinstance(region, ir.Match):
            return self._match(region, state)
        if isinstance(region, ir.Assert):
            return self._assert(region, state)
        return self._simple(region, state)

    def _simple(self, region: ir.Do | ir.Return | ir.Raise | ir.Jump, state: State) -> State | None:
        if isinstance(region, ir.Jump):
            self._note_raise(state)
            held = self._breaks if region.form == "break" else self._continues
            if held:
                held[-1] = join(held[-1], state)
            return None
        behind = self._run(region.start, region.stop, state)
        if isinstance(region, ir.Do):
            return behind
        if isinstance(region, ir.Return) and region.value < 0:
            self._merge_point(-region.at, state)
        self._note_raise(behind)
        return None

    def _merge_point(self, where: int, state: State) -> None:
        found = self.point(state)
        known = self.flow.points.get(where)
        if known is not None:
            gates = tuple(g for g in found.gates if g in known.gates)
            found = Point(known.conditions, gates)
        self.flow.points[where] = found

    def _assert(self, region: ir.Assert, state: State) -> State | None:
        behind = self._run(region.start, region.test + 1, state)
        self._run(region.test + 1, region.stop, refined(self._exprs, region.test, False, behind))
        return refined(self._exprs, region.test, True, behind)

    def _if(self, region: ir.If, state: State) -> State | None:
        tested = self._run(region.start, region.stop, state)
        body = self._branch(region, True, region.body, tested)
        other = self._branch(region, False, region.orelse, tested)
        if body is None and other is not None:
            self._conditions.append(Condition(region.text, False, region.at))
        elif other is None and body is not None:
            self._conditions.append(Condition(region.text, True, region.at))
        return join(body, other)

    def _branch(
        self, region: ir.If | ir.While, polarity: bool, body: Sequence[ir.Region], state: State | None
    ) -> State | None:
        self._conditions.append(Condition(region.text, polarity, region.at))
        found = self.regions(body, refined(self._exprs, region.test, polarity, state))
        self._conditions.pop()
        return found

    def _loop(self, region: ir.While | ir.For, state: State) -> State | None:
        entry: State | None = state
        if isinstance(region, ir.For):
            entry = self._run(region.start, region.stop, state)
        left: State | None = None
        for _ in range(_MAX_ROUNDS):
            self._breaks.append(None)
            self._continues.append(None)
            tested = self._run(region.start, region.stop, entry) if isinstance(region, ir.While) else entry
            behind = self._round(region, tested)
            left = self._breaks.pop()
            behind = join(behind, self._continues.pop())
            following = join(entry, behind)
            if following == entry:
                break
            entry = following
        tested = self._run(region.start, region.stop, entry) if isinstance(region, ir.While) else entry
        if isinstance(region, ir.While):
            tested = refined(self._exprs, region.test, False, tested)
        return join(self.regions(region.orelse, tested), left)

    def _round(self, region: ir.While | ir.For, state: State | None) -> State | None:
        if isinstance(region, ir.While):
            return self._branch(region, True, region.body, state)
        self._conditions.append(Condition(region.text, True, region.at))
        found = self.regions(region.body, self._run(region.stop, region.bound, state))
        self._conditions.pop()
        return found

    def _try(self, region: ir.Try, state: State) -> State | None:
        self._raised.append(None)
        smooth = self.regions(region.body, state)
        raised = join(self._raised.pop(), state)
        smooth = self.regions(region.orelse, smooth)
        found = smooth
        for handler in region.handlers:
            self._conditions.append(Condition(handler.text, True, handler.at))
            found = join(found, self.regions(handler.body, self._run(handler.start, handler.stop, raised)))
            self._conditions.pop()
        if not region.final:
            self._note_raise(raised)
            return found
        self._note_raise(self.regions(region.final, join(raised, found)))
        return self.regions(region.final, found)

    def _with(self, region: ir.With, state: State) -> State | None:
        """Walk a `with`; one that suppresses exceptions may be left at any point of its body."""
        entered = self._run(region.start, region.stop, state)
        if "suppress" not in region.text:
            return self.regions(region.body, entered)
        self._raised.append(None)
        found = self.regions(region.body, entered)
        return join(found, join(self._raised.pop(), entered))

    def _match(self, region: ir.Match, state: State) -> State | None:
        entry = self._run(region.start, region.stop, state)
        found: State | None = None
        whole = False
        for case in region.cases:
            self._conditions.append(Condition(f"case {case.text}", True, case.at))
            matched = self._run(case.start, case.stop, entry)
            matched = refined(self._exprs, case.guard, True, matched) if case.guard >= 0 else matched
            found = join(found, self.regions(case.body, matched))
            self._conditions.pop()
            whole = whole or (case.irrefutable and case.guard < 0)
        return found if whole else join(found, entry)

    # --- expressions -------------------------------------------------------------------------------------------------

    def _run(self, start: int, stop: int, state: State | None) -> State | None:
        """Evaluate a range of expressions; short-circuits and conditional expressions branch inside it."""
        exprs, turns = self._exprs, self._turns
        saved: dict[int, State | None] = {}
        for index in range(start, stop):
            for turn in turns.before.get(index, ()):
                saved[turn.outer] = state
            state = self._evaluate(index, state) if state is not None else None
            ends = turns.ends.get(index)
            if ends is not None:
                del self._conditions[len(self._conditions) - turns.conditions.get(index, 0) :]
                state = self._end(ends, state, saved)
            for turn in turns.behind.get(index, ()):
                self._turn_conditions(index, turn)
                key = ~turn.outer  # where the expression is left, beside where it goes on
                if turn.form == "leave":
                    saved[key] = join(saved.get(key), refined(exprs, index, not turn.polarity, state))
                    state = refined(exprs, index, turn.polarity, state)
                elif turn.form == "test":
                    saved[turn.outer] = refined(exprs, index, False, state)
                    state = refined(exprs, index, True, state)
                elif turn.form == "switch":
                    saved[key], state = state, saved.get(turn.outer)
                else:
                    state = refined(exprs, index, True, state)
        return state

    def _turn_conditions(self, index: int, turn: Turn) -> None:
        """Note the condition under which what follows in an expression is evaluated."""
        exprs = self._exprs
        outer = exprs[turn.outer]
        if turn.form == "switch":
            self._conditions.append(self._conditions.pop()._replace(polarity=False))
        elif isinstance(outer, ir.Ternary):
            self._conditions.append(Condition(outer.text, True, exprs[index].at))
        elif isinstance(outer, ir.Bool):
            text = outer.texts[outer.values.index(index)]
            self._conditions.append(Condition(text, turn.polarity, exprs[index].at))
        elif isinstance(outer, ir.Comp):
            texts = [
                t for c in outer.clauses for i, t in zip(c.conditions, c.condition_texts, strict=True) if i == index
            ]
            self._conditions.append(Condition(texts[0], True, exprs[index].at))

    def _end(
        self, names: tuple[int, tuple[str, ...]], state: State | None, saved: dict[int, State | None]
    ) -> State | None:
        """Join what leaves a conditional expression; a comprehension's own names end with it."""
        outer, own = names
        if not isinstance(self._exprs[outer], ir.Comp):
            return join(state, saved.pop(~outer, None))
        before = saved.pop(outer, None)
        found = join(before, state)
        if found is None or before is None:
            return found
        kept = {key: value for key, value in found.items() if key.partition(".")[0] not in own}
        kept.update({key: value for key, value in before.items() if key.partition(".")[0] in own})
        return kept

    def _evaluate(self, index: int, state: State) -> State | None:
        expr = self._exprs[index]
        if isinstance(expr, (ir.Name, ir.Attr)):
            return self._read(index, expr, state)
        if isinstance(expr, ir.Const):
            if is_none(expr):
                self._merge_point(index, state)
            return state
        if isinstance(expr, ir.Bind):
            return self._bind(index, expr, state)
        if isinstance(expr, ir.StoreAttr):
            return self._store_attribute(index, expr, state)
        if isinstance(expr, ir.Remove):
            return stored(state, expr.id, index, self._roots) if expr.id and expr.object < 0 else state
        if isinstance(expr, ir.Call):
            return self._call(index, expr, state)
        if isinstance(expr, ir.Subscript):
            return self._dereferenced(expr.value, state)
        return self._dereferenced(expr.object, state) if isinstance(expr, ir.StoreItem) else state

    def _bind(self, index: int, expr: ir.Bind, state: State) -> State:
        if expr.value < 0 and not expr.how and expr.annotation >= 0:
            return state  # an annotation alone stores nothing
        return stored(state, expr.id, index, self._roots)

    def _store_attribute(self, index: int, expr: ir.StoreAttr, state: State) -> State | None:
        before = self._dereferenced(expr.object, state)
        key = key_of(self._exprs, index)
        if before is None or (expr.value < 0 and not expr.how and expr.annotation >= 0):
            return before
        return stored(before, key, index, self._roots) if key else _alias_stored(before, expr.id)

    def _read(self, index: int, expr: ir.Expr, state: State) -> State | None:
        if isinstance(expr, ir.Attr):
            narrowed_state = self._dereferenced(expr.value, state)
            if narrowed_state is None:
                return None
            state = narrowed_state
        key = key_of(self._exprs, index)
        if key and (key in state or index in self._seen):
            before = self.flow.reads.get(index, UNTOUCHED if index in self._seen else ())
            known = dict(before)
            for origin, mask in at(state, key):
                known[origin] = known.get(origin, 0) | mask
            self.flow.reads[index] = tuple(sorted(known.items()))
        self._seen.add(index)
        return state

    def _dereferenced(self, base: int, state: State) -> State | None:
        key = key_of(self._exprs, base)
        return narrowed(state, key, SOME) if key else state

    def _call(self, index: int, call: ir.Call, state: State) -> State | None:
        for key in [k for k, origins in state.items() if origins != UNTOUCHED]:
            if self._may_store(index, key):
                state = overwritten(state, key)
        return self._dereferenced(call.func, state)


def _alias_stored(state: State, attribute: str) -> State:
    """Return the state behind a store of an attribute on an object that no key names."""
    for key in [k for k in state if k.endswith(f".{attribute}")]:
        state = overwritten(state, key)
    return state
