"""`codepath entries`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import click

from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.model.answers import EntriesAnswer
from codepath.report.lists_text import entries_text
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath entries --all
  codepath entries --uncalled --source git:main"""


@click.command("entries", short_help="The ways into the tree.", epilog=_EXAMPLES)
@click.option("--uncalled", is_flag=True, help="Also list functions that nothing is seen to call.")
@click.option("--all", "full", is_flag=True, help="List every entry point with its place.")
@source_options
@session_options("text", "json")
def command(session: Session, uncalled: bool, full: bool) -> None:
    """List the ways in: console scripts, `__main__` modules, declared ones, and targets of processes and routes."""
    session.answer(
        {"command": "entries", "uncalled": uncalled},
        lambda workspace: workspace.entries(uncalled),
        {"text": partial(entries_text, full=full), "json": _json},
    )


def _json(answer: EntriesAnswer, view: View) -> Iterator[str]:
    from codepath.report.documents import entries_json

    return entries_json(answer, view)
