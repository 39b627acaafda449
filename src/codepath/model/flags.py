"""Environment variables and launch options: where each is declared, set and read, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from codepath.model.answers import Place, Truncation
from codepath.model.detect import Detected


@dataclass(frozen=True, slots=True)
class FlagUse:
    """A place that has to do with a flag.

    `how` is `declared`, `read`, `asked` (whether it is set) or `set`; `through` is the accessor as written (`os.getenv`,
    `envs.get`); `default` what it gives where the flag is not set, as written, "" for nothing.
    """

    place: Place
    how: str
    through: str
    default: str = ""


@dataclass(frozen=True, slots=True)
class Flag:
    """An environment variable or a launch option.

    `kind` is `environment` or `option`; `attribute` the attribute that an option becomes, "" for a variable; `choices` the
    values that an option allows, None where it does not say.
    """

    name: str
    kind: str
    uses: tuple[FlagUse, ...]
    attribute: str = ""
    default: str = ""
    choices: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class FlagsAnswer:
    """The answer to `flags`: the flags by name and what is wrong with them, the surest first."""

    flags: tuple[Flag, ...]
    faults: tuple[Detected, ...]
    truncated: Truncation | None = None
