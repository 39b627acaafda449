"""`codepath callers`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli import completing
from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.model.answers import StepsAnswer
from codepath.model.detect import MismatchAnswer
from codepath.report.steps_text import callers_text
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath callers Runner.start
  codepath callers load_weights --mismatch"""


@click.command("callers", short_help="The call sites of a function, with their guards.", epilog=_EXAMPLES)
@click.argument("name", shell_complete=completing.names)
@click.option("--mismatch", is_flag=True, help="Only the call sites that its parameters do not fit, and why.")
@source_options
@session_options("text", "json")
def command(session: Session, name: str, mismatch: bool) -> None:
    """List the call sites of NAME with the guards under which they run."""
    if mismatch:
        session.answer(
            {"command": "callers", "name": name, "mismatch": True},
            lambda workspace: workspace.mismatches(name),
            {"text": _mismatch_text, "json": _mismatch_json},
        )
        return
    session.answer(
        {"command": "callers", "name": name},
        lambda workspace: workspace.callers(name),
        {"text": callers_text, "json": _json},
    )


def _json(answer: StepsAnswer, view: View) -> Iterator[str]:
    from codepath.report.documents import steps_json

    return steps_json(answer, view)


def _mismatch_text(answer: MismatchAnswer, view: View) -> Iterator[str]:
    from codepath.report.mismatch_report import mismatch_text

    return mismatch_text(answer, view)


def _mismatch_json(answer: MismatchAnswer, view: View) -> Iterator[str]:
    from codepath.report.mismatch_report import mismatch_json

    return mismatch_json(answer, view)
