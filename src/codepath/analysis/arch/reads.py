"""What the evaluation of one thing looks at elsewhere: of a change, it tells what need not be evaluated again.

Things are scopes, by dotted name, and parts of them: `MODULE:NAME` is what a module or class binds, `CLASS.NAME@` what a class
and its family store under a name, `below:CLASS` its subclasses, `calls:FUNCTION` and `callers:FUNCTION` rows of the call graph,
`name:NAME` what a name of a module means, `word:WORD` what is registered under a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from codepath.model.arch import ArchReads


class Reads:
    """Notes what is looked at: `found`, by thing. `here` is what the thing in evaluation has looked at so far.

    `passers` are, by function, the scopes that pass it values which differ between architectures; `cut` the scopes whose
    evaluation met one that was still going on, or a bound: what they gave depends on who asked first.
    """

    def __init__(self) -> None:
        self.here: set[str] = set()
        self.found: dict[str, set[str]] = {"": self.here}
        self._around: list[tuple[str, set[str]]] = []
        self._name = ""
        self.passers: dict[str, set[str]] = {}
        self.cut: set[str] = set()

    def begin(self, name: str) -> None:
        """Begin to evaluate a thing; what is evaluated now has looked at it."""
        self.here.add(name)
        self._around.append((self._name, self.here))
        self._name = name
        found = self.found.get(name)
        if found is None:
            found = self.found[name] = set()
        self.here = found

    def end(self) -> None:
        """End the evaluation that was begun last."""
        self._name, self.here = self._around.pop()

    @contextmanager
    def within(self, name: str) -> Iterator[None]:
        """Evaluate a thing."""
        self.begin(name)
        try:
            yield
        finally:
            self.end()

    def passing(self, function: str) -> None:
        """Note that what is evaluated passes a function something."""
        self.passers.setdefault(function, set()).add(self._name)

    def told(self, ran: Iterable[str], attributes: dict[str, list[str]]) -> ArchReads:
        """Return what was noted, as data.

        Args:
            ran: The scopes that were run for themselves.
            attributes: The classes that store a value which differs, by the attribute.
        """
        found = {name: read - {name} for name, read in self.found.items() if name and read - {name}}
        passed = {name: some - {name} for name, some in self.passers.items()}
        names = sorted({*found, *(n for some in (*found.values(), *passed.values()) for n in some), *passed})
        number = {name: at for at, name in enumerate(names)}
        return ArchReads(
            names=tuple(names),
            read=_numbered(found, number),
            passed=_numbered(passed, number),
            ran=tuple(sorted(ran)),
            attributes=tuple((name, tuple(owners)) for name, owners in sorted(attributes.items())),
        )


def _numbered(found: dict[str, set[str]], number: dict[str, int]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    return tuple((number[name], tuple(sorted(map(number.__getitem__, read)))) for name, read in sorted(found.items()))
