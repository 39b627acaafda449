"""The rule kind `hook-required`: classes that code looks an attribute up on, and that must have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codepath.analysis.hooks import Hooks
from codepath.model.answers import Place
from codepath.model.hooks import Lookup


@dataclass(frozen=True, slots=True)
class MissingHook:
    """A class that lacks a hook; `lookups` are where that is asked for."""

    hook: str
    cls: str
    place: Place
    message: str
    lookups: tuple[Lookup, ...]


def hook_required(
    hooks: Hooks, hook: str, *, family: str = "", unless: Sequence[str] = (), within: str = ""
) -> tuple[MissingHook, ...]:
    """Return the classes that lack a hook, the most surprising first.

    Args:
        hooks: The hooks of a tree.
        hook: The attribute.
        family: Which classes are meant, as `Hooks.fits` takes it; "" for all that the look-ups can meet.
        unless: Attributes any of which excuses a class.
        within: A class: only it and those below it are meant; "" for all.

    Approximates: under (a class of which only running tells is not reported).
    """
    answer = hooks.one(hook, family, within)
    if answer is None:
        return ()
    lacking = [c for c in answer.classes if c.has is False]
    excused = [c for c in lacking if any(hooks.fits(c.cls, f"attribute:{name}") for name in unless)]
    return tuple(
        MissingHook(
            hook,
            c.cls,
            Place(c.file, c.line, 0, c.cls),
            f"{c.cls.rpartition('.')[2]} has no {hook}",
            answer.lookups,
        )
        for c in lacking
        if c not in excused
    )
