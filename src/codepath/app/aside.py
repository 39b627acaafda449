"""Which files of packages are of tests, or were taken over from elsewhere, by their paths."""

from __future__ import annotations

from codepath.program.for_tests import is_test
from codepath.source import OUTSIDE


def aside(path: str) -> frozenset[str]:
    """Return the words of `--include` that ask for a file: `tests`, `vendored`, both, or none."""
    *folders, file = path.split("/")
    found = set()
    if is_test(path) or file == "conftest.py" or file.endswith("_test.py"):
        found.add("tests")
    if not OUTSIDE["vendored"].isdisjoint(folders):
        found.add("vendored")
    return frozenset(found)
