"""What the settings of a run make of guards: assumptions from options of a question, and from what a log prints."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from codepath.analysis.conditions import Conditions
from codepath.analysis.known import NOTHING_KNOWN
from codepath.app.assuming import Assuming
from codepath.model.answers import Guard
from codepath.model.assumptions import Assumption, Said, Scalar
from codepath.model.trace import Assumed
from codepath.program.bodies import Bodies

_ORIGIN = "log"
_SETTINGS = "(...) on line "


@dataclass(frozen=True, slots=True)
class Supposing:
    """Decides guards of one tree; `configured` are the assumptions of its configuration."""

    assuming: Assuming
    bodies: Bodies
    configured: tuple[str, ...]

    def truth(
        self, assume: Sequence[str], launch_args: str, printed: Iterable[Assumed]
    ) -> Callable[[Guard], bool | None]:
        """Return what tells whether a guard's text is true in a run, None where that is not known.

        Raises:
            QueryError: A text is no assumption, a launch option or a model is not in the tree.
        """
        said = Said(tuple(assume), (launch_args or None) if self.assuming.holders else None)
        assumptions = self.assuming.assumptions(said, self.configured, tuple(self._printed(printed)))
        if assumptions is None:
            return _unknown
        conditions = Conditions(self.bodies, self.assuming.folding(assumptions))

        def truth(guard: Guard) -> bool | None:
            body = conditions.at(guard.file, guard.line)
            found = conditions.truth(body, NOTHING_KNOWN, guard) if body is not None else None
            return bool(found.value) if found is not None else None

        return truth

    def _printed(self, printed: Iterable[Assumed]) -> Iterable[Assumption]:
        """Yield what a log prints of the launch options; values that are no constants are left out."""
        for one in printed:
            value = _value(one.value, is_flag=_SETTINGS not in one.source)
            for holder in self.assuming.holders if value is not _NO_CONSTANT else ():
                yield Assumption(one.name, "=", value, "attribute", _ORIGIN, holder)  # type: ignore[arg-type]


_NO_CONSTANT = object()


def _value(written: str, *, is_flag: bool) -> Scalar | object:
    """Return a value as a log prints it, a bare word of a command as a string."""
    try:
        value = ast.literal_eval(written)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return written if is_flag else _NO_CONSTANT
    return value if value is None or isinstance(value, (bool, int, float, str)) else _NO_CONSTANT


def _unknown(guard: Guard) -> bool | None:
    return None
