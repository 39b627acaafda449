"""`codepath order`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli import completing
from codepath.cli.assuming import assume_options
from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.model.assumptions import Said
from codepath.model.orders import OrderAnswer
from codepath.report.order_text import order_text
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath order load_weights start_capture
  codepath order scheduler.py:564,runner.py:609 runner.py:493
  codepath order set_config --event cuda-graph-capture
  codepath order load_weights start_capture --assume is_draft=False

\b
A and B are names, events of the project, or path.py:LINE of what runs there. Places joined by commas,
outermost first, say in which context: worker.py:30,runner.py:609."""


@click.command("order", short_help="Which of two things comes first, and when not.", epilog=_EXAMPLES)
@click.argument("first", metavar="A", shell_complete=completing.names)
@click.argument("then", metavar="[B]", required=False, shell_complete=completing.names)
@click.option("--event", metavar="NAME", help="An event of the project, or a function, in place of B.")
@assume_options
@source_options
@session_options("text", "json")
def command(session: Session, first: str, then: str | None, event: str | None, said: Said) -> None:
    """Say whether A runs before B, and under which conditions B runs although A did not."""
    if (then is None) == (event is None):
        raise click.UsageError("Name two things that run, or one and --event.")
    other = then if then is not None else event
    assert other is not None
    session.answer(
        {"command": "order", "first": first, "then": other},
        lambda workspace: workspace.order(first, other, said),
        {"text": order_text, "json": _json},
    )


def _json(answer: OrderAnswer, view: View) -> Iterator[str]:
    from codepath.report.order_json import order_json

    return order_json(answer, view)
