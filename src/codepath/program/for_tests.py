"""Files that only tests run: no run of the program comes to what is in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable


class ForTests:
    """Tells whether a file is of tests, and every other file that names its module is too, and so on.

    `holding` gives the files whose bytes hold a word.

    Approximates: under (a module may be imported by a name made at run time).
    """

    def __init__(self, holding: Callable[[str], Iterable[str]]) -> None:
        self._holding = holding
        self._known: dict[str, bool] = {}

    def __call__(self, path: str) -> bool:
        """Tell it for the file at a path."""
        if path not in self._known:
            self._known[path] = is_test(path)  # of files that name each other, one from outside tells
            self._known[path] = is_test(path) and all(map(self, self._holding(stem_of(path))))
        return self._known[path]


def is_test(path: str) -> bool:
    """Tell whether a file is of tests."""
    *folders, file = path.split("/")
    return file.startswith("test_") or any(folder in ("test", "tests", "testing") for folder in folders)


def stem_of(path: str) -> str:
    """Return the last name of the module of a file."""
    return path.removesuffix("/__init__.py").rpartition("/")[2].removesuffix(".py")
