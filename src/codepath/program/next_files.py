"""Which files a question reads next: those that use rare names first, within a budget.

Names in many files are put off until nothing else is left. Files of tests are read for the names that are asked about, and
where other code leads to them: nothing starts in tests.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from codepath.model import ir
from codepath.program.for_tests import is_test, stem_of

Module = tuple[str, str, ir.ModuleFacts]
BUDGET = 200_000
"""Lines that a question reads at the most."""
_ENOUGH = 0.95  # of the budget; what little still fits would cost another round
_SMALL = 40  # files; a name in more is put off
_COMMON = 400  # files whose bytes hold a word; how they use it is looked at last


class Files(Protocol):
    """The files of the tree."""

    def holding(self, name: str) -> tuple[str, ...]:
        """Return the files whose bytes hold a word."""

    def mentioning(self, names: frozenset[str]) -> tuple[dict[str, list[str]], set[str]]:
        """Return the files that use each of the names other than in imports and annotations, and the names under which
        the names are imported elsewhere."""

    def lines(self, path: str) -> int:
        """Return the number of lines of a file."""

    def load(self, paths: Iterable[str]) -> list[Module]:
        """Load files; those that do not parse are left out."""

    def foresee(self, paths: Iterable[str]) -> None:
        """Let files that are likely to be read be extracted while nothing else is."""

    def path_of(self, module: str) -> str | None:
        """Return the file of a module by its dotted name."""


class NextFiles:
    """Chooses what is read next. `read` are the files read so far, `rare` the names met that few files use."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.read: set[str] = set()
        self.rare: set[str] = set()
        self._names: set[str] = set()
        self._common: set[str] = set()
        self._asked: set[str] = set()
        self._pending: dict[tuple[bool, str], list[str]] = {}
        self._led_to: set[str] = set()
        self._lines = 0
        self._is_full = False

    def look_up(self, names: set[str], *, is_asked: bool = False) -> None:
        """Note the files that use some names, and those that use them under other names.

        Args:
            names: Names of functions, classes and what holds them.
            is_asked: Whether the question is about these names.
        """
        names = names - self._names
        self._names |= names
        if is_asked:
            self._asked |= names
        common = {name for name in names if len(self._files.holding(name)) > _COMMON}
        self._common |= common
        self._search(names - common)

    def _search(self, names: set[str]) -> None:
        while names:
            self._names |= names
            found, aliases = self._files.mentioning(frozenset(names))
            for name, paths in found.items():
                aside = [path for path in paths if is_test(path)]
                self._pending[False, name] = [path for path in paths if path not in aside]
                self._pending[True, name] = aside
            self.rare.update(name for name, paths in found.items() if len(paths) <= _SMALL)
            names = aliases - self._names

    def take(self, modules: set[str]) -> list[str]:
        """Return what to read next: modules and files of rare names, else those of the rarest name put off so far."""
        if self._lines > _ENOUGH * BUDGET:
            return []
        found = self._taken(modules)
        if not found and self._common and not self._is_full:
            names, self._common = self._common, set()
            self._search(names)
            found = self._taken(set())
        self.read.update(found)
        return sorted(found)

    def _taken(self, modules: set[str]) -> dict[str, None]:
        found: dict[str, None] = {}
        paths = (self._files.path_of(module) for module in sorted(modules))
        self._add([path for path in paths if path is not None], found)
        unread = {key: self._unread(key, paths) for key, paths in self._pending.items()}
        for key in sorted(unread, key=lambda k: (k[0], len(unread[k]), k[1])):
            put_off = key[0] or len(unread[key]) > _SMALL
            if put_off and found:
                break
            if self._add(unread[key], found) and not key[0]:
                del self._pending[key]
        return found

    def _unread(self, key: tuple[bool, str], paths: list[str]) -> list[str]:
        is_aside, name = key
        unread = [path for path in paths if path not in self.read]
        if not is_aside or name in self._asked:
            return unread
        return [path for path in unread if self._is_led_to(path)]

    def _is_led_to(self, path: str) -> bool:
        """Tell whether a file that is no test, or one that is read, names the module of a file."""
        if path not in self._led_to and any(
            not is_test(other) or other in self.read for other in self._files.holding(stem_of(path))
        ):
            self._led_to.add(path)
        return path in self._led_to

    def _add(self, paths: list[str], found: dict[str, None]) -> bool:
        """Add files to what is read next; tell whether the budget allows it."""
        fresh = [path for path in paths if path not in self.read and path not in found]
        lines = sum(map(self._files.lines, fresh))
        if self._lines + lines > BUDGET:
            self._is_full = True
            return False
        self._lines += lines
        found.update(dict.fromkeys(fresh))
        return True
