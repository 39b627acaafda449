"""Reaching definitions of one scope, kept while its builder visits in evaluation order.

An environment maps a name to the definitions that reach this point, ascending, UNBOUND first where it may have none. A
name that is not in it has none. `env` is copied where control branches and merged where it joins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from codepath.model import ir

Reaching: TypeAlias = tuple[int, ...]
Env: TypeAlias = dict[str, Reaching]

NOTHING: Reaching = (ir.UNBOUND,)


def union(left: Reaching, right: Reaching) -> Reaching:
    """Return the definitions of both, ascending."""
    return left if left == right else tuple(sorted({*left, *right}))


def merged(left: Env, right: Env) -> Env:
    """Return what reaches a join of two ways."""
    if left is right:
        return left
    joined = dict(left)
    for name, reaching in right.items():
        other = left.get(name, NOTHING)
        if other is not reaching:
            joined[name] = union(other, reaching)
    for name in left.keys() - right.keys():
        joined[name] = union(left[name], NOTHING)
    return joined


@dataclass(slots=True)
class Loop:
    """What is known of a loop while its body is visited."""

    entry: Env
    first_use: int
    first_definition: int
    first_removal: int
    breaks: list[Env] = field(default_factory=list)
    continues: list[Env] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Mark:
    """A point in a scope: how many definitions and unbindings were made before it."""

    env: Env | None
    definitions: int
    removals: int


class Flow:
    """The definitions and uses of a scope so far, and what reaches the present point.

    `live` tells whether the present point can be reached at all.
    """

    __slots__ = ("definitions", "env", "live", "loops", "names", "removals", "uses")

    def __init__(self) -> None:
        self.env: Env = {}
        self.live = True
        self.definitions: list[ir.Definition] = []
        self.uses: list[Reaching] = []
        self.names: list[str] = []
        self.removals: list[str] = []
        self.loops: list[Loop] = []

    # --- names ---

    def read(self, name: str) -> int:
        """Return the number of a new use of a name."""
        self.uses.append(self.env.get(name, NOTHING))
        self.names.append(name)
        return len(self.names) - 1

    def bind(self, name: str, number: int) -> None:
        """Let definition `number` be the only one of a name."""
        self.env[name] = (number,)

    def bind_inside_expression(self, name: str, number: int) -> None:
        """Bind in a new environment, so that who kept the old one can tell and merge."""
        self.env = {**self.env, name: (number,)}

    def unbind(self, name: str) -> None:
        """Let a name have no definition."""
        self.env.pop(name, None)
        self.removals.append(name)

    # --- branches ---

    def fork(self) -> Env | None:
        """Return a copy of the present state, None where it is dead."""
        return dict(self.env) if self.live else None

    def take(self) -> Env | None:
        """Return the present state, which must be replaced by `resume` or `join` next."""
        return self.env if self.live else None

    def resume(self, state: Env | None) -> None:
        """Go on from a state, which must not be used again."""
        self.live = state is not None
        self.env = {} if state is None else state

    def join(self, states: Sequence[Env | None]) -> None:
        """Go on from the join of the present state and others."""
        for state in states:
            if state is None:
                continue
            self.env = merged(self.env, state) if self.live else state
            self.live = True

    def kill(self) -> None:
        """Nothing is reached from here."""
        self.live = False
        self.env = {}

    # --- loops ---

    def enter_loop(self) -> None:
        """Begin what each round of a loop runs."""
        self.loops.append(Loop(dict(self.env), len(self.uses), len(self.definitions), len(self.removals)))

    def jump(self, form: str) -> None:
        """Leave the round by `break` or `continue`."""
        if self.loops and self.live:
            loop = self.loops[-1]
            (loop.breaks if form == "break" else loop.continues).append(self.env)
        self.kill()

    def close_round(self, exit: Env | None) -> Loop:
        """End a loop's body: what reaches its end or a `continue` reaches the head, and what sees the head sees that too.

        Args:
            exit: The state in which the head leaves the loop in its first round, completed here; None if it never does.

        Returns:
            The loop, whose `breaks` are complete.
        """
        loop = self.loops.pop()
        rounds = [*loop.continues, self.env] if self.live else loop.continues
        changed = {definition.id for definition in self.definitions[loop.first_definition :]}
        changed.update(self.removals[loop.first_removal :])
        if rounds and changed:
            again = {
                name: tuple(sorted({number for env in rounds for number in env.get(name, NOTHING)})) for name in changed
            }
            self._complete_uses(loop, again)
            for env in loop.breaks if exit is None else [*loop.breaks, exit]:
                _complete(env, loop.entry, again)
        return loop

    def _complete_uses(self, loop: Loop, again: Env) -> None:
        uses, names = self.uses, self.names
        for number in range(loop.first_use, len(uses)):
            more = again.get(names[number])
            if more is not None and not set(loop.entry.get(names[number], NOTHING)).isdisjoint(uses[number]):
                uses[number] = union(uses[number], more)

    # --- exceptions ---

    def mark(self) -> Mark:
        """Return this point, from which a `try` body starts."""
        return Mark(self.fork(), len(self.definitions), len(self.removals))

    def anywhere_since(self, mark: Mark) -> Env | None:
        """Return what may reach a handler: the state at the mark and all that was bound or unbound since."""
        if mark.env is None:
            return None
        env = dict(mark.env)
        for number in range(mark.definitions, len(self.definitions)):
            definition = self.definitions[number]
            if definition.form not in ("comprehension", "annotation"):
                env[definition.id] = (*env.get(definition.id, NOTHING), number)
        for name in self.removals[mark.removals :]:
            if name in env:
                env[name] = union(env[name], NOTHING)
        return env


def _complete(env: Env, entry: Env, again: Env) -> None:
    for name, more in again.items():
        reaching = env.get(name, NOTHING)
        if not set(entry.get(name, NOTHING)).isdisjoint(reaching):
            env[name] = union(reaching, more)
