"""Causes weighed by what is known of the run: guards that its settings decide."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from codepath.model.answers import Guard
from codepath.model.trace import Cause

Truth = Callable[[Guard], "bool | None"]
"""Tells whether a guard's text is true in a run, None where its settings do not tell."""

_RULED_OUT = 0.5


def weighed(causes: Iterable[Cause], truth: Truth) -> list[Cause]:
    """Return causes with the values of their guards, those last that a guard rules out."""
    found = [_weighed(cause, truth) for cause in causes]
    return sorted(found, key=lambda c: -c.score)


def _weighed(cause: Cause, truth: Truth) -> Cause:
    guards = tuple(_valued(guard, truth) for guard in cause.guards)
    wrong = next((g for g in guards if g.value == "false"), None)
    if wrong is None or cause.certain:
        return replace(cause, guards=guards)
    text = wrong.text if wrong.polarity else f"not ({wrong.text})"
    claim = f"{cause.claim} (but `{text}` does not hold in this run)"
    return replace(cause, guards=guards, claim=claim, score=cause.score - _RULED_OUT)


def _valued(guard: Guard, truth: Truth) -> Guard:
    """Return a guard with whether it holds; one that counts only under others is left as it is."""
    value = truth(guard) if not guard.when else None
    return guard if value is None else replace(guard, value="true" if value is guard.polarity else "false")
