"""What every report is told beside its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from codepath.model.answers import SourceInfo
from codepath.report.pen import Pen, Span

QueryValue: TypeAlias = "str | int | list[str] | None"


@dataclass(frozen=True, slots=True)
class View:
    """The question and the way to show its answer.

    Args:
        source: The tree that was asked.
        query: The question as understood; its `command` and arguments.
        seconds: How long the answer took.
        pen: How lines are written.
        again: Options, ready for a shell, that a suggested command must repeat to ask the same tree.
        home: The user's home folder, shown as `~`; "" to show it in full.
        link: Gives the URL of a file as text shows it; "" where it leads nowhere.
        template: The URL of a source line in pictures, with `{file}` and `{line}` in it; "" for what `link` gives.
    """

    source: SourceInfo
    query: Mapping[str, QueryValue] = field(default_factory=dict)
    seconds: float = 0.0
    pen: Pen = field(default_factory=Pen)
    again: str = ""
    home: str = ""
    link: Callable[[str], str] | None = None
    template: str = ""

    def url(self, file: str, line: int) -> str:
        """Return the URL of a source line as a picture links it, "" where it leads nowhere."""
        if self.template:
            from urllib.parse import quote

            return self.template.replace("{file}", quote(file)).replace("{line}", str(line))
        found = self.link(f"{self.source.prefix}{file}") if self.link is not None else ""
        return f"{found}#L{line}" if found else ""

    def place(self, file: str, line: int) -> Span:
        """Return a place of the tree as text shows it: the prefix of the tree, file and line."""
        return self._span(f"{self.source.prefix}{file}", f":{line}" if line else "")

    def short_place(self, file: str, line: int, near: str) -> Span:
        """Return a place by its file's name alone where it lies in the file `near`, which the reader just saw."""
        if file != near:
            return self.place(file, line)
        whole = self.place(file, line)
        return Span(whole.text.rpartition("/")[2], whole.style, whole.link)

    def _span(self, path: str, suffix: str) -> Span:
        return Span(path + suffix, "place", self.link(path) if self.link is not None else "")

    def folder(self, path: str) -> str:
        """Return a path with the home folder as `~`."""
        inside = bool(self.home) and (path == self.home or path.startswith((f"{self.home}/", f"{self.home}\\")))
        return f"~{path[len(self.home) :]}" if inside else path

    def command(self, *words: str) -> str:
        """Return a command line to suggest, words quoted for a shell where they need it."""
        return " ".join(["codepath", *(_quoted(w) for w in words)]) + self.again


def _quoted(word: str) -> str:
    from shlex import quote

    return quote(word)


def count(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"
