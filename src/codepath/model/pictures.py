"""Pictures: what is drawn, as plain data that every form of a picture is made from."""

from __future__ import annotations

from dataclasses import dataclass

from codepath.model.answers import Contradiction, Guard, Place, Step, Symbol, Truncation


@dataclass(frozen=True, slots=True)
class Hop:
    """A call on the way from a frame to what a step runs; `how` as `PictureStep.how`.

    `ran` is what runs: the callee, or the constructor of a class that inherits it, as if it were its own.
    """

    step: Step
    how: str
    ran: str


@dataclass(frozen=True, slots=True)
class Lane:
    """A thread of control. `kind` is `start`, or that of the step that starts it; `step` is its number, 0 for the first."""

    title: str
    kind: str
    step: int


@dataclass(frozen=True, slots=True)
class PictureStep:
    """A thing that runs, in the order in which things run.

    Args:
        number: From 1, in run order.
        parent: The step in whose call it runs, 0 for the function that is drawn.
        hops: The calls that lead from there to it, each the only one of the picture in the call before.
        title: What runs, without its module.
        guards: The conditions of all its hops, with their values there.
        lane: A position in the lanes of the picture.
        how: `now`, `aside` in a lane of its own, `later` for what is only handed over here, `partial` for parts of a
            generator.
        events: Titles of the events of the project that it is.
        inside: Titles of the events in what is not shown of it.
        skips: What cannot run in what is not shown of it.
        sets: Globals that it sets.
        shown: Whether it was asked for by name.
        blocked: Why it cannot run, None where it can.
        denied: The assumption that it contradicts, "" for none.
        choices: How many callees the first of its calls may have, one of which runs.
        excludes: Steps before it that cannot run in the same call.
        repeats: The step that runs the same with the same values, whose steps are not drawn again; 0 for none.
        hidden: How many steps inside it are left out.
        change: What became of it between two trees: `added`, `dropped`, `changed`, `moved`, "" for nothing.
        was: What it was in the first of them, where it changed.
        reads: Globals that it reads and a step before it sets.
        rules: The ids of the rules that name it.
    """

    number: int
    parent: int
    hops: tuple[Hop, ...]
    title: str
    guards: tuple[Guard, ...]
    lane: int
    how: str
    events: tuple[str, ...]
    inside: tuple[str, ...]
    skips: tuple[str, ...]
    sets: tuple[str, ...]
    shown: bool
    blocked: Contradiction | None
    denied: str
    choices: int
    excludes: tuple[int, ...]
    repeats: int
    hidden: int
    change: str = ""
    was: str = ""
    reads: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        """Where the first of its calls stands."""
        step = self.hops[0].step
        return Place(step.file, step.line, step.column, step.caller)


@dataclass(frozen=True, slots=True)
class Picture:
    """The order of what runs below a function.

    `until` is where the picture ends, "" for the end of the function. `total` counts the steps there are, shown or not.
    `assumed` are the assumptions as they were said, `versions` the two trees that are compared, if any.
    """

    root: Symbol
    until: str
    steps: tuple[PictureStep, ...]
    lanes: tuple[Lane, ...]
    total: int
    hidden: int
    assumed: tuple[str, ...] = ()
    truncated: Truncation | None = None
    versions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FamilyMethod:
    """A method that a class defines; `overrides` is the class from which it would have it otherwise, "" for none.

    `calls_super` tells whether it calls the method that it replaces.
    """

    name: str
    place: Place
    overrides: str
    calls_super: bool


@dataclass(frozen=True, slots=True)
class FamilyClass:
    """A class of a family; `bases` are the nearest classes of the family above it, `outside` bases that are not of the tree."""

    name: str
    place: Place
    bases: tuple[str, ...]
    outside: tuple[str, ...]
    abstract: bool
    methods: tuple[FamilyMethod, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """The classes above and below a class, itself among them; `asked` are the methods that alone are shown, if any."""

    name: str
    classes: tuple[FamilyClass, ...]
    asked: tuple[str, ...]
