"""`codepath family`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli import completing
from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.model.detect import FamilyAnswer
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath family DraftModel
  codepath family BaseRunner --all

\b
CLASS is short, qualified or full. An attribute is lost where a method that replaces one of a base, and does not call it,
was the only one to set it; a method called with another class's self reads what that class does not have."""


@click.command("family", short_help="What a class loses by the methods that it replaces.", epilog=_EXAMPLES)
@click.argument("name", metavar="CLASS", shell_complete=completing.names)
@click.option("--all", "everything", is_flag=True, help="Also what rests on equal names alone, and every class.")
@source_options
@session_options("text", "json")
def command(session: Session, name: str, everything: bool) -> None:
    """Say which attributes CLASS and the classes below it lose by the methods that they replace, and who reads them."""
    session.answer(
        {"command": "family", "name": name, "all": everything},
        lambda workspace: workspace.family(name),
        {"text": _text, "json": _json},
    )


def _text(answer: FamilyAnswer, view: View) -> Iterator[str]:
    from codepath.report.family_text import family_text

    return family_text(answer, view)


def _json(answer: FamilyAnswer, view: View) -> Iterator[str]:
    from codepath.report.family_json import family_json

    return family_json(answer, view)
