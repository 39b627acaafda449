"""Activations: a scope with what its names hold, and values that are put off."""

from __future__ import annotations

from dataclasses import dataclass, field

from codepath.analysis.arch.record import Notes
from codepath.analysis.arch.values import Env, Val, grown
from codepath.model import ir
from codepath.program.bodies import Body


@dataclass
class Frame:
    """One activation.

    `stores` are values stored on `self`; `caught` the exceptions that handlers around take; `dropped` the expression whose
    value nobody takes; `used` counts the expressions evaluated so far, `rounds` those of the loops around; `thrown` tells
    whether an exception was seen; `notes` is None where the activation belongs to a call and not to the scope itself. At
    module level values are computed when they are asked for: `defined` holds them by number of definition.
    """

    body: Body
    env: Env
    notes: Notes | None = None
    lazy: bool = False
    reading: bool = False
    defined: dict[int, Val] = field(default_factory=dict)
    stores: dict[str, list[Val]] = field(default_factory=dict)
    returns: list[Val] = field(default_factory=list)
    returned_at: list[int] = field(default_factory=list)
    caught: list[tuple[str, ...]] = field(default_factory=list)
    raised: list[str] = field(default_factory=list)
    used: int = 0
    rounds: int = 1
    dropped: int = -1
    thrown: bool = False
    self_val: Val | None = None


@dataclass(eq=False)
class Thunk:
    """A value that is computed when it is asked for."""

    frame: Frame
    bind: ir.Bind
    value: Val | None = None
    is_running: bool = False


def named(value: Val, frame: Frame, bind: ir.Bind) -> Val:
    """Return a stored value with the store as the last step of its trail."""
    trail = grown(value.trail, frame.body.info.module.path, bind.at, bind.id)
    return Val(value.data, trail) if trail is not value.trail else value
