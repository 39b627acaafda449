"""`codepath draw`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli.assuming import assume_options
from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.model.answers import ReachAnswer
from codepath.model.assumptions import Said
from codepath.model.pictures import Picture
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath draw init-order --root Runner.start
  codepath draw init-order --root Runner.start --until load_weights -o start.svg
  codepath draw init-order --root Runner.start --show set_config -o start.mmd

\b
Steps are drawn that lead to events of the project, set globals, or are named with --show."""
_PATHS = """\b
Examples:
  codepath draw paths load_weights -o paths.svg
  codepath draw paths load_weights --from worker_main --paths 3 --format mermaid"""


@click.group("draw", short_help="Pictures: the order of initialisation, the paths to a function.")
def command() -> None:
    """Draw what the tree does."""


@command.command("init-order", short_help="What runs below a function, in run order.", epilog=_EXAMPLES)
@click.option("--root", required=True, metavar="NAME", help="The function, class or entry point to start at.")
@click.option("--until", metavar="NAME", help="End with the first run of this function or event.")
@click.option("--depth", type=click.IntRange(min=0), default=0, help="Calls to go down; 0, the default, for no limit.")
@click.option("--show", multiple=True, metavar="NAME", help="Also show what runs, or sets, this; repeatable.")
@click.option("--limit", type=click.IntRange(min=1), default=40, show_default=True, help="Steps shown at most.")
@assume_options
@source_options
@session_options("text", "dot", "svg", "mermaid", "html", "json")
def init_order(
    session: Session, root: str, until: str | None, depth: int, show: tuple[str, ...], limit: int, said: Said
) -> None:
    """Draw the order in which things run below a function, with their conditions and the events among them."""
    _demand_dot(session)
    picture = session.answer(
        {
            "command": "draw init-order",
            "root": root,
            "until": until,
            "depth": depth,
            "show": list(show),
            "limit": limit,
            "assume": list(said.assume),
            "launch_args": said.launch_args,
            "launch_defaults": said.launch_defaults,
        },
        lambda workspace: workspace.init_order(root, until=until, depth=depth, show=show, limit=limit, said=said),
        {"text": _text, "dot": _dot, "svg": _svg, "mermaid": _mermaid, "html": _page, "json": _json},
    )
    if any(output.path for output in session.outputs):
        from codepath.report.draw.words import summary

        session.terminal.note(summary(picture))


@command.command("paths", short_help="The paths that reach a function, as a graph.", epilog=_PATHS)
@click.argument("target")
@click.option("--from", "start", metavar="NAME", help="Only paths that start at this function, class or entry point.")
@click.option("--via", metavar="PLACES", help="Only paths through these, as `codepath reach` takes them.")
@click.option("--paths", type=click.IntRange(min=1), default=1, show_default=True, help="Paths drawn for each group.")
@assume_options
@source_options
@session_options("text", "dot", "svg", "mermaid")
def paths(session: Session, target: str, start: str | None, via: str | None, paths: int, said: Said) -> None:
    """Draw the paths that `codepath reach` finds: a box a function, an arrow a call with its conditions."""
    _demand_dot(session)
    session.answer(
        {"command": "draw paths", "target": target, "from": start, "via": via, "paths": paths},
        lambda workspace: workspace.reach(target, start=start, via=via, paths=paths, said=said),
        {"text": _reached, "dot": _paths_dot, "svg": _paths_svg, "mermaid": _paths_mermaid},
    )


def _demand_dot(session: Session) -> None:
    """Raise CodepathError before any work is done where an output needs Graphviz, and there is none."""
    if any(output.format == "svg" for output in session.outputs):
        from codepath.report.draw.graphviz import find_dot

        find_dot()


def _text(picture: Picture, view: View) -> Iterator[str]:
    from codepath.report.draw.text import picture_text

    return picture_text(picture, view)


def _json(picture: Picture, view: View) -> Iterator[str]:
    from codepath.report.draw.document import picture_json

    return picture_json(picture, view)


def _dot(picture: Picture, view: View) -> Iterator[str]:
    from codepath.report.draw.dot import picture_dot

    return picture_dot(picture, view)


def _svg(picture: Picture, view: View) -> Iterator[str]:
    from codepath.report.draw.graphviz import svg_of

    return svg_of(_dot(picture, view))


def _mermaid(picture: Picture, view: View) -> Iterator[str]:
    from codepath.report.draw.mermaid import picture_mermaid

    return picture_mermaid(picture, view)


def _page(picture: Picture, view: View) -> Iterator[str]:
    from codepath.report.draw.page import picture_page

    return picture_page(picture, view)


def _reached(answer: ReachAnswer, view: View) -> Iterator[str]:
    from codepath.report.reach_text import reach_text

    return reach_text(answer, view)


def _paths_dot(answer: ReachAnswer, view: View) -> Iterator[str]:
    from codepath.report.draw.paths import paths_dot

    return paths_dot(answer, view)


def _paths_svg(answer: ReachAnswer, view: View) -> Iterator[str]:
    from codepath.report.draw.graphviz import svg_of

    return svg_of(_paths_dot(answer, view))


def _paths_mermaid(answer: ReachAnswer, view: View) -> Iterator[str]:
    from codepath.report.draw.paths import paths_mermaid

    return paths_mermaid(answer, view)
