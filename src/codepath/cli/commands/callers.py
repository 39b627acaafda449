"""`codepath callers`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.model.answers import StepsAnswer
from codepath.report.steps_text import callers_text
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath callers Runner.start
  codepath callers load_weights --format json"""


@click.command("callers", short_help="The call sites of a function, with their guards.", epilog=_EXAMPLES)
@click.argument("name")
@source_options
@session_options("text", "json")
def command(session: Session, name: str) -> None:
    """List the call sites of NAME with the guards under which they run."""
    session.answer(
        {"command": "callers", "name": name},
        lambda workspace: workspace.callers(name),
        {"text": callers_text, "json": _json},
    )


def _json(answer: StepsAnswer, view: View) -> Iterator[str]:
    from codepath.report.documents import steps_json

    return steps_json(answer, view)
