"""Hooks for the lack of which a stored value is None, as an answer to `reach` on a setter names them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from codepath.model.assumptions import Met
from codepath.model.places import Place
from codepath.model.values import AskedHook, NoneHop, Writer

if TYPE_CHECKING:
    from codepath.analysis.hooks import Hooks

_LACKED = re.compile(r"^when not .*\bhasattr\([^()]*,\s*['\"](\w+)['\"]\s*\)")


def asked_hooks(writer: Writer, hooks: Hooks, assumed: Sequence[Met]) -> tuple[AskedHook, ...]:
    """Return the hooks that the causes of a None ask for by `hasattr`, with what is known of the assumed model."""
    model = next((met.assumption.holder for met in assumed if met.assumption.kind == "model"), "")
    places: dict[str, Place] = {}
    for hook, hop in lacked_hooks(writer):
        places.setdefault(hook, hop.place)
    found = (_asked(hook, place, hooks, model) for hook, place in places.items())
    return tuple(asked for asked in found if asked is not None)


def lacked_hooks(writer: Writer) -> Iterator[tuple[str, NoneHop]]:
    """Yield the hooks that the causes of a None ask for by `hasattr`, with the conditions that do."""
    for chain in writer.causes:
        for hop in chain:
            for hook in _LACKED.findall(hop.reason):
                yield hook, hop


def _asked(hook: str, place: Place, hooks: Hooks, model: str) -> AskedHook | None:
    met = hooks.met_at(hook, (place.file, place.line))
    states = hooks.states(hook, met)
    if not states:
        return None
    have, lack, unknown = (list(states.values()).count(has) for has in (True, False, None))
    asked = AskedHook(hook, place, met.title, have, lack, unknown)
    if model not in states:
        return asked
    holder = hooks.holder(model, hook, met.on)
    provided = holder.provider.place if holder.provider is not None else None
    own = Place(holder.file, holder.line, 0, holder.cls)
    return replace(asked, model=model, has=holder.has, defined=provided or own)
