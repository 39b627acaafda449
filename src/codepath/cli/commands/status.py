"""`codepath status`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.model.answers import StatusAnswer
from codepath.report.index_text import status_text
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath status --reasons --only 'server.**'
  codepath status --unresolved"""


@click.command("status", short_help="The tree, its index, and how much of it is known.", epilog=_EXAMPLES)
@click.option("--reasons", is_flag=True, help="Say why calls have no known target.")
@click.option("--unresolved", is_flag=True, help="Say also on what such calls are made, and how to teach the tool.")
@click.option(
    "--receivers",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    metavar="N",
    help="With --unresolved: receivers to list for each reason.",
)
@click.option("--only", metavar="PATTERN", help="Count only callers that match; * within a dotted part, ** across.")
@source_options
@session_options("text", "json")
def command(session: Session, reasons: bool, unresolved: bool, receivers: int) -> None:
    """Show the tree, what of it is stored, and how many of its calls are resolved."""
    reasons = reasons or unresolved
    session.answer(
        {"command": "status", "reasons": reasons, "unresolved": unresolved, "only": session.options.only},
        lambda workspace: workspace.status(reasons, receivers if unresolved else 0),
        {"text": status_text, "json": _json},
    )


def _json(answer: StatusAnswer, view: View) -> Iterator[str]:
    from codepath.report.documents import status_json

    return status_json(answer, view)
