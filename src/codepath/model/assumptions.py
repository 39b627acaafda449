"""Assumptions: what a question takes for granted about names, environment, calls, the model and launch options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from codepath.model.places import Place

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in", "not in"]
Scalar = bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class Assumption:
    """One assumption: `name op value`.

    `kind` is `name` (matched by its dotted suffix), `attribute` (of the class `holder`), `env`, `call` (what a function
    gives), `model` (`holder` is the dotted class) or `gpu` (`value` is an architecture). `origin` is where it was said:
    `--assume`, `codepath.toml`, `--launch-args` or `--launch-defaults`; `place` where the tree defines the launch option.
    """

    name: str
    op: Operator
    value: Scalar | tuple[Scalar, ...]
    kind: Literal["name", "attribute", "env", "call", "model", "gpu"] = "name"
    origin: str = "--assume"
    holder: str = ""
    place: Place | None = None

    @property
    def text(self) -> str:
        """The assumption as it is said."""
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        said = {"env": f"env:{self.name}", "call": f"call:{self.name}"}.get(self.kind, self.name)
        return f"{said} {self.op} {value!r}"


@dataclass(frozen=True, slots=True)
class Option:
    """A launch option that the tree defines.

    Args:
        strings: As they are typed (`--tp-size`, `-tp`), a positional one without dashes.
        attribute: The attribute of the class `holder` that it becomes.
        form: `value`, `flag` (sets `constant`), `switch` (`--x` and `--no-x`), `list` (several values) or `other`.
        type: `str`, `int`, `float`, `bool`, or "" where the value is read by a function of the tree.
        default: What it is where it is not given; meaningful only where `has_default`.
        choices: The values allowed, None where they are not known.
        is_whole: Whether all of the definition is written out; else what is not may be otherwise.
    """

    strings: tuple[str, ...]
    attribute: str
    holder: str
    place: Place
    form: str = "value"
    type: str = "str"
    constant: Scalar = True
    default: Scalar = None
    has_default: bool = False
    choices: tuple[Scalar, ...] | None = None
    required: bool = False
    is_whole: bool = True


@dataclass(frozen=True, slots=True, order=True)
class Filled:
    """A global, and the function that stores in it what is assumed."""

    variable: str
    setter: str


@dataclass(frozen=True, slots=True)
class Met:
    """What an assumption came to: how many guards it met, the variables it stands for, and the paths it pruned.

    `conflicts` are paths left out because they pass on a constant that the assumption denies. `rewritten` are functions
    of the tree that store the attribute behind a launch option again. `filled` are globals that a setter fills with it.
    """

    assumption: Assumption
    guards: int
    variables: tuple[str, ...]
    pruned: int
    conflicts: int
    rewritten: tuple[str, ...] = ()
    filled: tuple[Filled, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """What a caller takes for granted: texts as `--assume` takes them, a launch line, and whether defaults hold."""

    assume: tuple[str, ...] = ()
    launch_args: str | None = None
    launch_defaults: bool = False


NOTHING_SAID = Said()
