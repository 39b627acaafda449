"""`codepath flags`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from codepath.cli.options import session_options, source_options
from codepath.cli.session import Session
from codepath.model.flags import FlagsAnswer
from codepath.report.view import View

_EXAMPLES = """\b
Examples:
  codepath flags MINI_DP_PICK
  codepath flags --limit 100
  codepath flags attention_backend
  codepath flags --tp-size

\b
NAME is an environment variable, a launch option or the attribute that it becomes."""


@click.command(
    "flags",
    short_help="Environment variables and launch options: declared and read where.",
    epilog=_EXAMPLES,
    context_settings={"ignore_unknown_options": True},  # NAME may begin with dashes
)
@click.argument("name", required=False)
@click.option("--all", "everything", is_flag=True, help="Every flag and place, and faults of low precision.")
@click.option("--limit", type=click.IntRange(min=1), default=40, show_default=True, help="Flags listed without NAME.")
@source_options
@session_options("text", "json")
def command(session: Session, name: str | None, everything: bool, limit: int) -> None:
    """Say where each flag is declared, its default, who reads it through what, and what is wrong with it."""
    session.answer(
        {"command": "flags", "name": name, "all": everything, "limit": None if name else limit},
        lambda workspace: workspace.flags(name or "", limit=0 if everything else limit),
        {"text": _text, "json": _json},
    )


def _text(answer: FlagsAnswer, view: View) -> Iterator[str]:
    from codepath.report.flags_report import flags_text

    return flags_text(answer, view)


def _json(answer: FlagsAnswer, view: View) -> Iterator[str]:
    from codepath.report.flags_report import flags_json

    return flags_json(answer, view)
