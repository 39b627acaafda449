"""What the commands that draw share: their options, one tree or two, and the formats of a picture."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from codepath.cli.options import Callback
from codepath.cli.outputs import check_writable
from codepath.cli.session import Query, Session, Written
from codepath.report.view import View

if TYPE_CHECKING:
    from codepath.app import Workspace
    from codepath.model.answers import SourceInfo
    from codepath.model.pictures import Picture
    from codepath.model.sheets import Sheet

Diff: TypeAlias = "tuple[str, ...]"
"""The trees that are compared, first and second; none where one is drawn."""


def draw_options(function: Callback) -> Callback:
    """Add `--diff` and `--link`, and call the command with them as `diff`, empty where it is not said, and `link`."""

    @click.option(
        "--diff", nargs=2, metavar="BASE HEAD", help="What HEAD adds, drops and reorders; SPECs or revisions."
    )
    @click.option("--link", metavar="URL", default="", help="Where a step leads: a URL with {file} and {line} in it.")
    @functools.wraps(function)
    def command(diff: tuple[str, str] | None, link: str, **values: Any) -> Any:
        if link and "{file}" not in link:
            raise click.UsageError("--link needs {file} in its URL, and {line} for the line.")
        return function(diff=tuple(diff or ()), link=link, **values)

    return command


@contextmanager
def both(session: Session, diff: Diff) -> Iterator[tuple[Workspace | None, Workspace]]:
    """Open the two trees that are compared, else none and the one that is asked.

    Raises:
        CodepathError: There is no such tree, an output cannot be written, or needs Graphviz and there is none.
    """
    for output in session.outputs:
        if output.format in ("svg", "png"):
            from codepath.report.draw.graphviz import demand

            demand(output.format)
    with ExitStack() as stack:
        if not diff:
            yield None, stack.enter_context(session.open())
            return
        from codepath.app import open_workspace
        from codepath.app.checking import as_spec

        check_writable(session.outputs)
        options = [replace(session.options, source=as_spec(word)) for word in diff]
        opened = [
            stack.enter_context(open_workspace(o, session.terminal.progress, session.terminal.note)) for o in options
        ]
        yield opened[0], opened[1]


def write_picture(session: Session, picture: Picture, query: Query, source: SourceInfo, link: str) -> None:
    """Write an order of initialisation to each output."""
    session.write(lambda format, view: _picture(picture, format, replace(view, template=link)), query, source)
    if any(output.path for output in session.outputs):
        from codepath.report.draw.words import summary

        session.terminal.note(summary(picture))


def _picture(picture: Picture, format: str, view: View) -> Written:
    if format == "json":
        from codepath.report.draw.document import picture_json

        return picture_json(picture, view)
    if format == "html":
        from codepath.report.draw.page import picture_page

        return picture_page(picture, view)
    if format == "mermaid":
        from codepath.report.draw.mermaid import picture_mermaid

        return picture_mermaid(picture, view)
    if format == "text":
        from codepath.report.draw.text import picture_text

        return picture_text(picture, view)
    from codepath.report.draw.dot import picture_dot

    return _graph(picture_dot(picture, view), format)


def write_sheet(
    session: Session,
    sheet: Sheet,
    query: Query,
    source: SourceInfo,
    link: str,
    text: Callable[[View], Iterator[str]] | None,
) -> None:
    """Write boxes and arrows to each output; `text` writes them as text where the outline of all sheets does not serve."""

    def report(format: str, view: View) -> Written:
        return (
            text(view) if text is not None and format == "text" else _sheet(sheet, format, replace(view, template=link))
        )

    session.write(report, query, source)
    if any(output.path for output in session.outputs):
        session.terminal.note(sheet.caption)


def _sheet(sheet: Sheet, format: str, view: View) -> Written:
    if format in ("json", "text"):
        from codepath.report.draw.sheet_document import sheet_json, sheet_text

        return sheet_json(sheet, view) if format == "json" else sheet_text(sheet, view)
    if format == "html":
        from codepath.report.draw.sheet_page import sheet_page

        return sheet_page(sheet, view)
    from codepath.report.draw.sheet_graph import sheet_dot, sheet_mermaid

    return sheet_mermaid(sheet, view) if format == "mermaid" else _graph(sheet_dot(sheet, view), format)


def _graph(dot: Iterator[str], format: str) -> Written:
    """Return DOT as it is, or drawn."""
    if format == "dot":
        return dot
    from codepath.report.draw.graphviz import png_of, svg_of

    return png_of(dot) if format == "png" else iter([svg_of(dot)])
