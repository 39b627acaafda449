"""What the evaluation of one thing looks at elsewhere: of a change, it tells what need not be evaluated again.

Things are scopes, by dotted name, and what `part` makes: what a module or class binds (`bound`), what a class and its
family store under a name (`stored`), the subclasses of a class (`below`), whether the callers of a function keep out
(`kept-out`), rows of the call graph (`calls`, `callers`), what a name of a module means (`name`), what is registered under
a word (`word`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from codepath.model.arch import ArchReads

BOUND, STORED, BELOW, KEPT_OUT = "bound", "stored", "below", "kept-out"
CALLS, CALLERS, NAME, WORD = "calls", "callers", "name", "word"
_BETWEEN = "\0"  # no name of a file or a scope holds it


def part(kind: str, *names: str) -> str:
    """Return a thing that is no scope."""
    return _BETWEEN.join((kind, *names))


def split(thing: str) -> tuple[str, ...]:
    """Return the kind and the names of a thing; of a scope its name alone."""
    return tuple(thing.split(_BETWEEN))


def scope_of(thing: str) -> str:
    """Return the scope that a thing is, or is a part of; "" for one that is none."""
    kind, *names = split(thing)
    if not names:
        return kind
    return names[0] if kind in (BOUND, KEPT_OUT) else ""


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
