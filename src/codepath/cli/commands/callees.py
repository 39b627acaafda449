"""`codepath callees`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli import completing
from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.model.answers import StepsAnswer
from codepath.report.steps_text import callees_text
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath callees Runner.start
  codepath callees src/server/worker.py:368"""


@click.command("callees", short_help="What a function calls, and what is not known.", epilog=_EXAMPLES)
@click.argument("name", shell_complete=completing.names)
@source_options
@session_options("text", "json")
def command(session: Session, name: str) -> None:
    """List what NAME calls, under which guards, and its calls of unknown target."""
    session.answer(
        {"command": "callees", "name": name},
        lambda workspace: workspace.callees(name),
        {"text": callees_text, "json": _json},
    )


def _json(answer: StepsAnswer, view: View) -> Iterator[str]:
    from codepath.report.documents import steps_json

    return steps_json(answer, view)
