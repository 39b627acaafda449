"""`codepath index`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.model.answers import IndexAnswer
from codepath.report.index_text import index_text
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath index
  codepath index server==1.4.2 --workers 4"""


@click.command("index", short_help="Read a whole tree, so that every question is quick.", epilog=_EXAMPLES)
@click.argument("spec", required=False)
@source_options
@session_options("text", "json")
def command(session: Session, spec: str | None) -> None:
    """Read and solve the whole tree SPEC; questions do what they need of this by themselves."""
    if spec is not None:
        if "--source" in session.again:
            raise click.UsageError("Give the tree either as SPEC or as --source.")
        session = session.with_source(spec)
    session.answer(
        {"command": "index"},
        lambda workspace: workspace.index(),
        {"text": index_text, "json": _json},
    )


def _json(answer: IndexAnswer, view: View) -> Iterator[str]:
    from codepath.report.documents import index_json

    return index_json(answer, view)
