"""One command's run: its options, its tree, its outputs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from codepath.cli.outputs import Output, check_writable, write_file
from codepath.cli.terminal import Terminal
from codepath.report.pen import Pen
from codepath.report.view import QueryValue, View

if TYPE_CHECKING:
    from codepath.app import Options, Workspace
    from codepath.model.answers import SourceInfo

T = TypeVar("T")
Written: TypeAlias = "Iterator[str] | bytes"
Report: TypeAlias = Callable[[T, View], Written]
Query: TypeAlias = Mapping[str, QueryValue]
_LINKING = frozenset(["html", "svg", "dot"])


@dataclass(frozen=True, slots=True)
class Session:
    """What a command works with.

    Args:
        terminal: The streams.
        options: Which tree is asked, and how.
        outputs: Where the answer goes.
        again: Options, ready for a shell, that name the same tree once more.
        quiet: Whether remarks are left out.
    """

    terminal: Terminal
    options: Options
    outputs: tuple[Output, ...]
    again: str
    quiet: bool

    def with_source(self, spec: str) -> Session:
        """Return the same session about another tree."""
        from shlex import quote

        return replace(self, options=replace(self.options, source=spec), again=f"{self.again} --source {quote(spec)}")

    def answer(self, query: Query, ask: Callable[[Workspace], T], reports: Mapping[str, Report[T]]) -> T:
        """Ask the tree, write the answer to each output in its format, and return it."""
        with self.open() as workspace:
            answer = ask(workspace)
            self.write(lambda format, view: reports[format](answer, view), query, workspace.source)
        return answer

    def open(self) -> Workspace:
        """Open the tree. Raises CodepathError where there is none, or an output cannot be written."""
        from codepath.app import open_workspace

        check_writable(self.outputs)
        return open_workspace(self.options, self.terminal.progress, self.terminal.note)

    def write(self, report: Callable[[str, View], Written], query: Query, source: SourceInfo) -> None:
        """Write an answer to each output; `report` is called once for each, with its format."""
        for output in self.outputs:
            if output.path:
                view = self._view(query, source, Pen())
                if output.format in _LINKING:
                    view = replace(view, link=_relative_to(os.path.dirname(os.path.abspath(output.path))))
                write_file(output.path, report(output.format, view))
                self.terminal.note(f"wrote {output.path}")
            else:
                pen = self.terminal.pen() if output.format == "text" else Pen()
                self.terminal.write(report(output.format, self._view(query, source, pen)))

    def _view(self, query: Query, source: SourceInfo, pen: Pen) -> View:
        home = os.path.expanduser("~")
        return View(
            source=source,
            query=query,
            seconds=perf_counter() - self.terminal.started,
            pen=pen,
            again=self.again,
            home="" if home == "~" else home.rstrip(os.sep),
            link=_file_url if pen.links else None,
        )


def _relative_to(folder: str) -> Callable[[str], str]:
    """Return what gives the URL of a file from a folder: a picture can be handed on with the tree beside it."""
    from urllib.parse import quote

    def link(path: str) -> str:
        if not os.path.isfile(path):
            return ""
        return quote(os.path.relpath(path, folder).replace(os.sep, "/"))

    return link


def _file_url(path: str) -> str:
    """Return the URL of a file, "" where there is none."""
    from pathlib import Path

    file = Path(os.path.abspath(path))
    return file.as_uri() if file.is_file() else ""
