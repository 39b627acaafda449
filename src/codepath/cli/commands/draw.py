"""`codepath draw`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import click

from codepath.cli import completing
from codepath.cli.assuming import assume_options
from codepath.cli.drawn import Diff, both, draw_options, write_picture, write_sheet
from codepath.cli.options import session_options, source_options
from codepath.cli.session import Query, Session
from codepath.model.answers import ReachAnswer
from codepath.model.arch import ArchAnswer
from codepath.model.assumptions import Said
from codepath.model.requests import ReachRequest
from codepath.report.view import View

if TYPE_CHECKING:
    from codepath.app import Workspace
    from codepath.model.sheets import Sheet

T = TypeVar("T")
_FORMATS = ("text", "dot", "svg", "png", "mermaid", "html", "json")
_EXAMPLES = """\b
Examples:
  codepath draw init-order --root Runner.start
  codepath draw init-order --root Runner.start --until load_weights -o start.svg
  codepath draw init-order --root Runner.start --show set_config -o start.mmd
  codepath draw init-order --root Runner.start --diff main HEAD -o start.html

\b
Steps are drawn that lead to events of the project, set globals, or are named with --show."""
_PATHS = """\b
Examples:
  codepath draw paths load_weights -o paths.svg
  codepath draw paths load_weights --from worker_main --paths 3 --format mermaid"""
_CLASSES = """\b
Examples:
  codepath draw classes Runner
  codepath draw classes Runner --method start -o runners.html"""
_ARCH = """\b
Examples:
  codepath draw arch --target sm120 -o gaps.html
  codepath draw arch --target sm120 --diff v1.4 v1.5 -o gaps.svg"""


@click.group("draw", short_help="Pictures: order of initialisation, paths, classes, architectures.")
def command() -> None:
    """Draw what the tree does: on a terminal as text, else as the name of a file says."""


@command.command("init-order", short_help="What runs below a function, in run order.", epilog=_EXAMPLES)
@click.option(
    "--root",
    required=True,
    metavar="NAME",
    shell_complete=completing.names,
    help="The function, class or entry point to start at.",
)
@click.option("--until", metavar="NAME", help="End with the first run of this function or event.")
@click.option("--depth", type=click.IntRange(min=0), default=0, help="Calls to go down; 0, the default, for no limit.")
@click.option("--show", multiple=True, metavar="NAME", help="Also show what runs, or sets, this; repeatable.")
@click.option("--limit", type=click.IntRange(min=1), default=40, show_default=True, help="Steps shown at most.")
@assume_options
@draw_options
@source_options
@session_options(*_FORMATS)
def init_order(
    session: Session,
    root: str,
    until: str | None,
    depth: int,
    show: tuple[str, ...],
    limit: int,
    said: Said,
    diff: Diff,
    link: str,
) -> None:
    """Draw the order in which things run below a function, with their conditions and the events among them."""
    query: Query = {
        "command": "draw init-order",
        "root": root,
        "until": until,
        "depth": depth,
        "show": list(show),
        "limit": limit,
        "assume": list(said.assume),
        "launch_args": said.launch_args,
        "launch_defaults": said.launch_defaults,
        "diff": list(diff) or None,
    }
    with both(session, diff) as (base, head):
        if base is None:
            picture = head.init_order(root, until=until, depth=depth, show=show, limit=limit, said=said)
        else:
            from codepath.app.drawing import compared

            trees = (base.drawing(said), head.drawing(said))
            picture = compared(*trees, (diff[0], diff[1]), root=root, until=until, depth=depth, show=show, limit=limit)
        source = head.source
    write_picture(session, picture, query, source, link)


@command.command("paths", short_help="The paths that reach a function, as a graph.", epilog=_PATHS)
@click.argument("target", shell_complete=completing.names)
@completing.from_option
@click.option("--via", metavar="PLACES", help="Only paths through these, as `codepath reach` takes them.")
@click.option("--paths", type=click.IntRange(min=1), default=1, show_default=True, help="Paths drawn for each group.")
@click.option("--limit", type=click.IntRange(min=1), default=40, show_default=True, help="Functions shown at most.")
@assume_options
@draw_options
@source_options
@session_options(*_FORMATS)
def paths(
    session: Session,
    target: str,
    start: str | None,
    via: str | None,
    paths: int,
    limit: int,
    said: Said,
    diff: Diff,
    link: str,
) -> None:
    """Draw the paths that `codepath reach` finds: a box a function, an arrow a call with its conditions.

    With --diff all ways are compared, not one for each group.
    """
    from codepath.report.draw.paths import paths_sheet

    query: Query = {
        "command": "draw paths",
        "target": target,
        "from": start,
        "via": via,
        "paths": paths,
        "limit": limit,
        "assume": list(said.assume),
        "launch_args": said.launch_args,
        "launch_defaults": said.launch_defaults,
    }

    def ask(workspace: Workspace) -> ReachAnswer:
        return workspace.reach(ReachRequest(target, start, via, paths, all_paths=bool(diff), said=said))

    _draw(session, query, ask, paths_sheet, diff, limit, link, _reached)


@command.command(
    "classes", short_help="A class with those above and below it, and what they override.", epilog=_CLASSES
)
@click.argument("name", metavar="CLASS", shell_complete=completing.names)
@click.option("--method", "methods", multiple=True, metavar="NAME", help="Only classes that define this; repeatable.")
@click.option("--limit", type=click.IntRange(min=1), default=40, show_default=True, help="Classes shown at most.")
@draw_options
@source_options
@session_options(*_FORMATS)
def classes(session: Session, name: str, methods: tuple[str, ...], limit: int, diff: Diff, link: str) -> None:
    """Draw the family of a class: arrows lead to what a class extends, and each says which methods it replaces."""
    from codepath.report.draw.classes import family_sheet

    query: Query = {"command": "draw classes", "class": name, "method": list(methods), "limit": limit}
    _draw(session, query, lambda workspace: workspace.overrides(name, methods), family_sheet, diff, limit, link, None)


@command.command("arch", short_help="The tables and branches that miss an architecture.", epilog=_ARCH)
@click.option("--target", "targets", metavar="ARCH", multiple=True, help="sm120, 12.0 or a device; default: all known.")
@click.option("--limit", type=click.IntRange(min=1), default=40, show_default=True, help="Rows shown at most.")
@draw_options
@source_options
@session_options(*_FORMATS)
def arch(session: Session, targets: tuple[str, ...], limit: int, diff: Diff, link: str) -> None:
    """Draw what `codepath arch` finds: a box a table or branch with all its verdicts."""
    from codepath.report.draw.arch import arch_sheet

    query: Query = {"command": "draw arch", "target": ",".join(targets) or None, "limit": limit}
    _draw(session, query, lambda workspace: workspace.arch(targets), arch_sheet, diff, limit, link, _matrix)


def _draw(
    session: Session,
    query: Query,
    ask: Callable[[Workspace], T],
    sheet_of: Callable[[T], Sheet],
    diff: Diff,
    limit: int,
    link: str,
    text: Callable[[T, View], Iterator[str]] | None,
) -> None:
    from codepath.report.draw.compared import cut, joined

    with both(session, diff) as (base, head):
        answer = ask(head)
        sheet = sheet_of(answer)
        if base is not None:
            sheet = joined(sheet_of(ask(base)), sheet, (diff[0], diff[1]))
        source = head.source
    as_text = partial(text, answer) if text is not None and not diff else None
    write_sheet(session, cut(sheet, limit), {**query, "diff": list(diff) or None}, source, link, as_text)


def _reached(answer: ReachAnswer, view: View) -> Iterator[str]:
    from codepath.report.reach_text import reach_text

    return reach_text(answer, view)


def _matrix(answer: ArchAnswer, view: View) -> Iterator[str]:
    from codepath.report.arch_text import arch_text

    return arch_text(answer, view)
