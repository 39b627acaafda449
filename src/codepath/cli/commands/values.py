"""`codepath values`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli import completing
from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.model.detect import UsesAnswer
from codepath.model.values import ValuesAnswer
from codepath.report.values_text import values_text
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath values _global_config
  codepath values Runner.attn_backend
  codepath values worker.py:30,Runner.is_draft
  codepath values Runner.drafter --guards
  codepath values Options.attn_backend --instances

\b
NAME is a global of a module, or Class.attribute; short, qualified or full; or path.py:LINE
where it is stored. Places before it, as in `path.py:LINE,NAME`, tell under which calls."""


@click.command("values", short_help="Who writes and reads a variable, and when it can be None.", epilog=_EXAMPLES)
@click.argument("name", shell_complete=completing.names)
@click.option("--all", "everything", is_flag=True, help="All readers and all causes of a None.")
@click.option("--guards", is_flag=True, help="Under which conditions an attribute is set, and under which it is used.")
@click.option("--instances", is_flag=True, help="Which instances of a class write it where all of them share it.")
@source_options
@session_options("text", "json")
def command(session: Session, name: str, everything: bool, guards: bool, instances: bool) -> None:
    """Say who writes and reads NAME, what it can hold, and where None comes from."""
    if guards or instances:
        session.answer(
            {"command": "values", "name": name, "all": everything, "guards": guards, "instances": instances},
            lambda workspace: workspace.uses(name, guards=guards, instances=instances),
            {"text": _uses_text, "json": _uses_json},
        )
        return
    session.answer(
        {"command": "values", "name": name, "all": everything},
        lambda workspace: workspace.values(name),
        {"text": values_text, "json": _json},
    )


def _json(answer: ValuesAnswer, view: View) -> Iterator[str]:
    from codepath.report.documents import values_json

    return values_json(answer, view)


def _uses_text(answer: UsesAnswer, view: View) -> Iterator[str]:
    from codepath.report.uses_report import uses_text

    return uses_text(answer, view)


def _uses_json(answer: UsesAnswer, view: View) -> Iterator[str]:
    from codepath.report.uses_report import uses_json

    return uses_json(answer, view)
