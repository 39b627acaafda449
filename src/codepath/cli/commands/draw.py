"""`codepath draw`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli.assuming import assume_options
from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
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


@click.group("draw", short_help="Pictures: the order of initialisation.")
def command() -> None:
    """Draw what the tree does: as text, DOT, Mermaid, SVG or JSON."""


@command.command("init-order", short_help="What runs below a function, in run order.", epilog=_EXAMPLES)
@click.option("--root", required=True, metavar="NAME", help="The function, class or entry point to start at.")
@click.option("--until", metavar="NAME", help="End with the first run of this function or event.")
@click.option("--depth", type=click.IntRange(min=0), default=0, help="Calls to go down; 0, the default, for no limit.")
@click.option("--show", multiple=True, metavar="NAME", help="Also show what runs, or sets, this; repeatable.")
@click.option("--limit", type=click.IntRange(min=1), default=40, show_default=True, help="Steps shown at most.")
@assume_options
@source_options
@session_options("text", "dot", "svg", "mermaid", "json")
def init_order(
    session: Session, root: str, until: str | None, depth: int, show: tuple[str, ...], limit: int, said: Said
) -> None:
    """Draw the order in which things run below a function, with their conditions and the events among them."""
    if any(output.format == "svg" for output in session.outputs):
        from codepath.report.draw.graphviz import find_dot

        find_dot()
    session.answer(
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
        {"text": _text, "dot": _dot, "svg": _svg, "mermaid": _mermaid, "json": _json},
    )


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
    from codepath.report.draw.graphviz import picture_svg

    return picture_svg(picture, view)


def _mermaid(picture: Picture, view: View) -> Iterator[str]:
    from codepath.report.draw.mermaid import picture_mermaid

    return picture_mermaid(picture, view)
