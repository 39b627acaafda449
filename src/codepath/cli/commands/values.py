"""`codepath values`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.model.values import ValuesAnswer
from codepath.report.values_text import values_text
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath values _global_config
  codepath values Runner.attn_backend

\b
NAME is a global of a module, or Class.attribute; short, qualified or full."""


@click.command("values", short_help="Who writes and reads a variable, and when it can be None.", epilog=_EXAMPLES)
@click.argument("name")
@click.option("--all", "everything", is_flag=True, help="All readers and all causes of a None.")
@source_options
@session_options("text", "json")
def command(session: Session, name: str, everything: bool) -> None:
    """Say who writes and reads NAME, what it can hold, and where None comes from."""
    session.answer(
        {"command": "values", "name": name, "all": everything},
        lambda workspace: workspace.values(name),
        {"text": values_text, "json": _json},
    )


def _json(answer: ValuesAnswer, view: View) -> Iterator[str]:
    from codepath.report.documents import values_json

    return values_json(answer, view)
