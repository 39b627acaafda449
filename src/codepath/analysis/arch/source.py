"""Comments and lines of the files of a tree, for evidence that the facts do not hold."""

from __future__ import annotations

import re
from collections.abc import Callable

_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")


class Comments:
    """Reads files once; `read` gives the text of one, "" where it cannot be read."""

    def __init__(self, read: Callable[[str], str]) -> None:
        self._read = read
        self._lines: dict[str, list[str]] = {}

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file."""
        found = self._lines.get(path)
        if found is None:
            found = self._lines[path] = self._read(path).splitlines()
        return found

    def between(self, path: str, first: int, last: int) -> str:
        """Return the comments on lines `first` to `last`, from 1, as one text; blank lines part them."""
        lines = self.lines(path)
        found: list[str] = []
        for number in range(max(first, 1), min(last, len(lines)) + 1):
            comment = _comment(lines[number - 1])
            found.append(comment if comment else "\n")
        return " ".join(found).strip().replace("\n \n", "\n\n").replace(" \n ", "\n\n")

    def above(self, path: str, line: int, reach: int = 12) -> str:
        """Return the comments above a line as far as its own paragraph goes: up to a blank line, a `def`, or `reach`.

        An import that stands between on lines of its own belongs to what follows.
        """
        lines = self.lines(path)
        first = line
        while first > 1 and line - first < reach:
            text = lines[first - 2].strip() if first - 2 < len(lines) else ""
            if not text or text.startswith(("def ", "class ", "return", "else:", "elif ")):
                break
            first -= 1
        if (
            first == line
            and first > 2
            and lines[first - 3].strip().startswith(("from ", "import "))
            and not lines[first - 2].strip()
        ):
            return self.above(path, first - 2, reach)
        return self.between(path, first, line - 1)


def _comment(line: str) -> str:
    """Return the comment of a line without `#`."""
    if "#" not in line:
        return ""
    bare = _STRING.sub(lambda m: " " * len(m.group()), line)
    at = bare.find("#")
    return line[at:].lstrip("#").strip() if at >= 0 else ""
