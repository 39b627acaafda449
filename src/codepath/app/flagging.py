"""The question about flags: environment variables and launch options of one tree."""

from __future__ import annotations

from codepath.analysis.detect.families import Families
from codepath.analysis.detect.flags import Flags
from codepath.analysis.detect.options import OptionFlags
from codepath.errors import QueryError
from codepath.model.answers import Truncation
from codepath.model.assumptions import Option
from codepath.model.checks import PRECISIONS
from codepath.model.detect import Detected
from codepath.model.flags import Flag, FlagsAnswer


class Flagging:
    """Answers about flags. `options` are the launch options of the tree."""

    def __init__(self, families: Families, options: tuple[Option, ...]) -> None:
        self._flags = Flags(families)
        self._options = OptionFlags(families, options)
        self._all = options

    def one(self, name: str, near: list[str]) -> FlagsAnswer:
        """Answer about one flag; `near` are names to suggest.

        Raises:
            QueryError: Nothing in the tree declares or reads such a flag.
        """
        uses = [] if name.startswith("-") else self._flags.uses(name)
        options = self._options.named(name)
        if not uses and not options:
            help = ("did you mean", *(f"    {word}" for word in near)) if near else ("codepath flags", "    lists them")
            raise QueryError(f"no environment variable or launch option of this tree is named `{name}`", help=help)
        flags = (*self._flags.flags(uses), *(self._options.flag(option) for option in options))
        faults = [*self._flags.faults(uses), *(f for option in options for f in self._options.faults(option))]
        return FlagsAnswer(flags, _ranked(faults))

    def every(self, limit: int) -> FlagsAnswer:
        """Answer about all flags; `limit` 0 is no limit."""
        uses = self._flags.uses()
        flags: list[Flag] = [*self._flags.flags(uses), *(self._options.flag(option) for option in self._all)]
        faults = [*self._flags.faults(uses), *(f for option in self._all for f in self._options.faults(option))]
        cut = Truncation("flags", limit, len(flags)) if limit and len(flags) > limit else None
        return FlagsAnswer(tuple(flags[:limit] if cut else flags), _ranked(faults), cut)


def _ranked(faults: list[Detected]) -> tuple[Detected, ...]:
    return tuple(
        sorted(faults, key=lambda f: (PRECISIONS.index(f.precision), -f.surprise, f.place.file, f.place.line, f.name))
    )
